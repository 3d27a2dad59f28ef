// Indexing by integer arrays: reading, replacing and increasing the indexed elements.
#include <fmt/format.h>

#include <array>

#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/index_writes.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// Where the axes of x and of the index arrays stand in the indexed part.
struct PartLayout {
  const IntList& axes;  // indexed, ascending
  std::size_t place;    // of the index arrays' axes in the part
  std::size_t rank;     // of the index arrays
};

PartLayout layout_of(const IntList& axes, std::size_t index_rank) {
  const bool adjacent = axes.back() - axes.front() + 1 == static_cast<std::int64_t>(axes.size());
  return {axes, adjacent ? static_cast<std::size_t>(axes.front()) : 0, index_rank};
}

// The shape of the part: the axes of x that are not indexed around those of the arrays.
Shape part_shape(const Shape& x, const Shape& arrays, const PartLayout& layout) {
  Shape rest;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!contains(layout.axes, static_cast<std::int64_t>(i))) rest.push_back(x[i]);
  }
  rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(layout.place), arrays.begin(),
              arrays.end());
  return rest;
}

// The type of the part of operand 0 that the arrays, operands from `first` on, select.
Type indexed_part_type(TypeContext& context, std::size_t first) {
  const IntList& axes = context.attributes[0].ints();
  const Type& x = context.type(0);
  std::int64_t last = -1;
  for (std::int64_t axis : axes) {
    if (axis <= last || axis >= x.rank()) {
      context.refuse(fmt::format("expected ascending axes of {}, found {}",
                                 describe(context.operands[0]), fmt::join(axes, ", ")));
    }
    last = axis;
  }
  if (axes.empty() || context.operands.size() != first + axes.size()) {
    context.refuse(fmt::format("expected an index for each of {} axes, found {}", axes.size(),
                               context.operands.size() - first));
  }
  const std::span<const Value> arrays = context.operands.subspan(first);
  for (const Value& array : arrays) {
    if (!is_integer(array.dtype())) {
      context.fail(fmt::format("expected integer indices, found {}", describe(array)));
    }
  }
  const Shape shape = broadcast_shapes(context, arrays);
  return {x.dtype, part_shape(x.shape, shape, layout_of(axes, shape.size()))};
}

std::vector<Type> index_type(TypeContext& context) { return {indexed_part_type(context, 1)}; }

}  // namespace

std::vector<Type> written_index_type(TypeContext& context) {
  const Type part = indexed_part_type(context, 2);
  const Type& v = context.type(1);
  if (v.dtype != part.dtype || v.rank() != part.rank()) {
    const std::string text = fmt::format("expected a value of type {}, found {}", part.text(),
                                         describe(context.operands[1]));
    v.dtype != part.dtype ? context.fail(text) : context.refuse(text);
  }
  for (std::size_t i = 0; i < part.shape.size(); ++i) {
    context.equal(v.shape[i], part.shape[i], "extents");
  }
  return {context.type(0)};
}

namespace {

// The position in x of element `index` of the part.
std::vector<Scalar> position_in_x(Element& e, const Node& node, std::size_t first,
                                  std::span<const Scalar> index) {
  const IntList& axes = node.attribute("axes").ints();
  const Shape& x = node.input(0).shape();
  const PartLayout layout = layout_of(axes, index.size() + axes.size() - x.size());
  const std::span<const Scalar> of_arrays = index.subspan(layout.place, layout.rank);
  std::vector<Scalar> rest(index.begin(), index.end());
  const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(layout.place);
  rest.erase(begin, begin + static_cast<std::ptrdiff_t>(layout.rank));

  std::vector<Scalar> position;
  std::size_t array = first, other = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!contains(axes, static_cast<std::int64_t>(i))) {
      position.push_back(rest[other++]);
      continue;
    }
    const Value& operand = node.input(array);
    const Scalar value = e.operand(array, broadcast_index(e, operand.shape(), of_arrays));
    const Scalar wide = operand.dtype() == DType::int64 ? value : e.cast(value, DType::int64);
    position.push_back(e.checked_index(wide, e.extent(x[i])));
    ++array;
  }
  return position;
}

Scalar index_element(Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
  return e.operand(0, position_in_x(e, node, 1, index));
}

}  // namespace

std::vector<Scalar> written_index_position(Element& e, const Node& node, int,
                                           std::span<const Scalar> index) {
  return position_in_x(e, node, 2, index);
}

std::vector<Expr> arrays_of(const std::vector<Expr>& x, std::size_t first) {
  return {x.begin() + static_cast<std::ptrdiff_t>(first), x.end()};
}

namespace {

Exprs index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (v.dy[0].defined()) {
    dx[0] =
        inc_index(zeros_like(v.x[0]), v.dy[0], v.node.attribute("axes").ints(), arrays_of(v.x, 1));
  }
  return dx;
}

Exprs index_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {index(v.dx[0], v.node.attribute("axes").ints(), arrays_of(v.x, 1))};
}

// Of elements written more than once only the last one counts: each position of x remembers which
// element of v it holds.
Expr is_kept(const Node& node, const std::vector<Expr>& x) {
  const IntList& axes = node.attribute("axes").ints();
  const std::vector<Expr> arrays = arrays_of(x, 2);
  const Expr& v = x[1];
  const Expr number = reshape(arange(element_count(v.shape())), v.shape());
  const Expr nothing = full(x[0].shape(), constant(std::int64_t{-1}, DType::int64));
  return equal(index(set_index(nothing, number, axes, arrays), axes, arrays), number);
}

Exprs set_index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  const IntList& axes = v.node.attribute("axes").ints();
  const std::vector<Expr> arrays = arrays_of(v.x, 2);
  dx[0] = set_index(v.dy[0], zeros_like(v.x[1]), axes, arrays);
  dx[1] = where(is_kept(v.node, v.x), index(v.dy[0], axes, arrays), 0);
  return dx;
}

Exprs inc_index_vjp(const Vjp& v) {
  Exprs dx(v.x.size());
  if (!v.dy[0].defined()) return dx;
  dx[0] = v.dy[0];
  dx[1] = index(v.dy[0], v.node.attribute("axes").ints(), arrays_of(v.x, 2));
  return dx;
}

// Both writes are linear in x and v together.
Exprs written_index_jvp(const Jvp& v) {
  if (!v.dx[0].defined() && !v.dx[1].defined()) return {Expr()};
  std::vector<Value> operands = {or_zeros(v.dx[0], v.x[0]), or_zeros(v.dx[1], v.x[1])};
  for (const Expr& array : arrays_of(v.x, 2)) operands.push_back(array.value());
  return {Expr(make_node(v.node.op(), std::move(operands), v.node.attributes()))};
}

// An indexing of x for a batch: the arrays, with one for the axis of examples if they differ
// between examples, and where the axis of examples then stands in the part.
struct BatchedIndex {
  IntList axes;
  std::vector<Expr> arrays;
  // The part's axes in the order that puts the axis of examples first and leaves the others.
  IntList order;

  BatchedIndex(const Batched& b, std::size_t first) {
    const IntList& own = b.attributes[0].ints();
    const Shape& part = b.node.op().write ? b.node.input(1).shape() : b.node.type().shape;
    const std::size_t rank = part.size() + own.size() - b.node.input(0).shape().size();
    const PartLayout layout = layout_of(own, rank);
    bool differ = false, moved = b.batched[0] || b.node.op().write;
    for (std::size_t k = first; k < b.x.size(); ++k) differ = differ || b.batched[k];
    for (std::size_t k = first; k < b.x.size(); ++k) {
      Expr array = b.x[k];
      if (b.batched[k])
        while (array.shape().size() <= rank) array = expand_dims(array, 1);
      arrays.push_back(array);
    }
    for (const std::int64_t axis : own) axes.push_back(moved ? axis + 1 : axis);
    std::size_t place = layout.place, width = rank;  // of the arrays' axes in the new part
    std::size_t examples = 0;
    if (differ && moved) {
      Shape along(rank + 1, Dim(1));
      along[0] = b.size;
      axes.insert(axes.begin(), 0);
      arrays.insert(arrays.begin(), reshape(arange(b.size), along));
      // These axes are adjacent only if they come first anyway.
      place = 0, width = rank + 1;
    } else if (differ) {
      examples = place, width = rank + 1;
    } else {
      const bool is_first = layout_of(axes, rank).place == 0;
      place = is_first ? 0 : layout.place + 1;
      examples = is_first ? rank : 0;
    }
    // Axes of the new part in the order of the old part's.
    IntList arrays_axes, others;
    for (std::size_t i = 0; i < part.size() + 1; ++i) {
      if (i == examples) continue;
      const bool of_arrays = i >= place && i < place + width;
      (of_arrays ? arrays_axes : others).push_back(static_cast<std::int64_t>(i));
    }
    order = others;
    order.insert(order.begin() + static_cast<std::ptrdiff_t>(layout.place), arrays_axes.begin(),
                 arrays_axes.end());
    order.insert(order.begin(), static_cast<std::int64_t>(examples));
  }

  IntList inverse() const {
    IntList list(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      list[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    return list;
  }
};

Exprs index_batch(const Batched& b) {
  const BatchedIndex at(b, 1);
  return {transpose(index(b.x[0], at.axes, at.arrays), at.order)};
}

}  // namespace

Exprs written_index_batch(const Batched& b) {
  const BatchedIndex at(b, 2);
  std::vector<Expr> operands{leading(b, 0), transpose(leading(b, 1), at.inverse())};
  operands.insert(operands.end(), at.arrays.begin(), at.arrays.end());
  return outputs_of(b.node.op(), operands, {Attribute(at.axes)});
}

Expr write_index(const Op& op, const Arg& x, const Arg& v, IntList axes,
                 std::span<const Expr> indices) {
  const Expr base(x.value());
  const Shape part = index(base, axes, indices).shape();
  const Expr value = broadcast_to(cast(Expr(v.as(base.dtype())), base.dtype()), part);
  std::vector<Value> operands = {base.value(), value.value()};
  for (const Expr& i : indices) operands.push_back(i.value());
  return Expr(make_node(op, std::move(operands), {Attribute(std::move(axes))}, x.origin()));
}

namespace {

// --------------------------------------------------------------------------------------- indicator

std::vector<Type> indicator_type(TypeContext& context) {
  const Type& t = context.type(0);
  if (t.rank() != 1 || !is_integer(t.dtype)) {
    const std::string text =
        fmt::format("expected a vector of integers, found {}", describe(context.operands[0]));
    is_integer(context.type(0).dtype) ? context.refuse(text) : context.fail(text);
  }
  const Shape& shape = context.attributes[0].dims();
  if (shape.size() != 2)
    context.fail(
        fmt::format("expected a number of rows and one of columns, found {}", text(shape)));
  require_extents(context, shape);
  return {{DType::bool_, shape}};
}

// Rows beyond the indices load index 0, which always exists, and compare it with nothing.
Scalar indicator_element(Element& e, const Node& node, std::uint32_t,
                         std::span<const Scalar> index) {
  const Dim& count = node.input(0).shape()[0];
  const Shape& shape = node.attribute("shape").dims();
  const bool all_rows = count == shape[0];
  const Scalar inside = all_rows ? Scalar{} : e.less(index[0], e.extent(count));
  const Scalar row = all_rows ? index[0] : e.select(inside, index[0], e.integer(0));
  Scalar column = e.cast(e.operand(0, std::array{row}), DType::int64);
  if (!all_rows) column = e.select(inside, column, e.integer(0));
  column = e.checked_index(column, e.extent(max(shape[1], 1)));
  const Scalar hit = e.equal(column, index[1]);
  return all_rows ? hit : e.let(op::logical_and, std::array{inside, hit});
}

Exprs indicator_batch(const Batched& b) {
  const Shape& shape = b.attributes[0].dims();
  const Dim &count = b.x[0].shape()[1], rows = shape[0], columns = shape[1];
  const Expr nothing = full({b.size, rows, columns}, constant(std::int64_t{0}, DType::bool_));
  const std::vector<Expr> at{reshape(arange(b.size), {b.size, 1}),
                             reshape(arange(count), {1, count}), b.x[0]};
  return {set_index(nothing, constant(std::int64_t{1}, DType::bool_), {0, 1, 2}, at)};
}

}  // namespace

constinit const Op op::indicator{
    .name = "indicator",
    .doc = "True at (i, indices[i]), false elsewhere, in a matrix of the given shape.",
    .attributes = {{"shape", Attribute::Kind::dim_list}},
    .type = indicator_type,
    .traits = {Trait::never_fold},
    .element = indicator_element,
    .positions = 0,
    .batch = indicator_batch};

Expr indicator(const Arg& indices, const Dim& rows, const Dim& columns) {
  const CallScope call("indicator", indices.origin());
  return Expr(make_node(op::indicator, {indices.value()}, {Attribute(Shape{rows, columns})},
                        indices.origin()));
}

constinit const Op op::index{
    .name = "index",
    .doc =
        "Elements of x at integer indices on some axes. The indices broadcast together; their "
        "axes stand where the indexed ones were if those are adjacent, else first.",
    .operands = -1,
    .at_least = 2,
    .attributes = index_specs,
    .type = index_type,
    .element = index_element,
    .positions = 1,
    .vjp = index_vjp,
    .jvp = index_jvp,
    .batch = index_batch};

constinit const Op op::set_index{
    .name = "set_index",
    .doc =
        "x with the elements at integer indices replaced by v; of duplicates the last one stays.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = written_index_type,
    .write = {.base = 0, .first = 1, .position = written_index_position},
    .positions = 2,
    .vjp = set_index_vjp,
    .jvp = written_index_jvp,
    .batch = written_index_batch};

constinit const Op op::inc_index{
    .name = "inc_index",
    .doc = "x with the elements at integer indices increased by v; duplicates add up, in order.",
    .operands = -1,
    .at_least = 3,
    .attributes = index_specs,
    .type = written_index_type,
    .write = {.base = 0, .first = 1, .combine = &op::add, .position = written_index_position},
    .positions = 2,
    .vjp = inc_index_vjp,
    .jvp = written_index_jvp,
    .batch = written_index_batch};

Expr index(const Arg& x, IntList axes, std::span<const Expr> indices) {
  const CallScope call("index", x.origin());
  std::vector<Value> operands = {x.value()};
  for (const Expr& i : indices) operands.push_back(i.value());
  return Expr(make_node(op::index, std::move(operands), {Attribute(std::move(axes))}, x.origin()));
}

Expr set_index(const Arg& x, const Arg& v, IntList axes, std::span<const Expr> indices) {
  const CallScope call("set_index", x.origin());
  return write_index(op::set_index, x, v, std::move(axes), indices);
}

Expr inc_index(const Arg& x, const Arg& v, IntList axes, std::span<const Expr> indices) {
  const CallScope call("inc_index", x.origin());
  return write_index(op::inc_index, x, v, std::move(axes), indices);
}

Expr take(const Arg& x, const Arg& indices, std::int64_t axis) {
  const CallScope call("take", x.origin());
  const Expr value(x.value());
  const Expr list[] = {Expr(indices.as(DType::int64))};
  return index(x, {normalize_axis(axis, value.rank(), "take")}, list);
}

}  // namespace gnomon
