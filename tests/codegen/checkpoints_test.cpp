// Loops that keep few of their states for a gradient: the same values, rows, gradients and batches
// as those that keep all.
#include <string>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

// Two states, a vector and a number; rows of both, and one of the element.
ScanBody cell(const Expr& w) {
  return [w](const Expr& i, States s, States x) {
    const Expr next = tanh(s[0] * w + x[0] * cast(i + 1, float64));
    return List{next, s[1] * 0.5 + sum(next * x[0]), s[0] * 2, s[1], x[0]};
  };
}

List outputs_of_cell(const Expr& n, const Expr& xs, const Expr& w, bool reverse,
                     const LoopOptions& options = {}) {
  const Expr start = full(Shape{xs.dim(1)}, Expr(0.25));
  return scan(n, List{start, Expr(1.5)}, Sequences{{xs}, reverse}, cell(w), options);
}

Expr loss_of(const List& outputs) {
  Expr loss = sum(square(outputs[0])) + outputs[1];
  for (std::size_t k = 2; k < outputs.size(); ++k) loss = loss + sum(outputs[k] * outputs[k]);
  return loss;
}

}  // namespace

TEST_CASE("a loop with checkpoints has the values and derivatives of one without") {
  for (const bool reverse : {false, true})
    for (const LoopOptions& options :
         {LoopOptions{1}, LoopOptions{3}, LoopOptions{LoopOptions::root},
          LoopOptions{.checkpoints = 1}, LoopOptions{.checkpoints = 2},
          LoopOptions{.memory_budget = 100}}) {
      CAPTURE(reverse);
      CAPTURE(options.checkpoint_every);
      CAPTURE(options.checkpoints);
      const Expr xs = matrix("xs"), w = vector("w"), n(extent_value(xs.dim(0)));
      Batch batch("checkpoints");
      batch.inputs = {xs, w};
      const auto add = [&](const std::string& name, const List& with, const List& without) {
        for (std::size_t k = 0; k < with.size(); ++k) {
          batch.add(name, with[k], 1e-11);
          batch.add(name + ", against all kept", with[k] - without[k], 1e-11);
        }
      };
      const List found = outputs_of_cell(n, xs, w, reverse, options);
      const List plain = outputs_of_cell(n, xs, w, reverse);
      add("value", found, plain);
      const List slopes = grad(loss_of(found), {xs, w}), wanted = grad(loss_of(plain), {xs, w});
      add("gradient", slopes, wanted);
      const auto second = [&](const List& g) {
        return grad(sum(square(g[0])) + sum(g[1]), {xs, w});
      };
      add("second", second(slopes), second(wanted));
      const List examples = {tensor("more_xs", float64, {Dim(2), xs.dim(0), xs.dim(1)}),
                             tensor("more_w", float64, {Dim(2), xs.dim(1)})};
      batch.inputs.insert(batch.inputs.end(), examples.begin(), examples.end());
      const auto many = [&](const List& of) {
        return vectorize(List{of[0], of[2], of[3]}, List{xs, w}, examples);
      };
      add("batch", many(found), many(plain));
      add("batch of gradients", vectorize(slopes, List{xs, w}, examples),
          vectorize(wanted, List{xs, w}, examples));
      Samples random(11);
      for (const std::int64_t steps : {0, 1, 2, 3, 4, 6, 7})
        batch.check_with({random.small(float64, {steps, 2}), random.small(float64, {2}),
                          random.small(float64, {2, steps, 2}), random.small(float64, {2, 2})});
    }
}

TEST_CASE("values of a loop with checkpoints have the same bits, whatever the count") {
  const Expr n = scalar("n", int64), x = vector("x");
  const auto last = [&](const LoopOptions& options) {
    return fori(
        n, List{x}, [&](const Expr& i, States s) { return List{sin(s[0] * 1.1) + i * 0.01}; },
        options)[0];
  };
  List outputs = {last({})};
  for (const std::int64_t k : {std::int64_t{1}, std::int64_t{4}, std::int64_t{1000}}) {
    outputs.push_back(last({k}));
    outputs.push_back(last({.checkpoints = k}));
  }
  outputs.push_back(last({LoopOptions::root}));
  const Function f = compile({n, x}, outputs);
  const Array start = Array::from(std::vector<double>{0.1, -2.0, 7.0});
  for (const std::int64_t steps : {-3, 0, 1, 3, 4, 5, 8, 100}) {
    const Results found = f(steps, start);
    for (std::size_t k = 1; k < found.size(); ++k) CHECK(difference(found[k], found[0], 0) == "");
  }
}

TEST_CASE("gradients with checkpoints have the bits of those that keep all") {
  const Expr n = scalar("n", int64), x = vector("x"), w = vector("w"), r = scalar("r");
  const auto slopes = [&](const LoopOptions& options) {
    const auto step = [&](const Expr& i, States s) {
      return List{sin(s[0] * w) * r + i * 0.01, s[1] * 0.5 + sum(s[0])};
    };
    const List last = fori(n, List{x, Expr(1.0)}, step, options);
    return grad(sum(last[0] * last[0]) * last[1], {x, w, r});
  };
  List outputs = slopes({});
  for (const std::int64_t k : {1, 2, 3, 7, 1000})
    for (const LoopOptions& options : {LoopOptions{k}, LoopOptions{.checkpoints = k},
                                       LoopOptions{.memory_budget = 64 + 40 * k}}) {
      const List more = slopes(options);
      outputs.insert(outputs.end(), more.begin(), more.end());
    }
  const List root = slopes({LoopOptions::root});
  outputs.insert(outputs.end(), root.begin(), root.end());
  const Function f = compile({n, x, w, r}, outputs);
  const Array start = Array::from(std::vector<double>{0.1, -2.0, 7.0}),
              rate = Array::from(std::vector<double>{1.1, 0.7, -0.9});
  for (const std::int64_t steps : {-1, 0, 1, 2, 3, 6, 10, 41}) {
    CAPTURE(steps);
    const Results found = f(steps, start, rate, 0.9);
    for (std::size_t k = 3; k < found.size(); ++k)
      CHECK(difference(found[k], found[k % 3], 0) == "");
  }
}

TEST_CASE("at level exact products of matrices change no bit of them") {
  const Expr xs = tensor("xs", float64, {Dim::symbol("t"), Dim(12), Dim(12)});
  const Expr w = tensor("w", float64, {Dim(12), Dim(12)}), h = tensor("h", float64, w.shape());
  const auto slopes = [&](const LoopOptions& options) {
    const ScanBody step = [&](const Expr&, States s, States x) {
      return List{tanh(matmul(s[0], w) + matmul(x[0], w))};
    };
    const Expr n(extent_value(xs.dim(0)));
    return grad(sum(square(scan(n, List{h}, Sequences{{xs}}, step, options)[0])), {h, w, xs});
  };
  List outputs;
  for (const LoopOptions& options :
       {LoopOptions{}, LoopOptions{2}, LoopOptions{.checkpoints = 2}}) {
    const List more = slopes(options);
    outputs.insert(outputs.end(), more.begin(), more.end());
  }
  const Function f = compile({xs, w, h}, outputs, {}, {.rewrites = RewriteLevel::exact});
  Samples random(3);
  for (const std::int64_t steps : {0, 1, 7}) {
    const Results found = f(random.small(float64, {steps, 12, 12}), random.small(float64, {12, 12}),
                            random.small(float64, {12, 12}));
    for (std::size_t k = 3; k < found.size(); ++k)
      CHECK(difference(found[k], found[k % 3], 0) == "");
  }
}

namespace {

// The workspace of a gradient by the start of a loop of 1000 steps of 32 numbers.
std::int64_t bytes_with(const LoopOptions& options) {
  const Expr xs = matrix("xs"), x = vector("x"), n(extent_value(xs.dim(0)));
  const ScanBody step = [](const Expr&, States s, States of) { return List{sin(s[0]) + of[0]}; };
  const List last = scan(n, List{x}, Sequences{{xs}}, step, options);
  const Function f = compile({xs, x}, {grad(sum(last[0] * last[0]), x)}, {}, {.threads = 1});
  return f.workspace_bytes(
      std::vector{Array::empty(float64, {1000, 32}), Array::empty(float64, {32})});
}

}  // namespace

TEST_CASE("a gradient has memory for so many states") {
  const std::int64_t of_state = 32 * 8, beside = bytes_with({.checkpoints = 1}) - 2 * of_state;
  CHECK(beside < 8 * of_state);
  CHECK(bytes_with({}) >= 1000 * of_state);
  for (const std::int64_t checkpoints : {10, 100}) {
    // A state and the number of a step in each row, of which lines of memory are made.
    const std::int64_t rows = checkpoints + 1;
    CHECK(bytes_with({.checkpoints = checkpoints}) <= rows * (of_state + 8) + beside + 64);
    CHECK(bytes_with({.memory_budget = rows * (of_state + 8)}) ==
          bytes_with({.checkpoints = checkpoints}));
  }
}

TEST_CASE("a loop keeps one thing at a time, and not fewer than none") {
  const Expr n = scalar("n", int64), x = vector("x");
  const LoopBody same = [](const Expr&, States s) { return List{s[0]}; };
  CHECK_THROWS_WITH_AS(
      fori(n, List{x}, same, {-3}),
      doctest::Contains(
          "fori: expected checkpoint_every to be 0 or more, found -3 [checkpoints_test.cpp:"),
      ValueError);
  CHECK_THROWS_WITH_AS(
      scan(n, List{x}, same, {.checkpoints = -1}),
      doctest::Contains(
          "scan: expected checkpoints to be 0 or more, found -1 [checkpoints_test.cpp:"),
      ValueError);
  CHECK_THROWS_WITH_AS(
      scan(n, List{x}, same, {.memory_budget = -2}),
      doctest::Contains(
          "scan: expected memory_budget to be 0 or more, found -2 [checkpoints_test.cpp:"),
      ValueError);
  CHECK_THROWS_WITH_AS(
      fori(n, List{x}, same, {.checkpoint_every = LoopOptions::root, .memory_budget = 9}),
      doctest::Contains("fori: expected one of checkpoint_every, checkpoints and memory_budget, "
                        "found 2 [checkpoints_test.cpp:"),
      ValueError);
}

TEST_CASE("a budget has room for two states") {
  const Expr n = scalar("n", int64), x = vector("x");
  const LoopBody same = [](const Expr&, States s) { return List{sin(s[0])}; };
  const char* expected = "memory_budget: expected room for two states of a loop, found 40 bytes";
  const auto slope = [&](const Expr& from) {
    return grad(sum(fori(n, List{from}, same, {.memory_budget = 40})[0]), from);
  };
  CHECK_THROWS_WITH_AS(slope(tensor("three", float64, {Dim(3)})), doctest::Contains(expected),
                       ValueError);
  const Function f = compile({n, x}, {slope(x)});
  CHECK(f(std::int64_t{5}, Array::from({0.5}))[0].size() == 1);
  CHECK_THROWS_WITH_AS(f(std::int64_t{5}, Array::from({0.5, 1.0})), doctest::Contains(expected),
                       ValueError);
}
