// The logistic function, softplus and logaddexp, accurate in both tails.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

/// 1 / (1 + e^-x).
template <typename F>
GN_FN F sigmoid(F x) {
  const F e = detail::exp_without_overflow(-abs(x));
  return select(x < F(0), e, F(1)) / (F(1) + e);
}

/// log(1 + e^x).
template <typename F>
GN_FN F softplus(F x) {
  const F tail = detail::log1p_of_fraction(detail::exp_without_overflow(-abs(x)));
  return select(x > F(0), x, F(0)) + tail;
}

/// log(e^x + e^y).
template <typename F>
GN_FN F logaddexp(F x, F y) {
  const F high = maximum(x, y);
  const F low = minimum(x, y);
  const F gap = low - high;
  // What the difference rounds off (Knuth's TwoSum) counts as much as the rounding of the sum.
  const F back = gap + high;
  const F lost = (low - back) - (high - (back - gap));
  const F e = detail::exp_without_overflow(gap);
  const F ratio = select(abs(lost) < F(1), fma(e, lost, e), e);
  const F value = high + detail::log1p_of_fraction(ratio);
  return select(abs(high) < infinity<F>(), value, high);
}

}  // namespace gn
