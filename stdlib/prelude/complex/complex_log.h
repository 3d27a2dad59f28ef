// Parts of logarithms, roots, powers and signs of x + iy, with the special values of C99 Annex G.
#pragma once

#include "stdlib/prelude/complex/complex_exp.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/power.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

namespace detail {

/// a + b exactly, in any order.
template <typename F>
GN_FN Pair<F> exact_sum(F a, F b) {
  const F high = a + b;
  const F part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

/// p + q + more with p, q given in two parts each: what is left after cancellation is exact.
template <typename F>
GN_FN F sum_of_pairs(Pair<F> p, Pair<F> q, F more) {
  const Pair<F> start = exact_sum(p.high, more);
  const Pair<F> sum = exact_sum(start.high, q.high);
  const Pair<F> low = exact_sum(p.low, q.low);
  const Pair<F> total = exact_sum(sum.high, low.high);
  return total.high + (total.low + (start.low + sum.low) + low.low);
}

/// The power of two that brings `size` away from where its square overflows or underflows, as its
/// exponent: size 2^n is harmless.
template <typename F>
GN_FN F harmless_exponent(F size) {
  const F top = constant<F>(is_single<F> ? 0x1p60 : 0x1p500);
  const F bottom = constant<F>(is_single<F> ? 0x1p-60 : 0x1p-500);
  const F step = constant<F>(is_single<F> ? 80.0 : 600.0);
  return select(size > top, -step, select(size < bottom, step, F(0)));
}

}  // namespace detail

/// log |x + iy|. Near |x + iy| = 1 it is log1p(x^2 + y^2 - 1) / 2 with the sum in two parts, as in
/// Hull, Fairgrieve and Tang, "Implementing complex elementary functions using exception handling",
/// ACM TOMS 20 (1994).
template <typename F>
GN_FN F log_real(F x, F y) {
  const F a = abs(x);
  const F b = abs(y);
  const F large = select(a > b, a, b);
  const F small = select(a > b, b, a);
  const F n = detail::harmless_exponent(large);
  const F factor = detail::two_to(n);
  const F length = log(hypot(large * factor, small * factor));
  const F value = fma(n, constant<F>(-0x1.62e42fefa39efp-1), length);
  const auto near = both(large > F(0.5), both(large < F(1.5), small < F(1.5)));
  if (__builtin_expect(!any(near), 0)) return value;
  const F p = select(near, large, F(1));
  const F q = select(near, small, F(0));
  const F excess =
      detail::sum_of_pairs(detail::exact_product(p, p), detail::exact_product(q, q), F(-1));
  return select(both(near, abs(excess) < F(0.5)), F(0.5) * log1p(excess), value);
}

/// log |1 + x + iy|, accurate near 0.
template <typename F>
GN_FN F log1p_real(F x, F y) {
  const auto near = both(abs(x) < F(0.5), abs(y) < F(1));
  const F p = select(near, x, F(0));
  const F q = select(near, y, F(0));
  const F excess =
      detail::sum_of_pairs(detail::exact_product(p, p), detail::exact_product(q, q), p + p);
  const F close = F(0.5) * log1p(excess);
  const F value = select(near, close, log_real(F(1) + x, y));
  return select(both(x == F(0), y == F(0)), x, value);
}

namespace detail {

/// The parts of the root of x + iy with x >= 0: what is larger, and y over twice that.
template <typename F>
struct Root {
  F major;
  F minor;
};

/// The root of |x| + i|y| (Kahan 1987, CSQRT).
template <typename F>
GN_FN Root<F> root_of_magnitudes(F x, F y) {
  const F a = abs(x);
  const F b = abs(y);
  const F n = harmless_exponent(select(a > b, a, b));
  const F factor = two_to(n);
  const F p = a * factor;
  const F q = b * factor;
  const F major = sqrt(F(0.5) * (hypot(p, q) + p));
  const F minor = select(q == F(0), F(0), q / (major + major));
  const F back = two_to(n * F(-0.5));
  return {major * back, minor * back};
}

}  // namespace detail

/// The real part of the square root of x + iy, which is at least 0.
template <typename F>
GN_FN F sqrt_real(F x, F y) {
  const detail::Root<F> root = detail::root_of_magnitudes(x, y);
  const F value = select(x < F(0), root.minor, root.major);
  return select(abs(y) == infinity<F>(), abs(y), value);
}

/// The imaginary part of the square root of x + iy, with the sign of y.
template <typename F>
GN_FN F sqrt_imag(F x, F y) {
  const detail::Root<F> root = detail::root_of_magnitudes(x, y);
  const F value = copysign(select(x < F(0), root.major, root.minor), y);
  return select(abs(y) == infinity<F>(), y, select(x == x, value, x));
}

/// x / |x + iy|; 0, not -0, at 0.
template <typename F>
GN_FN F sign_real(F x, F y) {
  const F a = abs(x);
  const F b = abs(y);
  const F factor = detail::two_to(detail::harmless_exponent(select(a > b, a, b)));
  const F p = x * factor;
  const F length = hypot(p, y * factor);
  return select(length == F(0), F(0), p / length);
}

namespace detail {

/// (a + ib)^(c + id) = e^u (cos v + i sin v) with u = c log r - d t, v = d log r + c t.
template <typename F>
struct Polar {
  F u;
  F v;
};
template <typename F>
GN_FN Polar<F> power_exponent(F a, F b, F c, F d) {
  const F log_r = log_real(a, b);
  const F t = arctan2(b, a);
  // A product with 0 is 0 here: real exponents and infinite logarithms.
  const F turned = select(d == F(0), F(0), d * t);
  const F grown = select(d == F(0), F(0), d * log_r);
  return {fma(c, log_r, -turned), fma(c, t, grown)};
}

/// What the power of 0 is: 1 for the exponent 0, 0 if its real part is above 0, else NaN.
template <typename F>
GN_FN F power_of_zero(F c, F d, F one) {
  const F nan = quiet_nan<F>();
  return select(both(c == F(0), d == F(0)), one, select(c > F(0), F(0), nan));
}

}  // namespace detail

/// The real part of (a + ib)^(c + id).
template <typename F>
GN_FN F power_real(F a, F b, F c, F d) {
  const detail::Polar<F> p = detail::power_exponent(a, b, c, d);
  const F value = select(both(c == F(0), d == F(0)), F(1), exp_real(p.u, p.v));
  return select(both(a == F(0), b == F(0)), detail::power_of_zero(c, d, F(1)), value);
}

/// The imaginary part of (a + ib)^(c + id).
template <typename F>
GN_FN F power_imag(F a, F b, F c, F d) {
  const detail::Polar<F> p = detail::power_exponent(a, b, c, d);
  const F value = select(both(c == F(0), d == F(0)), F(0), exp_imag(p.u, p.v));
  return select(both(a == F(0), b == F(0)), detail::power_of_zero(c, d, F(0)), value);
}

}  // namespace gn
