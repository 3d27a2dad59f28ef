// Every differentiable op of the table: its derivatives against MPFR or differences, vjp against
// jvp, and the derivatives of its derivatives.
#include <doctest/doctest.h>
#include <mpfr.h>

#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "derivative_support.h"
#include "mpfr_reference.h"
#include "passes/gradient.h"
#include "stdlib/ops.h"
#include "tests/bessel_functions.h"
#include "tests/incomplete_functions.h"
#include "tests/op_cases.h"
#include "tests/special_functions.h"

using namespace gnomon;
using gnomon::test::all_cases;
using gnomon::test::Case;
using gnomon::test::close;
using gnomon::test::differences;
using gnomon::test::Numbers;
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
Exact of_one(F function) {
  return [function](const Reals& x) {
    Real y;
    function(y.get(), x[0].get(), MPFR_RNDN);
    return y;
  };
}

template <class F>
Exact of_two(F function) {
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

int exact_sigmoid(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_neg(y, x, mode);
  mpfr_exp(y, y, mode);
  mpfr_add_ui(y, y, 1, mode);
  return mpfr_ui_div(y, 1, y, mode);
}

int exact_softplus(mpfr_ptr y, mpfr_srcptr x, mpfr_rnd_t mode) {
  mpfr_exp(y, x, mode);
  return mpfr_log1p(y, y, mode);
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
struct Row {
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

std::vector<Row> exact_rows() {
  return {
      {&op::add, of_two(mpfr_add), pairs},
      {&op::subtract, of_two(mpfr_sub), pairs},
      {&op::multiply, of_two(mpfr_mul), pairs},
      {&op::divide, of_two(mpfr_div), pairs},
      {&op::remainder, of_two(exact_remainder), {{5.5, 2}, {-5.5, 2}, {3.25, -1.5}, {0.5, 7}}},
      {&op::power, of_two(mpfr_pow), bases},
      {&op::minimum, of_two(mpfr_min), pairs},
      {&op::maximum, of_two(mpfr_max), pairs},
      {&op::arctan2, of_two(mpfr_atan2), pairs},
      {&op::hypot, of_two(mpfr_hypot), pairs},
      {&op::logaddexp, of_two(exact_logaddexp), pairs},
      {&op::copysign, of_two(mpfr_copysign), pairs},
      // Next to the first operand: its derivative.
      {&op::nextafter, [](const Reals& x) { return x[0]; }, pairs},
      {&op::negative, of_one(mpfr_neg), line},
      {&op::absolute, of_one(mpfr_abs), line},
      {&op::square, of_one(mpfr_sqr), line},
      {&op::sqrt, of_one(mpfr_sqrt), positive},
      {&op::rsqrt, of_one(mpfr_rec_sqrt), positive},
      {&op::reciprocal,
       [](const Reals& x) {
         Real y;
         mpfr_ui_div(y.get(), 1, x[0].get(), MPFR_RNDN);
         return y;
       },
       around({-20, -1, 1e-3, 0.25, 15})},
      {&op::exp, of_one(mpfr_exp), line},
      {&op::exp2, of_one(mpfr_exp2), line},
      {&op::expm1, of_one(mpfr_expm1), line},
      {&op::log, of_one(mpfr_log), positive},
      {&op::log2, of_one(mpfr_log2), positive},
      {&op::log10, of_one(mpfr_log10), positive},
      {&op::log1p, of_one(mpfr_log1p), around({-0.999, -0.5, 1e-9, 0.25, 2.5, 300})},
      {&op::sin, of_one(mpfr_sin), line},
      {&op::cos, of_one(mpfr_cos), line},
      {&op::tan, of_one(mpfr_tan), around({-4, -1.2, -1e-3, 0.25, 1.5, 2.5})},
      {&op::arcsin, of_one(mpfr_asin), unit},
      {&op::arccos, of_one(mpfr_acos), unit},
      {&op::arctan, of_one(mpfr_atan), line},
      {&op::sinh, of_one(mpfr_sinh), line},
      {&op::cosh, of_one(mpfr_cosh), line},
      {&op::tanh, of_one(mpfr_tanh), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::arcsinh, of_one(mpfr_asinh), line},
      {&op::arccosh, of_one(mpfr_acosh), around({1.001, 1.5, 3, 300})},
      {&op::arctanh, of_one(mpfr_atanh), unit},
      {&op::erf, of_one(mpfr_erf), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::erfc, of_one(mpfr_erfc), around({-3.5, -1, -1e-3, 1e-8, 0.25, 2.5})},
      {&op::erfcx, of_real(gnomon::test::exact_erfcx), around({-3.5, -1, 1e-8, 0.25, 2.5})},
      {&op::erfinv, of_real(gnomon::test::exact_erfinv), unit},
      {&op::erfcinv, of_real(gnomon::test::exact_erfcinv), around({1e-3, 0.25, 1.5, 1.9})},
      {&op::ndtr, of_real(gnomon::test::exact_ndtr), around({-3.5, -1, 1e-8, 0.25, 2.5})},
      {&op::log_ndtr, of_real(gnomon::test::exact_log_ndtr), around({-9, -1, 0, 0.25, 2.5, 45})},
      {&op::ndtri, of_real(gnomon::test::exact_ndtri), around({1e-3, 0.25, 0.75, 0.99})},
      {&op::cbrt, of_one(mpfr_cbrt), around({-20, -1e-3, 0.25, 15})},
      {&op::gamma, of_one(mpfr_gamma), around({-2.25, -0.5, 1e-2, 0.25, 1, 3.5, 20})},
      {&op::trigamma, [](const Reals& x) { return gnomon::test::exact_zeta(Real(2), x[0]); },
       around({1e-2, 0.25, 1, 3.5, 80})},
      {&op::i0, bessel_i(gnomon::test::exact_bessel_i, 0), line},
      {&op::i1, bessel_i(gnomon::test::exact_bessel_i, 1), beside_zero},
      {&op::i0e, bessel_i(gnomon::test::exact_scaled_bessel_i, 0), line},
      {&op::i1e, bessel_i(gnomon::test::exact_scaled_bessel_i, 1), beside_zero},
      {&op::j0, of_one(mpfr_j0), line},
      {&op::j1, of_one(mpfr_j1), beside_zero},
      {&op::y0, of_one(mpfr_y0), around({1e-2, 0.25, 1, 3.5, 15})},
      {&op::y1, of_one(mpfr_y1), around({1e-2, 0.25, 1, 3.5, 15})},
      {&op::gammaln, of_real(gnomon::test::exact_gammaln), around({1e-3, 0.25, 1, 2, 3.5, 80})},
      {&op::digamma, of_one(mpfr_digamma), around({1e-2, 0.25, 1, 2, 3.5, 80})},
      {&op::sigmoid, of_one(exact_sigmoid), line},
      {&op::softplus, of_one(exact_softplus), line},
      {&op::log1mexp, of_one(test::exact_log1mexp), around({-1e-3, -0.25, -0.5, -2.5, -30})},
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
double exact_first(const Exact& f, const Numbers& x, std::size_t i) {
  std::vector<int> directions(x.size(), 0);
  directions[i] = 1;
  const Real high = moved(f, x, directions, -60);
  directions[i] = -1;
  const Real low = moved(f, x, directions, -60);
  Real result;
  mpfr_sub(result.get(), high.get(), low.get(), MPFR_RNDN);
  mpfr_mul_2si(result.get(), result.get(), 59, MPFR_RNDN);
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
    total = total ? total + term : term;
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
    forward = forward + sum(dy[i] * cotangents[i]);
  }
  for (std::size_t i = 0; i < dx.size(); ++i) {
    CHECK(dx[i].type() == point.inputs[i].type());
    reverse = reverse + sum(dx[i] * tangents[i]);
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
const std::set<std::string> of_complex_numbers = {"complex", "real", "imag", "conj",
                                                  "angle",   "fft",  "rfft", "irfft"};

}  // namespace

TEST_CASE("every op with a derivative has a row or a case") {
  std::set<std::string> covered;
  for (const Row& row : exact_rows()) covered.insert(std::string(row.op->name));
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
  for (const Row& row : exact_rows()) {
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
  for (const Row& row : exact_rows()) {
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

TEST_CASE("float32 derivatives stay float32") {
  for (const Row& row : exact_rows()) {
    CAPTURE(row.op->name);
    std::vector<Arg> args;
    std::vector<Expr> inputs;
    for (std::size_t i = 0; i < row.points.front().size(); ++i) {
      inputs.push_back(scalar("x" + std::to_string(i), float32));
      args.emplace_back(inputs.back());
    }
    for (const Expr& dx :
         grad(apply(*row.op, std::span<const Arg>(args)), inputs, {Disconnected::zero}))
      CHECK(dx.dtype() == float32);
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
