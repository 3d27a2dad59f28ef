// Convolutions: cross-correlation over spatial axes and its two gradients, each linear in both
// operands and the derivative of the others.
#include <fmt/format.h>

#include <algorithm>

#include "ir/origin.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "stdlib/rules.h"
#include "stdlib/windows.h"

namespace gnomon {

namespace {

constexpr AttributeSpec stride_spec{"stride", Attribute::Kind::int_list};
constexpr AttributeSpec padding_spec{"padding", Attribute::Kind::int_list};
constexpr AttributeSpec dilation_spec{"dilation", Attribute::Kind::int_list};
constexpr AttributeSpec groups_spec{"groups", Attribute::Kind::integer};
constexpr AttributeSpec extents_spec{"extents", Attribute::Kind::dim_list};
constexpr AttributeSpecs conv_specs{stride_spec, padding_spec, dilation_spec, groups_spec};
constexpr AttributeSpecs gradient_specs{stride_spec, padding_spec, dilation_spec, groups_spec,
                                        extents_spec};

struct Layout {
  const IntList &stride, &padding, &dilation;
  std::int64_t groups;
  explicit Layout(const Attributes& a)
      : stride(a[0].ints()), padding(a[1].ints()), dilation(a[2].ints()), groups(a[3].integer()) {}
};

std::string both(const TypeContext& context) {
  return fmt::format("{} and {}", describe(context.operands[0]), describe(context.operands[1]));
}

// Floats of one dtype with a batch or output axis, a channel axis and the spatial ones.
void check_operands(const TypeContext& context) {
  const Type &a = context.type(0), &b = context.type(1);
  if (a.dtype != b.dtype || !is_float(a.dtype))
    context.fail(fmt::format("expected floats of one dtype, found {}", both(context)));
  if (a.rank() < 3 || a.rank() > 5 || a.rank() != b.rank())
    context.fail(
        fmt::format("expected two operands of one rank: two axes and 1 to 3 spatial ones, found {}",
                    both(context)));
}

Layout checked_layout(const TypeContext& context) {
  const Layout layout(context.attributes);
  const std::size_t axes = context.type(0).shape.size() - 2;
  check_positive(context, "stride", layout.stride, axes);
  check_positive(context, "dilation", layout.dilation, axes);
  check_padding(context, layout.padding, axes);
  if (layout.groups < 1)
    context.fail(fmt::format("expected at least 1 group, found {}", layout.groups));
  return layout;
}

// Extents of the result along the spatial axes of images and windows.
Shape result_extents(const TypeContext& context, const Layout& layout, std::span<const Dim> image,
                     std::span<const Dim> window) {
  Shape extents;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const Dim reach = layout.dilation[i] * (window[i] - 1) + 1;
    extents.push_back(windows_along(context, image[i], reach, layout.stride[i],
                                    layout.padding[2 * i], layout.padding[2 * i + 1]));
  }
  return extents;
}

// The channels of images x, of weights w [O, C / groups, ...].
void check_channels(TypeContext& context, const Layout& layout, const Dim& channels,
                    const Dim& of_group, const Dim& outputs) {
  const Dim wanted = of_group * layout.groups;
  if (const Dim gap = channels - wanted; gap.is_constant() && !gap.is(0))
    context.fail(fmt::format(
        "expected {} channels of the image{}, found {}", wanted.text(),
        layout.groups == 1 ? std::string()
                           : fmt::format(" ({} groups of {})", layout.groups, of_group.text()),
        both(context)));
  context.equal(channels, wanted, "channels");
  const Dim rest = mod(outputs, layout.groups);
  const std::string text =
      fmt::format("expected a multiple of {} groups as first extent of the weights, found {}",
                  layout.groups, both(context));
  if (rest.is_constant() && !rest.is(0)) context.fail(text);
  if (!rest.is_constant()) context.require(rest, 0, text);
}

std::span<const Dim> spatial(const Shape& shape) { return std::span(shape).subspan(2); }

std::vector<Type> conv_type(TypeContext& context) {
  check_operands(context);
  const Layout layout = checked_layout(context);
  const Shape &x = context.type(0).shape, &w = context.type(1).shape;
  check_channels(context, layout, x[1], w[1], w[0]);
  Shape shape = result_extents(context, layout, spatial(x), spatial(w));
  shape.insert(shape.begin(), {x[0], w[0]});
  return {Type{context.type(0).dtype, std::move(shape)}};
}

// The spatial extents that a gradient's operand dy must have.
void check_results(TypeContext& context, std::span<const Dim> found, const Shape& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    context.equal(found[i], wanted[i], "extents of the result");
}

const Shape& checked_extents(const TypeContext& context) {
  const Shape& extents = context.attributes[4].dims();
  const std::size_t axes = context.type(0).shape.size() - 2;
  if (extents.size() != axes)
    context.fail(fmt::format("expected {} extents, found {}", axes, extents.size()));
  return extents;
}

// dy[N, O, ...], w[O, C / groups, ...] -> [N, C, extents].
std::vector<Type> input_gradient_type(TypeContext& context) {
  check_operands(context);
  const Layout layout = checked_layout(context);
  const Shape &dy = context.type(0).shape, &w = context.type(1).shape;
  const Shape& extents = checked_extents(context);
  check_channels(context, layout, w[1] * layout.groups, w[1],
                 context.equal(dy[1], w[0], "output channels"));
  check_results(context, spatial(dy), result_extents(context, layout, extents, spatial(w)));
  Shape shape = extents;
  shape.insert(shape.begin(), {dy[0], w[1] * layout.groups});
  return {Type{context.type(0).dtype, std::move(shape)}};
}

// x[N, C, ...], dy[N, O, ...] -> [O, C / groups, extents].
std::vector<Type> weight_gradient_type(TypeContext& context) {
  check_operands(context);
  const Layout layout = checked_layout(context);
  const Shape &x = context.type(0).shape, &dy = context.type(1).shape;
  const Shape& extents = checked_extents(context);
  context.equal(x[0], dy[0], "batch extents");
  const Dim of_group = floor_div(x[1], layout.groups);
  check_channels(context, layout, x[1], of_group, dy[1]);
  check_results(context, spatial(dy), result_extents(context, layout, spatial(x), extents));
  Shape shape = extents;
  shape.insert(shape.begin(), {dy[1], of_group});
  return {Type{context.type(0).dtype, std::move(shape)}};
}

Attributes with_extents(const Node& node, std::span<const Dim> extents) {
  Attributes a(node.attributes().begin(), node.attributes().begin() + 4);
  a.emplace_back(Shape(extents.begin(), extents.end()));
  return a;
}

Attributes without_extents(const Node& node) {
  return {node.attributes().begin(), node.attributes().begin() + 4};
}

Expr correlate(const Node& like, const Expr& x, const Expr& w) {
  return Expr(make_node(op::conv, {x.value(), w.value()}, without_extents(like)));
}
Expr input_gradient(const Node& like, const Expr& dy, const Expr& w, const Shape& x) {
  return Expr(
      make_node(op::conv_input_gradient, {dy.value(), w.value()}, with_extents(like, spatial(x))));
}
Expr weight_gradient(const Node& like, const Expr& x, const Expr& dy, const Shape& w) {
  return Expr(
      make_node(op::conv_weight_gradient, {x.value(), dy.value()}, with_extents(like, spatial(w))));
}

Expr conv_transpose(const Transpose& t) {
  if (t.operand == 0) return input_gradient(t.node, t.dy, t.x[1], t.x[0].shape());
  return weight_gradient(t.node, t.x[0], t.dy, t.x[1].shape());
}

Expr input_gradient_transpose(const Transpose& t) {
  if (t.operand == 0) return correlate(t.node, t.dy, t.x[1]);
  return weight_gradient(t.node, t.dy, t.x[0], t.x[1].shape());
}

Expr weight_gradient_transpose(const Transpose& t) {
  if (t.operand == 0) return input_gradient(t.node, t.x[1], t.dy, t.x[0].shape());
  return correlate(t.node, t.x[0], t.dy);
}

}  // namespace

constinit const Op op::conv{
    .name = "conv",
    .doc =
        "Cross-correlation of images [N, C, ...] with weights [O, C / groups, ...] over 1 to 3 "
        "spatial axes; `padding` is a pair for each axis.",
    .operands = 2,
    .attributes = conv_specs,
    .type = conv_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .linear = 3,
    .transpose = conv_transpose};

constinit const Op op::conv_input_gradient{
    .name = "conv_input_gradient",
    .doc =
        "The gradient of conv by its images, of spatial `extents`, from that of its result "
        "[N, O, ...] and the weights.",
    .operands = 2,
    .attributes = gradient_specs,
    .type = input_gradient_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .linear = 3,
    .transpose = input_gradient_transpose};

constinit const Op op::conv_weight_gradient{
    .name = "conv_weight_gradient",
    .doc =
        "The gradient of conv by its weights, of spatial `extents`, from the images and that of "
        "its result [N, O, ...].",
    .operands = 2,
    .attributes = gradient_specs,
    .type = weight_gradient_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .linear = 3,
    .transpose = weight_gradient_transpose};

Expr conv(const Arg& x, const Arg& w, const Windows& windows) {
  const OriginScope place(x.origin());
  const auto axes = static_cast<std::size_t>(std::max({x.value().rank(), w.value().rank(), 3})) - 2;
  return apply(
      op::conv, {x, w},
      {Attribute(for_axes(windows.stride, axes)), Attribute(pairs_for_axes(windows.padding, axes)),
       Attribute(for_axes(windows.dilation, axes)), Attribute(windows.groups)});
}

}  // namespace gnomon
