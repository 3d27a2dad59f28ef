// Derivative rules of the ops that are not elementwise, against central differences: first and
// second order, and both directions against each other.
#include <cmath>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include <doctest/doctest.h>

#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

using Doubles = std::vector<double>;
using ExprFunction = std::function<Expr(const Expr&)>;

Expr integer_constant(const std::vector<std::int64_t>& values, std::vector<std::int64_t> shape) {
  return Expr(Array::from(values, shape));
}

// Fixed numbers without a pattern, of the type of `like`.
Expr real_weights(const Expr& like, double seed) {
  const Expr k = cast(arange(element_count(like.shape())), like.dtype());
  return reshape(sin(k * 1.7 + seed) + 0.3, like.shape());
}

// One float64 leaf of shape [2, 3] and its value.
struct RealPoint {
  Expr x = tensor("x", DType::float64, {2, 3});
  Doubles at{0.7, 1.9, -0.4, 0.25, -1.3, 1.1};

  Doubles value(const Expr& e, const Doubles& x_values) const {
    const Value outputs[] = {e.value()};
    const std::unordered_map<Value, Array> leaves{{x.value(), Array::from(x_values, {2, 3})}};
    return evaluate(outputs, leaves)[0].to_vector<double>();
  }
  Doubles differences(const Expr& cost) const {
    Doubles result;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double h = 1e-5;
      Doubles up = at, down = at;
      up[i] += h;
      down[i] -= h;
      result.push_back((value(cost, up)[0] - value(cost, down)[0]) / (2 * h));
    }
    return result;
  }
  void check(const Doubles& found, const Doubles& expected) const {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      CHECK(found[i] == doctest::Approx(expected[i]).epsilon(1e-6));
    }
  }
};

struct DerivativeCase {
  const char* name;
  ExprFunction f;
};

std::vector<Expr> loop(const Expr& count, const Expr& first, const Expr& rate) {
  const Expr initial[] = {first, constant(0.5, DType::float64)};
  return fori(count, initial, [&](Expr i, std::span<const Expr> s) {
    const Expr next = sin(s[0]) * rate + s[1] * cast(i, DType::float64);
    return std::vector<Expr>{next, s[1] * mean(next)};
  });
}

const DerivativeCase derivative_cases[] = {
    {"sum", [](const Expr& x) { return sum(x, 1); }},
    {"prod", [](const Expr& x) { return prod(x, 0); }},
    {"prod of all", [](const Expr& x) { return prod(x); }},
    {"max", [](const Expr& x) { return max(square(x), 1); }},
    {"min", [](const Expr& x) { return min(exp(x), 0, keepdims); }},
    {"max_and_argmax", [](const Expr& x) { return max_and_argmax(x * x, 1).first; }},
    {"min_and_argmin of all", [](const Expr& x) { return min_and_argmin(x * x).first; }},
    {"mean", [](const Expr& x) { return square(mean(x, {0, 1}, keepdims)) * x; }},
    {"logsumexp", [](const Expr& x) { return logsumexp(x * 2, 1); }},
    {"softmax", [](const Expr& x) { return softmax(x * x, 0); }},
    {"log_softmax", [](const Expr& x) { return log_softmax(x * x, 1); }},
    {"reshape", [](const Expr& x) { return square(reshape(x, {3, 2})); }},
    {"transpose", [](const Expr& x) { return exp(transpose(x)); }},
    {"expand_dims", [](const Expr& x) { return exp(expand_dims(x, 1)); }},
    {"squeeze", [](const Expr& x) { return exp(squeeze(x(range(1, 2)))); }},
    {"broadcast_to", [](const Expr& x) { return exp(broadcast_to(x(range(0, 1)), {4, 2, 3})); }},
    {"concatenate", [](const Expr& x) { return square(concatenate({x, exp(x)}, 1)); }},
    {"slice", [](const Expr& x) { return exp(x(all_of, Range{{}, {}, -2})); }},
    {"set_slice",
     [](const Expr& x) { return exp(set_at(x, {1, from(1)}, square(x(0, from(1))))); }},
    {"inc_slice", [](const Expr& x) { return exp(inc_at(x, {all_of, 0}, square(x(all_of, 1)))); }},
    {"index", [](const Expr& x) { return exp(x(all_of, integer_constant({2, 0, 2}, {3}))); }},
    {"set_index of duplicates",
     [](const Expr& x) {
       return exp(set_at(x, {all_of, integer_constant({2, 0, 2}, {3})}, square(x)));
     }},
    {"inc_index of duplicates",
     [](const Expr& x) {
       return exp(inc_at(x, {all_of, integer_constant({2, 0, 2}, {3})}, square(x)));
     }},
    {"dot", [](const Expr& x) { return dot(x, exp(transpose(x))); }},
    {"batched dot", [](const Expr& x) { return matmul(stack({x, x * x}), transpose(x)); }},
    {"tensordot", [](const Expr& x) { return tensordot(x, x * x, {0}, {0}); }},
    {"outer", [](const Expr& x) { return outer(x(0), x(1)); }},
    {"gemm",
     [](const Expr& x) {
       const std::vector<Arg> operands = {x, exp(x), x(range(0, 2), range(0, 2))};
       return apply(op::gemm, std::span<const Arg>(operands), {false, true, 0.5, -2.0});
     }},
    {"where", [](const Expr& x) { return where(x > 0, sqrt(x), x * x); }},
    {"check and barrier",
     [](const Expr& x) { return exp(barrier(check(x, x < 100, "expected small numbers"))); }},
    {"fori",
     [](const Expr& x) { return loop(constant(std::int64_t{3}, DType::int64), x, x(0))[0]; }},
    {"fori without steps",
     [](const Expr& x) { return loop(constant(std::int64_t{0}, DType::int64), x, x(0))[0]; }},
    {"fori, a later state",
     [](const Expr& x) { return loop(constant(std::int64_t{3}, DType::int64), x, exp(x))[1]; }},
    {"call",
     [](const Expr& x) {
       const Expr a = tensor("a", DType::float64, {3}), b = tensor("b", DType::float64, {3});
       const Expr inputs[] = {a, b}, outputs[] = {a * sin(b), a + b * b};
       const Expr arguments[] = {x(0), x(1)};
       const std::vector<Expr> y = OpFromGraph(inputs, outputs)(arguments);
       return y[0] * y[1];
     }},
};

}  // namespace

TEST_CASE("derivative rules agree with central differences, twice") {
  for (const DerivativeCase& c : derivative_cases) {
    CAPTURE(c.name);
    const RealPoint p;
    const Expr y = c.f(p.x);
    const Expr cost = sum(y * real_weights(y, 0.4));
    const Expr first = grad(cost, p.x);
    p.check(p.value(first, p.at), p.differences(cost));
    const Expr slope = sum(first * real_weights(p.x, 1.1));
    const Expr second = grad(slope, {p.x}, GradOptions{Disconnected::zero})[0];
    p.check(p.value(second, p.at), p.differences(slope));
  }
}

TEST_CASE("forward and reverse derivatives are transposes of each other") {
  for (const DerivativeCase& c : derivative_cases) {
    CAPTURE(c.name);
    const RealPoint p;
    const Expr y = c.f(p.x);
    const Expr along = real_weights(p.x, 2.2), against = real_weights(y, 0.9);
    const Expr ys[] = {y}, xs[] = {p.x}, tangents[] = {along}, cotangents[] = {against};
    const Expr forward = sum(jvp(ys, xs, tangents)[0] * against);
    const Expr reverse = sum(vjp(ys, xs, cotangents)[0] * along);
    CHECK(p.value(forward, p.at)[0] == doctest::Approx(p.value(reverse, p.at)[0]).epsilon(1e-12));
  }
}

TEST_CASE("the gradient of a product is exact at zeros") {
  const Expr x = tensor("x", DType::float64, {4});
  const Expr g = grad(prod(x), x);
  const auto at = [&](const Doubles& values) {
    const Value outputs[] = {g.value()};
    return evaluate(outputs, {{x.value(), Array::from(values)}})[0].to_vector<double>();
  };
  CHECK(at({2, 3, 4, 5}) == Doubles{60, 40, 30, 24});
  CHECK(at({2, 0, 4, 5}) == Doubles{0, 40, 0, 0});
  CHECK(at({2, 0, 4, 0}) == Doubles{0, 0, 0, 0});
}

TEST_CASE("ties share a maximum's derivative; an index gives it to the first") {
  const Expr x = tensor("x", DType::float64, {3});
  const auto at = [&](const Expr& e, const Doubles& values) {
    const Value outputs[] = {e.value()};
    return evaluate(outputs, {{x.value(), Array::from(values)}})[0].to_vector<double>();
  };
  CHECK(at(grad(max(x), x), {5, 1, 5}) == Doubles{0.5, 0, 0.5});
  CHECK(at(grad(max_and_argmax(x).first, x), {5, 1, 5}) == Doubles{1, 0, 0});
}

TEST_CASE("derivatives of powers are finite where the function is smooth") {
  const Expr x = gnomon::scalar("x"), a = gnomon::scalar("a");
  const auto at = [&](const Expr& e, double x_value, double a_value) {
    const Value outputs[] = {e.value()};
    return evaluate(outputs,
                    {{x.value(), Array::scalar(x_value)}, {a.value(), Array::scalar(a_value)}})[0]
        .item<double>();
  };
  CHECK(at(grad(power(x, a), x), 0, 0) == 0);
  CHECK(at(grad(power(x, a), x), 0, 1) == 1);
  CHECK(at(grad(power(x, a), a), 0, 2) == 0);
  CHECK(at(grad(power(x, 2), x), -3, 0) == -6);
  CHECK(at(grad(power(x, 3), x), 0, 0) == 0);
}
