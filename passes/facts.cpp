// What conditions of rules ask about values.
#include "passes/facts.h"

#include <cmath>
#include <limits>

#include "passes/polynomial.h"
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

bool is_constant(const Value& v) {
  return v.is(op::constant) || (v.is(op::broadcast_to) && v.input(0).is(op::constant));
}

bool is_power_of_two(double v) {
  int exponent = 0;
  return std::isfinite(v) && std::abs(std::frexp(v, &exponent)) == 0.5 && std::abs(exponent) < 64;
}

bool is_non_negative(const Value& v) {
  if (const std::optional<double> c = number_of(v)) return *c >= 0;
  if (v.op().has(Trait::non_negative)) return true;
  if (is_bool(v.dtype()) || is_unsigned(v.dtype())) return true;
  if (!v.is(op::add) && !v.is(op::multiply)) return false;
  for (const Value& operand : v.node().operands()) {
    const std::optional<double> c = number_of(operand);
    if (!(c && *c >= 0) && !operand.op().has(Trait::non_negative)) return false;
  }
  return true;
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

bool is_reshaping(const Value& v) {
  return v.is(op::reshape) || v.is(op::expand_dims) || v.is(op::squeeze);
}

const IntList& axes_of(const Value& v) { return v.node().attribute("axes").ints(); }

}  // namespace gnomon
