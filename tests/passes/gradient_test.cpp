// grad, vjp and jvp: sums of uses, broadcasts, masks of where, loops, errors, linear time.
#include "passes/derivatives/gradient.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "tests/support/derivative_support.h"

using namespace gnomon;
using gnomon::test::close;
using gnomon::test::differences;
using gnomon::test::f64;
using gnomon::test::Numbers;
using gnomon::test::Point;
using gnomon::test::scattered_like;
using gnomon::test::value_at;

namespace {

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

double processor_seconds(const std::function<void()>& f) {
  const std::clock_t start = std::clock();
  f();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("grad of a reused value sums its uses") {
  const Expr x = scalar("x");
  const Expr s = sin(x);
  const Point at = Point().with(x, {0.7});
  const Expr dx = grad(s * s + x * s, x);
  const double sine = std::sin(0.7), cosine = std::cos(0.7);
  CHECK(close(value_at(at, dx), {2 * sine * cosine + sine + 0.7 * cosine}, 1e-14));
}

TEST_CASE("grad with several values gives one gradient each") {
  const Expr w = f64("w", {3}), b = scalar("b");
  const auto [dw, db] = grad(sum(w * w * b), w, b);
  const Point at = Point().with(w, {1, 2, 3}).with(b, {5});
  CHECK(close(value_at(at, dw), {10, 20, 30}, 0));
  CHECK(close(value_at(at, db), {14}, 0));
  const std::vector<Expr> both = grad(sum(w * w * b), {w, b});
  CHECK(same(both[0], dw));
  CHECK(same(both[1], db));
}

TEST_CASE("a gradient has the type of its value") {
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", float32, {n, 3}), b = tensor("b", float32, {3});
  const Expr row = tensor("row", float32, {1, 3});
  const auto [dx, db, drow] = grad(sum(tanh(x + b) * row), x, b, row);
  CHECK(dx.type() == x.type());
  CHECK(db.type() == b.type());
  CHECK(drow.type() == row.type());
}

TEST_CASE("grad sums over the axes an operand was stretched along") {
  const Expr x = f64("x", {2, 3}), b = f64("b", {3}), c = f64("c", {2, 1}), s = scalar("s");
  const auto [dx, db, dc, ds] = grad(sum((x + b) * c * s), x, b, c, s);
  const Point at =
      Point().with(x, {1, 2, 3, 4, 5, 6}).with(b, {10, 20, 30}).with(c, {2, 3}).with(s, {0.5});
  CHECK(close(value_at(at, dx), {1, 1, 1, 1.5, 1.5, 1.5}, 1e-15));
  CHECK(close(value_at(at, db), {2.5, 2.5, 2.5}, 1e-15));
  CHECK(close(value_at(at, dc), {33, 37.5}, 1e-15));
  CHECK(close(value_at(at, ds), {357}, 1e-15));
}

TEST_CASE("grad goes on through a value it was asked for") {
  const Expr x = scalar("x");
  const Expr y = exp(x);
  const auto [dx, dy] = grad(y * y, x, y);
  const Point at = Point().with(x, {0.25});
  CHECK(close(value_at(at, dy), {2 * std::exp(0.25)}, 1e-14));
  CHECK(close(value_at(at, dx), {2 * std::exp(0.5)}, 1e-14));
}

TEST_CASE("grad follows casts between floats and stops at integers") {
  const Expr x = tensor("x", float32, {2});
  const Expr dx = grad(sum(square(cast(x, float64))), x);
  CHECK(dx.dtype() == float32);
  CHECK(close(value_at(Point().with(x, {1.5, -2}), dx), {3, -4}, 0));
  const Expr rounded = sum(cast(cast(x, int32), float32));
  CHECK(contains(message_of([&] { grad(rounded, x); }), "x: f32[2]"));
}

TEST_CASE("errors of grad name the value") {
  const Expr x = f64("x", {3}), k = tensor("k", int64, {3}), w = f64("weights", {2});
  CHECK(contains(message_of([&] { grad(x, x); }),
                 "grad: the cost must be a float scalar, found x: f64[3]"));
  CHECK(contains(message_of([&] { grad(sum(k), k); }), "must be a float scalar"));
  CHECK(contains(message_of([&] { grad(sum(x * k), k); }), "k: i64[3]"));
  CHECK(contains(message_of([&] { grad(sum(x), w); }), "weights: f64[2]"));
  CHECK(contains(message_of([&] { grad(sum(stop_gradient(x)), x); }), "x: f64[3]"));
  CHECK(contains(message_of([&] { grad(Expr(), x); }), "nothing"));
  CHECK(contains(message_of([&] { grad(sum(x), Expr()); }), "nothing"));
}

TEST_CASE("a disconnected value has a gradient of zeros by option") {
  const Expr x = f64("x", {3}), w = f64("w", {2});
  const Expr dw = grad(sum(x), w, {Disconnected::zero});
  CHECK(dw.type() == w.type());
  CHECK(close(value_at(Point().with(w, {1, 2}), dw), {0, 0}, 0));
}

TEST_CASE("a step function is connected and has derivative zero") {
  const Expr x = f64("x", {2});
  CHECK(close(value_at(Point().with(x, {1.5, -2.5}), grad(sum(floor(x) + x), x)), {1, 1}, 0));
  CHECK(close(value_at(Point().with(x, {1.5, -2.5}), grad(sum(floor(x)), x)), {0, 0}, 0));
}

TEST_CASE("stop_gradient holds a factor constant") {
  const Expr x = scalar("x");
  CHECK(close(value_at(Point().with(x, {3}), grad(stop_gradient(x) * x, x)), {3}, 0));
}

TEST_CASE("an op without a derivative is named") {
  static constexpr Op opaque{
      .name = "opaque", .doc = "No derivative.", .type = elementwise_float_type};
  const Expr x = scalar("x");
  const Expr y = Expr(make_node(opaque, {x}));
  CHECK(contains(message_of([&] { grad(y, x); }), "opaque: expected an op with a derivative"));
  CHECK(contains(message_of([&] { jvp({{y}}, {{x}}, {{x}}); }), "opaque"));
}

TEST_CASE("the absent cotangent of a second output is no obstacle") {
  const Expr x = f64("x", {2, 3});
  const auto [value, where_it_is] = max_and_argmax(x, 1);
  const Expr dx = grad(sum(value * value), x);
  CHECK(close(value_at(Point().with(x, {1, 5, 2, 7, 0, 3}), dx), {0, 10, 0, 14, 0, 0}, 0));
  CHECK(where_it_is.dtype() == int64);
}

TEST_CASE("uses of a value are summed by one n-ary add") {
  const Expr x = scalar("x");
  std::vector<Expr> terms;
  for (int i = 0; i < 10000; ++i) terms.push_back(x * constant(i + 1.0, float64));
  const Expr dx = grad(add(std::span<const Expr>(terms)), x);
  CHECK(dx.value().is(op::add));
  CHECK(dx.value().node().operands().size() == 10000);
  CHECK(close(value_at(Point().with(x, {2}), dx), {50005000}, 0));
}

TEST_CASE("a chain of 100,000 nodes is derived without recursion, in time linear in its length") {
  const auto times = [](int steps) {
    const Expr x = scalar("x");
    Expr y = x;
    for (int i = 0; i < steps; ++i) y = sin(y) + x;
    Expr dx;
    std::vector<Expr> dy;
    const double backwards = processor_seconds([&] { dx = grad(y, x); });
    const double forwards = processor_seconds([&] { dy = jvp({{y}}, {{x}}, {{x}}); });
    CHECK(dx.dtype() == float64);
    CHECK(dy.size() == 1);
    return std::pair(backwards, forwards);
  };
  // Eight times the nodes; a quadratic takes 64 times the time.
  const auto least_times = [&](int steps) {
    std::pair<double, double> least = times(steps);
    for (int again = 0; again < 2; ++again) {
      const auto [backwards, forwards] = times(steps);
      least = {std::min(least.first, backwards), std::min(least.second, forwards)};
    }
    return least;
  };
  const auto [backwards, forwards] = least_times(6250);
  const auto [long_backwards, long_forwards] = least_times(50000);
  CHECK(long_backwards < 24 * backwards);
  CHECK(long_forwards < 24 * forwards);
}

TEST_CASE("jvp and vjp are transposed to each other") {
  const Expr x = f64("x", {2, 3}), w = f64("w", {3, 2}), b = f64("b", {2});
  const std::vector<Expr> wrt = {x, w, b};
  const std::vector<Expr> outputs = {tanh(matmul(x, w) + b), sum(x, 0) * exp(x)};
  std::vector<Expr> tangents, cotangents;
  for (const Expr& v : wrt) tangents.push_back(scattered_like(v, 0.1 * v.rank()));
  for (const Expr& y : outputs) cotangents.push_back(scattered_like(y, 0.4));
  const std::vector<Expr> dy = jvp(outputs, wrt, tangents);
  const std::vector<Expr> dx = vjp(outputs, wrt, cotangents);
  Expr forward = sum(dy[0] * cotangents[0]) + sum(dy[1] * cotangents[1]);
  Expr reverse = sum(dx[0] * tangents[0]) + sum(dx[1] * tangents[1]) + sum(dx[2] * tangents[2]);
  const Point at = Point()
                       .with(x, {0.1, -0.2, 0.3, 0.4, 0.5, -0.6})
                       .with(w, {1, 2, -1, 0.5, 0.25, 3})
                       .with(b, {0.3, -0.1});
  CHECK(close(value_at(at, forward), value_at(at, reverse), 1e-13));
}

TEST_CASE("vjp and jvp take absent entries as zero and check the rest") {
  const Expr x = f64("x", {2}), y = f64("y", {2});
  const std::vector<Expr> dx = vjp({{x * y, x + y}}, {{x}}, {{Expr(), y}});
  CHECK(close(value_at(Point().with(x, {1, 2}).with(y, {3, 4}), dx[0]), {3, 4}, 0));
  const std::vector<Expr> dy = jvp({{x * y, y}}, {{x}}, {{x}});
  CHECK(close(value_at(Point().with(x, {1, 2}).with(y, {3, 4}), dy[0]), {3, 8}, 0));
  CHECK(close(value_at(Point().with(x, {1, 2}).with(y, {3, 4}), dy[1]), {0, 0}, 0));
  CHECK(contains(message_of([&] { vjp({{x}}, {{x}}, {{scalar("s")}}); }), "s: f64"));
  CHECK_THROWS_AS(vjp({{x}}, {{x}}, {}), ValueError);
  CHECK_THROWS_AS(jvp({{x}}, {{x}}, {}), ValueError);
}

TEST_CASE("a Hessian times a vector is the jvp of the gradient") {
  const Expr x = f64("x", {3}), v = f64("v", {3});
  const Expr cost = sum(x * x * x) + prod(x);
  const Expr hv = jvp({{grad(cost, x)}}, {{x}}, {{v}}).front();
  const Point at = Point().with(x, {1, 2, 3}).with(v, {1, -1, 2});
  // The Hessian is 6 x on the diagonal and the third factor elsewhere.
  CHECK(close(value_at(at, hv), {6 - 3 + 4, 3 - 12 + 2, 2 - 1 + 36}, 1e-14));
}

namespace {

/// An expression of a vector x and what its derivatives must be, element by element.
struct SafeCase {
  const char* name;
  Expr (*f)(const Expr& x);
  Numbers at, first, second;
};

const SafeCase safe_cases[] = {
    {"sqrt",
     [](const Expr& x) { return where(x > 0, sqrt(x), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
    {"sqrt on the other side",
     [](const Expr& x) { return where(x <= 0, x, sqrt(x)); },
     {0, 4, -1},
     {1, 0.25, 1},
     {0, -1.0 / 32, 0}},
    {"log",
     [](const Expr& x) { return where(x > 0, log(x), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 16, 0}},
    {"power",
     [](const Expr& x) { return where(x > 0, power(x, 0.5), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
    {"power of two variables",
     [](const Expr& x) { return where(x > 0, power(x, x), 1); },
     {0, 1, -1},
     {0, 1, 0},
     {0, 2, 0}},
    {"division",
     [](const Expr& x) { return where(not_equal(x, 0), 1 / x, 0); },
     {0, 4, -1},
     {0, -1.0 / 16, -1},
     {0, 1.0 / 32, -2}},
    {"sinc", [](const Expr& x) { return where(not_equal(x, 0), sin(x) / x, 1); }, {0}, {0}, {0}},
    {"a product under the mask",
     [](const Expr& x) { return where(x > 0, sqrt(x) * x, 0); },
     {0, 4, -1},
     {0, 3, 0},
     {0, 3.0 / 8, 0}},
    {"nested",
     [](const Expr& x) { return where(x > 0, where(x > 1, sqrt(x - 1), log(x)), 0); },
     {0, 5, 1, -1},
     {0, 0.25, 1, 0},
     {0, -1.0 / 32, -1, 0}},
    {"one root, two masks",
     [](const Expr& x) {
       const Expr root = sqrt(x);
       return where(x > 0, root, 0) + where(x > 1, root, 0);
     },
     {0, 0.25, 4},
     {0, 1, 0.5},
     {0, -2, -1.0 / 16}},
    {"where of where",
     [](const Expr& x) { return where(x > -5, log(where(x > 0, x, 1)), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 16, 0}},
    {"through a reshape",
     [](const Expr& x) {
       const Shape column = {x.shape()[0], 1};
       return where(x > 0, reshape(reshape(sqrt(x), column), x.shape()), 0);
     },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
    {"through a slice",
     [](const Expr& x) {
       const Expr ends = concatenate({x, x});
       return where(x > 0, sqrt(ends)(until(x.shape()[0])), 0);
     },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
    {"through a sum",
     [](const Expr& x) { return where(x > 0, sum(sqrt(expand_dims(x, 1)), 1), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
    {"the greater of two",
     [](const Expr& x) { return maximum(sqrt(x), 0.5); },
     {0, 0.04, 4, -1},
     {0, 0, 0.25, 0},
     {0, 0, -1.0 / 32, 0}},
    {"the smaller of two, the second of which counts",
     [](const Expr& x) { return minimum(0.5, 1 / x); },
     {0, 1, 4},
     {0, 0, -1.0 / 16},
     {0, 0, 1.0 / 32}},
    {"a root between bounds",
     [](const Expr& x) { return clip(sqrt(x), 0.5, 4); },
     {0, 0.04, 4, 100},
     {0, 0, 0.25, 0},
     {0, 0, -1.0 / 32, 0}},
    {"bounds that nothing meets",
     [](const Expr& x) { return clip(x, sqrt(x - 1), 9); },
     {1, 2},
     {1, 1},
     {0, 0}},
    {"a choice of choices",
     [](const Expr& x) { return maximum(0.25, minimum(sqrt(x), 1)); },
     {0, 0.25, 4},
     {0, 1, 0},
     {0, -2, 0}},
    {"through a cast",
     [](const Expr& x) { return where(x > 0, cast(sqrt(cast(x, float64)), float64), 0); },
     {0, 4, -1},
     {0, 0.25, 0},
     {0, -1.0 / 32, 0}},
};

}  // namespace

TEST_CASE("a branch of where that is not taken never gives NaN, to second order") {
  for (const SafeCase& c : safe_cases) {
    CAPTURE(c.name);
    const Expr x = f64("x", {static_cast<std::int64_t>(c.at.size())});
    const Expr dx = grad(sum(c.f(x)), x);
    const Point at = Point().with(x, c.at);
    CHECK(close(value_at(at, dx), c.first, 1e-14));
    CHECK(close(value_at(at, grad(sum(dx), x)), c.second, 1e-14));
    const Expr one = constant(1.0, float64);
    const Expr dy = jvp({{c.f(x)}}, {{x}}, {{broadcast_to(one, x.shape())}}).front();
    CHECK(close(value_at(at, dy), c.first, 1e-14));
  }
}

TEST_CASE("a norm inside where has a gradient of zero at the origin, to second order") {
  const Expr x = f64("x", {3});
  const Expr square_norm = sum(x * x);
  const Expr norm = where(square_norm > 0, sqrt(square_norm), 0);
  const Expr unit = where(square_norm > 0, x / sqrt(square_norm), 0);
  const Point origin = Point().with(x, {0, 0, 0});
  const Point at = Point().with(x, {2, 3, 6});
  const Numbers zero = {0, 0, 0};
  const Expr dnorm = grad(norm, x);
  CHECK(value_at(origin, dnorm) == zero);
  CHECK(close(value_at(at, dnorm), {2.0 / 7, 3.0 / 7, 6.0 / 7}, 1e-15));
  CHECK(value_at(origin, grad(sum(dnorm), x)) == zero);
  const Expr dunit = grad(sum(unit), x);
  CHECK(value_at(origin, dunit) == zero);
  CHECK(close(value_at(at, dunit), differences(at, sum(unit), 0), 1e-9));
  CHECK(value_at(origin, grad(sum(dunit), x)) == zero);
}

TEST_CASE("a scalar under the masks of a stretched branch stays safe") {
  const Expr s = scalar("s"), x = f64("x", {3});
  const Expr ds = grad(sum(where(x > 0, sqrt(s) * x, 0)), s);
  CHECK(value_at(Point().with(s, {0}).with(x, {-1, -2, 0}), ds) == Numbers{0});
  CHECK(close(value_at(Point().with(s, {4}).with(x, {1, -2, 3}), ds), {1}, 1e-15));
}

TEST_CASE("masks follow stretched operands, kept axes and scalar conditions") {
  const Expr row = f64("row", {1, 3}), c = f64("c", {2, 3}), column = f64("column", {2, 1});
  const Expr drow = grad(sum(where(c > 0, sqrt(row) + column, 0)), row);
  const Point at = Point().with(row, {0, 1, 4}).with(c, {-1, 1, 1, 0, 1, -1}).with(column, {0, 1});
  CHECK(close(value_at(at, drow), {0, 1, 0.25}, 1e-15));
  const Expr dc = grad(sum(where(column > 0, log(c) * row, 0)), c);
  CHECK(close(value_at(at.with_changed(1, {0, 0, 0, 1, 2, 4}), dc), {0, 0, 0, 0, 0.5, 1}, 1e-15));
  const Expr total = sum(sqrt(c), 1, keepdims);
  const Expr dtotal = grad(sum(where(column > 0, total, 0)), c);
  CHECK(close(value_at(at.with_changed(1, {0, 0, 0, 1, 4, 16}), dtotal),
              {0, 0, 0, 0.5, 0.25, 0.125}, 1e-15));
  const Expr s = scalar("s");
  const Expr ds = grad(where(s > 0, sum(sqrt(s * row)), 0), s);
  CHECK(value_at(Point().with(s, {0}).with(row, {1, 2, 3}), ds) == Numbers{0});
}

TEST_CASE("derivatives hold for symbolic extents") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  const Expr x = f64("x", {n, 2}), b = f64("b", {2}), y = f64("y", {m, 2});
  const Expr root = where(x > 0, sqrt(x), 0);
  const Expr cost = mean(square(tanh(root + b) * y));
  const auto [dx, db, dy] = grad(cost, x, b, y);
  const Expr fixed_x = f64("x", {3, 2}), fixed_b = f64("b", {2}), fixed_y = f64("y", {3, 2});
  const Expr fixed_cost =
      mean(square(tanh(where(fixed_x > 0, sqrt(fixed_x), 0) + fixed_b) * fixed_y));
  Point fixed = Point()
                    .with(fixed_x, {1, -2, 0.5, 3, -1, 2})
                    .with(fixed_b, {0.1, -0.3})
                    .with(fixed_y, {1, 2, 3, -1, 0.5, 0.25});
  Point at = fixed;
  at.inputs = {x, b, y};
  CHECK(close(value_at(at, dx), differences(fixed, fixed_cost, 0), 1e-9));
  CHECK(close(value_at(at, db), differences(fixed, fixed_cost, 1), 1e-9));
  CHECK(close(value_at(at, dy), differences(fixed, fixed_cost, 2), 1e-9));
}

TEST_CASE("a loop over states of symbolic extent is derived") {
  const Dim n = Dim::symbol("n");
  const Expr x = f64("x", {n}), w = f64("w", {n});
  const Expr last = fori(3, std::vector<Expr>{x}, [&](Expr, std::span<const Expr> states) {
                      return std::vector<Expr>{states[0] * w + mean(states[0])};
                    }).front();
  const auto [dx, dw] = grad(sum(last), x, w);
  Expr unrolled = x;
  for (int i = 0; i < 3; ++i) unrolled = unrolled * w + mean(unrolled);
  const auto [ux, uw] = grad(sum(unrolled), x, w);
  const Numbers xs = {0.5, -1, 2}, ws = {0.25, 2, -1};
  Point at{{x, w}, {Array::from(xs), Array::from(ws)}};
  CHECK(close(value_at(at, dx), value_at(at, ux), 1e-14));
  CHECK(close(value_at(at, dw), value_at(at, uw), 1e-14));
}

TEST_CASE("a loop and a reusable function are derived as their unrolled forms") {
  const Expr x = f64("x", {2}), w = scalar("w");
  const auto step = [&](const Expr& state) { return sin(state * w) + state * 0.5; };
  Expr unrolled = x;
  for (int i = 0; i < 4; ++i) unrolled = step(unrolled);
  const Expr looped = fori(4, std::vector<Expr>{x}, [&](Expr, std::span<const Expr> states) {
                        return std::vector<Expr>{step(states[0])};
                      }).front();
  const Expr a = f64("a", {2});
  const OpFromGraph once(std::vector<Expr>{a}, std::vector<Expr>{step(a)});
  Expr called = x;
  for (int i = 0; i < 4; ++i) called = once(std::vector<Expr>{called}).front();
  const Point at = Point().with(x, {0.3, -1.2}).with(w, {1.7});
  for (const Expr& y : {looped, called}) {
    const auto [dx, dw] = grad(sum(y * y), x, w);
    const auto [ux, uw] = grad(sum(unrolled * unrolled), x, w);
    CHECK(close(value_at(at, dx), value_at(at, ux), 1e-13));
    CHECK(close(value_at(at, dw), value_at(at, uw), 1e-13));
    const Expr ty = jvp({{y}}, {{x, w}}, {{x, w}}).front();
    const Expr tu = jvp({{unrolled}}, {{x, w}}, {{x, w}}).front();
    CHECK(close(value_at(at, ty), value_at(at, tu), 1e-13));
    const Expr second = grad(sum(dx) + dw, w), expected = grad(sum(ux) + uw, w);
    CHECK(close(value_at(at, second), value_at(at, expected), 1e-12));
  }
}

TEST_CASE("derivatives of a body have the stated signature") {
  const Expr x = f64("x", {2}), k = tensor("k", int64, {2});
  const Body body = make_body(std::vector<Value>{x, k}, std::vector<Value>{x * k, k + 1});
  const Body back = body_derivatives().vjp(body, {});
  CHECK(back->parameters.size() == 3);
  CHECK(back->outputs.size() == 1);
  CHECK(back == body_derivatives().vjp(body, {}));
  const Body none = body_derivatives().vjp(body, {false, true});
  CHECK(none->parameters.size() == 3);
  CHECK(none->outputs.empty());
  const Body ahead = body_derivatives().jvp(body);
  CHECK(ahead->parameters.size() == 3);
  CHECK(ahead->outputs.size() == 3);
}
