// Writes at integer arrays that combine elements with what is there: products, quotients, extrema.
#include "stdlib/arrays/index_writes.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/reduction.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> combined_index_type(TypeContext& context) {
  const Value& x = context.operands[0];
  if (context.op.write.combine->promotion == Promotion::inexact && !is_float(x.dtype()))
    context.fail("expected floats, found " + describe(x));
  return written_index_type(context);
}

// The places in x that a node writes.
class WrittenPlaces {
 public:
  WrittenPlaces(const Node& node, const std::vector<Expr>& x)
      : axes_(node.attribute("axes").ints()), arrays_(arrays_of(x, 2)) {}

  Expr read(const Expr& x) const { return index(x, axes_, arrays_); }
  Expr write(const Op& op, const Expr& x, const Expr& v) const {
    return write_index(op, x, v, axes_, arrays_);
  }

 private:
  const IntList& axes_;
  std::vector<Expr> arrays_;
};

// What the derivative by x and that by v add up to.
Expr sum_of_tangents(const WrittenPlaces& at, const Expr& by_x, const Expr& by_v, const Expr& x) {
  return by_v.defined() ? at.write(op::inc_index, or_zeros(by_x, x), by_v) : by_x;
}

// -------------------------------------------------------------------------------------- products

// The derivative of each product by the factors in v: that of prod.
Expr products_without(const WrittenPlaces& at, const Expr& x, const Expr& v) {
  const auto zeros_in = [](const Expr& factors) { return cast(equal(factors, 0), DType::int64); };
  const auto only_zeros = [](const Expr& factors) { return where(equal(factors, 0), factors, 0); };
  const auto no_zeros = [](const Expr& factors) { return where(equal(factors, 0), 1, factors); };
  const FactorParts factors{
      .zeros = at.write(op::inc_index, zeros_in(x), zeros_in(v)),
      .zero_sum = at.write(op::inc_index, only_zeros(x), only_zeros(v)),
      .non_zeros = at.write(op::multiply_index, no_zeros(x), no_zeros(v)),
  };
  return product_of_others(
      v, {at.read(factors.zeros), at.read(factors.zero_sum), at.read(factors.non_zeros)});
}

Exprs multiply_index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  const WrittenPlaces at(v.node, v.x);
  dx[0] = at.write(op::multiply_index, v.dy[0], v.x[1]);
  dx[1] = at.read(v.dy[0]) * products_without(at, v.x[0], v.x[1]);
  return dx;
}

Exprs multiply_index_jvp(const Jvp& v) {
  const WrittenPlaces at(v.node, v.x);
  Expr by_x, by_v;
  if (v.dx[0].defined()) by_x = at.write(op::multiply_index, v.dx[0], v.x[1]);
  if (v.dx[1].defined()) by_v = v.dx[1] * products_without(at, v.x[0], v.x[1]);
  return {sum_of_tangents(at, by_x, by_v, v.x[0])};
}

// ------------------------------------------------------------------------------------- quotients

Exprs divide_index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  const WrittenPlaces at(v.node, v.x);
  dx[0] = at.write(op::divide_index, v.dy[0], v.x[1]);
  dx[1] = at.read(v.dy[0]) * (-at.read(v.y[0]) / v.x[1]);
  return dx;
}

Exprs divide_index_jvp(const Jvp& v) {
  const WrittenPlaces at(v.node, v.x);
  Expr by_x, by_v;
  if (v.dx[0].defined()) by_x = at.write(op::divide_index, v.dx[0], v.x[1]);
  if (v.dx[1].defined()) by_v = v.dx[1] * (-at.read(v.y[0]) / v.x[1]);
  return {sum_of_tangents(at, by_x, by_v, v.x[0])};
}

// --------------------------------------------------------------------------------------- extrema

// Which elements of x and v equal the extremum of their place, and how many there are at each.
struct Winners {
  Expr in_x, in_v, count;

  Winners(const WrittenPlaces& at, const Expr& x, const Expr& v, const Expr& y)
      : in_x(equal(x, y)), in_v(equal(v, at.read(y))) {
    const DType t = x.dtype();
    count = maximum(at.write(op::inc_index, indicator(in_x, t), indicator(in_v, t)), 1);
  }
};

Exprs extremum_index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  const WrittenPlaces at(v.node, v.x);
  const Winners winners(at, v.x[0], v.x[1], v.y[0]);
  const Expr share = v.dy[0] / winners.count;
  dx[0] = where(winners.in_x, share, 0);
  dx[1] = where(winners.in_v, at.read(share), 0);
  return dx;
}

Exprs extremum_index_jvp(const Jvp& v) {
  if (!v.dx[0].defined() && !v.dx[1].defined()) return {Expr()};
  const WrittenPlaces at(v.node, v.x);
  const Winners winners(at, v.x[0], v.x[1], v.y[0]);
  Expr by_x, by_v;
  if (v.dx[0].defined()) by_x = where(winners.in_x, v.dx[0], 0);
  if (v.dx[1].defined()) by_v = where(winners.in_v, v.dx[1], 0);
  return {sum_of_tangents(at, by_x, by_v, v.x[0]) / winners.count};
}

}  // namespace

// --------------------------------------------------------------------------------------- records

constinit const Op op::multiply_index{
    .name = "multiply_index",
    .doc =
        "x with the elements at integer indices multiplied by v, by all of duplicates, in order. "
        "Derivatives are exact at zeros, to second order.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = combined_index_type,
    .write = {.base = 0, .first = 1, .combine = &op::multiply, .position = written_index_position},
    .positions = 2,
    .vjp = multiply_index_vjp,
    .jvp = multiply_index_jvp,
    .batch = written_index_batch};

constinit const Op op::divide_index{
    .name = "divide_index",
    .doc = "x with the elements at integer indices divided by v, by all of duplicates, in order.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = combined_index_type,
    .write = {.base = 0, .first = 1, .combine = &op::divide, .position = written_index_position},
    .positions = 2,
    .vjp = divide_index_vjp,
    .jvp = divide_index_jvp,
    .batch = written_index_batch};

constinit const Op op::minimum_index{
    .name = "minimum_index",
    .doc =
        "x with the elements at integer indices replaced by the smallest of them and v; NaN if one "
        "is NaN. Ties share the derivative.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = combined_index_type,
    .write = {.base = 0, .first = 1, .combine = &op::minimum, .position = written_index_position},
    .positions = 2,
    .vjp = extremum_index_vjp,
    .jvp = extremum_index_jvp,
    .batch = written_index_batch};

constinit const Op op::maximum_index{
    .name = "maximum_index",
    .doc =
        "x with the elements at integer indices replaced by the largest of them and v; NaN if one "
        "is NaN. Ties share the derivative.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = combined_index_type,
    .write = {.base = 0, .first = 1, .combine = &op::maximum, .position = written_index_position},
    .positions = 2,
    .vjp = extremum_index_vjp,
    .jvp = extremum_index_jvp,
    .batch = written_index_batch};

}  // namespace gnomon
