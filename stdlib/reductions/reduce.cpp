// Reductions over axes: sum, prod, max, min, any, all, and extrema with their indices.
#include <fmt/format.h>

#include <numeric>

#include "runtime/error.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/reduction.h"
#include "stdlib/type_rules.h"

namespace gnomon {

// ---------------------------------------------------------------------------- shared by reductions

Expr keep_axes(const Expr& y, const Node& node) {
  if (node.attribute("keepdims").flag()) return y;
  Expr kept = y;
  for (std::int64_t axis : node.attribute("axes").ints()) kept = expand_dims(kept, axis);
  return kept;
}

Shape reduced_extents(const Node& node) {
  Shape extents;
  for (std::int64_t axis : node.attribute("axes").ints()) {
    extents.push_back(node.input(0).shape()[static_cast<std::size_t>(axis)]);
  }
  return extents;
}

bool is_same_along(const Value& v, std::int64_t axis, int rank) {
  const std::int64_t own = axis - (rank - v.rank());
  return own < 0 || v.shape()[static_cast<std::size_t>(own)].is(1);
}

Shape reduced_shape(TypeContext& context) {
  const IntList& axes = context.attributes[0].ints();
  const bool keep = context.attributes[1].flag();
  const Shape& shape = context.type(0).shape;
  const int rank = context.type(0).rank();
  std::int64_t last = -1;
  for (std::int64_t axis : axes) {
    if (axis <= last || axis >= rank) {
      context.refuse(fmt::format("expected ascending axes of {}, found {}",
                                 describe(context.operands[0]), fmt::join(axes, ", ")));
    }
    last = axis;
  }
  Shape result;
  for (int i = 0; i < rank; ++i) {
    if (!contains(axes, i)) {
      result.push_back(shape[static_cast<std::size_t>(i)]);
    } else if (keep) {
      result.push_back(1);
    }
  }
  return result;
}

Attributes reduction_attributes(const Op& op, int rank, const Axes& axes, Keepdims keep) {
  IntList list(static_cast<std::size_t>(axes.all ? rank : 0));
  std::iota(list.begin(), list.end(), 0);
  if (!axes.all) list = normalize_axes(axes.list, rank, op.name);
  return {Attribute(std::move(list)), Attribute(keep == Keepdims::yes)};
}

Axes axes_of(const Node& node) { return Axes(node.attribute("axes").ints()); }

Keepdims keepdims_of(const Node& node) {
  return node.attribute("keepdims").flag() ? Keepdims::yes : Keepdims::no;
}

// The forms with one or two zeros keep those elements as factors, so that the second derivative is
// right too.
Expr product_of_others(const Expr& x, const FactorParts& all) {
  const Expr is_zero = equal(x, 0);
  const Expr safe = where(is_zero, 1, x);
  const Expr by_zero =
      where(equal(all.zeros, 1), 1, where(equal(all.zeros, 2), all.zero_sum - x, 0));
  const Expr by_other = where(equal(all.zeros, 0), 1, where(equal(all.zeros, 1), all.zero_sum, 0));
  return where(is_zero, by_zero, by_other / safe) * all.non_zeros;
}

namespace {

std::vector<Type> reduced_type(TypeContext& context) {
  return {Type{context.type(0).dtype, reduced_shape(context)}};
}

// Of 32 bits where the rest of the integers is not wanted: rules make such sums.
std::vector<Type> reduced_number_type(TypeContext& context) {
  const DType t = context.type(0).dtype;
  if (accumulated(t) != t && t != DType::int32 && t != DType::uint32) {
    context.fail(fmt::format("expected a dtype wide enough to accumulate in, found {}",
                             describe(context.operands[0])));
  }
  return reduced_type(context);
}

std::vector<Type> reduced_bool_type(TypeContext& context) {
  if (!is_bool(context.type(0).dtype)) {
    context.fail(fmt::format("expected bools, found {}", describe(context.operands[0])));
  }
  return reduced_type(context);
}

// An extremum needs an element: known at once, or checked when the extents are.
std::vector<Type> extremum_type(TypeContext& context) {
  std::vector<Type> types = reduced_type(context);
  Dim count = 1;
  for (std::int64_t axis : context.attributes[0].ints()) {
    count = count * context.type(0).shape[static_cast<std::size_t>(axis)];
  }
  // max_and_argmax is asked for by argmax.
  std::string_view name = context.op.name;
  if (const auto both = name.find("_and_"); both != name.npos) name.remove_prefix(both + 5);
  const std::string text = fmt::format("{}: expected at least one element, found {}", name,
                                       describe(context.operands[0]));
  context.require_as(min(count, Dim(1)), 1, {text});
  return types;
}

std::vector<Type> indexed_extremum_type(TypeContext& context) {
  std::vector<Type> types = extremum_type(context);
  types.push_back(Type{DType::int64, types[0].shape});
  return types;
}

std::vector<Type> sum_with_max_type(TypeContext& context) {
  const Value &e = context.operands[0], &m = context.operands[1];
  const IntList& axes = context.attributes[0].ints();
  const bool fits = axes.size() == 1 && e.is(op::exp) && e.input(0).is(op::subtract) &&
                    m.is(op::max) && m.node().attribute("axes").ints() == axes &&
                    e.input(0).input(0) == m.input(0) && m.input(0).shape() == e.shape() &&
                    is_same_along(e.input(0).input(1), axes[0], e.rank());
  if (!fits)
    context.refuse(fmt::format("expected exp(x - c) and max(x) over one axis, found {} and {}",
                               describe(e), describe(m)));
  return reduced_type(context);
}

// The tangent or cotangent function of an op that is linear over an axis-wise sum.
Expr reduce_like(const Node& node, const Expr& x) {
  return sum(x, axes_of(node), keepdims_of(node));
}

Expr sum_transpose(const Transpose& t) {
  return broadcast_to(keep_axes(t.dy, t.node), t.node.input(0).shape());
}

Expr derivative_of_prod(const Node& node, const Expr& x) {
  const Axes axes = axes_of(node);
  const Expr is_zero = equal(x, 0);
  return product_of_others(x, {.zeros = sum(cast(is_zero, DType::int64), axes, keepdims),
                               .zero_sum = sum(where(is_zero, x, 0), axes, keepdims),
                               .non_zeros = prod(where(is_zero, 1, x), axes, keepdims)});
}

Exprs prod_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {keep_axes(v.dy[0], v.node) * derivative_of_prod(v.node, v.x[0])};
}

Exprs prod_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {reduce_like(v.node, v.dx[0] * derivative_of_prod(v.node, v.x[0]))};
}

// The elements that equal the extremum, and how many there are.
std::pair<Expr, Expr> winners(const Node& node, const Expr& x, const Expr& y) {
  const Expr mask = equal(x, keep_axes(y, node));
  const Expr count = sum(indicator(mask, x.dtype()), axes_of(node), keepdims);
  return {mask, maximum(count, 1)};
}

Exprs extremum_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const auto [mask, count] = winners(v.node, v.x[0], v.y[0]);
  return {where(mask, keep_axes(v.dy[0], v.node) / count, 0)};
}

Exprs extremum_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  const auto [mask, count] = winners(v.node, v.x[0], v.y[0]);
  return {reduce_like(v.node, where(mask, v.dx[0] / count, 0))};
}

// Whether each element is the one whose index the node returned.
Expr is_indexed(const Node& node, const Expr& x, const Expr& index) {
  Expr position;
  for (std::int64_t axis : node.attribute("axes").ints()) {
    const Dim& n = x.shape()[static_cast<std::size_t>(axis)];
    Shape shape(x.shape().size(), Dim(1));
    shape[static_cast<std::size_t>(axis)] = n;
    const Expr along = reshape(arange(n), shape);
    position = position.defined() ? position * extent(n) + along : along;
  }
  if (!position.defined()) position = constant(std::int64_t{0}, DType::int64);
  return equal(position, keep_axes(index, node));
}

Exprs indexed_extremum_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {where(is_indexed(v.node, v.x[0], v.y[1]), keep_axes(v.dy[0], v.node), 0)};
}

Exprs indexed_extremum_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return Exprs(2);
  return {reduce_like(v.node, where(is_indexed(v.node, v.x[0], v.y[1]), v.dx[0], 0)), Expr()};
}

Expr reduce(const Op& op, const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call(op.name, x.origin());
  return apply(op, {x}, reduction_attributes(op, x.value().rank(), axes, keep));
}

std::pair<Expr, Expr> indexed_extremum(const Op& op, const Arg& x, const Axes& axes,
                                       Keepdims keep) {
  const Expr best = reduce(op, x, axes, keep);
  return {best, Expr(Value(best.value().get(), 1))};
}

}  // namespace

// ----------------------------------------------------------------------------------------- records

constinit const Op op::sum{.name = "sum",
                           .doc = "Sum over axes; small integers and bools are widened to 64 bits.",
                           .attributes = reduction_specs,
                           .type = reduced_number_type,
                           .promotion = Promotion::accumulated,
                           .reduction = {&op::add, Reduction::Identity::zero},
                           .linear = 1,
                           .transpose = sum_transpose,
                           .ulp = {0, 0}};

constinit const Op op::sum_with_max{
    .name = "sum_with_max",
    .doc =
        "The sum over one axis of exp(x - c), c the same along it; the second operand, max(x) over "
        "that axis, is taken of the same parts.",
    .operands = 2,
    .attributes = reduction_specs,
    .type = sum_with_max_type,
    .reduction = {&op::add, Reduction::Identity::zero}};

constinit const Op op::prod{
    .name = "prod",
    .doc =
        "Product over axes; small integers and bools are widened to 64 bits. Derivatives are "
        "exact at zeros, to second order.",
    .attributes = reduction_specs,
    .type = reduced_number_type,
    .promotion = Promotion::accumulated,
    .reduction = {&op::multiply, Reduction::Identity::one},
    .vjp = prod_vjp,
    .jvp = prod_jvp};

constinit const Op op::max{
    .name = "max",
    .doc =
        "Largest element over axes; NaN if there is one. Ties share the derivative. ValueError "
        "without elements.",
    .attributes = reduction_specs,
    .type = extremum_type,
    .reduction = {&op::maximum, Reduction::Identity::lowest},
    .vjp = extremum_vjp,
    .jvp = extremum_jvp};

constinit const Op op::min{
    .name = "min",
    .doc =
        "Smallest element over axes; NaN if there is one. Ties share the derivative. ValueError "
        "without elements.",
    .attributes = reduction_specs,
    .type = extremum_type,
    .reduction = {&op::minimum, Reduction::Identity::highest},
    .vjp = extremum_vjp,
    .jvp = extremum_jvp};

constinit const Op op::any{.name = "any",
                           .doc = "Whether some element over axes is true (not 0).",
                           .attributes = reduction_specs,
                           .type = reduced_bool_type,
                           .promotion = Promotion::boolean,
                           .reduction = {&op::logical_or, Reduction::Identity::no}};

constinit const Op op::all{.name = "all",
                           .doc = "Whether all elements over axes are true (not 0).",
                           .attributes = reduction_specs,
                           .type = reduced_bool_type,
                           .promotion = Promotion::boolean,
                           .reduction = {&op::logical_and, Reduction::Identity::yes}};

constinit const Op op::max_and_argmax{
    .name = "max_and_argmax",
    .doc =
        "Largest element over axes and its row-major index in them: the first of equals, the "
        "first NaN. The derivative goes to that element. ValueError without elements.",
    .outputs = 2,
    .attributes = reduction_specs,
    .type = indexed_extremum_type,
    .reduction = {&op::maximum, Reduction::Identity::lowest, true},
    .vjp = indexed_extremum_vjp,
    .jvp = indexed_extremum_jvp};

constinit const Op op::min_and_argmin{
    .name = "min_and_argmin",
    .doc =
        "Smallest element over axes and its row-major index in them: the first of equals, the "
        "first NaN. The derivative goes to that element. ValueError without elements.",
    .outputs = 2,
    .attributes = reduction_specs,
    .type = indexed_extremum_type,
    .reduction = {&op::minimum, Reduction::Identity::highest, true},
    .vjp = indexed_extremum_vjp,
    .jvp = indexed_extremum_jvp};

// --------------------------------------------------------------------------------------- functions

Expr sum(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::sum, x, axes, keep); }

Expr prod(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::prod, x, axes, keep); }

Expr max(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::max, x, axes, keep); }

Expr min(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::min, x, axes, keep); }

Expr any(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::any, x, axes, keep); }

Expr all(const Arg& x, const Axes& axes, Keepdims keep) { return reduce(op::all, x, axes, keep); }

std::pair<Expr, Expr> max_and_argmax(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("max_and_argmax", x.origin());
  return indexed_extremum(op::max_and_argmax, x, axes, keep);
}

std::pair<Expr, Expr> min_and_argmin(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("min_and_argmin", x.origin());
  return indexed_extremum(op::min_and_argmin, x, axes, keep);
}

Expr argmax(const Arg& x, const Axes& axis, Keepdims keep) {
  const CallScope call("argmax", x.origin());
  return indexed_extremum(op::max_and_argmax, x, axis, keep).second;
}

Expr argmin(const Arg& x, const Axes& axis, Keepdims keep) {
  const CallScope call("argmin", x.origin());
  return indexed_extremum(op::min_and_argmin, x, axis, keep).second;
}

}  // namespace gnomon
