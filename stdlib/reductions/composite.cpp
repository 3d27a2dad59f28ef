// Ops that stand for an expression of others, because rules recognise them: mean, logsumexp,
// softmax, log_softmax; and functions that are only expressions.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/reduction.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs axis_spec{{"axis", Attribute::Kind::integer}};

void require_float(TypeContext& context) {
  if (!is_inexact(context.type(0).dtype)) {
    context.fail(fmt::format("expected floats, found {}", describe(context.operands[0])));
  }
}

std::vector<Type> reduced_float_type(TypeContext& context) {
  require_float(context);
  return {Type{context.type(0).dtype, reduced_shape(context)}};
}

std::vector<Type> along_axis_type(TypeContext& context) {
  require_float(context);
  const std::int64_t axis = context.attributes[0].integer();
  if (axis < 0 || axis >= context.type(0).rank()) {
    context.refuse(
        fmt::format("expected an axis of {}, found {}", describe(context.operands[0]), axis));
  }
  return {context.type(0)};
}

// Such reductions have no maximum to shift by.
bool has_zero(const Shape& extents) {
  return std::ranges::any_of(extents, [](const Dim& d) { return d.is(0); });
}

Expr finite_or_zero(const Expr& x) { return where(isfinite(x), x, 0); }

// -------------------------------------------------------------------------------------------- mean

std::vector<Expr> expand_mean(const Node& node) {
  const Expr x(node.input(0));
  return {sum(x, axes_of(node), keepdims_of(node)) / count_of(reduced_extents(node), x.dtype())};
}

Expr mean_transpose(const Transpose& t) {
  const Expr share = t.dy / count_of(reduced_extents(t.node), t.dy.dtype());
  return broadcast_to(keep_axes(share, t.node), t.node.input(0).shape());
}

// --------------------------------------------------------------------------------------- logsumexp

// Shifted by the maximum, but not by an infinity: all -inf gives -inf, one +inf gives +inf.
std::vector<Expr> expand_logsumexp(const Node& node) {
  const Expr x(node.input(0));
  const Axes axes = axes_of(node);
  if (has_zero(reduced_extents(node))) return {log(sum(x, axes, keepdims_of(node)))};
  const Expr shift = finite_or_zero(max(x, axes, keepdims));
  const Expr kept = log(sum(exp(x - shift), axes, keepdims)) + shift;
  if (keepdims_of(node) == Keepdims::yes) return {kept};
  return {squeeze(kept, axes)};
}

// The weights exp(x - y): the derivative by each element.
Expr logsumexp_weights(const Node& node, const Expr& x, const Expr& y) {
  return exp(x - finite_or_zero(keep_axes(y, node)));
}

Exprs logsumexp_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {keep_axes(v.dy[0], v.node) * logsumexp_weights(v.node, v.x[0], v.y[0])};
}

Exprs logsumexp_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  const Expr weights = logsumexp_weights(v.node, v.x[0], v.y[0]);
  return {sum(v.dx[0] * weights, axes_of(v.node), keepdims_of(v.node))};
}

// ---------------------------------------------------------------------------- softmax, log_softmax

// x - max and the sum of its exponentials: one pair of nodes for softmax and log_softmax of one x.
std::pair<Expr, Expr> shifted_and_sum(const Expr& x, std::int64_t axis) {
  const bool empty = x.shape()[static_cast<std::size_t>(axis)].is(0);
  const Expr shifted = empty ? x : x - max(x, axis, keepdims);
  return {shifted, sum(exp(shifted), axis, keepdims)};
}

std::vector<Expr> expand_softmax(const Node& node) {
  const auto [shifted, total] =
      shifted_and_sum(Expr(node.input(0)), node.attribute("axis").integer());
  return {exp(shifted) / total};
}

std::vector<Expr> expand_log_softmax(const Node& node) {
  const auto [shifted, total] =
      shifted_and_sum(Expr(node.input(0)), node.attribute("axis").integer());
  return {shifted - log(total)};
}

// The Jacobian diag(y) - y y' is symmetric: one formula serves both directions.
Expr softmax_product(const Node& node, const Expr& y, const Expr& d) {
  return y * (d - sum(d * y, node.attribute("axis").integer(), keepdims));
}

Exprs softmax_vjp(const Vjp& v) {
  return {v.dy[0].defined() ? softmax_product(v.node, v.y[0], v.dy[0]) : Expr()};
}

Exprs softmax_jvp(const Jvp& v) {
  return {v.dx[0].defined() ? softmax_product(v.node, v.y[0], v.dx[0]) : Expr()};
}

Exprs log_softmax_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const std::int64_t axis = v.node.attribute("axis").integer();
  return {v.dy[0] - softmax(v.x[0], axis) * sum(v.dy[0], axis, keepdims)};
}

Exprs log_softmax_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  const std::int64_t axis = v.node.attribute("axis").integer();
  return {v.dx[0] - sum(softmax(v.x[0], axis) * v.dx[0], axis, keepdims)};
}

Expr along_axis(const Op& op, const Arg& x, std::int64_t axis) {
  const CallScope call(op.name, x.origin());
  const std::int64_t normal = normalize_axis(axis, x.value().rank(), op.name);
  return apply(op, {x}, {Attribute(normal)});
}

}  // namespace

constinit const Op op::mean{.name = "mean",
                            .doc = "Mean over axes; NaN without elements. Integers give float64.",
                            .attributes = reduction_specs,
                            .type = reduced_float_type,
                            .promotion = Promotion::inexact,
                            .expand = expand_mean,
                            .linear = 1,
                            .transpose = mean_transpose};

constinit const Op op::logsumexp{
    .name = "logsumexp",
    .doc = "log(sum(exp(x))) over axes without overflow on the way; -inf without elements.",
    .attributes = reduction_specs,
    .type = reduced_float_type,
    .promotion = Promotion::inexact,
    .expand = expand_logsumexp,
    .vjp = logsumexp_vjp,
    .jvp = logsumexp_jvp};

constinit const Op op::softmax{.name = "softmax",
                               .doc = "exp(x) / sum(exp(x)) along an axis, without overflow.",
                               .attributes = axis_spec,
                               .type = along_axis_type,
                               .promotion = Promotion::inexact,
                               .expand = expand_softmax,
                               .vjp = softmax_vjp,
                               .jvp = softmax_jvp};

constinit const Op op::log_softmax{.name = "log_softmax",
                                   .doc = "x - logsumexp(x) along an axis, without overflow.",
                                   .attributes = axis_spec,
                                   .type = along_axis_type,
                                   .promotion = Promotion::inexact,
                                   .expand = expand_log_softmax,
                                   .vjp = log_softmax_vjp,
                                   .jvp = log_softmax_jvp};

Expr mean(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("mean", x.origin());
  return apply(op::mean, {x}, reduction_attributes(op::mean, x.value().rank(), axes, keep));
}

Expr logsumexp(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("logsumexp", x.origin());
  return apply(op::logsumexp, {x},
               reduction_attributes(op::logsumexp, x.value().rank(), axes, keep));
}

Expr softmax(const Arg& x, std::int64_t axis) { return along_axis(op::softmax, x, axis); }

Expr log_softmax(const Arg& x, std::int64_t axis) { return along_axis(op::log_softmax, x, axis); }

Expr stack(const ExprList& arrays, std::int64_t axis) {
  const CallScope call("stack", arrays.origin());
  if (arrays.empty()) throw ValueError("stack: expected arrays, found none");
  const std::int64_t at = normalize_axis(axis, arrays[0].rank() + 1, "stack");
  std::vector<Expr> slabs;
  for (const Expr& array : arrays) slabs.push_back(expand_dims(array, at));
  return concatenate(slabs, at);
}

Expr full(const Shape& shape, const Arg& value) {
  const CallScope call("full", value.origin());
  return broadcast_to(value, shape);
}

Expr eye(const Dim& rows, DType dtype, Arg::Place at) {
  const CallScope call("eye", Origin{at.file_name(), at.line()});
  const Expr i = arange(rows);
  return cast(equal(expand_dims(i, 1), i), dtype);
}

}  // namespace gnomon
