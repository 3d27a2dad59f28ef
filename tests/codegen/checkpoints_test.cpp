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
                     std::int64_t every) {
  const Expr start = full(Shape{xs.dim(1)}, Expr(0.25));
  return scan(n, List{start, Expr(1.5)}, Sequences{{xs}, reverse}, cell(w), {every});
}

Expr loss_of(const List& outputs) {
  Expr loss = sum(square(outputs[0])) + outputs[1];
  for (std::size_t k = 2; k < outputs.size(); ++k) loss = loss + sum(outputs[k] * outputs[k]);
  return loss;
}

}  // namespace

TEST_CASE("a loop with checkpoints has the values and derivatives of one without") {
  for (const bool reverse : {false, true})
    for (const std::int64_t every : {std::int64_t{1}, std::int64_t{3}, LoopOptions::root}) {
      CAPTURE(reverse);
      CAPTURE(every);
      const Expr xs = matrix("xs"), w = vector("w"), n(extent_value(xs.dim(0)));
      Batch batch("checkpoints");
      batch.inputs = {xs, w};
      const auto add = [&](const std::string& name, const List& with, const List& without) {
        for (std::size_t k = 0; k < with.size(); ++k) {
          batch.add(name, with[k], 1e-11);
          batch.add(name + ", against all kept", with[k] - without[k], 1e-11);
        }
      };
      const List found = outputs_of_cell(n, xs, w, reverse, every);
      const List plain = outputs_of_cell(n, xs, w, reverse, 0);
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
  const auto last = [&](std::int64_t every) {
    return fori(n, List{x},
                [&](const Expr& i, States s) { return List{sin(s[0] * 1.1) + i * 0.01}; },
                {every})[0];
  };
  const Function f =
      compile({n, x}, {last(0), last(1), last(4), last(1000), last(LoopOptions::root)});
  const Array start = Array::from(std::vector<double>{0.1, -2.0, 7.0});
  for (const std::int64_t steps : {-3, 0, 1, 3, 4, 5, 8, 100}) {
    const Results found = f(steps, start);
    for (std::size_t k = 1; k < found.size(); ++k) CHECK(difference(found[k], found[0], 0) == "");
  }
}

TEST_CASE("checkpoints are positive") {
  const Expr n = scalar("n", int64), x = vector("x");
  const LoopBody same = [](const Expr&, States s) { return List{s[0]}; };
  CHECK_THROWS_WITH_AS(fori(n, List{x}, same, {-3}),
                       "fori: expected checkpoint_every to be 0 or more, found -3", ValueError);
  CHECK_THROWS_WITH_AS(scan(n, List{x}, same, {-2}),
                       "scan: expected checkpoint_every to be 0 or more, found -2", ValueError);
}
