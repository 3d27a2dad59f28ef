// The gamma function itself. Far to the right by Stirling's series with a logarithm of extra
// digits, near 0 by its recurrence to [1, 2], on the left by reflection (DLMF 5.5.1, 5.5.3,
// 5.11.1).
#pragma once

#include "stdlib/prelude/elementary/power.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/gamma.h"

namespace gn {
namespace detail {

/// mantissa * 2^exponent.
template <typename F>
struct ScaledNumber {
  F mantissa;
  F exponent;
};

/// gamma(x) for 6.5 <= x <= 200.
template <typename D>
GN_FN ScaledNumber<D> gamma_of_large(D x) {
  // exp((x - 1/2) log x - x + log(2 pi) / 2 + series)
  const Pair<D> log_x = log_with_tail(x);
  const D power = x - constant<D>(0.5);
  const Pair<D> first = exact_product(power, log_x.high);
  const Pair<D> sum = quick_sum(first.high, -x);
  const D inverse = constant<D>(1) / x;
  const D series =
      fma(inverse, gammaln_series(inverse * inverse), fma(power, log_x.low, first.low) + sum.low);
  const ExpArgument<D> e = split_exp_argument(sum.high);
  const D root = constant<D>(0x1.40d931ff62706p1);  // sqrt(2 pi)
  return {root * exp_near_zero(e.r + series), e.n};
}

/// gamma(x) for -1/2 < x <= 6.5.
template <typename D>
GN_FN D gamma_near_zero(D x) {
  const D one = constant<D>(1);
  const auto below = x < one;
  const auto negative = x < constant<D>(0);
  // gamma(x) = product * gamma(y) from above, gamma(y) / divisor from below.
  D y = select(negative, x + constant<D>(2), select(below, x + one, x));
  const D divisor = select(negative, fma(x, x, x), x);
  D product = one;
  for (int step = 0; step < 5; ++step) {
    const auto above = y > constant<D>(2);
    y = select(above, y - one, y);
    product = select(above, product * y, product);
  }
  const D middle = horner(
      y - constant<D>(1.5), -0x1.09546451e99c8p-12, 0x1.8dfdff69832dap-12, -0x1.d04ef72b50b52p-13,
      0x1.5c3859742eb2bp-12, -0x1.71759e5b83295p-11, 0x1.15139c02edd48p-10, -0x1.8d6653728eceap-10,
      0x1.29fe79163794cp-9, -0x1.c0bdf0153ac91p-9, 0x1.50637fe2d2087p-8, -0x1.f7fb20be2bce9p-8,
      0x1.7990f5370f825p-7, -0x1.1a2c2dab649e5p-6, 0x1.a752ccf6d9af4p-6, -0x1.374fd5bbb581fp-5,
      0x1.e022b72a04033p-5, -0x1.3d88cfe528c43p-4, 0x1.283bd37505389p-3, -0x1.b77ac1ca2e82ap-4,
      0x1.a8c4dba620c08p-2, 0x1.08ea88ee561bp-5, 0x1.c5bf891b4ef6bp-1);
  return select(below, middle / divisor, product * middle);
}

/// gamma(x) in float64.
template <typename D>
GN_FN D wide_gamma(D x) {
  const auto mirrored = x <= constant<D>(-0.5);
  const D limit = constant<D>(200);  // beyond it the result is infinite, or 0 on the left
  const D magnitude = select(mirrored, -x, x);
  const D a = select(magnitude < limit, magnitude, limit);
  const auto large = a > constant<D>(6.5);
  const ScaledNumber<D> far = gamma_of_large(select(large, a, constant<D>(7)));
  const D near = gamma_near_zero(select(large, constant<D>(1), a));
  const D mantissa = select(large, far.mantissa, near);
  const D exponent = select(large, far.exponent, constant<D>(0));
  const D right = scale(mantissa, exponent);
  if (!any(mirrored)) return select(x == x, right, x);
  // gamma(x) gamma(-x) = -pi / (x sin(pi x))
  const D n = rint(x);
  const D r = x - n;
  const D half = n * constant<D>(0.5);
  const D sine = sine_of_half_turns(select(half == floor(half), r, -r));
  const D left = scale(constant<D>(1) / (a * sine * mantissa), -exponent);
  const D turned = select(r == constant<D>(0), quiet_nan<D>(), left);
  return select(x == x, select(mirrored, turned, right), x);
}

}  // namespace detail

/// The gamma function: infinite at +0 and -0, NaN at -1, -2 ... and at -infinity.
template <typename F>
GN_FN F gamma(F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(detail::wide_gamma(detail::plain_cast<D>(x)));
  } else {
    return detail::wide_gamma(x);
  }
}

}  // namespace gn
