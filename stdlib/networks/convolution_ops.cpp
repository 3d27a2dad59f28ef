// Convolutions: cross-correlation over spatial axes and its two gradients, each linear in both
// operands and the derivative of the others.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/origin.h"
#include "ir/op/forms.h"
#include "runtime/error.h"
#include "stdlib/arrays/windows.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// Floats of one dtype with a batch or output axis, a channel axis and the spatial ones.
void check_operands(const TypeContext& context) {
  const Type &a = context.type(0), &b = context.type(1);
  if (a.dtype != b.dtype || !is_float(a.dtype))
    context.fail(fmt::format("expected floats of one dtype, found {}", describe_both(context)));
  if (a.rank() < 3 || a.rank() > 5 || a.rank() != b.rank())
    context.refuse(
        fmt::format("expected two operands of one rank: two axes and 1 to 3 spatial ones, found {}",
                    describe_both(context)));
}

ConvolutionForm checked_layout(const TypeContext& context) {
  const ConvolutionForm layout = convolution_form(context.op, context.attributes);
  const std::size_t axes = context.type(0).shape.size() - 2;
  check_positive(context, "stride", layout.stride, axes);
  check_positive(context, "dilation", layout.dilation, axes);
  check_padding(context, layout.padding, axes);
  if (layout.groups < 1)
    context.refuse(fmt::format("expected at least 1 group, found {}", layout.groups));
  return layout;
}

// Extents of the result along the spatial axes of images and windows.
Shape result_extents(const TypeContext& context, const ConvolutionForm& layout,
                     std::span<const Dim> image, std::span<const Dim> window) {
  Shape extents;
  for (std::size_t i = 0; i < image.size(); ++i) {
    const Dim reach = layout.dilation[i] * (window[i] - 1) + 1;
    extents.push_back(windows_along(context, image[i], reach, layout.stride[i],
                                    layout.padding[2 * i], layout.padding[2 * i + 1]));
  }
  return extents;
}

// The channels of images x, of weights w [O, C / groups, ...].
void check_channels(TypeContext& context, const ConvolutionForm& layout, const Dim& channels,
                    const Dim& of_group, const Dim& outputs) {
  const Dim wanted = of_group * layout.groups;
  if (const Dim gap = channels - wanted; gap.is_constant() && !gap.is(0))
    context.refuse(fmt::format(
        "expected {} channels of the image{}, found {}", wanted.text(),
        layout.groups == 1 ? std::string()
                           : fmt::format(" ({} groups of {})", layout.groups, of_group.text()),
        describe_both(context)));
  context.equal(channels, wanted, "channels");
  const Dim rest = mod(outputs, layout.groups);
  const std::string text =
      fmt::format("expected a multiple of {} groups as first extent of the weights, found {}",
                  layout.groups, describe_both(context));
  if (rest.is_constant() && !rest.is(0)) context.refuse(text);
  if (!rest.is_constant()) context.require(rest, 0, text);
}

std::span<const Dim> spatial(const Shape& shape) { return std::span(shape).subspan(2); }

std::vector<Type> conv_type(TypeContext& context) {
  check_operands(context);
  const ConvolutionForm layout = checked_layout(context);
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
    context.refuse(fmt::format("expected {} extents, found {}", axes, extents.size()));
  require_extents(context, extents);
  return extents;
}

// dy[N, O, ...], w[O, C / groups, ...] -> [N, C, extents].
std::vector<Type> input_gradient_type(TypeContext& context) {
  check_operands(context);
  const ConvolutionForm layout = checked_layout(context);
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
  const ConvolutionForm layout = checked_layout(context);
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

Expr convolution_transpose(const Transpose& t) {
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

// ------------------------------------------------------------------------------------- batching
//
// Images of all examples are further images when the weights are the same for all. Weights of all
// examples are further channels of each group when the images are the same. Where both differ, the
// images' patches are matrices, and batches of products do it, whatever the number of examples.

// Axes [axis, axis + 2) as one.
Expr merged(const Expr& x, int axis) {
  Shape shape = x.shape();
  const auto at = shape.begin() + axis;
  *at = *at * *(at + 1);
  shape.erase(at + 1);
  return reshape(x, shape);
}
// Axis `axis` as two: of the extent, and of what is left of it.
Expr split_axis(const Expr& x, int axis, const Dim& first, const Dim& second) {
  Shape shape = x.shape();
  shape[static_cast<std::size_t>(axis)] = first;
  shape.insert(shape.begin() + axis + 1, second);
  return reshape(x, shape);
}

// Channels of all examples: x[b, ...] with channels on `axis` (of one example), side by side in
// their groups.
Expr beside_in_groups(const Expr& x, int axis, std::int64_t groups) {
  const Dim in_group = floor_div(x.dim(axis + 1), groups);
  const Expr apart = split_axis(x, axis + 1, groups, in_group);
  return merged(merged(move_axis(apart, 0, axis + 1), axis), axis);
}
// Back from there.
Expr examples_of_groups(const Expr& y, int axis, std::int64_t groups, const Dim& examples) {
  const Dim in_group = floor_div(y.dim(axis), examples * groups);
  const Expr apart =
      split_axis(split_axis(y, axis, groups, examples * in_group), axis + 1, examples, in_group);
  return merged(move_axis(apart, axis + 1, 0), axis + 1);
}

// Patches of images x[b, N, C, ...] for windows of extents `window` with `results` places: matrices
// [b, groups, C / groups * window, N * results]. The other direction adds patches up to images.
class Patches {
 public:
  Patches(const ConvolutionForm& layout, const Shape& images, std::span<const Dim> window,
          std::span<const Dim> results)
      : layout_(layout),
        images_(images),
        window_(window.begin(), window.end()),
        results_(results.begin(), results.end()),
        padded_(images),
        inside_(images.size(), Dim(0)) {
    for (std::size_t i = 0; i < window_.size(); ++i) {
      padded_[3 + i] = images[3 + i] + (layout.padding[2 * i] + layout.padding[2 * i + 1]);
      inside_[3 + i] = layout.padding[2 * i];
      Shape column{window_[i], 1};
      places_.push_back(reshape(arange(window_[i]), column) * layout.dilation[i] +
                        arange(results_[i]) * layout.stride[i]);
    }
  }

  Expr of(const Expr& images) const {
    Expr x = set_slice(zeros(images.dtype()), images, inside_, images_, ones());
    for (std::size_t i = 0; i < places_.size(); ++i)
      x = index(x, {axis(i)}, std::vector<Expr>{places_[i]});
    return reshape(transpose(x, order()), matrix_shape());
  }

  Expr added(const Expr& patches) const {
    Shape shape;
    Shape apart = apart_shape();
    for (const std::int64_t k : order()) shape.push_back(apart[static_cast<std::size_t>(k)]);
    IntList inverse(shape.size());
    const IntList turned = order();
    for (std::size_t k = 0; k < turned.size(); ++k)
      inverse[static_cast<std::size_t>(turned[k])] = static_cast<std::int64_t>(k);
    Expr x = transpose(reshape(patches, shape), inverse);
    for (std::size_t i = places_.size(); i-- > 0;) {
      apart.erase(apart.begin() + axis(i));
      apart[static_cast<std::size_t>(axis(i))] = padded_[3 + i];
      x = inc_index(full(apart, constant(0.0, x.dtype())), x, {axis(i)},
                    std::vector<Expr>{places_[i]});
    }
    return slice(x, inside_, images_, ones());
  }

 private:
  static std::int64_t axis(std::size_t i) { return 3 + 2 * static_cast<std::int64_t>(i); }
  Expr zeros(DType t) const { return full(padded_, constant(0.0, t)); }
  Shape ones() const { return Shape(images_.size(), Dim(1)); }
  // [b, N, C, window, results, window, results, ...].
  Shape apart_shape() const {
    Shape shape(images_.begin(), images_.begin() + 3);
    for (std::size_t i = 0; i < window_.size(); ++i)
      shape.insert(shape.end(), {window_[i], results_[i]});
    return shape;
  }
  // To [b, C, windows, N, results].
  IntList order() const {
    IntList list{0, 2};
    for (std::size_t i = 0; i < window_.size(); ++i) list.push_back(axis(i));
    list.push_back(1);
    for (std::size_t i = 0; i < window_.size(); ++i) list.push_back(axis(i) + 1);
    return list;
  }
  Shape matrix_shape() const {
    return {images_[0], layout_.groups,
            floor_div(images_[2], layout_.groups) * element_count(window_),
            images_[1] * element_count(results_)};
  }

  const ConvolutionForm& layout_;
  Shape images_, window_, results_, padded_, inside_;
  std::vector<Expr> places_;
};

// Weights [b, O, C / groups, ...] as matrices [b, groups, O / groups, C / groups * window].
Expr weight_matrices(const ConvolutionForm& layout, const Expr& w) {
  const Shape& s = w.shape();
  return reshape(w, {s[0], layout.groups, floor_div(s[1], layout.groups),
                     element_count(std::span(s).subspan(2))});
}
// Results [b, N, O, ...] as matrices [b, groups, O / groups, N * results], and back.
Expr result_matrices(const ConvolutionForm& layout, const Expr& dy) {
  const Expr y = move_axis(dy, 1, 2);
  const Shape& s = y.shape();
  return reshape(y, {s[0], layout.groups, floor_div(s[1], layout.groups),
                     element_count(std::span(s).subspan(2))});
}
Expr results_of_matrices(const Expr& y, const Dim& images, const Dim& channels,
                         std::span<const Dim> results) {
  Shape shape{y.shape()[0], channels, images};
  shape.insert(shape.end(), results.begin(), results.end());
  return move_axis(reshape(y, shape), 2, 1);
}

Expr turned(const Expr& x) { return move_axis(x, x.rank() - 1, x.rank() - 2); }

std::span<const Dim> batched_spatial(const Expr& x) { return std::span(x.shape()).subspan(3); }

Exprs conv_batch(const Batched& b) {
  const ConvolutionForm layout = convolution_form(b.node.op(), b.attributes);
  const Expr &x = b.x[0], &w = b.x[1];
  const auto applied = [&](const Expr& images, const Expr& weights) {
    return outputs_of(op::conv, {images, weights}, b.attributes)[0];
  };
  if (!b.batched[1]) return {split_axis(applied(merged(x, 0), w), 0, b.size, x.shape()[1])};
  if (!b.batched[0])
    return {examples_of_groups(applied(x, beside_in_groups(w, 0, layout.groups)), 1, layout.groups,
                               b.size)};
  const Shape& one = b.node.type().shape;
  Shape results;
  for (std::size_t i = 0; i + 2 < one.size(); ++i) {
    const Dim reach = layout.dilation[i] * (w.shape()[3 + i] - 1) + 1;
    const Dim extent = x.shape()[3 + i] + (layout.padding[2 * i] + layout.padding[2 * i + 1]);
    results.push_back(floor_div(extent - reach, layout.stride[i]) + 1);
  }
  const Expr patches = Patches(layout, x.shape(), batched_spatial(w), results).of(x);
  return {results_of_matrices(matmul(weight_matrices(layout, w), patches), x.shape()[1],
                              w.shape()[1], results)};
}

Exprs input_gradient_batch(const Batched& b) {
  const ConvolutionForm layout = convolution_form(b.node.op(), b.attributes);
  const Expr &dy = b.x[0], &w = b.x[1];
  const auto applied = [&](const Expr& results, const Expr& weights) {
    return outputs_of(op::conv_input_gradient, {results, weights}, b.attributes)[0];
  };
  if (!b.batched[1]) return {split_axis(applied(merged(dy, 0), w), 0, b.size, dy.shape()[1])};
  if (!b.batched[0]) {
    const Expr channels = merged(move_axis(w, 0, 1), 1);
    return {examples_of_groups(applied(dy, channels), 1, layout.groups, b.size)};
  }
  const Shape& extents = b.attributes[4].dims();
  Shape images{b.size, dy.shape()[1], w.shape()[2] * layout.groups};
  images.insert(images.end(), extents.begin(), extents.end());
  const Patches patches(layout, images, batched_spatial(w), batched_spatial(dy));
  return {patches.added(matmul(turned(weight_matrices(layout, w)), result_matrices(layout, dy)))};
}

Exprs weight_gradient_batch(const Batched& b) {
  const ConvolutionForm layout = convolution_form(b.node.op(), b.attributes);
  const Expr &x = b.x[0], &dy = b.x[1];
  const auto applied = [&](const Expr& images, const Expr& results) {
    return outputs_of(op::conv_weight_gradient, {images, results}, b.attributes)[0];
  };
  if (!b.batched[1]) {
    const Expr dw = applied(beside_in_groups(x, 1, layout.groups), dy);
    const Dim in_group = floor_div(x.shape()[2], layout.groups);
    return {move_axis(split_axis(dw, 1, b.size, in_group), 1, 0)};
  }
  if (!b.batched[0])
    return {examples_of_groups(applied(x, beside_in_groups(dy, 1, layout.groups)), 0, layout.groups,
                               b.size)};
  const Shape& extents = b.attributes[4].dims();
  const Expr patches = Patches(layout, x.shape(), extents, batched_spatial(dy)).of(x);
  Shape shape{b.size, dy.shape()[2], floor_div(x.shape()[2], layout.groups)};
  shape.insert(shape.end(), extents.begin(), extents.end());
  return {reshape(matmul(result_matrices(layout, dy), turned(patches)), shape)};
}

}  // namespace

constinit const Op op::conv{
    .name = "conv",
    .doc =
        "Cross-correlation of images [N, C, ...] with weights [O, C / groups, ...] over 1 to 3 "
        "spatial axes; `padding` is a pair for each axis.",
    .operands = 2,
    .attributes = convolution_specs,
    .type = conv_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .convolution = ConvolutionKind::results,
    .linear = 3,
    .transpose = convolution_transpose,
    .batch = conv_batch};

constinit const Op op::conv_input_gradient{
    .name = "conv_input_gradient",
    .doc =
        "The gradient of conv by its images, of spatial `extents`, from that of its result "
        "[N, O, ...] and the weights.",
    .operands = 2,
    .attributes = convolution_gradient_specs,
    .type = input_gradient_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .convolution = ConvolutionKind::input_gradient,
    .linear = 3,
    .transpose = input_gradient_transpose,
    .batch = input_gradient_batch};

constinit const Op op::conv_weight_gradient{
    .name = "conv_weight_gradient",
    .doc =
        "The gradient of conv by its weights, of spatial `extents`, from the images and that of "
        "its result [N, O, ...].",
    .operands = 2,
    .attributes = convolution_gradient_specs,
    .type = weight_gradient_type,
    .promotion = Promotion::inexact,
    .step = StepKind::convolution,
    .convolution = ConvolutionKind::weight_gradient,
    .linear = 3,
    .transpose = weight_gradient_transpose,
    .batch = weight_gradient_batch};

Expr conv(const Arg& x, const Arg& w, const Windows& windows) {
  const CallScope call("conv", x.origin());
  const auto axes = static_cast<std::size_t>(std::max({x.value().rank(), w.value().rank(), 3})) - 2;
  return apply(
      op::conv, {x, w},
      {Attribute(for_axes(windows.stride, axes)), Attribute(pairs_for_axes(windows.padding, axes)),
       Attribute(for_axes(windows.dilation, axes)), Attribute(windows.groups)});
}

}  // namespace gnomon
