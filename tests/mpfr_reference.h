// MPFR as the independent reference of numeric tests: exact values, errors in ulp, inputs.
#pragma once

#include <mpfr.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace gnomon::test {

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

  /// Bits of numbers made from now on.
  static inline thread_local mpfr_prec_t precision = 240;

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
  Real difference;
  mpfr_sub(difference.get(), got_real.get(), exact, MPFR_RNDN);
  mpfr_mul_2si(difference.get(), difference.get(), -ulp_exponent<T>(exact), MPFR_RNDN);
  return std::abs(difference.to_double());
}

template <typename T>
double ulp_error(T got, const Real& exact) {
  return ulp_error(got, exact.get());
}

/// The unsigned integer with the bits of T.
template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// The position of x among all values of T in ascending order, so that neighbours differ by one.
template <typename T>
std::int64_t rank(T x) {
  using Int = std::make_signed_t<bits_of<T>>;
  const Int bits = std::bit_cast<Int>(x);
  return bits >= 0 ? bits : std::int64_t{std::numeric_limits<Int>::min()} - bits;
}

/// The value of T with that position.
template <typename T>
T value_of_rank(std::int64_t rank) {
  using Int = std::make_signed_t<bits_of<T>>;
  const std::int64_t lowest = std::numeric_limits<Int>::min();
  return std::bit_cast<T>(static_cast<Int>(rank >= 0 ? rank : lowest - rank));
}

/// `count` values from low to high, evenly by bit pattern (so by exponent), each with a random
/// shift, and the ends with their neighbours.
template <typename T>
std::vector<T> sample(T low, T high, int count, std::uint64_t seed = 1) {
  const std::int64_t first = rank(low);
  const std::int64_t last = rank(high);
  const auto length = static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  std::vector<T> values;
  for (std::int64_t i = 0; i < 8; ++i) {
    if (static_cast<std::uint64_t>(i) > length) break;
    values.push_back(value_of_rank<T>(first + i));
    values.push_back(value_of_rank<T>(last - i));
  }
  const std::uint64_t step = length / static_cast<std::uint64_t>(count) + 1;
  std::uint64_t state = seed;
  for (std::uint64_t offset = 0; offset < length; offset += step) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const std::uint64_t shifted = offset + (state >> 11) % step;
    if (shifted <= length) {
      const std::uint64_t position = static_cast<std::uint64_t>(first) + shifted;
      values.push_back(value_of_rank<T>(static_cast<std::int64_t>(position)));
    }
    if (offset + step < offset) break;
  }
  return values;
}

/// `count` values from low to high, evenly by value.
template <typename T>
std::vector<T> sample_evenly(T low, T high, int count, std::uint64_t seed = 1) {
  std::vector<T> values{low, high};
  std::uint64_t state = seed;
  for (int i = 0; i < count; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const double fraction = (i + static_cast<double>(state >> 11) * 0x1p-53) / count;
    values.push_back(
        static_cast<T>(static_cast<double>(low) +
                       fraction * (static_cast<double>(high) - static_cast<double>(low))));
  }
  return values;
}

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

/// A function of MPFR as a callable of one floating-point argument.
inline auto exact_of(MpfrUnary function) {
  return [function](double x) {
    const Real argument(x);
    Real result;
    function(result.get(), argument.get(), MPFR_RNDN);
    return result;
  };
}

}  // namespace gnomon::test
