// Slices with constant steps: reading, replacing and increasing them.
#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs slice_specs{{"start", Attribute::Kind::dim_list},
                                     {"count", Attribute::Kind::dim_list},
                                     {"step", Attribute::Kind::dim_list}};

// What is said of positions outside of an axis: of one position as of the index that it is.
std::string out_of_range(const TypeContext& context, std::size_t axis) {
  const Dim &start = context.attributes[0].dims()[axis],
            &count = context.attributes[1].dims()[axis];
  const Dim &n = context.type(0).shape[axis], from_end = start - n;
  const std::string x = describe(context.operands[0]);
  if (!count.is(1))
    return fmt::format("{}: expected positions in axis {}, found {} counted from {} in {}",
                       context.op.name, axis, count.text(), start.text(), x);
  const bool negative = from_end.is_constant() && !(start.is_constant() && start.constant() >= 0);
  return fmt::format("index: index {} is out of range for axis {} with extent {} of {}",
                     (negative ? from_end : start).text(), axis, n.text(), x);
}

// `d` is not negative: at once, or checked when its value is known.
void require_non_negative(TypeContext& context, const Dim& d, std::size_t axis) {
  if (d.is_constant()) {
    if (d.constant() >= 0) return;
    throw IndexError(out_of_range(context, axis));
  }
  if (context.equalities)
    context.require_as(min(d, Dim(0)), 0, {out_of_range(context, axis), true});
}

// A count that only the call knows: where it is not 0, the positions are those of elements. What
// indexing makes is cut to the extents and needs no check.
void check_open_range(TypeContext& context, std::size_t axis) {
  if (context.equalities == nullptr) return;
  const Shape& shape = context.type(0).shape;
  const Dim &start = context.attributes[0].dims()[axis],
            &count = context.attributes[1].dims()[axis], &step = context.attributes[2].dims()[axis];
  require_extents(context, {count});
  const bool down = step.constant() < 0;
  const auto require = [&](const Dim& first, const Dim& last) {
    const Dim low = down ? last : first, room = shape[axis] - 1 - (down ? first : last);
    for (const Dim& d : {low, room}) {
      if (is_never_negative(d, shape)) continue;
      context.require(
          min(count, 1) * min(d, 0), 0,
          fmt::format("expected positions in axis {}, found {} counted from {} by {} in {}", axis,
                      count.text(), start.text(), step.text(), describe(context.operands[0])));
    }
  };
  const Dim length = where_not_empty(count);
  require(start, start + (length - 1) * step);
}

// The elements of a slice are elements of the operand.
void check_range(TypeContext& context) {
  const Shape& shape = context.type(0).shape;
  const Shape &start = context.attributes[0].dims(), &count = context.attributes[1].dims(),
              &step = context.attributes[2].dims();
  if (start.size() != shape.size() || count.size() != shape.size() || step.size() != shape.size()) {
    context.refuse(fmt::format("expected a start, a count and a step for each axis of {}",
                               describe(context.operands[0])));
  }
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!step[i].is_constant() || step[i].is(0)) {
      context.refuse(fmt::format("expected a constant step, not 0, found {}", step[i].text()));
    }
    if (!count[i].is_constant()) check_open_range(context, i);
    if (!count[i].is_constant() || count[i].is(0)) continue;
    if (count[i].constant() < 0) {
      context.refuse(fmt::format("expected a count of elements, found {}", count[i].text()));
    }
    const Dim last = start[i] + (count[i] - 1) * step[i];
    const bool down = step[i].constant() < 0;
    require_non_negative(context, down ? last : start[i], i);
    require_non_negative(context, shape[i] - 1 - (down ? start[i] : last), i);
  }
}

std::vector<Type> slice_type(TypeContext& context) {
  check_range(context);
  return {Type{context.type(0).dtype, context.attributes[1].dims()}};
}

std::vector<Type> written_slice_type(TypeContext& context) {
  check_range(context);
  const Type &x = context.type(0), &v = context.type(1);
  const Shape& count = context.attributes[1].dims();
  if (v.dtype != x.dtype || v.shape.size() != count.size()) {
    const std::string text =
        fmt::format("expected a value of type {}, found {}", Type{x.dtype, count}.text(),
                    describe(context.operands[1]));
    v.dtype != x.dtype ? context.fail(text) : context.refuse(text);
  }
  for (std::size_t i = 0; i < count.size(); ++i) context.equal(v.shape[i], count[i], "extents");
  return {x};
}

std::vector<Scalar> positions(Element& e, const Node& node, std::span<const Scalar> index) {
  const Shape &start = node.attribute("start").dims(), &step = node.attribute("step").dims();
  std::vector<Scalar> result;
  for (std::size_t i = 0; i < index.size(); ++i) {
    Scalar position = index[i];
    if (!step[i].is(1)) position = e.multiply(position, e.extent(step[i]));
    if (!start[i].is(0)) position = e.add(position, e.extent(start[i]));
    result.push_back(position);
  }
  return result;
}

Scalar slice_element(Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
  return e.operand(0, positions(e, node, index));
}

std::vector<Scalar> slice_position(Element& e, const Node& node, int,
                                   std::span<const Scalar> index) {
  return positions(e, node, index);
}

// The slice of `x` that `node` reads or writes.
Expr slice_of(const Node& node, const Expr& x) {
  return Expr(make_node(op::slice, {x.value()}, node.attributes()));
}

Expr written(const Op& op, const Node& node, const Expr& x, const Expr& v) {
  return Expr(make_node(op, {x.value(), v.value()}, node.attributes()));
}

// The whole axis of examples, and the slice behind it.
Exprs slice_batch(const Batched& b) {
  Attributes attributes = b.attributes;
  const Dim parts[] = {Dim(0), b.size, Dim(1)};
  for (std::size_t i = 0; i < 3; ++i) {
    Shape dims = attributes[i].dims();
    dims.insert(dims.begin(), parts[i]);
    attributes[i] = Attribute(std::move(dims));
  }
  std::vector<Expr> operands;
  for (std::size_t k = 0; k < b.x.size(); ++k) operands.push_back(leading(b, k));
  return outputs_of(b.node.op(), operands, std::move(attributes));
}

Expr slice_transpose(const Transpose& t) {
  return written(op::inc_slice, t.node, zeros_like(t.x[0]), t.dy);
}

Exprs set_slice_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(2);
  return {written(op::set_slice, v.node, v.dy[0], zeros_like(v.x[1])), slice_of(v.node, v.dy[0])};
}

Exprs inc_slice_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(2);
  return {v.dy[0], slice_of(v.node, v.dy[0])};
}

// Both writes are linear in x and v together.
Exprs written_slice_jvp(const Jvp& v) {
  if (!v.dx[0].defined() && !v.dx[1].defined()) return {Expr()};
  return {written(v.node.op(), v.node, or_zeros(v.dx[0], v.x[0]), or_zeros(v.dx[1], v.x[1]))};
}

Expr write_slice(const Op& op, const Arg& x, const Arg& v, Shape start, Shape count, Shape step) {
  const Value base = x.value();
  const Expr value = broadcast_to(cast(Expr(v.as(base.dtype())), base.dtype()), count);
  return Expr(make_node(
      op, {base, value.value()},
      {Attribute(std::move(start)), Attribute(std::move(count)), Attribute(std::move(step))},
      x.origin()));
}

}  // namespace

constinit const Op op::slice{.name = "slice",
                             .doc = "Element i of the result is x[start + i * step] on each axis.",
                             .attributes = slice_specs,
                             .type = slice_type,
                             .element = slice_element,
                             .linear = 1,
                             .transpose = slice_transpose,
                             .batch = slice_batch};

constinit const Op op::set_slice{
    .name = "set_slice",
    .doc = "x with the elements of a slice replaced by v.",
    .operands = 2,
    .attributes = slice_specs,
    .type = written_slice_type,
    .write = {.base = 0, .first = 1, .slice = true, .position = slice_position},
    .vjp = set_slice_vjp,
    .jvp = written_slice_jvp,
    .batch = slice_batch};

constinit const Op op::inc_slice{.name = "inc_slice",
                                 .doc = "x with the elements of a slice increased by v.",
                                 .operands = 2,
                                 .attributes = slice_specs,
                                 .type = written_slice_type,
                                 .write = {.base = 0,
                                           .first = 1,
                                           .slice = true,
                                           .combine = &op::add,
                                           .position = slice_position},
                                 .vjp = inc_slice_vjp,
                                 .jvp = written_slice_jvp,
                                 .batch = slice_batch};

Expr slice(const Arg& x, Shape start, Shape count, Shape step) {
  const CallScope call("slice", x.origin());
  return Expr(make_node(
      op::slice, {x.value()},
      {Attribute(std::move(start)), Attribute(std::move(count)), Attribute(std::move(step))},
      x.origin()));
}

Expr set_slice(const Arg& x, const Arg& v, Shape start, Shape count, Shape step) {
  const CallScope call("set_slice", x.origin());
  return write_slice(op::set_slice, x, v, std::move(start), std::move(count), std::move(step));
}

Expr inc_slice(const Arg& x, const Arg& v, Shape start, Shape count, Shape step) {
  const CallScope call("inc_slice", x.origin());
  return write_slice(op::inc_slice, x, v, std::move(start), std::move(count), std::move(step));
}

}  // namespace gnomon
