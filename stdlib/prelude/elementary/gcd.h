// The greatest common divisor of integers and the least common multiple.
#pragma once

#include "stdlib/prelude/lanes/arithmetic.h"

namespace gn {

/// The largest integer that divides both, by Euclid's algorithm; |a| where b is 0.
template <typename F>
GN_FN F gcd(F a, F b) {
  using U = uint_of<F>;
  U x = bit_cast<U>(abs(a));
  U y = bit_cast<U>(abs(b));
  while (any(y != U(0))) {
    const U rest = detail::floored_division(x, y).remainder;
    x = select(y == U(0), x, y);
    y = rest;
  }
  return bit_cast<F>(x);
}

/// The least positive integer that both divide, wrapped; 0 where one is 0.
template <typename F>
GN_FN F lcm(F a, F b) {
  using U = uint_of<F>;
  const U divisor = bit_cast<U>(gcd(a, b));
  const U quotient = detail::floored_division(bit_cast<U>(abs(a)), divisor).quotient;
  return abs(bit_cast<F>(multiply(quotient, bit_cast<U>(abs(b)))));
}

}  // namespace gn
