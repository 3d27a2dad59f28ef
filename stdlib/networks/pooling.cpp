// Pooling: the largest element or the sum of each window on the last axes, and what derivatives
// need of it. Each is a rule for one element over the positions of a window, so it fuses.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/windows.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs window_specs{{"size", Attribute::Kind::int_list},
                                      {"stride", Attribute::Kind::int_list},
                                      {"padding", Attribute::Kind::int_list}};
constexpr AttributeSpecs gradient_specs{{"size", Attribute::Kind::int_list},
                                        {"stride", Attribute::Kind::int_list},
                                        {"padding", Attribute::Kind::int_list},
                                        {"extents", Attribute::Kind::dim_list}};

constexpr std::int64_t most_elements = 256;  // of a window, which a kernel writes out

struct PoolLayout {
  const IntList &size, &stride, &padding;
  explicit PoolLayout(const Attributes& a)
      : size(a[0].ints()), stride(a[1].ints()), padding(a[2].ints()) {}
  explicit PoolLayout(const Node& node) : PoolLayout(node.attributes()) {}
  std::size_t axes() const { return size.size(); }
};

PoolLayout checked_pool_layout(const TypeContext& context) {
  const PoolLayout layout(context.attributes);
  const std::size_t axes = layout.axes();
  if (axes == 0 || static_cast<int>(axes) > context.type(0).rank())
    context.refuse(fmt::format("expected windows over 1 to {} axes of {}, found {}",
                               context.type(0).rank(), describe(context.operands[0]), axes));
  check_positive(context, "size", layout.size, axes);
  check_positive(context, "stride", layout.stride, axes);
  check_padding(context, layout.padding, axes);
  std::int64_t count = 1;
  for (std::size_t i = 0; i < axes; ++i) {
    count = std::min(count * std::min(layout.size[i], most_elements + 1), most_elements + 1);
    if (std::max(layout.padding[2 * i], layout.padding[2 * i + 1]) >= layout.size[i])
      context.refuse(fmt::format("expected padding below the window's size {}, found ({})",
                                 layout.size[i], fmt::join(layout.padding, ", ")));
  }
  if (count > most_elements)
    context.refuse(fmt::format("expected windows of at most {} elements, found size ({})",
                               most_elements, fmt::join(layout.size, ", ")));
  return layout;
}

// The shape of one value a window, for images of `shape`.
Shape pooled_shape(const TypeContext& context, const PoolLayout& layout, const Shape& shape) {
  Shape pooled = shape;
  const std::size_t first = shape.size() - layout.axes();
  for (std::size_t i = 0; i < layout.axes(); ++i)
    pooled[first + i] = windows_along(context, shape[first + i], layout.size[i], layout.stride[i],
                                      layout.padding[2 * i], layout.padding[2 * i + 1]);
  return pooled;
}

std::vector<Type> pool_type(TypeContext& context) {
  const Type& x = context.type(0);
  if (is_bool(x.dtype))
    context.fail(fmt::format("expected numbers, found {}", describe(context.operands[0])));
  return {Type{x.dtype, pooled_shape(context, checked_pool_layout(context), x.shape)}};
}

void check_alike(TypeContext& context, const Shape& found, const Shape& wanted,
                 std::string_view what) {
  const bool fits = context.type(0).dtype == context.type(1).dtype && found.size() == wanted.size();
  if (!fits)
    context.mismatch(fmt::format("expected operands of one dtype and rank, found {} and {}",
                                 describe(context.operands[0]), describe(context.operands[1])));
  for (std::size_t i = 0; i < wanted.size(); ++i) context.equal(found[i], wanted[i], what);
}

// x and an array of its shape -> one value a window.
std::vector<Type> tangent_type(TypeContext& context) {
  std::vector<Type> types = pool_type(context);
  check_alike(context, context.type(1).shape, context.type(0).shape, "extents");
  return types;
}

// x and one value a window -> the type of x.
std::vector<Type> max_gradient_type(TypeContext& context) {
  const Type x = context.type(0);
  check_alike(context, context.type(1).shape, pool_type(context)[0].shape, "extents");
  return {x};
}

// One value a window -> images of the spatial extents.
std::vector<Type> sum_gradient_type(TypeContext& context) {
  const PoolLayout layout = checked_pool_layout(context);
  Type type = context.type(0);
  if (is_bool(type.dtype))
    context.fail(fmt::format("expected numbers, found {}", describe(context.operands[0])));
  const Shape& extents = context.attributes[3].dims();
  if (extents.size() != layout.axes())
    context.refuse(fmt::format("expected {} extents, found {}", layout.axes(), extents.size()));
  require_extents(context, extents);
  std::ranges::copy(extents, type.shape.end() - static_cast<std::ptrdiff_t>(extents.size()));
  const Shape pooled = pooled_shape(context, layout, type.shape);
  for (std::size_t i = 0; i < pooled.size(); ++i)
    context.equal(context.type(0).shape[i], pooled[i], "extents of the windows");
  return {type};
}

// ------------------------------------------------------------------------------- element rules

using Indices = std::vector<Scalar>;

// Calls `visit` with each position of a window, in row-major order.
void for_each_position(const IntList& size, const std::function<void(const IntList&)>& visit) {
  IntList position(size.size(), 0);
  while (true) {
    visit(position);
    std::size_t axis = size.size();
    while (axis-- > 0) {
      if (++position[axis] < size[axis]) break;
      position[axis] = 0;
    }
    if (axis == static_cast<std::size_t>(-1)) return;
  }
}

Scalar both(Element& e, Scalar a, Scalar b) {
  if (!a || !b) return a ? a : b;
  return e.let(op::logical_and, std::array{a, b});
}
Scalar either(Element& e, Scalar a, Scalar b) { return e.let(op::logical_or, std::array{a, b}); }
Scalar negated(Element& e, Scalar a) { return e.let(op::logical_not, std::array{a}); }

// Where an access may lie outside the image: a condition, null when it never does, and an index
// that is safe to load.
struct Place {
  Indices index;
  Scalar inside;
};

// Keeps `at` in [0, extent) when it can leave it on the sides named.
void keep_inside(Element& e, Place& place, Scalar at, const Dim& extent, bool may_be_below,
                 bool may_be_beyond) {
  const Scalar zero = e.integer(0);
  if (may_be_below) {
    const Scalar below = e.less(at, zero);
    place.inside = both(e, place.inside, negated(e, below));
    at = e.select(below, zero, at);
  }
  if (may_be_beyond) {
    const Scalar last = e.subtract(e.extent(extent), e.integer(1));
    const Scalar beyond = e.less(last, at);
    place.inside = both(e, place.inside, negated(e, beyond));
    at = e.select(beyond, last, at);
  }
  place.index.push_back(at);
}

// Position `position` of the window at `window`, which has an index for each axis of the result.
Place place_in_image(Element& e, const PoolLayout& layout, const Shape& image,
                     std::span<const Scalar> window, const IntList& position) {
  const std::size_t first = image.size() - layout.axes();
  Place place{{window.begin(), window.begin() + static_cast<std::ptrdiff_t>(first)}, {}};
  for (std::size_t i = 0; i < layout.axes(); ++i) {
    const std::int64_t before = layout.padding[2 * i], behind = layout.padding[2 * i + 1];
    const Scalar start = e.multiply(window[first + i], e.integer(layout.stride[i]));
    const Scalar at = e.add(start, e.integer(position[i] - before));
    keep_inside(e, place, at, image[first + i], position[i] < before,
                position[i] >= layout.size[i] - behind);
  }
  return place;
}

// How many windows along an axis an element may lie in.
IntList covering(const PoolLayout& layout) {
  IntList counts;
  for (std::size_t i = 0; i < layout.axes(); ++i)
    counts.push_back((layout.size[i] - 1) / layout.stride[i] + 1);
  return counts;
}

// The `steps`-last window that begins at or before an element: which one, and where in it the
// element stands.
struct Cover {
  Place window;
  Indices position;
};

Cover window_over(Element& e, const PoolLayout& layout, const Shape& pooled,
                  std::span<const Scalar> element, const IntList& steps) {
  const std::size_t first = pooled.size() - layout.axes();
  Cover cover{{{element.begin(), element.begin() + static_cast<std::ptrdiff_t>(first)}, {}}, {}};
  for (std::size_t i = 0; i < layout.axes(); ++i) {
    const Scalar stride = e.integer(layout.stride[i]);
    const Scalar at = e.add(element[first + i], e.integer(layout.padding[2 * i]));
    const Scalar back = e.integer(steps[i]);
    const Scalar window = e.subtract(e.floor_div(at, stride), back);
    const Scalar position = e.add(e.mod(at, stride), e.multiply(back, stride));
    // Windows before the last one may end before the element.
    if ((steps[i] + 1) * layout.stride[i] > layout.size[i])
      cover.window.inside =
          both(e, cover.window.inside, e.less(position, e.integer(layout.size[i])));
    keep_inside(e, cover.window, window, pooled[first + i], steps[i] > 0, true);
    cover.position.push_back(position);
  }
  return cover;
}

Scalar number(Element& e, DType t, double v) {
  Cell cell{};
  cell.u = 0;
  if (t == DType::float32) {
    cell.f32 = static_cast<float>(v);
  } else if (t == DType::float64) {
    cell.f64 = v;
  }
  return e.constant(t, cell);
}

// Whether a beats b in the search for the first largest: it is larger, or the first NaN.
Scalar beats(Element& e, Scalar a, Scalar b, DType t) {
  const Scalar larger = e.let(op::greater, std::array{a, b});
  if (!is_float(t)) return larger;
  const Scalar first_nan =
      both(e, e.let(op::isnan, std::array{a}), negated(e, e.let(op::isnan, std::array{b})));
  return either(e, larger, first_nan);
}

// The largest element of each window, or of operand 1 the element where it is.
Scalar largest_in_window(Element& e, const Node& node, std::span<const Scalar> index,
                         bool tangent) {
  const PoolLayout layout(node);
  const Type& type = node.input(0).type();
  Scalar best, result;
  for_each_position(layout.size, [&](const IntList& position) {
    const Place place = place_in_image(e, layout, type.shape, index, position);
    const Scalar x = e.operand(0, place.index);
    const Scalar value = tangent ? e.operand(1, place.index) : x;
    if (!best) {
      // If this one is outside, its index is that of an element of the window all the same.
      best = x, result = value;
      return;
    }
    if (!tangent && !place.inside) {
      best = result = e.let(op::maximum, std::array{best, x});
      return;
    }
    const Scalar wins = both(e, beats(e, x, best, type.dtype), place.inside);
    best = e.select(wins, x, best);
    result = tangent ? e.select(wins, value, result) : best;
  });
  return result;
}

Scalar max_pool_element(Element& e, const Node& node, std::uint32_t,
                        std::span<const Scalar> index) {
  return largest_in_window(e, node, index, false);
}

Scalar max_pool_tangent_element(Element& e, const Node& node, std::uint32_t,
                                std::span<const Scalar> index) {
  return largest_in_window(e, node, index, true);
}

Scalar plus(Element& e, Scalar total, Scalar term) {
  return total ? e.let(op::add, std::array{total, term}) : term;
}

// Sums, over the windows that hold an element, what each passes on to it.
Scalar max_pool_gradient_element(Element& e, const Node& node, std::uint32_t,
                                 std::span<const Scalar> index) {
  const PoolLayout layout(node);
  const Type &type = node.input(0).type(), &pooled = node.input(1).type();
  const Scalar own = e.operand(0, index), zero = number(e, type.dtype, 0);
  Scalar total;
  for_each_position(covering(layout), [&](const IntList& steps) {
    const Cover cover = window_over(e, layout, pooled.shape, index, steps);
    Scalar wins = cover.window.inside;
    for_each_position(layout.size, [&](const IntList& position) {
      // Whether `position` comes before the element in the window, or is the element.
      Scalar before, same;
      for (std::size_t i = layout.axes(); i-- > 0;) {
        const Scalar at = e.integer(position[i]);
        const Scalar less = e.less(at, cover.position[i]);
        const Scalar equal = e.equal(at, cover.position[i]);
        before = before ? either(e, less, both(e, equal, before)) : less;
        same = both(e, same, equal);
      }
      const Place place = place_in_image(e, layout, type.shape, cover.window.index, position);
      const Scalar x = e.operand(0, place.index);
      const Scalar loses = either(
          e, same,
          e.select(before, beats(e, own, x, type.dtype), negated(e, beats(e, x, own, type.dtype))));
      const Scalar fine = place.inside ? either(e, loses, negated(e, place.inside)) : loses;
      wins = both(e, wins, fine);
    });
    const Scalar dy = e.operand(1, cover.window.index);
    total = plus(e, total, e.select(wins, dy, zero));
  });
  return total;
}

Scalar sum_pool_element(Element& e, const Node& node, std::uint32_t,
                        std::span<const Scalar> index) {
  const PoolLayout layout(node);
  const Type& type = node.input(0).type();
  Scalar total;
  for_each_position(layout.size, [&](const IntList& position) {
    const Place place = place_in_image(e, layout, type.shape, index, position);
    Scalar x = e.operand(0, place.index);
    if (place.inside) x = e.select(place.inside, x, number(e, type.dtype, 0));
    total = plus(e, total, x);
  });
  return total;
}

Scalar sum_pool_gradient_element(Element& e, const Node& node, std::uint32_t,
                                 std::span<const Scalar> index) {
  const PoolLayout layout(node);
  const Type& pooled = node.input(0).type();
  Scalar total;
  for_each_position(covering(layout), [&](const IntList& steps) {
    const Cover cover = window_over(e, layout, pooled.shape, index, steps);
    const Scalar dy = e.operand(0, cover.window.index);
    total = plus(e, total, e.select(cover.window.inside, dy, number(e, pooled.dtype, 0)));
  });
  return total;
}

// --------------------------------------------------------------------------------- derivatives

Expr node_like(const Op& op, const Node& like, std::vector<Value> operands) {
  return Expr(make_node(op, std::move(operands), like.attributes()));
}

// Whether windows neither overlap nor leave gaps.
bool touches(const PoolLayout& layout) {
  return layout.stride == layout.size &&
         std::ranges::all_of(layout.padding, [](std::int64_t n) { return n == 0; });
}

// Windows that touch, made of their elements; zeros behind the last ones.
Expr from_windows(const PoolLayout& layout, const Exprs& elements, const Shape& image) {
  const Expr made = interleave(elements, layout.size);
  if (made.shape() == image) return made;
  const Expr zeros = full(image, constant(0.0, made.dtype()));
  return set_slice(zeros, made, Shape(image.size(), Dim(0)), made.shape(),
                   Shape(image.size(), Dim(1)));
}

// For windows that touch: where each has its first largest element gets what the window is given.
Expr given_to_largest(const PoolLayout& layout, const Expr& x, const Expr& given) {
  Exprs beats, elements;
  Expr best;
  for_each_position(layout.size, [&](const IntList& position) {
    const Expr each = spaced_elements(x, position, layout.stride, given.shape());
    if (!best.defined()) {
      best = each;
      beats.emplace_back();
      return;
    }
    beats.push_back(logical_or(greater(each, best), logical_and(isnan(each), equal(best, best))));
    best = where(beats.back(), each, best);
  });
  Expr open;  // whether no later element has won
  for (std::size_t i = beats.size(); i-- > 0;) {
    Expr wins = beats[i];
    if (open.defined()) wins = wins.defined() ? logical_and(wins, open) : open;
    elements.push_back(wins.defined() ? where(wins, given, 0) : given);
    if (beats[i].defined())
      open = open.defined() ? logical_and(open, logical_not(beats[i])) : logical_not(beats[i]);
  }
  std::ranges::reverse(elements);
  return from_windows(layout, elements, x.shape());
}

Exprs max_pool_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const PoolLayout layout(v.node);
  if (touches(layout)) return {given_to_largest(layout, v.x[0], v.dy[0])};
  return {node_like(op::max_pool_gradient, v.node, {v.x[0], v.dy[0]})};
}
Exprs max_pool_jvp(const Jvp& v) {
  if (!v.dx[0].defined()) return {Expr()};
  return {node_like(op::max_pool_tangent, v.node, {v.x[0], v.dx[0]})};
}

// Which element is the largest does not change near a point: only operand 1 has derivatives.
Exprs max_gradient_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(2);
  return {Expr(), node_like(op::max_pool_tangent, v.node, {v.x[0], v.dy[0]})};
}
Exprs max_gradient_jvp(const Jvp& v) {
  if (!v.dx[1].defined()) return {Expr()};
  return {node_like(op::max_pool_gradient, v.node, {v.x[0], v.dx[1]})};
}
Exprs max_tangent_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return Exprs(2);
  return {Expr(), node_like(op::max_pool_gradient, v.node, {v.x[0], v.dy[0]})};
}
Exprs max_tangent_jvp(const Jvp& v) {
  if (!v.dx[1].defined()) return {Expr()};
  return {node_like(op::max_pool_tangent, v.node, {v.x[0], v.dx[1]})};
}

Expr sum_pool_transpose(const Transpose& t) {
  const Shape& shape = t.x[0].shape();
  const PoolLayout layout(t.node);
  if (touches(layout)) {
    std::size_t count = 1;
    for (const std::int64_t n : layout.size) count *= static_cast<std::size_t>(n);
    return from_windows(layout, Exprs(count, t.dy), shape);
  }
  Attributes attributes = t.node.attributes();
  const std::size_t axes = attributes[0].ints().size();
  attributes.emplace_back(Shape(shape.end() - static_cast<std::ptrdiff_t>(axes), shape.end()));
  return Expr(make_node(op::sum_pool_gradient, {t.dy.value()}, std::move(attributes)));
}

Expr sum_gradient_transpose(const Transpose& t) {
  const Attributes& all = t.node.attributes();
  return Expr(make_node(op::sum_pool, {t.dy.value()}, {all.begin(), all.begin() + 3}));
}

Attributes window_attributes(const IntList& size, const IntList& stride, const IntList& padding) {
  const std::size_t axes = size.size();
  return {Attribute(size), Attribute(stride.empty() ? size : for_axes(stride, axes)),
          Attribute(pairs_for_axes(padding, axes))};
}

}  // namespace

constinit const Op op::max_pool{
    .name = "max_pool",
    .doc =
        "The largest element of each window on the last axes, NaN if it has one; `padding`, a pair "
        "for each axis, is never the largest. The derivative goes to the first of equals.",
    .attributes = window_specs,
    .type = pool_type,
    .element = max_pool_element,
    .vjp = max_pool_vjp,
    .jvp = max_pool_jvp,
    .batch = batch_leading};

constinit const Op op::max_pool_gradient{
    .name = "max_pool_gradient",
    .doc = "The gradient of max_pool by x, from x and that of its result.",
    .operands = 2,
    .attributes = window_specs,
    .type = max_gradient_type,
    .element = max_pool_gradient_element,
    .vjp = max_gradient_vjp,
    .jvp = max_gradient_jvp,
    .batch = batch_leading};

constinit const Op op::max_pool_tangent{
    .name = "max_pool_tangent",
    .doc = "The element of the second operand where each window of the first has its largest.",
    .operands = 2,
    .attributes = window_specs,
    .type = tangent_type,
    .element = max_pool_tangent_element,
    .vjp = max_tangent_vjp,
    .jvp = max_tangent_jvp,
    .batch = batch_leading};

constinit const Op op::sum_pool{
    .name = "sum_pool",
    .doc = "The sum of each window on the last axes; `padding`, a pair for each axis, counts as 0.",
    .attributes = window_specs,
    .type = pool_type,
    .element = sum_pool_element,
    .linear = 1,
    .transpose = sum_pool_transpose,
    .batch = batch_leading};

constinit const Op op::sum_pool_gradient{
    .name = "sum_pool_gradient",
    .doc = "The gradient of sum_pool by its images, of spatial `extents`.",
    .attributes = gradient_specs,
    .type = sum_gradient_type,
    .element = sum_pool_gradient_element,
    .linear = 1,
    .transpose = sum_gradient_transpose,
    .batch = batch_leading};

Expr max_pool(const Arg& x, const IntList& size, const IntList& stride, const IntList& padding) {
  const CallScope call("max_pool", x.origin());
  return apply(op::max_pool, {x}, window_attributes(size, stride, padding));
}

Expr sum_pool(const Arg& x, const IntList& size, const IntList& stride, const IntList& padding) {
  const CallScope call("sum_pool", x.origin());
  return apply(op::sum_pool, {x}, window_attributes(size, stride, padding));
}

// The number of elements inside the image, which the same sum over ones counts.
Expr avg_pool(const Arg& x, const IntList& size, const IntList& stride, const IntList& padding) {
  const CallScope call("avg_pool", x.origin());
  const Expr value(x.value());
  const DType t = is_float(value.dtype()) ? value.dtype() : DType::float64;
  const Expr total = sum_pool(cast(value, t), size, stride, padding);
  std::int64_t count = 1;
  for (const std::int64_t n : size) count *= n;
  if (std::ranges::all_of(padding, [](std::int64_t n) { return n == 0; }))
    return total / constant(static_cast<double>(count), t);
  const Shape& shape = value.shape();
  const Shape image(shape.end() - static_cast<std::ptrdiff_t>(size.size()), shape.end());
  return total / sum_pool(full(image, constant(1.0, t)), size, stride, padding);
}

}  // namespace gnomon
