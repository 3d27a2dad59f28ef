// Arrays joined to one, cut into several, and with parts put in or taken out.
#pragma once

#include <initializer_list>
#include <optional>
#include <vector>

#include "stdlib/ops.h"

namespace gnomon {

/// The arrays one after another along an axis: `concatenate`.
Expr concat(const ExprList& arrays, std::int64_t axis = 0);
/// x with `values` behind it along an axis; without one both are flattened.
Expr append(const Arg& x, const Arg& values, std::optional<std::int64_t> axis = {});
/// The arrays one below the other, vectors being rows. ValueError: no arrays.
Expr vstack(const ExprList& arrays);
Expr row_stack(const ExprList& arrays);
/// The arrays side by side: along axis 1, vectors along axis 0. ValueError: no arrays.
Expr hstack(const ExprList& arrays);
/// The arrays along axis 2, those of lower rank as by `atleast_3d`. ValueError: no arrays.
Expr dstack(const ExprList& arrays);
/// Vectors as the columns of a matrix, beside the columns of matrices. ValueError: no arrays.
Expr column_stack(const ExprList& arrays);
/// The matrix of rows of blocks: those of a row lie beside each other, the rows one below the
/// other. ValueError: no blocks.
Expr block(std::initializer_list<std::initializer_list<Expr>> rows,
           Arg::Place at = Arg::Place::current());
Expr block(const std::vector<std::vector<Expr>>& rows, Arg::Place at = Arg::Place::current());
/// x with `values`, of its rank, before a place of an axis; an array of lower rank, which
/// broadcasts to a slice of x there, is one slice. ValueError: the place is known to be outside.
Expr insert(const Arg& x, const Dim& place, const Arg& values, std::int64_t axis = 0);
/// x without the slices at some places of an axis, whose extent is known (TypeError): NumPy's
/// `delete`. ValueError: a place is outside.
Expr erase(const Arg& x, const IntList& places, std::int64_t axis = 0);

/// As `split` into parts along an axis of a known extent (TypeError), which need not divide: the
/// first are one longer.
std::vector<Expr> array_split(const Arg& x, std::int64_t parts, std::int64_t axis = 0);
/// `split` along axis 0. ValueError: fewer than two axes.
std::vector<Expr> vsplit(const Arg& x, std::int64_t parts);
/// `split` along axis 1, of vectors along axis 0. ValueError: no axes.
std::vector<Expr> hsplit(const Arg& x, std::int64_t parts);
/// `split` along axis 2. ValueError: fewer than three axes.
std::vector<Expr> dsplit(const Arg& x, std::int64_t parts);
/// The slices at each place of an axis of a known extent (TypeError), without the axis.
std::vector<Expr> unstack(const Arg& x, std::int64_t axis = 0);

}  // namespace gnomon
