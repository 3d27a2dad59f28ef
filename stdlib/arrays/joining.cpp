// Joined and cut arrays, as expressions of `concatenate` and slices.
#include "stdlib/arrays/joining.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/arrays/parts.h"

namespace gnomon {

namespace {

template <class Change>
std::vector<Expr> each_changed(const ExprList& arrays, std::string_view what,
                               const Change& change) {
  if (arrays.empty()) throw ValueError(fmt::format("{}: expected arrays, found none", what));
  std::vector<Expr> result;
  for (const Expr& x : arrays) result.push_back(change(x));
  return result;
}

std::vector<Expr> cut_along(const Arg& x, std::int64_t parts, std::int64_t axis, int least,
                            std::string_view what) {
  const Expr v(x.value());
  if (v.rank() < least)
    throw ValueError(
        fmt::format("{}: expected {} axes or more, found {}", what, least, describe(v)));
  return split(v, parts, axis);
}

}  // namespace

Expr concat(const ExprList& arrays, std::int64_t axis) {
  const CallScope call("concat", arrays.origin());
  return concatenate(arrays, axis);
}

Expr append(const Arg& x, const Arg& values, std::optional<std::int64_t> axis) {
  const CallScope call("append", x.origin());
  const auto part = [&](const Arg& a) { return axis ? Expr(a.value()) : ravel(a); };
  return concatenate({part(x), part(values)}, axis.value_or(0));
}

Expr vstack(const ExprList& arrays) {
  const CallScope call("vstack", arrays.origin());
  return concatenate(each_changed(arrays, "vstack", [](const Expr& x) { return atleast_2d(x); }));
}

Expr row_stack(const ExprList& arrays) {
  const CallScope call("row_stack", arrays.origin());
  return vstack(arrays);
}

Expr hstack(const ExprList& arrays) {
  const CallScope call("hstack", arrays.origin());
  const std::vector<Expr> parts =
      each_changed(arrays, "hstack", [](const Expr& x) { return atleast_1d(x); });
  return concatenate(parts, parts[0].rank() == 1 ? 0 : 1);
}

Expr dstack(const ExprList& arrays) {
  const CallScope call("dstack", arrays.origin());
  return concatenate(each_changed(arrays, "dstack", [](const Expr& x) { return atleast_3d(x); }),
                     2);
}

Expr column_stack(const ExprList& arrays) {
  const CallScope call("column_stack", arrays.origin());
  const auto columns = [](const Expr& x) { return x.rank() < 2 ? transpose(atleast_2d(x)) : x; };
  return concatenate(each_changed(arrays, "column_stack", columns), 1);
}

Expr block(const std::vector<std::vector<Expr>>& rows, Arg::Place at) {
  const CallScope call("block", {at.file_name(), at.line()});
  int rank = 2;
  for (const std::vector<Expr>& row : rows)
    for (const Expr& x : row) rank = std::max(rank, x.rank());
  std::vector<Expr> joined;
  for (const std::vector<Expr>& row : rows) {
    const auto grown = [&](const Expr& x) { return with_rank(x, rank); };
    joined.push_back(concatenate(each_changed(row, "block", grown), rank - 1));
  }
  if (joined.empty()) throw ValueError("block: expected rows of blocks, found none");
  return concatenate(joined, rank - 2);
}

Expr block(std::initializer_list<std::initializer_list<Expr>> rows, Arg::Place at) {
  return block(std::vector<std::vector<Expr>>(rows.begin(), rows.end()), at);
}

Expr insert(const Arg& x, const Dim& place, const Arg& values, std::int64_t axis) {
  const CallScope call("insert", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "insert");
  const Dim& n = v.shape()[static_cast<std::size_t>(at)];
  const bool is_known = place.is_constant() && n.is_constant();
  const Dim before = place.is_constant() && place.constant() < 0 ? n + place : place;
  if (is_known && (before.constant() < 0 || before.constant() > n.constant()))
    throw ValueError(fmt::format("insert: expected a place from 0 to {}, found {}", n.constant(),
                                 place.constant()));
  Expr middle = cast(Expr(values.as(v.dtype())), v.dtype());
  if (middle.rank() < v.rank())
    middle = expand_dims(broadcast_to(middle,
                                      [&] {
                                        Shape slice = v.shape();
                                        slice.erase(slice.begin() + at);
                                        return slice;
                                      }()),
                         at);
  middle = broadcast_to(middle,
                        with_extent(v.shape(), at, middle.shape()[static_cast<std::size_t>(at)]));
  return concatenate(
      {part_of_axis(v, at, until(before)), middle, part_of_axis(v, at, from(before))}, at);
}

Expr erase(const Arg& x, const IntList& places, std::int64_t axis) {
  const CallScope call("erase", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "erase");
  const std::int64_t n = known_extent(v, at, "erase");
  std::vector<bool> is_gone(static_cast<std::size_t>(n));
  for (const std::int64_t place : places) {
    if (place < -n || place >= n)
      throw ValueError(
          fmt::format("erase: expected places of axis {} of {}, found {}", at, describe(v), place));
    is_gone[static_cast<std::size_t>(place < 0 ? place + n : place)] = true;
  }
  // Neighbours stay together.
  std::vector<Expr> parts = {part_of_axis(v, at, Range{0, 0})};
  for (std::int64_t first = 0; first < n;) {
    std::int64_t end = first;
    while (end < n && !is_gone[static_cast<std::size_t>(end)]) ++end;
    if (end > first) parts.push_back(part_of_axis(v, at, Range{first, end}));
    first = end + 1;
  }
  return parts.size() == 2 ? parts[1] : concatenate(parts, at);
}

std::vector<Expr> array_split(const Arg& x, std::int64_t parts, std::int64_t axis) {
  const CallScope call("array_split", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "array_split");
  if (parts < 1) throw ValueError(fmt::format("array_split: expected parts, found {}", parts));
  const std::int64_t n = known_extent(v, at, "array_split"), longer = n % parts;
  std::vector<Expr> result;
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < parts; ++i) {
    const std::int64_t end = first + n / parts + (i < longer ? 1 : 0);
    result.push_back(part_of_axis(v, at, Range{first, end}));
    first = end;
  }
  return result;
}

std::vector<Expr> vsplit(const Arg& x, std::int64_t parts) {
  const CallScope call("vsplit", x.origin());
  return cut_along(x, parts, 0, 2, "vsplit");
}

std::vector<Expr> hsplit(const Arg& x, std::int64_t parts) {
  const CallScope call("hsplit", x.origin());
  return cut_along(x, parts, x.value().rank() == 1 ? 0 : 1, 1, "hsplit");
}

std::vector<Expr> dsplit(const Arg& x, std::int64_t parts) {
  const CallScope call("dsplit", x.origin());
  return cut_along(x, parts, 2, 3, "dsplit");
}

std::vector<Expr> unstack(const Arg& x, std::int64_t axis) {
  const CallScope call("unstack", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "unstack");
  const std::int64_t n = known_extent(v, at, "unstack");
  std::vector<Expr> result;
  for (std::int64_t i = 0; i < n; ++i) result.push_back(place_of_axis(v, at, i));
  return result;
}

}  // namespace gnomon
