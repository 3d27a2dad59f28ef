// The scalar math of kernels against MPFR, and its arithmetic against the definitions.
#include <doctest/doctest.h>
#include <mpfr.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/gcd.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/log1mexp.h"
#include "stdlib/prelude/elementary/power.h"
#include "stdlib/prelude/elementary/sigmoid.h"
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/lanes.h"
#include "tests/support/mpfr_reference.h"
#include "tests/support/special_numbers.h"

namespace {

using gnomon::test::exact_of;
using gnomon::test::exact_sigmoid;
using gnomon::test::exact_softplus;
using gnomon::test::infinite;
using gnomon::test::MpfrBinary;
using gnomon::test::MpfrUnary;
using gnomon::test::Real;
using gnomon::test::sample;
using gnomon::test::sample_evenly;
using gnomon::test::special_values;
using gnomon::test::ulp_error;
using gnomon::test::worst_error;

/// IEEE 754 gives -infinity for -0, which mpfr_rec_sqrt does not.
int exact_rsqrt(mpfr_t result, const mpfr_t x, mpfr_rnd_t mode) {
  mpfr_sqrt(result, x, mode);
  return mpfr_ui_div(result, 1, result, mode);
}

/// A function of one argument, its reference and its bounds in ulp.
struct PreludeRow {
  const char* name;
  float (*single)(float);
  double (*twice)(double);
  MpfrUnary exact;
  double bound_single;
  double bound_double;
  double low = -infinite;
  double high = infinite;
};

#define BOTH(name) #name, [](float x) { return gn::name(x); }, [](double x) { return gn::name(x); }

const PreludeRow prelude_rows[] = {
    {BOTH(exp), mpfr_exp, 1.2, 1.2},
    {BOTH(exp2), mpfr_exp2, 1.2, 1.2},
    {BOTH(expm1), mpfr_expm1, 1.5, 2},
    {BOTH(log), mpfr_log, 1, 1, 0},
    {BOTH(log2), mpfr_log2, 1.3, 1, 0},
    {BOTH(log10), mpfr_log10, 1.3, 1, 0},
    {BOTH(log1p), mpfr_log1p, 1.5, 1.5, -1},
    {BOTH(sinh), mpfr_sinh, 2.5, 2.5},
    {BOTH(cosh), mpfr_cosh, 2, 2},
    {BOTH(tanh), mpfr_tanh, 3, 3},
    {BOTH(arcsinh), mpfr_asinh, 2, 2},
    {BOTH(arccosh), mpfr_acosh, 2.5, 2.5, 1},
    {BOTH(arctanh), mpfr_atanh, 2.5, 2.5, -1, 1},
    {BOTH(sigmoid), exact_sigmoid, 2.5, 2.5},
    {BOTH(softplus), exact_softplus, 2, 2},
    {BOTH(log1mexp), gnomon::test::exact_log1mexp, 3, 3, -infinite, 0},
    {BOTH(sqrt), mpfr_sqrt, 0.5, 0.5, 0},
    {BOTH(rsqrt), exact_rsqrt, 1.5, 1.5, 0},
};

/// The whole domain by bit pattern, its interesting middle by value, and every special value.
template <typename T>
std::vector<T> inputs(const PreludeRow& row) {
  std::vector<T> values = sample<T>(static_cast<T>(row.low), static_cast<T>(row.high), 4000);
  const double reach = sizeof(T) == 4 ? 110 : 750;
  for (const double limit : {2.0, 40.0, reach}) {
    const T low = static_cast<T>(std::max(row.low, -limit));
    const T high = static_cast<T>(std::min(row.high, limit));
    for (const T x : sample_evenly<T>(low, high, 2000)) values.push_back(x);
  }
  for (const T x : special_values<T>()) values.push_back(x);
  return values;
}

template <typename T>
bool same_value(T a, T b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

}  // namespace

TEST_SUITE("prelude") {
  TEST_CASE("functions of one argument keep their bounds over the whole domain") {
    for (const PreludeRow& row : prelude_rows) {
      const auto single = inputs<float>(row);
      const auto worst32 = worst_error<float>(row.single, exact_of(row.exact), single);
      const auto wide = inputs<double>(row);
      const auto worst64 = worst_error<double>(row.twice, exact_of(row.exact), wide);
      MESSAGE(std::string(row.name), ": ", worst32.ulp, " ulp in float32, ", worst64.ulp,
              " in float64");
      INFO(std::string(row.name), " at ", worst32.at, " (float32), ", worst64.at, " (float64)");
      CHECK(worst32.ulp <= row.bound_single);
      CHECK(worst64.ulp <= row.bound_double);
    }
  }

  TEST_CASE_TEMPLATE("expm1, sinh and cosh hold up to the overflow", T, float, double) {
    const T top = sizeof(T) == 4 ? T(88) : T(709);
    const auto values = sample_evenly<T>(top, top + 2, 4000);
    CHECK(worst_error<T>(gn::exp<T>, exact_of(mpfr_exp), values).ulp <= 1.2);
    CHECK(worst_error<T>(gn::expm1<T>, exact_of(mpfr_expm1), values).ulp <= 1.5);
    CHECK(worst_error<T>(gn::sinh<T>, exact_of(mpfr_sinh), values).ulp <= 1.5);
    CHECK(worst_error<T>(gn::cosh<T>, exact_of(mpfr_cosh), values).ulp <= 1.5);
  }

  TEST_CASE_TEMPLATE("exp and exp2 round once in the subnormal range", T, float, double) {
    const T end = sizeof(T) == 4 ? T(-104) : T(-746);
    const auto values = sample_evenly<T>(end, end + 17, 4000);
    CHECK(worst_error<T>(gn::exp<T>, exact_of(mpfr_exp), values).ulp <= 1.2);
    CHECK(worst_error<T>(gn::sigmoid<T>, exact_of(exact_sigmoid), values).ulp <= 2);
    const T end2 = sizeof(T) == 4 ? T(-151) : T(-1076);
    const auto powers = sample_evenly<T>(end2, end2 + 30, 4000);
    CHECK(worst_error<T>(gn::exp2<T>, exact_of(mpfr_exp2), powers).ulp <= 1.2);
  }

  TEST_CASE("log2 and exp2 are exact for powers of two") {
    for (int k = -149; k <= 127; ++k) {
      CHECK(gn::log2(std::ldexp(1.0f, k)) == static_cast<float>(k));
      CHECK(gn::exp2(static_cast<float>(k)) == std::ldexp(1.0f, k));
    }
    for (int k = -1074; k <= 1023; ++k) {
      CHECK(gn::log2(std::ldexp(1.0, k)) == k);
      CHECK(gn::exp2(static_cast<double>(k)) == std::ldexp(1.0, k));
    }
  }

  TEST_CASE("softplus of a large number is that number") {
    CHECK(gn::softplus(710.0) == 710.0);
    CHECK(gn::softplus(1e300) == 1e300);
    CHECK(gn::softplus(1e30f) == 1e30f);
    CHECK(gn::softplus(-1e300) == 0.0);
  }

  TEST_CASE_TEMPLATE("special values of functions of one argument", T, float, double) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    const T infinite = std::numeric_limits<T>::infinity();
    CHECK(same_value(gn::exp(-infinite), T(0)));
    CHECK(same_value(gn::exp(infinite), infinite));
    CHECK(same_value(gn::expm1(T(-0.0)), T(-0.0)));
    CHECK(same_value(gn::expm1(-infinite), T(-1)));
    CHECK(same_value(gn::log(T(-0.0)), -infinite));
    CHECK(same_value(gn::log(T(-1)), nan));
    CHECK(same_value(gn::log(infinite), infinite));
    CHECK(same_value(gn::log1p(T(-0.0)), T(-0.0)));
    CHECK(same_value(gn::log1p(T(-1)), -infinite));
    CHECK(same_value(gn::tanh(-infinite), T(-1)));
    CHECK(same_value(gn::tanh(T(-0.0)), T(-0.0)));
    CHECK(same_value(gn::sinh(-infinite), -infinite));
    CHECK(same_value(gn::cosh(-infinite), infinite));
    CHECK(same_value(gn::arcsinh(-infinite), -infinite));
    CHECK(same_value(gn::arccosh(T(1)), T(0)));
    CHECK(same_value(gn::arccosh(T(0.5)), nan));
    CHECK(same_value(gn::arctanh(T(-1)), -infinite));
    CHECK(same_value(gn::arctanh(T(2)), nan));
    CHECK(same_value(gn::sigmoid(-infinite), T(0)));
    CHECK(same_value(gn::sigmoid(infinite), T(1)));
    CHECK(same_value(gn::softplus(infinite), infinite));
    for (const PreludeRow& row : prelude_rows) {
      INFO(std::string(row.name));
      CHECK(std::isnan(sizeof(T) == 4 ? row.single(static_cast<float>(nan)) : row.twice(nan)));
    }
  }

  TEST_CASE_TEMPLATE("power keeps its bound over the whole range of results", T, float, double) {
    const double bound = sizeof(T) == 4 ? 1 : 2;
    const double reach = sizeof(T) == 4 ? 93 : 745;
    double worst = 0;
    int row = 0;
    for (const T x : sample<T>(T(0), std::numeric_limits<T>::infinity(), 6000)) {
      const double log_x = std::log(static_cast<double>(x));
      const double fraction = (row++ % 201 - 100) / 100.0;
      const T y = static_cast<T>(fraction * reach / log_x);
      const T candidates[] = {y, T(row % 30 - 15), T(0.5), T(-1.5)};
      for (const T exponent : candidates) {
        const Real base(x);
        const Real power(exponent);
        Real exact;
        mpfr_pow(exact.get(), base.get(), power.get(), MPFR_RNDN);
        const double error = ulp_error(gn::power(x, exponent), exact);
        INFO(x, " ^ ", exponent);
        CHECK(error <= bound);
        worst = std::max(worst, error);
      }
    }
    for (const T x : sample_evenly<T>(T(0.5), T(2), 6000)) {
      const T y =
          static_cast<T>(reach / std::log(static_cast<double>(x)) * (row++ % 199 - 99) / 99.0);
      const Real base(x);
      const Real power(y);
      Real exact;
      mpfr_pow(exact.get(), base.get(), power.get(), MPFR_RNDN);
      const double error = ulp_error(gn::power(x, y), exact);
      INFO(x, " ^ ", y);
      CHECK(error <= bound);
      worst = std::max(worst, error);
    }
    MESSAGE("power: ", worst, " ulp in float", sizeof(T) * 8);
  }

  TEST_CASE_TEMPLATE("whole powers are rounded once, over the whole range of results", T, float,
                     double) {
    double worst = 0;
    const auto compare = [&]<int n>(std::integral_constant<int, n>, T x) {
      Real exact;
      const Real base(x);
      mpfr_pow_si(exact.get(), base.get(), n, MPFR_RNDN);
      const double error = ulp_error(gn::whole_power<n>(x), exact);
      INFO(x, " ^ ", n);
      // The lower parts of numbers near the smallest are no numbers any more.
      const bool is_tiny =
          sizeof(T) == 8 && mpfr_regular_p(exact.get()) != 0 && mpfr_get_exp(exact.get()) < -960;
      CHECK(error <= (is_tiny ? 2 : 0.501));
      if (!is_tiny) worst = std::max(worst, error);
    };
    const auto compare_all = [&](T x) {
      [&]<int... n>(std::integer_sequence<int, n...>) {
        (compare(std::integral_constant<int, n + 2>(), x), ...);
        (compare(std::integral_constant<int, -n - 2>(), x), ...);
      }(std::make_integer_sequence<int, 63>());
    };
    for (const T x : special_values<T>()) compare_all(x);
    for (const T x : sample<T>(-infinite, infinite, 400)) compare_all(x);
    for (const T x : sample_evenly<T>(T(-4), T(4), 400)) compare_all(x);
    MESSAGE("whole powers: ", worst, " ulp in float", sizeof(T) * 8);
  }

  TEST_CASE_TEMPLATE("power and hypot of special values are those of C99", T, float, double) {
    auto values = special_values<T>();
    for (const double x : {-3.0, -2.0, 2.5, -0.5, 1e10, -1e10, 16777217.0, 9007199254740993.0}) {
      values.push_back(static_cast<T>(x));
    }
    for (const T x : values) {
      for (const T y : values) {
        const Real a(x);
        const Real b(y);
        Real exact;
        INFO(x, ", ", y);
        mpfr_pow(exact.get(), a.get(), b.get(), MPFR_RNDN);
        CHECK(ulp_error(gn::power(x, y), exact) <= (sizeof(T) == 4 ? 1 : 2));
        mpfr_hypot(exact.get(), a.get(), b.get(), MPFR_RNDN);
        CHECK(ulp_error(gn::hypot(x, y), exact) <= 1.5);
      }
    }
  }

  TEST_CASE_TEMPLATE("hypot keeps its bound for all magnitudes", T, float, double) {
    const T largest = std::numeric_limits<T>::max();
    double worst = 0;
    int i = 0;
    for (const T x : sample<T>(-largest, largest, 6000)) {
      const T y = static_cast<T>(static_cast<double>(x) * ((i++ % 301) / 150.5));
      const Real a(x);
      const Real b(y);
      Real exact;
      mpfr_hypot(exact.get(), a.get(), b.get(), MPFR_RNDN);
      worst = std::max(worst, ulp_error(gn::hypot(x, y), exact));
    }
    CHECK(worst <= 1.5);
  }

  TEST_CASE_TEMPLATE("logaddexp errs by 2 ulp of the larger operand or of the result", T, float,
                     double) {
    const T largest = std::numeric_limits<T>::max();
    std::vector<T> left = sample<T>(-largest, largest, 3000, 3);
    for (const T x : sample_evenly<T>(T(-50), T(50), 3000)) left.push_back(x);
    for (const T x : sample_evenly<T>(T(-1), T(1), 3000)) left.push_back(x);
    double worst = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      const T x = left[i], near = left[i * 37 % left.size()];
      for (const T y : {near, T(-x), T(x + near), std::nextafter(x, near)}) {
        if (!std::isfinite(y)) continue;
        const Real high(std::max(x, y));
        Real exact(std::min(x, y));
        mpfr_sub(exact.get(), exact.get(), high.get(), MPFR_RNDN);
        mpfr_exp(exact.get(), exact.get(), MPFR_RNDN);
        mpfr_log1p(exact.get(), exact.get(), MPFR_RNDN);
        mpfr_add(exact.get(), exact.get(), high.get(), MPFR_RNDN);
        // Below 0 the result may cancel, down to no digit at a zero.
        const Real size(std::max(std::abs(exact.to_double()), high.to_double() < 0 ? 0.7 : 0.0));
        const double unit = std::ldexp(1.0, gnomon::test::ulp_exponent<T>(size.get()));
        const Real got(gn::logaddexp(x, y));
        mpfr_sub(exact.get(), exact.get(), got.get(), MPFR_RNDN);
        const double error = std::abs(exact.to_double()) / unit;
        INFO(x, ", ", y);
        CHECK(error <= 2);
        worst = std::max(worst, error);
      }
    }
    MESSAGE("logaddexp: ", worst, " ulp in float", sizeof(T) * 8);
  }

  TEST_CASE_TEMPLATE("float remainder is exact and has the sign of the divisor", T, float, double) {
    const T infinite = std::numeric_limits<T>::infinity();
    const auto left = sample<T>(-infinite, infinite, 300, 5);
    const auto right = sample<T>(-infinite, infinite, 90, 9);
    for (const T a : left) {
      for (const T b : right) {
        if (!std::isfinite(a) || !std::isfinite(b) || b == 0) continue;
        const T r = gn::remainder(a, b);
        const T magnitude = std::fmod(std::abs(a), std::abs(b));
        const bool other_side = std::signbit(a) != std::signbit(b) && magnitude != 0;
        const T expected =
            other_side ? std::copysign(std::abs(b) - magnitude, b) : std::copysign(magnitude, b);
        INFO(a, " % ", b);
        CHECK(same_value(r, expected));
      }
    }
    CHECK(same_value(gn::remainder(T(-1), infinite), infinite));
    CHECK(same_value(gn::remainder(T(1), infinite), T(1)));
    CHECK(std::isnan(gn::remainder(infinite, T(1))));
    CHECK(std::isnan(gn::remainder(T(1), T(0))));
    CHECK(same_value(gn::remainder(T(-4), T(2)), T(0)));
    CHECK(same_value(gn::remainder(T(4), T(-2)), T(-0.0)));
  }

  // The expected values are NumPy's.
  TEST_CASE_TEMPLATE("float floor division", T, float, double) {
    const T infinite = std::numeric_limits<T>::infinity();
    CHECK(gn::floor_divide(T(7), T(2)) == 3);
    CHECK(gn::floor_divide(T(-7), T(2)) == -4);
    CHECK(gn::floor_divide(T(7), T(-2)) == -4);
    CHECK(gn::floor_divide(T(-7), T(-2)) == 3);
    CHECK(gn::floor_divide(1.0, 0.1) == 9.0);
    CHECK(gn::floor_divide(-1.0, 0.1) == -10.0);
    CHECK(gn::floor_divide(T(-1), infinite) == -1);
    CHECK(same_value(gn::floor_divide(T(1), infinite), T(0)));
    CHECK(same_value(gn::floor_divide(T(-0.0), T(3)), T(-0.0)));
    CHECK(std::isnan(gn::floor_divide(infinite, T(2))));
    CHECK(same_value(gn::floor_divide(infinite, T(0)), infinite));
    CHECK(same_value(gn::floor_divide(T(1), T(-0.0)), -infinite));
    CHECK(std::isnan(gn::floor_divide(T(0), T(0))));
    for (const T a : sample_evenly<T>(T(-1000), T(1000), 2000)) {
      for (const T b : {T(0.1), T(-0.7), T(3), T(17.3)}) {
        const Real dividend(a);
        const Real divisor(b);
        Real exact;
        mpfr_div(exact.get(), dividend.get(), divisor.get(), MPFR_RNDN);
        mpfr_floor(exact.get(), exact.get());
        CHECK(gn::floor_divide(a, b) == static_cast<T>(exact.to_double()));
      }
    }
  }

  TEST_CASE_TEMPLATE("integer division follows the sign of the divisor", T, std::int8_t,
                     std::uint8_t) {
    for (int i = std::numeric_limits<T>::min(); i <= std::numeric_limits<T>::max(); ++i) {
      for (int j = std::numeric_limits<T>::min(); j <= std::numeric_limits<T>::max(); ++j) {
        const T q = gn::floor_divide(static_cast<T>(i), static_cast<T>(j));
        const T r = gn::remainder(static_cast<T>(i), static_cast<T>(j));
        const int exact_quotient = j == 0 ? 0 : static_cast<int>(std::floor(double(i) / j));
        const int exact_remainder = j == 0 ? 0 : i - j * exact_quotient;
        if (q != static_cast<T>(exact_quotient) || r != exact_remainder) FAIL(i, " // ", j);
      }
    }
  }

  TEST_CASE_TEMPLATE("wide integer division", T, gn::i32, gn::i64) {
    const T least = std::numeric_limits<T>::min();
    const T most = std::numeric_limits<T>::max();
    CHECK(gn::floor_divide(least, T(-1)) == least);
    CHECK(gn::remainder(least, T(-1)) == 0);
    CHECK(gn::floor_divide(most, T(0)) == 0);
    CHECK(gn::remainder(most, T(0)) == 0);
    for (const T a : {least, T(least + 1), T(-7), T(-1), T(0), T(1), T(7), T(most - 1), most}) {
      for (const T b : {least, T(-3), T(2), T(5), most}) {
        const __int128 q = gn::floor_divide(a, b);
        const __int128 r = gn::remainder(a, b);
        CHECK(q * b + r == a);
        CHECK((b > 0 ? (r >= 0 && r < b) : (r <= 0 && r > b)));
      }
    }
  }

  TEST_CASE("integers wrap") {
    CHECK(gn::add(gn::i32{2147483647}, 1) == -2147483647 - 1);
    CHECK(gn::subtract(gn::u8{0}, gn::u8{1}) == 255);
    CHECK(gn::multiply(gn::u16{65535}, gn::u16{65535}) == 1);
    CHECK(gn::multiply(gn::i64{1} << 62, gn::i64{4}) == 0);
    CHECK(gn::negative(gn::i8{-128}) == -128);
    CHECK(gn::absolute(gn::i16{-32768}) == -32768);
    CHECK(gn::square(gn::i8{16}) == 0);
    CHECK(gn::add(true, true));
    CHECK_FALSE(gn::multiply(true, false));
  }

  TEST_CASE_TEMPLATE("integer power is repeated multiplication", T, gn::i8, gn::u8, gn::i32,
                     gn::u64) {
    for (int a = -9; a <= 9; ++a) {
      T expected = 1;
      for (int n = 0; n <= 100; ++n) {
        if (gn::power(static_cast<T>(a), static_cast<T>(n)) != expected) FAIL(a, " ^ ", n);
        expected = static_cast<T>(static_cast<gn::u64>(expected) * static_cast<gn::u64>(a));
      }
    }
    if constexpr (std::is_signed_v<T>) {
      CHECK(gn::power(T(1), T(-5)) == 1);
      CHECK(gn::power(T(-1), T(-5)) == -1);
      CHECK(gn::power(T(-1), T(-4)) == 1);
      CHECK(gn::power(T(2), T(-1)) == 0);
      CHECK(gn::power(T(0), T(-1)) == 0);
    }
  }

  TEST_CASE_TEMPLATE("gcd and lcm are those of the standard library", T, gn::i8, gn::u8, gn::i16,
                     gn::i32, gn::u32, gn::i64, gn::u64) {
    constexpr int numbers[] = {0, 1, 2, 6, 9, 12, 35, 60, 97, 120};
    for (const int first : numbers) {
      for (const int second : numbers) {
        for (const int sign : {1, -1}) {
          if (sign < 0 && std::is_unsigned_v<T>) continue;
          const T a = static_cast<T>(sign * first), b = static_cast<T>(second);
          CHECK(gn::gcd(a, b) == static_cast<T>(std::gcd(first, second)));
          if (std::lcm(first, second) <= 127)
            CHECK(gn::lcm(a, b) == static_cast<T>(std::lcm(first, second)));
        }
      }
    }
  }

  TEST_CASE_TEMPLATE("shifts past the width give zero or the sign", T, gn::i8, gn::u8, gn::i32,
                     gn::u32, gn::i64, gn::u64) {
    constexpr int bits = sizeof(T) * 8;
    for (const T a : {T(1), T(-1), T(77), std::numeric_limits<T>::min()}) {
      T left = a;
      T right = a;
      for (int count = 0; count < 2 * bits && count < 128; ++count) {
        CHECK(gn::left_shift(a, static_cast<T>(count)) == left);
        CHECK(gn::right_shift(a, static_cast<T>(count)) == right);
        left = static_cast<T>(static_cast<gn::u64>(left) * 2);
        right = static_cast<T>(right / 2 - (right < 0 && right % 2 != 0 ? 1 : 0));
      }
      if constexpr (std::is_signed_v<T>) {
        CHECK(gn::left_shift(a, T(-1)) == 0);
        CHECK(gn::right_shift(a, T(-1)) == (a < 0 ? -1 : 0));
      }
    }
  }

  TEST_CASE_TEMPLATE("minimum and maximum propagate NaN and order zeros", T, float, double) {
    const T nan = std::numeric_limits<T>::quiet_NaN();
    CHECK(std::isnan(gn::minimum(nan, T(1))));
    CHECK(std::isnan(gn::minimum(T(1), nan)));
    CHECK(std::isnan(gn::maximum(nan, T(1))));
    CHECK(std::isnan(gn::maximum(T(1), nan)));
    CHECK(same_value(gn::minimum(T(0.0), T(-0.0)), T(-0.0)));
    CHECK(same_value(gn::minimum(T(-0.0), T(0.0)), T(-0.0)));
    CHECK(same_value(gn::maximum(T(0.0), T(-0.0)), T(0.0)));
    CHECK(same_value(gn::maximum(T(-0.0), T(0.0)), T(0.0)));
    CHECK(gn::clip(T(5), T(-1), T(1)) == 1);
    CHECK(std::isnan(gn::clip(nan, T(-1), T(1))));
    CHECK(same_value(gn::sign(T(-0.0)), T(0)));
    CHECK(std::isnan(gn::sign(nan)));
    CHECK(gn::sign(T(-3)) == -1);
    CHECK(gn::round(T(2.5)) == 2);
    CHECK(gn::round(T(-3.5)) == -4);
  }

  TEST_CASE("comparisons and logic") {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK_FALSE(gn::equal(nan, nan));
    CHECK(gn::not_equal(nan, nan));
    CHECK_FALSE(gn::less_equal(nan, 1.0));
    CHECK_FALSE(gn::greater(nan, 1.0));
    CHECK(gn::isnan(nan));
    CHECK_FALSE(gn::isfinite(infinite));
    CHECK(gn::isinf(-infinite));
    CHECK(gn::logical_and(nan, 1.0));
    CHECK_FALSE(gn::logical_or(0.0, -0.0));
    for (const bool a : {false, true}) {
      for (const bool b : {false, true}) {
        CHECK(gn::less(a, b) == (!a && b));
        CHECK(gn::less_equal(a, b) == (!a || b));
        CHECK(gn::logical_xor(a, b) == (a != b));
        CHECK(gn::maximum(a, b) == (a || b));
      }
    }
    CHECK(gn::bitwise_not(true) == false);
    CHECK(gn::bitwise_not(gn::u8{1}) == 254);
  }

  TEST_CASE_TEMPLATE("float to integer conversion saturates", T, gn::i8, gn::u8, gn::i32, gn::u32,
                     gn::i64, gn::u64) {
    using Limits = std::numeric_limits<T>;
    CHECK(gn::convert<T>(std::numeric_limits<float>::quiet_NaN()) == 0);
    CHECK(gn::convert<T>(infinite) == Limits::max());
    CHECK(gn::convert<T>(-infinite) == Limits::min());
    CHECK(gn::convert<T>(1e30f) == Limits::max());
    CHECK(gn::convert<T>(-1e30f) == Limits::min());
    CHECK(gn::convert<T>(-0.9) == 0);
    CHECK(gn::convert<T>(100.9) == 100);
    CHECK(gn::convert<T>(std::ldexp(1.0, Limits::digits)) == Limits::max());
    CHECK(gn::convert<T>(std::ldexp(1.0, Limits::digits - 1)) == T(1) << (Limits::digits - 1));
    CHECK(gn::convert<T>(static_cast<double>(Limits::min())) == Limits::min());
    CHECK(gn::convert<T>(true) == 1);
    CHECK(gn::convert<bool>(T(4)));
    CHECK(gn::convert<bool>(0.25f));
  }

#if GN_LANES
  // Vectors of 16 bytes pass by value on every target; the code is the same for wider ones.
  TEST_CASE_TEMPLATE("lanes give the bits of scalars", T, float, double) {
    constexpr int width = 16 / sizeof(T);
    using V = gn::lanes<T, width>;
    auto values =
        sample<T>(-std::numeric_limits<T>::infinity(), std::numeric_limits<T>::infinity(), 2000);
    for (const T x : sample_evenly<T>(T(-50), T(50), 2000)) values.push_back(x);
    values.resize(values.size() / width * width);
    const auto check = [&](auto function) {
      for (std::size_t i = 0; i < values.size(); i += width) {
        T out[width];
        gn::store(out, function(gn::load<V>(&values[i])));
        for (int lane = 0; lane < width; ++lane) {
          const T x = values[i + lane];
          INFO("at ", x);
          CHECK(same_value(out[lane], function(x)));
        }
      }
    };
    check([](auto x) { return gn::exp(x); });
    check([](auto x) { return gn::expm1(x); });
    check([](auto x) { return gn::log(x); });
    check([](auto x) { return gn::log10(x); });
    check([](auto x) { return gn::log1p(x); });
    check([](auto x) { return gn::sinh(x); });
    check([](auto x) { return gn::arcsinh(x); });
    check([](auto x) { return gn::arctanh(x); });
    check([](auto x) { return gn::tanh(x); });
    check([](auto x) { return gn::softplus(x); });
    check([](auto x) { return gn::power(gn::abs(x), x); });
    check([](auto x) { return gn::hypot(x, decltype(x)(1)); });
    check([](auto x) { return gn::remainder(x, decltype(x)(0.3)); });
    check([](auto x) { return gn::floor_divide(x, decltype(x)(-0.3)); });
    check([](auto x) { return gn::logaddexp(x, decltype(x)(-0.3)); });
    check([](auto x) { return gn::copysign(decltype(x)(2), x); });
    check([](auto x) { return gn::nextafter(x, decltype(x)(1)); });
    check([](auto x) { return gn::nextafter(decltype(x)(0), x); });
  }

  TEST_CASE_TEMPLATE("a select over copysign keeps both operands apart", T, float, double) {
    constexpr int width = 16 / sizeof(T);
    using V = gn::lanes<T, width>;
    const T sizes[] = {1, -2, 3, -4};
    const T signs[] = {-5, 6, 7, -8};
    const T chosen[] = {0, 1, 1, 0};
    const V x = gn::load<V>(sizes);
    const V y = gn::load<V>(signs);
    const V v = gn::select(gn::load<V>(chosen) > V(0), y, gn::copysign(x, y));
    for (int i = 0; i < width; ++i) {
      CHECK(v[i] == (chosen[i] > 0 ? signs[i] : std::copysign(sizes[i], signs[i])));
    }
  }

  TEST_CASE_TEMPLATE("tails touch only their lanes", T, gn::u8, gn::i16, float, double) {
    constexpr int width = 16 / sizeof(T);
    using V = gn::lanes<T, width>;
    T from[width];
    for (int i = 0; i < width; ++i) from[i] = static_cast<T>(i + 1);
    for (int n = 0; n <= width; ++n) {
      const V v = gn::load_tail<V>(from, n, T(99));
      T to[width] = {};
      gn::store_tail(to, gn::load<V>(from), n);
      for (int i = 0; i < width; ++i) {
        CHECK(v[i] == (i < n ? from[i] : T(99)));
        CHECK(to[i] == (i < n ? from[i] : T(0)));
      }
    }
    CHECK(gn::fold_add(gn::load<V>(from)) == T(width * (width + 1) / 2));
    CHECK(gn::fold_max(gn::load<V>(from)) == T(width));
    CHECK(gn::fold_min(gn::load<V>(from)) == T(1));
  }

  TEST_CASE("masks load from bytes and store as bytes") {
    using Mask = gn::lanes<bool, 4>;
    const gn::u8 bytes[] = {0, 1, 1, 0};
    const Mask mask = gn::load<Mask>(bytes);
    gn::u8 copy[4] = {9, 9, 9, 9};
    gn::store_tail(copy, mask, 3);
    CHECK(std::vector<int>(copy, copy + 4) == std::vector<int>{0, 1, 1, 9});
    CHECK(gn::any(mask));
    CHECK_FALSE(gn::all(mask));
    CHECK(gn::all(gn::either(mask, gn::logical_not(mask))));
    CHECK_FALSE(gn::fold_and(gn::load_tail<Mask>(bytes, 0, false)));
  }
#endif
}
