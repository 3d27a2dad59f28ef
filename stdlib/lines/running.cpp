// Running sums, products, extrema and linear recurrences along an axis.
#include "stdlib/lines/running.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs running_specs{{"axis", Attribute::Kind::integer},
                                       {"reverse", Attribute::Kind::flag}};

std::int64_t axis_of(const Node& node) { return *lines_form(node).axis; }
bool is_reversed(const Node& node) { return lines_form(node).reverse; }

std::vector<Type> running_type(TypeContext& context) {
  const Type& x = context.type(0);
  const std::int64_t axis = *lines_form(context.op, context.attributes).axis;
  if (axis < 0 || axis >= x.rank()) {
    context.refuse(
        fmt::format("expected an axis of {}, found {}", describe(context.operands[0]), axis));
  }
  if (is_complex(x.dtype))
    context.fail("expected real numbers, found " + describe(context.operands[0]));
  return {x};
}

std::vector<Type> running_number_type(TypeContext& context) {
  if (accumulated(context.type(0).dtype) != context.type(0).dtype) {
    context.fail(fmt::format("expected a dtype wide enough to accumulate in, found {}",
                             describe(context.operands[0])));
  }
  return running_type(context);
}

std::vector<Type> recurrence_type(TypeContext& context) {
  Type t = running_type(context)[0];
  const Type& b = context.type(1);
  if (b.dtype != t.dtype || b.rank() != t.rank() || is_bool(t.dtype)) {
    context.mismatch(fmt::format("expected numbers of one dtype and shape, found {} and {}",
                                 describe(context.operands[0]), describe(context.operands[1])));
  }
  for (std::size_t i = 0; i < t.shape.size(); ++i)
    t.shape[i] = context.equal(t.shape[i], b.shape[i], "extents");
  return {t};
}

Expr running(const Op& op, const Expr& x, std::int64_t axis, bool reverse) {
  return Expr(make_node(op, {x.value()}, {Attribute(axis), Attribute(reverse)}));
}

Expr recurrence(const Expr& a, const Expr& b, std::int64_t axis, bool reverse) {
  return applied(op::linear_recurrence, a, b, {Attribute(axis), Attribute(reverse)});
}

// The element before each one in the order of the scan, `first` before the first.
Expr before(const Expr& x, std::int64_t axis, bool reverse, double first) {
  std::vector<Index> all_but_first(static_cast<std::size_t>(axis), Index(all_of));
  std::vector<Index> all_but_last = all_but_first;
  all_but_first.emplace_back(from(1));
  all_but_last.emplace_back(until(-1));
  const Expr base = full(x.shape(), constant(first, x.dtype()));
  const auto &to = reverse ? all_but_last : all_but_first,
             &of = reverse ? all_but_first : all_but_last;
  return set_at(base, to, index(x, of));
}

Expr cumsum_transpose(const Transpose& t) {
  return running(op::cumsum, t.dy, axis_of(t.node), !is_reversed(t.node));
}

// With P[i] the product before element i, dx[i] = P[i] S[i] where S[i] = dy[i] + x[i+1] S[i+1]: no
// element is divided by, so zeros are like any other.
Exprs cumprod_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const std::int64_t axis = axis_of(v.node);
  const bool reverse = is_reversed(v.node);
  const Expr next = before(v.x[0], axis, !reverse, 0);
  return {before(v.y[0], axis, reverse, 1) * recurrence(next, v.dy[0], axis, !reverse)};
}

// dy[i] = x[i] dy[i-1] + P[i] dx[i].
Exprs cumprod_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  const std::int64_t axis = axis_of(v.node);
  const bool reverse = is_reversed(v.node);
  return {recurrence(v.x[0], before(v.y[0], axis, reverse, 1) * v.dx[0], axis, reverse)};
}

// Where the element stands that each running extremum is: the place of the last change.
Expr place_of_extremum(const Node& node, const Expr& y) {
  const std::int64_t axis = axis_of(node);
  const bool reverse = is_reversed(node);
  const Expr last = before(y, axis, reverse, 0);
  const Expr place = broadcast_to(places_along(y, axis), y.shape());
  const Dim& n = y.shape()[static_cast<std::size_t>(axis)];
  const Expr first = reverse ? extent(n - 1) : constant(std::int64_t{0}, DType::int64);
  Expr is_same = equal(y, last);
  if (is_float(y.dtype())) is_same = logical_or(is_same, logical_and(isnan(y), isnan(last)));
  const Expr changes = where(is_same, first, place);
  return running(reverse ? op::cummin : op::cummax, changes, axis, reverse);
}

Exprs running_extremum_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {add_along_axis(zeros_like(v.x[0]), place_of_extremum(v.node, v.y[0]), v.dy[0],
                         axis_of(v.node))};
}

Exprs running_extremum_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {take_along_axis(v.dx[0], place_of_extremum(v.node, v.y[0]), axis_of(v.node))};
}

// With z the cotangents summed back, z[i] = dy[i] + a[i+1] z[i+1]: db = z and da[i] = z[i] y[i-1].
Exprs recurrence_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr(), Expr()};
  const std::int64_t axis = axis_of(v.node);
  const bool reverse = is_reversed(v.node);
  const Expr z = recurrence(before(v.x[0], axis, !reverse, 0), v.dy[0], axis, !reverse);
  return {z * before(v.y[0], axis, reverse, 0), z};
}

Exprs recurrence_jvp(const Jvp& v) {
  if (!v.dx[0].defined() && !v.dx[1].defined()) return {Expr()};
  const std::int64_t axis = axis_of(v.node);
  const bool reverse = is_reversed(v.node);
  Expr change = v.dx[1];
  if (v.dx[0].defined()) {
    const Expr by_factor = v.dx[0] * before(v.y[0], axis, reverse, 0);
    change = change.defined() ? change + by_factor : by_factor;
  }
  return {recurrence(v.x[0], change, axis, reverse)};
}

Expr running_along(const Op& op, const Arg& x, std::int64_t axis, Direction direction) {
  const std::int64_t normal = normalize_axis(axis, x.value().rank(), op.name);
  return apply(op, {x}, {Attribute(normal), Attribute(direction == Direction::backward)});
}

}  // namespace

constinit const Op op::cumsum{
    .name = "cumsum",
    .doc = "Running sums along an axis; small integers and bools are widened to 64 bits.",
    .attributes = running_specs,
    .type = running_number_type,
    .promotion = Promotion::accumulated,
    .step = StepKind::lines,
    .lines = {LineRoutine::cumsum, &op::add},
    .linear = 1,
    .transpose = cumsum_transpose};

constinit const Op op::cumprod{
    .name = "cumprod",
    .doc =
        "Running products along an axis; small integers and bools are widened to 64 bits. "
        "Derivatives are exact at zeros.",
    .attributes = running_specs,
    .type = running_number_type,
    .promotion = Promotion::accumulated,
    .step = StepKind::lines,
    .lines = {LineRoutine::cumprod, &op::multiply},
    .vjp = cumprod_vjp,
    .jvp = cumprod_jvp};

constinit const Op op::cummax{
    .name = "cummax",
    .doc =
        "The largest element so far along an axis, NaN from the first NaN on. The derivative goes "
        "to the first of equal elements.",
    .attributes = running_specs,
    .type = running_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::cummax, &op::maximum},
    .vjp = running_extremum_vjp,
    .jvp = running_extremum_jvp};

constinit const Op op::cummin{
    .name = "cummin",
    .doc =
        "The smallest element so far along an axis, NaN from the first NaN on. The derivative goes "
        "to the first of equal elements.",
    .attributes = running_specs,
    .type = running_type,
    .step = StepKind::lines,
    .lines = {LineRoutine::cummin, &op::minimum},
    .vjp = running_extremum_vjp,
    .jvp = running_extremum_jvp};

constinit const Op op::linear_recurrence{
    .name = "linear_recurrence",
    .doc = "y[i] = a[i] * y[i - 1] + b[i] along an axis, with y[-1] = 0.",
    .operands = 2,
    .attributes = running_specs,
    .type = recurrence_type,
    .promotion = Promotion::common,
    .step = StepKind::lines,
    .lines = {LineRoutine::linear_recurrence, &op::multiply},
    .vjp = recurrence_vjp,
    .jvp = recurrence_jvp};

Expr cumsum(const Arg& x, std::int64_t axis, Direction direction) {
  const CallScope call("cumsum", x.origin());
  return running_along(op::cumsum, x, axis, direction);
}

Expr cumprod(const Arg& x, std::int64_t axis, Direction direction) {
  const CallScope call("cumprod", x.origin());
  return running_along(op::cumprod, x, axis, direction);
}

Expr cummax(const Arg& x, std::int64_t axis, Direction direction) {
  const CallScope call("cummax", x.origin());
  return running_along(op::cummax, x, axis, direction);
}

Expr cummin(const Arg& x, std::int64_t axis, Direction direction) {
  const CallScope call("cummin", x.origin());
  return running_along(op::cummin, x, axis, direction);
}

Expr linear_recurrence(const Arg& a, const Arg& b, std::int64_t axis, Direction direction) {
  const CallScope call("linear_recurrence", a.origin());
  const auto [x, y] = promoted(a, b);
  const Shape shape = (x + y).shape();
  const std::int64_t normal =
      normalize_axis(axis, static_cast<int>(shape.size()), op::linear_recurrence.name);
  return recurrence(broadcast_to(x, shape), broadcast_to(y, shape), normal,
                    direction == Direction::backward);
}

Expr diff(const Arg& x, std::int64_t n, std::int64_t axis) {
  const CallScope call("diff", x.origin());
  Expr y(x.value());
  std::vector<Index> before(static_cast<std::size_t>(normalize_axis(axis, y.rank(), "diff")),
                            Index(all_of));
  std::vector<Index> after = before;
  before.emplace_back(until(-1));
  after.emplace_back(from(1));
  for (std::int64_t i = 0; i < n; ++i) {
    const Expr a = index(y, after), b = index(y, before);
    y = is_bool(y.dtype()) ? not_equal(a, b) : a - b;
  }
  return y;
}

Expr trapezoid(const Arg& y, const Arg& spacing, std::int64_t axis) {
  const CallScope call("trapezoid", y.origin());
  const Expr v = as_floats(y);
  std::vector<Index> first(static_cast<std::size_t>(normalize_axis(axis, v.rank(), "trapezoid")),
                           Index(all_of));
  std::vector<Index> second = first;
  first.emplace_back(until(-1));
  second.emplace_back(from(1));
  return sum((index(v, first) + index(v, second)) * 0.5, axis) * spacing;
}

}  // namespace gnomon
