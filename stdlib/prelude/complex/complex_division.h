// Parts of the quotient of complex numbers, without needless overflow.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {

namespace detail {

/// (a + b d / c) t for r = d / c and t = 1 / (c + d r), whatever of it underflows.
template <typename F>
GN_FN F quotient_part(F a, F b, F c, F d, F r, F t) {
  const F br = b * r;
  const F product = select(br != F(0), (a + br) * t, a * t + (b * t) * r);
  return select(r != F(0), product, (a + d * (b / c)) * t);
}

/// The real part of (a + ib) / (c + id); of (b - ia) / (c + id) it is the imaginary part. Robust
/// division by Baudin and Smith, "A robust complex division in Scilab", arXiv:1210.4539 (2012).
template <typename F>
GN_FN F quotient_real(F a, F b, F c, F d) {
  const F large = constant<F>(is_single<F> ? 0x1p119 : 0x1p1015);
  const F lower = constant<F>(0x1p-8);
  const F tiny = constant<F>(is_single<F> ? 0x1p-79 : 0x1p-917);
  const F up = constant<F>(is_single<F> ? 0x1p47 : 0x1p105);
  const F down = constant<F>(is_single<F> ? 0x1p-47 : 0x1p-105);
  const F ab = select(abs(a) > abs(b), abs(a), abs(b));
  const F cd = select(abs(c) > abs(d), abs(c), abs(d));
  const F scale_ab = select(ab > large, lower, select(ab < tiny, up, F(1)));
  const F scale_cd = select(cd > large, lower, select(cd < tiny, up, F(1)));
  const F back_ab = select(ab > large, F(256), select(ab < tiny, down, F(1)));
  a = a * scale_ab, b = b * scale_ab;
  c = c * scale_cd, d = d * scale_cd;
  // With |d| > |c|: (a + ib) / (c + id) = (b - ia) / (d - ic), of which the real part has b, a.
  const auto turned = abs(d) > abs(c);
  const F p = select(turned, b, a), q = select(turned, a, b);
  const F e = select(turned, d, c), f = select(turned, c, d);
  const F r = f / e;
  const F t = F(1) / fma(f, r, e);
  return quotient_part(p, q, e, f, r, t) * (back_ab * scale_cd);
}

/// 1 with the sign of x where x is infinite, else 0 with it.
template <typename F>
GN_FN F boxed(F x) {
  return copysign(select(abs(x) == infinity<F>(), F(1), F(0)), x);
}

/// A quotient that came out NaN, as C99, annex G.5.1 has it: quotients by zero and of infinities.
template <typename F>
GN_COLD void complete_quotient(const F& a, const F& b, const F& c, const F& d, F& value) {
  const F inf = infinity<F>();
  const auto zero_below = both(c == F(0), d == F(0));
  const auto infinite_above = either(abs(a) == inf, abs(b) == inf);
  const auto infinite_below = either(abs(c) == inf, abs(d) == inf);
  const auto finite_above = both(abs(a) < inf, abs(b) < inf);
  const auto finite_below = both(abs(c) < inf, abs(d) < inf);
  const F above = inf * fma(boxed(a), c, boxed(b) * d);
  const F below = F(0) * fma(a, boxed(c), b * boxed(d));
  F completed = select(both(infinite_below, finite_above), below, value);
  completed = select(both(infinite_above, finite_below), above, completed);
  completed = select(zero_below, copysign(inf, c) * a, completed);
  value = select(value == value, value, completed);
}

template <typename F>
GN_FN F complete_quotient_real(F a, F b, F c, F d) {
  F value = quotient_real(a, b, c, d);
  if (__builtin_expect(!any(value != value), 1)) return value;
  const F p = a, q = b, r = c, s = d;  // copies: those of the other way need no place in memory
  F result = value;
  complete_quotient(p, q, r, s, result);
  return result;
}

}  // namespace detail

/// The real part of (a + ib) / (c + id).
template <typename F>
GN_FN F divide_real(F a, F b, F c, F d) {
  return detail::complete_quotient_real(a, b, c, d);
}

/// The imaginary part of (a + ib) / (c + id).
template <typename F>
GN_FN F divide_imag(F a, F b, F c, F d) {
  return detail::complete_quotient_real(b, -a, c, d);
}

}  // namespace gn
