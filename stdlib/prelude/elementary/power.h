// Powers by way of a logarithm with extra digits, and the length of a hypotenuse.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/polynomial.h"

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
  return {p.high, fma(a.high, b.low, fma(a.low, b.high, p.low))};
}

/// x^y of float32 values in float64 arithmetic; x is above 0 and finite.
template <typename F>
GN_FN F power_in_double(F x, F y) {
  using D = with_element<F, f64>;
  const SplitNumber<F> a = split_number(x);
  const D f = plain_cast<D>(a.f);
  // s = f / (2 + f): the quotient by a float32 reciprocal, and one of Newton's steps.
  const D inverse = plain_cast<D>(F(1) / (F(2) + a.f));
  const D rough = f * inverse;
  const D s = fma(fma(-rough, f + D(2), f), inverse, rough);
  const D series = horner(s * s, 0x1.5ceb10f2b385fp-2, 0x1.a58d5f99118bbp-2, 0x1.2777804962e09p-1,
                          0x1.ec709d123db27p-1, 0x1.71547652bee7cp+1);
  const D log2_x = fma(s, series, plain_cast<D>(a.k));
  // Past 200 the result is infinite or 0 in float32.
  const D t =
      clamp_exp_argument(plain_cast<D>(y) * log2_x, constant<D>(-200.0), constant<D>(200.0));
  const D shifted = t + rounding_shift<D>();
  const D p = horner(t - (shifted - rounding_shift<D>()), 0x1.41d333a2e39d1p-13,
                     0x1.5f456a784f2dfp-10, 0x1.3b2dbbc08f82cp-7, 0x1.c6aed4b98241ap-5,
                     0x1.ebfbdadcb1bcep-3, 0x1.62e430c7e8fafp-1, 0x1.00000002614f8p+0);
  // The low bits of `shifted` are what the exponent grows by.
  using U = uint_of<D>;
  const U bits = bit_cast<U>(p) + (bit_cast<U>(shifted) << U(52));
  return plain_cast<F>(bit_cast<D>(bits));
}

/// log x for a float64 x > 0, with about 14 bits more than a float64 holds.
template <typename D>
GN_FN Pair<D> log_with_tail(D x) {
  const SplitNumber<D> a = split_number(x);
  // s = f / (2 + f) in two parts; the sum 2 + f is exact in two parts too.
  const Pair<D> denominator = quick_sum(D(2), a.f);
  const D inverse = D(1) / denominator.high;
  const D s = a.f * inverse;
  const D s_low = fma(-s, denominator.low, fma(-s, denominator.high, a.f)) * inverse;
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
  const D log_f_low = log_f.low + fma(D(2), s_low, rest.low);
  const Pair<D> sum = quick_sum(a.k * constant<D>(0x1.62e42fefa3800p-1), log_f.high);
  return quick_sum(sum.high, sum.low + fma(a.k, constant<D>(0x1.ef35793c76730p-45), log_f_low));
}

/// x^y of float64 values; x is above 0 and finite.
template <typename D>
GN_FN D power_with_tail(D x, D y) {
  const Pair<D> log_x = log_with_tail(x);
  const D high = y * log_x.high;
  const D low = fma(y, log_x.low, fma(y, log_x.high, -high));
  // Where the clamp acts the result is 0 or infinite, and `low` may be NaN.
  const D held = clamp_exp_argument(high, constant<D>(-760.0), constant<D>(746.0));
  const D held_low = select(abs(held) < constant<D>(745.5), low, D(0));
  const ExpArgument<D> e = split_exp_argument(held);
  return scale_or_vanish(exp_near_zero(e.r + held_low), e.n);
}

/// Turns |x|^y into x^y: signs, zeros, infinities and NaN as in C99, annex F.
template <typename F>
GN_COLD void complete_power(const F& x, const F& y, F& value) {
  const F one = F(1);
  const F inf = infinity<F>();
  const F a = abs(x);
  const auto whole = floor(y) == y;
  const F half = y * F(0.5);
  F v = select(a == F(0), select(y > F(0), F(0), inf), value);
  v = select(a == inf, select(y > F(0), inf, F(0)), v);
  // A negative number has whole powers only; -0 and -inf behave as limits.
  const F nan_unless_limit = select(a == inf, v, quiet_nan<F>());
  // Not a select of copysign(v, x), which Clang 19 miscompiles for AVX-512 in some loops.
  const auto odd = to_mask(floor(half) != half);
  const auto below = to_mask(bit_cast<int_of<F>>(x) < int_of<F>(0));
  const F even_or_odd = select(both(odd, below), -v, v);
  v = select(whole, even_or_odd, select(x < F(0), nan_unless_limit, v));
  v = select(x != x, x, select(y != y, y, v));
  v = select(a == one, select(abs(y) == inf, one, v), v);
  value = select(y == F(0), one, select(x == one, one, v));
}

/// x^y of floats.
template <typename F>
GN_FN F float_power(F x, F y) {
  const F inf = infinity<F>();
  F value;
  if constexpr (is_single<F>) {
    value = power_in_double(abs(x), y);
  } else {
    value = power_with_tail(abs(x), y);
  }
  const auto ordinary = (x > F(0)) & (x < inf) & (abs(y) < inf);
  if (__builtin_expect(all(ordinary), 1)) return value;
  const F base = x, exponent = y;  // copies: those of the other way need no place in memory
  F result = value;
  complete_power(base, exponent, result);
  return result;
}

// Products of numbers and pairs, as far as their parts are there.
template <typename F>
GN_FN Pair<F> product(F a, F b) {
  return exact_product(a, b);
}
template <typename F>
GN_FN Pair<F> product(Pair<F> a, F b) {
  const Pair<F> p = exact_product(a.high, b);
  return {p.high, fma(a.low, b, p.low)};
}

/// x^N for N > 0, by squares: of plain numbers as pairs, if `in_pairs`.
template <int N, bool in_pairs, typename X>
GN_FN auto natural_power(X x) {
  if constexpr (N == 1) {
    return x;
  } else {
    const auto half = natural_power<N / 2, in_pairs>(x);
    if constexpr (in_pairs) {
      const auto even = product(half, half);
      if constexpr (N % 2 != 0) {
        return product(even, x);
      } else {
        return even;
      }
    } else {
      return N % 2 != 0 ? half * half * x : half * half;
    }
  }
}

}  // namespace detail

/// x^N of floats by products: of pairs, and in float64 for float32. It is within 0.501 units in the
/// last place; within 2 where a float64 result is below 1e-289.
template <int N, typename F>
GN_FN F whole_power(F x) {
  constexpr int n = N < 0 ? -N : N;
  static_assert(n > 1 && n <= 64);
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    const D wide = detail::plain_cast<D>(x);
    return detail::plain_cast<F>(detail::natural_power<n, false>(N < 0 ? D(1) / wide : wide));
  } else {
    detail::Pair<F> p;
    if constexpr (N < 0) {
      const F high = F(1) / x;
      p = detail::natural_power<n, true>(detail::Pair<F>{high, fma(-x, high, F(1)) * high});
    } else {
      p = detail::natural_power<n, true>(x);
    }
    // Of zeros and beyond the range the lower part is none: 0, NaN, infinite with the other sign.
    return select(abs(p.low) < abs(p.high), p.high + p.low, p.high);
  }
}

/// x^y as C99's pow; for integers they wrap, and a negative y gives 0, but for x = 1 and -1.
template <typename F>
GN_FN F power(F x, F y) {
  if constexpr (is_float<F>) {
    return detail::float_power(x, y);
  } else {
    return integer_power(x, y);
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
