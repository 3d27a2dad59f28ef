// sin ... arctan2, erf, erfc and the gamma family of the prelude against MPFR, on whole domains.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "frontend/mpfr/special_functions.h"
#include "stdlib/prelude/elementary/cbrt.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/special/erf.h"
#include "stdlib/prelude/special/gamma.h"
#include "stdlib/prelude/special/gamma_function.h"
#include "stdlib/prelude/special/inverse_erf.h"
#include "stdlib/prelude/special/modified_bessel.h"
#include "stdlib/prelude/special/normal.h"
#include "stdlib/prelude/special/zeta.h"
#include "tests/support/mpfr_reference.h"

namespace gnomon::test {
namespace {

template <typename T>
constexpr T infinity_of = std::numeric_limits<T>::infinity();
template <typename T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();
template <typename T>
constexpr T largest_of = std::numeric_limits<T>::max();

/// Holds f to `bound` ulp of `exact` over inputs of one range.
template <typename T, typename F, typename Exact>
void check_bound(const std::string& name, double bound, F f, Exact exact,
                 const std::vector<T>& inputs) {
  const Worst<T> worst = worst_error<T>(f, exact, inputs);
  const std::string found = fmt::format("{} f{}: {:.3f} ulp at {:a} ({}), got {}", name,
                                        8 * sizeof(T), worst.ulp, worst.at, worst.at, worst.got);
  CAPTURE(found);
  CHECK(worst.ulp <= bound);
}

/// A stretch of a function's domain and how many inputs to take from it.
struct SampleRange {
  double low;
  double high;
  int count;
};

/// Samples by bit pattern from each range, as far as T reaches.
template <typename T>
std::vector<T> samples_of(const std::vector<SampleRange>& ranges) {
  std::vector<T> inputs;
  for (const SampleRange& r : ranges) {
    const auto held = [](double x) {
      return static_cast<T>(std::clamp<double>(x, -largest_of<T>, largest_of<T>));
    };
    const std::vector<T> some = sample<T>(held(r.low), held(r.high), r.count);
    inputs.insert(inputs.end(), some.begin(), some.end());
  }
  return inputs;
}

/// The same and the special values.
template <typename T>
std::vector<T> range_inputs(const std::vector<SampleRange>& ranges) {
  std::vector<T> inputs = samples_of<T>(ranges);
  const std::vector<T> special = special_values<T>();
  inputs.insert(inputs.end(), special.begin(), special.end());
  return inputs;
}

/// Floats near multiples of pi/2, where the reduction cancels most.
template <typename T>
std::vector<T> near_quarter_turns() {
  std::vector<T> inputs;
  for (int k = 1; k <= 3000; ++k) {
    for (const int shift : {0, 7, 14, 27, 60, 100}) {
      const double turn = std::ldexp(k * (std::numbers::pi / 2), shift);
      inputs.push_back(static_cast<T>(k % 2 == 0 ? turn : -turn));
    }
  }
  return inputs;
}

constexpr double everywhere = std::numeric_limits<double>::max();

/// log |gamma(x)| as a function of MPFR with one result.
int mpfr_gammaln(mpfr_t result, const mpfr_t x, mpfr_rnd_t rounding) {
  int sign = 0;
  return mpfr_lgamma(result, &sign, x, rounding);
}

/// The Bernoulli number B(2 k) as 2 (2 k)! zeta(2 k) / (2 pi)^(2 k), but for its sign.
Real bernoulli_magnitude(int k) {
  Real result;
  Real two_pi;
  mpfr_const_pi(two_pi.get(), MPFR_RNDN);
  mpfr_mul_ui(two_pi.get(), two_pi.get(), 2, MPFR_RNDN);
  mpfr_pow_ui(two_pi.get(), two_pi.get(), static_cast<unsigned>(2 * k), MPFR_RNDN);
  Real factorial;
  mpfr_fac_ui(factorial.get(), static_cast<unsigned>(2 * k), MPFR_RNDN);
  mpfr_zeta_ui(result.get(), static_cast<unsigned>(2 * k), MPFR_RNDN);
  mpfr_mul(result.get(), result.get(), factorial.get(), MPFR_RNDN);
  mpfr_mul_ui(result.get(), result.get(), 2, MPFR_RNDN);
  mpfr_div(result.get(), result.get(), two_pi.get(), MPFR_RNDN);
  return result;
}

/// trigamma for x > 0: psi'(x) = sum of 1 / (x + n)^2 for n < 40, and from there
/// 1 / y + 1 / (2 y^2) + sum of B(2 k) / y^(2 k + 1) (Abramowitz and Stegun 6.4.10, 6.4.12).
Real exact_trigamma_of_positive(const Real& x) {
  constexpr int terms = 20;
  static const std::vector<Real> bernoulli = [] {
    std::vector<Real> numbers;
    for (int k = 1; k <= terms; ++k) numbers.push_back(bernoulli_magnitude(k));
    return numbers;
  }();
  Real y = x;
  Real sum(0);
  Real term;
  for (int n = 0; n < 40; ++n) {
    mpfr_sqr(term.get(), y.get(), MPFR_RNDN);
    mpfr_ui_div(term.get(), 1, term.get(), MPFR_RNDN);
    mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
    mpfr_add_ui(y.get(), y.get(), 1, MPFR_RNDN);
  }
  Real inverse;
  mpfr_ui_div(inverse.get(), 1, y.get(), MPFR_RNDN);
  mpfr_add(sum.get(), sum.get(), inverse.get(), MPFR_RNDN);
  Real square;
  mpfr_sqr(square.get(), inverse.get(), MPFR_RNDN);
  mpfr_div_2ui(term.get(), square.get(), 1, MPFR_RNDN);
  mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
  Real power = inverse;
  for (int k = 0; k < terms; ++k) {
    mpfr_mul(power.get(), power.get(), square.get(), MPFR_RNDN);
    mpfr_mul(term.get(), power.get(), bernoulli[static_cast<std::size_t>(k)].get(), MPFR_RNDN);
    if (k % 2 == 0) mpfr_add(sum.get(), sum.get(), term.get(), MPFR_RNDN);
    if (k % 2 == 1) mpfr_sub(sum.get(), sum.get(), term.get(), MPFR_RNDN);
  }
  return sum;
}

/// trigamma for finite x other than 0, -1, -2 ...: psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2.
Real exact_trigamma(double x) {
  if (x > 0) return exact_trigamma_of_positive(Real(x));
  Real mirrored(x);
  mpfr_ui_sub(mirrored.get(), 1, mirrored.get(), MPFR_RNDN);
  Real sine(x);
  Real pi;
  mpfr_const_pi(pi.get(), MPFR_RNDN);
  mpfr_mul(sine.get(), sine.get(), pi.get(), MPFR_RNDN);
  mpfr_sin(sine.get(), sine.get(), MPFR_RNDN);
  mpfr_div(sine.get(), pi.get(), sine.get(), MPFR_RNDN);
  mpfr_sqr(sine.get(), sine.get(), MPFR_RNDN);
  const Real right = exact_trigamma_of_positive(mirrored);
  mpfr_sub(sine.get(), sine.get(), right.get(), MPFR_RNDN);
  return sine;
}

}  // namespace

TEST_CASE_TEMPLATE("sin, cos and tan are within 2 ulp at any magnitude", T, float, double) {
  const std::vector<SampleRange> ranges = {
      {-everywhere, everywhere, 8000}, {1e-3, 100, 6000}, {-2e9, -100, 6000}};
  std::vector<T> inputs = range_inputs<T>(ranges);
  const std::vector<T> hard = near_quarter_turns<T>();
  inputs.insert(inputs.end(), hard.begin(), hard.end());
  // Where the fast path ends, and the float64 nearest to a multiple of pi/2 (Muller, table 11.1).
  for (const double x : {0x1p16, 0x1p30, 0x1.6ac5b262ca1ffp+849}) {
    const T edge = static_cast<T>(std::min<double>(x, largest_of<T>));
    inputs.push_back(edge);
    inputs.push_back(std::nextafter(edge, infinity_of<T>));
    inputs.push_back(-edge);
  }
  check_bound<T>("sin", 1.5, [](T x) { return gn::sin(x); }, exact_of(mpfr_sin), inputs);
  check_bound<T>("cos", 1.5, [](T x) { return gn::cos(x); }, exact_of(mpfr_cos), inputs);
  check_bound<T>("tan", 1.5, [](T x) { return gn::tan(x); }, exact_of(mpfr_tan), inputs);
}

TEST_CASE_TEMPLATE("sin, cos and tan of infinities and NaN are NaN", T, float, double) {
  for (const T x : {infinity_of<T>, -infinity_of<T>, nan_of<T>}) {
    CHECK(std::isnan(gn::sin(x)));
    CHECK(std::isnan(gn::cos(x)));
    CHECK(std::isnan(gn::tan(x)));
  }
}

TEST_CASE_TEMPLATE("arcsin and arccos are within 2 ulp and NaN outside [-1, 1]", T, float, double) {
  const std::vector<T> inputs =
      range_inputs<T>({{-1, 1, 20000}, {0.4, 1, 8000}, {-1, -0.4, 8000}, {1, everywhere, 50}});
  check_bound<T>("arcsin", 2, [](T x) { return gn::arcsin(x); }, exact_of(mpfr_asin), inputs);
  check_bound<T>("arccos", 2, [](T x) { return gn::arccos(x); }, exact_of(mpfr_acos), inputs);
}

TEST_CASE_TEMPLATE("arctan is within 2 ulp", T, float, double) {
  const std::vector<T> inputs =
      range_inputs<T>({{-everywhere, everywhere, 20000}, {0.1, 10, 20000}, {-10, -0.1, 2000}});
  check_bound<T>("arctan", 2, [](T x) { return gn::arctan(x); }, exact_of(mpfr_atan), inputs);
}

TEST_CASE_TEMPLATE("arctan2 is within 2.5 ulp for all signs, sizes and special values", T, float,
                   double) {
  std::vector<std::pair<T, T>> points;
  for (const T y : special_values<T>()) {
    for (const T x : special_values<T>()) points.emplace_back(y, x);
  }
  const std::vector<T> ys = sample<T>(-largest_of<T>, largest_of<T>, 5000, 11);
  const std::vector<T> xs = sample<T>(-largest_of<T>, largest_of<T>, 5000, 12);
  const std::size_t n = std::min(ys.size(), xs.size());
  for (std::size_t i = 0; i < n; ++i) {
    points.emplace_back(ys[i], xs[i * 37 % n]);
    // Any ratio near 1, at any size.
    points.emplace_back(ys[i], static_cast<T>(ys[i] * (0.1 + static_cast<double>(i % 977) / 300)));
    points.emplace_back(ys[i], static_cast<T>(-ys[i] * (0.1 + static_cast<double>(i % 977) / 300)));
  }
  double worst = 0;
  std::string found;
  for (const auto& [y, x] : points) {
    Real exact;
    mpfr_atan2(exact.get(), Real(y).get(), Real(x).get(), MPFR_RNDN);
    const double error = ulp_error<T>(gn::arctan2(y, x), exact);
    if (error <= worst) continue;
    worst = error;
    found = fmt::format("arctan2({:a}, {:a}): {} ulp, got {}", y, x, error, gn::arctan2(y, x));
  }
  CAPTURE(found);
  CHECK(worst <= 2.5);
}

TEST_CASE_TEMPLATE("erf is within 2 ulp", T, float, double) {
  const std::vector<T> inputs = range_inputs<T>(
      {{-everywhere, everywhere, 4000}, {0.1, 1, 3000}, {1, 7, 5000}, {-7, -0.5, 2000}});
  check_bound<T>("erf", 2, [](T x) { return gn::erf(x); }, exact_of(mpfr_erf), inputs);
}

TEST_CASE_TEMPLATE("erfc is within 3.5 ulp down to the subnormal tail", T, float, double) {
  // MPFR is slow far beyond the tail, where every value rounds to 0.
  const double tail = sizeof(T) == 4 ? 10.5 : 28;
  std::vector<T> inputs = samples_of<T>(
      {{-1e3, -1e-3, 1500}, {-1e-3, 1e-3, 500}, {1e-3, 1, 2000}, {1, tail, 2000}, {tail, 50, 20}});
  for (const T x : {T(0), -T(0), nan_of<T>, -infinity_of<T>, infinity_of<T>}) inputs.push_back(x);
  check_bound<T>("erfc", 3.5, [](T x) { return gn::erfc(x); }, exact_of(mpfr_erfc), inputs);
  CHECK(gn::erfc(largest_of<T>) == 0);
  CHECK(gn::erfc(-largest_of<T>) == 2);
}

TEST_CASE_TEMPLATE("gammaln is within 4 ulp right of 0, also near its zeros 1 and 2", T, float,
                   double) {
  const std::vector<T> inputs = samples_of<T>({{0, everywhere, 1500},
                                               {0.01, 0.9, 2000},
                                               {0.9, 1.1, 2000},
                                               {1.1, 1.9, 1000},
                                               {1.9, 2.1, 2000},
                                               {2.1, 30, 2000}});
  check_bound<T>("gammaln", 4, [](T x) { return gn::gammaln(x); }, exact_of(mpfr_gammaln), inputs);
}

TEST_CASE_TEMPLATE("gammaln left of 0 errs by 4 ulp of the terms of its reflection", T, float,
                   double) {
  for (const T x : sample<T>(-1000, -std::numeric_limits<T>::denorm_min(), 1500)) {
    if (x == std::floor(x)) continue;
    const Real exact = exact_of(mpfr_gammaln)(x);
    Real mirrored(x);
    mpfr_ui_sub(mirrored.get(), 1, mirrored.get(), MPFR_RNDN);
    mpfr_gammaln(mirrored.get(), mirrored.get(), MPFR_RNDN);
    // Of the two terms log(pi / sin) and gammaln(1 - x), the larger bounds the rounding.
    const double term = std::abs(mirrored.to_double()) + std::abs(exact.to_double());
    const double error = std::abs(static_cast<double>(gn::gammaln(x)) - exact.to_double());
    CAPTURE(x);
    CHECK(error <= 4 * std::numeric_limits<T>::epsilon() * term);
  }
}

TEST_CASE_TEMPLATE("gammaln is infinite at its poles and at both infinities", T, float, double) {
  for (const T x :
       {T(0), -T(0), T(-1), T(-2), T(-1e10), -largest_of<T>, -infinity_of<T>, infinity_of<T>}) {
    CAPTURE(x);
    CHECK(gn::gammaln(x) == infinity_of<T>);
  }
  CHECK(std::isnan(gn::gammaln(nan_of<T>)));
  CHECK(gn::gammaln(T(1)) == 0);
  CHECK(gn::gammaln(T(2)) == 0);
}

TEST_CASE_TEMPLATE("digamma is within 4 ulp right of 0, also near its zero", T, float, double) {
  const std::vector<T> inputs = samples_of<T>(
      {{0, everywhere, 1000}, {0.01, 1.4, 2000}, {1.4, 1.5, 1000}, {1.5, 8, 2000}, {8, 1e6, 1000}});
  check_bound<T>("digamma", 4, [](T x) { return gn::digamma(x); }, exact_of(mpfr_digamma), inputs);
}

TEST_CASE_TEMPLATE("digamma left of 0 errs by 4 ulp of 1 and the terms of its reflection", T, float,
                   double) {
  for (const T x : sample<T>(-1000, -std::numeric_limits<T>::denorm_min(), 2000)) {
    if (x == std::floor(x)) continue;
    const Real exact = exact_of(mpfr_digamma)(x);
    const double right = std::abs(static_cast<double>(gn::digamma(T(1) - x)));
    const double error = std::abs(static_cast<double>(gn::digamma(x)) - exact.to_double());
    const double term = 1 + right + std::abs(exact.to_double());
    CAPTURE(x);
    if (std::abs(exact.to_double()) > largest_of<T>) continue;
    CHECK(error <= 4 * std::numeric_limits<T>::epsilon() * term);
  }
}

TEST_CASE_TEMPLATE("digamma at its poles and at the infinities", T, float, double) {
  CHECK(gn::digamma(T(0)) == -infinity_of<T>);
  CHECK(gn::digamma(-T(0)) == infinity_of<T>);
  CHECK(gn::digamma(infinity_of<T>) == infinity_of<T>);
  for (const T x : {T(-1), T(-2), T(-1e10), -largest_of<T>, -infinity_of<T>, nan_of<T>}) {
    CAPTURE(x);
    CHECK(std::isnan(gn::digamma(x)));
  }
}

TEST_CASE_TEMPLATE("trigamma is within 4 ulp on both sides of 0", T, float, double) {
  std::vector<T> inputs = samples_of<T>({{-100, -0.01, 3000},
                                         {-0.01, -1e-15, 500},
                                         {std::numeric_limits<T>::min(), 0.01, 500},
                                         {0.01, 1, 2000},
                                         {1, 6, 3000},
                                         {6, 1e15, 1000}});
  std::erase_if(inputs, [](T x) { return x < 0 && x == std::floor(x); });
  check_bound<T>("trigamma", 4, [](T x) { return gn::trigamma(x); }, exact_trigamma, inputs);
}

TEST_CASE_TEMPLATE("trigamma at its poles and at the infinities", T, float, double) {
  for (const T x : {T(0), -T(0), T(-1), T(-2), T(-1e10), -largest_of<T>}) {
    CAPTURE(x);
    CHECK(gn::trigamma(x) == infinity_of<T>);
  }
  CHECK(gn::trigamma(infinity_of<T>) == 0);
  CHECK(std::isnan(gn::trigamma(-infinity_of<T>)));
  CHECK(std::isnan(gn::trigamma(nan_of<T>)));
}

TEST_CASE("zeta left of 0 adds the terms up to 0") {
  for (const double s : {2.0, 3.0, 4.0, 7.0, 12.0}) {
    for (const double q : {-0.25, -0.5, -1.5, -2.75, -7.125, -30.5}) {
      CAPTURE(s);
      CAPTURE(q);
      double from = q, size = 0;
      Real sum(0);
      for (; from < 0; ++from) {
        Real term(from);
        mpfr_pow_si(term.get(), term.get(), -static_cast<long>(s), MPFR_RNDN);
        sum += term;
        size += std::abs(term.to_double());
      }
      sum += exact_zeta(Real(s), Real(from));
      size += exact_zeta(Real(s), Real(from)).to_double();
      CHECK(std::abs((Real(gn::zeta(s, q)) - sum).to_double()) < 8e-16 * size);
    }
  }
}

TEST_CASE("zeta at its poles and outside its domain") {
  CHECK(gn::zeta(1.0, 2.0) == infinity_of<double>);
  CHECK(gn::zeta(2.0, 0.0) == infinity_of<double>);
  CHECK(gn::zeta(2.0, -3.0) == infinity_of<double>);
  CHECK(gn::zeta(2.0, infinity_of<double>) == 0);
  CHECK(gn::zeta(infinity_of<double>, 2.0) == 0);
  CHECK(gn::zeta(infinity_of<double>, 1.0) == 1);
  for (const double x : {gn::zeta(0.5, 1.0), gn::zeta(2.5, -0.5), gn::zeta(nan_of<double>, 1.0),
                         gn::zeta(2.0, nan_of<double>)})
    CHECK(std::isnan(x));
}

#if GN_LANES
namespace {

/// Holds f on lanes<T, W> to the bits of f on T.
template <typename T, int W, typename F>
void check_lanes(const std::string& name, F f) {
  const std::vector<T> inputs = range_inputs<T>({{-everywhere, everywhere, 2000}, {-20, 20, 2000}});
  int different = 0;
  for (std::size_t i = 0; i + W <= inputs.size(); i += W) {
    const gn::lanes<T, W> all = f(gn::load<gn::lanes<T, W>>(&inputs[i]));
    for (int lane = 0; lane < W; ++lane) {
      const T one = f(inputs[i + static_cast<std::size_t>(lane)]);
      const bool same = std::bit_cast<bits_of<T>>(one) == std::bit_cast<bits_of<T>>(T(all[lane]));
      different += !same && !(std::isnan(one) && std::isnan(T(all[lane])));
    }
  }
  CAPTURE(name);
  CAPTURE(W);
  CHECK(different == 0);
}

template <typename T, int W>
void check_all_lanes() {
  check_lanes<T, W>("sin", [](auto x) { return gn::sin(x); });
  check_lanes<T, W>("cos", [](auto x) { return gn::cos(x); });
  check_lanes<T, W>("tan", [](auto x) { return gn::tan(x); });
  check_lanes<T, W>("arcsin", [](auto x) { return gn::arcsin(x); });
  check_lanes<T, W>("arccos", [](auto x) { return gn::arccos(x); });
  check_lanes<T, W>("arctan", [](auto x) { return gn::arctan(x); });
  check_lanes<T, W>("arctan2", [](auto x) { return gn::arctan2(x, decltype(x)(1) - x); });
  check_lanes<T, W>("erf", [](auto x) { return gn::erf(x); });
  check_lanes<T, W>("erfc", [](auto x) { return gn::erfc(x); });
  check_lanes<T, W>("gammaln", [](auto x) { return gn::gammaln(x); });
  check_lanes<T, W>("digamma", [](auto x) { return gn::digamma(x); });
  check_lanes<T, W>("trigamma", [](auto x) { return gn::trigamma(x); });
  check_lanes<T, W>("erfcx", [](auto x) { return gn::erfcx(x); });
  check_lanes<T, W>("erfinv", [](auto x) { return gn::erfinv(x); });
  check_lanes<T, W>("erfcinv", [](auto x) { return gn::erfcinv(x); });
  check_lanes<T, W>("ndtr", [](auto x) { return gn::ndtr(x); });
  check_lanes<T, W>("log_ndtr", [](auto x) { return gn::log_ndtr(x); });
  check_lanes<T, W>("ndtri", [](auto x) { return gn::ndtri(x); });
  check_lanes<T, W>("ndtri_exp", [](auto x) { return gn::ndtri_exp(x); });
  check_lanes<T, W>("gamma", [](auto x) { return gn::gamma(x); });
  check_lanes<T, W>("zeta", [](auto x) { return gn::zeta(decltype(x)(3), x); });
  check_lanes<T, W>("cbrt", [](auto x) { return gn::cbrt(x); });
  check_lanes<T, W>("i0", [](auto x) { return gn::i0(x); });
  check_lanes<T, W>("i1e", [](auto x) { return gn::i1e(x); });
}

}  // namespace

TEST_CASE("special functions give the same bits in lanes and as scalars") {
  check_all_lanes<float, 8>();
  check_all_lanes<float, 16>();
  check_all_lanes<double, 4>();
  check_all_lanes<double, 8>();
}
#endif

}  // namespace gnomon::test
