// A plugin with a function that lives as long as it is loaded.
#include <gnomon/gnomon.h>

namespace {

using namespace gnomon;

const Expr x = vector("x");
const Function f = compile({x}, {sum(sin(x) * sin(x) + cos(x) * cos(x))});

}  // namespace

// The number of elements; many of them, so that threads run.
extern "C" double run(int n) { return f(full({n}, 0.5))[0].item<double>(); }
