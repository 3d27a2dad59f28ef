// A program that uses an installed Gnomon, and a header of its own called runtime/error.h.
#include <gnomon/gnomon.h>

#include <cstdio>

#include "runtime/error.h"

int main() {
  using namespace gnomon;
  auto x = vector("x", float64);
  auto f = compile({x}, {2 * x + 1});
  const auto y = f(Array::from({1.0, 2.0, 3.0}))[0].to_vector<double>();
  std::printf("%g %g %g, %s\n", y[0], y[1], y[2], users_error());
}
