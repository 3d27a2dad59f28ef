// Batches: every op applied to all examples at once gives what it gives for each of them.
#include "passes/derivatives/vectorize.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/ops.h"
#include "tests/support/compiled_support.h"
#include "tests/support/op_cases.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// Inputs of a function of one example, and arrays for `size` examples of those that differ.
struct Examples {
  std::vector<Expr> inputs;
  std::vector<Array> values;  // with a leading axis where `differs`
  std::vector<bool> differs;
};

Array one_of(const Array& all, std::int64_t i) {
  const Expr x = tensor("all", all.dtype(), Shape(all.shape().begin(), all.shape().end()));
  const Expr part = x(Index(Dim(i)));
  return evaluate(capture(std::span(&x, 1), std::span(&part, 1)).graph, std::span(&all, 1))[0];
}

/// How the outputs for the batch differ from those of one example after the other, or "".
std::string difference_of(const Examples& e, std::span<const Expr> outputs, std::int64_t size,
                          double tolerance) {
  std::vector<Expr> before, after, leaves;
  const Dim count = Dim::symbol("b");
  for (std::size_t i = 0; i < e.inputs.size(); ++i) {
    leaves.push_back(e.inputs[i]);
    if (!e.differs[i]) continue;
    Shape shape = e.inputs[i].shape();
    shape.insert(shape.begin(), count);
    leaves.back() = tensor("all", e.inputs[i].dtype(), shape);
    before.push_back(e.inputs[i]);
    after.push_back(leaves.back());
  }
  const std::vector<Expr> batched = vectorize(outputs, before, after);
  const std::vector<Array> found = evaluate(capture(leaves, batched).graph, e.values);
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (found[k].dtype() != outputs[k].dtype() || found[k].rank() != outputs[k].rank() + 1 ||
        found[k].shape()[0] != size)
      return "output " + std::to_string(k) + " is " + found[k].describe();
  }
  const Graph single = capture(e.inputs, outputs).graph;
  for (std::int64_t n = 0; n < size; ++n) {
    std::vector<Array> arguments = e.values;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      if (e.differs[i]) arguments[i] = one_of(arguments[i], n);
    const std::vector<Array> wanted = evaluate(single, arguments);
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      const std::string how = difference(one_of(found[k], n), wanted[k], tolerance);
      if (!how.empty()) return "output " + std::to_string(k) + ": " + how;
    }
  }
  return "";
}

/// Which inputs may have examples: each alone, and all of them.
std::vector<std::vector<bool>> choices(std::size_t count) {
  std::vector<std::vector<bool>> list;
  for (std::size_t i = 0; i < count; ++i) {
    list.emplace_back(count, false);
    list.back()[i] = true;
  }
  if (count > 1) list.emplace_back(count, true);
  return list;
}

void check_case(const Case& c, std::span<const Expr> inputs, std::span<const Expr> outputs,
                double tolerance) {
  for (const std::vector<bool>& differs : choices(inputs.size())) {
    for (const std::int64_t size : {0, 1, 3}) {
      Examples e{{inputs.begin(), inputs.end()}, {}, differs};
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::vector<std::int64_t> shape;
        if (differs[i]) shape.push_back(size);
        std::size_t n = differs[i] ? static_cast<std::size_t>(size) : 1;
        for (const Dim& d : inputs[i].shape()) {
          shape.push_back(d.constant());
          n *= static_cast<std::size_t>(d.constant());
        }
        e.values.push_back(
            Array::from(scattered(n, c.low, c.high, 0.3 * static_cast<double>(i)), shape));
      }
      CAPTURE(c.name);
      CAPTURE(size);
      CAPTURE(differs[0]);
      CHECK(difference_of(e, outputs, size, tolerance) == "");
    }
  }
}

/// An operand of each rank up to the result's, all in [0.2, 0.9] or small and positive.
Array operand(DType t, std::int64_t size, int rank, double seed) {
  std::vector<std::int64_t> shape;
  if (size >= 0) shape.push_back(size);
  if (rank > 1) shape.push_back(2);
  if (rank > 0) shape.push_back(3);
  std::size_t n = 1;
  for (const std::int64_t d : shape) n *= static_cast<std::size_t>(d);
  const Numbers values = scattered(n, 0.2, 0.9, seed);
  if (t == float64) return Array::from(values, shape);
  std::vector<std::int64_t> integers;
  for (const double v : values) integers.push_back(static_cast<std::int64_t>(v * 9));
  if (t == int64) return Array::from(integers, shape);
  if (t == uint16)
    return Array::from(std::vector<std::uint16_t>(integers.begin(), integers.end()), shape);
  if (t == uint64)
    return Array::from(std::vector<std::uint64_t>(integers.begin(), integers.end()), shape);
  return Array::from(std::vector<bool>(integers.begin(), integers.end()), shape);
}

Expr application_of(const Op& op, const std::vector<Expr>& inputs) {
  std::vector<Value> operands;
  for (const Expr& x : inputs) operands.push_back(x.value());
  if (&op == &op::where) operands[0] = cast(inputs[0], DType::bool_).value();
  return Expr(make_node(op, operands));
}

}  // namespace

TEST_CASE("ops of batches are those of their examples") {
  for (const Case& c : all_cases()) {
    const Point point = point_of(c);
    check_case(c, point.inputs, c.f(point.inputs), 1e-11);
  }
}

TEST_CASE("gradients of batches are those of their examples") {
  for (const Case& c : all_cases()) {
    const Point point = point_of(c);
    const Out y = c.f(point.inputs);
    Expr cost;
    for (const Expr& each : y) {
      const Expr term = sum(each * scattered_like(each, 0.2));
      cost = cost.defined() ? cost + term : term;
    }
    check_case(c, point.inputs, grad(cost, point.inputs, {Disconnected::zero}), 1e-9);
  }
}

TEST_CASE("elementwise ops of batches line up operands of lower rank") {
  for (const Op* op : all_ops()) {
    if (!op->is_elementwise()) continue;
    CAPTURE(op->name);
    const int count = op->operands < 0 ? 3 : op->operands;
    bool applied = false;
    // The last are those of random variates: key, counter, position and parameters.
    const std::pair<DType, DType> dtypes[] = {{float64, float64}, {int64, int64},
                                              {bool_, bool_},     {uint64, uint64},
                                              {uint64, float64},  {uint16, uint16}};
    for (const auto& [first, rest] : dtypes) {
      Examples e;
      for (int i = 0; i < count; ++i) {
        const Shape shapes[] = {{2, 3}, {3}, {}};
        e.inputs.push_back(tensor("x", i < 3 ? first : rest, shapes[i % 3]));
      }
      Expr y;
      try {
        y = application_of(*op, e.inputs);
      } catch (const Error&) {
        continue;
      }
      applied = true;
      for (const std::vector<bool>& differs : choices(e.inputs.size())) {
        e.differs = differs;
        e.values.clear();
        for (int i = 0; i < count; ++i)
          e.values.push_back(operand(i < 3 ? first : rest,
                                     differs[static_cast<std::size_t>(i)] ? 3 : -1, 2 - i % 3,
                                     0.3 * i));
        CHECK(difference_of(e, std::span(&y, 1), 3, 0) == "");
      }
      break;
    }
    CHECK(applied);
  }
}

TEST_CASE("every op with operands has a rule for batches or an expansion") {
  for (const Op* op : all_ops()) {
    if (op->operands == 0 || op->name == "cast") continue;
    const auto has = [&](std::string_view name) {
      return std::ranges::any_of(op->attributes,
                                 [&](const AttributeSpec& spec) { return spec.name == name; });
    };
    CAPTURE(op->name);
    CHECK((op->is_elementwise() || op->batch || op->expand || op->step == StepKind::routine ||
           has("axis") || has("axes")));
  }
}

namespace {

Array integers(std::vector<std::int64_t> values, std::vector<std::int64_t> shape) {
  return Array::from(values, shape);
}

}  // namespace

TEST_CASE("indices may differ between examples, in every place") {
  const Expr x = tensor("x", float64, {4, 2, 3}), v = tensor("v", float64, {2, 3});
  const Expr i = tensor("i", int64, {2}), j = tensor("j", int64, {2, 1});
  const std::vector<Expr> outputs = {
      x(i),
      x(all_of, i),
      x(all_of, all_of, i),
      x(i, i),
      x(i, all_of, i),
      x(all_of, i, j),
      x(j, all_of, i),
      x(i, 1),
      take(x, j, 2),
      set_at(x, {i}, 7.0),
      set_at(x, {all_of, i, j}, 7.0),
      inc_at(x, {all_of, i}, v(all_of, newaxis)(all_of, 0)(i)(newaxis, all_of)(all_of, i)),
      inc_at(x, {i, all_of, i}, v(all_of, until(2))),
      inc_at(x, {j, all_of, i}, x(0)(0)(0)),
      multiply_at(x, {i}, v(all_of, newaxis)),
      maximum_at(x, {i, all_of, i}, v(all_of, until(2))),
      minimum_at(x, {j, all_of, i}, x(0)(0)(0)),
      cast(indicator(i, 2, 4), float64),
      cast(indicator(i, 5, 4), float64),
  };
  const Numbers many = scattered(3 * 24, -2, 2, 0.1);
  const Numbers few = scattered(3 * 6, -2, 2, 0.7);
  for (const std::vector<bool>& differs : choices(4)) {
    Examples e{{x, v, i, j}, {}, differs};
    const auto part = [](const auto& all, std::size_t n) {
      return std::decay_t<decltype(all)>(all.begin(), all.begin() + static_cast<int>(n));
    };
    e.values.push_back(differs[0] ? Array::from(many, {3, 4, 2, 3})
                                  : Array::from(part(many, 24), {4, 2, 3}));
    e.values.push_back(differs[1] ? Array::from(few, {3, 2, 3})
                                  : Array::from(part(few, 6), {2, 3}));
    const std::vector<std::int64_t> at = {1, 0, -1, 1, 0, 0};
    e.values.push_back(differs[2] ? integers(at, {3, 2}) : integers(part(at, 2), {2}));
    e.values.push_back(differs[3] ? integers(at, {3, 2, 1}) : integers(part(at, 2), {2, 1}));
    CHECK(difference_of(e, outputs, 3, 1e-14) == "");
  }
}

TEST_CASE("a loop runs as often as the longest of its examples") {
  const Expr x = scalar("x"), n = scalar("n", int64);
  const std::vector<Expr> start = {x, constant(std::int64_t{0}, int64)};
  const std::vector<Expr> after = fori(n, start, [&](Expr i, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * x + cast(i, float64), s[1] + 1};
  });
  std::vector<Expr> outputs = {after[0], after[1], grad(after[0], x)};
  const Array xs = Array::from(Numbers{0.5, 1.5, -0.5, 2});
  CHECK(difference_of({{x, n}, {xs, integers({3, 0, -2, 5}, {4})}, {true, true}}, outputs, 4,
                      1e-14) == "");
  CHECK(difference_of({{x, n}, {Array(0.5), integers({3, 0, 4}, {3})}, {false, true}}, outputs, 3,
                      1e-14) == "");
  outputs.push_back(grad(outputs[2], x));
  CHECK(difference_of({{x, n}, {xs, integers({3}, {})}, {true, false}}, outputs, 4, 1e-14) == "");
  CHECK(difference_of({{x, n}, {xs, integers({3, 0, 1, 5}, {4})}, {true, true}}, outputs, 4,
                      1e-14) == "");
}

// Rows behind an example's own steps are of no step that it makes, so nothing may add them up.
TEST_CASE("rows of loops whose examples make different numbers of steps are read one by one") {
  const Expr n = scalar("n", int64), x = scalar("x");
  const Expr start[] = {x};
  const Expr rows = scan(n, start, [](Expr, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * 2, s[0] + 1};
  })[1];
  const auto each = [&](const std::function<Expr(const Expr&, const Expr&)>& f) {
    return fori(n, start,
                [&](Expr i, std::span<const Expr> s) { return std::vector<Expr>{f(i, s[0])}; })[0];
  };
  const Expr right = each([&](const Expr& i, const Expr& s) { return s + (exp(rows) * 2)(i); });
  CHECK(difference_of({{x, n}, {Array(0.5), integers({3, 1, 4}, {3})}, {false, true}},
                      std::span(&right, 1), 3, 1e-14) == "");
  const Expr first = exp(rows)(0) * rows(1), slope = grad(first, x);
  CHECK(difference_of({{x, n}, {Array(0.5), integers({3, 2, 4}, {3})}, {false, true}},
                      std::vector<Expr>{first, slope}, 3, 1e-14) == "");
  CHECK(difference_of({{x, n}, {Array(0.5), integers({3, 2, 4}, {3})}, {false, true}},
                      std::span(&slope, 1), 3, 1e-14) == "");
  const Expr second = squeeze(reshape(rows, {rows.dim(0), 1})(ellipsis, Range(0, 1)))(1);
  CHECK(difference_of({{x, n}, {Array(0.5), integers({3, 2, 4}, {3})}, {false, true}},
                      std::span(&second, 1), 3, 1e-14) == "");
  const Expr wrong[] = {rows,
                        sum(rows),
                        reshape(expand_dims(rows, 0), {rows.dim(0)})(0),
                        rows(-1),
                        flip(rows, 0),
                        rows(Range(1, {})),
                        concatenate({rows, rows}),
                        each([&](const Expr&, const Expr& s) { return s + sum(rows); })};
  const Expr one[] = {n}, all[] = {vector("ns", int64)};
  for (const Expr& y : wrong)
    CHECK_THROWS_WITH_AS(vectorize(std::span(&y, 1), one, all), doctest::Contains("the same"),
                         TypeError);
}

TEST_CASE("what is the same for all examples has no axis for them") {
  const Expr x = vector("x"), xs = matrix("xs"), w = matrix("w");
  const Expr shared = exp(w), y = sum(matmul(shared, x));
  const Expr all = vectorize(std::span(&y, 1), std::span(&x, 1), std::span(&xs, 1))[0];
  for (const Node* node : topological_order(std::vector<Value>{all}))
    if (&node->op() == &op::exp) CHECK(node->type().rank() == 2);
}

TEST_CASE("batches of batches and derivatives through them") {
  const Expr x = scalar("x"), w = scalar("w"), xs = vector("xs"), ws = vector("ws");
  const Expr y = exp(x * w) + x;
  const Expr rows = vectorize(std::span(&y, 1), std::span(&x, 1), std::span(&xs, 1))[0];
  const Expr table = vectorize(std::span(&rows, 1), std::span(&w, 1), std::span(&ws, 1))[0];
  const Expr inputs[] = {xs, ws}, outputs[] = {table, grad(sum(square(table)), ws)};
  const Array values[] = {Array::from(Numbers{0.5, -1, 2}), Array::from(Numbers{1, 0.25})};
  const std::vector<Array> found = evaluate(capture(inputs, outputs).graph, values);
  Numbers wanted, slopes(2, 0.0);
  for (const double b : {1.0, 0.25})
    for (const double a : {0.5, -1.0, 2.0}) {
      const double v = std::exp(a * b) + a;
      slopes[wanted.size() / 3] += 2 * v * std::exp(a * b) * a;
      wanted.push_back(v);
    }
  CHECK(close(found[0].to_vector<double>(), wanted, 1e-14));
  CHECK(close(found[1].to_vector<double>(), slopes, 1e-13));
}

TEST_CASE("what cannot be batched is told") {
  const Expr x = vector("x"), n = scalar("n", int64), ns = vector("ns", int64);
  const Expr ragged = sum(cast(arange(n), float64));
  CHECK_THROWS_WITH_AS(vectorize(std::span(&ragged, 1), std::span(&n, 1), std::span(&ns, 1)),
                       doctest::Contains("the same for all examples"), TypeError);
  CHECK_THROWS_AS(vectorize(std::span(&x, 1), std::span(&x, 1), std::span(&x, 1)), ValueError);
  const Expr y = tensor("y", float64, {2}), z = tensor("z", float64, {3});
  const Expr one = scalar("a"), two = scalar("b"), total = one + two;
  CHECK_THROWS_WITH_AS(
      vectorize(std::span(&total, 1), std::vector<Expr>{one, two}, std::vector<Expr>{y, z}),
      doctest::Contains("one number of examples"), ValueError);
}
