// Sorts, places in order and what is found by them.
#include "stdlib/lines/sorting.h"

#include <fmt/format.h>

#include <array>
#include <limits>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs sort_specs{{"axis", Attribute::Kind::integer},
                                    {"reverse", Attribute::Kind::flag}};

std::int64_t sort_axis(const TypeContext& context) {
  return *lines_form(context.op, context.attributes).axis;
}

std::vector<Type> sort_type(TypeContext& context) {
  const Type& x = context.type(0);
  const std::int64_t axis = sort_axis(context);
  if (axis < 0 || axis >= x.rank()) {
    context.refuse(
        fmt::format("expected an axis of {}, found {}", describe(context.operands[0]), axis));
  }
  if (is_complex(x.dtype))
    context.fail("expected real numbers, found " + describe(context.operands[0]));
  return {x};
}

std::vector<Type> argsort_type(TypeContext& context) {
  return {{DType::int64, sort_type(context)[0].shape}};
}

std::vector<Type> argtopk_type(TypeContext& context) {
  const std::int64_t count = context.attributes[0].integer();
  const std::int64_t axis = sort_axis(context);
  Type t{DType::int64, sort_type(context)[0].shape};
  Dim& n = t.shape[static_cast<std::size_t>(axis)];
  if (count < 0 || (n.is_constant() && count > n.constant())) {
    context.refuse(fmt::format("expected a number of elements along axis {} of {}, found {}", axis,
                               describe(context.operands[0]), count));
  }
  context.require(max(n, count), n,
                  fmt::format("expected at least {} elements along axis {}", count, axis));
  n = count;
  return {t};
}

std::vector<Type> searchsorted_type(TypeContext& context) {
  const Type &line = context.type(0), &values = context.type(1);
  const bool same = line.dtype == values.dtype && !is_complex(line.dtype);
  if (line.rank() != 1 || !same) {
    const std::string text =
        fmt::format("expected a sorted vector and values of one real dtype, found {} and {}",
                    describe(context.operands[0]), describe(context.operands[1]));
    same ? context.refuse(text) : context.fail(text);
  }
  return {{DType::int64, values.shape}};
}

Expr places(const Node& node, const Expr& x) {
  return Expr(make_node(op::argsort, {x.value()}, node.attributes()));
}

Exprs sort_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {put_along_axis(zeros_like(v.x[0]), places(v.node, v.x[0]), v.dy[0],
                         *lines_form(v.node).axis)};
}

Exprs sort_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {take_along_axis(v.dx[0], places(v.node, v.x[0]), *lines_form(v.node).axis)};
}

// Only one line is searched at once: where each example has a line of its own, its elements are
// compared with each value.
Exprs batch_searchsorted(const Batched& batch) {
  if (!batch.batched[0]) return outputs_of(op::searchsorted, batch.x, batch.attributes);
  const Expr values = leading(batch, 1);
  Expr line = batch.x[0];
  for (int k = 1; k < values.rank(); ++k) line = expand_dims(line, 1);
  const Expr each = expand_dims(values, -1);
  const bool behind = lines_form(batch.node).reverse;
  Expr before = behind ? logical_not(less(each, line)) : less(line, each);
  if (is_float(values.dtype())) {  // NaN is beyond all numbers
    before = behind ? logical_or(isnan(each), logical_and(before, logical_not(isnan(line))))
                    : logical_or(before, logical_and(isnan(each), logical_not(isnan(line))));
  }
  return {sum(before, -1)};
}

Expr sorted_along(const Op& op, const Arg& x, std::int64_t axis, bool reverse) {
  const std::int64_t normal = normalize_axis(axis, x.value().rank(), op.name);
  return apply(op, {x}, {Attribute(normal), Attribute(reverse)});
}

// The axis to look along, and x with all axes as one when none is given.
std::pair<Expr, std::int64_t> line_of(const Arg& x, std::optional<std::int64_t> axis,
                                      std::string_view what) {
  const Expr v(x.value());
  if (axis) return {v, normalize_axis(*axis, v.rank(), what)};
  return {reshape(v, {element_count(v.shape())}), 0};
}

// The parts of `quantile`: numbers from 0 to 1.
Expr checked_parts(const Expr& q) {
  const std::string text = "quantile: expected parts from 0 to 1 (percentiles from 0 to 100)";
  if (const std::optional<double> known = constant_value(q)) {
    if (!(*known >= 0 && *known <= 1)) throw ValueError(fmt::format("{}, found {}", text, *known));
    return q;
  }
  return check(q, logical_and(greater_equal(q, 0), less_equal(q, 1)), text);
}

}  // namespace

constinit const Op op::sort{
    .name = "sort",
    .doc =
        "The elements along an axis in ascending order, or descending (`reverse`). NaN counts as "
        "larger than all numbers.",
    .attributes = sort_specs,
    .type = sort_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::sort},
    .vjp = sort_vjp,
    .jvp = sort_jvp};

constinit const Op op::argsort{
    .name = "argsort",
    .doc =
        "The places that sort an axis in ascending order, or descending (`reverse`); equal "
        "elements keep their order.",
    .attributes = sort_specs,
    .type = argsort_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::argsort}};

constinit const Op op::argtopk{
    .name = "argtopk",
    .doc =
        "The places of the `count` largest elements along an axis, or the smallest (`reverse`), "
        "the extreme one first; of equal elements the first.",
    .attributes = {{"count", Attribute::Kind::integer},
                   {"axis", Attribute::Kind::integer},
                   {"reverse", Attribute::Kind::flag}},
    .type = argtopk_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::argtopk}};

constinit const Op op::searchsorted{
    .name = "searchsorted",
    .doc =
        "How many elements of an ascending vector are less than each value, or not greater "
        "(`reverse`).",
    .operands = 2,
    .attributes = {{"reverse", Attribute::Kind::flag}},
    .type = searchsorted_type,
    .promotion = Promotion::common,
    .step = StepKind::lines,
    .lines = {LineRoutine::searchsorted},
    .batch = batch_searchsorted};

Expr sort(const Arg& x, std::int64_t axis, Order order) {
  const CallScope call("sort", x.origin());
  return sorted_along(op::sort, x, axis, order == Order::descending);
}

Expr argsort(const Arg& x, std::int64_t axis, Order order) {
  const CallScope call("argsort", x.origin());
  return sorted_along(op::argsort, x, axis, order == Order::descending);
}

Expr argtopk(const Arg& x, std::int64_t count, std::int64_t axis, Order order) {
  const CallScope call("argtopk", x.origin());
  const std::int64_t normal = normalize_axis(axis, x.value().rank(), op::argtopk.name);
  return apply(op::argtopk, {x},
               {Attribute(count), Attribute(normal), Attribute(order == Order::ascending)});
}

std::pair<Expr, Expr> topk_and_argtopk(const Arg& x, std::int64_t count, std::int64_t axis,
                                       Order order) {
  const CallScope call("topk_and_argtopk", x.origin());
  const Expr at = argtopk(x, count, axis, order);
  return {take_along_axis(x, at, axis), at};
}

Expr topk(const Arg& x, std::int64_t count, std::int64_t axis, Order order) {
  const CallScope call("topk", x.origin());
  return topk_and_argtopk(x, count, axis, order).first;
}

Expr lexsort(const ExprList& keys, std::int64_t axis) {
  const CallScope call("lexsort", keys.origin());
  if (keys.empty()) throw ValueError("lexsort: expected keys, found none");
  Expr at = argsort(keys[0], axis);
  for (const Expr& key : keys.subspan(1))
    at = take_along_axis(at, argsort(take_along_axis(key, at, axis), axis), axis);
  return at;
}

Expr sort_complex(const Arg& x) {
  const CallScope call("sort_complex", x.origin());
  const Expr v(x.value());
  if (!is_complex(v.dtype())) {
    const Expr sorted = sort(as_floats(v));
    return complex(sorted, zeros_like(sorted));
  }
  return take_along_axis(v, lexsort({imag(v), real(v)}));
}

Expr searchsorted(const Arg& sorted, const Arg& values, Side side) {
  const CallScope call("searchsorted", sorted.origin());
  return apply(op::searchsorted, {sorted, values}, {Attribute(side == Side::right)});
}

namespace {

// With a NaN, which counts as the largest element, where there is no other.
Expr or_nan(const Expr& x, std::int64_t axis) {
  Shape shape = x.shape();
  Dim& n = shape[static_cast<std::size_t>(axis)];
  n = 1 - min(n, 1);
  if (n.is(0)) return x;
  const Expr nan = constant(std::numeric_limits<double>::quiet_NaN(), x.dtype());
  return concatenate({x, broadcast_to(nan, shape)}, axis);
}

}  // namespace

Expr quantile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis, Interpolation method) {
  const CallScope call("quantile", x.origin());
  const auto [elements, at] = line_of(as_floats(x), axis, "quantile");
  const Expr line = or_nan(elements, at);
  const DType t = line.dtype();
  const Expr s = sort(line, at);
  const Expr part = checked_parts(q.as(t));
  const Expr last = extent(line.dim(static_cast<int>(at)) - 1);
  const Expr place = part * last;
  using enum Interpolation;
  Expr low = floor(place);
  if (method == higher) low = ceil(place);
  if (method == nearest) low = round(place);
  const Expr first = cast(low, DType::int64);
  const Expr below = take(s, first, at);
  Expr y = below;
  if (method == linear || method == midpoint) {
    const Expr above = take(s, minimum(first + 1, last), at);
    Expr share = place - low;
    if (method == midpoint) share = where(equal(share, 0), 0, 0.5);
    // Behind the result's axes that come before `at` stand those of q, then the others.
    for (std::int64_t k = at + 1; k < line.rank(); ++k) share = expand_dims(share, -1);
    const Expr step = above - below;
    y = where(share < 0.5, below + step * share, above - step * (1 - share));
    y = where(equal(above, below), below, y);
  }
  const Expr greatest = take(s, last, at);
  Expr has_nan = isnan(greatest);
  for (int k = 0; k < part.rank(); ++k) has_nan = expand_dims(has_nan, at);
  y = where(has_nan, constant(std::numeric_limits<double>::quiet_NaN(), t), y);
  if (at == 0 || part.rank() == 0) return y;
  IntList order;
  for (std::int64_t k = at; k < at + part.rank(); ++k) order.push_back(k);
  for (std::int64_t k = 0; k < y.rank(); ++k)
    if (k < at || k >= at + part.rank()) order.push_back(k);
  return transpose(y, order);
}

Expr median(const Arg& x, std::optional<std::int64_t> axis) {
  const CallScope call("median", x.origin());
  return quantile(x, 0.5, axis);
}

Expr bincount(const Arg& x, const Dim& length, std::optional<Expr> weights) {
  const CallScope call("bincount", x.origin());
  const Expr v(x.value());
  if (!is_integer(v.dtype()))
    throw TypeError(fmt::format("bincount: expected integers, found {}", describe(v)));
  if (v.rank() != 1)
    throw ValueError(fmt::format("bincount: expected a vector of integers, found {}", describe(v)));
  const Expr at[] = {check(v, v >= 0, "bincount: expected integers of at least 0")};
  if (!weights) {
    return inc_index(full({length}, constant(std::int64_t{0}, DType::int64)), 1, {0}, at);
  }
  return inc_index(full({length}, constant(0.0, weights->dtype())), *weights, {0}, at);
}

Expr histogram(const Arg& x, const Arg& edges) {
  const CallScope call("histogram", x.origin());
  const auto [values, bounds] = promoted(x, edges);
  if (bounds.rank() != 1)
    throw ValueError(
        fmt::format("histogram: expected a vector of edges, found {}", describe(bounds.value())));
  const Expr edge = check(bounds,
                          all(less_equal(index(bounds, std::array{Index(until(-1))}),
                                         index(bounds, std::array{Index(from(1))}))),
                          "histogram: expected ascending edges, not NaN");
  // Two more are before the first edge and behind the last one, where NaN belongs too.
  const Dim n = bounds.dim(0);
  const Expr line = reshape(values, {element_count(values.shape())});
  const Expr place = searchsorted(edge, line, Side::right);
  const Dim last = max(n - 1, 0);  // there may be no edges
  const Expr more = concatenate({edge, filled({Dim(1)}, 0, edge.dtype())});
  const Expr is_last = equal(line, place_of_axis(more, 0, last));
  const Expr counts = bincount(where(is_last, extent(last), place), n + 1);
  return index(counts, std::array{Index(range(1, -1))});
}

}  // namespace gnomon
