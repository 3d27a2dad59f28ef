// A program that imports Gnomon as a module.
#include <cstdio>

import gnomon;

int main() {
  using namespace gnomon;
  const Expr x = vector("x");
  const Function f = compile({x}, {2 * x + 1, grad(sum(exp(x)), x)});
  const Results r = f(Array::from<double>({1.0, 2.0, 3.0}));
  std::printf("%g %g\n", r[0].to_vector<double>()[2], r[1].data<double>()[0]);
}
