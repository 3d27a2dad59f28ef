// Systems of equations of one matrix.
#pragma once

#include "runtime/linalg/matrix_routines.h"

namespace gnomon {

template <class T, class F>
int MatrixRoutine<T, F>::cholesky() {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  if (room_.counts()) return 0;
  const T* a = in(0, square());
  T* l = out(0, square());
  for (int64_t i = 0; i < n; ++i) {
    copy_elements(a + i * n, i + 1, l + i * n);
    clear_elements(l + i * n + i + 1, n - i - 1);
  }
  int info = 0;
  f_.potrf("U", &n_, l, &n_, &info, 1);
  // Not every library stops at a NaN.
  for (int64_t i = 0; i < n && info == 0; ++i)
    if (!(real_part(l[i * n + i]) > 0)) info = static_cast<int>(i) + 1;
  return info;
}

// Of the transposed matrices in memory, X^T op(a)^T = b^T.
template <class T, class F>
int MatrixRoutine<T, F>::substitute() {
  const int64_t n = r_.n, size = r_.n * r_.columns;
  if (size == 0 || room_.counts()) return 0;
  const T* a = in(0, square());
  for (int64_t i = 0; i < n; ++i)
    if (a[i * n + i] == number<T>(0)) return static_cast<int>(i) + 1;
  T* x = out(0, size);
  copy_elements(in(1, size), size, x);
  const T one = number<T>(1);
  f_.trsm("R", r_.lower != 0 ? "U" : "L", r_.transposed != 0 ? "T" : "N", "N", &columns_, &n_, &one,
          a, &n_, x, &columns_, 1, 1, 1, 1);
  return 0;
}

// LAPACK factors the transposed matrix, and reads right-hand sides column by column. Many are
// solved where they are, in rows.
template <class T, class F>
int MatrixRoutine<T, F>::solve() {
  const int64_t size = r_.n * r_.columns;
  if (size == 0) return 0;
  constexpr int many = 16;
  T* lu = take(square());
  T* columns = columns_ < many ? take(size) : nullptr;
  int* pivots = take_integers(n_);
  if (room_.counts()) return 0;
  copy_elements(in(0, square()), square(), lu);
  int info = 0, status = 0;
  f_.getrf(&n_, &n_, lu, &n_, pivots, &info);
  if (info != 0) return info;
  T* const x = out(0, size);
  if (columns_ < many) {
    transpose_matrix(in(1, size), r_.n, r_.columns, columns);
    f_.getrs(r_.transposed != 0 ? "N" : "T", &n_, &columns_, lu, &n_, pivots, columns, &n_, &status,
             1);
    transpose_matrix(columns, r_.columns, r_.n, x);
  } else {
    copy_elements(in(1, size), size, x);
    solve_rows(lu, pivots, x);
  }
  return 0;
}

// Of a^T = P L U: (P^T x)^T L U = b^T, or x^T U^T L^T = (P^T b)^T for the transposed matrix.
template <class T, class F>
void MatrixRoutine<T, F>::solve_rows(const T* lu, const int* pivots, T* x) const {
  const auto exchange_row = [&](int64_t i) {
    T *const a = x + i * r_.columns, *const b = x + (pivots[i] - 1) * r_.columns;
    for (int64_t j = 0; a != b && j < r_.columns; ++j) exchange(a[j], b[j]);
  };
  const auto divide_by = [&](const char* triangle, const char* turned, const char* diagonal) {
    const T one = number<T>(1);
    f_.trsm("R", triangle, turned, diagonal, &columns_, &n_, &one, lu, &n_, x, &columns_, 1, 1, 1,
            1);
  };
  if (r_.transposed != 0) {
    for (int64_t i = 0; i < r_.n; ++i) exchange_row(i);
    divide_by("L", "T", "U");
    divide_by("U", "T", "N");
  } else {
    divide_by("U", "N", "N");
    divide_by("L", "N", "U");
    for (int64_t i = r_.n; i-- > 0;) exchange_row(i);
  }
}

// Bartels and Stewart (1972). With the columns of memory as rows, X^T a^T + b^T X^T = c^T: of the
// Schur forms b^T = U S U^T and a^T = V R V^T, S Y + Y R = U^T c^T V gives X^T = U Y V^T.
template <class T, class F>
int MatrixRoutine<T, F>::sylvester() {
  const int64_t m = r_.n, k = r_.columns;
  if (m == 0 || k == 0) return 0;
  const int order = greater(n_, columns_);
  const int64_t widest = greater(m, k);
  const int work_size = 34 * order;  // room for blocks of 32
  T *r = take(m * m), *v = take(m * m), *s = take(k * k), *u = take(k * k), *y = take(m * k),
    *half = take(m * k), *values = take(2 * widest), *work = take(work_size);
  if (room_.counts()) return 0;
  copy_elements(in(0, m * m), m * m, r);
  copy_elements(in(1, k * k), k * k, s);
  if (!is_finite(r, m * m) || !is_finite(s, k * k)) return 1;
  int info = 0, sorted = 0;
  const auto schur = [&](T* a, T* vectors, const int& n) {
    if constexpr (is_pair<T>)
      f_.gees("V", "N", nullptr, &n, a, &n, &sorted, values, vectors, &n, work, &work_size,
              reinterpret_cast<R*>(values + widest), nullptr, &info, 1, 1);
    else
      f_.gees("V", "N", nullptr, &n, a, &n, &sorted, values, values + widest, vectors, &n, work,
              &work_size, nullptr, &info, 1, 1);
    return info == 0;
  };
  if (!schur(r, v, n_) || !schur(s, u, columns_)) return 1;
  const char* const turned = is_pair<T> ? "C" : "T";
  const int rows = columns_;
  const T one = number<T>(1), none = number<T>(0);
  f_.gemm(turned, "N", &rows, &n_, &rows, &one, u, &rows, in(2, m * k), &rows, &none, half, &rows,
          1, 1);
  f_.gemm("N", "N", &rows, &n_, &n_, &one, half, &rows, v, &n_, &none, y, &rows, 1, 1);
  const int sign = 1;
  R scale = 1;
  f_.trsyl("N", "N", &sign, &rows, &n_, s, &rows, r, &n_, y, &rows, &scale, &info, 1, 1);
  if (info != 0 || scale == 0) return 1;
  const T back = number<T>(1 / scale);
  f_.gemm("N", "N", &rows, &n_, &rows, &one, u, &rows, y, &rows, &none, half, &rows, 1, 1);
  f_.gemm("N", turned, &rows, &n_, &n_, &back, half, &rows, v, &n_, &none, out(0, m * k), &rows, 1,
          1);
  return 0;
}

}  // namespace gnomon
