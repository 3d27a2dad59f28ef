// Axes in another order or number, as expressions of `transpose` and `reshape`.
#include "stdlib/arrays/axes.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/parts.h"

namespace gnomon {

namespace {

IntList all_axes(const Expr& x) {
  IntList order(x.shape().size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// Each from 0, in the order given.
IntList distinct_axes(const IntList& axes, int rank, std::string_view what) {
  IntList found;
  for (const std::int64_t axis : axes) {
    const std::int64_t at = normalize_axis(axis, rank, what);
    if (std::ranges::find(found, at) != found.end())
      throw ValueError(fmt::format("{}: expected distinct axes, found {} twice", what, at));
    found.push_back(at);
  }
  return found;
}

}  // namespace

Expr ravel(const Arg& x) {
  const CallScope call("ravel", x.origin());
  return reshape(x, {-1});
}

Expr permute_dims(const Arg& x, IntList axes) {
  const CallScope call("permute_dims", x.origin());
  return transpose(x, std::move(axes));
}

Expr matrix_transpose(const Arg& x) {
  const CallScope call("matrix_transpose", x.origin());
  return swapaxes(x, -2, -1);
}

Expr swapaxes(const Arg& x, std::int64_t axis1, std::int64_t axis2) {
  const CallScope call("swapaxes", x.origin());
  const Expr v(x.value());
  const auto at = [&](std::int64_t axis) {
    return static_cast<std::size_t>(normalize_axis(axis, v.rank(), "swapaxes"));
  };
  IntList order = all_axes(v);
  std::swap(order[at(axis1)], order[at(axis2)]);
  return transpose(v, order);
}

Expr moveaxis(const Arg& x, const IntList& source, const IntList& destination) {
  const CallScope call("moveaxis", x.origin());
  const Expr v(x.value());
  const IntList from = distinct_axes(source, v.rank(), "moveaxis");
  const IntList to = distinct_axes(destination, v.rank(), "moveaxis");
  if (from.size() != to.size())
    throw ValueError(fmt::format("moveaxis: expected as many places as axes, found {} and {}",
                                 to.size(), from.size()));
  IntList order = all_axes(v);
  std::erase_if(order, [&](std::int64_t k) { return std::ranges::find(from, k) != from.end(); });
  std::vector<std::pair<std::int64_t, std::int64_t>> moved;
  for (std::size_t i = 0; i < from.size(); ++i) moved.emplace_back(to[i], from[i]);
  std::ranges::sort(moved);
  for (const auto& [place, axis] : moved) order.insert(order.begin() + place, axis);
  return transpose(v, order);
}

Expr moveaxis(const Arg& x, std::int64_t source, std::int64_t destination) {
  return moveaxis(x, IntList{source}, IntList{destination});
}

Expr rollaxis(const Arg& x, std::int64_t axis, std::int64_t start) {
  const CallScope call("rollaxis", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "rollaxis");
  const std::int64_t to = start < 0 ? start + v.rank() : start;
  if (to < 0 || to > v.rank())
    throw ValueError(fmt::format("rollaxis: expected a place among the axes of {}, found {}",
                                 describe(v), start));
  IntList order = all_axes(v);
  order.erase(order.begin() + at);
  order.insert(order.begin() + (to > at ? to - 1 : to), at);
  return transpose(v, order);
}

Expr atleast_1d(const Arg& x) {
  const CallScope call("atleast_1d", x.origin());
  return with_rank(Expr(x.value()), 1);
}

Expr atleast_2d(const Arg& x) {
  const CallScope call("atleast_2d", x.origin());
  return with_rank(Expr(x.value()), 2);
}

Expr atleast_3d(const Arg& x) {
  const CallScope call("atleast_3d", x.origin());
  const Expr v = with_rank(Expr(x.value()), 2);
  return v.rank() == 2 ? expand_dims(v, 2) : v;
}

Expr flipud(const Arg& x) {
  const CallScope call("flipud", x.origin());
  return flip(x, 0);
}

Expr fliplr(const Arg& x) {
  const CallScope call("fliplr", x.origin());
  return flip(x, 1);
}

std::vector<Expr> broadcast_arrays(const ExprList& arrays) {
  const CallScope call("broadcast_arrays", arrays.origin());
  if (arrays.empty()) return {};
  // The shape of a sum of bools, which have one dtype.
  Expr together;
  for (const Expr& x : arrays) {
    const Expr one = not_equal(x, x);
    together = together.defined() ? logical_or(together, one) : one;
  }
  std::vector<Expr> result;
  for (const Expr& x : arrays) result.push_back(broadcast_to(x, together.shape()));
  return result;
}

Expr resize(const Arg& x, const Shape& shape) {
  const CallScope call("resize", x.origin());
  const Expr line = ravel(x);
  const Dim count = element_count(shape);
  return reshape(take(line, arange(count) % extent(line.dim(0))), shape);
}

Expr sliding_window_view(const Arg& x, std::int64_t extent, std::int64_t axis) {
  const CallScope call("sliding_window_view", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "sliding_window_view");
  const Dim& n = v.shape()[static_cast<std::size_t>(at)];
  if (extent < 0 || (n.is_constant() && n.constant() < extent))
    throw ValueError(fmt::format("sliding_window_view: expected windows of {} along axis {} of {}",
                                 extent, at, describe(v)));
  const Expr places = expand_dims(arange(n - extent + 1), 1) + arange(Dim(extent));
  return moveaxis(take(v, places, at), at + 1, -1);
}

std::int64_t ndim(const Arg& x) { return x.value().rank(); }

Dim size(const Arg& x) { return element_count(x.value().shape()); }

}  // namespace gnomon
