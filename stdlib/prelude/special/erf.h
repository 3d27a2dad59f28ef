// erf, erfc and erfcx. The tail is (1 + 2 x) exp(x^2) erfc(x), smooth on the whole half line
// (Shepherd and Laframboise 1981), as a polynomial in (x - c) / (x + c), times an exp of x^2 with
// all its bits.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// 2^exponent * (1 + fraction).
template <typename F>
struct ScaledExp {
  F fraction;
  F exponent;
};

/// exp(-(high + low)) for high >= 0 in the range of int_of<F>, low tiny.
template <typename F>
GN_FN ScaledExp<F> exp_of_negated(F high, F low) {
  const ExpArgument<F> a = split_exp_argument(-high);
  const F r = a.r - low;
  const F square = r * r;
  return {fma(square, exp_curvature(r, square), r), a.n};
}

/// (erf(x) - x) / x for z = x^2 <= 1.
template <typename F>
GN_FN F erf_excess(F z) {
  if constexpr (is_single<F>) {
    return horner(z, 0x1.4c5cb4p-14, -0x1.a5197ap-11, 0x1.542fecp-8, -0x1.b7fec4p-6, 0x1.ce2d52p-4,
                  -0x1.81274p-2, 0x1.06eba8p-3);
  } else {
    return horner(z, -0x1.ac1a4196e188cp-31, 0x1.d73d744d56748p-27, -0x1.5c0bc3130e21dp-23,
                  0x1.b9807f233887cp-20, -0x1.f4ca5bb2856d7p-17, 0x1.f9a2bb4bba0e4p-14,
                  -0x1.c02db03ff6859p-11, 0x1.565bccf908894p-8, -0x1.b82ce311f7069p-6,
                  0x1.ce2f21a040b02p-4, -0x1.812746b0379b5p-2, 0x1.06eba8214db68p-3);
  }
}

/// erfc(x) for 1 <= x <= 4 (float32) or 6 (float64), as accurate as 1 - erfc(x) needs it.
template <typename F>
GN_FN F erfc_beside_one(F x) {
  if constexpr (is_single<F>) {
    // -log(erfc(x)) as a polynomial.
    const F g = horner(x, -0x1.adab5cp-20, 0x1.7c23bcp-15, -0x1.358674p-11, 0x1.35e43ep-8,
                       -0x1.af6556p-6, 0x1.c23672p-4, 0x1.43966ap-1, 0x1.214fcep0, -0x1.326574p-12);
    const ScaledExp<F> e = exp_of_negated(g, constant<F>(0));
    const F scale = two_to(e.exponent);
    return fma(scale, e.fraction, scale);
  } else {
    const F c = constant<F>(2.5);
    const F t = (x - c) / (x + c);
    const F p = horner(t, 0x1.0e65836e81e32p-19, 0x1.50c98d6f356aap-16, 0x1.a8200dca36572p-18,
                       -0x1.d94eba9088ce9p-14, -0x1.7313fa07b07b6p-14, 0x1.4b5e3c723ba4ap-11,
                       0x1.01e0e0bb40bb6p-11, -0x1.1f2ef79b6b5dcp-8, 0x1.e8948d9685caap-11,
                       0x1.0c609285390f8p-5, -0x1.a5c0c8a440ac7p-4, 0x1.42d37998bd169p-3,
                       -0x1.959ac16f84e3fp-4, -0x1.f52c5d7e22818p-4, 0x1.43cc6f6c9672cp0);
    const F square = x * x;
    const ScaledExp<F> e = exp_of_negated(square, fma(x, x, -square));
    const F q = p / fma(constant<F>(2), x, constant<F>(1));
    return fma(q, e.fraction, q) * two_to(e.exponent);
  }
}

/// (1 + 2 x) exp(x^2) erfc(x) = start + t * slope for x from 0 to where erfc underflows.
template <typename F>
inline constexpr f64 scaled_erfc_start = is_single<F> ? 0x1.46e80ep0 : 0x1.43cc6f6c9672cp0;

template <typename F>
GN_FN F scaled_erfc_slope(F t) {
  if constexpr (is_single<F>) {
    return horner(t, -0x1.ac60a6p-12, -0x1.44fe74p-10, 0x1.5a5b4p-10, 0x1.1b3408p-7, -0x1.082f98p-7,
                  -0x1.bc133ap-5, 0x1.4ffc66p-3, -0x1.5407fep-3, -0x1.7bf618p-4);
  } else {
    return horner(t, 0x1.461cf39586c25p-28, 0x1.8a5a6f18ff01cp-27, -0x1.cf47314e61c67p-26,
                  -0x1.cd374f1ea55b4p-24, 0x1.e9c18e330f35fp-27, 0x1.11b1ca60fd766p-21,
                  0x1.23e05c531a34bp-21, -0x1.a4787a78f277cp-20, -0x1.1bb71e2b93c4p-18,
                  0x1.5cdd065ac1941p-19, 0x1.7ce738fcd16efp-16, 0x1.a4b91d7b63c73p-18,
                  -0x1.dc26df175b4b5p-14, -0x1.731c9b6e675f8p-14, 0x1.4b6a51969e8e8p-11,
                  0x1.01e11fd5152eep-11, -0x1.1f2f13403fa44p-8, 0x1.e89489266b51ep-11,
                  0x1.0c6092a5d512dp-5, -0x1.a5c0c8a400018p-4, 0x1.42d379989b027p-3,
                  -0x1.959ac16f8579dp-4, -0x1.f52c5d7e222e9p-4);
  }
}

/// exp(x^2) erfc(x) as a sum of two floats, for x from 0 to where erfc underflows.
template <typename F>
GN_FN TwoFloats<F> exp_times_erfc(F x) {
  const F center = constant<F>(is_single<F> ? 2.0 : 2.5);
  const F t = (x - center) / (x + center);
  const F start = constant<F>(scaled_erfc_start<F>);
  const F slope = scaled_erfc_slope(t);
  const F num = fma(slope, t, start);
  const F num_low = fma(slope, t, start - num);
  const F twice = x + x;
  const F den = twice + constant<F>(1);
  const F den_low = select(twice > constant<F>(1), (twice - den) + constant<F>(1),
                           (constant<F>(1) - den) + twice);
  const F inverse = constant<F>(1) / den;
  const F q = num * inverse;
  return {q, (fma(-q, den, num) + fma(-q, den_low, num_low)) * inverse};
}

/// exp(x^2) erfc(x) for x >= 0; far out by its asymptotic series (DLMF 7.12.1).
template <typename F>
GN_FN F erfcx_of_positive(F x) {
  const F end = constant<F>(is_single<F> ? 10.0 : 26.0);
  const TwoFloats<F> near = exp_times_erfc(select(x < end, x, end));
  const F inverse = constant<F>(1) / x;
  const F w = inverse * inverse;
  F series;
  if constexpr (is_single<F>) {
    series = horner(w, 0x1.80db08p2, -0x1.df2428p0, 0x1.7fff2p-1, -0x1p-1);
  } else {
    series = horner(w, -0x1.fbe881345fdc6p9, 0x1.44aec7ab7f86ep7, -0x1.d87fab353860bp4,
                    0x1.a3ffffd325edbp2, -0x1.dffffffff4b0fp0, 0x1.7fffffffffff7p-1, -0x1p-1);
  }
  const F first = inverse * constant<F>(0x1.20dd750429b6dp-1);  // 1 / sqrt(pi)
  return select(x < end, near.high + near.low, fma(first, w * series, first));
}

}  // namespace detail

/// The error function: 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x.
template <typename F>
GN_FN F erf(F x) {
  const F a = abs(x);
  const F end = constant<F>(is_single<F> ? 4.0 : 6.0);
  const F tail = detail::erfc_beside_one(select(a < end, a, end));
  const F far = copysign(constant<F>(1) - tail, x);
  const F near = fma(x, detail::erf_excess(x * x), x);
  return select(a > constant<F>(1), far, near);
}

/// 1 - erf(x), accurate far to the right, where it is tiny.
template <typename F>
GN_FN F erfc(F x) {
  const F magnitude = abs(x);
  const F end = constant<F>(is_single<F> ? 10.5 : 28.0);  // erfc(end) rounds to 0
  const F a = select(magnitude < end, magnitude, end);
  const F square = a * a;
  const detail::ScaledExp<F> e = detail::exp_of_negated(square, fma(a, a, -square));
  const detail::TwoFloats<F> q = detail::exp_times_erfc(a);
  const F product = q.high + fma(q.high, e.fraction, q.low);
  const F right = detail::scale_or_vanish(product, e.exponent);
  const F far = select(x < constant<F>(0), constant<F>(2) - right, right);
  // 1 - x - x * excess, with what 1 - x rounds off.
  const F rest = constant<F>(1) - x;
  const F near = rest + fma(-x, detail::erf_excess(square), (constant<F>(1) - rest) - x);
  const F v = select(magnitude < constant<F>(0.5), near, far);
  return select(x == x, v, x);
}

/// exp(x^2) erfc(x), which neither overflows nor underflows on the right.
template <typename F>
GN_FN F erfcx(F x) {
  const F magnitude = abs(x);
  const F right = detail::erfcx_of_positive(magnitude);
  // erfc(-a) = 2 - erfc(a); beyond the end 2 exp(a^2) overflows.
  const F end = constant<F>(is_single<F> ? 9.5 : 27.0);
  const F a = select(magnitude < end, magnitude, end);
  const F square = a * a;
  const F half = exp(square);
  const F exact_half = select(half < infinity<F>(), fma(half, fma(a, a, -square), half), half);
  const F left = (exact_half + exact_half) - right;
  return select(x == x, select(x < constant<F>(0), left, right), x);
}

}  // namespace gn
