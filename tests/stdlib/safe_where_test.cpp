// Derivatives through `where`: 0 by way of a branch that is not taken, for every op at every point,
// whatever the op or its derivative is there, and undisturbed by way of the branch that is.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "frontend/function.h"
#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/control/custom_gradients.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/ops.h"
#include "tests/support/derivative_support.h"
#include "tests/support/passes_support.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// All lists of `count` of the points, one vector for each operand.
std::vector<Numbers> number_combinations(const Numbers& points, std::size_t count) {
  std::size_t total = 1;
  for (std::size_t i = 0; i < count; ++i) total *= points.size();
  std::vector<Numbers> lists(count);
  for (std::size_t k = 0; k < total; ++k) {
    std::size_t rest = k;
    for (Numbers& list : lists) list.push_back(points[rest % points.size()]), rest /= points.size();
  }
  return lists;
}

/// Inputs x0, x1, ... of a branch, and where the branch is taken.
struct Branch {
  std::vector<Expr> inputs;
  std::vector<Array> arrays;
  Expr taken;

  explicit Branch(const std::vector<Numbers>& lists) {
    const auto count = static_cast<std::int64_t>(lists[0].size());
    for (const Numbers& list : lists) {
      inputs.push_back(tensor("x", float64, {count}));
      arrays.push_back(Array::from(list));
    }
    taken = tensor("taken", DType::bool_, {count});
    inputs.push_back(taken);
    arrays.push_back(Array::from(std::vector<bool>(lists[0].size(), false)));
  }

  std::vector<Expr> floats() const { return {inputs.begin(), inputs.end() - 1}; }
};

/// The first number that is not 0, as it stands and after rewriting, or "".
std::string not_zero(const Branch& b, std::span<const Expr> outputs) {
  const Graph graph = capture(b.inputs, outputs).graph;
  Context context = checked_context();
  for (const Graph& each : {graph, run_passes(graph, context)}) {
    const std::vector<Array> found = evaluate(each, b.arrays);
    for (std::size_t k = 0; k < found.size(); ++k) {
      const Numbers values = numbers(found[k]);
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (values[i] == 0) continue;
        std::string at;
        for (std::size_t a = 0; a + 1 < b.arrays.size(); ++a)
          at += " " + std::to_string(numbers(b.arrays[a])[i % values.size()]);
        return "derivative " + std::to_string(k) + " is " + std::to_string(values[i]) + " at" + at;
      }
    }
  }
  return "";
}

void check_branch(const Branch& b, const Expr& y) {
  const std::vector<Expr> x = b.floats();
  const Expr cost = sum(where(b.taken, y, 0));
  const std::vector<Expr> first = grad(cost, x, {Disconnected::zero});
  CHECK(not_zero(b, first) == "");
  Expr total;
  for (const Expr& dx : first) total = total.defined() ? total + sum(dx) : sum(dx);
  CHECK(not_zero(b, grad(total, x, {Disconnected::zero})) == "");
  std::vector<Expr> ones;
  for (const Expr& each : x) ones.push_back(full(each.shape(), constant(1.0, float64)));
  CHECK(not_zero(b, jvp(std::span(&cost, 1), x, ones)) == "");
}

/// Derivatives of every output, as they stand and after rewriting.
std::vector<std::vector<Numbers>> both_ways(const Branch& b, std::span<const Expr> outputs) {
  const Graph graph = capture(b.inputs, outputs).graph;
  Context context = checked_context();
  std::vector<std::vector<Numbers>> found;
  for (const Graph& each : {graph, run_passes(graph, context)}) {
    found.emplace_back();
    for (const Array& values : evaluate(each, b.arrays)) found.back().push_back(numbers(values));
  }
  return found;
}

/// Whether `guarded` is `plain` where `taken` holds and 0 elsewhere.
void check_guarded(const Branch& b, const Expr& taken, std::span<const Expr> guarded,
                   std::span<const Expr> plain) {
  const std::vector<bool> inside =
      evaluate(capture(b.inputs, std::span(&taken, 1)).graph, b.arrays)[0].to_vector<bool>();
  const std::vector<Numbers> wanted = both_ways(b, plain)[0];
  for (const std::vector<Numbers>& found : both_ways(b, guarded)) {
    for (std::size_t k = 0; k < found.size(); ++k) {
      for (std::size_t i = 0; i < inside.size(); ++i) {
        CAPTURE(k);
        CAPTURE(numbers(b.arrays[0])[i]);
        const double expected = inside[i] ? wanted[k][i] : 0;
        if (std::isfinite(expected)) CHECK(close({found[k][i]}, {expected}, 1e-11));
      }
    }
  }
}

const Numbers many = {-infinite, -300, -2.5, -1,  -0.25, -0.0,     0,
                      1e-310,    0.25, 1,    2.5, 800,   infinite, not_a_number};
const Numbers few = {-infinite, -1, 0, 0.5, 2, infinite, not_a_number};

}  // namespace

TEST_CASE("a branch not taken gives no NaN, for every elementwise op at every point") {
  for (const Op* op : all_ops()) {
    if (!op->is_elementwise() || !op->is_differentiable() || op == &op::where) continue;
    const std::size_t count = op->operands < 0 ? 2 : static_cast<std::size_t>(op->operands);
    const Branch b(number_combinations(count == 1 ? many : few, count));
    std::vector<Arg> args;
    for (const Expr& x : b.floats()) args.emplace_back(x);
    CAPTURE(op->name);
    const Expr y = apply(*op, std::span<const Arg>(args));
    check_branch(b, y);
    check_branch(b, y * y + sqrt(y));
  }
}

TEST_CASE("a branch not taken gives no NaN through reductions and movements") {
  const Branch b({many});
  const Expr x = b.inputs[0], column = expand_dims(x, 1);
  const Expr branches[] = {
      sqrt(sum(square(column), 1)),
      log(prod(concatenate({column, column}, 1), 1)),
      logsumexp(log(concatenate({column, 0 * column}, 1)), 1),
      1 / mean(column * 0, 1),
      sqrt(max(concatenate({column, -column}, 1), 1) - column(all_of, 0)),
      reshape(sqrt(transpose(column)), x.shape()),
      power(x, 0.5) * rsqrt(x),
      log1p(-x)(range(0, 14)),
      take(log(x), arange(Dim(14))),
      set_at(sqrt(x), {range(0, 3)}, 1.0),
      inc_at(log(x), {arange(Dim(3))}, sqrt(x(until(3)))),
      cast(cast(log(x), float32), float64),
      check(sqrt(x), equal(x, x) | isnan(x), "never"),
      cbrt(x) / hypot(x, 0 * x),
  };
  for (const Expr& y : branches) {
    CAPTURE(describe(y));
    check_branch(b, y);
  }
}

TEST_CASE("a condition on the operand keeps every op inside its domain") {
  for (const Op* op : all_ops()) {
    const bool everywhere = std::isinf(op->domain.low) && std::isinf(op->domain.high);
    if (!op->is_elementwise() || !op->is_differentiable() || op->operands != 1 || everywhere)
      continue;
    CAPTURE(op->name);
    const Branch b({{-infinite, -300, -1, -0.75, -0.0, 0, 1e-3, 0.25, 0.5, 0.75, 1, 1.5, 2, 3.5,
                     infinite, not_a_number}});
    const Expr x = b.inputs[0], y = apply(*op, {x});
    const Expr taken = (x > op->domain.low) & (x < op->domain.high);
    const Expr dx = grad(sum(where(taken, y, 0)), x), dy = grad(sum(y), x);
    check_guarded(b, taken, std::vector<Expr>{dx, grad(sum(dx), x)},
                  std::vector<Expr>{dy, grad(sum(dy), x)});
    const Expr other = grad(sum(where(logical_not(taken), x, y)), x);
    check_guarded(b, taken, std::vector<Expr>{where(taken, other, 0)}, std::vector<Expr>{dy});
  }
}

TEST_CASE("operands of restricted domains, guarded as users write it") {
  struct Row {
    std::string name;
    Expr (*f)(const Expr&);
    double (*derivative)(double);
  };
  const Row rows[] = {
      {"sqrt", [](const Expr& x) { return where(x > 0, sqrt(x), 0); },
       [](double x) { return x > 0 ? 0.5 / std::sqrt(x) : 0; }},
      {"x log x", [](const Expr& x) { return where(x > 0, x * log(x), 0); },
       [](double x) { return x > 0 ? std::log(x) + 1 : 0; }},
      {"1 / x", [](const Expr& x) { return where(equal(x, 0), 1, 1 / x); },
       [](double x) { return x == 0 ? 0 : -1 / (x * x); }},
      {"sin x / x", [](const Expr& x) { return where(equal(x, 0), 1, sin(x) / x); },
       [](double x) { return x == 0 ? 0 : std::cos(x) / x - std::sin(x) / (x * x); }},
      {"power", [](const Expr& x) { return where(x > 0, power(x, 0.25), 0); },
       [](double x) { return x > 0 ? 0.25 * std::pow(x, -0.75) : 0; }},
      {"x to the x", [](const Expr& x) { return where(x > 0, power(x, x), 1); },
       [](double x) { return x > 0 ? std::pow(x, x) * (std::log(x) + 1) : 0; }},
      {"arccos", [](const Expr& x) { return where(absolute(x) < 1, arccos(x), 0); },
       [](double x) { return std::fabs(x) < 1 ? -1 / std::sqrt(1 - x * x) : 0; }},
      {"log of a difference", [](const Expr& x) { return where(x < 1, log(1 - x), -x); },
       [](double x) { return x < 1 ? -1 / (1 - x) : -1; }},
      {"log sigmoid in two halves",
       [](const Expr& x) { return where(x > 0, -log1p(exp(-x)), x - log1p(exp(x))); },
       [](double x) { return 1 / (1 + std::exp(x)); }},
      {"norm of (x, 0)",
       [](const Expr& x) {
         const Expr column = expand_dims(x, 1);
         const Expr squares = sum(square(concatenate({column, 0 * column}, 1)), 1);
         return where(squares > 0, sqrt(squares), 0);
       },
       [](double x) { return double((x > 0) - (x < 0)); }},
      {"branch in a branch",
       [](const Expr& x) { return where(x > 0, where(x < 2, sqrt(2 - x), 0) * log(x), 0); },
       [](double x) {
         if (!(x > 0 && x < 2)) return 0.0;
         return std::sqrt(2 - x) / x - 0.5 * std::log(x) / std::sqrt(2 - x);
       }},
      {"branch of a function",
       [](const Expr& x) {
         const Expr p = vector("p");
         const Expr body = sqrt(p) * log(p);
         const OpFromGraph f(std::span(&p, 1), std::span(&body, 1), {nullptr, nullptr, true});
         return where(x > 0, f(std::span(&x, 1))[0], 0);
       },
       [](double x) { return x > 0 ? (0.5 * std::log(x) + 1) / std::sqrt(x) : 0; }},
      {"clipped derivative",
       [](const Expr& x) { return where(x > 0, grad_clip(sqrt(x), -1, 1), 0); },
       [](double x) { return x > 0 ? 0.5 / std::sqrt(x) : 0; }},
      {"zero derivative", [](const Expr& x) { return zero_grad(sqrt(x)) * x; },
       [](double x) { return std::sqrt(x); }},
  };
  const Numbers points = {-300, -2, -1, -0.5, -0.0, 0, 0.25, 0.5, 1, 1.5, 2, 30};
  const Expr x = tensor("x", float64, {static_cast<std::int64_t>(points.size())});
  std::vector<Expr> slopes;
  for (const Row& row : rows) slopes.push_back(grad(sum(row.f(x)), x));
  const Array at[] = {Array::from(points)};
  const Graph graph = capture(std::span(&x, 1), slopes).graph;
  Context context = checked_context();
  const Results compiled = compile({x}, slopes)(std::span(at));
  const std::vector<Array> found[] = {evaluate(graph, at),
                                      evaluate(run_passes(graph, context), at),
                                      {compiled.begin(), compiled.end()}};
  for (const std::vector<Array>& each : found) {
    for (std::size_t k = 0; k < each.size(); ++k) {
      for (std::size_t i = 0; i < points.size(); ++i) {
        CAPTURE(rows[k].name);
        CAPTURE(points[i]);
        const double wanted = rows[k].derivative(points[i]);
        const double slope = numbers(each[k])[i];
        CHECK((std::isnan(wanted) ? std::isnan(slope) : close({slope}, {wanted}, 1e-13)));
      }
    }
  }
}
