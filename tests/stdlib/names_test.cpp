// The functions that are composed of operations, under the names that Python has for them: values,
// dtypes and shapes beside those of NumPy and SciPy.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "frontend/gnomon.h"

using namespace gnomon;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

struct NamedValue {
  const char* name;
  Expr value;
  DType dtype;
  std::vector<std::int64_t> shape;
  std::vector<double> numbers;  // complex ones as pairs
};

// The elements as float64, complex ones as pairs.
Expr numbers_of(const Expr& x) {
  if (is_complex(x.dtype())) return stack({real(x), imag(x)}, -1);
  return cast(x, float64);
}

bool is_near(double found, double expected) {
  if (std::isnan(expected)) return std::isnan(found);
  if (std::isinf(expected)) return found == expected;
  return std::abs(found - expected) <= 1e-11 * std::max(1.0, std::abs(expected));
}

}  // namespace

TEST_CASE("functions with the names of Python give NumPy's and SciPy's values") {
  const Expr v = vector("v"), w = vector("w"), m = matrix("m"), s = matrix("s"), h = vector("h");
  // Where extents have to be known.
  const Expr five = tensor("five", float64, {5}), three = tensor("three", float64, {3});
  const Expr pairs = tensor("pairs", float64, {2, 3});
  const Expr n = vector("n", int64), k = vector("k", int64), b = vector("b", bool_);
  const std::vector<NamedValue> cases = {
      {"ravel", ravel(m), float64, {6}, {1, 2, 3, 4, 5, 7}},
      {"permute_dims", permute_dims(m), float64, {3, 2}, {1, 4, 2, 5, 3, 7}},
      {"matrix_transpose", matrix_transpose(m), float64, {3, 2}, {1, 4, 2, 5, 3, 7}},
      {"swapaxes", swapaxes(m, 0, -1), float64, {3, 2}, {1, 4, 2, 5, 3, 7}},
      {"moveaxis",
       moveaxis(reshape(arange(24), {2, 3, 4}), {0, 2}, {1, 0}),
       int64,
       {4, 2, 3},
       {0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
      {"moveaxis",
       moveaxis(reshape(arange(24), {2, 3, 4}), 0, -1),
       int64,
       {3, 4, 2},
       {0, 12, 1, 13, 2, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}},
      {"rollaxis",
       rollaxis(reshape(arange(24), {2, 3, 4}), 2),
       int64,
       {4, 2, 3},
       {0, 4, 8, 12, 16, 20, 1, 5, 9, 13, 17, 21, 2, 6, 10, 14, 18, 22, 3, 7, 11, 15, 19, 23}},
      {"rollaxis",
       rollaxis(reshape(arange(24), {2, 3, 4}), 0, 3),
       int64,
       {3, 4, 2},
       {0, 12, 1, 13, 2, 14, 3, 15, 4, 16, 5, 17, 6, 18, 7, 19, 8, 20, 9, 21, 10, 22, 11, 23}},
      {"atleast_1d", atleast_1d(v(0)), float64, {1}, {3}},
      {"atleast_2d", atleast_2d(v), float64, {1, 5}, {3, 1, 2, 0, 2}},
      {"atleast_3d", atleast_3d(v), float64, {1, 5, 1}, {3, 1, 2, 0, 2}},
      {"atleast_3d", atleast_3d(m), float64, {2, 3, 1}, {1, 2, 3, 4, 5, 7}},
      {"flipud", flipud(m), float64, {2, 3}, {4, 5, 7, 1, 2, 3}},
      {"fliplr", fliplr(m), float64, {2, 3}, {3, 2, 1, 7, 5, 4}},
      {"broadcast_arrays",
       broadcast_arrays({expand_dims(w, 1), v})[0],
       float64,
       {3, 5},
       {1, 1, 1, 1, 1, -2, -2, -2, -2, -2, 0.5, 0.5, 0.5, 0.5, 0.5}},
      {"resize", resize(m, {2, 4}), float64, {2, 4}, {1, 2, 3, 4, 5, 7, 1, 2}},
      {"sliding_window_view",
       sliding_window_view(v, 3),
       float64,
       {3, 3},
       {3, 1, 2, 1, 2, 0, 2, 0, 2}},
      {"concat", concat({v, w}), float64, {8}, {3, 1, 2, 0, 2, 1, -2, 0.5}},
      {"append", append(m, w), float64, {9}, {1, 2, 3, 4, 5, 7, 1, -2, 0.5}},
      {"append", append(m, m, 0), float64, {4, 3}, {1, 2, 3, 4, 5, 7, 1, 2, 3, 4, 5, 7}},
      {"vstack", vstack({w, m}), float64, {3, 3}, {1, -2, 0.5, 1, 2, 3, 4, 5, 7}},
      {"row_stack", row_stack({w, w}), float64, {2, 3}, {1, -2, 0.5, 1, -2, 0.5}},
      {"hstack", hstack({v, w}), float64, {8}, {3, 1, 2, 0, 2, 1, -2, 0.5}},
      {"hstack", hstack({m, m}), float64, {2, 6}, {1, 2, 3, 1, 2, 3, 4, 5, 7, 4, 5, 7}},
      {"dstack", dstack({w, w}), float64, {1, 3, 2}, {1, 1, -2, -2, 0.5, 0.5}},
      {"column_stack",
       column_stack({w, transpose(m)}),
       float64,
       {3, 3},
       {1, 1, 4, -2, 2, 5, 0.5, 3, 7}},
      {"block", block({{s, transpose(m)}, {m, eye(2)}}), float64, {5, 5}, {4, 1, 0, 1, 4, 1, 3,
                                                                           1, 2, 5, 0, 1, 2, 3,
                                                                           7, 1, 2, 3, 1, 0, 4,
                                                                           5, 7, 0, 1}},
      {"insert", insert(v, 2, 9), float64, {6}, {3, 1, 9, 2, 0, 2}},
      {"insert", insert(m, -1, w(range(0, 2)), 1), float64, {2, 4}, {1, 2, 1, 3, 4, 5, -2, 7}},
      {"insert",
       insert(m, 1, expand_dims(w, 0), 0),
       float64,
       {3, 3},
       {1, 2, 3, 1, -2, 0.5, 4, 5, 7}},
      {"erase", erase(five, {0, -2}), float64, {3}, {1, 2, 2}},
      {"erase", erase(pairs, {1}, 1), float64, {2, 2}, {1, 3, 4, 7}},
      {"array_split", array_split(five, 3)[0], float64, {2}, {3, 1}},
      {"array_split", array_split(five, 3)[2], float64, {1}, {2}},
      {"vsplit", vsplit(pairs, 2)[1], float64, {1, 3}, {4, 5, 7}},
      {"hsplit", hsplit(pairs, 3)[1], float64, {2, 1}, {2, 5}},
      {"dsplit", dsplit(reshape(arange(8), {2, 2, 2}), 2)[1], int64, {2, 2, 1}, {1, 3, 5, 7}},
      {"unstack", unstack(pairs, 1)[2], float64, {2}, {3, 7}},
      {"zeros_like", zeros_like(m), float64, {2, 3}, {0, 0, 0, 0, 0, 0}},
      {"ones_like", ones_like(n), int64, {4}, {1, 1, 1, 1}},
      {"full_like", full_like(m, 2.5), float64, {2, 3}, {2.5, 2.5, 2.5, 2.5, 2.5, 2.5}},
      {"identity", identity(2), float64, {2, 2}, {1, 0, 0, 1}},
      {"tri", tri(2, 3, 1), float64, {2, 3}, {1, 1, 0, 1, 1, 1}},
      {"diagflat",
       diagflat(m(all_of, range(0, 2))),
       float64,
       {4, 4},
       {1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0, 0, 0, 0, 5}},
      {"vander", vander(w, 3), float64, {3, 3}, {1, 1, 1, 4, -2, 1, 0.25, 0.5, 1}},
      {"vander", vander(k, 3, Powers::increasing), int64, {3, 3}, {1, 2, 4, 1, 0, 0, 1, 1, 1}},
      {"logspace", logspace(0.0, 2.0, 3), float64, {3}, {1, 10, 100}},
      {"indices", indices({2, 3})[1], int64, {2, 3}, {0, 1, 2, 0, 1, 2}},
      {"tril_indices", tril_indices(2, 3)[1], int64, {3}, {0, 0, 1}},
      {"triu_indices", triu_indices(3, 3, 1)[0], int64, {3}, {0, 0, 1}},
      {"tril_indices_from", tril_indices_from(m)[0], int64, {3}, {0, 1, 1}},
      {"triu_indices_from", triu_indices_from(m)[1], int64, {5}, {0, 1, 2, 1, 2}},
      {"diag_indices", diag_indices(3)[1], int64, {3}, {0, 1, 2}},
      {"diag_indices_from", diag_indices_from(s)[0], int64, {3}, {0, 1, 2}},
      {"ix_", ix_({k, b})[1], int64, {1, 2}, {0, 2}},
      {"ravel_multi_index", ravel_multi_index({k, k}, {3, 4}), int64, {3}, {10, 0, 5}},
      {"unravel_index", unravel_index(k * 3, {3, 4})[1], int64, {3}, {2, 0, 3}},
      {"fill_diagonal", fill_diagonal(s, 7), float64, {3, 3}, {7, 1, 0, 1, 7, 1, 0, 1, 7}},
      {"fill_diagonal", fill_diagonal(s, w), float64, {3, 3}, {1, 1, 0, 1, -2, 1, 0, 1, 0.5}},
      {"fill_diagonal_offset",
       fill_diagonal_offset(s, w(range(0, 2)), 1),
       float64,
       {3, 3},
       {4, 1, 0, 1, 3, -2, 0, 1, 2}},
      {"isin", isin(v, w), bool_, {5}, {false, true, false, false, false}},
      {"union1d", union1d(v, w), float64, {6}, {-2, 0, 0.5, 1, 2, 3}},
      {"intersect1d", intersect1d(v, w), float64, {1}, {1}},
      {"setdiff1d", setdiff1d(v, w), float64, {3}, {0, 2, 3}},
      {"setxor1d", setxor1d(v, w), float64, {5}, {-2, 0, 0.5, 2, 3}},
      {"unique_inverse", unique_inverse(v).second, int64, {5}, {3, 1, 2, 0, 2}},
      {"unique_all", unique_all(v).counts, int64, {4}, {1, 1, 2, 1}},
      {"trim_zeros",
       trim_zeros(concat({zeros_like(w), v, zeros_like(w)})),
       float64,
       {5},
       {3, 1, 2, 0, 2}},
      {"vdot", vdot(m, m), float64, {}, {104}},
      {"vecdot", vecdot(m, w), float64, {2}, {-1.5, -2.5}},
      {"inner", inner(m, w), float64, {2}, {-1.5, -2.5}},
      {"matvec", matvec(m, w), float64, {2}, {-1.5, -2.5}},
      {"vecmat", vecmat(w, s), float64, {3}, {2, -4.5, -1}},
      {"batched_dot",
       batched_dot(stack({s, s}), stack({w, w})),
       float64,
       {2, 3},
       {2, -4.5, -1, 2, -4.5, -1}},
      {"batched_dot",
       batched_dot(stack({s, s}), stack({s, s})),
       float64,
       {2, 3, 3},
       {17, 7, 1, 7, 11, 5, 1, 5, 5, 17, 7, 1, 7, 11, 5, 1, 5, 5}},
      {"batched_tensordot",
       batched_tensordot(stack({s, s}), stack({s, s}), 2),
       float64,
       {2},
       {33, 33}},
      {"cross", cross(w, s), float64, {3, 3}, {-0.5, 2, 9, -3.5, -0.5, 5, -4.5, -2, 1}},
      {"multi_dot", multi_dot({m, s, s, w}), float64, {2}, {-41, -94}},
      {"matrix_power",
       matrix_power(s, 5),
       float64,
       {3, 3},
       {1557, 999, 315, 999, 873, 369, 315, 369, 189}},
      {"matrix_power",
       matrix_power(s, -2),
       float64,
       {3, 3},
       {0.0925925925925926, -0.0925925925925926, 0.07407407407407408, -0.0925925925925926,
        0.2592592592592593, -0.24074074074074078, 0.07407407407407408, -0.24074074074074078,
        0.425925925925926}},
      {"matrix_power", matrix_power(s, 0), float64, {3, 3}, {1, 0, 0, 0, 1, 0, 0, 0, 1}},
      {"block_diag", block_diag({m, w, v(0)}), float64, {4, 7}, {1, 2, 3, 0, 0, 0, 0, 4, 5,  7,
                                                                 0, 0, 0, 0, 0, 0, 0, 1, -2, 0.5,
                                                                 0, 0, 0, 0, 0, 0, 0, 3}},
      {"lu_solve",
       lu_solve(lu_factor(s), w),
       float64,
       {3},
       {0.5277777777777777, -1.111111111111111, 0.8055555555555556}},
      {"lu_solve",
       lu_solve(lu_factor(s + triu(s)), transpose(m), true),
       float64,
       {3, 2},
       {0.10119047619047619, 0.4464285714285714, 0.1904761904761905, 0.4285714285714286,
        0.6547619047619047, 1.5357142857142856}},
      {"cho_solve",
       cho_solve(cholesky(s), w),
       float64,
       {3},
       {0.5277777777777777, -1.111111111111111, 0.8055555555555556}},
      {"cho_solve",
       cho_solve(transpose(cholesky(s)), w, false),
       float64,
       {3},
       {0.5277777777777777, -1.111111111111111, 0.8055555555555556}},
      {"matmul", matmul(matmul(lu(m).p, lu(m).l), lu(m).u), float64, {2, 3}, {1, 2, 3, 4, 5, 7}},
      {"lu", lu(transpose(m)).u, float64, {2, 2}, {3, 7, 0, 1.666666666666667}},
      {"solve_continuous_lyapunov",
       solve_continuous_lyapunov(s, s),
       float64,
       {3, 3},
       {0.4999999999999994, -3.4503613631685067e-16, -8.397191120226137e-17,
        -2.5912431805682055e-16, 0.49999999999999956, -4.833391496047942e-17,
        -5.836323683201436e-17, -8.467709555763597e-17, 0.5000000000000001}},
      {"tensorsolve",
       tensorsolve(reshape(s, {3, 3, 1}), w),
       float64,
       {3, 1},
       {0.5277777777777777, -1.111111111111111, 0.8055555555555556}},
      {"tensorinv",
       tensorinv(s, 1),
       float64,
       {3, 3},
       {0.2777777777777778, -0.11111111111111112, 0.05555555555555556, -0.11111111111111112,
        0.4444444444444445, -0.22222222222222224, 0.05555555555555556, -0.22222222222222224,
        0.6111111111111112}},
      {"matrix_norm", matrix_norm(m), float64, {}, {10.198039027185569}},
      {"matrix_norm", matrix_norm(m, MatrixNorm::largest_column), float64, {}, {10}},
      {"matrix_norm", matrix_norm(m, MatrixNorm::smallest_row), float64, {}, {6}},
      {"matrix_norm", matrix_norm(m, MatrixNorm::nuclear), float64, {}, {10.762534997211358}},
      {"linalg::cond", linalg::cond(s), float64, {}, {3.732050807568878}},
      {"linalg::cond", linalg::cond(s, MatrixNorm::largest_row), float64, {}, {4.444444444444445}},
      {"cofactors",
       cofactors(s),
       float64,
       {3, 3},
       {4.999999999999999, -1.9999999999999998, 0.9999999999999999, -1.9999999999999998,
        7.999999999999999, -3.9999999999999996, 0.9999999999999999, -3.9999999999999996,
        10.999999999999998}},
      {"linalg::vector_norm", linalg::vector_norm(m, 1, 1), float64, {2}, {6, 16}},
      {"interp", interp(w, arange(4) * 1.0, v(range(0, 4))), float64, {3}, {1, 3, 2}},
      {"interp",
       interp(w, arange(4) * 1.0, v(range(0, 4)), constant(-1.0, float64)),
       float64,
       {3},
       {1, -1, 2}},
      {"digitize", digitize(v, sort(w)), int64, {5}, {3, 3, 3, 1, 3}},
      {"digitize", digitize(v, sort(w), Side::right), int64, {5}, {3, 2, 3, 1, 3}},
      {"histogram_bin_edges", histogram_bin_edges(v, 4), float64, {5}, {0, 0.75, 1.5, 2.25, 3}},
      {"histogram2d", histogram2d(v, v, arange(4), arange(3)), int64, {3, 2}, {1, 0, 0, 1, 0, 2}},
      {"histogramdd",
       histogramdd(transpose(m), {arange(5), arange(9)}),
       int64,
       {4, 8},
       {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
        0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
      {"gradient", gradient(v), float64, {5}, {-2, -0.5, -0.5, 0, 2}},
      {"gradient", gradient(m, 0.5, 0), float64, {2, 3}, {6, 6, 8, 6, 6, 8}},
      {"ediff1d", ediff1d(m), float64, {5}, {1, 1, 1, 1, 2}},
      {"corrcoef", corrcoef(m), float64, {2, 2}, {1, 0.9819805060619656, 0.9819805060619656, 1}},
      {"cumulative_sum", cumulative_sum(v), float64, {5}, {3, 4, 6, 6, 8}},
      {"cumulative_prod", cumulative_prod(m, 1), float64, {2, 3}, {1, 2, 6, 4, 20, 140}},
      {"partition", partition(v, 2), float64, {5}, {0, 1, 2, 2, 3}},
      {"argpartition", argpartition(v, 2), int64, {5}, {3, 1, 2, 4, 0}},
      {"inverse_permutation", inverse_permutation(k), int64, {3}, {1, 2, 0}},
      {"permute_row_elements", permute_row_elements(m, k), float64, {2, 3}, {3, 1, 2, 7, 4, 5}},
      {"choose", choose(k, {w, w * 2, w * 3}), float64, {3}, {3, -2, 1}},
      {"select", select({w > 0.6, w < 0}, {w * 10, w - 1}, -5), float64, {3}, {10, -3, -5}},
      {"polyval", polyval(three, five), float64, {5}, {3.5, -0.5, 0.5, 0.5, 0.5}},
      {"polyadd", polyadd(five, three), float64, {5}, {3, 1, 3, -2, 2.5}},
      {"polysub", polysub(three, five), float64, {5}, {-3, -1, -1, -2, -1.5}},
      {"polymul", polymul(five, three), float64, {7}, {3, -5, 1.5, -3.5, 3, -4, 1}},
      {"polydiv", polydiv(five, three).first, float64, {3}, {3, 7, 14.5}},
      {"polydiv", polydiv(five, three).second, float64, {2}, {25.5, -5.25}},
      {"polyder", polyder(five, 2), float64, {3}, {36, 6, 4}},
      {"polyint",
       polyint(three, 2),
       float64,
       {5},
       {0.08333333333333333, -0.3333333333333333, 0.25, 0, 0}},
      {"poly", poly(three), float64, {4}, {1, 0.5, -2.5, 1}},
      {"sort_complex",
       sort_complex(roots(three)),
       complex128,
       {2},
       {0.2928932188134525, 0, 1.7071067811865475, 0}},
      {"polyfit",
       polyfit(five(range(0, 4)), n(range(0, 4)) * 1.0, 2),
       float64,
       {3},
       {-0.5000000000000012, 4.299999999999999, -2.6999999999999953}},
      {"bartlett", bartlett(5), float64, {5}, {0, 0.5, 1, 0.5, 0}},
      {"hanning",
       hanning(6),
       float64,
       {6},
       {0, 0.34549150281252633, 0.9045084971874737, 0.9045084971874737, 0.34549150281252633, 0}},
      {"hamming",
       hamming(5),
       float64,
       {5},
       {0.08000000000000002, 0.54, 1, 0.54, 0.08000000000000002}},
      {"blackman",
       blackman(6),
       float64,
       {6},
       {-1.3877787807814457e-17, 0.2007701432625305, 0.8492298567374694, 0.8492298567374694,
        0.2007701432625305, -1.3877787807814457e-17}},
      {"kaiser",
       kaiser(5, 4.0),
       float64,
       {5},
       {0.08848052607644988, 0.6334317797559347, 1, 0.6334317797559347, 0.08848052607644988}},
      {"convolve", convolve(v, w), float64, {7}, {3, -5, 1.5, -3.5, 3, -4, 1}},
      {"convolve", convolve(n, k), int64, {6}, {6, -14, 27, -7, 12, 0}},
      {"convolve", convolve(three, five, Overlap::same), float64, {5}, {-5, 1.5, -3.5, 3, -4}},
      {"convolve", convolve(five, three, Overlap::valid), float64, {3}, {1.5, -3.5, 3}},
      {"convolve",
       convolve(arange(18, float64), arange(17, float64) + 1.0, Overlap::valid),
       float64,
       {2},
       {816, 969}},
      {"correlate", correlate(five, three), float64, {3}, {2, -3, 3}},
      {"correlate",
       correlate(five, three, Overlap::full),
       float64,
       {7},
       {1.5, -5.5, 2, -3, 3, -4, 2}},
      {"correlate", correlate(three, five, Overlap::same), float64, {5}, {-4, 3, -3, 2, -5.5}},
      {"nansum", nansum(h), float64, {}, {inf}},
      {"nanprod", nanprod(h(range(0, 3))), float64, {}, {-3.375}},
      {"nanmean", nanmean(h(range(0, 3))), float64, {}, {-0.375}},
      {"nanmax", nanmax(h), float64, {}, {inf}},
      {"nanmin", nanmin(h), float64, {}, {-2.25}},
      {"nanargmax", nanargmax(h(range(0, 3))), int64, {}, {0}},
      {"nanargmin", nanargmin(h), int64, {}, {1}},
      {"nanvar", nanvar(h(range(0, 3))), float64, {}, {3.515625}},
      {"nanstd", nanstd(h(range(0, 3)), {}, 1), float64, {}, {2.6516504294495533}},
      {"nancumsum", nancumsum(h), float64, {4}, {1.5, -0.75, -0.75, inf}},
      {"nancumprod", nancumprod(h), float64, {4}, {1.5, -3.375, -3.375, -inf}},
      {"nanquantile", nanquantile(h(range(0, 3)), 0.25), float64, {}, {-1.3125}},
      {"nanmedian", nanmedian(h(range(0, 3))), float64, {}, {-0.375}},
      {"percentile", percentile(m, 30, 1), float64, {2}, {1.6, 4.6}},
      {"nanpercentile", nanpercentile(h(range(0, 3)), 75), float64, {}, {0.5625}},
      {"count_nonzero", count_nonzero(v), int64, {}, {4}},
      {"isclose", isclose(v, v + 1e-9), bool_, {5}, {true, true, true, true, true}},
      {"allclose", allclose(v, v * 1.1), bool_, {}, {false}},
      {"isclose", isclose(h, h, 1e-5, 1e-8, EqualNan::yes), bool_, {4}, {true, true, true, true}},
      {"array_equal", array_equal(v, v), bool_, {}, {true}},
      {"array_equal", array_equal(v, w), bool_, {}, {false}},
      {"array_equiv", array_equiv(w, stack({w, w})), bool_, {}, {true}},
      {"nan_to_num", nan_to_num(h), float64, {4}, {1.5, -2.25, 0, 1.7976931348623157e+308}},
      {"nan_to_num", nan_to_num(h, {.nan = -1, .posinf = 9}), float64, {4}, {1.5, -2.25, -1, 9}},
      {"isposinf", isposinf(h), bool_, {4}, {false, false, false, true}},
      {"isneginf", isneginf(-h), bool_, {4}, {false, false, false, true}},
      {"isreal", isreal(complex(w, w - 1.0)), bool_, {3}, {true, false, false}},
      {"iscomplex", iscomplex(complex(w, w - 1.0)), bool_, {3}, {false, true, true}},
      {"fmax", fmax(h, 1.0), float64, {4}, {1.5, 1, 1, inf}},
      {"fmin", fmin(1.0, h), float64, {4}, {1, -2.25, 1, 1}},
      {"fmod", fmod(n, 5), int64, {4}, {3, -2, 2, 0}},
      {"fmod", fmod(w, -0.75), float64, {3}, {0.25, -0.5, 0.5}},
      {"divmod", divmod(n, 5).first, int64, {4}, {0, -2, 2, 0}},
      {"divmod", divmod(n, 5).second, int64, {4}, {3, 3, 2, 0}},
      {"heaviside", heaviside(w(range(0, 2)) * 1.0, 0.5), float64, {2}, {1, 0}},
      {"sinc",
       sinc(v * 0.5),
       float64,
       {5},
       {-0.2122065907891938, 0.6366197723675814, 3.8981718325193755e-17, 1,
        3.8981718325193755e-17}},
      {"rad2deg",
       rad2deg(w),
       float64,
       {3},
       {57.29577951308232, -114.59155902616465, 28.64788975654116}},
      {"deg2rad",
       deg2rad(n),
       float64,
       {4},
       {0.05235987755982989, -0.12217304763960307, 0.20943951023931956, 0}},
      {"float_power", float_power(k + 1, -2), float64, {3}, {0.1111111111111111, 1, 0.25}},
      {"logaddexp2",
       logaddexp2(v, 2.0),
       float64,
       {5},
       {3.584962500721156, 2.584962500721156, 3, 2.321928094887362, 3}},
      {"around", around(w * 1.25, 1), float64, {3}, {1.2, -2.5, 0.6}},
      {"around", around(n, -1), int64, {4}, {0, -10, 10, 0}},
      {"rint", rint(w * 1.5), float64, {3}, {2, -3, 1}},
      {"modf", modf(w * 1.5).first, float64, {3}, {0.5, 0, 0.75}},
      {"modf", modf(w * 1.5).second, float64, {3}, {1, -3, 0}},
      {"frexp", frexp(v).first, float64, {5}, {0.75, 0.5, 0.5, 0, 0.5}},
      {"frexp", frexp(v * 1e-310).second, int32, {5}, {-1028, -1029, -1028, 0, -1028}},
      {"frexp",
       frexp(v * 1e-310).first,
       float64,
       {5},
       {0.862892704733909, 0.5752618031559393, 0.5752618031559393, 0, 0.5752618031559393}},
      {"ldexp",
       ldexp(w, k * 500 - 1074),
       float64,
       {3},
       {5.293955920339377e-23, -1e-323, 8.08634922390439e-174}},
      {"spacing",
       spacing(v + 1.0),
       float64,
       {5},
       {8.881784197001252e-16, 4.440892098500626e-16, 4.440892098500626e-16, 2.220446049250313e-16,
        4.440892098500626e-16}},
      {"bitwise_count", bitwise_count(n), uint8, {4}, {2, 3, 2, 0}},
      {"unwrap",
       unwrap(v * 2.5),
       float64,
       {5},
       {7.5, 8.783185307179586, 11.283185307179586, 12.566370614359172, 11.283185307179586}},
      {"packbits", packbits(v > 1.0), uint8, {1}, {168}},
      {"unpackbits", unpackbits(cast(k, uint8)), uint8, {24}, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0,
                                                               0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}},
      {"amax", amax(m, 1), float64, {2}, {3, 7}},
      {"special::log_expit",
       special::log_expit(w),
       float64,
       {3},
       {-0.31326168751822286, -2.1269280110429727, -0.4740769841801067}},
      {"special::logit",
       special::logit(abs(w) * 0.4),
       float64,
       {3},
       {-0.4054651081081643, 1.3862943611198908, -1.3862943611198906}},
      {"special::polygamma",
       special::polygamma(3, v + 0.5),
       float64,
       {5},
       {0.07030584881725205, 1.4090910340024367, 0.2239058488172521, 97.40909103400242,
        0.2239058488172521}},
      {"special::factorial", special::factorial(v), float64, {5}, {6, 1, 2, 1, 2}},
      {"special::beta",
       special::beta(v + 1.0, 2.5),
       float64,
       {5},
       {0.027705627705627706, 0.11428571428571428, 0.050793650793650794, 0.4,
        0.050793650793650794}},
      {"special::poch",
       special::poch(v + 1.0, 1.5),
       float64,
       {5},
       {8.723796297425588, 3.3233509704478426, 5.815864198283725, 1.329340388179137,
        5.815864198283725}},
      {"special::chdtr",
       special::chdtr(3.0, v),
       float64,
       {5},
       {0.6083748237289109, 0.19874804309879915, 0.42759329552912023, 0, 0.42759329552912023}},
      {"special::chdtrc",
       special::chdtrc(3.0, v),
       float64,
       {5},
       {0.3916251762710877, 0.8012519569012009, 0.5724067044708798, 1, 0.5724067044708798}},
      {"special::iv",
       special::iv(1.5, v),
       float64,
       {5},
       {3.0994834567256357, 0.2935253263474798, 1.0994731886331102, 0, 1.0994731886331102}},
      {"special::kv",
       special::kv(1.5, v + 1.0),
       float64,
       {5},
       {0.014347030720760066, 0.1799066579520922, 0.04803464684235279, 0.9221370088957892,
        0.04803464684235279}},
      {"special::exp10", special::exp10(w), float64, {3}, {10, 0.01, 3.162277660168379}},
      {"special::xlogy",
       special::xlogy(v, v),
       float64,
       {5},
       {3.295836866004329, 0, 1.3862943611198906, 0, 1.3862943611198906}},
      {"special::xlog1py",
       special::xlog1py(v, v),
       float64,
       {5},
       {4.1588830833596715, 0.6931471805599453, 2.1972245773362196, 0, 2.1972245773362196}},
      {"special::entr", special::entr(w), float64, {3}, {0, -inf, 0.34657359027997264}},
      {"special::rel_entr",
       special::rel_entr(v, 1.5),
       float64,
       {5},
       {2.0794415416798357, -0.4054651081081644, 0.5753641449035618, 0, 0.5753641449035618}},
      {"special::exprel",
       special::exprel(w),
       float64,
       {3},
       {1.718281828459045, 0.43233235838169365, 1.2974425414002564}},
      {"special::huber", special::huber(1.0, w), float64, {3}, {0.5, 1.5, 0.125}},
      {"fft::fft2",
       fft::fft2(m),
       complex128,
       {2, 3},
       {22, 0, -3.5, 2.598076211353316, -3.5, -2.598076211353316, -10, 0, 0.5, -0.8660254037844386,
        0.5, 0.8660254037844386}},
      {"fft::irfft2",
       fft::irfft2(fft::rfft2(s), Shape{3, 3}),
       float64,
       {3, 3},
       {4, 1, 0, 1, 3, 1, 0, 1, 2}},
      {"real", real(fft::ifft2(fft::fft2(m))), float64, {2, 3}, {1, 2, 3, 4, 5, 7}},
      {"nn::one_hot", nn::one_hot(k, 3), float64, {3, 3}, {0, 0, 1, 1, 0, 0, 0, 1, 0}},
      {"nn::one_hot",
       nn::one_hot(k, 4, int64, 0),
       int64,
       {4, 3},
       {0, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0}},
      {"nn::max_pool2d", nn::max_pool2d(s, {2}, {1}), float64, {2, 2}, {4, 3, 3, 3}},
      {"nn::avg_pool1d", nn::avg_pool1d(v, {2}, {1}), float64, {4}, {2, 1.5, 1, 1}},
      {"nn::sum_pool1d", nn::sum_pool1d(v, {2}), float64, {2}, {4, 2}},
      {"nn::conv1d",
       nn::conv1d(reshape(v, {1, 1, 5}), reshape(w, {1, 1, 3})),
       float64,
       {1, 1, 3},
       {2, -3, 3}},
      {"nn::unfold",
       nn::unfold(reshape(v, {1, 1, 5}), {2}),
       float64,
       {1, 2, 4},
       {3, 1, 2, 0, 1, 2, 0, 2}},
      {"nn::swish",
       nn::swish(w),
       float64,
       {3},
       {0.7310585786300049, -0.2384058440442351, 0.3112296656009273}},
      {"nn::mse", nn::mse(w, k), float64, {}, {1.75}},
      {"checkpoint",
       checkpoint([](std::span<const Expr> x) { return std::vector<Expr>{exp(x[0]) * x[1]}; },
                  {w, w})[0],
       float64,
       {3},
       {2.718281828459045, -0.2706705664732254, 0.8243606353500641}},
      {"value_and_grad",
       value_and_grad(sum(square(w)), {w}).gradients[0],
       float64,
       {3},
       {2, -4, 1}},
  };
  const std::vector<Expr> inputs = {v, w, m, s, h, n, k, b, five, three, pairs};
  const std::vector<Array> arguments = {
      Array::from<double>({3, 1, 2, 0, 2}),
      Array::from<double>({1, -2, 0.5}),
      Array::from<double>({1, 2, 3, 4, 5, 7}, {2, 3}),
      Array::from<double>({4, 1, 0, 1, 3, 1, 0, 1, 2}, {3, 3}),
      Array::from<double>({1.5, -2.25, not_a_number, inf}),
      Array::from<std::int64_t>({3, -7, 12, 0}),
      Array::from<std::int64_t>({2, 0, 1}),
      Array::from<bool>({true, false, true}),
      Array::from<double>({3, 1, 2, 0, 2}),
      Array::from<double>({1, -2, 0.5}),
      Array::from<double>({1, 2, 3, 4, 5, 7}, {2, 3}),
  };
  constexpr std::size_t at_once = 24;
  for (std::size_t first = 0; first < cases.size(); first += at_once) {
    const auto part = std::span(cases).subspan(first, std::min(at_once, cases.size() - first));
    std::vector<Output> outputs;
    for (const NamedValue& c : part) outputs.push_back(numbers_of(c.value));
    for (const Expr& x : inputs) outputs.push_back(x);
    const Results found = compile(inputs, outputs)(arguments);
    for (std::size_t i = 0; i < part.size(); ++i) {
      const NamedValue& c = part[i];
      CAPTURE(c.name);
      CHECK(name_of(c.value.dtype()) == name_of(c.dtype));
      std::vector<std::int64_t> shape(found[i].shape().begin(), found[i].shape().end());
      if (is_complex(c.dtype)) shape.pop_back();
      CHECK(shape == c.shape);
      const std::vector<double> numbers = found[i].to_vector<double>();
      REQUIRE(numbers.size() == c.numbers.size());
      for (std::size_t j = 0; j < numbers.size(); ++j) {
        CAPTURE(j);
        CAPTURE(numbers[j]);
        CHECK(is_near(numbers[j], c.numbers[j]));
      }
    }
  }
}

TEST_CASE("they mind dtypes, batches, infinities and what the user says") {
  const auto value = [](const Expr& x) { return compile({}, {x})()[0]; };
  const auto numbers = [&](const Expr& x) { return value(cast(x, float64)).to_vector<double>(); };
  const auto vector_of_numbers = [](std::initializer_list<double> list) {
    return Expr(Array::from<double>(list));
  };
  using Numbers = std::vector<double>;
  const Expr floats = Array::from<float>({1, 2, 4}), whole = Array::from<std::int64_t>({1, 2, 3});

  CHECK(std::isnan(numbers(nanvar(vector_of_numbers({inf, inf})))[0]));
  CHECK(numbers(nanvar(vector_of_numbers({not_a_number, 1, 3})))[0] == 1);
  const Expr square_of_zeros = Array(zeros({4, 4}));
  CHECK(numbers(diagonal(fill_diagonal(square_of_zeros, vector_of_numbers({1, 2})))) ==
        Numbers{1, 2, 1, 2});
  CHECK(numbers(diagonal(fill_diagonal_offset(square_of_zeros, vector_of_numbers({1, 2, 3}), -1),
                         -1)) == Numbers{1, 2, 3});
  CHECK_THROWS_AS(fill_diagonal(tensor("x", float64, {2, 2, 2}), 1.0), ValueError);
  const Expr a = Array::from<double>({0, 2, 1, 3}, {2, 2});
  const Expr columns = Array::from<double>({2, 4, 6, 8}, {2, 2, 1});
  const Expr found = lu_solve(lu_factor(a), columns);
  CHECK(found.rank() == 3);
  CHECK(numbers(matmul(a, found)) == Numbers{2, 4, 6, 8});
  CHECK(interp(floats, floats, floats, 0.0, 9.0).dtype() == float32);
  CHECK(numbers(interp(vector_of_numbers({0, 3, 5}), floats, floats, -1.0, 9.0)) ==
        Numbers{-1, 3, 9});
  CHECK(numbers(choose(Array::from<std::int64_t>({0, 0, 0}), {whole})) == Numbers{1, 2, 3});
  CHECK_THROWS_AS(value(choose(Array::from<std::int64_t>({0, 1, 0}), {whole})), IndexError);
  const Expr matrix_of_zeros = Array(zeros({2, 2}));
  CHECK(numbers(special::softmax(matrix_of_zeros)) == Numbers(4, 0.25));
  CHECK(numbers(special::softmax(matrix_of_zeros, 1)) == Numbers(4, 0.5));
  CHECK(percentile(floats, 75.0).dtype() == float32);
  CHECK(numbers(percentile(floats, 50.0)) == Numbers{2});
  CHECK_THROWS_AS(percentile(floats, 150.0), ValueError);
  CHECK(histogram_bin_edges(floats, 3).dtype() == float32);
  CHECK(numbers(histogram_bin_edges(vector_of_numbers({}), 2)) == Numbers{0, 0.5, 1});
  CHECK(insert(whole, 1, constant(2.5, float64)).dtype() == int64);
  CHECK(logaddexp2(floats, 2.0).dtype() == float32);
  const Expr half = cast(Array::from<float>({0x1p-24f, 1024}), float16);
  CHECK(numbers(ldexp(half, Array::from<std::int64_t>({30, -30}))) == Numbers{64, 0x1p-20});
  CHECK_THROWS_AS(diag_indices_from(tensor("x", float64, {3, 2})), ValueError);
  CHECK_THROWS_AS(histogram2d(floats, floats, floats, vector_of_numbers({1})), ValueError);
  CHECK_THROWS_AS(matvec(floats, floats), ValueError);
  CHECK_THROWS_AS(matrix_power(tensor("x", float64, {3, 2}), 1), ValueError);
  const Expr turned = complex(vector_of_numbers({0, 1}), vector_of_numbers({1, 0}));
  CHECK(numbers(real(correlate(turned, turned))) == Numbers{2});

  // A message that the caller gives is told as it is.
  const auto told = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const ValueError& error) {
      return error.what();
    }
    return "";
  };
  CHECK(told([&] {
          shaped(floats, {4}, "my_layer: expected 4 features");
        }).starts_with("my_layer: expected 4 features"));
  CHECK(told([&] { shaped(floats, {4}, "mismatch"); }).starts_with("mismatch"));
  CHECK(told([&] { shaped(floats, {4}, ""); }).ends_with("]"));
}
