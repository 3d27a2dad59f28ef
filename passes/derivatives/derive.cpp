// Derivatives of one node from its op's partials, transpose, vjp or jvp.
#include "passes/derivatives/derive.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "ir/graph/origin.h"
#include "ir/op/op.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/complex/complex.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

std::vector<Expr> operand_list(const Node& node) {
  return {node.operands().begin(), node.operands().end()};
}

std::vector<Expr> output_list(const Node& node) {
  std::vector<Expr> list;
  for (std::size_t i = 0; i < node.output_count(); ++i)
    list.emplace_back(Value(&node, static_cast<std::uint32_t>(i)));
  return list;
}

/// The last bit of the record's mask stands for all operands from there on.
bool is_linear_in(const Op& op, std::size_t operand) {
  return op.linear >> std::min<std::size_t>(operand, 31) & 1;
}

bool is_reduction(const Op& op) {
  const auto has = [&](std::string_view name) {
    return std::any_of(op.attributes.begin(), op.attributes.end(),
                       [&](const AttributeSpec& spec) { return spec.name == name; });
  };
  return has("axes") && has("keepdims");
}

[[noreturn]] void fail_underivable(const Node& node, std::string_view rule) {
  const Value y(&node, 0);
  throw TypeError(fmt::format("{}: expected an op with a derivative ({}), found {}{}",
                              node.op().name, rule, describe(y), bracketed(first_origin(node))));
}

/// A derivative of the wrong dtype or count is a fault of a record.
void check_count(const Node& node, std::size_t found, std::size_t expected) {
  if (found != expected)
    throw InternalError(fmt::format("{}: its derivative gave {} expressions, expected {}",
                                    node.op().name, found, expected));
}

void check_dtype(const Node& node, const Expr& found, DType expected) {
  if (found.dtype() != expected)
    throw InternalError(fmt::format("{}: its derivative has dtype {}, expected {}", node.op().name,
                                    name_of(found.dtype()), name_of(expected)));
}

/// d * partial without the multiplication by one.
Expr scale(const Expr& d, const Expr& partial) {
  const std::optional<double> c = constant_value(partial);
  if (c == 1.0) return d;
  if (c == -1.0) return negative(d);
  return d * partial;
}

/// Whether a partial derivative only says which elements count, and ties: bools as numbers, as
/// those of `maximum` and `clip` are. What it is zero for was not chosen.
bool is_choice(const Expr& partial) {
  const Node& node = partial.value().node();
  if (constant_value(partial)) return true;
  if (&node.op() == &op::cast) return is_bool(node.input(0).dtype());
  if (&node.op() == &op::where)
    return is_choice(Expr(node.input(1))) && is_choice(Expr(node.input(2)));
  return &node.op() == &op::subtract && is_choice(Expr(node.input(0))) &&
         is_choice(Expr(node.input(1)));
}

/// Where an operand of the node was chosen; null if the derivative by it is another one, is
/// constant, or is an operand, as those of products are.
Expr chosen(const Node& node, const Expr& partial) {
  if (!partial.defined() || constant_value(partial) || !is_choice(partial)) return {};
  for (const Value& x : node.operands())
    if (x == partial.value()) return {};
  const Node& by = partial.value().node();
  return &by.op() == &op::cast ? Expr(by.input(0)) : not_equal(partial, 0);
}

Exprs partials_of(const Node& node) {
  Exprs partials = node.op().partials({node, operand_list(node), Value(&node, 0)});
  check_count(node, partials.size(), node.operands().size());
  return partials;
}

Cotangent fitted(const Node& node, std::size_t operand, const Cotangent& c) {
  if (!c) return {};
  const Value& x = node.input(operand);
  check_dtype(node, c.value, x.dtype());
  return fit(c, x.shape());
}

std::vector<Cotangent> pull_back_where(const Node& node, const Cotangent& dy,
                                       const std::vector<bool>& wanted) {
  const Expr condition = node.input(0);
  std::vector<Cotangent> dx(3);
  if (wanted[1]) dx[1] = fitted(node, 1, restrict_to(dy, condition));
  if (wanted[2]) dx[2] = fitted(node, 2, restrict_to(dy, logical_not(condition)));
  return dx;
}

/// How a mask of a result becomes a mask of an operand.
enum class MaskPath {
  elementwise,  // the same mask
  reduction,    // the same for all elements that were reduced together
  movement,     // where the elements that count came from
  none,         // results mix elements: the cotangent is materialized
};

bool has_rules(const Node& call) {
  return !call.attribute("vjp").body()->outputs.empty() ||
         !call.attribute("jvp").body()->outputs.empty();
}

/// Whether each element of what the rule gives is made of elements at the same place.
bool is_elementwise(const Graph& rule) {
  if (rule.outputs.empty()) return false;
  const Shape& shape = rule.outputs.front().shape();
  for (const Value& v : rule.outputs)
    if (!(v.shape() == shape)) return false;
  const std::vector<const Node*> order = rule.topological_order();
  return std::all_of(order.begin(), order.end(), [&](const Node* node) {
    if (node->inputs().empty() && node->type().rank() == 0) return true;
    if (constant_value(Value(node, 0))) return true;
    const Op& of = node->op();
    const bool local = of.is_elementwise() || &of == &op::param || &of == &op::shaped;
    return local && node->type().shape == shape;
  });
}

MaskPath mask_path(const Node& node) {
  const Op& op = node.op();
  if (op.step == StepKind::call)
    return is_elementwise(*node.attribute("vjp").body()) ? MaskPath::elementwise : MaskPath::none;
  constexpr const Op* parts[] = {&op::complex, &op::real, &op::imag, &op::conj, &op::angle};
  const bool is_part = std::find(std::begin(parts), std::end(parts), &op) != std::end(parts);
  if (op.is_elementwise() || &op == &op::cast || is_part) return MaskPath::elementwise;
  if (is_reduction(op)) return MaskPath::reduction;
  const bool identity =
      op.step == StepKind::print || op.step == StepKind::check || op.step == StepKind::transfer;
  if ((op.element || op.write) && (op.step == StepKind::none || identity))
    return MaskPath::movement;
  return MaskPath::none;
}

Exprs backward_partials(const Node& node, const Expr& dy, const std::vector<bool>& wanted) {
  Exprs dx = partials_of(node);
  for (std::size_t i = 0; i < dx.size(); ++i)
    if (dx[i].defined()) dx[i] = wanted[i] ? scale(dy, dx[i]) : Expr();
  return dx;
}

Exprs backward_transpose(const Node& node, const Expr& dy, const std::vector<bool>& wanted) {
  Transpose rule{node, operand_list(node), 0, dy};
  Exprs dx(rule.x.size());
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (!wanted[i] || !is_linear_in(node.op(), i)) continue;
    rule.operand = i;
    dx[i] = node.op().transpose(rule);
  }
  return dx;
}

/// How the node acts on complex numbers, if it does.
const ComplexRule* complex_rule(const Node& node) {
  return touches_complex(node) ? complex_rule(node.op()) : nullptr;
}

Exprs conjugates(std::span<const Expr> values) {
  Exprs result;
  for (const Expr& v : values) result.push_back(v.defined() ? conj(v) : Expr());
  return result;
}

/// The cotangent of a cast's operand.
Expr cast_back(const Expr& dy, DType to) { return cast(is_complex(to) ? dy : real(dy), to); }

Exprs backward_plain(const Node& node, std::span<const Expr> dy, const std::vector<bool>& wanted);

/// What the record gives for plain cotangents of the outputs.
Exprs backward(const Node& node, std::span<const Expr> dy, const std::vector<bool>& wanted) {
  const ComplexRule* rule = complex_rule(node);
  // The conjugate of what the complex derivatives give for the conjugates.
  if (rule && rule->kind == ComplexRule::Kind::holomorphic)
    return conjugates(backward_plain(node, conjugates(dy), wanted));
  if (rule && rule->vjp)
    return rule->vjp(
        {node, operand_list(node), output_list(node), {dy.begin(), dy.end()}, nullptr, wanted});
  return backward_plain(node, dy, wanted);
}

Exprs backward_plain(const Node& node, std::span<const Expr> dy, const std::vector<bool>& wanted) {
  const Op& op = node.op();
  if (&op == &op::cast) return {cast_back(dy[0], node.input(0).dtype())};
  if (op.partials) return backward_partials(node, dy[0], wanted);
  if (op.transpose) return backward_transpose(node, dy[0], wanted);
  if (!op.vjp) fail_underivable(node, "vjp");
  const Vjp rule{
      node,  operand_list(node), output_list(node), {dy.begin(), dy.end()}, &body_derivatives(),
      wanted};
  Exprs dx = op.vjp(rule);
  check_count(node, dx.size(), node.operands().size());
  for (std::size_t i = 0; i < dx.size(); ++i)
    if (!wanted[i]) dx[i] = {};
  return dx;
}

/// The results of an elementwise op or a reduction: unmasked, beside the mask.
std::vector<Cotangent> pull_back_beside(const Node& node, std::span<const Cotangent> dy,
                                        const Cotangent& only, const std::vector<bool>& wanted) {
  std::vector<Expr> values;
  for (const Cotangent& d : dy) values.push_back(d.value);
  const Exprs results = backward(node, values, wanted);
  Expr mask = only.mask;
  if (mask.defined() && mask_path(node) == MaskPath::reduction)
    mask = unreduce_mask(mask, node.attribute("axes").ints(), node.input(0).rank(),
                         node.attribute("keepdims").flag());
  std::vector<Cotangent> dx;
  for (const Expr& result : results) dx.push_back({result, mask, false});
  if (!node.op().partials || complex_rule(node)) return dx;
  const Exprs partials = partials_of(node);
  for (std::size_t i = 0; i < dx.size(); ++i)
    if (const Expr only_there = dx[i] ? chosen(node, partials[i]) : Expr(); only_there.defined())
      dx[i] = restrict_to(dx[i], only_there);
  return dx;
}

/// The node that moves elements as this one does: those that a write combines count as added ones.
Value movement_of(const Node& node) {
  const Op* combine = node.op().write.combine;
  if (!combine || combine == &op::add) return Value(&node, 0);
  return make_node(op::inc_index, {node.operands().begin(), node.operands().end()},
                   node.attributes());
}

/// The results of an op that moves elements. Its own rule says where they came from, so it is run
/// on the mask too, as zeros and ones.
std::vector<Cotangent> pull_back_moved(const Node& node, const Cotangent& dy,
                                       const std::vector<bool>& wanted) {
  const Expr seed = materialize(dy);
  const Exprs results = backward(node, std::span(&seed, 1), wanted);
  const Value movement = movement_of(node);
  // Where elements are combined, a zero may have met an infinity.
  const bool zeroed = dy.mask.defined() && movement.get() == &node;
  std::vector<Cotangent> dx;
  bool moved = false;
  for (const Expr& result : results) {
    dx.push_back({result, dy.mask, zeroed});
    moved = moved || (result.defined() && !same(result, seed));
  }
  if (!moved || !dy.mask.defined() || dy.mask.rank() == 0) return dx;
  const Expr ones = cast(stretch(dy.mask, node.type().shape), seed.dtype());
  const Exprs masks = backward(movement.node(), std::span(&ones, 1), wanted);
  for (std::size_t i = 0; i < dx.size(); ++i)
    if (results[i].defined() && !same(results[i], seed)) dx[i].mask = greater(real(masks[i]), 0);
  return dx;
}

std::vector<Cotangent> pull_back_materialized(const Node& node, std::span<const Cotangent> dy,
                                              const std::vector<bool>& wanted) {
  std::vector<Expr> seeds;
  for (const Cotangent& d : dy) seeds.push_back(d ? materialize(d) : Expr());
  std::vector<Cotangent> dx;
  for (const Expr& result : backward(node, seeds, wanted)) dx.push_back({result, {}, false});
  return dx;
}

/// A call without rules of its own is opened where a mask has to go through it.
std::vector<Cotangent> pull_back_opened(const Node& node, std::span<const Cotangent> dy,
                                        const std::vector<bool>& wanted) {
  std::vector<Expr> arguments = operand_list(node), leaves, wrt, cotangents;
  for (const Expr& x : arguments) leaves.push_back(tensor("x", x.dtype(), x.shape()));
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (wanted[i]) wrt.push_back(leaves[i]);
  const std::vector<Expr> outputs = apply_body(node.attribute("body").body(), leaves);
  const std::vector<Cotangent> found = pull_back_all(outputs, wrt, dy);
  for (const Cotangent& d : dy)
    if (d) cotangents.push_back(d.value);
  if (node.attribute("recompute").flag()) arguments = behind_barriers(arguments, cotangents);
  std::unordered_map<Value, Value> replacements;
  for (std::size_t i = 0; i < leaves.size(); ++i) replacements.emplace(leaves[i], arguments[i]);
  std::vector<Cotangent> dx(leaves.size());
  std::size_t next = 0;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (!wanted[i]) continue;
    dx[i] = found[next++];
    for (Expr* part : {&dx[i].value, &dx[i].mask})
      if (part->defined()) *part = substitute(std::vector<Value>{*part}, replacements)[0];
  }
  return dx;
}

/// A sum of tangents stretched to the shape of the output.
Expr tangent_sum(const Node& node, const std::vector<Expr>& terms) {
  if (terms.empty()) return {};
  const Expr total = terms.size() == 1 ? terms.front() : add(std::span<const Expr>(terms));
  check_dtype(node, total, node.type().dtype);
  return stretch(total, node.type().shape);
}

Expr push_forward_partials(const Node& node, std::span<const Expr> dx) {
  const Exprs partials = partials_of(node);
  std::vector<Expr> terms;
  for (std::size_t i = 0; i < partials.size(); ++i) {
    if (!dx[i].defined() || !partials[i].defined()) continue;
    const Expr term = scale(dx[i], partials[i]), mask = chosen(node, partials[i]);
    terms.push_back(mask.defined() ? where(mask, term, 0) : term);
  }
  return tangent_sum(node, terms);
}

/// Products and convolutions are linear in each linear operand by itself: one term for each. Any
/// other op is linear in all of them together: one application to the tangents.
Expr push_forward_linear(const Node& node, std::span<const Expr> dx) {
  const StepKind step = node.op().step;
  const bool multilinear = step == StepKind::product || step == StepKind::convolution;
  std::vector<Expr> terms;
  std::vector<Value> inputs(node.inputs().begin(), node.inputs().end());
  bool any = false;
  for (std::size_t i = 0; i < dx.size(); ++i) {
    if (!is_linear_in(node.op(), i)) continue;
    any = any || dx[i].defined();
    if (!multilinear) {
      inputs[i] = dx[i].defined() ? dx[i].value() : zeros_of(node.input(i).type()).value();
    } else if (dx[i].defined()) {
      std::vector<Value> one(node.inputs().begin(), node.inputs().end());
      one[i] = dx[i];
      terms.emplace_back(rebuild(node, one));
    }
  }
  if (any && !multilinear) terms.emplace_back(rebuild(node, inputs));
  return tangent_sum(node, terms);
}

}  // namespace

bool carries_derivatives(const Node& node) { return &node.op() != &op::stop_gradient; }

std::vector<Cotangent> pull_back(const Node& node, std::span<const Cotangent> dy,
                                 const std::vector<bool>& wanted) {
  const OriginScope place(first_origin(node));
  const Op& op = node.op();
  const ComplexRule* rule = complex_rule(node);
  std::vector<Cotangent> none(node.operands().size());
  if (op.has(Trait::piecewise_constant) && !(rule && rule->vjp)) return none;
  if (&op == &op::where) return pull_back_where(node, dy[0], wanted);
  const auto present = std::count_if(dy.begin(), dy.end(), [](const Cotangent& d) { return !!d; });
  const bool masked =
      std::any_of(dy.begin(), dy.end(), [](const auto& d) { return d.mask.defined(); });
  if (masked && op.step == StepKind::call && !has_rules(node))
    return pull_back_opened(node, dy, wanted);
  const MaskPath path = present == 1 ? mask_path(node) : MaskPath::none;
  std::vector<Cotangent> dx;
  if (path == MaskPath::elementwise || path == MaskPath::reduction) {
    const auto only = std::find_if(dy.begin(), dy.end(), [](const Cotangent& d) { return !!d; });
    dx = pull_back_beside(node, dy, *only, wanted);
  } else if (path == MaskPath::movement) {
    dx = pull_back_moved(node, dy[0], wanted);
  } else {
    dx = pull_back_materialized(node, dy, wanted);
  }
  for (std::size_t i = 0; i < dx.size(); ++i) dx[i] = fitted(node, i, dx[i]);
  return dx;
}

std::vector<Expr> push_forward(const Node& node, std::span<const Expr> dx) {
  const OriginScope place(first_origin(node));
  const Op& op = node.op();
  const ComplexRule* rule = complex_rule(node);
  std::vector<Expr> none(node.output_count());
  if (op.has(Trait::piecewise_constant) && !(rule && rule->jvp)) return none;
  if (&op == &op::cast) return {cast(dx[0], node.type().dtype)};
  if (rule && rule->jvp)
    return rule->jvp({node, operand_list(node), output_list(node), {dx.begin(), dx.end()}});
  if (op.partials) return {push_forward_partials(node, dx)};
  if (op.jvp) {
    const Jvp rule{
        node, operand_list(node), output_list(node), {dx.begin(), dx.end()}, &body_derivatives()};
    std::vector<Expr> dy = op.jvp(rule);
    check_count(node, dy.size(), node.output_count());
    for (std::size_t i = 0; i < dy.size(); ++i) {
      if (!dy[i].defined()) continue;
      check_dtype(node, dy[i], node.type(i).dtype);
      dy[i] = stretch(dy[i], node.type(i).shape);
    }
    return dy;
  }
  if (op.transpose) return {push_forward_linear(node, dx)};
  fail_underivable(node, "jvp");
}

}  // namespace gnomon
