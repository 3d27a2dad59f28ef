// Systems by factors that are there, and numbers of matrices, as expressions of operations.
#include <fmt/format.h>

#include <array>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/statistics.h"

namespace gnomon {

namespace {

// The rows of x, columns, in an order for each matrix.
Expr rows_in_order(const Expr& x, const Expr& order) {
  const Expr places = expand_dims(order, -1);
  const Shape batch = common_batch(x, places);
  return take_along_axis(with_batch(x, batch), with_batch(places, batch), -2);
}

// A vector as a column, and the column of a result as a vector.
template <class Solve>
Expr by_columns(const Expr& b, const Solve& solve) {
  return b.rank() == 1 ? squeeze(solve(expand_dims(b, 1)), -1) : solve(b);
}

}  // namespace

Expr lu_solve(const LuFactor& factors, const Arg& b, bool transposed) {
  const CallScope call("lu_solve", b.origin());
  const Expr& lu = factors.lu;
  const Expr unit = lower_triangle(lu, 1) + eye(lu.dim(-1), lu.dtype());
  return by_columns(as_floats(b), [&](const Expr& columns) {
    if (!transposed)
      return solve_triangular(lu, solve_triangular(unit, rows_in_order(columns, factors.rows)),
                              false);
    const Expr y = solve_triangular(lu, columns, false, true);
    return rows_in_order(solve_triangular(unit, y, true, true), argsort(factors.rows));
  });
}

Expr cho_solve(const Arg& c, const Arg& b, bool lower) {
  const CallScope call("cho_solve", c.origin());
  const Expr factor = as_matrices(c, "cho_solve"), other = conj(factor);
  if (lower) return solve_triangular(other, solve_triangular(factor, b), true, true);
  return solve_triangular(factor, solve_triangular(other, b, false, true), false);
}

Lu lu(const Arg& a) {
  const CallScope call("lu", a.origin());
  const Expr x = as_matrices(a, "lu");
  const LuFactor f = lu_factor(x);
  const Dim m = x.dim(-2), n = x.dim(-1);
  const Expr order = equal(expand_dims(f.rows, -2), expand_dims(arange(m), 1));
  const Expr lower = index(f.lu, std::array{Index(ellipsis), Index(until(m))});
  const Expr upper = index(f.lu, std::array{Index(ellipsis), Index(until(n)), Index(all_of)});
  const Expr place = expand_dims(arange(m), 1), column = arange(lower.dim(-1));
  const Expr l = where(column < place, lower, where(equal(column, place), 1, 0));
  const DType t = is_complex(x.dtype()) ? real(x).dtype() : x.dtype();
  return {cast(order, t), l, triu(upper)};
}

Expr solve_continuous_lyapunov(const Arg& a, const Arg& q) {
  const CallScope call("solve_continuous_lyapunov", a.origin());
  const Expr x = as_matrices(a, "solve_continuous_lyapunov");
  return solve_sylvester(x, adjoint(x), q);
}

Expr tensorsolve(const Arg& a, const Arg& b) {
  const CallScope call("tensorsolve", a.origin());
  const Expr x = as_floats(a), right = as_floats(b);
  if (x.rank() < right.rank())
    throw ValueError(fmt::format("tensorsolve: expected the axes of b and more, found {} for {}",
                                 describe(x), describe(right)));
  const Dim n = element_count(right.shape());
  const Shape rest(x.shape().begin() + right.rank(), x.shape().end());
  return reshape(solve(reshape(x, {n, n}), reshape(right, {n})), rest);
}

Expr tensorinv(const Arg& a, std::int64_t rows) {
  const CallScope call("tensorinv", a.origin());
  const Expr x = as_floats(a);
  if (rows < 1 || rows >= x.rank())
    throw ValueError(
        fmt::format("tensorinv: expected axes of rows from 1 to {}, found {}", x.rank() - 1, rows));
  const Shape first(x.shape().begin(), x.shape().begin() + rows);
  Shape result(x.shape().begin() + rows, x.shape().end());
  const Dim n = element_count(first);
  const Expr inverse = inv(reshape(x, {n, n}));
  result.insert(result.end(), first.begin(), first.end());
  return reshape(inverse, result);
}

Expr matrix_norm(const Arg& a, MatrixNorm which) {
  const CallScope call("matrix_norm", a.origin());
  const Expr x = as_matrices(a, "matrix_norm");
  switch (which) {
    case MatrixNorm::frobenius: return norm(x, 2, {-2, -1});
    case MatrixNorm::largest_column: return max(sum(absolute(x), -2), -1);
    case MatrixNorm::smallest_column: return min(sum(absolute(x), -2), -1);
    case MatrixNorm::largest_row: return max(sum(absolute(x), -1), -1);
    case MatrixNorm::smallest_row: return min(sum(absolute(x), -1), -1);
    case MatrixNorm::largest_singular: return max(svdvals(x), -1);
    case MatrixNorm::smallest_singular: return min(svdvals(x), -1);
    case MatrixNorm::nuclear: return sum(svdvals(x), -1);
  }
  throw InternalError("matrix_norm: no such norm");
}

namespace linalg {

Expr cond(const Arg& a, MatrixNorm by) {
  const CallScope call("cond", a.origin());
  const Expr x = as_matrices(a, "cond");
  const bool largest = by == MatrixNorm::largest_singular;
  if (!largest && by != MatrixNorm::smallest_singular)
    return matrix_norm(x, by) * matrix_norm(inv(x), by);
  const Expr values = svdvals(x), high = max(values, -1), low = min(values, -1);
  return largest ? high / low : low / high;
}

}  // namespace linalg

}  // namespace gnomon
