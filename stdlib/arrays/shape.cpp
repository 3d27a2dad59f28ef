// Ops that only move elements: reshape, transpose, axes of extent 1, broadcasts, concatenation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ir/dimension/dimension_sum.h"
#include "ir/dimension/stretch.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::size_t at(std::int64_t axis) { return static_cast<std::size_t>(axis); }

// ----------------------------------------------------------------------------------------- reshape

std::vector<Type> reshape_type(TypeContext& context) {
  const Shape& shape = context.attributes[0].dims();
  require_extents(context, shape);
  const Dim from = element_count(context.type(0).shape), to = element_count(shape);
  if (from.is_constant() && to.is_constant() && !(from == to)) {
    context.refuse(fmt::format("expected {} elements for {}, found {} in {}", to.text(),
                               text(shape), from.text(), describe(context.operands[0])));
  }
  context.equal(from, to, "numbers of elements");
  return {Type{context.type(0).dtype, shape}};
}

// Axes [from, to) of the operand hold the same elements as axes [result_from, result_to).
struct Group {
  std::size_t from, to, result_from, result_to;
};

// Cuts both shapes wherever their leading products agree, into the smallest groups.
std::vector<Group> common_groups(const Shape& from, const Shape& to) {
  std::vector<Group> groups;
  std::size_t i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    Group best{i, from.size(), j, to.size()};
    bool found = false;
    Dim left = 1;
    for (std::size_t p = i; p < from.size() && !found; ++p) {
      left = left * from[p];
      Dim right = 1;
      for (std::size_t q = j; q < to.size() && !found; ++q) {
        right = right * to[q];
        if (left == right) {
          best = {i, p + 1, j, q + 1};
          found = true;
        }
      }
    }
    groups.push_back(best);
    i = best.to;
    j = best.result_to;
  }
  return groups;
}

// Position in the result's axes of a group, row-major.
Scalar linear_position(Element& e, const Shape& shape, const Group& g,
                       std::span<const Scalar> index) {
  Scalar position;
  for (std::size_t q = g.result_from; q < g.result_to; ++q) {
    if (shape[q].is(1)) continue;
    position = position ? e.add(e.multiply(position, e.extent(shape[q])), index[q]) : index[q];
  }
  return position ? position : e.integer(0);
}

// Splits a row-major position into the operand's axes of a group.
void split_position(Element& e, const Shape& shape, const Group& g, Scalar position,
                    std::vector<Scalar>& index) {
  std::size_t first = g.from;
  while (first < g.to && shape[first].is(1)) ++first;
  for (std::size_t p = g.to; p-- > g.from;) {
    if (shape[p].is(1)) {
      index[p] = e.integer(0);
    } else if (p == first) {
      index[p] = position;
    } else {
      const Scalar n = e.extent(shape[p]);
      index[p] = e.mod(position, n);
      position = e.floor_div(position, n);
    }
  }
}

Scalar reshape_element(Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
  const Shape &from = node.input(0).shape(), &to = node.type().shape;
  std::vector<Scalar> source(from.size());
  for (const Group& g : common_groups(from, to)) {
    split_position(e, from, g, linear_position(e, to, g, index), source);
  }
  return e.operand(0, source);
}

Exprs reshape_batch(const Batched& b) {
  Shape shape = b.attributes[0].dims();
  shape.insert(shape.begin(), b.size);
  return {reshape(b.x[0], shape)};
}

Expr reshape_transpose(const Transpose& t) { return reshape(t.dy, t.node.input(0).shape()); }

// --------------------------------------------------------------------------------------- transpose

std::vector<Type> transpose_type(TypeContext& context) {
  const IntList& axes = context.attributes[0].ints();
  const Type& x = context.type(0);
  IntList sorted = axes;
  std::sort(sorted.begin(), sorted.end());
  IntList all(x.shape.size());
  std::iota(all.begin(), all.end(), 0);
  if (sorted != all) {
    context.refuse(fmt::format("expected a permutation of the axes of {}, found {}",
                               describe(context.operands[0]), fmt::join(axes, ", ")));
  }
  Type result{x.dtype, {}};
  for (std::int64_t axis : axes) result.shape.push_back(x.shape[at(axis)]);
  return {result};
}

Scalar transpose_element(Element& e, const Node& node, std::uint32_t,
                         std::span<const Scalar> index) {
  const IntList& axes = node.attribute("axes").ints();
  std::vector<Scalar> source(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) source[at(axes[i])] = index[i];
  return e.operand(0, source);
}

Exprs transpose_batch(const Batched& b) {
  IntList axes = b.attributes[0].ints();
  for (std::int64_t& axis : axes) ++axis;
  axes.insert(axes.begin(), 0);
  return {transpose(b.x[0], axes)};
}

Expr transpose_transpose(const Transpose& t) {
  const IntList& axes = t.node.attribute("axes").ints();
  IntList inverse(axes.size());
  for (std::size_t i = 0; i < axes.size(); ++i) inverse[at(axes[i])] = static_cast<int>(i);
  return transpose(t.dy, inverse);
}

// ---------------------------------------------------------------------------- expand_dims, squeeze

// The axes of a result (expand_dims) or operand (squeeze) that have extent 1, ascending.
void check_axes(TypeContext& context, std::size_t rank) {
  std::int64_t last = -1;
  for (std::int64_t axis : context.attributes[0].ints()) {
    if (axis <= last || at(axis) >= rank) {
      context.refuse(fmt::format("expected ascending axes below {}, found {}", rank,
                                 fmt::join(context.attributes[0].ints(), ", ")));
    }
    last = axis;
  }
}

std::vector<Type> expand_dims_type(TypeContext& context) {
  const IntList& axes = context.attributes[0].ints();
  const Type& x = context.type(0);
  const std::size_t rank = x.shape.size() + axes.size();
  check_axes(context, rank);
  Type result{x.dtype, {}};
  std::size_t next = 0;
  for (std::size_t i = 0; i < rank; ++i) {
    const bool is_new = contains(axes, static_cast<std::int64_t>(i));
    result.shape.push_back(is_new ? Dim(1) : x.shape[next++]);
  }
  return {result};
}

Scalar expand_dims_element(Element& e, const Node& node, std::uint32_t,
                           std::span<const Scalar> index) {
  const IntList& axes = node.attribute("axes").ints();
  std::vector<Scalar> source;
  for (std::size_t i = 0; i < index.size(); ++i) {
    if (!contains(axes, static_cast<std::int64_t>(i))) source.push_back(index[i]);
  }
  return e.operand(0, source);
}

std::vector<Type> squeeze_type(TypeContext& context) {
  const IntList& axes = context.attributes[0].ints();
  const Type& x = context.type(0);
  check_axes(context, x.shape.size());
  Type result{x.dtype, {}};
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    if (!contains(axes, static_cast<std::int64_t>(i))) {
      result.shape.push_back(x.shape[i]);
      continue;
    }
    if (x.shape[i].is_constant() && !x.shape[i].is(1)) {
      context.refuse(
          fmt::format("expected extent 1 on axis {}, found {}", i, describe(context.operands[0])));
    }
    context.equal(x.shape[i], 1, "extents");
  }
  return {result};
}

Scalar squeeze_element(Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
  const IntList& axes = node.attribute("axes").ints();
  std::vector<Scalar> source;
  std::size_t next = 0;
  for (std::size_t i = 0; i < node.input(0).shape().size(); ++i) {
    const bool is_gone = contains(axes, static_cast<std::int64_t>(i));
    source.push_back(is_gone ? e.integer(0) : index[next++]);
  }
  return e.operand(0, source);
}

// A symbolic extent comes back by its name, not as the 1 that it equals.
Expr squeeze_transpose(const Transpose& t) {
  Expr dx = t.dy;
  for (std::int64_t axis : t.node.attribute("axes").ints()) dx = expand_dims(dx, axis);
  return reshape(dx, t.node.input(0).shape());
}

// ------------------------------------------------------------------------------------ broadcast_to

std::vector<Type> broadcast_to_type(TypeContext& context) {
  const Shape& from = context.type(0).shape;
  Shape shape = context.attributes[0].dims();
  require_extents(context, shape);
  if (from.size() > shape.size()) {
    context.refuse(fmt::format("expected at most {} axes for {}, found {}", shape.size(),
                               text(shape), describe(context.operands[0])));
  }
  for (const Dim& d : shape) {
    if (d.is_constant() && d.constant() < 0)
      context.refuse(fmt::format("expected extents of at least 0, found {}", text(shape)));
    if (!d.is_constant() && !is_non_negative(d))
      context.require(min(d, 0), 0, fmt::format("expected {} to be at least 0", d.text()));
  }
  const std::size_t added = shape.size() - from.size();
  for (std::size_t i = 0; i < from.size(); ++i) {
    const Dim& wanted = shape[added + i];
    if (from[i].is(1)) continue;
    if (from[i].is_constant() && wanted.is_constant() && !(from[i] == wanted)) {
      context.refuse(fmt::format("expected an operand that stretches to {}, found {}", text(shape),
                                 describe(context.operands[0])));
    }
    ask_to_stretch(from[i], wanted);
    context.equal(from[i], wanted, "extents");
  }
  return {Type{context.type(0).dtype, std::move(shape)}};
}

Scalar broadcast_to_element(Element& e, const Node& node, std::uint32_t,
                            std::span<const Scalar> index) {
  return e.operand(0, broadcast_index(e, node.input(0).shape(), index));
}

Exprs broadcast_to_batch(const Batched& b) {
  Shape shape = b.attributes[0].dims();
  Expr x = b.x[0];
  while (x.shape().size() <= shape.size()) x = expand_dims(x, 1);
  shape.insert(shape.begin(), b.size);
  return {broadcast_to(x, shape)};
}

Expr broadcast_to_transpose(const Transpose& t) {
  const Shape &from = t.node.input(0).shape(), &to = t.node.type().shape;
  const std::size_t added = to.size() - from.size();
  IntList new_axes, stretched;
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto axis = static_cast<std::int64_t>(i);
    if (i < added) {
      new_axes.push_back(axis);
    } else if (from[i - added].is(1) && !to[i].is(1)) {
      stretched.push_back(axis);
    }
  }
  Expr dx = t.dy;
  if (!stretched.empty()) dx = sum(dx, Axes(stretched), keepdims);
  if (!new_axes.empty()) dx = sum(dx, Axes(new_axes));
  return dx;
}

// ------------------------------------------------------------------------------------- concatenate

std::vector<Type> concatenate_type(TypeContext& context) {
  const std::int64_t axis = context.attributes[0].integer();
  const Type& first = context.type(0);
  if (axis < 0 || axis >= first.rank()) {
    context.refuse(
        fmt::format("expected an axis of {}, found {}", describe(context.operands[0]), axis));
  }
  Type result = first;
  std::vector<Dim> along{first.shape[at(axis)]};
  for (std::size_t k = 1; k < context.operands.size(); ++k) {
    const Type& other = context.type(k);
    bool fits = other.dtype == first.dtype && other.rank() == first.rank();
    for (std::size_t i = 0; fits && i < first.shape.size(); ++i) {
      const Dim &a = result.shape[i], &b = other.shape[i];
      fits = i == at(axis) || !a.is_constant() || !b.is_constant() || a == b;
    }
    if (!fits) {
      context.mismatch(
          fmt::format("expected equal dtypes and extents but on axis {}, found {} and {}", axis,
                      describe(context.operands[0]), describe(context.operands[k])));
    }
    for (std::size_t i = 0; i < first.shape.size(); ++i)
      if (i != at(axis))
        result.shape[i] = context.equal(result.shape[i], other.shape[i], "extents");
    along.push_back(other.shape[at(axis)]);
  }
  result.shape[at(axis)] = sum_of(along);
  return {result};
}

// Where operand `k` begins on the axis. Parts are asked for in order: a thread goes on from the one
// before, known by the number of the node, which no other node ever has.
Dim offset_of(const Node& node, std::size_t k) {
  struct Last {
    std::uint64_t node = 0;
    std::size_t k = 0;
    Dim offset;
  };
  static thread_local Last last;
  if (last.node != node.number() || last.k > k) last = {node.number(), 0, 0};
  const std::size_t axis = at(node.attribute("axis").integer());
  bool keeps = true;  // what is remembered holds no node
  for (; last.k < k; ++last.k) {
    const Dim& extent = node.input(last.k).shape()[axis];
    keeps = keeps && !extent.has_values();
    last.offset = last.offset + extent;
  }
  const Dim offset = last.offset;
  if (!keeps) last = {};
  return offset;
}

std::vector<Scalar> concatenate_position(Element& e, const Node& node, int operand,
                                         std::span<const Scalar> index) {
  const std::size_t axis = at(node.attribute("axis").integer());
  std::vector<Scalar> position(index.begin(), index.end());
  const Dim offset = offset_of(node, static_cast<std::size_t>(operand));
  if (!offset.is(0)) position[axis] = e.add(position[axis], e.extent(offset));
  return position;
}

Exprs concatenate_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(v.x.size());
  const std::size_t axis = at(v.node.attribute("axis").integer());
  Exprs dx;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    const Shape& count = v.x[k].shape();
    Shape start(count.size(), Dim(0));
    start[axis] = offset_of(v.node, k);
    dx.push_back(slice(v.dy[0], start, count, Shape(count.size(), Dim(1))));
  }
  return dx;
}

Exprs concatenate_jvp(const Jvp& v) {
  Exprs parts;
  bool any = false;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    any = any || v.dx[k].defined();
    parts.push_back(or_zeros(v.dx[k], v.x[k]));
  }
  if (!any) return {Expr()};
  return {concatenate(parts, v.node.attribute("axis").integer())};
}

// ------------------------------------------------------------------------------------------ arange

std::vector<Type> arange_type(TypeContext& context) {
  const Shape& count = context.attributes[0].dims();
  const DType t = context.attributes[1].dtype();
  if (count.size() != 1 || is_bool(t) || is_complex(t)) {
    context.fail(fmt::format("expected one extent and a dtype of real numbers, found {} and {}",
                             text(count), name_of(t)));
  }
  if (count[0].is_constant() && count[0].constant() < 0) {
    context.refuse(fmt::format("expected an extent, found {}", count[0].text()));
  }
  context.require(min(count[0], 0), 0,
                  fmt::format("expected {} to be at least 0", count[0].text()));
  return {Type{t, count}};
}

Scalar arange_element(Element& e, const Node& node, std::uint32_t, std::span<const Scalar> index) {
  return e.cast(index[0], node.attribute("dtype").dtype());
}

Expr node_of(const Op& op, const Value& x, Attributes attributes, Origin origin) {
  return Expr(make_node(op, {x}, std::move(attributes), origin));
}

}  // namespace

// ----------------------------------------------------------------------------------------- records

constinit const Op op::reshape{.name = "reshape",
                               .doc = "The elements in row-major order under another shape.",
                               .attributes = {{"shape", Attribute::Kind::dim_list}},
                               .type = reshape_type,
                               .element = reshape_element,
                               .linear = 1,
                               .transpose = reshape_transpose,
                               .batch = reshape_batch};

constinit const Op op::transpose{.name = "transpose",
                                 .doc = "Axis i of the result is axis axes[i] of x.",
                                 .attributes = {{"axes", Attribute::Kind::int_list}},
                                 .type = transpose_type,
                                 .element = transpose_element,
                                 .linear = 1,
                                 .transpose = transpose_transpose,
                                 .batch = transpose_batch};

constinit const Op op::expand_dims{
    .name = "expand_dims",
    .doc = "New axes of extent 1 at the given positions of the result.",
    .attributes = {{"axes", Attribute::Kind::int_list}},
    .type = expand_dims_type,
    .element = expand_dims_element,
    .linear = 1,
    .transpose = [](const Transpose& t) {
      return gnomon::squeeze(t.dy, Axes(t.node.attribute("axes").ints()));
    }};

constinit const Op op::squeeze{.name = "squeeze",
                               .doc = "x without the given axes, which have extent 1.",
                               .attributes = {{"axes", Attribute::Kind::int_list}},
                               .type = squeeze_type,
                               .element = squeeze_element,
                               .linear = 1,
                               .transpose = squeeze_transpose};

constinit const Op op::broadcast_to{
    .name = "broadcast_to",
    .doc = "x repeated along new leading axes and along axes of literal extent 1.",
    .attributes = {{"shape", Attribute::Kind::dim_list}},
    .type = broadcast_to_type,
    .traits = {Trait::repeats},
    .element = broadcast_to_element,
    .linear = 1,
    .transpose = broadcast_to_transpose,
    .batch = broadcast_to_batch};

constinit const Op op::concatenate{.name = "concatenate",
                                   .doc = "The operands one after another along an axis.",
                                   .operands = -1,
                                   .at_least = 1,
                                   .attributes = {{"axis", Attribute::Kind::integer}},
                                   .type = concatenate_type,
                                   .write = {.every = true, .position = concatenate_position},
                                   .vjp = concatenate_vjp,
                                   .jvp = concatenate_jvp};

constinit const Op op::arange{
    .name = "arange",
    .doc = "0, 1, ..., count - 1.",
    .operands = 0,
    .attributes = {{"count", Attribute::Kind::dim_list}, {"dtype", Attribute::Kind::dtype}},
    .type = arange_type,
    .element = arange_element};

// --------------------------------------------------------------------------------------- functions

namespace {

// The extent that -1 stands for: what is left of the elements.
Dim remaining_extent(const Dim& count, const Dim& known, const Value& x, const Shape& shape) {
  if (known.is(1)) return count;
  if (known.is_constant() && count.is_constant()) {
    const std::int64_t c = count.constant(), k = known.constant();
    if (k > 0 && c % k == 0) return c / k;
    throw ValueError(fmt::format("reshape: expected a multiple of {} elements for {}, found {}", k,
                                 text(shape), describe(x)));
  }
  return floor_div(count, known);
}

}  // namespace

Expr reshape(const Arg& x, const Shape& shape) {
  const CallScope call("reshape", x.origin());
  const Value value = x.value();
  Shape wanted = shape;
  Dim* open = nullptr;
  Dim known = 1;
  for (Dim& d : wanted) {
    if (!d.is(-1)) {
      known = known * d;
    } else if (open) {
      throw ValueError(fmt::format("reshape: expected one -1 at most, found {}", text(shape)));
    } else {
      open = &d;
    }
  }
  if (open) {
    // Extents that occur in both shapes cancel: what is left is a polynomial when it can be.
    Shape rest = value.shape();
    Shape divisors;
    for (const Dim& d : wanted) {
      if (&d == open) continue;
      const auto same = std::find(rest.begin(), rest.end(), d);
      if (same != rest.end() && !d.is_constant()) {
        rest.erase(same);
      } else {
        divisors.push_back(d);
      }
    }
    *open = remaining_extent(element_count(rest), element_count(divisors), value, shape);
  }
  if (wanted == value.shape()) return Expr(value);
  return node_of(op::reshape, value, {Attribute(std::move(wanted))}, x.origin());
}

Expr transpose(const Arg& x, IntList axes) {
  const CallScope call("transpose", x.origin());
  const Value value = x.value();
  const int rank = value.rank();
  if (axes.empty()) {
    for (int i = rank; i-- > 0;) axes.push_back(i);
  }
  for (std::int64_t& axis : axes) axis = normalize_axis(axis, rank, "transpose");
  IntList unchanged(at(rank));
  std::iota(unchanged.begin(), unchanged.end(), 0);
  if (axes == unchanged) return Expr(value);
  return node_of(op::transpose, value, {Attribute(std::move(axes))}, x.origin());
}

Expr expand_dims(const Arg& x, std::int64_t axis) {
  const CallScope call("expand_dims", x.origin());
  const Value value = x.value();
  const std::int64_t normal = normalize_axis(axis, value.rank() + 1, "expand_dims");
  return node_of(op::expand_dims, value, {Attribute(IntList{normal})}, x.origin());
}

Expr squeeze(const Arg& x, const Axes& axes) {
  const CallScope call("squeeze", x.origin());
  const Value value = x.value();
  IntList list;
  if (axes.all) {
    for (int i = 0; i < value.rank(); ++i) {
      if (value.shape()[at(i)].is(1)) list.push_back(i);
    }
  } else {
    list = normalize_axes(axes.list, value.rank(), "squeeze");
  }
  if (list.empty()) return Expr(value);
  return node_of(op::squeeze, value, {Attribute(std::move(list))}, x.origin());
}

Expr broadcast_to(const Arg& x, const Shape& shape) {
  const CallScope call("broadcast_to", x.origin());
  const Value value = x.value();
  if (value.shape() == shape) return Expr(value);
  return node_of(op::broadcast_to, value, {Attribute(shape)}, x.origin());
}

Expr concatenate(const ExprList& arrays, std::int64_t axis) {
  const CallScope call("concatenate", arrays.origin());
  if (arrays.empty()) throw ValueError("concatenate: expected arrays, found none");
  DType t = arrays[0].dtype();
  for (const Expr& array : arrays) t = promote(t, array.dtype());
  std::vector<Value> parts;
  for (const Expr& array : arrays) parts.push_back(cast(array, t).value());
  const std::int64_t normal = normalize_axis(axis, arrays[0].rank(), "concatenate");
  return Expr(make_node(op::concatenate, std::move(parts), {Attribute(normal)}));
}

Expr extent(const Dim& d) { return Expr(extent_value(d)); }

Expr arange(const Dim& n, DType dtype, Arg::Place at) {
  const CallScope call("arange", Origin{at.file_name(), at.line()});
  return Expr(make_node(op::arange, {}, {Attribute(Shape{n}), Attribute(dtype)}));
}

Expr arange(const Expr& n, DType dtype, Arg::Place at) {
  const CallScope call("arange", Origin{at.file_name(), at.line()});
  if (n.rank() != 0 || !is_integer(n.dtype()))
    throw TypeError(fmt::format("arange: expected an integer scalar, found {}", describe(n)));
  return arange(Dim::value(cast(n, DType::int64)), dtype);
}

}  // namespace gnomon
