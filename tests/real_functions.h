// The real-number meaning of elementwise operations, by MPFR: what the evaluator of tests calls.
#pragma once

#include <mpfr.h>

#include <functional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/evaluation.h"
#include "tests/bessel_functions.h"
#include "tests/incomplete_functions.h"
#include "tests/mpfr_reference.h"
#include "tests/special_functions.h"

namespace gnomon::test {

using RealFunction = std::function<Real(std::span<const Real>)>;
using RealTable = std::unordered_map<std::string, RealFunction>;

namespace detail {

inline RealFunction unary(MpfrUnary f) {
  return [f](std::span<const Real> x) {
    Real y;
    f(y.get(), x[0].get(), MPFR_RNDN);
    return y;
  };
}

inline RealFunction binary(MpfrBinary f) {
  return [f](std::span<const Real> x) {
    Real y;
    f(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
    return y;
  };
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

inline Real sigmoid_of(const Real& x) {
  Real y;
  mpfr_neg(y.get(), x.get(), MPFR_RNDN);
  mpfr_exp(y.get(), y.get(), MPFR_RNDN);
  mpfr_add_ui(y.get(), y.get(), 1, MPFR_RNDN);
  mpfr_ui_div(y.get(), 1, y.get(), MPFR_RNDN);
  return y;
}

inline Real softplus_of(const Real& x) {
  Real y;
  mpfr_exp(y.get(), x.get(), MPFR_RNDN);
  mpfr_log1p(y.get(), y.get(), MPFR_RNDN);
  return y;
}

inline bool either_is_nan(std::span<const Real> x) {
  return mpfr_nan_p(x[0].get()) || mpfr_nan_p(x[1].get());
}

inline Real sign_of(const Real& x) { return mpfr_nan_p(x.get()) ? x : Real(mpfr_sgn(x.get())); }

/// Of the larger operand and the difference, so that no exponential overflows.
inline Real logaddexp_of(std::span<const Real> x) {
  Real high, y;
  if (either_is_nan(x)) return y;
  mpfr_max(high.get(), x[0].get(), x[1].get(), MPFR_RNDN);
  if (mpfr_inf_p(high.get())) return high;
  mpfr_min(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
  mpfr_sub(y.get(), y.get(), high.get(), MPFR_RNDN);
  mpfr_exp(y.get(), y.get(), MPFR_RNDN);
  mpfr_log1p(y.get(), y.get(), MPFR_RNDN);
  mpfr_add(y.get(), y.get(), high.get(), MPFR_RNDN);
  return y;
}

}  // namespace detail

/// Real functions by the name of the operation, over the whole domain.
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
      {"negative", unary(mpfr_neg)},
      {"absolute", unary(mpfr_abs)},
      {"ceil", unary(mpfr_rint_ceil)},
      {"sign",
       [](std::span<const Real> x) {
         return mpfr_nan_p(x[0].get()) ? x[0] : Real(static_cast<double>(mpfr_sgn(x[0].get())));
       }},
      {"square", unary(mpfr_sqr)},
      {"sqrt", unary(mpfr_sqrt)},
      {"rsqrt", unary(mpfr_rec_sqrt)},
      {"exp", unary(mpfr_exp)},
      {"exp2", unary(mpfr_exp2)},
      {"expm1", unary(mpfr_expm1)},
      {"log", unary(mpfr_log)},
      {"log2", unary(mpfr_log2)},
      {"log10", unary(mpfr_log10)},
      {"log1p", unary(mpfr_log1p)},
      {"sin", unary(mpfr_sin)},
      {"cos", unary(mpfr_cos)},
      {"tan", unary(mpfr_tan)},
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
      {"cbrt", unary(mpfr_cbrt)},
      {"gamma", unary(mpfr_gamma)},
      {"gammaln", of_one(exact_gammaln)},
      {"digamma", unary(mpfr_digamma)},
      {"trigamma", [](std::span<const Real> x) { return exact_zeta(Real(2), x[0]); }},
      {"zeta", of_two(exact_zeta)},
      {"i0", of_order(exact_bessel_i, 0)},
      {"i1", of_order(exact_bessel_i, 1)},
      {"i0e", of_order(exact_scaled_bessel_i, 0)},
      {"i1e", of_order(exact_scaled_bessel_i, 1)},
      {"reciprocal",
       [](std::span<const Real> x) {
         Real y;
         mpfr_ui_div(y.get(), 1, x[0].get(), MPFR_RNDN);
         return y;
       }},
      {"sigmoid", [](std::span<const Real> x) { return sigmoid_of(x[0]); }},
      {"softplus", [](std::span<const Real> x) { return softplus_of(x[0]); }},
      {"log1mexp", unary(exact_log1mexp)},
      {"logaddexp", logaddexp_of},
      {"copysign", binary(mpfr_copysign)},
      {"nextafter", [](std::span<const Real> x) { return x[0]; }},
      {"fma",
       [](std::span<const Real> x) {
         Real y;
         mpfr_fma(y.get(), x[0].get(), x[1].get(), x[2].get(), MPFR_RNDN);
         return y;
       }},
      {"minimum",
       [](std::span<const Real> x) {
         Real y;
         if (either_is_nan(x)) return y;
         mpfr_min(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
         return y;
       }},
      {"maximum",
       [](std::span<const Real> x) {
         Real y;
         if (either_is_nan(x)) return y;
         mpfr_max(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
         return y;
       }},
      {"remainder",
       [](std::span<const Real> x) {
         Real y;
         mpfr_fmod(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
         const int side = mpfr_signbit(x[1].get());
         if (mpfr_zero_p(y.get()))
           mpfr_setsign(y.get(), y.get(), side, MPFR_RNDN);
         else if (mpfr_number_p(y.get()) && mpfr_signbit(y.get()) != side)
           mpfr_add(y.get(), y.get(), x[1].get(), MPFR_RNDN);
         return y;
       }},
      {"equal", predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_equal_p(a, b) != 0; })},
      {"less", predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_less_p(a, b) != 0; })},
      {"greater",
       predicate([](mpfr_srcptr a, mpfr_srcptr b) { return mpfr_greater_p(a, b) != 0; })},
      {"sign", [](std::span<const Real> x) { return sign_of(x[0]); }},
      {"isfinite", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_number_p(a) != 0; })},
      {"isnan", predicate([](mpfr_srcptr a, mpfr_srcptr) { return mpfr_nan_p(a) != 0; })},
  };
  return table;
}

/// Those whose references need parameters of ordinary size.
inline const RealTable& parameter_functions() {
  using namespace detail;
  static const RealTable table = {
      {"betaln", of_two(exact_betaln)},
      {"gammainc", of_two(exact_gammainc)},
      {"gammaincc", of_two(exact_gammaincc)},
      {"gammaincinv", of_two(exact_gammaincinv)},
      {"gammainccinv", of_two(exact_gammainccinv)},
      {"betainc", of_three(exact_betainc)},
      {"betaincinv", of_three(exact_betaincinv)},
      {"ive", of_two(exact_ive)},
      {"kve", of_two(exact_kve)},
      {"owens_t", of_two(exact_owens_t)},
  };
  return table;
}

using RealArithmetic = RealNumbers<Real>;

inline RealArithmetic real_numbers() {
  RealTable all = real_functions();
  all.insert(parameter_functions().begin(), parameter_functions().end());
  return RealArithmetic(std::move(all), [](const Real& x) { return x.to_double(); });
}

}  // namespace gnomon::test
