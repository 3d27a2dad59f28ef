// A program that compiles functions before main begins, and keeps them until the process ends.
#include <gnomon/gnomon.h>

#include <cstdio>

namespace {

using namespace gnomon;

const Expr x = vector("x"), m = matrix("m");
// Rules, whole axes, comparisons: all that tables of the library may be needed for.
const Function f = compile({x}, {log(1 - exp(x)), where(x > -1.0 && x < 1.0, x, 0.0)});
const Function g = compile({m}, {sum(m(all_of, 0)), grad(sum(square(m)), m)});
const SharedVariable w = shared(zeros({2}), "w");
const RandomStream stream(1);
const Function h = compile({}, {random::uniform(stream.next(), {2})}, {{w, w + 1}});

}  // namespace

int main() {
  const Array v = Array::from({-2.0, -0.5}), a = Array::from({1.0, 2.0, 3.0, 4.0}, {2, 2});
  h();
  const Results first = f(v), second = g(a);
  std::printf("%.4f %g %g %g %g\n", first[0].data<double>()[0], first[1].data<double>()[1],
              second[0].item<double>(), second[1].data<double>()[3], w.get().data<double>()[1]);
}
