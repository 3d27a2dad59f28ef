// Derivatives that are not the usual ones: rules of one's own, constants, clipped, recomputed; and
// by all elements at once, and of third order.
#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "ir/text/text.h"
#include "passes/derivatives/full_derivatives.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "runtime/error.h"
#include "stdlib/control/custom_gradients.h"
#include "stdlib/ops.h"
#include "tests/support/derivative_support.h"
#include "tests/support/op_cases.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Expr weighted(std::span<const Expr> outputs, double seed) {
  Expr total;
  for (const Expr& y : outputs) {
    const Expr term = sum(y * scattered_like(y, seed));
    total = total.defined() ? total + term : term;
  }
  return total;
}

}  // namespace

TEST_CASE("third derivatives agree with differences of second ones") {
  std::vector<Case> cases = reduction_cases();
  for (const auto& more : {movement_cases(), body_cases()})
    cases.insert(cases.end(), more.begin(), more.end());
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Point point = point_of(c);
    Expr cost = weighted(c.f(point.inputs), 0.2);
    for (const double seed : {0.4, 0.6})
      cost = weighted(grad(cost, point.inputs, {Disconnected::zero}), seed);
    const Out third = grad(cost, point.inputs, {Disconnected::zero});
    for (std::size_t i = 0; i < third.size(); ++i)
      CHECK(close(value_at(point, third[i]), differences(point, cost, i), 1e-7));
  }
}

TEST_CASE("third derivatives of functions are those of mathematics") {
  struct Row {
    Expr (*f)(const Expr&);
    double (*third)(double);
  };
  const Row rows[] = {
      {[](const Expr& x) { return exp(2 * x); }, [](double x) { return 8 * std::exp(2 * x); }},
      {[](const Expr& x) { return log(x); }, [](double x) { return 2 / (x * x * x); }},
      {[](const Expr& x) { return sin(x); }, [](double x) { return -std::cos(x); }},
      {[](const Expr& x) { return sqrt(x); }, [](double x) { return 0.375 * std::pow(x, -2.5); }},
      {[](const Expr& x) { return power(x, 4.0); }, [](double x) { return 24 * x; }},
      {[](const Expr& x) { return 1 / x; }, [](double x) { return -6 * std::pow(x, -4); }},
      {[](const Expr& x) { return arctan(x); },
       [](double x) { return (6 * x * x - 2) / std::pow(1 + x * x, 3); }},
      {[](const Expr& x) { return tanh(x); },
       [](double x) {
         const double t = std::tanh(x), s = 1 - t * t;
         return -2 * s * (s - 2 * t * t);
       }},
      {[](const Expr& x) { return x * log(x); }, [](double x) { return -1 / (x * x); }},
  };
  for (const Row& row : rows)
    for (const double at : {0.25, 0.75, 2.5}) {
      const Expr x = scalar("x");
      const Expr third = grad(grad(grad(row.f(x), x), x), x);
      CHECK(value_at(Point().with(x, {at}), third)[0] ==
            doctest::Approx(row.third(at)).epsilon(1e-12));
    }
}

TEST_CASE("Jacobians, Hessians and products with them") {
  const Expr x = f64("x", {3}), w = f64("w", {2, 3}), t = f64("t", {3});
  const Expr y = tanh(matmul(w, x)) * x(until(2)), cost = sum(square(y)) * sum(exp(x));
  const Point point =
      Point().with(x, {0.5, -1, 0.25}).with(w, {0.5, 2, -1, 0.75, 0.1, 1}).with(t, {1, -2, 0.5});
  const Expr inputs[] = {x, w};
  const std::vector<Expr> j = jacobian(y, inputs);
  CHECK(j[0].shape() == Shape{2, 3});
  CHECK(j[1].shape() == Shape{2, 2, 3});
  for (int row = 0; row < 2; ++row)
    for (std::size_t k = 0; k < 2; ++k)
      CHECK(close(value_at(point, reshape(j[k](row), {Dim(-1)})), differences(point, y(row), k),
                  1e-9));
  // By fewer inputs than outputs, which goes forwards.
  const Expr wide = reshape(outer(x, w), {Dim(-1)});
  const Expr by_x = jacobian(wide, std::span(inputs, 1))[0];
  CHECK(close(value_at(point, by_x(4)), differences(point, wide(4), 0), 1e-9));
  const auto h = hessian(cost, inputs);
  CHECK(h[1][0].shape() == Shape{2, 3, 3});
  const Expr slope = grad(cost, x);
  for (int row = 0; row < 3; ++row) {
    CHECK(close(value_at(point, h[0][0](row)), differences(point, slope(row), 0), 1e-8));
    CHECK(close(value_at(point, reshape(h[0][1](row), {Dim(-1)})),
                differences(point, slope(row), 1), 1e-8));
  }
  const Expr tangents[] = {t, Expr()};
  const std::vector<Expr> product = hvp(cost, inputs, tangents);
  CHECK(close(value_at(point, product[0]), value_at(point, matmul(h[0][0], t)), 1e-13));
  CHECK(close(value_at(point, reshape(product[1], {Dim(-1)})),
              value_at(point, reshape(tensordot(h[1][0], t, {2}, {0}), {Dim(-1)})), 1e-13));
  const Expr i = vector("i", int64);
  CHECK_THROWS_AS(jacobian(i, std::span(inputs, 1)), TypeError);
}

TEST_CASE("an operation may have derivative rules of its own") {
  const Expr x = scalar("x"), y = scalar("y");
  const Expr inputs[] = {x, y}, outputs[] = {x * y};
  const auto vjp_rule = [](std::span<const Expr> in, std::span<const Expr> out,
                           std::span<const Expr> d) {
    return std::vector<Expr>{d[0] * in[1] * 10, d[0] * out[0]};
  };
  const auto jvp_rule = [](std::span<const Expr> in, std::span<const Expr>,
                           std::span<const Expr> d) {
    return std::vector<Expr>{d[0] * in[1] * 10 + d[1] * 100};
  };
  const Point point = Point().with(x, {2}).with(y, {3});
  const Expr z = OpFromGraph(inputs, outputs, {vjp_rule, jvp_rule})(inputs)[0];
  CHECK(value_at(point, z) == Numbers{6});
  const auto [dx, dy] = grad(z * 2, x, y);
  CHECK(value_at(point, dx) == Numbers{60});
  CHECK(value_at(point, dy) == Numbers{12});
  CHECK(value_at(point, grad(dx, y)) == Numbers{20});
  const Expr tangents[] = {constant(1.0, float64), constant(1.0, float64)};
  CHECK(value_at(point, jvp(std::span(&z, 1), inputs, tangents)[0]) == Numbers{130});

  const Expr one_way = OpFromGraph(inputs, outputs, {vjp_rule, nullptr})(inputs)[0];
  CHECK_THROWS_WITH_AS(jvp(std::span(&one_way, 1), inputs, tangents),
                       doctest::Contains("vjp rule of its own only"), TypeError);
  const Expr captured[] = {x * y * scalar("c")};
  CHECK_THROWS_WITH_AS(OpFromGraph(inputs, captured, {vjp_rule, nullptr}),
                       doctest::Contains("c: f64"), TypeError);
  const auto short_rule = [](std::span<const Expr>, std::span<const Expr>,
                             std::span<const Expr> d) { return std::vector<Expr>{d[0]}; };
  CHECK_THROWS_WITH_AS(OpFromGraph(inputs, outputs, {short_rule, nullptr}),
                       doctest::Contains("2 values"), TypeError);
  // What a rule makes of constants alone is its own.
  const auto with_constants = [](std::span<const Expr>, std::span<const Expr>,
                                 std::span<const Expr> d) {
    const Expr seven = sum(expand_dims(full(Shape{Dim(7)}, 1.0), 1));
    return std::vector<Expr>{d[0] * seven, Expr()};
  };
  const Expr sevenfold = OpFromGraph(inputs, outputs, {with_constants, nullptr})(inputs)[0];
  CHECK(value_at(point, grad(sevenfold, x)) == Numbers{7});
}

TEST_CASE("rules of one's own serve batches, also of what examples have in common") {
  const Expr x = scalar("x"), y = scalar("y"), xs = f64("xs", {3});
  const Expr inputs[] = {x, y}, outputs[] = {x * y};
  const OpFromGraph f(
      inputs, outputs,
      {[](std::span<const Expr> in, std::span<const Expr>, std::span<const Expr> d) {
         return std::vector<Expr>{d[0] * in[1] * 10, d[0] * in[0] * 10};
       },
       nullptr});
  const Expr one = f(inputs)[0];
  const Expr all = vectorize(std::span(&one, 1), std::span(&x, 1), std::span(&xs, 1))[0];
  const Point point = Point().with(xs, {1, 2, 4}).with(y, {3});
  CHECK(value_at(point, all) == Numbers{3, 6, 12});
  CHECK(value_at(point, grad(sum(all), xs)) == Numbers{30, 30, 30});
  CHECK(value_at(point, grad(sum(all), y)) == Numbers{70});
}

TEST_CASE("a graph with rules survives its text") {
  const Expr x = scalar("x");
  const OpFromGraph f(std::span(&x, 1), std::span(&x, 1),
                      {[](std::span<const Expr>, std::span<const Expr>, std::span<const Expr> d) {
                         return std::vector<Expr>{d[0] * 2};
                       },
                       nullptr});
  const Expr y = f(std::span(&x, 1))[0];
  const Graph graph = capture(std::span(&x, 1), std::span(&y, 1)).graph;
  CHECK(parse_graph(print_graph(graph), {find_op, {}}).key() == graph.key());
}

TEST_CASE("clipped, scaled, zero and undefined derivatives") {
  const Expr x = vector("x"), fixed = f64("x", {3});
  const Point point = Point().with(fixed, {-2, 0.25, 3});
  const auto slope = [&](const Expr& y) { return value_at(point, grad(sum(square(y)), fixed)); };
  CHECK(slope(grad_clip(fixed, -1, 2)) == Numbers{-1, 0.5, 2});
  CHECK(slope(grad_scale(fixed, -1)) == Numbers{4, -0.5, -6});
  CHECK(slope(zero_grad(fixed)) == Numbers{0, 0, 0});
  CHECK(value_at(point, grad_clip(fixed, -1, 2)) == Numbers{-2, 0.25, 3});
  CHECK_THROWS_AS(grad_clip(x, 1, 0), ValueError);
  CHECK_THROWS_AS(grad(sum(stop_gradient(x)), x), TypeError);
  CHECK_THROWS_WITH_AS(grad(sum(exp(undefined_grad(x))), x), doctest::Contains("undefined_grad"),
                       TypeError);
  // Of an extent that no axis of the value tells.
  const Expr twice = concatenate({x, x}, 0);
  const Expr dx = grad(sum(square(grad_scale(twice, 3))), x);
  CHECK(evaluate(capture(std::span(&x, 1), std::span(&dx, 1)).graph,
                 std::vector<Array>{Array::from(Numbers{1, 2})})[0]
            .to_vector<double>() == Numbers{12, 24});
}

TEST_CASE("constants of a gradient, and values without influence") {
  const Expr x = scalar("x"), z = scalar("z");
  const Expr y = x * x;
  const Point point = Point().with(x, {3});
  const std::vector<Expr> wrt = {x, y, z};
  const std::vector<Expr> found = grad(x * y, wrt, {Disconnected::none, {y}});
  CHECK(value_at(point, found[0]) == Numbers{9});
  CHECK(value_at(point, found[1]) == Numbers{3});
  CHECK(!found[2].defined());
  CHECK_THROWS_AS(grad(y, x, {Disconnected::error, {y}}), TypeError);
}

TEST_CASE("what is recomputed gives the same gradient, from its arguments alone") {
  const Expr x = f64("x", {3}), w = f64("w", {3, 3});
  const Expr inputs[] = {x, w};
  const Expr layer[] = {tanh(matmul(w, sin(x)))};
  const auto gradient = [&](bool recompute) {
    const OpFromGraph f(inputs, layer, {nullptr, nullptr, recompute});
    Expr h = x;
    for (int i = 0; i < 3; ++i) h = f(std::vector<Expr>{h, w})[0];
    return grad(sum(square(h)), w);
  };
  const Point point = Point().with(x, {0.5, -1, 2}).with(w, scattered(9, -1, 1, 0.3));
  CHECK(value_at(point, gradient(true)) == value_at(point, gradient(false)));
}
