// The cube root.
#pragma once

#include "stdlib/prelude/elementary/exponent.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {

/// The real cube root, of negative numbers too.
template <typename F>
GN_FN F cbrt(F x) {
  const F a = abs(x);
  const auto ordinary = (a > constant<F>(0)) & (a < infinity<F>());
  const detail::SplitNumber<F> split = detail::split_number(select(ordinary, a, constant<F>(1)));
  // x = m 8^third with m between sqrt(1/8) and sqrt(8).
  const F third = rint(split.k * constant<F>(0x1.5555555555555p-2));
  const F m = detail::scale(split.f + constant<F>(1), fma(third, constant<F>(-3), split.k));
  F y = horner(m, -0x1.aa8232p-7, 0x1.c96cfap-4, -0x1.8977b6p-2, 0x1.a5fda4p-1, 0x1.d97e02p-2);
  constexpr int steps = is_single<F> ? 1 : 2;
  for (int step = 0; step < steps; ++step) {
    // Halley's step triples the digits.
    const F cube = y * y * y;
    y = fma(y, (m - cube) / fma(constant<F>(2), cube, m), y);
  }
  // One of Newton's with the cube's remainder exact to the last digit.
  const F square = y * y;
  const F rest = fma(square, y, -m) + fma(y, y, -square) * y;
  y = y - rest / (constant<F>(3) * square);
  const F root = detail::scale(y, third);
  return copysign(select(ordinary, root, a), x);
}

}  // namespace gn
