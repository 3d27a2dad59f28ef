// Sorted arrays, and what is found by sorting: places, largest elements, quantiles, counts.
//
// NaN counts as larger than all numbers: it is last in ascending order and first in descending.
#pragma once

#include <optional>
#include <utility>

#include "ir/graph/expr.h"

namespace gnomon {

/// Which elements come first: the smallest, or the largest.
enum class Order : bool { ascending, descending };

/// The elements along an axis in order. Derivatives go to where the elements come from.
Expr sort(const Arg& x, std::int64_t axis = -1, Order order = Order::ascending);
/// The places (int64) that sort x; equal elements keep their order.
Expr argsort(const Arg& x, std::int64_t axis = -1, Order order = Order::ascending);
/// The `count` largest elements along an axis, or the smallest if `order` is ascending, first the
/// extreme one; their places (int64), of equal elements the first. ValueError when the axis has
/// fewer.
Expr topk(const Arg& x, std::int64_t count, std::int64_t axis = -1,
          Order order = Order::descending);
Expr argtopk(const Arg& x, std::int64_t count, std::int64_t axis = -1,
             Order order = Order::descending);
std::pair<Expr, Expr> topk_and_argtopk(const Arg& x, std::int64_t count, std::int64_t axis = -1,
                                       Order order = Order::descending);
/// Complex numbers in order along the last axis: by real parts, equal ones by the others. Real
/// ones become complex.
Expr sort_complex(const Arg& x);
/// The places that sort by the last key, and those equal in it by the key before, and so on.
Expr lexsort(const ExprList& keys, std::int64_t axis = -1);

/// Before equal elements, or behind them.
enum class Side : bool { left, right };
/// How many elements of the ascending vector `sorted` are less than each value (left), or not
/// greater (right): where it would be inserted. int64, of the shape of `values`. That `sorted`
/// ascends is not checked.
Expr searchsorted(const Arg& sorted, const Arg& values, Side side = Side::left);

/// How a quantile lies between two elements: NumPy's names.
enum class Interpolation : std::uint8_t { linear, lower, higher, midpoint, nearest };
/// The value below which a part q, in [0, 1], of the elements lies: q may be a number or an array,
/// whose axes come first. Of all elements, or along one axis. NaN if an element is, or of none.
/// ValueError, of the call unless q is a constant: a q outside [0, 1].
Expr quantile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis = {},
              Interpolation method = Interpolation::linear);
/// The middle element, or the mean of the two.
Expr median(const Arg& x, std::optional<std::int64_t> axis = {});

/// How often 0, ..., length - 1 occur in a vector of integers, int64; with weights: the sums of
/// those. ValueError of the call for integers outside.
Expr bincount(const Arg& x, const Dim& length, std::optional<Expr> weights = {});
/// How many elements lie in each of the intervals between ascending `edges`, the last one closed:
/// int64 [edges less 1]. ValueError of the call: edges that do not ascend.
Expr histogram(const Arg& x, const Arg& edges);

}  // namespace gnomon
