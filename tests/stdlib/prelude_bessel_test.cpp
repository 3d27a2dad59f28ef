// The Bessel functions of the prelude against MPFR, relative to their envelope.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "frontend/mpfr/bessel_functions.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/lanes/memory.h"
#include "stdlib/prelude/special/bessel.h"
#include "stdlib/prelude/special/bessel_order.h"
#include "stdlib/prelude/special/bessel_real_order.h"
#include "stdlib/prelude/special/modified_bessel.h"
#include "tests/support/mpfr_reference.h"

namespace gnomon::test {
namespace {

template <typename T>
std::vector<T> bessel_inputs() {
  std::vector<T> inputs = sample<T>(T(1e-30), T(1e15), 1500);
  for (const T x : sample_evenly<T>(T(0), T(60), 3000)) inputs.push_back(x);
  return inputs;
}

/// The largest error over the larger of |exact| and min(1, sqrt(2 / (pi x))), in roundings of T.
template <typename T, typename F>
void check_envelope(const char* name, F f, MpfrUnary exact, double bound) {
  double worst = 0;
  T at = 0;
  for (const T x : bessel_inputs<T>()) {
    if (x == 0) continue;
    Real y;
    exact(y.get(), Real(x).get(), MPFR_RNDN);
    const double envelope = std::min(1.0, std::sqrt(2 / (std::numbers::pi * double(x))));
    const double size = std::max(std::abs(y.to_double()), envelope);
    if (size > std::numeric_limits<T>::max()) continue;
    mpfr_sub_d(y.get(), y.get(), f(x), MPFR_RNDN);
    const double error = std::abs(y.to_double()) / size / std::numeric_limits<T>::epsilon();
    if (!(error <= worst)) worst = error, at = x;
  }
  const std::string found = fmt::format("{} f{}: {} at {}", name, 8 * sizeof(T), worst, at);
  CAPTURE(found);
  CHECK(worst <= bound);
}

}  // namespace

TEST_CASE_TEMPLATE("Bessel functions are within 1e-14 of their envelope", T, float, double) {
  // Half a unit for the rounding of float32.
  const double bound = sizeof(T) == 4 ? 0.51 : 40;
  check_envelope<T>("j0", [](T x) { return gn::j0(x); }, mpfr_j0, bound);
  check_envelope<T>("j1", [](T x) { return gn::j1(x); }, mpfr_j1, bound);
  check_envelope<T>("y0", [](T x) { return gn::y0(x); }, mpfr_y0, bound);
  check_envelope<T>("y1", [](T x) { return gn::y1(x); }, mpfr_y1, bound);
}

TEST_CASE("the first two zeros of J keep their digits") {
  for (const double zero : {2.404825557695773, 5.520078110286311})
    for (const double x : {zero, std::nextafter(zero, 9.0), zero * (1 - 1e-9)}) {
      CHECK(ulp_error(gn::j0(x), exact_of(mpfr_j0)(x)) < 16);
    }
  for (const double zero : {3.8317059702075125, 7.015586669815619})
    for (const double x : {zero, std::nextafter(zero, 9.0), zero * (1 - 1e-9)}) {
      CHECK(ulp_error(gn::j1(x), exact_of(mpfr_j1)(x)) < 16);
    }
}

TEST_CASE_TEMPLATE("Bessel functions at 0, infinity and below 0", T, float, double) {
  const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  CHECK(gn::j0(T(0)) == 1);
  CHECK(gn::j1(T(0)) == 0);
  CHECK(std::signbit(gn::j1(T(-0.0))));
  CHECK(gn::y0(T(0)) == -inf);
  CHECK(gn::y1(T(0)) == -inf);
  CHECK(gn::j1(T(-2)) == -gn::j1(T(2)));
  CHECK(gn::j0(T(-20)) == gn::j0(T(20)));
  CHECK(gn::j0(-inf) == 0);
  for (const auto y : {gn::j0(inf), gn::j1(inf), gn::y0(inf), gn::y1(inf)}) CHECK(y == 0);
  for (const auto y : {gn::y0(T(-1)), gn::y1(T(-1)), gn::y0(-inf), gn::j0(nan), gn::j1(nan),
                       gn::y0(nan), gn::i0(nan), gn::i1e(nan)})
    CHECK(std::isnan(y));
  CHECK(gn::i0(-inf) == inf);
  CHECK(gn::i1(-inf) == -inf);
  CHECK(gn::i0e(inf) == 0);
  CHECK(gn::i1e(inf) == 0);
}

namespace {

double relative(double got, const Real& exact) {
  return std::abs(((Real(got) - exact) / exact).to_double());
}

}  // namespace

TEST_CASE("modified Bessel functions of real order keep their bounds") {
  for (const double x : {1e-4, 0.03, 0.7, 3.0, 8.5, 19.0, 33.0, 90.0, 400.0}) {
    for (const double v : {0.0, 0.25, 1.0, 1.5, 2.75, 6.0, 13.3, 20.0, 47.0, 120.5}) {
      CAPTURE(x);
      CAPTURE(v);
      const Real i = exact_ive(v, x);
      if (std::abs(i.to_double()) > 1e-290) CHECK(ulp_error(gn::ive(v, x), i) <= op::ive.ulp.f64);
      // I(v) K(v + 1) + I(v + 1) K(v) = 1 / x (DLMF 10.28.2).
      const Real sum = i * Real(gn::kve(v + 1, x)) + exact_ive(v + 1, x) * Real(gn::kve(v, x));
      if (gn::kve(v + 1, x) < 1e290) CHECK(relative(1 / x, sum) < 1e-12);
      if (v == std::floor(v) || x > 30) continue;
      const Real k = exact_kve(v, x);
      if (k.to_double() > 1e290) continue;
      CHECK(ulp_error(gn::kve(v, x), k) <= op::kve.ulp.f64);
      CHECK(ulp_error(gn::ive(-v, x), exact_ive(-v, x)) <= op::ive.ulp.f64);
    }
  }
}

TEST_CASE("modified Bessel functions of real order at their edges") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(gn::ive(0.0, 0.0) == 1);
  CHECK(gn::ive(0.5, 0.0) == 0);
  CHECK(gn::ive(-0.5, 0.0) == inf);
  CHECK(gn::ive(1.0, inf) == 0);
  CHECK(gn::ive(3.0, -2.0) == -gn::ive(3.0, 2.0));
  CHECK(gn::ive(-4.0, -2.0) == gn::ive(4.0, 2.0));
  CHECK(gn::kve(0.0, 0.0) == inf);
  CHECK(gn::kve(2.5, inf) == 0);
  CHECK(gn::kve(-2.5, 3.0) == gn::kve(2.5, 3.0));
  for (const double y : {gn::ive(0.5, -1.0), gn::kve(1.0, -1.0), gn::ive(nan, 1.0),
                         gn::kve(1.0, nan), gn::ive(1.0, nan)})
    CHECK(std::isnan(y));
}

namespace {

/// sqrt(2 / (pi x)), and for x < 1 the largest value of J(0).
double envelope_at(double x) { return std::min(1.0, std::sqrt(2 / (std::numbers::pi * x))); }

}  // namespace

TEST_CASE("Bessel functions of real order are within 1e-12 of their envelope") {
  for (const double x : {1e-9, 0.03, 0.7, 1.999, 2.0, 3.0, 5.52, 8.5, 15.7, 33.0, 90.0, 260.0}) {
    for (const double v : {0.0, 1e-9, 0.25, 1.0, 1.5, 2.75, 6.0, 12.999999, 20.0, 47.0, 120.5}) {
      CAPTURE(x);
      CAPTURE(v);
      const Real j = exact_jv(v, x);
      const double size = std::max(std::abs(j.to_double()), x > v ? envelope_at(x) : 0);
      if (size > 1e-290) CHECK(std::abs((Real(gn::jv(v, x)) - j).to_double()) < 2e-13 * size);
      if (v == std::floor(v)) continue;
      // J(-v) = cos(pi v) J(v) - sin(pi v) Y(v) (DLMF 10.2.3): relative to the two terms.
      const Real other = exact_jv(-v, x);
      const double first = (by(mpfr_cos, pi() * Real(v)) * j).to_double();
      const double terms = std::abs(first) + std::abs(other.to_double() - first);
      if (terms > 1e290) continue;
      CHECK(std::abs((Real(gn::jv(-v, x)) - other).to_double()) <
            2e-13 * std::max(terms, x > v ? envelope_at(x) : 0));
    }
  }
}

TEST_CASE("Bessel functions of large whole order agree with MPFR") {
  for (const int n : {2, 30, 400}) {
    for (const double ratio : {0.85, 0.99, 1.0, 1.001, 1.1, 1.7, 5.0, 100.0}) {
      CAPTURE(n);
      const double x = n * ratio;
      CAPTURE(x);
      Real exact;
      mpfr_jn(exact.get(), n, Real(x).get(), MPFR_RNDN);
      const double size = std::max(std::abs(exact.to_double()), x > n ? envelope_at(x) : 0);
      if (size < 1e-290) continue;
      const double error = std::abs((Real(gn::jv(double(n), x)) - exact).to_double());
      CHECK(error < 1e-12 * size);
    }
  }
}

TEST_CASE("Bessel functions of large real order agree with Arb") {
  struct Value {
    double v, x, j;
  };
  for (const auto [v, x, j] : {
           Value{1234.5678, 1200.0, 9.241728527755449e-05},
           Value{1234.5678, 1240.0, 0.05881557471065878},
           Value{1234.5678, 100000.0, 0.002347555989010826},
           Value{10000.25, 9800.0, 1.7437309372648597e-14},
           Value{10000.25, 10000.0, 0.020540820271189694},
           Value{10000.25, 10100.5, -0.014800734642165997},
           Value{10000.25, 30000.0, -0.0007375025408803357},
           Value{10000.25, 1000000.0, -0.0001799077930717492},
           Value{20000.75, 20010.0, 0.021383170256626075},
           Value{-300.4, 250.0, 88340230.76135497},
           Value{-3000.6, 3100.0, 0.01672484783446707},
           Value{777.125, 100000000.0, 6.55430487608328e-05},
       }) {
    CAPTURE(v);
    CAPTURE(x);
    CHECK(std::abs(gn::jv(v, x) - j) < 1e-12 * std::max(std::abs(j), x > v ? envelope_at(x) : 0));
  }
}

TEST_CASE("Bessel functions of real order at their edges") {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(gn::jv(0.0, 0.0) == 1);
  CHECK(gn::jv(0.5, 0.0) == 0);
  CHECK(gn::jv(-2.0, 0.0) == 0);
  // The signs of 1 / gamma(1 + v).
  CHECK(gn::jv(-0.5, 0.0) == inf);
  CHECK(gn::jv(-1.5, 0.0) == -inf);
  for (const double v : {0.5, -0.5, 3.0, -3.0}) CHECK(gn::jv(v, inf) == 0);
  CHECK(gn::jv(3.0, -inf) == 0);
  CHECK(gn::jv(3.0, -2.0) == -gn::jv(3.0, 2.0));
  CHECK(gn::jv(-3.0, 2.0) == -gn::jv(3.0, 2.0));
  CHECK(gn::jv(-3.0, -9.0) == gn::jv(3.0, 9.0));
  CHECK(gn::jv(-4.0, -9.0) == gn::jv(4.0, 9.0));
  // Too small for a float64.
  for (const double v : {300.0, 1e9, 1e300, inf}) CHECK(gn::jv(v, 5.0) == 0);
  CHECK(gn::jv(2e6, 1e6) == 0);
  // Beyond the bounds on steps.
  for (const double y : {gn::jv(1e7, 1e7), gn::jv(1e200, 1e200), gn::jv(0.5, -1.0),
                         gn::jv(nan, 1.0), gn::jv(1.0, nan), gn::jv(-inf, 1.0)})
    CHECK(std::isnan(y));
}

#if GN_LANES
TEST_CASE("Bessel functions give the same bits in lanes and as scalars") {
  constexpr int width = 8;
  const std::vector<double> inputs = bessel_inputs<double>();
  const auto check = [&](const char* name, auto f) {
    int different = 0;
    for (std::size_t i = 0; i + width <= inputs.size(); i += width) {
      const gn::lanes<double, width> all = f(gn::load<gn::lanes<double, width>>(&inputs[i]));
      for (int lane = 0; lane < width; ++lane)
        different += f(inputs[i + static_cast<std::size_t>(lane)]) != double(all[lane]);
    }
    CAPTURE(name);
    CHECK(different == 0);
  };
  check("j0", [](auto x) { return gn::j0(x); });
  check("j1", [](auto x) { return gn::j1(x); });
  check("y0", [](auto x) { return gn::y0(x); });
  check("y1", [](auto x) { return gn::y1(x); });
  check("jv", [](auto x) { return gn::jv(decltype(x)(1.5), x); });
  check("jv", [](auto x) { return gn::jv(decltype(x)(-20.3), x); });
  check("jv", [](auto x) { return gn::jv(x, decltype(x)(30)); });
  check("ive", [](auto x) { return gn::ive(decltype(x)(1.5), x); });
  check("kve", [](auto x) { return gn::kve(decltype(x)(1.5), x); });
}
#endif

}  // namespace gnomon::test
