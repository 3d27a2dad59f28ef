// Fourier transforms: the ops along the last axis, their derivatives, and functions over them.
#include "stdlib/lines/fourier.h"
#include "stdlib/bounds.h"

#include <fmt/format.h>

#include <numeric>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/complex/complex.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr AttributeSpecs inverse_spec{{"inverse", Attribute::Kind::flag}};
constexpr AttributeSpecs length_spec{{"length", Attribute::Kind::dim_list}};

const Type& line_type(TypeContext& context, bool complex_wanted) {
  const Type& x = context.type(0);
  const bool fits = complex_wanted ? is_complex(x.dtype) : is_float(x.dtype);
  if (x.rank() < 1 || !fits) {
    const std::string text =
        fmt::format("expected {} with an axis, found {}",
                    complex_wanted ? "complex numbers" : "floats", describe(context.operands[0]));
    fits ? context.refuse(text) : context.fail(text);
  }
  const Dim& n = x.shape.back();
  if (n.is_constant() && n.constant() < 1)
    context.refuse(fmt::format("expected at least one element on the axis, found {}",
                               describe(context.operands[0])));
  context.require(min(n, Dim(1)), Dim(1), "expected at least one element on the axis");
  return x;
}

Dim half_length(const Dim& n) { return floor_div(n, 2) + 1; }

std::vector<Type> fft_type(TypeContext& context) { return {line_type(context, true)}; }

std::vector<Type> rfft_type(TypeContext& context) {
  const Type& x = line_type(context, false);
  return {Type{complex_of(x.dtype), with_last(x.shape, half_length(x.shape.back()))}};
}

std::vector<Type> irfft_type(TypeContext& context) {
  const Type& x = line_type(context, true);
  const Shape& length = context.attributes[0].dims();
  if (length.size() != 1)
    context.refuse(fmt::format("expected one length, found {}", text(length)));
  require_extents(context, length);
  const Dim half = half_length(length[0]);
  if (half.is_constant() && x.shape.back().is_constant() && !(half == x.shape.back()))
    context.refuse(fmt::format("expected {} elements on the axis for length {}, found {}",
                               half.text(), length[0].text(), describe(context.operands[0])));
  context.equal(x.shape.back(), half, "lengths");
  return {Type{part_of(x.dtype), with_last(x.shape, length[0])}};
}

// The same on pairs [..., n, 2] and lines [..., n, 1], as the library takes them.
std::vector<Type> dft_type(TypeContext& context) { return {context.type(0)}; }

std::vector<Type> rdft_type(TypeContext& context) {
  Type y = context.type(0);
  y.shape[y.shape.size() - 2] = half_length(y.shape[y.shape.size() - 2]);
  y.shape.back() = 2;
  return {y};
}

std::vector<Type> irdft_type(TypeContext& context) {
  Type y = context.type(0);
  y.shape[y.shape.size() - 2] = context.attributes[0].dims()[0];
  y.shape.back() = 1;
  return {y};
}

// The matrix of the transform is symmetric.
Expr fft_transpose(const Transpose& t) { return apply(op::fft, {t.dy}, t.node.attributes()); }

// Twice what stands for two terms of the whole transform: all but the first, and the last of an
// even length.
Expr weighted(const Expr& half, const Dim& n, double single, double twice) {
  const DType t = part_of(half.dtype());
  const Expr k = arange(half.dim(-1));
  const Expr alone = logical_or(equal(k, 0), equal(2 * k, extent(n)));
  return half * cast(where(alone, constant(single, t), constant(twice, t)), half.dtype());
}

Exprs rfft_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  const Dim n = v.x[0].dim(-1);
  return {apply(op::irfft, {weighted(v.dy[0], n, 1, 0.5)}, {Attribute(Shape{n})})};
}
Exprs rfft_jvp(const Jvp& v) { return {v.dx[0].defined() ? apply(op::rfft, {v.dx[0]}) : Expr()}; }

Exprs irfft_vjp(const Vjp& v) {
  if (!v.dy[0].defined()) return {Expr()};
  return {weighted(apply(op::rfft, {v.dy[0]}), v.dy[0].dim(-1), 1, 2)};
}
Exprs irfft_jvp(const Jvp& v) {
  return {v.dx[0].defined() ? apply(op::irfft, {v.dx[0]}, v.node.attributes()) : Expr()};
}

}  // namespace

constinit const Op op::fft{.name = "fft",
                           .doc =
                               "Fourier transform of complex numbers along the last axis; with + "
                               "in the exponent if inverse. Not scaled.",
                           .attributes = inverse_spec,
                           .type = fft_type,
                           .linear = 1,
                           .transpose = fft_transpose,
                           .batch = batch_leading};

constinit const Op op::rfft{.name = "rfft",
                            .doc =
                                "The terms 0 to n / 2 of the Fourier transform of real numbers "
                                "along the last axis. Not scaled.",
                            .type = rfft_type,
                            .vjp = rfft_vjp,
                            .jvp = rfft_jvp,
                            .batch = batch_leading};

constinit const Op op::irfft{.name = "irfft",
                             .doc =
                                 "The real numbers, `length` on the last axis, whose Fourier "
                                 "transform begins with the operand, times `length`.",
                             .attributes = length_spec,
                             .type = irfft_type,
                             .vjp = irfft_vjp,
                             .jvp = irfft_jvp,
                             .batch = batch_leading};

constinit const Op op::dft{.name = "dft",
                           .doc = "fft of pairs [..., n, 2].",
                           .attributes = inverse_spec,
                           .type = dft_type,
                           .step = StepKind::routine,
                           .routine = {Routine::dft}};

constinit const Op op::rdft{.name = "rdft",
                            .doc = "rfft of lines [..., n, 1], as pairs.",
                            .type = rdft_type,
                            .step = StepKind::routine,
                            .routine = {Routine::rdft}};

constinit const Op op::irdft{.name = "irdft",
                             .doc = "irfft of pairs [..., n, 2], as lines.",
                             .attributes = length_spec,
                             .type = irdft_type,
                             .step = StepKind::routine,
                             .routine = {Routine::irdft}};

// --------------------------------------------------------------------------------------- functions

namespace fft {

namespace {

Expr as_complex(const Expr& x) {
  return is_complex(x.dtype()) ? x : cast(x, complex_of(inexact(x.dtype())));
}

Expr as_real(const Expr& x, std::string_view who) {
  if (is_complex(x.dtype()))
    throw TypeError(fmt::format("{}: expected real numbers, found {}", who, describe(x)));
  return cast(x, inexact(x.dtype()));
}

// `x` with `n` elements on an axis: the first ones, or zeros behind them.
Expr with_length(const Expr& x, const Dim& n, int axis) {
  const auto at = static_cast<std::size_t>(axis);
  const Dim have = x.shape()[at], kept = min(have, n);
  if (have == n) return x;
  Shape count = x.shape(), rest = x.shape();
  count[at] = kept, rest[at] = n - kept;
  const Shape start(count.size(), Dim(0)), step(count.size(), Dim(1));
  const Expr cut = have == kept ? x : slice(x, start, count, step);
  if (rest[at].is(0)) return cut;
  return concatenate({cut, full(rest, constant(0.0, x.dtype()))}, axis);
}

// A function of lines along the last axis, along another.
template <class F>
Expr apply_along(const Expr& x, int axis, F&& f) {
  if (axis == x.rank() - 1) return f(x);
  IntList order(static_cast<std::size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[static_cast<std::size_t>(axis)], order.back());
  return transpose(f(transpose(x, order)), order);
}

Expr scaled_transform(const Expr& y, const Dim& n, Norm norm, bool inverse) {
  if (norm == (inverse ? Norm::forward : Norm::backward)) return y;
  const DType t = part_of(y.dtype());
  const Expr count = count_of(std::span(&n, 1), t);
  return y * cast(norm == Norm::ortho ? 1 / sqrt(count) : 1 / count, y.dtype());
}

Norm opposite(Norm norm) {
  if (norm == Norm::ortho) return norm;
  return norm == Norm::backward ? Norm::forward : Norm::backward;
}

Expr complex_transform(const Arg& arg, const std::optional<Dim>& n, std::int64_t axis, Norm norm,
                       bool inverse) {
  const OriginScope place(arg.origin());
  const Expr x = as_complex(Expr(arg.value()));
  const int at = normalize_axis(axis, x.rank(), inverse ? "ifft" : "fft");
  const Dim length = n ? *n : x.shape()[static_cast<std::size_t>(at)];
  const Expr y = apply_along(with_length(x, length, at), at, [&](const Expr& lines) {
    return apply(op::fft, {lines}, {Attribute(inverse)});
  });
  return scaled_transform(y, length, norm, inverse);
}

Expr real_transform(const Arg& arg, const std::optional<Dim>& n, std::int64_t axis, Norm norm,
                    std::string_view who) {
  const OriginScope place(arg.origin());
  const Expr x = as_real(Expr(arg.value()), who);
  const int at = normalize_axis(axis, x.rank(), who);
  const Dim length = n ? *n : x.shape()[static_cast<std::size_t>(at)];
  const Expr y = apply_along(with_length(x, length, at), at,
                             [](const Expr& lines) { return apply(op::rfft, {lines}); });
  return scaled_transform(y, length, norm, false);
}

Expr real_inverse(const Arg& arg, const std::optional<Dim>& n, std::int64_t axis, Norm norm,
                  std::string_view who) {
  const OriginScope place(arg.origin());
  const Expr x = as_complex(Expr(arg.value()));
  const int at = normalize_axis(axis, x.rank(), who);
  const Dim length = n ? *n : 2 * (x.shape()[static_cast<std::size_t>(at)] - 1);
  if (length.is_constant() && length.constant() < 1)
    throw ValueError(fmt::format("{}: expected a result of at least one element, found {} for {}",
                                 who, length.text(), describe(x)));
  const Expr y = apply_along(
      with_length(x, floor_div(length, 2) + 1, at), at,
      [&](const Expr& lines) { return apply(op::irfft, {lines}, {Attribute(Shape{length})}); });
  return scaled_transform(y, length, norm, true);
}

// The axes of a transform of several, and the lengths on them.
struct Several {
  IntList axes;
  std::vector<std::optional<Dim>> lengths;
  Several(const Expr& x, const std::optional<Shape>& s, const Axes& given, std::string_view who) {
    if (!given.all) {
      axes = given.list;
    } else {
      const int first = s ? x.rank() - static_cast<int>(s->size()) : 0;
      for (int axis = first; axis < x.rank(); ++axis) axes.push_back(axis);
    }
    for (std::int64_t& axis : axes) axis = normalize_axis(axis, x.rank(), who);
    if (axes.empty() || (s && s->size() != axes.size()))
      throw ValueError(fmt::format("{}: expected axes and as many lengths, found {} and {}", who,
                                   axes.size(), s ? s->size() : axes.size()));
    for (std::size_t i = 0; i < axes.size(); ++i)
      lengths.push_back(s ? std::optional((*s)[i]) : std::nullopt);
  }
};

Expr shifted_spectrum(const Arg& arg, const Axes& given, bool back) {
  const OriginScope place(arg.origin());
  Expr x(arg.value());
  IntList axes = given.list;
  if (given.all)
    for (int axis = 0; axis < x.rank(); ++axis) axes.push_back(axis);
  for (const std::int64_t axis : axes) {
    const int at = normalize_axis(axis, x.rank(), back ? "ifftshift" : "fftshift");
    const Dim n = x.shape()[static_cast<std::size_t>(at)];
    const Dim first = back ? floor_div(n, 2) : n - floor_div(n, 2);
    const Shape step(x.shape().size(), Dim(1));
    Shape start(x.shape().size(), Dim(0)), head = x.shape(), tail = x.shape();
    head[static_cast<std::size_t>(at)] = first;
    tail[static_cast<std::size_t>(at)] = n - first;
    const Expr before = slice(x, start, head, step);
    start[static_cast<std::size_t>(at)] = first;
    x = concatenate({slice(x, start, tail, step), before}, at);
  }
  return x;
}

}  // namespace

Expr fft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("fft", x.origin());
  return complex_transform(x, n, axis, norm, false);
}

Expr ifft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("ifft", x.origin());
  return complex_transform(x, n, axis, norm, true);
}

Expr rfft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("rfft", x.origin());
  return real_transform(x, n, axis, norm, "rfft");
}

Expr irfft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("irfft", x.origin());
  return real_inverse(x, n, axis, norm, "irfft");
}

Expr hfft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("hfft", x.origin());
  return real_inverse(conj(x), n, axis, opposite(norm), "hfft");
}

Expr ihfft(const Arg& x, std::optional<Dim> n, std::int64_t axis, Norm norm) {
  const CallScope call("ihfft", x.origin());
  return conj(real_transform(x, n, axis, opposite(norm), "ihfft"));
}

Expr fftn(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("fftn", x.origin());
  Expr y(x.value());
  const Several all(y, s, axes, "fftn");
  for (std::size_t i = all.axes.size(); i-- > 0;) y = fft(y, all.lengths[i], all.axes[i], norm);
  return y;
}

Expr ifftn(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("ifftn", x.origin());
  Expr y(x.value());
  const Several all(y, s, axes, "ifftn");
  for (std::size_t i = all.axes.size(); i-- > 0;) y = ifft(y, all.lengths[i], all.axes[i], norm);
  return y;
}

Expr rfftn(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("rfftn", x.origin());
  Expr y(x.value());
  const Several all(y, s, axes, "rfftn");
  y = rfft(y, all.lengths.back(), all.axes.back(), norm);
  for (std::size_t i = all.axes.size() - 1; i-- > 0;) y = fft(y, all.lengths[i], all.axes[i], norm);
  return y;
}

Expr irfftn(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("irfftn", x.origin());
  Expr y(x.value());
  const Several all(y, s, axes, "irfftn");
  for (std::size_t i = 0; i + 1 < all.axes.size(); ++i)
    y = ifft(y, all.lengths[i], all.axes[i], norm);
  return irfft(y, all.lengths.back(), all.axes.back(), norm);
}

Expr fftfreq(const Dim& n, double d, DType dtype) {
  const Expr k = arange(n);
  const Expr turned = where(less(2 * k, extent(n)), k, k - extent(n));
  return cast(turned, dtype) / (cast(extent(n), dtype) * d);
}

Expr rfftfreq(const Dim& n, double d, DType dtype) {
  return cast(arange(floor_div(n, 2) + 1), dtype) / (cast(extent(n), dtype) * d);
}

Expr fftshift(const Arg& x, const Axes& axes) {
  const CallScope call("fftshift", x.origin());
  return shifted_spectrum(x, axes, false);
}

Expr ifftshift(const Arg& x, const Axes& axes) {
  const CallScope call("ifftshift", x.origin());
  return shifted_spectrum(x, axes, true);
}

Expr fft2(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("fft2", x.origin());
  return fftn(x, std::move(s), axes, norm);
}

Expr ifft2(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("ifft2", x.origin());
  return ifftn(x, std::move(s), axes, norm);
}

Expr rfft2(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("rfft2", x.origin());
  return rfftn(x, std::move(s), axes, norm);
}

Expr irfft2(const Arg& x, std::optional<Shape> s, const Axes& axes, Norm norm) {
  const CallScope call("irfft2", x.origin());
  return irfftn(x, std::move(s), axes, norm);
}

}  // namespace fft

}  // namespace gnomon
