// Random scalar expressions, points to compute them at, and what each form of one loses there.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "tests/support/passes_support.h"
#include "tests/support/real_functions.h"

namespace gnomon::test {

/// Grows an expression over x, y and z, which often uses what it has already; every third one is
/// the gradient of what was grown.
class ScalarGrower {
 public:
  explicit ScalarGrower(std::uint64_t seed) : random_(seed), is_gradient_(seed % 3 == 2) {}

  const std::vector<Expr>& inputs() const { return inputs_; }

  Expr grow() {
    const Expr cost = expression(2 + static_cast<int>(below(3)));
    if (!is_gradient_) return cost;
    return grad(cost, inputs_[below(3)], GradOptions{Disconnected::zero, {}});
  }

 private:
  std::size_t below(std::size_t n) { return random_() % n; }

  Expr number() {
    static constexpr std::array numbers = {1.0, 2.0, 0.5, -1.0, 3.0, 0.1, 10.0, -2.0, 1.0, 1.0};
    return constant(numbers[below(numbers.size())], DType::float64);
  }

  Expr leaf() {
    if (!known_.empty() && below(3) == 0) return known_[below(known_.size())];
    return below(5) == 0 ? number() : inputs_[below(3)];
  }

  Expr expression(int depth) {
    if (depth == 0) return leaf();
    if (depth < 3 && below(6) == 0) return chain();
    const std::size_t kind = below(16);
    const Expr a = expression(depth - 1 - (below(4) == 0 && depth > 1 ? 1 : 0));
    const Expr made = kind < 10 ? of_two(kind, a, expression(depth - 1)) : of_one(a);
    known_.push_back(made);
    return made;
  }

  // Three or four terms or factors, grouped in some way.
  Expr chain() {
    const bool is_product = below(2) == 0;
    std::vector<Expr> parts;
    for (std::size_t i = 0; i < 3 + below(2); ++i)
      parts.push_back(below(4) == 0 ? of_one(leaf()) : leaf());
    while (parts.size() > 1) {
      const std::size_t i = below(parts.size() - 1);
      const Expr a = parts[i], b = parts[i + 1];
      parts[i] = is_product ? (below(5) == 0 ? a / b : a * b) : below(2) == 0 ? a + b : a - b;
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    }
    return parts[0];
  }

  Expr of_two(std::size_t kind, const Expr& a, const Expr& b) {
    if (kind < 2) return a + b;
    if (kind < 5) return a - b;
    if (kind < 8) return a * b;
    if (kind < 9) return a / b;
    switch (below(6)) {
      case 0: return power(a, b);
      case 1: return maximum(a, b);
      case 2: return hypot(a, b);
      case 3: return arctan2(a, b);
      case 4: return where(a < b, a, a * b);
      default: return a / b;
    }
  }

  Expr of_one(const Expr& a) {
    static constexpr std::array exponents = {2.0, 3.0, -1.0, 0.5, -0.5, 1.5, 4.0, -2.0, 2.5};
    switch (below(30)) {
      case 0:
      case 1: return -a;
      case 2:
      case 3: return square(a);
      case 4: return 1 / a;
      case 5: return sqrt(a);
      case 6:
      case 7: return exp(a);
      case 8: return log(a);
      case 9: return log1p(a);
      case 10: return expm1(a);
      case 11: return sin(a);
      case 12: return cos(a);
      case 13: return tan(a);
      case 14: return arctan(a);
      case 15: return tanh(a);
      case 16: return sinh(a);
      case 17: return cosh(a);
      case 18: return sigmoid(a);
      case 19: return softplus(a);
      case 20: return abs(a);
      case 21: return arcsinh(a);
      case 22: return erf(a);
      case 23: return 1 / (1 + exp(-a));
      case 24: return log(1 + a);
      case 25: return exp(-a);
      case 26: return arcsin(a);
      case 27: return arccos(a);
      default: return power(a, exponents[below(exponents.size())]);
    }
  }

  std::mt19937_64 random_;
  bool is_gradient_;
  std::vector<Expr> inputs_ = {scalar("x"), scalar("y"), scalar("z")};
  std::vector<Expr> known_;
};

/// Numbers over all exponents, ordinary ones, special ones, and some that the others nearly cancel.
inline std::vector<double> scalar_point(std::mt19937_64& random, std::size_t count) {
  static constexpr std::array special = {
      0.0,   -0.0,   1.0,    -1.0,  2.0,    -2.0,   0.5,     3.0,      1e16,    -1e16,
      1e300, 1e-300, -1e300, 1e200, 1e-200, 1e-160, 1e160,   1e-20,    0x1p-52, 1 + 0x1p-52,
      1e-8,  700.0,  -700.0, 745.0, -745.0, 5e-324, 1.7e308, 2.3e-308, 36.0,    -36.0};
  const auto finite = [&] {
    for (;;)
      if (const double v = std::bit_cast<double>(random()); std::isfinite(v)) return v;
  };
  std::vector<double> point;
  const std::size_t kind = random() % 4;
  while (point.size() < count) {
    const std::size_t own = kind == 3 ? random() % 3 : kind;
    std::uniform_real_distribution<double> exponent(-6, 7), unit(-1, 1);
    double v = own == 0   ? finite()
               : own == 1 ? std::copysign(std::exp2(exponent(random)), unit(random))
                          : special[random() % special.size()];
    if (!point.empty() && random() % 5 == 0) {
      const double other = point[random() % point.size()];
      const std::array related = {other, -other, std::nextafter(other, 1e308), 1 / other,
                                  -other * (1 + 0x1p-30)};
      v = related[random() % related.size()];
    }
    if (std::isfinite(v)) point.push_back(v);
  }
  return point;
}

inline double value_at(const Graph& graph, std::span<const double> point) {
  std::vector<Array> arguments;
  for (const double v : point) arguments.emplace_back(v);
  return evaluate(graph, arguments)[0].item<double>();
}

/// The real value of a graph at a point, if it is known.
inline std::optional<Real> real_value_at(const Graph& graph, std::span<const double> point,
                                         bool is_sure = false) {
  static const RealArithmetic numbers = real_numbers();
  const auto value = [&](long bits, mpfr_rnd_t rounding) {
    Real::precision = bits;
    Real::rounding = rounding;
    Evaluator<RealArithmetic> evaluator(numbers);
    std::vector<Evaluator<RealArithmetic>::Data> arguments;
    for (const double v : point) arguments.push_back(evaluator.from_array(Array(v)));
    return evaluator.run(graph, arguments)[0]->data[0].real;
  };
  // The exponents of float64 span 2100 bits, those of products more; a sum that loses a term may do
  // so rounded up and down alike, but not with more bits.
  std::optional<Real> found;
  const Real down = value(2400, MPFR_RNDD), up = value(is_sure ? 20000 : 5000, MPFR_RNDU);
  if (mpfr_equal_p(down.get(), up.get()) || (mpfr_number_p(down.get()) && mpfr_number_p(up.get()) &&
                                             ulp_between<double>(down.get(), up.get()) < 0x1p-20))
    found = up;
  Real::precision = 240;
  Real::rounding = MPFR_RNDN;
  return found;
}

/// log2(1 + d) for d units in the last place between `found` and the real value, at most the 52
/// that there are: a number without a right digit has none to lose. The sign of a zero is no
/// distance.
inline double bits_lost(double found, const Real& exact) {
  if (mpfr_zero_p(exact.get()) && found == 0) return 0;
  return std::min(52.0, std::log2(1 + ulp_error(found, exact.get())));
}

/// The number as float64 has it: infinite or 0 beyond its range.
inline Real in_range(const Real& x) {
  if (!mpfr_regular_p(x.get())) return x;
  const long exponent = mpfr_get_exp(x.get());
  if (exponent > 1024) return Real(mpfr_sgn(x.get()) * std::numeric_limits<double>::infinity());
  return exponent < -1073 ? Real(0.0) : x;
}

/// What the graph loses at most when each operation is rounded up or down at random: an error that
/// others happen to cancel is not for the expression to count on. What is exact stays so.
inline double lost_by_chance(const Graph& graph, std::span<const double> point, const Real& exact) {
  static std::mt19937_64 random(5);
  static const RealArithmetic numbers = [] {
    RealTable all = real_functions();
    for (auto& [name, function] : all)
      function = [function](std::span<const Real> x) {
        Real::rounding = random() % 2 == 0 ? MPFR_RNDU : MPFR_RNDD;
        return in_range(function(x));
      };
    return RealArithmetic(std::move(all), [](const Real& x) { return x.to_double(); });
  }();
  constexpr int runs = 40;
  double most = 0;
  Real::precision = 53;
  for (int run = 0; run < runs; ++run) {
    Evaluator<RealArithmetic> evaluator(numbers);
    std::vector<Evaluator<RealArithmetic>::Data> arguments;
    for (const double v : point) arguments.push_back(evaluator.from_array(Array(v)));
    const double found = evaluator.run(graph, arguments)[0]->data[0].real.to_double();
    most = std::max(most, bits_lost(found, exact));
  }
  Real::precision = 240;
  Real::rounding = MPFR_RNDN;
  return most;
}

/// Bits that a function of the library, rounded well, may lose.
inline constexpr double well_rounded = 2;

inline bool is_worse(double before, double after) {
  return after > before + 1 && after > well_rounded;
}

}  // namespace gnomon::test
