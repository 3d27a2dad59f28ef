// Normalisation as expressions of means over axes.
#include "stdlib/networks/normalization.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/reductions/statistics.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

namespace {

// A parameter with the axes `axes` of x, in their order, so that it broadcasts to x; numbers stay.
Expr placed(const Expr& parameter, const Expr& x, const IntList& axes, std::string_view what) {
  const Expr p = cast(parameter, x.dtype());
  if (p.rank() == 0) return p;
  if (p.shape().size() != axes.size())
    throw ValueError(fmt::format("{}: expected parameters with {} axes for {}, found {}", what,
                                 axes.size(), describe(x.value()), describe(p.value())));
  Shape shape(x.shape().size(), Dim(1));
  for (std::size_t i = 0; i < axes.size(); ++i)
    shape[static_cast<std::size_t>(axes[i])] = p.shape()[i];
  return reshape(p, shape);
}

IntList other_axes(const Expr& x, const IntList& axes) {
  IntList others;
  for (std::int64_t k = 0; k < x.rank(); ++k)
    if (!contains(axes, k)) others.push_back(k);
  return others;
}

// scale * centered, with weight and bias.
Expr scaled_by_affine(const Expr& centered, const Expr& scale, const Affine& affine,
                      const IntList& axes, std::string_view what) {
  const Expr factor =
      affine.weight.defined() ? scale * placed(affine.weight, centered, axes, what) : scale;
  const Expr y = centered * factor;
  return affine.bias.defined() ? y + placed(affine.bias, centered, axes, what) : y;
}

struct Statistics {
  Expr mean, centered, var;
};

Statistics statistics_of(const Expr& x, const IntList& axes) {
  const Expr center = mean(x, axes, keepdims);
  const Expr centered = x - center;
  return {center, centered, mean(square(centered), axes, keepdims)};
}

Expr as_channels(const Arg& x, std::string_view what) {
  const Expr v = as_floats(x);
  if (v.rank() < 2)
    throw ValueError(
        fmt::format("{}: expected [n, channels, ...], found {}", what, describe(v.value())));
  return v;
}

// Each group of channels, with all behind them, as the last axis.
Expr of_groups(const Expr& x, std::int64_t groups) {
  const Dim n = x.dim(0), channels = x.dim(1);
  if (groups < 1 || (channels.is_constant() && channels.constant() % groups != 0))
    throw ValueError(
        fmt::format("group_norm: expected groups of equally many channels, found {} of "
                    "{}",
                    groups, describe(x.value())));
  Dim inside = floor_div(channels, groups);
  for (int k = 2; k < x.rank(); ++k) inside = inside * x.dim(k);
  return reshape(x, {n, Dim(groups), inside});
}

}  // namespace

Expr batch_norm(const Arg& x, const Arg& mean, const Arg& var, const Affine& affine,
                const IntList& axes, double epsilon) {
  const CallScope call("batch_norm", x.origin());
  const Expr v = as_floats(x);
  const IntList kept = normalize_axes(axes, v.rank(), "batch_norm");
  const Expr centered = v - placed(Expr(mean.as(v.dtype())), v, kept, "batch_norm");
  const Expr scale = rsqrt(placed(Expr(var.as(v.dtype())), v, kept, "batch_norm") + epsilon);
  return scaled_by_affine(centered, scale, affine, kept, "batch_norm");
}

BatchNorm batch_norm_train(const Arg& x, const Expr& running_mean, const Expr& running_var,
                           const Affine& affine, const IntList& axes, const Arg& momentum,
                           double epsilon) {
  const CallScope call("batch_norm_train", x.origin());
  const Expr v = as_floats(x);
  const IntList kept = normalize_axes(axes, v.rank(), "batch_norm_train");
  const IntList reduced = other_axes(v, kept);
  const Statistics now = statistics_of(v, reduced);
  const Expr y =
      scaled_by_affine(now.centered, rsqrt(now.var + epsilon), affine, kept, "batch_norm_train");

  Shape extents;
  for (const std::int64_t k : reduced) extents.push_back(v.shape()[static_cast<std::size_t>(k)]);
  const Expr n = count_of(extents, v.dtype());
  const Expr unbiased = squeeze(now.var, reduced) * (n / maximum(n - 1, 1));
  const Expr share(momentum.as(v.dtype()));
  const auto moved = [&](const Expr& running, const Expr& found) {
    return running.defined() ? running + cast(share, v.dtype()) * (found - cast(running, v.dtype()))
                             : found;
  };
  return {y, moved(running_mean, squeeze(now.mean, reduced)), moved(running_var, unbiased)};
}

Expr layer_norm(const Arg& x, const Affine& affine, const IntList& axes, double epsilon) {
  const CallScope call("layer_norm", x.origin());
  const Expr v = as_floats(x);
  const IntList list = normalize_axes(axes, v.rank(), "layer_norm");
  const Statistics s = statistics_of(v, list);
  return scaled_by_affine(s.centered, rsqrt(s.var + epsilon), affine, list, "layer_norm");
}

Expr rms_norm(const Arg& x, const Expr& weight, const IntList& axes, double epsilon) {
  const CallScope call("rms_norm", x.origin());
  const Expr v = as_floats(x);
  const IntList list = normalize_axes(axes, v.rank(), "rms_norm");
  const Expr scale = rsqrt(mean(square(v), list, keepdims) + epsilon);
  return scaled_by_affine(v, scale, {weight, {}}, list, "rms_norm");
}

Expr group_norm(const Arg& x, std::int64_t groups, const Affine& affine, double epsilon) {
  const CallScope call("group_norm", x.origin());
  const Expr v = as_channels(x, "group_norm");
  const Statistics s = statistics_of(of_groups(v, groups), {2});
  const Expr y = reshape(s.centered * rsqrt(s.var + epsilon), v.shape());
  return scaled_by_affine(y, constant(1.0, v.dtype()), affine, {1}, "group_norm");
}

Expr instance_norm(const Arg& x, const Affine& affine, double epsilon) {
  const CallScope call("instance_norm", x.origin());
  const Expr v = as_channels(x, "instance_norm");
  const Statistics s = statistics_of(v, other_axes(v, {0, 1}));
  return scaled_by_affine(s.centered, rsqrt(s.var + epsilon), affine, {1}, "instance_norm");
}

Expr normalize(const Arg& x, double order, std::int64_t axis, double epsilon) {
  const CallScope call("normalize", x.origin());
  const Expr v = as_floats(x);
  return v / maximum(norm(v, order, axis == -1 ? v.rank() - 1 : axis, keepdims), epsilon);
}

Expr local_response_norm(const Arg& x, std::int64_t size, double alpha, double beta, double k) {
  const CallScope call("local_response_norm", x.origin());
  const Expr v = as_channels(x, "local_response_norm");
  if (size < 1)
    throw ValueError(
        fmt::format("local_response_norm: expected a size of at least 1, found {}", size));
  // Windows over the channels alone: [n, channels, all behind them].
  Dim behind = 1;
  for (int axis = 2; axis < v.rank(); ++axis) behind = behind * v.dim(axis);
  const Expr squares = reshape(square(v), {v.dim(0), v.dim(1), behind});
  const Expr sums = sum_pool(squares, {size, 1}, {1, 1}, {size / 2, (size - 1) / 2, 0, 0});
  const Expr base = k + alpha / static_cast<double>(size) * reshape(sums, v.shape());
  return v / power(base, beta);
}

}  // namespace gnomon::nn
