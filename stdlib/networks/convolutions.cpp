// Convolutions as expressions of `conv`, its gradients and products of patches.
#include "stdlib/networks/convolutions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/windows.h"
#include "stdlib/batch.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

namespace {

// Images and weights as floats of one dtype.
std::pair<Expr, Expr> operands_of(const Arg& x, const Arg& w, std::string_view what) {
  const auto [a, b] = promoted(x, w);
  const Expr images = as_floats(a), weights = as_floats(b);
  if (images.rank() < 3 || images.rank() > 5)
    throw ValueError(
        fmt::format("{}: expected images [N, C, ...] with 1 to 3 spatial axes, found {}", what,
                    describe(images.value())));
  return {images, weights};
}

std::size_t spatial_axes(const Expr& x) { return static_cast<std::size_t>(x.rank()) - 2; }

// The lists of `windows` with one number, or pair, for each axis.
Windows for_each_axis(const Windows& windows, std::size_t axes, std::string_view what) {
  Windows w{for_axes(windows.stride, axes), pairs_for_axes(windows.padding, axes),
            for_axes(windows.dilation, axes), windows.groups};
  const auto is_positive = [](std::int64_t v) { return v >= 1; };
  if (w.stride.size() != axes || w.dilation.size() != axes || w.padding.size() != 2 * axes ||
      !std::ranges::all_of(w.stride, is_positive) ||
      !std::ranges::all_of(w.dilation, is_positive) ||
      !std::ranges::all_of(w.padding, [](std::int64_t v) { return v >= 0; }))
    throw ValueError(fmt::format(
        "{}: expected strides and dilations of at least 1 and padding of at least 0 for "
        "{} spatial axes, found ({}), ({}) and ({})",
        what, axes, fmt::join(windows.stride, ", "), fmt::join(windows.dilation, ", "),
        fmt::join(windows.padding, ", ")));
  return w;
}

// An image with zeros around its spatial axes.
Expr padded(const Expr& x, const IntList& padding) {
  if (std::ranges::all_of(padding, [](std::int64_t v) { return v == 0; })) return x;
  Shape shape = x.shape(), start(x.shape().size(), Dim(0)), step(x.shape().size(), Dim(1));
  for (std::size_t i = 0; 2 * i < padding.size(); ++i) {
    shape[2 + i] = shape[2 + i] + (padding[2 * i] + padding[2 * i + 1]);
    start[2 + i] = padding[2 * i];
  }
  return set_slice(full(shape, constant(0.0, x.dtype())), x, start, x.shape(), step);
}

// x with each spatial axis i as two: [window, places] where element (t, p) is that at
// first + t * dilation + p * stride.
Expr spread(const Expr& x, const std::vector<Expr>& places) {
  Expr y = x;
  for (std::size_t i = 0; i < places.size(); ++i)
    y = index(y, {static_cast<std::int64_t>(2 + 2 * i)}, std::vector<Expr>{places[i]});
  IntList order = {0, 1};
  for (const std::int64_t offset : {0, 1})
    for (std::size_t i = 0; i < places.size(); ++i)
      order.push_back(static_cast<std::int64_t>(2 + 2 * i) + offset);
  return transpose(y, order);
}

// Positions [size, count] on one axis.
Expr window_positions(const Dim& size, const Dim& count, std::int64_t dilation,
                      std::int64_t stride) {
  return expand_dims(arange(size), 1) * dilation + arange(count) * stride;
}

Dim product_of(std::span<const Dim> extents) {
  Dim n = 1;
  for (const Dim& d : extents) n = n * d;
  return n;
}

}  // namespace

Expr conv_transpose(const Arg& x, const Arg& w, const Windows& windows, const IntList& extra) {
  const CallScope call("conv_transpose", x.origin());
  const auto [images, weights] = operands_of(x, w, "conv_transpose");
  const std::size_t axes = spatial_axes(images);
  const Windows lie = for_each_axis(windows, axes, "conv_transpose");
  const IntList more = for_axes(extra, axes);
  bool fits = more.size() == axes && weights.rank() == images.rank();
  for (std::size_t i = 0; fits && i < axes; ++i) fits = more[i] >= 0 && more[i] < lie.stride[i];
  if (!fits)
    throw ValueError(fmt::format(
        "conv_transpose: expected weights of rank {} and extra elements from 0 to below "
        "the stride, found {} and ({})",
        images.rank(), describe(weights.value()), fmt::join(extra, ", ")));
  Shape extents;
  for (std::size_t i = 0; i < axes; ++i)
    extents.push_back((images.shape()[2 + i] - 1) * lie.stride[i] -
                      (lie.padding[2 * i] + lie.padding[2 * i + 1]) +
                      (weights.shape()[2 + i] - 1) * lie.dilation[i] + (1 + more[i]));
  return Expr(make_node(op::conv_input_gradient, {images.value(), weights.value()},
                        {lie.stride, lie.padding, lie.dilation, lie.groups, extents}));
}

Expr separable_conv(const Arg& x, const Arg& depthwise, const Arg& pointwise,
                    const Windows& windows) {
  const CallScope call("separable_conv", x.origin());
  const auto [images, weights] = operands_of(x, depthwise, "separable_conv");
  if (!images.dim(1).is_constant())
    throw TypeError(fmt::format("separable_conv: expected a known number of channels, found {}",
                                describe(images.value())));
  Windows each = windows;
  each.groups = images.dim(1).constant();
  return conv(conv(images, weights, each), pointwise);
}

Expr causal_conv1d(const Arg& x, const Arg& w, const Windows& windows) {
  const CallScope call("causal_conv1d", x.origin());
  const auto [images, weights] = operands_of(x, w, "causal_conv1d");
  if (images.rank() != 3 || weights.rank() != 3 || !weights.dim(2).is_constant())
    throw ValueError(fmt::format(
        "causal_conv1d: expected x[N, C, n] and weights [O, C / groups, k] with a known "
        "k, found {} and {}",
        describe(images.value()), describe(weights.value())));
  Windows lie = windows;
  lie.padding = {for_axes(windows.dilation, 1)[0] * (weights.dim(2).constant() - 1), 0};
  return conv(images, weights, lie);
}

Expr patches(const Arg& x, const Shape& size, const Windows& windows) {
  const CallScope call("patches", x.origin());
  const Expr images = operands_of(x, x, "patches").first;
  const std::size_t axes = spatial_axes(images);
  const Windows lie = for_each_axis(windows, axes, "patches");
  if (size.size() != axes)
    throw ValueError(fmt::format("patches: expected the size of windows on {} axes, found {}", axes,
                                 text(size)));
  const Expr inside = padded(images, lie.padding);
  std::vector<Expr> places;
  for (std::size_t i = 0; i < axes; ++i) {
    const Dim room = inside.shape()[2 + i] - (size[i] - 1) * lie.dilation[i] - 1;
    if (room.is_constant() && room.constant() < 0)
      throw ValueError(fmt::format("patches: expected windows that fit the image, found {} on {}",
                                   text(size), describe(images.value())));
    places.push_back(window_positions(size[i], floor_div(room, lie.stride[i]) + 1, lie.dilation[i],
                                      lie.stride[i]));
  }
  return spread(inside, places);
}

Expr unshared_conv(const Arg& x, const Arg& w, const Windows& windows) {
  const CallScope call("unshared_conv", x.origin());
  const auto [images, weights] = operands_of(x, w, "unshared_conv");
  const std::size_t axes = spatial_axes(images);
  const Shape& s = weights.shape();
  if (s.size() != 2 + 2 * axes || windows.groups < 1)
    throw ValueError(
        fmt::format("unshared_conv: expected weights [O, places..., C / groups, "
                    "window...] for {}, found {}",
                    describe(images.value()), describe(weights.value())));
  const std::span<const Dim> places(s.data() + 1, axes), window(s.data() + 2 + axes, axes);
  const Dim groups = windows.groups, n = images.dim(0), count = product_of(places);
  const Dim of_group = s[1 + axes] * product_of(window);
  const Expr seen = patches(images, Shape(window.begin(), window.end()), windows);
  // A product for each group and place: [n, what is seen] by [what is seen, outputs].
  const Expr left = transpose(reshape(seen, {n, groups, of_group, count}), {1, 3, 0, 2});
  const Dim outputs = floor_div(s[0], groups);
  const Expr right = transpose(reshape(weights, {groups, outputs, count, of_group}), {0, 2, 3, 1});
  Shape shape{n, s[0]};
  shape.insert(shape.end(), places.begin(), places.end());
  return reshape(transpose(matmul(left, right), {2, 0, 3, 1}), shape);
}

// ------------------------------------------------------------------------------------------ blocks

namespace {

Expr as_images(const Arg& x, std::string_view what) {
  const Expr v(x.value());
  if (v.rank() != 4)
    throw ValueError(
        fmt::format("{}: expected images [N, C, h, w], found {}", what, describe(v.value())));
  return v;
}

IntList pair_of(const IntList& list, std::string_view name, std::string_view what) {
  const IntList two = for_axes(list, 2);
  if (two.size() != 2 || two[0] < 1 || two[1] < 1)
    throw ValueError(fmt::format("{}: expected two numbers of at least 1 as {}, found ({})", what,
                                 name, fmt::join(list, ", ")));
  return two;
}

// TypeError unless `extent` is a multiple of `part`; a check of the call where only that knows.
Expr with_multiple(const Expr& x, const Dim& extent, std::int64_t part, std::string_view what) {
  const Dim rest = mod(extent, part);
  const std::string text =
      fmt::format("{}: expected {} to be a multiple of {}", what, extent.text(), part);
  if (rest.is_constant() && !rest.is(0)) throw ValueError(text);
  if (rest.is_constant()) return x;
  return check(x, equal(gnomon::extent(rest), 0), text);
}

}  // namespace

Expr images2neibs(const Arg& x, const IntList& size, const IntList& step, Borders borders) {
  const CallScope call("images2neibs", x.origin());
  Expr images = as_images(x, "images2neibs");
  const IntList block = pair_of(size, "size", "images2neibs");
  const IntList apart = step.empty() ? block : pair_of(step, "step", "images2neibs");
  if (borders == Borders::half || borders == Borders::full) {
    IntList around;
    for (const std::int64_t n : block)
      around.insert(around.end(), 2, borders == Borders::half ? n / 2 : n - 1);
    images = padded(images, around);
  }
  std::vector<Expr> places;
  Shape counts;
  for (std::size_t i = 0; i < 2; ++i) {
    const Dim n = images.shape()[2 + i];
    if (borders == Borders::wrap_centered) {
      if (block[i] % 2 == 0)
        throw ValueError("images2neibs: expected blocks of odd size around each element, found " +
                         std::to_string(block[i]));
      counts.push_back(floor_div(n + (apart[i] - 1), apart[i]));
      places.push_back((window_positions(block[i], counts[i], 1, apart[i]) - block[i] / 2) %
                       extent(n));
      continue;
    }
    const Dim room = n - block[i];
    if (room.is_constant() && room.constant() < 0)
      throw ValueError(fmt::format(
          "images2neibs: expected blocks that fit the image, found {} of {}", block[i], n.text()));
    if (borders != Borders::ignore) images = with_multiple(images, room, apart[i], "images2neibs");
    counts.push_back(floor_div(room, apart[i]) + 1);
    places.push_back(window_positions(block[i], counts[i], 1, apart[i]));
  }
  const Expr blocks = transpose(spread(images, places), {0, 1, 4, 5, 2, 3});
  const Dim rows = images.dim(0) * images.dim(1) * counts[0] * counts[1];
  return reshape(blocks, {rows, Dim(block[0] * block[1])});
}

Expr neibs2images(const Arg& neibs, const IntList& size, const Shape& shape, Borders borders) {
  const CallScope call("neibs2images", neibs.origin());
  Expr rows(neibs.value());
  const IntList block = pair_of(size, "size", "neibs2images");
  if (rows.rank() != 2 || shape.size() != 4 ||
      (borders != Borders::valid && borders != Borders::ignore))
    throw ValueError(
        fmt::format("neibs2images: expected a matrix of blocks and the shape of images "
                    "[N, C, h, w] with the borders valid or ignored, found {} and {}",
                    describe(rows.value()), text(shape)));
  Shape counts;
  for (std::size_t i = 0; i < 2; ++i) {
    if (borders == Borders::valid)
      rows = with_multiple(rows, shape[2 + i], block[i], "neibs2images");
    counts.push_back(floor_div(shape[2 + i], block[i]));
  }
  const Expr blocks =
      reshape(rows, {shape[0], shape[1], counts[0], counts[1], Dim(block[0]), Dim(block[1])});
  const Shape filled{shape[0], shape[1], counts[0] * block[0], counts[1] * block[1]};
  const Expr images = reshape(transpose(blocks, {0, 1, 2, 4, 3, 5}), filled);
  if (borders == Borders::valid) return reshape(images, shape);
  const Expr none = full(shape, constant(std::int64_t{0}, images.dtype()));
  return set_slice(none, images, Shape(4, Dim(0)), filled, Shape(4, Dim(1)));
}

// -------------------------------------------------------------------------------------- upsampling

namespace {

// The elements along an axis, each with its neighbour before, or behind, in its place; the border
// is its own neighbour.
Expr neighbour(const Expr& x, std::size_t axis, bool is_before) {
  const Dim n = x.shape()[axis];
  const auto part = [&](const Dim& first, const Dim& count) {
    Shape start(x.shape().size(), Dim(0)), step(x.shape().size(), Dim(1)), extents = x.shape();
    start[axis] = first;
    extents[axis] = count;
    return slice(x, start, extents, step);
  };
  const auto at = static_cast<std::int64_t>(axis);
  if (is_before) return concatenate({part(0, 1), part(0, n - 1)}, at);
  return concatenate({part(1, n - 1), part(n - 1, 1)}, at);
}

// Phase p of an axis stands at (p - middle) / ratio between an element and its neighbour.
Expr finer(const Expr& x, std::size_t axis, std::int64_t ratio) {
  if (ratio == 1) return x;
  const std::int64_t middle = (ratio - 1) / 2;
  const Expr before = neighbour(x, axis, true), behind = neighbour(x, axis, false);
  std::vector<Expr> phases;
  for (std::int64_t p = 0; p < ratio; ++p) {
    const double share = static_cast<double>(std::abs(p - middle)) / static_cast<double>(ratio);
    phases.push_back(p == middle ? x : (1 - share) * x + share * (p < middle ? before : behind));
  }
  Shape shape = x.shape();
  shape[axis] = shape[axis] * ratio;
  return reshape(stack(phases, static_cast<std::int64_t>(axis) + 1), shape);
}

}  // namespace

Expr bilinear_upsampling(const Arg& x, const IntList& ratio, const IntList& step) {
  const CallScope call("bilinear_upsampling", x.origin());
  Expr y = as_floats(as_images(x, "bilinear_upsampling"));
  const IntList times = pair_of(ratio, "ratio", "bilinear_upsampling");
  const IntList apart = pair_of(step, "step", "bilinear_upsampling");
  for (std::size_t i = 0; i < 2; ++i) {
    y = finer(y, 2 + i, times[i]);
    if (apart[i] == 1) continue;
    Shape start(4, Dim(0)), count = y.shape(), steps(4, Dim(1));
    count[2 + i] = floor_div(count[2 + i] + (apart[i] - 1), apart[i]);
    steps[2 + i] = apart[i];
    y = slice(y, start, count, steps);
  }
  return y;
}

}  // namespace gnomon::nn
