// NumPy's arrangements of elements as functions over expressions: turned, repeated, padded, cut.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"
#include "stdlib/ops.h"

namespace gnomon {

/// x with the order of elements reversed along axes; all of them by default.
Expr flip(const Arg& x, const Axes& axes = {});
/// Element i of an axis at position i + shift, around the end.
Expr roll(const Arg& x, std::int64_t shift, std::int64_t axis = -1);
/// x turned by k quarters in the plane of two axes, from the first to the second. ValueError: they
/// are one.
Expr rot90(const Arg& x, std::int64_t k = 1, std::int64_t from = 0, std::int64_t to = 1);
/// x as the tiles of a larger array: times[k] of them along axis k. Missing axes of x come first.
Expr tile(const Arg& x, const IntList& times);
/// Each element `times` times along an axis, one after another.
Expr repeat(const Arg& x, std::int64_t times, std::int64_t axis = -1);
/// As many equal parts along an axis; ValueError of the call where the extent does not divide.
std::vector<Expr> split(const Arg& x, std::int64_t parts, std::int64_t axis = 0);
/// Parts along an axis that is cut before the given positions.
std::vector<Expr> split_at(const Arg& x, const Shape& positions, std::int64_t axis = 0);

/// What is put around an array, by NumPy's names.
enum class PadMode : std::uint8_t {
  constant,   ///< `value`
  edge,       ///< the first and the last element
  reflect,    ///< x in a mirror on its last element
  symmetric,  ///< x in a mirror behind its last element
  wrap,       ///< the other end of x
  maximum,    ///< of the whole axis
  mean,       ///< of the whole axis
  median,     ///< of the whole axis
  minimum,    ///< of the whole axis
};
/// x with widths[k] = {before, behind} elements more along axis k. ValueError: not as many widths
/// as axes, or one below 0.
Expr pad(const Arg& x, std::span<const std::pair<std::int64_t, std::int64_t>> widths,
         PadMode mode = PadMode::constant, const Arg& value = 0);
Expr pad(const Arg& x, std::initializer_list<std::pair<std::int64_t, std::int64_t>> widths,
         PadMode mode = PadMode::constant, const Arg& value = 0);

/// The diagonal of the last two axes, `offset` above the main one.
Expr diagonal(const Arg& x, std::int64_t offset = 0);
/// The matrix with a vector (ValueError) on its diagonal, 0 elsewhere.
Expr diag(const Arg& x, std::int64_t offset = 0);
/// Sum of the diagonal.
Expr trace(const Arg& x, std::int64_t offset = 0);
/// x with zeros above the diagonal `offset` of the last two axes.
Expr tril(const Arg& x, std::int64_t offset = 0);
/// x with zeros below the diagonal `offset` of the last two axes.
Expr triu(const Arg& x, std::int64_t offset = 0);
/// Kronecker's product of matrices (ValueError): the blocks a[i, j] * b.
Expr kron(const Arg& a, const Arg& b);

/// `count` floats at equal distances from start to stop, which is the last one.
Expr linspace(const Arg& start, const Arg& stop, std::int64_t count = 50);
/// The same with equal ratios.
Expr geomspace(const Arg& start, const Arg& stop, std::int64_t count = 50);
/// Vectors (ValueError) as the coordinates of a grid whose axis k is that of vector k: arrays of
/// its shape. NumPy's with `indexing="ij"`.
std::vector<Expr> meshgrid(const ExprList& vectors);

}  // namespace gnomon
