// Rules of expansion: ops that no kernel computes, said with simpler ones; reductions split.
#include <algorithm>

#include "passes/algebra/joined_axes.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Products of floats are steps of the host function; only those of integers become sums.
bool stays(const Value& v) {
  return v.op().step == StepKind::product && is_float(v.input(0).dtype());
}

// A product of floats whose sums are short or stand along one axis each, as sums: kernels compute
// them together with what is around them.
Expr product_as_sum(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  return as_sum(m.root, m.calls_library);
}

Expr expansion(const Match& m) {
  if (stays(m.root)) return {};
  return m.root.op().expand(m.root.node())[m.root.index()];
}

std::vector<const Op*> expanding_ops() {
  std::vector<const Op*> out;
  for (const Op* op : all_ops()) {
    if (op->expand != nullptr && op->step != StepKind::call) out.push_back(op);
  }
  return out;
}

std::vector<const Op*> all_reductions() {
  return {&op::sum, &op::prod, &op::max, &op::min, &op::any, &op::all};
}

Expr outer_example(DType t) {
  return matmul(tensor("x", t, {Dim(4), Dim(1)}), tensor("y", t, {Dim(1), Dim(5)}));
}

Expr mean_example(DType t) { return mean(tensor("x", t, {Dim(4), Dim(5)}), 1); }

// `x` with adjacent axes as one where that costs nothing; `axes` become those of the result.
Value with_joined(Value x, IntList& axes) {
  for (std::size_t i = axes.size(); i-- > 1;) {
    if (axes[i] != axes[i - 1] + 1) continue;
    const Value joined = with_axes_joined(x, static_cast<std::size_t>(axes[i - 1]));
    if (!joined) continue;
    x = joined;
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(i));
    for (std::size_t k = i; k < axes.size(); ++k) --axes[k];
  }
  return x;
}

// Adjacent axes of whole arrays as one: their elements are one after the other. What a reduction
// over the last axis gives is such an array. In the steps of a loop sums keep the axes of its
// states, beside which they are added up (`sum_behind_loops`).
Expr joined_axes(const Match& m) {
  if (m.is_in_body) return {};
  const auto reduced = [&](const Value& x, const IntList& along) {
    return make_node(m.root.op(), {x}, {Attribute(along), Attribute(false)});
  };
  IntList axes = m.root.node().attribute("axes").ints();
  const std::size_t given = axes.size();
  Value value = with_joined(m.root.input(0), axes);
  if (axes.size() >= 3) {
    IntList others(axes.begin(), axes.end() - 1);
    const Value joined = with_joined(reduced(value, {axes.back()}), others);
    if (others.size() + 1 < axes.size()) value = joined, axes = others;
  }
  if (axes.size() == given) return {};
  const Expr result = reduced(value, axes);
  return result.shape() == m.root.shape() ? result : reshape(result, m.root.shape());
}

// One axis at a time, the last first: so the order of additions is a function of the extents alone.
Expr successive_reductions(const Match& m) {
  const IntList& axes = m.root.node().attribute("axes").ints();
  if (axes.empty()) return Expr(m.root.input(0));
  if (axes.size() == 1) return {};
  const Attribute keep = m.root.node().attribute("keepdims");
  Value value = m.root.input(0);
  for (std::size_t i = axes.size(); i-- > 0;)
    value = make_node(m.root.op(), {value}, {Attribute(IntList{axes[i]}), keep});
  return value;
}

// A search over several axes is one over the last axis of an array that has them flattened there.
Expr flattened_search(const Match& m) {
  const Node& node = m.root.node();
  const IntList& axes = node.attribute("axes").ints();
  if (axes.size() == 1) return {};
  const Expr x(node.input(0));
  if (axes.empty())
    return m.root.index() == 0 ? x : full(x.shape(), constant(std::int64_t{0}, DType::int64));
  IntList order;
  Shape shape;
  Dim count = 1;
  for (std::int64_t k = 0; k < x.rank(); ++k) {
    if (std::find(axes.begin(), axes.end(), k) != axes.end()) continue;
    order.push_back(k);
    shape.push_back(x.shape()[static_cast<std::size_t>(k)]);
  }
  for (const std::int64_t k : axes) {
    order.push_back(k);
    count = count * x.shape()[static_cast<std::size_t>(k)];
  }
  shape.push_back(count);
  const Value flat = reshape(transpose(x, order), shape).value();
  const Value found =
      make_node(node.op(), {flat}, {Attribute(IntList{flat.rank() - 1}), Attribute(false)});
  return reshape(Expr(Value(found.get(), m.root.index())), m.root.shape());
}

Expr split_example(DType t) {
  const Axes apart(IntList{0, 2});
  return sum(exp(tensor("x", t, {Dim(2), Dim(3), Dim(4)})), apart);
}

Expr joined_example(DType t) {
  return sum(square(tensor("x", t, {Dim(2), Dim(3), Dim(4)})), IntList{1, 2});
}

Expr search_example(DType t) { return argmax(tensor("x", t, {Dim(3), Dim(4)})); }

// Long sums and products as chains of short ones, in the same order: kernels can end between links.
constexpr std::size_t longest_link = 8;

Expr linked(const Match& m) {
  const std::span<const Value> terms = m.root.node().operands();
  if (terms.size() <= 4 * longest_link) return {};
  Value total = terms[0];
  for (std::size_t i = 1; i < terms.size(); i += longest_link) {
    const auto link = terms.subspan(i, std::min(longest_link, terms.size() - i));
    std::vector<Value> operands{total};
    operands.insert(operands.end(), link.begin(), link.end());
    total = make_node(m.root.op(), std::move(operands));
  }
  return total;
}

Expr long_sum_example(DType t) {
  if (t != DType::float32) return {};
  std::vector<Expr> terms;
  const Expr x = tensor("x", DType::int32, {Dim(2)});
  for (int i = 1; i <= 40; ++i) terms.push_back(maximum(x, i));
  return add(terms);
}

}  // namespace

const RuleGroup& expand_rules() {
  static const RuleGroup group = {
      "expand",
      "Ops that no kernel computes, said with simpler ones.",
      {rule("expand", Promise::exact, expanding_ops(), expansion, "mean, softmax, logsumexp, ...",
            "their definition", mean_example),
       rule("product_as_sum", Promise::accurate, {&op::dot, &op::gemm}, product_as_sum,
            "a product with a vector, or of small matrices", "sum(x * y)", outer_example),
       rule("joined_axes", Promise::accurate, all_reductions(), joined_axes,
            "sum(f(x), axes 1 and 2)", "sum(f(reshape(x)), axis 1)", joined_example)}};
  return group;
}

const RuleGroup& split_rules() {
  static const RuleGroup group = {
      "split",
      "Reductions over several axes, one after the other.",
      {rule("successive_reductions", Promise::accurate,
            {&op::sum, &op::prod, &op::max, &op::min, &op::any, &op::all}, successive_reductions,
            "sum(x, axes 0 and 2)", "sum(sum(x, axis 2), axis 0)", split_example),
       rule("linked_terms", Promise::exact, {&op::add, &op::multiply}, linked,
            "a sum or product of many terms", "a chain of short ones", long_sum_example),
       rule("flattened_search", Promise::exact, {&op::max_and_argmax, &op::min_and_argmin},
            flattened_search, "argmax(x, axes 0 and 1)", "argmax(reshape(x))", search_example)}};
  return group;
}

}  // namespace gnomon
