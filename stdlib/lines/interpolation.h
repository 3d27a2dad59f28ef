// Lines through points, intervals, slopes, and what else is said of ordered samples.
#pragma once

#include <optional>
#include <vector>

#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"

namespace gnomon {

/// Piecewise linear through the points (xp[i], fp[i]), xp ascending, at each x; outside the values
/// at the ends, or those given. ValueError: xp or fp is no vector, or there are no points.
Expr interp(const Arg& x, const Arg& xp, const Arg& fp, const std::optional<Arg>& left = {},
            const std::optional<Arg>& right = {});
/// The number of the interval between bins that each element lies in, int64, of x's shape:
/// bins[i - 1] <= x < bins[i], or bins[i - 1] < x <= bins[i] if their right ends belong to them;
/// the other way round for bins that descend. ValueError: the bins are no vector, or (of the call)
/// in no order.
Expr digitize(const Arg& x, const Arg& bins, Side closed = Side::left);
/// The edges of `bins` intervals of one width from the smallest element to the largest one: a
/// vector.
Expr histogram_bin_edges(const Arg& x, std::int64_t bins = 10);
/// How many of the points with the coordinates x[i], y[i] lie in each rectangle between ascending
/// edges, the last ones closed (int64): [edges of x less 1, edges of y less 1]. ValueError: no
/// vectors, or fewer than two edges.
Expr histogram2d(const Arg& x, const Arg& y, const Arg& x_edges, const Arg& y_edges);
/// The same of points[n, d] in the cells between d vectors of edges.
Expr histogramdd(const Arg& points, const ExprList& edges);

/// Slopes along an axis: central differences of neighbours that are `spacing` apart, one-sided ones
/// at the ends. ValueError: the axis is known to have fewer than two elements.
Expr gradient(const Arg& x, const Arg& spacing = 1.0, std::int64_t axis = -1);
/// Differences of neighbours in the flattened array.
Expr ediff1d(const Arg& x);
/// The correlations of the rows of a matrix of samples.
Expr corrcoef(const Arg& samples);
/// Running sums, and products, along an axis: `cumsum`, `cumprod`.
Expr cumulative_sum(const Arg& x, std::int64_t axis = 0);
Expr cumulative_prod(const Arg& x, std::int64_t axis = 0);

/// The elements along an axis with the kth in its place, the smaller ones before it. All of them
/// are in order. ValueError: the axis is known to be shorter.
Expr partition(const Arg& x, std::int64_t kth, std::int64_t axis = -1);
/// The places (int64) of the elements of `partition`.
Expr argpartition(const Arg& x, std::int64_t kth, std::int64_t axis = -1);
/// The y with x[y[i]] = i along the last axis, for permutations x of 0, 1, ..., n - 1. ValueError
/// of the call for what is none.
Expr inverse_permutation(const Arg& x);
/// x with the elements of the last axis in the order of places, which broadcast.
Expr permute_row_elements(const Arg& x, const Arg& order);

/// values[choices[i]][i] for integers below the number of arrays, which broadcast. IndexError of
/// the call for others.
Expr choose(const Arg& choices, const ExprList& values);
/// The value of the first condition that holds, 0 or `otherwise` where none does. ValueError: not
/// as many values as conditions.
Expr select(const ExprList& conditions, const ExprList& values, const Arg& otherwise = 0);

}  // namespace gnomon
