// The logistic function and softplus, accurate in both tails.
#pragma once

#include "exp.h"
#include "lanes.h"
#include "log.h"

namespace gn {

/// 1 / (1 + e^-x).
template <typename F>
GN_FN F sigmoid(F x) {
  const F e = exp(-abs(x));
  return select(x < F(0), e, F(1)) / (F(1) + e);
}

/// log(1 + e^x).
template <typename F>
GN_FN F softplus(F x) {
  const F tail = detail::log1p_scaled(exp(-abs(x)), F(0));
  return select(x > F(0), x + tail, select(x == x, tail, x));
}

}  // namespace gn
