// A choice between two bodies: only the one that is chosen runs.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> cond_type(TypeContext& context) {
  const Type& predicate = context.type(0);
  if (!is_bool(predicate.dtype) || predicate.rank() != 0)
    context.fail(fmt::format("expected a bool scalar, found {}", describe(context.operands[0])));
  const std::span<const Value> captured = context.operands.subspan(1);
  std::vector<Type> types = body_output_types(context, context.attributes[0].body(), captured, {});
  const std::vector<Type> other =
      body_output_types(context, context.attributes[1].body(), captured, {});
  if (types.size() != other.size())
    context.fail(fmt::format("expected branches with the same number of values, found {} and {}",
                             types.size(), other.size()));
  for (std::size_t k = 0; k < types.size(); ++k) {
    const std::string text = fmt::format(
        "expected value {} of the same type in both branches, found "
        "{} and {}",
        k, types[k].text(), other[k].text());
    if (types[k].dtype != other[k].dtype) context.fail(text);
    if (types[k].rank() != other[k].rank()) context.refuse(text);
    for (std::size_t i = 0; i < types[k].shape.size(); ++i)
      types[k].shape[i] =
          context.equal(types[k].shape[i], other[k].shape[i], "extents of both branches");
  }
  return types;
}

// Operand 0 says which body runs, the others are what both may need.
std::vector<Region> cond_regions(const Node& node) {
  std::vector<Region> regions;
  for (const bool is : {true, false}) {
    Region region{.body = is ? 0u : 1u, .condition = Region::Condition{0, is}};
    for (std::size_t k = 1; k < node.operands().size(); ++k)
      region.parameters.push_back({.operand = k});
    for (std::size_t k = 0; k < node.output_count(); ++k) region.results.push_back(k);
    regions.push_back(std::move(region));
  }
  return regions;
}

Exprs choose(const Expr& predicate, std::span<const Expr> captured, const Body& then,
             const Body& otherwise) {
  std::vector<Expr> operands = {predicate};
  operands.insert(operands.end(), captured.begin(), captured.end());
  return outputs_of(op::cond, operands, {Attribute(then), Attribute(otherwise)});
}

const Body& branch(const Node& node, std::size_t k) { return node.attribute(k).body(); }

// The derivatives of the branches, of which the same one runs.
Exprs cond_vjp(const Vjp& v) {
  std::vector<bool> wanted;
  for (std::size_t k = 1; k < v.x.size(); ++k) wanted.push_back(v.wants(k));
  std::vector<Expr> given(v.x.begin() + 1, v.x.end());
  for (std::size_t k = 0; k < v.y.size(); ++k)
    if (has_derivative(v.y[k])) given.push_back(or_zeros(v.dy[k], v.y[k]));
  Exprs dx(v.x.size());
  const auto is_asked = [&](std::size_t k) { return has_derivative(v.x[k]) && v.wants(k); };
  bool any = false;
  for (std::size_t k = 1; k < v.x.size(); ++k) any = any || is_asked(k);
  if (!any) return dx;
  const Exprs found = choose(v.x[0], given, v.bodies->vjp(branch(v.node, 0), wanted),
                             v.bodies->vjp(branch(v.node, 1), wanted));
  std::size_t next = 0;
  for (std::size_t k = 1; k < v.x.size(); ++k)
    if (is_asked(k)) dx[k] = found[next++];
  return dx;
}

Exprs cond_jvp(const Jvp& v) {
  std::vector<Expr> given(v.x.begin() + 1, v.x.end());
  for (std::size_t k = 1; k < v.x.size(); ++k)
    if (has_derivative(v.x[k])) given.push_back(or_zeros(v.dx[k], v.x[k]));
  const Exprs found =
      choose(v.x[0], given, v.bodies->jvp(branch(v.node, 0)), v.bodies->jvp(branch(v.node, 1)));
  Exprs dy(v.y.size());
  std::size_t next = v.y.size();
  for (std::size_t k = 0; k < v.y.size(); ++k)
    if (has_derivative(v.y[k])) dy[k] = found[next++];
  return dy;
}

// One choice for all examples runs the branch for all of them. Where each has its own, both run,
// each example takes what it chose, and nothing fails in what it did not choose.
Exprs cond_batch(const Batched& b) {
  const bool guarded = b.batched[0] || b.runs.defined();
  std::vector<bool> flags(b.batched.begin() + 1, b.batched.end());
  std::vector<Expr> captured(b.x.begin() + 1, b.x.end());
  if (guarded) flags.push_back(true);
  // One that runs gives a batch of everything, as the other one may have to.
  const std::vector<bool> outputs(branch(b.node, 0)->outputs.size(), !b.batched[0]);
  const Body then = b.body(b.attributes[0].body(), flags, outputs, guarded).body;
  const Body otherwise = b.body(b.attributes[1].body(), flags, outputs, guarded).body;
  if (!b.batched[0]) {
    if (guarded) captured.push_back(b.runs);
    return choose(b.x[0], captured, then, otherwise);
  }
  const auto run = [&](const Body& body, const Expr& chosen) {
    std::vector<Expr> arguments = captured;
    arguments.push_back(b.runs.defined() ? bitwise_and(chosen, b.runs) : chosen);
    return apply_body(body, arguments);
  };
  const std::vector<Expr> x = run(then, b.x[0]), y = run(otherwise, bitwise_not(b.x[0]));
  Exprs found;
  for (std::size_t k = 0; k < x.size(); ++k)
    found.push_back(
        along_examples(b.x[0], branch(b.node, 0)->outputs[k].type().rank(), x[k], y[k]));
  return found;
}

}  // namespace

constinit const Op op::cond{
    .name = "cond",
    .doc =
        "The outputs of the first body if the first operand is true, else "
        "of the second; both are of the other operands. Only one runs.",
    .operands = -1,
    .at_least = 1,
    .outputs = 0,
    .attributes = {{"then", Attribute::Kind::body}, {"otherwise", Attribute::Kind::body}},
    .type = cond_type,
    .step = StepKind::branch,
    .regions = cond_regions,
    .vjp = cond_vjp,
    .jvp = cond_jvp,
    .batch = cond_batch};

namespace {

// The choice between lists of values, whose nodes `inside` belong to their branches.
std::vector<Expr> make_cond(const Arg& predicate, const Branches& branches,
                            const std::unordered_set<const Node*>& inside) {
  std::vector<Value> outputs(branches.then.begin(), branches.then.end());
  outputs.insert(outputs.end(), branches.otherwise.begin(), branches.otherwise.end());
  const std::vector<Value> captured = captured_around(inside, outputs);
  const auto body = [&](std::span<const Expr> of) {
    return Attribute(make_body(captured, std::vector<Value>(of.begin(), of.end())));
  };
  std::vector<Value> operands = {predicate.value()};
  operands.insert(operands.end(), captured.begin(), captured.end());
  const Value first =
      make_node(op::cond, std::move(operands), {body(branches.then), body(branches.otherwise)},
                predicate.origin());
  std::vector<Expr> results;
  for (std::uint32_t k = 0; k < first.node().output_count(); ++k)
    results.emplace_back(Value(first.get(), k));
  return results;
}

}  // namespace

std::vector<Expr> cond(const Arg& predicate, const std::function<Branches()>& make) {
  // Nodes are numbered as they are made: those from here on belong to the branches.
  const std::uint64_t start = scalar("branch", DType::bool_).value().node().number();
  const Branches made = make();
  std::vector<Value> outputs(made.then.begin(), made.then.end());
  outputs.insert(outputs.end(), made.otherwise.begin(), made.otherwise.end());
  std::unordered_set<const Node*> inside;
  for (const Node* node : topological_order(outputs))
    if (node->number() > start && !is_leaf(node->op())) inside.insert(node);
  return make_cond(predicate, made, inside);
}

std::vector<Expr> cond(const Arg& predicate, const std::function<std::vector<Expr>()>& then,
                       const std::function<std::vector<Expr>()>& otherwise) {
  return cond(predicate, [&] { return Branches{then(), otherwise()}; });
}

std::vector<Expr> ifelse(const Arg& condition, const Branches& branches) {
  const CallScope call("ifelse", condition.origin());
  const auto nodes_of = [](std::span<const Expr> of, const Value& also = {}) {
    std::vector<Value> roots(of.begin(), of.end());
    if (also) roots.push_back(also);
    return topological_order(roots);
  };
  std::unordered_set<const Node*> inside;
  const auto add = [&](std::span<const Expr> of, std::span<const Expr> other) {
    const std::vector<const Node*> outside = nodes_of(other, condition.value());
    const std::unordered_set<const Node*> known(outside.begin(), outside.end());
    for (const Node* node : nodes_of(of))
      if (!known.contains(node) && !is_leaf(node->op())) inside.insert(node);
  };
  add(branches.then, branches.otherwise);
  add(branches.otherwise, branches.then);
  return make_cond(condition, branches, inside);
}

}  // namespace gnomon
