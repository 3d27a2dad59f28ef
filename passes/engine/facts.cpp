// What conditions of rules ask about values.
#include "passes/engine/facts.h"

#include <cmath>
#include <limits>

#include "passes/algebra/polynomial.h"
#include "stdlib/ops.h"

namespace gnomon {

std::optional<double> number_of(const Value& v) {
  if (!v.is(op::constant) && !v.is(op::broadcast_to)) return std::nullopt;
  const std::optional<double> found = constant_value(v);
  if (found && is_integer(v.dtype()) && std::abs(*found) > 9007199254740992.0) return std::nullopt;
  return found;
}

Value number_value(double v, DType t) {
  if (is_float(t)) return constant(v, t).value();
  return constant(static_cast<std::int64_t>(v), t).value();
}

Value negated(const Value& v) {
  if (v.is(op::negative)) return v.input(0);
  if (const std::optional<double> c = number_of(v); c && v.is(op::constant))
    return number_value(-*c, v.dtype());
  return make_node(op::negative, {v});
}

std::vector<Value> terms_of_sum(const Value& sum, std::size_t most) {
  const std::span<const Value> operands = sum.node().operands();
  std::vector<Value> terms(operands.begin(), operands.end());
  for (std::size_t i = 0; i < terms.size();) {
    const bool is_negated = terms[i].is(op::negative);
    const Value inner = is_negated ? terms[i].input(0) : terms[i];
    if (!inner.is(op::add) || inner.shape() != sum.shape()) {
      ++i;
      continue;
    }
    const std::span<const Value> own = inner.node().operands();
    if (terms.size() + own.size() - 1 > most) return {operands.begin(), operands.end()};
    std::vector<Value> opened;
    for (const Value& each : own) opened.push_back(is_negated ? negated(each) : each);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(i));
    terms.insert(terms.begin() + static_cast<std::ptrdiff_t>(i), opened.begin(), opened.end());
  }
  return terms;
}

bool is_constant(const Value& v) {
  return v.is(op::constant) || (v.is(op::broadcast_to) && v.input(0).is(op::constant));
}

bool is_power_of_two(double v) {
  int exponent = 0;
  return std::isfinite(v) && std::abs(std::frexp(v, &exponent)) == 0.5 && std::abs(exponent) < 64;
}

namespace {

// What is made of elements of its operand without a change of sign.
bool keeps_sign(const Op& op) {
  return &op == &op::sum || &op == &op::prod || &op == &op::max || &op == &op::min ||
         &op == &op::mean || &op == &op::reshape || &op == &op::expand_dims ||
         &op == &op::squeeze || &op == &op::transpose || &op == &op::broadcast_to ||
         &op == &op::slice;
}

// The diagonal of a Cholesky factor.
bool is_diagonal_of_factor(const Value& v) {
  return v.is(op::index) && v.input(0).is(op::cholesky) && v.node().operands().size() == 3 &&
         v.input(1) == v.input(2) &&
         axes_of(v) == IntList{v.input(0).rank() - 2, v.input(0).rank() - 1};
}

bool is_non_negative_within(const Value& v, int depth) {
  if (const std::optional<double> c = number_of(v)) return *c >= 0;
  if (v.op().has(Trait::non_negative)) return true;
  if (is_bool(v.dtype()) || is_unsigned(v.dtype()) || is_diagonal_of_factor(v)) return true;
  if (depth == 0) return false;
  if (keeps_sign(v.op())) return is_non_negative_within(v.input(0), depth - 1);
  if (!v.is(op::add) && !v.is(op::multiply)) return false;
  for (const Value& operand : v.node().operands())
    if (!is_non_negative_within(operand, 0)) return false;
  return true;
}

}  // namespace

bool is_non_negative(const Value& v) {
  constexpr int deepest = 4;
  return is_non_negative_within(v, deepest);
}

bool are_opposite(const Value& a, const Value& b) {
  if (a.is(op::negative) && a.input(0) == b) return true;
  if (b.is(op::negative) && b.input(0) == a) return true;
  // Otherwise a factor or a term tells them apart, so both are sums, products or negations.
  const auto has_sign = [](const Value& v) {
    return v.is(op::add) || v.is(op::subtract) || v.is(op::multiply) || v.is(op::negative);
  };
  if (a.dtype() != b.dtype() || !is_float(a.dtype()) || !has_sign(a) || !has_sign(b)) return false;
  PolynomialRing ring(a.dtype());
  const auto p = ring.open(a), q = ring.open(b);
  if (!p || !q) return false;
  const auto total = ring.sum(*p, *q);
  return total && total->empty();
}

bool is_normal(double v, DType t) {
  if (v == 0) return true;
  const double magnitude = std::abs(v);
  if (t == DType::float32) {
    return magnitude >= std::numeric_limits<float>::min() &&
           magnitude <= std::numeric_limits<float>::max();
  }
  return magnitude >= std::numeric_limits<double>::min() &&
         magnitude <= std::numeric_limits<double>::max();
}

std::optional<std::int64_t> constant_count(const Value& v) {
  const Dim count = element_count(v.shape());
  if (!count.is_constant()) return std::nullopt;
  return count.constant();
}

int structural_order(const Value& a, const Value& b, int depth) {
  if (a == b || depth == 0) return 0;
  if (a.is(op::constant) != b.is(op::constant)) return a.is(op::constant) ? 1 : -1;
  // Leaves stand first, constants last.
  const bool leaf_a = a.node().operands().empty(), leaf_b = b.node().operands().empty();
  if (leaf_a != leaf_b) return leaf_a ? -1 : 1;
  if (&a.op() != &b.op()) return a.op().name < b.op().name ? -1 : 1;
  if (a.is(op::param)) {
    const std::int64_t i = a.node().attribute(0).integer(), j = b.node().attribute(0).integer();
    return i == j ? 0 : (i < j ? -1 : 1);
  }
  const std::span<const Value> x = a.node().operands(), y = b.node().operands();
  if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
  for (std::size_t i = 0; i < x.size() && i < 4; ++i) {
    if (const int order = structural_order(x[i], y[i], depth - 1)) return order;
  }
  return 0;
}

std::vector<const Op*> ops_with(Trait trait, int operands) {
  std::vector<const Op*> out;
  for (const Op* op : elementwise_ops()) {
    if (op->operands == operands && op->has(trait)) out.push_back(op);
  }
  return out;
}

std::vector<const Op*> elementwise_ops() {
  std::vector<const Op*> out;
  for (const Op* op : all_ops()) {
    if (op->is_elementwise()) out.push_back(op);
  }
  return out;
}

bool is_dense_slice(const Node& slice) {
  return std::ranges::all_of(slice.attribute("step").dims(), [](const Dim& d) { return d.is(1); });
}

bool is_reshaping(const Value& v) {
  return v.is(op::reshape) || v.is(op::expand_dims) || v.is(op::squeeze);
}

bool is_matrix_transpose(const Value& v) {
  if (!v.is(op::transpose) || v.rank() < 2) return false;
  const IntList& axes = axes_of(v);
  const auto last = static_cast<std::int64_t>(axes.size()) - 1;
  for (std::int64_t i = 0; i < last - 1; ++i)
    if (axes[static_cast<std::size_t>(i)] != i) return false;
  return axes[static_cast<std::size_t>(last)] == last - 1;
}

namespace {

// An integer that all elements are, as a dimension; nothing for numbers that only the call knows.
std::optional<Dim> whole_number(const Value& v) {
  const std::optional<double> c = number_of(v);
  if (!c || std::abs(*c) > 0x1p31) return std::nullopt;
  return Dim(static_cast<std::int64_t>(*c));
}

std::optional<Run> run_within(const Value& v, int depth);

std::optional<Run> scaled_run(const Value& v, std::int64_t factor, int depth) {
  std::optional<Run> run = run_within(v, depth);
  if (!run || std::abs(run->step * factor) > (std::int64_t{1} << 31)) return std::nullopt;
  run->start = run->start * factor, run->step *= factor;
  return run;
}

// The run with its axis where a change of shape puts it.
std::optional<Run> moved_run(std::optional<Run> run, const Shape& shape) {
  if (!run || run->count.is(1)) return std::nullopt;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i].is(1)) continue;
    if (!(shape[i] == run->count)) return std::nullopt;
    run->axis = i;
  }
  return run;
}

std::optional<Run> run_within(const Value& v, int depth) {
  if (depth == 0 || !is_integer(v.dtype()) || is_unsigned(v.dtype())) return std::nullopt;
  if (v.is(op::arange)) return Run{0, v.shape()[0], 1, 0};
  if (v.is(op::negative)) return scaled_run(v.input(0), -1, depth - 1);
  if (v.is(op::cast) && size_of(v.input(0).dtype()) <= size_of(v.dtype()))
    return run_within(v.input(0), depth - 1);
  if (is_reshaping(v)) return moved_run(run_within(v.input(0), depth - 1), v.shape());
  const std::span<const Value> operands = v.node().operands();
  const bool subtracts = v.is(op::subtract), adds = v.is(op::add) || subtracts;
  if ((!adds && !v.is(op::multiply)) || operands.size() != 2) return std::nullopt;
  for (std::size_t i = 0; i < 2; ++i) {
    const std::optional<Dim> number = whole_number(operands[1 - i]);
    if (!number || operands[1 - i].rank() > 0) continue;
    if (!adds) return scaled_run(operands[i], number->constant(), depth - 1);
    std::optional<Run> run = scaled_run(operands[i], subtracts && i == 1 ? -1 : 1, depth - 1);
    if (run) run->start = run->start + (subtracts && i == 0 ? -*number : *number);
    return run;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Run> run_of(const Value& v) {
  constexpr int deepest = 6;
  return run_within(v, deepest);
}

const IntList& axes_of(const Value& v) { return v.node().attribute("axes").ints(); }

}  // namespace gnomon
