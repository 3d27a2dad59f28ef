// Lines and intervals, by the places that a search finds.
#include "stdlib/lines/interpolation.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <vector>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/reductions/statistics.h"

namespace gnomon {

namespace {

void expect_kth(const Expr& x, std::int64_t kth, std::int64_t axis, std::string_view what) {
  const Dim& n = x.shape()[static_cast<std::size_t>(normalize_axis(axis, x.rank(), what))];
  if (n.is_constant() && (kth < -n.constant() || kth >= n.constant()))
    throw ValueError(fmt::format("{}: expected a place of axis {} of {}, found {}", what, axis,
                                 describe(x), kth));
}

Expr count_in_cells(std::span<const Expr> coordinates, std::span<const Expr> edges,
                    std::string_view what) {
  Shape shape;
  std::vector<Index> cell;
  Expr is_inside;
  for (std::size_t k = 0; k < edges.size(); ++k) {
    if (edges[k].rank() != 1 || coordinates[k].rank() != 1)
      throw ValueError(fmt::format("{}: expected vectors, found {} and {}", what,
                                   describe(coordinates[k]), describe(edges[k])));
    if (edges[k].dim(0).is(0) || edges[k].dim(0).is(1))
      throw ValueError(
          fmt::format("{}: expected two edges or more, found {}", what, describe(edges[k])));
    const auto [x, line] = promoted(coordinates[k], edges[k]);
    shape.push_back(line.dim(0) - 1);
    const Expr last = extent(shape.back()) - 1;
    Expr place = searchsorted(line, x, Side::right) - 1;
    place = where(equal(x, place_of_axis(line, 0, -1)), last, place);
    const Expr held = logical_and(greater_equal(place, 0), less_equal(place, last));
    is_inside = is_inside.defined() ? logical_and(is_inside, held) : held;
    cell.emplace_back(clip(place, 0, last));
  }
  return inc_at(filled(shape, 0, DType::int64), cell, cast(is_inside, DType::int64));
}

}  // namespace

Expr interp(const Arg& x, const Arg& xp, const Arg& fp, const std::optional<Arg>& left,
            const std::optional<Arg>& right) {
  const CallScope call("interp", x.origin());
  const auto [at, places] = promoted(as_floats(x), xp);
  Expr values = cast(as_floats(fp), promote(at.dtype(), as_floats(fp).dtype()));
  for (const Expr& line : {places, values})
    if (line.rank() != 1 || line.dim(0).is(0))
      throw ValueError(fmt::format("interp: expected vectors of points, found {}", describe(line)));
  values = shaped(values, places.shape(), "interp: expected as many numbers in fp as in xp");
  const Expr last = extent(places.dim(0)) - 1;
  const Expr behind = clip(searchsorted(places, at, Side::right), 1, maximum(last, 1));
  const Expr before = behind - 1, after = minimum(behind, last);
  const Expr x0 = take(places, before), y0 = take(values, before);
  const Expr width = take(places, after) - x0, rise = take(values, after) - y0;
  const Expr inside = y0 + (at - x0) / where(equal(width, 0), 1, width) * rise;
  const auto end_of = [](const Expr& line, int place) { return place_of_axis(line, 0, place); };
  const auto outside = [&](const std::optional<Arg>& given, int place) {
    return given ? Expr(given->as(values.dtype())) : end_of(values, place);
  };
  const Expr below = outside(left, 0), above = outside(right, -1);
  const Expr y =
      where(at < end_of(places, 0), below, where(at > end_of(places, -1), above, inside));
  return where(equal(at, end_of(places, -1)), end_of(values, -1), y);
}

Expr digitize(const Arg& x, const Arg& bins, Side closed) {
  const CallScope call("digitize", x.origin());
  const auto [v, given] = promoted(x, bins);
  if (given.rank() != 1)
    throw ValueError(fmt::format("digitize: expected a vector of bins, found {}", describe(given)));
  const Expr before = given(until(-1)), behind = given(from(1));
  const Expr ascends = all(less_equal(before, behind));
  const Expr edges = check(given, ascends || all(greater_equal(before, behind)),
                           "digitize: expected ascending or descending bins, not NaN");
  const Expr places = searchsorted(where(ascends, edges, flip(edges)), v,
                                   closed == Side::right ? Side::left : Side::right);
  return where(ascends, places, extent(given.dim(0)) - places);
}

Expr histogram_bin_edges(const Arg& x, std::int64_t bins) {
  const CallScope call("histogram_bin_edges", x.origin());
  if (bins < 1) throw ValueError(fmt::format("histogram_bin_edges: expected bins, found {}", bins));
  const Expr v = as_floats(x);
  if (element_count(v.shape()).is(0))
    return linspace(constant(0.0, v.dtype()), constant(1.0, v.dtype()), bins + 1);
  const Expr low = min(v), high = max(v);
  // One value is in the middle of an interval of width 1.
  const Expr half = cast(where(equal(low, high), 0.5, 0.0), v.dtype());
  return linspace(low - half, high + half, bins + 1);
}

Expr histogram2d(const Arg& x, const Arg& y, const Arg& x_edges, const Arg& y_edges) {
  const CallScope call("histogram2d", x.origin());
  const auto [a, b] = promoted(x, y);
  const std::array edges{Expr(x_edges.value()), Expr(y_edges.value())};
  return count_in_cells(std::array{a, b}, edges, "histogram2d");
}

Expr histogramdd(const Arg& points, const ExprList& edges) {
  const CallScope call("histogramdd", points.origin());
  Expr v(points.value());
  const auto d = static_cast<std::int64_t>(edges.size());
  const std::string text = fmt::format("histogramdd: expected points [n, {}]", d);
  if (v.rank() != 2) throw ValueError(fmt::format("{}, found {}", text, describe(v)));
  v = shaped(v, {v.dim(0), d}, text);
  std::vector<Expr> columns;
  for (std::size_t k = 0; k < edges.size(); ++k)
    columns.push_back(place_of_axis(v, 1, static_cast<std::int64_t>(k)));
  return count_in_cells(columns, edges, "histogramdd");
}

Expr gradient(const Arg& x, const Arg& spacing, std::int64_t axis) {
  const CallScope call("gradient", x.origin());
  const Expr v = as_floats(x);
  const std::int64_t at = normalize_axis(axis, v.rank(), "gradient");
  const Dim& n = v.shape()[static_cast<std::size_t>(at)];
  if (n.is_constant() && n.constant() < 2)
    throw ValueError(fmt::format("gradient: expected two elements or more along axis {} of {}", at,
                                 describe(v)));
  const Expr step(spacing.as(v.dtype()));
  const Expr slope = diff(v, 1, at) / step;
  const Expr middle = (part_of_axis(v, at, from(2)) - part_of_axis(v, at, until(-2))) / (step * 2);
  return concatenate({part_of_axis(slope, at, until(1)), middle, part_of_axis(slope, at, from(-1))},
                     at);
}

Expr ediff1d(const Arg& x) {
  const CallScope call("ediff1d", x.origin());
  return diff(ravel(x));
}

Expr corrcoef(const Arg& samples) {
  const CallScope call("corrcoef", samples.origin());
  const Expr covariances = cov(samples), deviation = sqrt(diagonal(covariances));
  return clip(covariances / expand_dims(deviation, 1) / deviation, -1.0, 1.0);
}

Expr cumulative_sum(const Arg& x, std::int64_t axis) {
  const CallScope call("cumulative_sum", x.origin());
  return cumsum(x, axis);
}

Expr cumulative_prod(const Arg& x, std::int64_t axis) {
  const CallScope call("cumulative_prod", x.origin());
  return cumprod(x, axis);
}

Expr partition(const Arg& x, std::int64_t kth, std::int64_t axis) {
  const CallScope call("partition", x.origin());
  expect_kth(Expr(x.value()), kth, axis, "partition");
  return sort(x, axis);
}

Expr argpartition(const Arg& x, std::int64_t kth, std::int64_t axis) {
  const CallScope call("argpartition", x.origin());
  expect_kth(Expr(x.value()), kth, axis, "argpartition");
  return argsort(x, axis);
}

Expr inverse_permutation(const Arg& x) {
  const CallScope call("inverse_permutation", x.origin());
  const Expr v(x.value());
  if (v.rank() < 1 || !is_integer(v.dtype()))
    throw TypeError(
        fmt::format("inverse_permutation: expected integers along an axis, found {}", describe(v)));
  const Expr y = argsort(v);
  const Expr is_order = equal(take_along_axis(v, y), arange(v.dim(-1)));
  return check(y, is_order, "inverse_permutation: expected each of 0, ..., n - 1 once");
}

Expr permute_row_elements(const Arg& x, const Arg& order) {
  const CallScope call("permute_row_elements", x.origin());
  const Expr v(x.value());
  Expr places(order.value());
  if (places.rank() < v.rank())
    places = broadcast_to(places, with_extent(v.shape(), v.rank() - 1, places.dim(-1)));
  return take_along_axis(v, places);
}

Expr choose(const Arg& choices, const ExprList& values) {
  const CallScope call("choose", choices.origin());
  if (values.empty()) throw ValueError("choose: expected arrays to choose from, found none");
  const Expr given = cast(Expr(choices.value()), DType::int64);
  const auto count = static_cast<std::int64_t>(values.size());
  const Expr inside = logical_and(greater_equal(given, 0), less(given, count));
  const Expr chosen = check_index(given, inside, given, count,
                                  "choose: choice {value} is out of range for {bound} arrays");
  Expr y = values.back();
  for (std::size_t k = values.size() - 1; k-- > 0;)
    y = where(equal(chosen, static_cast<std::int64_t>(k)), values[k], y);
  if (values.size() > 1) return y;
  // No choice depends on the checked places.
  y = broadcast_arrays({y, given})[0];
  return check_index(y, inside, given, count,
                     "choose: choice {value} is out of range for {bound} arrays");
}

Expr select(const ExprList& conditions, const ExprList& values, const Arg& otherwise) {
  const CallScope call("select", conditions.origin());
  if (conditions.empty() || conditions.size() != values.size())
    throw ValueError(fmt::format("select: expected a value for each condition, found {} and {}",
                                 conditions.size(), values.size()));
  Expr y = where(conditions.back(), values.back(), otherwise);
  for (std::size_t k = values.size() - 1; k-- > 0;) y = where(conditions[k], values[k], y);
  return y;
}

}  // namespace gnomon
