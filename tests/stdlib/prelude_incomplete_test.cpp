// The incomplete gamma and beta functions, their inverses, betaln and Owen's T against MPFR, series
// and published identities.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <string>

#include "frontend/mpfr/incomplete_functions.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/special/beta.h"
#include "stdlib/prelude/special/incomplete_gamma.h"
#include "stdlib/prelude/special/incomplete_inverse.h"
#include "stdlib/prelude/special/owens_t.h"
#include "tests/support/mpfr_reference.h"
#include "tests/support/special_numbers.h"

namespace gnomon::test {
namespace {

/// Numbers from a generator with a fixed seed.
class Draw {
 public:
  double between(double low, double high) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return low + (high - low) * static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  /// As likely in each power of e.
  double exponential(double low, double high) { return std::exp(between(low, high)); }

 private:
  std::uint64_t state_ = 1;
};

/// The largest error found in ulp, and where.
struct Largest {
  double error = 0;
  std::string at;
  void take(double got, const Real& exact, const std::string& where) {
    if (std::abs(exact.to_double()) < 1e-300) return;
    const double found = ulp_error(got, exact);
    if (!(found <= error)) error = found, at = where;
  }
};

void check_largest(const Largest& largest, const Op& op) {
  CAPTURE(largest.at);
  CAPTURE(largest.error);
  CHECK(largest.error <= op.ulp.f64);
}

/// A shape, and an x around it, far from it or anywhere.
std::pair<double, double> shape_and_x(Draw& draw, int i) {
  const double a = draw.exponential(-8, 6.5);
  if (i % 3 == 0) return {a, draw.exponential(-8, 7)};
  if (i % 3 == 1) return {a, std::abs(a + std::sqrt(a) * draw.between(-8, 20))};
  return {a, a * draw.between(0.2, 3)};
}

}  // namespace

TEST_CASE("gammainc and gammaincc keep their bounds, each where it is small") {
  Draw draw;
  Largest lower, upper;
  for (int i = 0; i < 1500; ++i) {
    const auto [a, x] = shape_and_x(draw, i);
    const Real q = exact_gammaincc(a, x);
    const std::string where = fmt::format("a = {:a}, x = {:a}", a, x);
    upper.take(gn::gammaincc(a, x), q, where);
    const Real p = Real(1) - q;
    // The difference has digits left.
    if (Real(1e-40) < p) lower.take(gn::gammainc(a, x), p, where);
  }
  check_largest(lower, op::gammainc);
  check_largest(upper, op::gammaincc);
}

TEST_CASE("gammainc of float32 is the rounded one of float64") {
  Draw draw;
  for (int i = 0; i < 300; ++i) {
    const auto [a, x] = shape_and_x(draw, i);
    const auto shape = static_cast<float>(a), at = static_cast<float>(x);
    CHECK(gn::gammainc(shape, at) ==
          static_cast<float>(gn::gammainc(static_cast<double>(shape), static_cast<double>(at))));
  }
}

TEST_CASE("the incomplete gamma functions at their edges") {
  CHECK(gn::gammainc(2.0, 0.0) == 0);
  CHECK(gn::gammaincc(2.0, 0.0) == 1);
  CHECK(gn::gammainc(2.0, infinite) == 1);
  CHECK(gn::gammaincc(2.0, infinite) == 0);
  CHECK(gn::gammainc(0.0, 2.0) == 1);
  CHECK(gn::gammaincc(0.0, 2.0) == 0);
  CHECK(gn::gammainc(infinite, 2.0) == 0);
  for (const double x :
       {gn::gammainc(-1.0, 2.0), gn::gammainc(1.0, -2.0), gn::gammainc(not_a_number, 1.0),
        gn::gammainc(1.0, not_a_number), gn::gammainc(0.0, 0.0), gn::gammaincc(infinite, infinite)})
    CHECK(std::isnan(x));
}

TEST_CASE("betaln is within a few roundings of its terms") {
  Draw draw;
  double worst = 0;
  std::string at;
  for (int i = 0; i < 3000; ++i) {
    const double a = draw.exponential(-12, 12), b = draw.exponential(-12, i % 2 ? 12 : 60);
    const Real exact = exact_betaln(Real(a), Real(b));
    const double size = std::max(1.0, std::abs(exact.to_double()));
    const double error = std::abs((Real(gn::betaln(a, b)) - exact).to_double()) / size;
    if (!(error <= worst)) worst = error, at = fmt::format("a = {:a}, b = {:a}", a, b);
  }
  CAPTURE(at);
  CHECK(worst <= 4e-15);
  CHECK(gn::betaln(0.0, 2.0) == infinite);
  CHECK(gn::betaln(2.0, infinite) == -infinite);
  CHECK(std::isnan(gn::betaln(-1.0, 2.0)));
}

TEST_CASE("betainc keeps its bound") {
  Draw draw;
  Largest largest;
  for (int i = 0; i < 900; ++i) {
    const double a = draw.exponential(-6, 6), b = draw.exponential(-6, 6);
    const double mean = a / (a + b), width = std::sqrt(mean * (1 - mean) / (a + b + 1));
    const double x = i % 2 ? draw.between(0, 1) : mean + width * draw.between(-6, 6);
    if (!(x > 0 && x < 1)) continue;
    largest.take(gn::betainc(a, b, x), exact_betainc(Real(a), Real(b), Real(x)),
                 fmt::format("a = {:a}, b = {:a}, x = {:a}", a, b, x));
  }
  check_largest(largest, op::betainc);
  CHECK(gn::betainc(2.0, 3.0, 0.0) == 0);
  CHECK(gn::betainc(2.0, 3.0, 1.0) == 1);
  CHECK(gn::betainc(0.0, 3.0, 0.5) == 1);
  CHECK(gn::betainc(2.0, 0.0, 0.5) == 0);
  CHECK(gn::betainc(1.0, 1.0, 0.25) == 0.25);
  for (const double x : {gn::betainc(-1.0, 2.0, 0.5), gn::betainc(1.0, 2.0, 1.5),
                         gn::betainc(1.0, 2.0, -0.5), gn::betainc(1.0, not_a_number, 0.5)})
    CHECK(std::isnan(x));
}

TEST_CASE("the inverses lie between points where the functions are below and above") {
  Draw draw;
  const double step = op::gammaincinv.ulp.f64 * 0x1p-53;
  for (int i = 0; i < 400; ++i) {
    const double a = draw.exponential(-4, 6);
    const double p = i % 2 ? draw.between(0, 1) : draw.exponential(-40, 0);
    CAPTURE(a);
    CAPTURE(p);
    const double x = gn::gammaincinv(a, p), z = gn::gammainccinv(a, p);
    if (x > 1e-290) {
      CHECK(Real(1) - exact_gammaincc(Real(a), Real(x * (1 - step))) < Real(p));
      CHECK(Real(p) < Real(1) - exact_gammaincc(Real(a), Real(x * (1 + step))));
    }
    if (z > 1e-290) {
      CHECK(exact_gammaincc(Real(a), Real(z * (1 + step))) < Real(p));
      CHECK(Real(p) < exact_gammaincc(Real(a), Real(z * (1 - step))));
    }
  }
  for (int i = 0; i < 200; ++i) {
    const double a = draw.exponential(-2, 5), b = draw.exponential(-2, 5);
    const double p = i % 2 ? draw.between(0, 1) : draw.exponential(-40, 0);
    CAPTURE(a);
    CAPTURE(b);
    CAPTURE(p);
    const double x = gn::betaincinv(a, b, p);
    if (x < 1e-290 || x > 1 - 1e-8) continue;
    CHECK(exact_betainc(Real(a), Real(b), Real(x * (1 - step))) < Real(p));
    CHECK(Real(p) < exact_betainc(Real(a), Real(b), Real(x * (1 + step))));
  }
}

TEST_CASE("the inverses at their edges") {
  CHECK(gn::gammaincinv(2.0, 0.0) == 0);
  CHECK(gn::gammaincinv(2.0, 1.0) == infinite);
  CHECK(gn::gammainccinv(2.0, 0.0) == infinite);
  CHECK(gn::gammainccinv(2.0, 1.0) == 0);
  CHECK(gn::betaincinv(2.0, 3.0, 0.0) == 0);
  CHECK(gn::betaincinv(2.0, 3.0, 1.0) == 1);
  for (const double x : {gn::gammaincinv(-1.0, 0.5), gn::gammaincinv(1.0, 1.5),
                         gn::gammainccinv(1.0, not_a_number), gn::betaincinv(1.0, -1.0, 0.5)})
    CHECK(std::isnan(x));
}

TEST_CASE("Owen's T keeps its bound") {
  Draw draw;
  Largest largest;
  for (int i = 0; i < 2000; ++i) {
    const double h = draw.exponential(-8, 2), a = draw.between(-1, 1) * std::min(40.0, 9 / h);
    largest.take(gn::owens_t(h, a), exact_owens_t(h, a), fmt::format("h = {:a}, a = {:a}", h, a));
  }
  check_largest(largest, op::owens_t);
}

TEST_CASE("Owen's T agrees with its closed forms and with values to 20 digits") {
  // By the integral, in 30 digits (mpmath 1.4).
  const double table[][3] = {
      {0.25, 0.5, 0.071346633822717782304},    {1, 0.75, 0.057364726781679148787},
      {2.5, 1, 0.003085552691158994366},       {0.5, 3, 0.15108404307601841107},
      {1.5, 12, 0.033403600634429033002},      {-0.75, 0.875, 0.081384794659075346136},
      {4, -0.25, -0.000011219796518154961715}, {9, 0.0625, 2.4311315580324635581e-20},
      {0.0078125, 40, 0.24582924279609813341}, {6, 2, 4.9329382251884907035e-10},
      {1e-5, 0.001, 0.00015915489003232172559}};
  for (const auto& [h, a, t] : table) {
    CAPTURE(h);
    CAPTURE(a);
    CHECK(std::abs(gn::owens_t(h, a) / t - 1) < 2e-15);
  }
  const Real two_pi = pi() * Real(2);
  for (double a = 1e-3; a < 1e4; a *= 1.37) {
    CAPTURE(a);
    CHECK(ulp_error(gn::owens_t(0.0, a), by(mpfr_atan, Real(a)) / two_pi) < 8);
  }
  for (double h = 1e-3; h < 37; h *= 1.37) {
    CAPTURE(h);
    const Real u = exact_ndtr(Real(-h));
    CHECK(ulp_error(gn::owens_t(h, 1.0), u * (Real(1) - u) / Real(2)) < 16);
    CHECK(ulp_error(gn::owens_t(h, infinite), u / Real(2)) < 8);
  }
  CHECK(gn::owens_t(0.0, infinite) == 0.25);
  CHECK(gn::owens_t(infinite, 2.0) == 0);
  CHECK(std::isnan(gn::owens_t(not_a_number, 1.0)));
}

#if GN_LANES
TEST_CASE("incomplete functions give the same bits in lanes and as scalars") {
  constexpr int width = 8;
  using Lanes = gn::lanes<double, width>;
  Draw draw;
  for (int i = 0; i < 200; ++i) {
    Lanes a, x, p;
    for (int lane = 0; lane < width; ++lane) {
      const auto [shape, at] = shape_and_x(draw, lane);
      a[lane] = shape, x[lane] = at, p[lane] = draw.between(0, 1);
    }
    const Lanes all[] = {gn::gammainc(a, x),      gn::gammaincc(a, x),   gn::betaln(a, x),
                         gn::betainc(a, x, p),    gn::gammaincinv(a, p), gn::gammainccinv(a, p),
                         gn::betaincinv(a, x, p), gn::owens_t(a, x)};
    for (int lane = 0; lane < width; ++lane) {
      const double s = a[lane], y = x[lane], q = p[lane];
      const double one[] = {gn::gammainc(s, y),      gn::gammaincc(s, y),   gn::betaln(s, y),
                            gn::betainc(s, y, q),    gn::gammaincinv(s, q), gn::gammainccinv(s, q),
                            gn::betaincinv(s, y, q), gn::owens_t(s, y)};
      for (int k = 0; k < 8; ++k) {
        CAPTURE(k);
        CHECK(one[k] == double(all[k][lane]));
      }
    }
  }
}
#endif

}  // namespace gnomon::test
