// Convolutions made of `conv` and its gradients (stdlib/ops.h), and windows of images as arrays.
//
// Images are [N, C, ...] with 1 to 3 spatial axes. `Windows` says how windows lie on an image; a
// list in it holds one number for all axes, one an axis, or, for `padding`, a pair an axis.
#pragma once

#include "stdlib/ops.h"

namespace gnomon::nn {

/// The transpose of `conv` with the same weights: x[N, C, ...] and w[C, O / groups, ...] give
/// y[N, O, ...] with (n - 1) stride - padding before and behind + dilation (k - 1) + 1 + extra
/// elements on each axis. `extra`, below the stride, stands for what a division by the stride has
/// lost.
Expr conv_transpose(const Arg& x, const Arg& w, const Windows& windows = {},
                    const IntList& extra = {0});
/// `conv` of each channel by itself, depthwise[C m, 1, ...], then pointwise[O, C m, 1, ...], which
/// mixes them. The number of channels is a constant (TypeError); `groups` is not used.
Expr separable_conv(const Arg& x, const Arg& depthwise, const Arg& pointwise,
                    const Windows& windows = {});
/// `conv` of x[N, C, n] with one spatial axis, where element i sees the elements up to i only: all
/// padding, dilation (k - 1) zeros, is before the first. Padding in `windows` is not used.
Expr causal_conv1d(const Arg& x, const Arg& w, const Windows& windows = {});
/// `conv` with weights of its own for each place of the result: w[O, places..., C / groups,
/// window...].
Expr unshared_conv(const Arg& x, const Arg& w, const Windows& windows = {});

/// The elements that windows of extents `size` see, those outside of the image being 0:
/// [N, C, size..., places...].
Expr patches(const Arg& x, const Shape& size, const Windows& windows = {});

/// How `images2neibs` treats images that blocks do not fill.
enum class Borders : std::uint8_t {
  valid,          ///< blocks must fill the image
  ignore,         ///< what is left over does not count
  half,           ///< as valid, with size / 2 zeros on all sides
  full,           ///< as valid, with size - 1 zeros on all sides
  wrap_centered,  ///< odd blocks around every `step`-th element; the image goes on at its ends
};
/// Blocks of size[2] of the last two axes of x[N, C, h, w], `step` apart (by default their size),
/// as rows of a matrix: in the order of images, channels, rows and columns.
Expr images2neibs(const Arg& x, const IntList& size, const IntList& step = {},
                  Borders borders = Borders::valid);
/// The images of the given shape whose blocks of size[2], side by side, are the rows of `neibs`; 0
/// where a border was ignored. ValueError: other borders than `valid` and `ignore`.
Expr neibs2images(const Arg& neibs, const IntList& size, const Shape& shape,
                  Borders borders = Borders::valid);

/// x[N, C, h, w] on a grid `ratio` times as fine on each of the last two axes, by linear
/// interpolation; element i stands at (i - (ratio - 1) / 2) / ratio of the old grid, rounded down
/// where the ratio is even, and the image goes on with its borders. Of the result every `step`-th
/// element is taken, so that ratio / step is a fractional ratio.
Expr bilinear_upsampling(const Arg& x, const IntList& ratio, const IntList& step = {1});

}  // namespace gnomon::nn
