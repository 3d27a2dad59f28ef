// erfinv and erfcinv. In the middle erfinv(x) / x is a polynomial in -log(1 - x^2), as Giles (2010)
// has it; in the tail one of Halley's steps on log erfc(y) = log p improves a rough polynomial.
#pragma once

#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/erf.h"

namespace gn {
namespace detail {

/// erfinv(x) / x for w = -log(1 - x^2) <= 4.
template <typename F>
GN_FN F inverse_erf_ratio(F w) {
  if constexpr (is_single<F>) {
    return horner(w, -0x1.5f842ep-27, 0x1.0beec4p-22, -0x1.28cf56p-19, 0x1.51530ep-18,
                  0x1.5f37dap-15, -0x1.02c568p-13, -0x1.326ad4p-9, 0x1.7a799ap-7, 0x1.db29eep-3,
                  0x1.c5bf8ap-1);
  } else {
    return horner(w, 0x1.2d5c13c8ca8d2p-52, -0x1.3e60d6beb76a9p-47, 0x1.10a36b6385c87p-43,
                  -0x1.a6a29f7ece601p-41, 0x1.275e305197f24p-41, 0x1.48c102244d329p-36,
                  -0x1.c7bf22519a395p-35, -0x1.c6930f67247a5p-32, 0x1.1d0b236f4bac8p-31,
                  0x1.8dcf6c52d8402p-26, -0x1.43db678cea053p-25, -0x1.0fb75269effb4p-20,
                  0x1.0f17942848457p-19, 0x1.870179fc7312fp-15, -0x1.0c86bb4782b86p-13,
                  -0x1.321102566bf26p-9, 0x1.7a72e72bf5ba1p-7, 0x1.db29fb2fee745p-3,
                  0x1.c5bf891b4ef6ap-1);
  }
}

/// Nearly the y with erfc(y) = p for w = -log(p (2 - p)) > 4 and p < 1, as long as p is a float.
template <typename F>
GN_FN F rough_inverse_erfc(F w) {
  const F s = sqrt(w);
  const F t = (s - constant<F>(5)) / (s + constant<F>(5));
  F ratio;
  if constexpr (is_single<F>) {
    ratio = horner(t, 0x1.869942p-4, 0x1.ddd1c8p-7, -0x1.6c4934p-4, 0x1.4e557ep-4, 0x1.f0a892p-1);
  } else {
    ratio = horner(t, -0x1.355e93cbd0dc2p-2, 0x1.14dc82f0e4cfbp-1, -0x1.6b69ca754428dp-3,
                   -0x1.d8cd4aae5e8fep-3, 0x1.e3d02d63d257p-3, -0x1.aa1d8f76ee6fdp-4,
                   0x1.4a7c91a3c7e05p-6, 0x1.3ad48533e0fe2p-5, -0x1.551bf61a194d4p-4,
                   0x1.4a3ca37bd9bd9p-4, 0x1.f0a14f8c656ebp-1);
  }
  return s * ratio;
}

/// The y with log erfc(y) = log_p < 0 by one of Halley's steps.
template <typename F>
GN_FN F inverse_erfc_step(F y, F log_p) {
  const F scaled = erfcx_of_positive(y);
  // log erfc(y) - log p and the negated derivative of log erfc.
  const F excess = log(scaled) - fma(y, y, log_p);
  const F slope = constant<F>(0x1.20dd750429b6dp0) / scaled;
  const F step = excess / slope;
  // y - slope / 2 from where it cancels.
  const F half = constant<F>(0.5);
  const auto cancels = y > constant<F>(64);
  const F bend = select(cancels, -half / y, half * (y + y - slope));
  return fma(step, fma(step, bend, constant<F>(1)), y);
}

/// The inverse at erf = x, erfc = p on the right half.
template <typename F>
GN_FN F inverse_erf(F x, F p, F w) {
  const auto far = w > constant<F>(4);
  const F near = x * inverse_erf_ratio(select(far, constant<F>(4), w));
  if (!any(far)) return near;
  const F rough = rough_inverse_erfc(select(far, w, constant<F>(5)));
  return select(far, inverse_erfc_step(rough, log(select(far, p, constant<F>(0x1p-8)))), near);
}

}  // namespace detail

/// The y with erf(y) = x; infinite at -1 and 1, NaN beyond.
template <typename F>
GN_FN F erfinv(F x) {
  const F one = constant<F>(1);
  const F a = abs(x);
  const F p = one - a;
  const F y = detail::inverse_erf(a, p, -log(p * (one + a)));
  const F v = select(a < one, y, select(a == one, infinity<F>(), quiet_nan<F>()));
  return copysign(v, x);
}

/// The y with erfc(y) = p; infinite at 0 and 2, NaN beyond.
template <typename F>
GN_FN F erfcinv(F p) {
  const F one = constant<F>(1);
  const F two = constant<F>(2);
  const auto upper = p > one;
  const F other = two - p;
  const F least = select(upper, other, p);
  const F y = detail::inverse_erf(one - least, least, -log(p * other));
  const F v = select(least > constant<F>(0), y,
                     select(least == constant<F>(0), infinity<F>(), quiet_nan<F>()));
  return select(upper, -v, v);
}

}  // namespace gn
