// Powers by way of a logarithm with extra digits, and the length of a hypotenuse.
#pragma once

#include "arithmetic.h"
#include "exp.h"
#include "lanes.h"
#include "log.h"
#include "polynomial.h"

namespace gn {

namespace detail {

/// An unevaluated sum: `low` is what `high` rounds off.
template <typename F>
struct Pair {
  F high;
  F low;
};

/// a + b exactly, for |a| >= |b| or a = 0.
template <typename F>
GN_FN Pair<F> quick_sum(F a, F b) {
  const F high = a + b;
  return {high, b - (high - a)};
}

/// a * b exactly, barring underflow.
template <typename F>
GN_FN Pair<F> exact_product(F a, F b) {
  const F high = a * b;
  return {high, fma(a, b, -high)};
}

/// a * b to about twice the precision of F.
template <typename F>
GN_FN Pair<F> product(Pair<F> a, Pair<F> b) {
  const Pair<F> p = exact_product(a.high, b.high);
  return {p.high, p.low + (a.high * b.low + a.low * b.high)};
}

/// |x|^y of float32 values in float64 arithmetic; x is neither 0 nor infinite.
template <typename D>
GN_FN D power_in_double(D x, D y) {
  const SplitNumber<D> a = split_number(x);
  const D s = a.f / (D(2) + a.f);
  const D series = horner(s * s, 0x1.7462d5cbc118fp-3, 0x1.c71c6275c2b0bp-3, 0x1.2492492e41ad7p-2,
                          0x1.99999999950bp-2, 0x1.5555555555558p-1, 2.0);
  const D log_x = fma(a.k, constant<D>(0x1.62e42fefa39efp-1), s * series);
  // Past 200 the result is infinite or 0 in float32.
  const ExpArgument<D> e =
      split_exp_argument(clamp_exp_argument(y * log_x, constant<D>(-200.0), constant<D>(200.0)));
  const D p = horner(e.r, 0x1.a01a018c397ddp-13, 0x1.6c16c178b047fp-10, 0x1.11111111144d5p-7,
                     0x1.5555555553cd1p-5, 0x1.555555555554dp-3, 0.5, 1.0, 1.0);
  return p * two_to(e.n);
}

/// log x for a float64 x > 0, with about 14 bits more than a float64 holds.
template <typename D>
GN_FN Pair<D> log_with_tail(D x) {
  const SplitNumber<D> a = split_number(x);
  // s = f / (2 + f) in two parts; the sum 2 + f is exact in two parts too.
  const Pair<D> denominator = quick_sum(D(2), a.f);
  const D inverse = D(1) / denominator.high;
  const D s = a.f * inverse;
  const D s_low = (fma(-s, denominator.high, a.f) - s * denominator.low) * inverse;
  // log(1 + f) = 2 s + s^3 (2/3 + tail(s^2)).
  const Pair<D> z = product(Pair<D>{s, s_low}, Pair<D>{s, s_low});
  const D tail = z.high * horner(z.high, 0x1.da83ad0b045c1p-4, 0x1.e01cd0c1d93d7p-4,
                                 0x1.1115402c3ee8cp-3, 0x1.3b13aa1f597dcp-3, 0x1.745d173c123d7p-3,
                                 0x1.c71c71c74d6b9p-3, 0x1.24924924922fbp-2, 0x1.999999999999ap-2);
  Pair<D> factor = quick_sum(constant<D>(0x1.5555555555555p-1), tail);
  factor.low = factor.low + constant<D>(0x1.5555555555555p-55);
  const Pair<D> cube = product(Pair<D>{s, s_low}, z);
  const Pair<D> rest = product(cube, factor);
  const Pair<D> log_f = quick_sum(D(2) * s, rest.high);
  const D log_f_low = log_f.low + (rest.low + D(2) * s_low);
  const Pair<D> sum = quick_sum(a.k * constant<D>(0x1.62e42fefa3800p-1), log_f.high);
  return quick_sum(sum.high, sum.low + fma(a.k, constant<D>(0x1.ef35793c76730p-45), log_f_low));
}

/// |x|^y of float64 values; x is neither 0 nor infinite.
template <typename D>
GN_FN D power_with_tail(D x, D y) {
  const Pair<D> log_x = log_with_tail(x);
  const D high = y * log_x.high;
  const D low = fma(y, log_x.high, -high) + y * log_x.low;
  // Where the clamp acts the result is 0 or infinite, and `low` may be NaN.
  const D held = clamp_exp_argument(high, constant<D>(-760.0), constant<D>(746.0));
  const D held_low = select(abs(held) < constant<D>(745.5), low, D(0));
  const ExpArgument<D> e = split_exp_argument(held);
  return scale(exp_near_zero(e.r + held_low), e.n);
}

/// |x|^y turned into x^y: signs, zeros, infinities and NaN as in C99, annex F.
template <typename F>
GN_FN F complete_power(F x, F y, F magnitude) {
  const F one = F(1);
  const F inf = infinity<F>();
  const F a = abs(x);
  const auto whole = floor(y) == y;
  const F half = y * F(0.5);
  F v = select(a == F(0), select(y > F(0), F(0), inf), magnitude);
  v = select(a == inf, select(y > F(0), inf, F(0)), v);
  // A negative number has whole powers only; -0 and -inf behave as limits.
  const F nan_unless_limit = select(a == inf, v, quiet_nan<F>());
  const F even_or_odd = select(floor(half) != half, copysign(v, x), v);
  v = select(whole, even_or_odd, select(x < F(0), nan_unless_limit, v));
  v = select(x != x, x, select(y != y, y, v));
  v = select(a == one, select(abs(y) == inf, one, v), v);
  return select(y == F(0), one, select(x == one, one, v));
}

}  // namespace detail

/// x^y as C99's pow; for integers they wrap, and a negative y gives 0, but for x = 1 and -1.
template <typename F>
GN_FN F power(F x, F y) {
  if constexpr (!is_float<F>) {
    return integer_power(x, y);
  } else if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    const D value =
        detail::power_in_double(detail::plain_cast<D>(abs(x)), detail::plain_cast<D>(y));
    return detail::complete_power(x, y, detail::plain_cast<F>(value));
  } else {
    return detail::complete_power(x, y, detail::power_with_tail(abs(x), y));
  }
}

/// sqrt(x^2 + y^2) without overflow or underflow on the way.
template <typename F>
GN_FN F hypot(F x, F y) {
  const F a = abs(x);
  const F b = abs(y);
  const F large = select(a > b, a, b);
  const F small = select(a > b, b, a);
  const F up = constant<F>(is_single<F> ? 0x1p100 : 0x1p600);
  const F down = constant<F>(is_single<F> ? 0x1p-100 : 0x1p-600);
  const F top = constant<F>(is_single<F> ? 0x1p60 : 0x1p500);
  const F bottom = constant<F>(is_single<F> ? 0x1p-40 : 0x1p-450);
  const F factor = select(large > top, down, select(large < bottom, up, F(1)));
  const F back = select(large > top, up, select(large < bottom, down, F(1)));
  const F p = large * factor;
  const F q = small * factor;
  const F length = back * sqrt(fma(p, p, q * q));
  const F nan_aware = select(x != x, x, select(y != y, y, length));
  return select(a == infinity<F>(), a, select(b == infinity<F>(), b, nan_aware));
}

}  // namespace gn
