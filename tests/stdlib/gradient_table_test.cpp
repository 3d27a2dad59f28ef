// Every differentiable op of the table: its derivatives against MPFR or differences, vjp against
// jvp, and the derivatives of its derivatives.
#include <doctest/doctest.h>
#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <vector>

#include "frontend/mpfr/bessel_functions.h"
#include "frontend/mpfr/incomplete_functions.h"
#include "frontend/mpfr/special_functions.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/ops.h"
#include "tests/support/derivative_support.h"
#include "tests/support/mpfr_reference.h"
#include "tests/support/op_cases.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using gnomon::test::all_cases;
using gnomon::test::Case;
using gnomon::test::close;
using gnomon::test::differences;
using gnomon::test::exact_sigmoid;
using gnomon::test::exact_softplus;
using gnomon::test::Numbers;
using gnomon::test::numbers;
using gnomon::test::Out;
using gnomon::test::Point;
using gnomon::test::point_of;
using gnomon::test::Real;
using gnomon::test::scattered;
using gnomon::test::scattered_like;
using gnomon::test::value_at;

namespace {

using Reals = std::vector<Real>;
using Exact = std::function<Real(const Reals&)>;

template <class F>
Exact exact_of_one(F function) {
  return [function](const Reals& x) {
    Real y;
    function(y.get(), x[0].get(), MPFR_RNDN);
    return y;
  };
}

template <class F>
Exact exact_of_two(F function) {
  return [function](const Reals& x) {
    Real y;
    function(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
    return y;
  };
}

Exact of_real(Real (*function)(const Real&)) {
  return [function](const Reals& x) { return function(x[0]); };
}

Exact bessel_i(Real (*function)(int, const Real&), int order) {
  return [function, order](const Reals& x) { return function(order, x[0]); };
}

int exact_logaddexp(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t mode) {
  Real other;
  mpfr_exp(other.get(), y, mode);
  mpfr_exp(r, x, mode);
  mpfr_add(r, r, other.get(), mode);
  return mpfr_log(r, r, mode);
}

int exact_remainder(mpfr_ptr r, mpfr_srcptr x, mpfr_srcptr y, mpfr_rnd_t mode) {
  Real quotient;
  mpfr_div(quotient.get(), x, y, mode);
  mpfr_floor(quotient.get(), quotient.get());
  mpfr_mul(quotient.get(), quotient.get(), y, mode);
  return mpfr_sub(r, x, quotient.get(), mode);
}

/// An elementwise op, its exact function and points where it has derivatives: one list of
/// operands after the other.
struct GradientRow {
  const Op* op;
  Exact exact;
  std::vector<Numbers> points;
};

/// Points from the middle of the domain to its edges.
std::vector<Numbers> around(std::initializer_list<double> list) {
  std::vector<Numbers> points;
  for (const double x : list) points.push_back({x});
  return points;
}

const std::vector<Numbers> pairs = {{0.5, 1.25}, {-2.5, 0.75}, {3, -1.5}, {1e-3, 20}, {-40, -7}};
const std::vector<Numbers> bases = {{0.5, 1.25}, {2.5, -0.75}, {3, 2}, {1e-3, 2.5}, {7, -3}};
const std::vector<Numbers> triples = {{0.5, -1, 1.25}, {-2.5, -1, 2}, {3, 0.5, 1.5}, {2, -4, 9}};
const auto line = around({-20, -3.5, -1, -1e-3, 1e-8, 0.25, 1, 2.5, 15});
// For derivatives that are differences near 0.
const auto beside_zero = around({-20, -3.5, -1, -0.1, 0.25, 1, 2.5, 15});
const auto positive = around({1e-6, 0.25, 1, 2.5, 300});
const auto unit = around({-0.999, -0.5, -1e-6, 0.25, 0.75, 0.9999});

std::vector<GradientRow> exact_rows() {
  return {
      {&op::add, exact_of_two(mpfr_add), pairs},
      {&op::subtract, exact_of_two(mpfr_sub), pairs},
      {&op::multiply, exact_of_two(mpfr_mul), pairs},
      {&op::divide, exact_of_two(mpfr_div), pairs},
      {&op::remainder,
       exact_of_two(exact_remainder),
       {{5.5, 2}, {-5.5, 2}, {3.25, -1.5}, {0.5, 7}}},
      {&op::power, exact_of_two(mpfr_pow), bases},
      {&op::minimum, exact_of_two(mpfr_min), pairs},
      {&op::maximum, exact_of_two(mpfr_max), pairs},
      {&op::arctan2, exact_of_two(mpfr_atan2), pairs},
      {&op::hypot, exact_of_two(mpfr_hypot), pairs},
      {&op::logaddexp, exact_of_two(exact_logaddexp), pairs},
      {&op::copysign, exact_of_two(mpfr_copysign), pairs},
      // Next to the first operand: its derivative.
      {&op::nextafter, [](const Reals& x) { return x[0]; }, pairs},
      {&op::negative, exact_of_one(mpfr_neg), line},
      {&op::absolute, exact_of_one(mpfr_abs), line},
      {&op::square, exact_of_one(mpfr_sqr), line},
      {&op::sqrt, exact_of_one(mpfr_sqrt), positive},
      {&op::rsqrt, exact_of_one(mpfr_rec_sqrt), positive},
      {&op::reciprocal,
       [](const Reals& x) {
         Real y;
         mpfr_ui_div(y.get(), 1, x[0].get(), MPFR_RNDN);
         return y;
       },
       around({-20, -1, 1e-3, 0.25, 15})},
      {&op::exp, exact_of_one(mpfr_exp), line},
      {&op::exp2, exact_of_one(mpfr_exp2), line},
      {&op::expm1, exact_of_one(mpfr_expm1), line},
      {&op::log, exact_of_one(mpfr_log), positive},
      {&op::log2, exact_of_one(mpfr_log2), positive},
      {&op::log10, exact_of_one(mpfr_log10), positive},
      {&op::log1p, exact_of_one(mpfr_log1p), around({-0.999, -0.5, 1e-9, 0.25, 2.5, 300})},
      {&op::sin, exact_of_one(mpfr_sin), line},
      {&op::cos, exact_of_one(mpfr_cos), line},
      {&op::tan, exact_of_one(mpfr_tan), around({-4, -1.2, -1e-3, 0.25, 1.5, 2.5})},
      {&op::arcsin, exact_of_one(mpfr_asin), unit},
      {&op::arccos, exact_of_one(mpfr_acos), unit},
      {&op::arctan, exact_of_one(mpfr_atan), line},
      {&op::sinh, exact_of_one(mpfr_sinh), line},
      {&op::cosh, exact_of_one(mpfr_cosh), line},
      {&op::tanh, exact_of_one(mpfr_tanh), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::arcsinh, exact_of_one(mpfr_asinh), line},
      {&op::arccosh, exact_of_one(mpfr_acosh), around({1.001, 1.5, 3, 300})},
      {&op::arctanh, exact_of_one(mpfr_atanh), unit},
      {&op::erf, exact_of_one(mpfr_erf), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::erfc, exact_of_one(mpfr_erfc), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::erfcx, of_real(gnomon::test::exact_erfcx), around({-3.5, -1, 1e-8, 0.25, 2.5})},
      {&op::erfinv, of_real(gnomon::test::exact_erfinv), unit},
      {&op::erfcinv, of_real(gnomon::test::exact_erfcinv), around({1e-3, 0.25, 1.5, 1.9})},
      {&op::ndtr, of_real(gnomon::test::exact_ndtr), around({-3.5, -1, 1e-8, 0.25, 2.5})},
      {&op::log_ndtr, of_real(gnomon::test::exact_log_ndtr), around({-9, -1, 0, 0.25, 2.5, 45})},
      {&op::ndtri, of_real(gnomon::test::exact_ndtri), around({1e-3, 0.25, 0.75, 0.99})},
      {&op::ndtri_exp, of_real(gnomon::test::exact_ndtri_exp),
       around({-1e6, -200, -5, -1, -0.75, -0.5, -1e-3})},
      {&op::cbrt, exact_of_one(mpfr_cbrt), around({-20, -1e-3, 0.25, 15})},
      {&op::gamma, exact_of_one(mpfr_gamma), around({-2.25, -0.5, 1e-2, 0.25, 1, 3.5, 20})},
      {&op::trigamma, [](const Reals& x) { return gnomon::test::exact_zeta(Real(2), x[0]); },
       around({1e-2, 0.25, 1, 3.5, 80})},
      {&op::i0, bessel_i(gnomon::test::exact_bessel_i, 0), line},
      {&op::i1, bessel_i(gnomon::test::exact_bessel_i, 1), beside_zero},
      {&op::i0e, bessel_i(gnomon::test::exact_scaled_bessel_i, 0), line},
      {&op::i1e, bessel_i(gnomon::test::exact_scaled_bessel_i, 1), beside_zero},
      {&op::j0, exact_of_one(mpfr_j0), line},
      {&op::j1, exact_of_one(mpfr_j1), beside_zero},
      {&op::y0, exact_of_one(mpfr_y0), around({1e-2, 0.25, 1, 3.5, 15})},
      {&op::y1, exact_of_one(mpfr_y1), around({1e-2, 0.25, 1, 3.5, 15})},
      {&op::gammaln, of_real(gnomon::test::exact_gammaln), around({1e-3, 0.25, 1, 2, 3.5, 80})},
      {&op::digamma, exact_of_one(mpfr_digamma), around({1e-2, 0.25, 1, 2, 3.5, 80})},
      {&op::sigmoid, exact_of_one(exact_sigmoid), line},
      {&op::softplus, exact_of_one(exact_softplus), line},
      {&op::log1mexp, exact_of_one(test::exact_log1mexp), around({-1e-3, -0.25, -0.5, -2.5, -30})},
      {&op::clip,
       [](const Reals& x) {
         Real y;
         mpfr_max(y.get(), x[0].get(), x[1].get(), MPFR_RNDN);
         mpfr_min(y.get(), y.get(), x[2].get(), MPFR_RNDN);
         return y;
       },
       triples},
      {&op::fma,
       [](const Reals& x) {
         Real y;
         mpfr_fma(y.get(), x[0].get(), x[1].get(), x[2].get(), MPFR_RNDN);
         return y;
       },
       triples},
  };
}

/// The exact function with some operands moved by 2^exponent.
Real moved(const Exact& f, const Numbers& x, std::span<const int> directions, int exponent) {
  Reals operands(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) {
    Real step;
    mpfr_set_si_2exp(step.get(), directions[i], exponent, MPFR_RNDN);
    mpfr_add(operands[i].get(), operands[i].get(), step.get(), MPFR_RNDN);
  }
  return f(operands);
}

/// df / dx_i: a central difference in 240 bits, right to far more than float64.
double exact_first(const Exact& f, const Numbers& x, std::size_t i, int exponent = -60) {
  std::vector<int> directions(x.size(), 0);
  directions[i] = 1;
  const Real high = moved(f, x, directions, exponent);
  directions[i] = -1;
  const Real low = moved(f, x, directions, exponent);
  Real result;
  mpfr_sub(result.get(), high.get(), low.get(), MPFR_RNDN);
  mpfr_mul_2si(result.get(), result.get(), -exponent - 1, MPFR_RNDN);
  return result.to_double();
}

/// d^2 f / dx_i dx_j.
double exact_second(const Exact& f, const Numbers& x, std::size_t i, std::size_t j) {
  Real total;
  mpfr_set_zero(total.get(), 1);
  for (const int a : {-1, 1}) {
    for (const int b : {-1, 1}) {
      std::vector<int> directions(x.size(), 0);
      directions[i] += a;
      directions[j] += b;
      const Real corner = moved(f, x, directions, -50);
      (a * b > 0 ? mpfr_add : mpfr_sub)(total.get(), total.get(), corner.get(), MPFR_RNDN);
    }
  }
  mpfr_mul_2si(total.get(), total.get(), 98, MPFR_RNDN);
  return total.to_double();
}

/// The value of an expression after rewriting.
double rewritten_at(const Point& point, const Expr& e) {
  Context context = gnomon::test::checked_context();
  const Graph graph = capture(point.inputs, std::span(&e, 1)).graph;
  return evaluate(run_passes(graph, context), point.arrays)[0].item<double>();
}

std::string where_text(const Numbers& x) {
  std::string text;
  for (const double v : x) text += std::to_string(v) + " ";
  return text;
}

/// sum over outputs of sum(weights * output).
Expr weighted(std::span<const Expr> outputs, double seed) {
  Expr total;
  for (const Expr& y : outputs) {
    const Expr term = sum(y * scattered_like(y, seed));
    total = total.defined() ? total + term : term;
  }
  return total;
}

void check_transposed(const Point& point, std::span<const Expr> outputs, double tolerance) {
  Out tangents, cotangents;
  for (const Expr& x : point.inputs) tangents.push_back(scattered_like(x, 0.37));
  for (const Expr& y : outputs) cotangents.push_back(scattered_like(y, 0.71));
  const Out dy = jvp(outputs, point.inputs, tangents);
  const Out dx = vjp(outputs, point.inputs, cotangents);
  Expr forward = constant(0.0, float64), reverse = forward;
  for (std::size_t i = 0; i < dy.size(); ++i) {
    CHECK(dy[i].type() == outputs[i].type());
    forward = forward + sum(cast(dy[i], float64) * cotangents[i]);
  }
  for (std::size_t i = 0; i < dx.size(); ++i) {
    CHECK(dx[i].type() == point.inputs[i].type());
    reverse = reverse + sum(cast(dx[i], float64) * tangents[i]);
  }
  CHECK(close(value_at(point, forward), value_at(point, reverse), tolerance));
}

void check_differences(const Point& point, const Expr& cost, double tolerance) {
  const Out gradients = grad(cost, point.inputs, {Disconnected::zero});
  for (std::size_t i = 0; i < gradients.size(); ++i)
    CHECK(close(value_at(point, gradients[i]), differences(point, cost, i), tolerance));
}

/// Ops that never see a derivative, though a float goes in or out.
const std::set<std::string> leaves = {"input",    "shared_variable", "param",
                                      "constant", "extent",          "arange",
                                      "eye",      "stop_gradient",   "take_along"};

/// Ops that complex_derivative_test.cpp and fourier_test.cpp differentiate.
const std::set<std::string> of_complex_numbers = {"complex", "real", "imag",  "conj", "angle",
                                                  "fft",     "rfft", "irfft", "eig",  "eigvals"};

}  // namespace

TEST_CASE("every op with a derivative has a row or a case") {
  std::set<std::string> covered;
  for (const GradientRow& row : exact_rows()) covered.insert(std::string(row.op->name));
  for (const Case& c : all_cases()) {
    const std::string name = c.name;
    covered.insert(name.substr(0, name.find(' ')));
  }
  for (const Op* op : all_ops()) {
    const std::string name(op->name);
    if (leaves.contains(name) || of_complex_numbers.contains(name)) continue;
    CAPTURE(name);
    const bool flat = op->has(Trait::piecewise_constant) || !op->is_differentiable();
    CHECK((flat || covered.contains(name)));
    CHECK((op->vjp == nullptr) == (op->jvp == nullptr));
  }
}

TEST_CASE("first and second derivatives of elementwise ops agree with MPFR") {
  for (const GradientRow& row : exact_rows()) {
    CAPTURE(row.op->name);
    for (const Numbers& x : row.points) {
      CAPTURE(where_text(x));
      Point point;
      std::vector<Arg> args;
      for (const double v : x) {
        point.add(scalar("x" + std::to_string(point.inputs.size())), {v});
        args.emplace_back(point.inputs.back());
      }
      const Expr y = apply(*row.op, std::span<const Arg>(args));
      const Out dx = grad(y, point.inputs, {Disconnected::zero});
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(close(value_at(point, dx[i]), {exact_first(row.exact, x, i)}, 1e-13));
        const Out ddx = grad(dx[i], point.inputs, {Disconnected::zero});
        for (std::size_t j = 0; j < x.size(); ++j)
          CHECK(close(value_at(point, ddx[j]), {exact_second(row.exact, x, i, j)}, 1e-11));
      }
      check_transposed(point, std::span(&y, 1), 1e-14);
    }
  }
}

TEST_CASE("elementwise ops sum the cotangents of stretched operands") {
  for (const GradientRow& row : exact_rows()) {
    if (row.points.front().size() != 2) continue;
    CAPTURE(row.op->name);
    Point point;
    point.add(tensor("x", float64, {3, 1}), {0.5, 1.25, 2.5});
    point.add(tensor("y", float64, {2}), {0.75, 1.5});
    const Expr y = apply(*row.op, {point.inputs[0], point.inputs[1]});
    check_transposed(point, std::span(&y, 1), 1e-13);
    check_differences(point, weighted(std::span(&y, 1), 0.2), 1e-8);
  }
}

TEST_CASE("derivatives of the other ops agree with differences, to second order") {
  for (const Case& c : all_cases()) {
    CAPTURE(c.name);
    const Point point = point_of(c);
    const Out y = c.f(point.inputs);
    check_transposed(point, y, 1e-12);
    check_differences(point, weighted(y, 0.2), 1e-9);
    Out dx;
    for (const Expr& g : grad(weighted(y, 0.2), point.inputs, {Disconnected::zero}))
      dx.push_back(g);
    check_transposed(point, dx, 1e-11);
    check_differences(point, weighted(dx, 0.6), 1e-8);
  }
}

TEST_CASE("first and second derivatives in float32 are those of float32 numbers") {
  for (const GradientRow& row : exact_rows()) {
    CAPTURE(row.op->name);
    for (Numbers x : row.points) {
      Point point;
      std::vector<Arg> args;
      for (double& v : x) {
        v = static_cast<float>(v);
        point.add(scalar("x" + std::to_string(point.inputs.size()), float32), {v});
        args.emplace_back(point.inputs.back());
      }
      CAPTURE(where_text(x));
      const Expr y = apply(*row.op, std::span<const Arg>(args));
      const Out dx = grad(y, point.inputs, {Disconnected::zero});
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(dx[i].dtype() == float32);
        CHECK(close(value_at(point, dx[i]), {exact_first(row.exact, x, i)}, 4e-6));
        const Out ddx = grad(dx[i], point.inputs, {Disconnected::zero});
        for (std::size_t j = 0; j < x.size(); ++j)
          CHECK(close(value_at(point, ddx[j]), {exact_second(row.exact, x, i, j)}, 1e-4));
      }
      check_transposed(point, std::span(&y, 1), 4e-6);
    }
  }
}

TEST_CASE("derivatives of the other ops in float32 agree with those in float64") {
  for (const Case& c : all_cases()) {
    CAPTURE(c.name);
    const Point single = point_of(c, float32);
    Point precise = point_of(c);
    for (std::size_t i = 0; i < precise.inputs.size(); ++i)
      precise = precise.with_changed(i, numbers(single.arrays[i]));
    const Out y = c.f(single.inputs);
    const Out dx = grad(weighted(y, 0.2), single.inputs, {Disconnected::zero});
    const Out wanted =
        grad(weighted(c.f(precise.inputs), 0.2), precise.inputs, {Disconnected::zero});
    for (std::size_t i = 0; i < dx.size(); ++i) {
      CHECK(dx[i].dtype() == float32);
      CHECK(close(value_at(single, dx[i]), value_at(precise, wanted[i]), 1e-4));
    }
    check_transposed(single, y, 1e-4);
  }
}

/// Far out, close to 0 and close to the ends of the domain.
Numbers edges_of(const Op& op) {
  Numbers points;
  for (const double x : {-300.5, -40.5, -1e-8, -1e-30, 1e-30, 1e-8, 40.5, 300.5, 1e5})
    if (x > op.domain.low && x < op.domain.high) points.push_back(x);
  if (op.domain.low == -1 || op.domain.low == 1) points.push_back(op.domain.low + 0x1p-50);
  if (op.domain.high == 1 || op.domain.high == 2) points.push_back(op.domain.high - 0x1p-50);
  return points;
}

TEST_CASE("derivatives far out and at the ends of domains keep their digits") {
  for (const GradientRow& row : exact_rows()) {
    if (row.points.front().size() != 1) continue;
    // 1 - tanh(x)^2 and i1e(x) - i0e(x) are right to an absolute error.
    const bool absolute = row.op == &op::tanh || row.op == &op::i0e || row.op == &op::i1e;
    CAPTURE(row.op->name);
    for (const double at : edges_of(*row.op)) {
      CAPTURE(at);
      Real::precision = 800;
      const double wanted = exact_first(row.exact, {at}, 0, std::ilogb(at) - 90);
      Real::precision = 240;
      if (std::isnan(wanted)) continue;  // the function itself overflows
      const Point point = Point().with(scalar("x"), {at});
      const double found =
          rewritten_at(point, grad(apply(*row.op, {point.inputs[0]}), point.inputs[0]));
      const double error = std::fabs(found - wanted);
      const double scale = absolute ? 1 : std::fabs(wanted);
      CHECK((found == wanted || error <= 1e-12 * scale));
    }
  }
}

/// Derivatives where an operand is infinite or at the end of the domain: limits from within.
struct Limit {
  const Op* op;
  Numbers at, expected;
};

std::vector<Limit> limits() {
  const double inf = std::numeric_limits<double>::infinity(), none = std::nan("");
  const double c = 2 * std::numbers::inv_sqrtpi, pi = std::numbers::pi;
  return {
      {&op::negative, {inf}, {-1}},
      {&op::absolute, {0}, {0}},
      {&op::absolute, {-inf}, {-1}},
      {&op::square, {0}, {0}},
      {&op::square, {-inf}, {-inf}},
      {&op::sqrt, {0}, {inf}},
      {&op::sqrt, {inf}, {0}},
      {&op::rsqrt, {0}, {-inf}},
      {&op::rsqrt, {inf}, {0}},
      {&op::reciprocal, {0}, {-inf}},
      {&op::reciprocal, {-inf}, {0}},
      {&op::exp, {-inf}, {0}},
      {&op::exp, {inf}, {inf}},
      {&op::exp2, {-inf}, {0}},
      {&op::exp2, {inf}, {inf}},
      {&op::expm1, {-inf}, {0}},
      {&op::expm1, {inf}, {inf}},
      {&op::log, {0}, {inf}},
      {&op::log, {inf}, {0}},
      {&op::log2, {0}, {inf}},
      {&op::log2, {inf}, {0}},
      {&op::log10, {0}, {inf}},
      {&op::log10, {inf}, {0}},
      {&op::log1p, {-1}, {inf}},
      {&op::log1p, {inf}, {0}},
      {&op::cbrt, {0}, {inf}},
      {&op::cbrt, {-inf}, {0}},
      {&op::sin, {0}, {1}},
      {&op::sin, {1e22}, {0.5232147853951389}},  // Ng, Argument reduction for huge arguments
      {&op::sin, {inf}, {none}},
      {&op::cos, {0}, {0}},
      {&op::cos, {1e22}, {0.8522008497671888}},
      {&op::cos, {-inf}, {none}},
      {&op::tan, {0}, {1}},
      {&op::tan, {inf}, {none}},
      {&op::arcsin, {-1}, {inf}},
      {&op::arcsin, {1}, {inf}},
      {&op::arccos, {-1}, {-inf}},
      {&op::arccos, {1}, {-inf}},
      {&op::arctan, {-inf}, {0}},
      {&op::sinh, {-inf}, {inf}},
      {&op::cosh, {-inf}, {-inf}},
      {&op::tanh, {-inf}, {0}},
      {&op::arcsinh, {inf}, {0}},
      {&op::arccosh, {1}, {inf}},
      {&op::arccosh, {inf}, {0}},
      {&op::arctanh, {-1}, {inf}},
      {&op::arctanh, {1}, {inf}},
      {&op::erf, {0}, {c}},
      {&op::erf, {-inf}, {0}},
      {&op::erfc, {0}, {-c}},
      {&op::erfc, {inf}, {0}},
      {&op::erfcx, {-inf}, {-inf}},
      {&op::erfcx, {inf}, {0}},
      {&op::erfinv, {-1}, {inf}},
      {&op::erfinv, {0}, {1 / c}},
      {&op::erfinv, {1}, {inf}},
      {&op::erfcinv, {0}, {-inf}},
      {&op::erfcinv, {2}, {-inf}},
      {&op::ndtr, {-inf}, {0}},
      {&op::ndtr, {0}, {1 / std::sqrt(2 * pi)}},
      {&op::log_ndtr, {-inf}, {inf}},
      {&op::log_ndtr, {inf}, {0}},
      {&op::ndtri, {0}, {inf}},
      {&op::ndtri, {1}, {inf}},
      {&op::ndtri_exp, {-inf}, {0}},
      {&op::ndtri_exp, {0}, {inf}},
      {&op::gamma, {0}, {-inf}},
      {&op::gamma, {inf}, {inf}},
      {&op::gamma, {-2}, {none}},
      {&op::gammaln, {0}, {-inf}},
      {&op::gammaln, {inf}, {inf}},
      {&op::digamma, {0}, {inf}},
      {&op::digamma, {inf}, {0}},
      {&op::trigamma, {0}, {-inf}},
      {&op::trigamma, {inf}, {0}},
      {&op::i0, {0}, {0}},
      {&op::i0, {-inf}, {-inf}},
      {&op::i1, {0}, {0.5}},
      {&op::i1, {800}, {inf}},
      {&op::i1, {-inf}, {inf}},
      {&op::i0e, {0}, {0}},
      {&op::i0e, {inf}, {0}},
      {&op::i1e, {0}, {0.5}},
      {&op::i1e, {-inf}, {0}},
      {&op::j0, {0}, {0}},
      {&op::j0, {inf}, {0}},
      {&op::j1, {0}, {0.5}},
      {&op::j1, {-inf}, {0}},
      {&op::y0, {0}, {inf}},
      {&op::y0, {inf}, {0}},
      {&op::y1, {1e-200}, {inf}},
      {&op::y1, {inf}, {0}},
      {&op::sigmoid, {-1000}, {0}},
      {&op::sigmoid, {0}, {0.25}},
      {&op::sigmoid, {inf}, {0}},
      {&op::softplus, {-inf}, {0}},
      {&op::softplus, {0}, {0.5}},
      {&op::softplus, {inf}, {1}},
      {&op::log1mexp, {-inf}, {0}},
      {&op::log1mexp, {-0.0}, {-inf}},
      {&op::add, {inf, 1}, {1, 1}},
      {&op::subtract, {inf, 1}, {1, -1}},
      {&op::multiply, {inf, 0}, {0, inf}},
      {&op::divide, {1, 0}, {inf, -inf}},
      {&op::divide, {1, inf}, {0, 0}},
      {&op::divide, {1e-300, 1e-300}, {1e300, -1e300}},
      {&op::remainder, {5, inf}, {1, 0}},
      {&op::power, {0, 0.5}, {inf, 0}},
      {&op::power, {0, 2}, {0, 0}},
      {&op::power, {inf, 0}, {0, inf}},
      {&op::minimum, {inf, 1}, {0, 1}},
      {&op::minimum, {2, 2}, {0.5, 0.5}},
      {&op::maximum, {-inf, 1}, {0, 1}},
      {&op::maximum, {-inf, -inf}, {0.5, 0.5}},
      {&op::arctan2, {0, -1}, {-1, 0}},
      {&op::arctan2, {1e200, 1e200}, {5e-201, -5e-201}},
      {&op::arctan2, {1e-200, 1e-200}, {5e199, -5e199}},
      {&op::arctan2, {0, 0}, {none, none}},
      {&op::hypot, {0, 0}, {0, 0}},
      {&op::hypot, {3e200, 4e200}, {0.6, 0.8}},
      {&op::hypot, {3e-200, 4e-200}, {0.6, 0.8}},
      {&op::logaddexp, {1000, 1000}, {0.5, 0.5}},
      {&op::logaddexp, {-inf, 3}, {0, 1}},
      {&op::logaddexp, {inf, 3}, {1, 0}},
      {&op::copysign, {0, -1}, {0, 0}},
      {&op::copysign, {inf, -1}, {-1, 0}},
      {&op::nextafter, {0, 1}, {1, 0}},
      {&op::clip, {0, 0, 1}, {1, 0, 0}},
      {&op::clip, {inf, 0, 1}, {0, 0, 1}},
      {&op::fma, {inf, 0, 1}, {0, inf, 1}},
  };
}

TEST_CASE("derivatives by infinite operands and at the ends of domains are limits from within") {
  std::set<const Op*> covered;
  for (const Limit& limit : limits()) {
    covered.insert(limit.op);
    CAPTURE(limit.op->name);
    CAPTURE(where_text(limit.at));
    const bool single = std::all_of(limit.at.begin(), limit.at.end(),
                                    [](double v) { return static_cast<float>(v) == v; });
    for (const DType t : {float64, float32}) {
      if (t == float32 && !single) continue;
      const double epsilon = t == float32 ? 0x1p-23 : 0x1p-52;
      Point point;
      std::vector<Arg> args;
      for (const double v : limit.at) {
        point.add(scalar("x", t), {v});
        args.emplace_back(point.inputs.back());
      }
      const Out dx =
          grad(apply(*limit.op, std::span<const Arg>(args)), point.inputs, {Disconnected::zero});
      for (std::size_t i = 0; i < dx.size(); ++i) {
        const double found = value_at(point, dx[i])[0], wanted = limit.expected[i];
        CAPTURE(found);
        const bool same = found == wanted || (std::isnan(found) && std::isnan(wanted));
        CHECK((same || std::fabs(found - wanted) <= 4 * epsilon * std::fabs(wanted)));
      }
    }
  }
  for (const GradientRow& row : exact_rows()) {
    CAPTURE(row.op->name);
    CHECK(covered.contains(row.op));
  }
}

TEST_CASE("derivatives at the edges of domains are the stated ones") {
  const double infinite = std::numeric_limits<double>::infinity();
  struct Edge {
    const char* name;
    Expr (*f)(const Expr&);
    double at, expected;
  };
  const Edge edges[] = {
      {"sqrt at 0", [](const Expr& x) { return sqrt(x); }, 0, infinite},
      {"square root of a square at 0", [](const Expr& x) { return absolute(x); }, 0, 0},
      {"power 2 at 0", [](const Expr& x) { return power(x, 2); }, 0, 0},
      {"power 1 at 0", [](const Expr& x) { return power(x, 1); }, 0, 1},
      {"power 0 at 0", [](const Expr& x) { return power(x, 0) + x; }, 0, 1},
      {"hypot at 0", [](const Expr& x) { return hypot(x, x); }, 0, 0},
      {"tie of maximum", [](const Expr& x) { return maximum(x, 1 * x); }, 2, 1},
      {"maximum with its bound", [](const Expr& x) { return maximum(x, 0); }, 0, 0.5},
      {"clip at its bound", [](const Expr& x) { return clip(x, 0, 1); }, 0, 1},
      {"sigmoid far below", [](const Expr& x) { return sigmoid(x); }, -1000, 0},
      {"softplus far above", [](const Expr& x) { return softplus(x); }, 1000, 1},
      {"softplus far below", [](const Expr& x) { return softplus(x); }, -1000, 0},
      {"tanh far above", [](const Expr& x) { return tanh(x); }, 1000, 0},
      {"log1p at 0", [](const Expr& x) { return log1p(x); }, 0, 1},
  };
  for (const Edge& edge : edges) {
    CAPTURE(edge.name);
    const Expr x = scalar("x");
    CHECK(value_at(Point().with(x, {edge.at}), grad(edge.f(x), x)) == Numbers{edge.expected});
  }
}

TEST_CASE("a product with zeros among its factors has finite derivatives") {
  const Expr x = tensor("x", float64, {3});
  const Expr dx = grad(prod(x), x);
  CHECK(close(value_at(Point().with(x, {2, 0, 5}), dx), {0, 10, 0}, 0));
  CHECK(close(value_at(Point().with(x, {0, 0, 5}), dx), {0, 0, 0}, 0));
}

TEST_CASE("the second derivative of prod is right where factors are zero") {
  const Expr x = tensor("x", float64, {3});
  const Expr dx = grad(prod(x), x);
  const Expr cost = sum(dx * scattered_like(x, 0.1));
  const Expr ddx = grad(cost, x);
  for (const Numbers& at :
       {Numbers{2, 0, 5}, Numbers{0, 0, 5}, Numbers{2, 3, 5}, Numbers{0, 0, 0}}) {
    const Point point = Point().with(x, at);
    CHECK(close(value_at(point, dx), differences(point, prod(x), 0), 1e-9));
    CHECK(close(value_at(point, ddx), differences(point, cost, 0), 1e-9));
  }
}
