// Real numbers of many digits, by MPFR, and errors in ulp against them.
#pragma once

#include <mpfr.h>

#include <cmath>
#include <limits>

namespace gnomon::exact {

/// A real number, of 240 bits unless more are asked for: enough that its own rounding does not
/// count against float64.
class Real {
 public:
  Real() { mpfr_init2(value_, precision); }
  Real(double value) : Real() { mpfr_set_d(value_, value, MPFR_RNDN); }
  Real(const Real& other) : Real() { mpfr_set(value_, other.value_, MPFR_RNDN); }
  Real& operator=(const Real& other) {
    mpfr_set(value_, other.value_, MPFR_RNDN);
    return *this;
  }
  ~Real() { mpfr_clear(value_); }

  mpfr_ptr get() { return value_; }
  mpfr_srcptr get() const { return value_; }
  double to_double() const { return mpfr_get_d(value_, MPFR_RNDN); }

  /// Bits of numbers made from now on, and how functions round them.
  static inline thread_local mpfr_prec_t precision = 240;
  static inline thread_local mpfr_rnd_t rounding = MPFR_RNDN;

 private:
  mpfr_t value_;
};

/// A function of MPFR with one argument, such as mpfr_exp.
using MpfrUnary = int (*)(mpfr_t, const mpfr_t, mpfr_rnd_t);
/// A function of MPFR with two arguments, such as mpfr_pow.
using MpfrBinary = int (*)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);

/// log(1 - e^x).
inline int exact_log1mexp(mpfr_ptr result, mpfr_srcptr x, mpfr_rnd_t mode) {
  const bool is_small = mpfr_cmp_d(x, -1) > 0;
  (is_small ? mpfr_expm1 : mpfr_exp)(result, x, mode);
  mpfr_neg(result, result, mode);
  return (is_small ? mpfr_log : mpfr_log1p)(result, result, mode);
}

/// log2 of the distance of two neighbours of T at `exact`, which is never below the subnormal one.
template <typename T>
int ulp_exponent(mpfr_srcptr exact) {
  constexpr int lowest = std::numeric_limits<T>::min_exponent - std::numeric_limits<T>::digits;
  if (mpfr_zero_p(exact)) return lowest;
  const long e = mpfr_get_exp(exact) - std::numeric_limits<T>::digits;
  return e < lowest ? lowest : static_cast<int>(e);
}

/// |x - exact| in ulp of T at `exact`, both of them numbers.
template <typename T>
double ulp_between(mpfr_srcptr x, mpfr_srcptr exact) {
  Real difference;
  mpfr_sub(difference.get(), x, exact, MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), -ulp_exponent<T>(exact), MPFR_RNDN);
  return std::abs(difference.to_double());
}

/// |got - exact| in ulp of T at `exact`; infinite if only one is NaN or the signs differ, those of
/// zeros too. An infinite `got` counts as the number after the largest finite one.
template <typename T>
double ulp_error(T got, mpfr_srcptr exact) {
  constexpr double wrong = std::numeric_limits<double>::infinity();
  if (mpfr_nan_p(exact)) return std::isnan(got) ? 0 : wrong;
  if (std::isnan(got)) return wrong;
  if (mpfr_zero_p(exact)) {
    return got == 0 && std::signbit(got) == (mpfr_signbit(exact) != 0) ? 0 : wrong;
  }
  if (got != 0 && std::signbit(got) != (mpfr_sgn(exact) < 0)) return wrong;
  if (mpfr_inf_p(exact)) return std::isinf(got) ? 0 : wrong;
  // An infinite result stands for the number after the largest finite one, 2^max_exponent.
  Real got_real(static_cast<double>(got)), next;
  mpfr_set_si_2exp(next.get(), mpfr_sgn(exact), std::numeric_limits<T>::max_exponent, MPFR_RNDN);
  if (std::isinf(got)) mpfr_set(got_real.get(), next.get(), MPFR_RNDN);
  if (mpfr_cmpabs(exact, next.get()) >= 0) {
    if (std::isinf(got)) return 0;
    if (mpfr_cmpabs(exact, next.get()) > 0) return ulp_error(got, next.get()) + 1;
  }
  return ulp_between<T>(got_real.get(), exact);
}

template <typename T>
double ulp_error(T got, const Real& exact) {
  return ulp_error(got, exact.get());
}

/// A function of MPFR as a callable of one floating-point argument.
inline auto exact_of(MpfrUnary function) {
  return [function](double x) {
    const Real argument(x);
    Real result;
    function(result.get(), argument.get(), MPFR_RNDN);
    return result;
  };
}

}  // namespace gnomon::exact
