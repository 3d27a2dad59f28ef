// Branches and loops that end by a condition: what runs, values, gradients and batches.
#include <cmath>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "ir/text/text.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/lines/sorting.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"
#include "tests/support/passes_support.h"
#include "tests/support/prints_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

Expr choose(const Expr& holds, const std::function<Expr()>& then,
            const std::function<Expr()>& otherwise) {
  return cond(holds, [&] { return List{then()}; }, [&] { return List{otherwise()}; })[0];
}

// The square root of a, by steps until they change nothing.
Expr newton(const Expr& a) {
  const Expr initial[] = {a};
  const auto is_far = [&](States s) { return greater(abs(s[0] * s[0] - a), 1e-13 * a); };
  return while_loop(initial, is_far, [&](States s) { return List{0.5 * (s[0] + a / s[0])}; })[0];
}

std::string printed(const Function& f, const Array& holds, const Array& x) {
  const Prints prints;
  f(holds, x);
  std::string all;
  for (const std::string& text : prints.texts) all += text.substr(0, text.find(' ')) + ";";
  return all;
}

}  // namespace

TEST_CASE("only the branch that is taken runs, and only its derivative") {
  const Expr p = scalar("p", DType::bool_), x = vector("x");
  const Expr y = choose(
      p, [&] { return sum(square(print(exp(x), "then"))); },
      [&] { return sum(print(sort(x), "otherwise")); });
  const Function value = compile({p, x}, {y});
  const Array values = Array::from({1.0, 3.0, 2.0});
  CHECK(printed(value, Array(true), values) == "then;");
  CHECK(printed(value, Array(false), values) == "otherwise;");
  const Function slope = compile({p, x}, {grad(y, {x})[0]});
  CHECK(printed(slope, Array(true), values) == "then;");
  CHECK(slope(Array(false), values)[0].to_vector<double>() == std::vector<double>{1, 1, 1});
}

TEST_CASE("what there is before the branches is computed once, whichever runs") {
  const Expr p = scalar("p", DType::bool_), x = vector("x");
  const Expr before = print(sum(x), "before");
  const Expr y =
      choose(p, [&] { return before * 2; }, [&] { return before + print(max(x), "max"); });
  const Function f = compile({p, x}, {y});
  CHECK(printed(f, Array(true), Array::from({1.0, 2.0})) == "before;");
  CHECK(printed(f, Array(false), Array::from({1.0, 2.0})) == "before;max;");
}

TEST_CASE("ifelse leaves out what only the other branch needs") {
  const Expr p = scalar("p", DType::bool_), x = vector("x");
  const Expr both = print(exp(x), "both");
  const Expr y = ifelse(p, {{sum(print(sin(both), "then"))}, {max(print(cos(both), "else"))}})[0];
  const Function f = compile({p, x}, {y});
  CHECK(printed(f, Array(true), Array::from({1.0, 2.0})) == "both;then;");
  CHECK(printed(f, Array(false), Array::from({1.0, 2.0})) == "both;else;");
}

TEST_CASE("the branch that is not taken may fail, and its slope may be infinite") {
  const Expr x = scalar("x"), v = vector("v"), i = scalar("i", DType::int64);
  const Expr root = choose(x > 0, [&] { return sqrt(x); }, [&] { return x * 0; });
  const Expr element = choose(
      i < extent_value(v.dim(0)), [&] { return v(i); },
      [&] { return constant(-1.0, DType::float64); });
  const Function f = compile({x, v, i}, {root, grad(root, {x})[0], element, grad(element, {v})[0]});
  const Results in = f(4.0, Array::from({5.0, 6.0}), std::int64_t{1});
  CHECK(in[0].item<double>() == 2);
  CHECK(in[1].item<double>() == 0.25);
  CHECK(in[2].item<double>() == 6);
  CHECK(in[3].to_vector<double>() == std::vector<double>{0, 1});
  const Results out = f(-1.0, Array::from({5.0, 6.0}), std::int64_t{2});
  CHECK(out[0].item<double>() == 0);
  CHECK(out[1].item<double>() == 0);
  CHECK(out[2].item<double>() == -1);
  CHECK(out[3].to_vector<double>() == std::vector<double>{0, 0});
}

TEST_CASE("branches in loops in branches have their values, gradients and batches") {
  for (const DType t : {float64, float32}) {
    CAPTURE(name_of(t));
    const Expr x = vector("x", t), w = scalar("w", t), n = scalar("n", int64);
    const auto size = [](const Expr& v) { return sum(abs(v)); };
    const Expr initial[] = {x};
    const Expr y = fori(n, initial, [&](const Expr& i, States s) {
      return cond(
          greater(size(s[0]), 3), [&] { return List{s[0] * 0.5 + w}; },
          [&] {
            const Expr inner[] = {s[0] * w, i};
            const auto below = [](States now) { return less(now[1], 3); };
            return List{while_loop(inner, below,
                                   [&](States now) { return List{now[0] + x, now[1] + 1}; })[0]};
          });
    })[0];
    const Expr cost = sum(square(y));
    Batch batch("branches");
    batch.inputs = {x, w, n};
    const List slopes = grad(cost, {x, w});
    const double tolerance = t == float32 ? 1e-4 : 1e-10;
    batch.add("y", y, tolerance);
    batch.add("by x", slopes[0], tolerance);
    batch.add("by w", slopes[1], tolerance);
    batch.add("twice", grad(sum(slopes[0] * x), {w})[0], tolerance);
    batch.compile();
    Samples random(3);
    for (const std::int64_t steps : {0, 1, 5})
      batch.check_with({random.small(t, {3}), random.small(t, {}), Array(steps)});
  }
}

TEST_CASE("a condition ends a loop, for each example of a batch at its own step") {
  const Expr a = scalar("a"), many = vector("many");
  const Expr root = newton(a), slope = grad(root, {a})[0];
  const Expr ones[] = {a}, all[] = {many}, of[] = {root, slope, grad(slope, {a})[0]};
  const List batched = vectorize(of, ones, all);
  const Function f = compile({a, many}, {root, slope, batched[0], batched[1], batched[2]});
  const std::vector<double> values = {1.5, 2, 1e6, 1e-3};
  const Results found = f(2.0, Array::from(values));
  CHECK(std::fabs(found[0].item<double>() - std::sqrt(2.0)) < 1e-14);
  CHECK(std::fabs(found[1].item<double>() - 0.5 / std::sqrt(2.0)) < 1e-13);
  for (std::size_t k = 0; k < values.size(); ++k) {
    const double r = std::sqrt(values[k]);
    CHECK(std::fabs(found[2].to_vector<double>()[k] / r - 1) < 1e-13);
    CHECK(std::fabs(found[3].to_vector<double>()[k] * r / 0.5 - 1) < 1e-12);
    CHECK(std::fabs(found[4].to_vector<double>()[k] * r * r * r / -0.25 - 1) < 1e-6);
  }
}

TEST_CASE("a loop that ends early keeps the rows of the steps it made") {
  const Expr x = scalar("x"), most = scalar("most", int64);
  const Expr initial[] = {x};
  const WhileStep step = [](const Expr& i, States s) {
    const Expr next = s[0] * 2;
    return List{next < 100, next, next + cast(i, float64)};
  };
  const WhileResults loop = while_loop(x < 100, initial, step, most);
  const Expr slope = grad(sum(square(loop.rows[0])), {x})[0];
  const Function f = compile({x, most}, {loop.steps, loop.states[0], loop.rows[0], slope});
  const auto check = [&](double from, std::int64_t limit, std::vector<double> rows, double by_x) {
    const Results found = f(from, limit);
    CHECK(found[0].item<std::int64_t>() == static_cast<std::int64_t>(rows.size()));
    CHECK(found[2].to_vector<double>() == rows);
    CHECK(std::fabs(found[3].item<double>() - by_x) <= 1e-12 * std::fabs(by_x));
  };
  // Rows 2^(k+1) x + k: the derivative of their squares is 2 (2^(k+1) x + k) 2^(k+1).
  check(30, 10, {60, 121}, 2 * 60 * 2 + 2 * 121 * 4);
  check(30, 1, {60}, 2 * 60 * 2);
  check(30, 0, {}, 0);
  check(30, -1, {}, 0);
  check(200, 10, {}, 0);
}

TEST_CASE("a loop is written as one loop, a branch as one condition") {
  const Expr a = scalar("a");
  const Module module = module_of({newton(a)});
  const std::string text = module.text();
  CHECK(text.find("loop ") != std::string::npos);
  CHECK(text.find(" while ") != std::string::npos);
  const Expr y = choose(a > 0, [&] { return exp(a); }, [&] { return sin(a); });
  CHECK(module_of({y}).text().find("if ") != std::string::npos);
}

TEST_CASE("both branches are computed where that costs less than a choice") {
  const Expr a = scalar("a"), b = scalar("b"), x = vector("x");
  const auto give = [](const Expr& y) { return [y] { return y; }; };
  const auto chooses = [](const Expr& y) {
    return module_of({y}).text().find("if ") != std::string::npos;
  };
  const auto halved = [&] { return choose(a > 1, [&] { return a / 2; }, [&] { return a * b; }); };
  const Expr cheap = choose(b > 0, halved, [&] { return a - b; });
  CHECK(!chooses(cheap));
  CHECK(!chooses(grad(cheap, {a})[0]));
  const Function f = compile({a, b}, {cheap, grad(cheap, {a})[0]});
  const double values[][4] = {{3, 1, 1.5, 0.5}, {0.5, 4, 2, 4}, {3, -1, 4, 1}};
  for (const auto& [at, by, value, slope] : values) {
    const Results found = f(at, by);
    CHECK(found[0].item<double>() == value);
    CHECK(found[1].item<double>() == slope);
  }
  CHECK(!chooses(choose(Expr(Array(true)), [&] { return sort(x)(0); }, give(a))));
  CHECK(chooses(choose(a > 0, [&] { return gammaln(a); }, [&] { return gammaln(b); })));
  CHECK(chooses(choose(a > 0, [&] { return print(a * 2, "a"); }, give(b))));
  CHECK(chooses(choose(a > 0, [&] { return x * 2; }, give(x))));
  CHECK(chooses(choose(a > 0, [&] { return sum(x); }, give(b))));
}

TEST_CASE("branches write over what loops and branches around them computed") {
  const Expr v = vector("v"), p = scalar("p", DType::bool_), n = scalar("n", int64);
  const Expr initial[] = {v};
  const auto put = [](const Expr& x, const Expr& at, double y) {
    return set_at(x, {Index(at)}, y);
  };
  const Expr y = fori(n, initial, [&](const Expr& i, States s) {
    const Expr changed = put(s[0], i % 3, 3);
    return cond(
        p, [&] { return List{put(changed, i % 2, 5) + changed(0)}; },
        [&] {
          const Expr inner[] = {changed};
          return cond(
              i < 1, [&] { return List{put(changed, n % 2, 7)}; },
              [&] {
                return fori(2, inner, [&](const Expr& j, States t) {
                  return List{put(t[0], j, 9) + changed * 2};
                });
              });
        });
  })[0];
  Batch batch("writes");
  batch.inputs = {v, p, n};
  batch.add("y", y);
  batch.compile();
  for (const bool holds : {false, true})
    for (const std::int64_t steps : {0, 1, 2, 3})
      batch.check_with({Array::from({1.0, 2.0, 4.0}), Array(holds), Array(steps)});
}

TEST_CASE("graphs with branches and such loops are read back from their texts") {
  const Expr a = scalar("a");
  const Expr y = choose(a > 0, [&] { return newton(a); }, [&] { return -a; });
  const Graph graph = close(List{y, grad(y, {a})[0]});
  const Graph again = parse_graph(print_graph(graph), {find_op});
  CHECK(again.key() == graph.key());
  const Array values[] = {Array(9.0)};
  CHECK(std::fabs(evaluate(again, values)[0].item<double>() - 3) < 1e-12);
}

TEST_CASE("branches of other types, and conditions that are none, are refused") {
  const Expr x = vector("x"), p = scalar("p", DType::bool_);
  const auto give = [](const Expr& v) { return [=] { return List{v}; }; };
  CHECK_THROWS_AS(cond(p, give(x), give(sum(x))), ValueError);
  CHECK_THROWS_AS(cond(p, give(x), give(cast(x, float32))), TypeError);
  CHECK_THROWS_AS(cond(p, give(x), [] { return List{}; }), TypeError);
  CHECK_THROWS_AS(cond(x > 0, give(x), give(x)), TypeError);
  CHECK_THROWS_AS(cond(x(0), give(x), give(x)), TypeError);
  const Expr initial[] = {x(0)};
  const auto same = [](States s) { return List{s[0]}; };
  CHECK_THROWS_AS(while_loop(initial, [](States s) { return s[0]; }, same), TypeError);
  CHECK_THROWS_AS(while_loop(
                      initial, [](States s) { return s[0] < 1; }, [](States) { return List{}; }),
                  TypeError);
}
