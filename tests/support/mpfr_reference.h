// MPFR as the independent reference of numeric tests: exact values, errors in ulp, inputs.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "frontend/mpfr/real.h"
#include "frontend/sampling.h"

namespace gnomon::test {

using namespace gnomon::exact;

/// Zeros, infinities, NaN, ones, the ends of the normal and subnormal ranges, of both signs.
template <typename T>
std::vector<T> special_values() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values{Limits::quiet_NaN()};
  for (const T x : {T(0), Limits::infinity(), T(1), T(0.5), T(2), T(3), Limits::min(),
                    Limits::max(), Limits::denorm_min(), std::nextafter(Limits::min(), T(0)),
                    Limits::epsilon(), T(1) + Limits::epsilon(), T(1) - Limits::epsilon() / 2}) {
    values.push_back(x);
    values.push_back(-x);
  }
  return values;
}

/// The largest error found, and where.
template <typename T>
struct Worst {
  double ulp = 0;
  T at{};
  T got{};
};

/// The largest error of `f` against `exact` (a callable Real(T)) over the inputs.
template <typename T, typename F, typename Exact>
Worst<T> worst_error(F f, Exact exact, std::span<const T> inputs) {
  Worst<T> worst;
  for (const T x : inputs) {
    const T got = f(x);
    const double error = ulp_error(got, exact(x).get());
    if (error > worst.ulp) worst = {error, x, got};
  }
  return worst;
}

// References of functions that MPFR does not have.
inline int exact_sigmoid(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_neg(result, x, mode);
  mpfr_exp(result, result, mode);
  mpfr_add_ui(result, result, 1, mode);
  return mpfr_ui_div(result, 1, result, mode);
}

inline int exact_softplus(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  if (mpfr_cmp_ui(x, 1000) > 0) return mpfr_set(result, x, mode);
  mpfr_exp(result, x, mode);
  return mpfr_log1p(result, result, mode);
}

}  // namespace gnomon::test
