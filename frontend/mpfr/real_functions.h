// The real-number meaning of elementwise operations, by MPFR.
#pragma once

#include <mpfr.h>

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "frontend/mpfr/bessel_functions.h"
#include "frontend/mpfr/incomplete_functions.h"
#include "frontend/mpfr/real.h"
#include "frontend/mpfr/special_functions.h"

namespace gnomon::exact {

using RealFunction = std::function<Real(std::span<const Real>)>;
using RealTable = std::unordered_map<std::string, RealFunction>;

namespace detail {

inline RealFunction unary(MpfrUnary f) {
  return [f](std::span<const Real> x) { return by(f, x[0]); };
}

inline RealFunction binary(MpfrBinary f) {
  return [f](std::span<const Real> x) { return by(f, x[0], x[1]); };
}

inline RealFunction of_one(Real (*f)(const Real&)) {
  return [f](std::span<const Real> x) { return f(x[0]); };
}

inline RealFunction of_two(Real (*f)(const Real&, const Real&)) {
  return [f](std::span<const Real> x) { return f(x[0], x[1]); };
}

inline RealFunction of_three(Real (*f)(const Real&, const Real&, const Real&)) {
  return [f](std::span<const Real> x) { return f(x[0], x[1], x[2]); };
}

inline RealFunction of_order(Real (*f)(int, const Real&), int order) {
  return [f, order](std::span<const Real> x) { return f(order, x[0]); };
}

inline RealFunction predicate(bool (*f)(mpfr_srcptr, mpfr_srcptr)) {
  return [f](std::span<const Real> x) {
    return Real(f(x[0].get(), x[x.size() - 1].get()) ? 1.0 : 0.0);
  };
}

/// Whether x / y is so large that MPFR would need its bits before the point one by one: far beyond
/// float64, where only operands that were computed lie.
inline bool is_far(const Real& x, const Real& y) {
  constexpr long most = 1 << 16;
  return mpfr_regular_p(x.get()) && mpfr_regular_p(y.get()) &&
         mpfr_get_exp(x.get()) - mpfr_get_exp(y.get()) > most;
}

/// A function that takes its argument modulo pi first; NaN where that would take too many digits.
inline RealFunction periodic(MpfrUnary f) {
  return [f](std::span<const Real> x) { return is_far(x[0], Real(1)) ? Real() : by(f, x[0]); };
}

inline Real sigmoid_of(const Real& x) { return Real(1) / (Real(1) + by(mpfr_exp, -x)); }

/// Of the larger operand and the difference, so that no exponential overflows.
inline Real logaddexp_of(const Real& x, const Real& y) {
  if (mpfr_nan_p(x.get()) || mpfr_nan_p(y.get())) return Real();
  const Real high = by(mpfr_max, x, y);
  if (mpfr_inf_p(high.get())) return high;
  return high + by(mpfr_log1p, by(mpfr_exp, by(mpfr_min, x, y) - high));
}

inline Real softplus_of(const Real& x) { return logaddexp_of(x, Real(0)); }

inline Real sign_of(const Real& x) { return mpfr_nan_p(x.get()) ? x : Real(mpfr_sgn(x.get())); }

inline Real minimum_of(const Real& x, const Real& y) {
  return mpfr_nan_p(x.get()) || mpfr_nan_p(y.get()) ? Real() : by(mpfr_min, x, y);
}

inline Real maximum_of(const Real& x, const Real& y) {
  return mpfr_nan_p(x.get()) || mpfr_nan_p(y.get()) ? Real() : by(mpfr_max, x, y);
}

/// With the sign of the divisor, zeros too.
inline Real remainder_of(const Real& x, const Real& y) {
  if (is_far(x, y)) return Real();
  Real r = by(mpfr_fmod, x, y);
  const int side = mpfr_signbit(y.get());
  if (mpfr_zero_p(r.get()))
    mpfr_setsign(r.get(), r.get(), side, Real::rounding);
  else if (mpfr_number_p(r.get()) && mpfr_signbit(r.get()) != side)
    r += y;
  return r;
}

inline Real fma_of(std::span<const Real> x) {
  Real y;
  mpfr_fma(y.get(), x[0].get(), x[1].get(), x[2].get(), Real::rounding);
  return y;
}

}  // namespace detail

/// Real functions by the name of the operation, over the whole domain; NaN where there is no value
/// or it is not known.
inline const RealTable& real_functions() {
  using namespace detail;
  static const RealTable table = {
      {"add", binary(mpfr_add)},
      {"subtract", binary(mpfr_sub)},
      {"multiply", binary(mpfr_mul)},
      {"divide", binary(mpfr_div)},
      {"power", binary(mpfr_pow)},
      {"hypot", binary(mpfr_hypot)},
      {"arctan2", binary(mpfr_atan2)},
      {"fma", fma_of},
      {"multiply_add", fma_of},
      {"floor_divide", [](std::span<const Real> x) { return by(mpfr_rint_floor, x[0] / x[1]); }},
      {"remainder", of_two(remainder_of)},
      {"copysign", binary(mpfr_copysign)},
      {"nextafter", [](std::span<const Real> x) { return x[0]; }},
      {"minimum", of_two(minimum_of)},
      {"maximum", of_two(maximum_of)},
      {"clip", [](std::span<const Real> x) { return minimum_of(maximum_of(x[0], x[1]), x[2]); }},
      {"negative", unary(mpfr_neg)},
      {"absolute", unary(mpfr_abs)},
      {"sign", of_one(sign_of)},
      {"floor", unary(mpfr_rint_floor)},
      {"ceil", unary(mpfr_rint_ceil)},
      {"trunc", unary(mpfr_rint_trunc)},
      {"round", unary(mpfr_rint_roundeven)},
      {"square", unary(mpfr_sqr)},
      {"sqrt", unary(mpfr_sqrt)},
      {"rsqrt", [](std::span<const Real> x) { return Real(1) / by(mpfr_sqrt, x[0]); }},
      {"cbrt", unary(mpfr_cbrt)},
      {"reciprocal", [](std::span<const Real> x) { return Real(1) / x[0]; }},
      {"exp", unary(mpfr_exp)},
      {"exp2", unary(mpfr_exp2)},
      {"expm1", unary(mpfr_expm1)},
      {"log", unary(mpfr_log)},
      {"log2", unary(mpfr_log2)},
      {"log10", unary(mpfr_log10)},
      {"log1p", unary(mpfr_log1p)},
      {"log1mexp", unary(exact_log1mexp)},
      {"logaddexp", of_two(logaddexp_of)},
      {"sigmoid", of_one(sigmoid_of)},
      {"softplus", of_one(softplus_of)},
      {"sin", periodic(mpfr_sin)},
      {"cos", periodic(mpfr_cos)},
      {"tan", periodic(mpfr_tan)},
      {"arcsin", unary(mpfr_asin)},
      {"arccos", unary(mpfr_acos)},
      {"arctan", unary(mpfr_atan)},
      {"sinh", unary(mpfr_sinh)},
      {"cosh", unary(mpfr_cosh)},
      {"tanh", unary(mpfr_tanh)},
      {"arcsinh", unary(mpfr_asinh)},
      {"arccosh", unary(mpfr_acosh)},
      {"arctanh", unary(mpfr_atanh)},
      {"erf", unary(mpfr_erf)},
      {"erfc", of_one(exact_erfc)},
      {"erfcx", of_one(exact_erfcx)},
      {"erfinv", of_one(exact_erfinv)},
      {"erfcinv", of_one(exact_erfcinv)},
      {"ndtr", of_one(exact_ndtr)},
      {"log_ndtr", of_one(exact_log_ndtr)},
      {"ndtri", of_one(exact_ndtri)},
      {"ndtri_exp", of_one(exact_ndtri_exp)},
      {"gamma", unary(mpfr_gamma)},
      {"gammaln", of_one(exact_gammaln)},
      {"betaln", of_two(exact_betaln)},
      {"digamma", unary(mpfr_digamma)},
      {"trigamma", [](std::span<const Real> x) { return exact_zeta(Real(2), x[0]); }},
      {"zeta", of_two(exact_zeta)},
      {"i0", of_order(exact_bessel_i, 0)},
      {"i1", of_order(exact_bessel_i, 1)},
      {"i0e", of_order(exact_scaled_bessel_i, 0)},
      {"i1e", of_order(exact_scaled_bessel_i, 1)},
      {"j0", periodic(mpfr_j0)},
      {"j1", periodic(mpfr_j1)},
      {"y0", periodic(mpfr_y0)},
      {"y1", periodic(mpfr_y1)},
      {"equal", predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_equal_p(a, b) != 0; })},
      {"not_equal",
       predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_equal_p(a, b) == 0; })},
      {"less", predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_less_p(a, b) != 0; })},
      {"less_equal",
       predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_lessequal_p(a, b) != 0; })},
      {"greater",
       predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_greater_p(a, b) != 0; })},
      {"greater_equal",
       predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_greaterequal_p(a, b) != 0; })},
      {"isfinite", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_number_p(a) != 0; })},
      {"isinf", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_inf_p(a) != 0; })},
      {"isnan", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_nan_p(a) != 0; })},
      {"signbit", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_signbit(a) != 0; })},
  };
  return table;
}

/// Those whose references hold for parameters of ordinary size alone.
inline const RealTable& parameter_functions() {
  using namespace detail;
  static const RealTable table = {
      {"gammainc", of_two(exact_gammainc)},
      {"gammaincc", of_two(exact_gammaincc)},
      {"gammaincinv", of_two(exact_gammaincinv)},
      {"gammainccinv", of_two(exact_gammainccinv)},
      {"betainc", of_three(exact_betainc)},
      {"betaincinv", of_three(exact_betaincinv)},
      {"jv", of_two(exact_jv)},
      {"ive", of_two(exact_ive)},
      {"kve", of_two(exact_kve)},
      {"owens_t", of_two(exact_owens_t)},
  };
  return table;
}

}  // namespace gnomon::exact
