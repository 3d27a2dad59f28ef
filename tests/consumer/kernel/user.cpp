// Calls a gradient of a library with spans.
#include <array>
#include <cstdio>
#include <vector>

#include "slope.h"

int main() {
  alignas(64) static std::array<std::byte, 1 << 16> work;
  std::vector<double> x(2000, 1.0), value(1), slope(2000);
  if (slope::grad({2}, x, value, slope, work) != SLOPE_DONE) return 1;
  std::printf("%g %g %g\n", value[0], slope[0], slope[1999]);
}
