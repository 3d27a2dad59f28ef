// Arrangements of elements as expressions of slices, gathers and changes of shape.
#include "stdlib/arrays/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/sorting.h"

namespace gnomon {

namespace {

Expr matrices(const Arg& x, std::string_view what) {
  const Expr v(x.value());
  if (v.rank() < 2)
    throw ValueError(fmt::format("{}: expected matrices, found {}", what, describe(v)));
  return v;
}

// Row and column of each element of the last two axes.
std::pair<Expr, Expr> row_and_column(const Expr& x) {
  return {expand_dims(arange(x.dim(-2)), 1), arange(x.dim(-1))};
}

// The place on an axis of extent n that position i, which may be outside, has its value from.
Expr place_inside(const Expr& i, const Dim& extent_of_axis, PadMode mode) {
  const Expr n = extent(extent_of_axis);
  if (mode == PadMode::wrap) return i % n;
  const bool reflects = mode == PadMode::reflect;
  const Expr around = reflects ? maximum(2 * (n - 1), 1) : 2 * n;
  const Expr place = i % around;
  return minimum(place, (reflects ? around : around - 1) - place);
}

Expr statistic(const Expr& x, std::int64_t axis, PadMode mode) {
  if (mode == PadMode::maximum) return max(x, axis, keepdims);
  if (mode == PadMode::minimum) return min(x, axis, keepdims);
  const Expr value =
      mode == PadMode::mean ? mean(x, axis, keepdims) : expand_dims(median(x, axis), axis);
  return cast(is_integer(x.dtype()) ? round(value) : value, x.dtype());
}

// `count` places of an axis, from `start` on.
Expr run_of_axis(const Expr& x, std::int64_t axis, const Dim& start, const Dim& count) {
  const std::size_t rank = x.shape().size();
  Shape starts(rank, 0), counts = x.shape();
  starts[static_cast<std::size_t>(axis)] = start, counts[static_cast<std::size_t>(axis)] = count;
  return slice(x, starts, counts, Shape(rank, 1));
}

using Width = std::pair<std::int64_t, std::int64_t>;

// What stands before the elements along an axis, they, and what stands behind them; `around` gives
// what is repeated beside a place.
std::vector<Expr> parts_of_axis(const Expr& x, std::int64_t axis, const Width& width,
                                const std::function<Expr(const Dim&)>& around) {
  const auto repeated = [&](std::int64_t count, const Dim& place) {
    Shape shape = x.shape();
    shape[static_cast<std::size_t>(axis)] = count;
    return broadcast_to(around(place), shape);
  };
  std::vector<Expr> parts;
  if (width.first != 0) parts.push_back(repeated(width.first, 0));
  parts.push_back(x);
  if (width.second != 0)
    parts.push_back(repeated(width.second, x.shape()[static_cast<std::size_t>(axis)] - 1));
  return parts;
}

Expr pad_axis(const Expr& x, std::int64_t axis, const Width& width, PadMode mode,
              const Expr& value) {
  const auto [before, behind] = width;
  const Dim& n = x.shape()[static_cast<std::size_t>(axis)];
  const bool repeats =
      mode == PadMode::reflect || mode == PadMode::symmetric || mode == PadMode::wrap;
  if (repeats) return take(x, place_inside(arange(n + before + behind) - before, n, mode), axis);
  const Expr filling = mode == PadMode::constant ? value : statistic(x, axis, mode);
  return concatenate(parts_of_axis(x, axis, width, [&](const Dim&) { return filling; }), axis);
}

std::vector<Expr> edge_parts(const Expr& x, std::size_t axis, std::span<const Width> widths) {
  const auto at = static_cast<std::int64_t>(axis);
  return parts_of_axis(x, at, widths[axis],
                       [&](const Dim& place) { return run_of_axis(x, at, place, 1); });
}

// Each part of one axis is padded along the others, so that all parts are written where they go.
Expr joined_edges(const Expr& x, std::span<const std::size_t> axes, std::span<const Width> widths) {
  if (axes.empty()) return x;
  std::vector<Expr> parts = edge_parts(x, axes[0], widths);
  for (Expr& part : parts) part = joined_edges(part, axes.subspan(1), widths);
  return concatenate(parts, static_cast<std::int64_t>(axes[0]));
}

Expr pad_with_edges(Expr x, std::span<const Width> widths) {
  constexpr std::size_t joined = 2;  // axes: of more there would be too many parts
  std::vector<std::size_t> axes;
  for (std::size_t k = 0; k < widths.size(); ++k)
    if (widths[k].first + widths[k].second > 0) axes.push_back(k);
  const std::size_t alone = axes.size() > joined ? axes.size() - joined : 0;
  for (std::size_t k = 0; k < alone; ++k)
    x = concatenate(edge_parts(x, axes[k], widths), static_cast<std::int64_t>(axes[k]));
  return joined_edges(x, std::span<const std::size_t>(axes).subspan(alone), widths);
}

}  // namespace

Expr flip(const Arg& x, const Axes& axes) {
  const CallScope call("flip", x.origin());
  const Expr v(x.value());
  IntList list = axes.list;
  if (axes.all)
    for (int k = 0; k < v.rank(); ++k) list.push_back(k);
  Expr y = v;
  for (const std::int64_t axis : list)
    y = part_of_axis(y, normalize_axis(axis, v.rank(), "flip"), Range{{}, {}, -1});
  return y;
}

Expr roll(const Arg& x, std::int64_t shift, std::int64_t axis) {
  const CallScope call("roll", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "roll");
  const Dim& n = v.shape()[static_cast<std::size_t>(at)];
  if (n.is(0)) return v;
  const Dim cut = mod(n - shift, n);
  const Expr behind = run_of_axis(v, at, cut, n - cut), before = run_of_axis(v, at, 0, cut);
  // Its extents are those of x: what is computed of them would grow from roll to roll.
  return shaped(concatenate({behind, before}, at), v.shape(), "roll");
}

Expr rot90(const Arg& x, std::int64_t k, std::int64_t from, std::int64_t to) {
  const CallScope call("rot90", x.origin());
  const Expr v(x.value());
  const std::int64_t a = normalize_axis(from, v.rank(), "rot90");
  const std::int64_t b = normalize_axis(to, v.rank(), "rot90");
  if (a == b) throw ValueError(fmt::format("rot90: expected two axes, found {} twice", a));
  const std::int64_t quarters = (k % 4 + 4) % 4;
  if (quarters == 0) return v;
  if (quarters == 2) return flip(v, {a, b});
  IntList order;
  for (std::int64_t axis = 0; axis < v.rank(); ++axis)
    order.push_back(axis == a ? b : axis == b ? a : axis);
  return quarters == 1 ? transpose(flip(v, b), order) : flip(transpose(v, order), b);
}

Expr tile(const Arg& x, const IntList& times) {
  const CallScope call("tile", x.origin());
  const Expr v(x.value());
  const std::size_t rank = std::max(times.size(), v.shape().size());
  Shape lined, spread, result;
  for (std::size_t k = 0; k < rank; ++k) {
    const std::size_t missing = rank - v.shape().size(), ones = rank - times.size();
    const Dim n = k < missing ? Dim(1) : v.shape()[k - missing];
    const Dim t = k < ones ? Dim(1) : Dim(times[k - ones]);
    lined.insert(lined.end(), {Dim(1), n});
    spread.insert(spread.end(), {t, n});
    result.push_back(t * n);
  }
  return reshape(broadcast_to(reshape(v, lined), spread), result);
}

Expr repeat(const Arg& x, std::int64_t times, std::int64_t axis) {
  const CallScope call("repeat", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "repeat");
  Shape spread = v.shape(), result = v.shape();
  spread.insert(spread.begin() + at + 1, Dim(times));
  result[static_cast<std::size_t>(at)] = result[static_cast<std::size_t>(at)] * Dim(times);
  return reshape(broadcast_to(expand_dims(v, at + 1), spread), result);
}

std::vector<Expr> split(const Arg& x, std::int64_t parts, std::int64_t axis) {
  const CallScope call("split", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "split");
  const Dim& n = v.shape()[static_cast<std::size_t>(at)];
  if (parts < 1 || (n.is_constant() && n.constant() % parts != 0))
    throw ValueError(
        fmt::format("split: expected equal parts, found {} of {}", parts, describe(v)));
  // The axis as two: its reshape is the check that the parts are equal.
  Shape shape = v.shape();
  shape[static_cast<std::size_t>(at)] = floor_div(n, parts);
  shape.insert(shape.begin() + at, Dim(parts));
  const Expr cut = reshape(v, shape);
  std::vector<Expr> result;
  for (std::int64_t i = 0; i < parts; ++i) result.push_back(place_of_axis(cut, at, i));
  return result;
}

std::vector<Expr> split_at(const Arg& x, const Shape& positions, std::int64_t axis) {
  const CallScope call("split_at", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "split_at");
  std::vector<Expr> result;
  Range range{Dim(0), {}, 1};
  for (const Dim& position : positions) {
    range.stop = position;
    result.push_back(part_of_axis(v, at, range));
    range.start = position;
  }
  range.stop.reset();
  result.push_back(part_of_axis(v, at, range));
  return result;
}

Expr pad(const Arg& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths, PadMode mode,
         const Arg& value) {
  const CallScope call("pad", x.origin());
  Expr y(x.value());
  if (widths.size() != y.shape().size())
    throw ValueError(fmt::format("pad: expected widths of each axis of {}, found {}", describe(y),
                                 widths.size()));
  for (const Width& width : widths)
    if (width.first < 0 || width.second < 0) throw ValueError("pad: expected widths of at least 0");
  if (mode == PadMode::edge) return pad_with_edges(y, widths);
  const Expr filling = cast(Expr(value.as(y.dtype())), y.dtype());
  for (std::size_t k = 0; k < widths.size(); ++k) {
    if (widths[k].first + widths[k].second > 0)
      y = pad_axis(y, static_cast<std::int64_t>(k), widths[k], mode, filling);
  }
  return y;
}

Expr pad(const Arg& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths,
         PadMode mode, const Arg& value) {
  const CallScope call("pad", x.origin());
  return pad(x, std::span(widths.begin(), widths.size()), mode, value);
}

Expr diagonal(const Arg& x, std::int64_t offset) {
  const CallScope call("diagonal", x.origin());
  const Expr v = matrices(x, "diagonal");
  const std::int64_t down = std::max<std::int64_t>(-offset, 0),
                     right = std::max<std::int64_t>(offset, 0);
  const Dim n = max(min(v.dim(-2) - down, v.dim(-1) - right), 0);
  const Expr i = arange(n);
  const Expr at[] = {i + down, i + right};
  return index(v, {v.rank() - 2, v.rank() - 1}, at);
}

Expr diag(const Arg& x, std::int64_t offset) {
  const CallScope call("diag", x.origin());
  const Expr v(x.value());
  if (v.rank() != 1)
    throw ValueError(fmt::format("diag: expected a vector, found {}", describe(v)));
  const Dim n = v.dim(0) + std::abs(offset);
  const Expr i = arange(v.dim(0));
  const Expr at[] = {i + std::max<std::int64_t>(-offset, 0), i + std::max<std::int64_t>(offset, 0)};
  return set_index(full({n, n}, constant(0.0, v.dtype())), v, {0, 1}, at);
}

Expr trace(const Arg& x, std::int64_t offset) {
  const CallScope call("trace", x.origin());
  return sum(diagonal(x, offset), -1);
}

Expr tril(const Arg& x, std::int64_t offset) {
  const CallScope call("tril", x.origin());
  const Expr v = matrices(x, "tril");
  const auto [row, column] = row_and_column(v);
  return where(column <= row + offset, v, 0);
}

Expr triu(const Arg& x, std::int64_t offset) {
  const CallScope call("triu", x.origin());
  const Expr v = matrices(x, "triu");
  const auto [row, column] = row_and_column(v);
  return where(column >= row + offset, v, 0);
}

Expr kron(const Arg& a, const Arg& b) {
  const CallScope call("kron", a.origin());
  const Expr x(a.value()), y(b.value());
  if (x.rank() != 2 || y.rank() != 2)
    throw ValueError(
        fmt::format("kron: expected matrices, found {} and {}", describe(x), describe(y)));
  const Expr left = reshape(x, {x.dim(0), 1, x.dim(1), 1});
  const Expr right = reshape(y, {1, y.dim(0), 1, y.dim(1)});
  return reshape(left * right, {x.dim(0) * y.dim(0), x.dim(1) * y.dim(1)});
}

Expr linspace(const Arg& start, const Arg& stop, std::int64_t count) {
  const CallScope call("linspace", start.origin());
  auto [first, last] = promoted(start, stop);
  first = as_floats(first), last = as_floats(last);
  const Expr i = arange(Dim(count), first.dtype());
  if (count < 2) return first + i * 0;
  const Expr y = i * ((last - first) / static_cast<double>(count - 1)) + first;
  return where(i >= static_cast<double>(count - 1), last, y);
}

Expr geomspace(const Arg& start, const Arg& stop, std::int64_t count) {
  const CallScope call("geomspace", start.origin());
  auto [first, last] = promoted(start, stop);
  first = as_floats(first), last = as_floats(last);
  const Expr share = linspace(constant(0.0, first.dtype()), constant(1.0, first.dtype()), count);
  const Expr y = first * exp(share * log(last / first));
  return count < 2 ? y : where(equal(share, 1), last, y);
}

std::vector<Expr> meshgrid(const ExprList& vectors) {
  const CallScope call("meshgrid", vectors.origin());
  Shape shape;
  for (const Expr& v : vectors) {
    if (v.rank() != 1)
      throw ValueError(fmt::format("meshgrid: expected vectors, found {}", describe(v)));
    shape.push_back(v.dim(0));
  }
  std::vector<Expr> grids;
  for (std::size_t k = 0; k < vectors.size(); ++k) {
    grids.push_back(broadcast_to(lying_along(vectors[k], k, shape.size()), shape));
  }
  return grids;
}

}  // namespace gnomon
