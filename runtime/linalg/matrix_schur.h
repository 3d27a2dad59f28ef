// Schur forms of one matrix and of two, column by column, with chosen eigenvalues first; systems of
// banded matrices.
#pragma once

#include "runtime/linalg/matrix_routines.h"

namespace gnomon {

// Whether an eigenvalue alpha / beta comes first.
template <class R>
bool comes_first(EigenvalueOrder order, FloatPair<R> alpha, FloatPair<R> beta) {
  if (beta == FloatPair<R>{0, 0})
    return order == EigenvalueOrder::outside && !(alpha == FloatPair<R>{0, 0});
  const FloatPair<R> value = alpha / beta;
  switch (order) {
    case EigenvalueOrder::left: return value.re < 0;
    case EigenvalueOrder::right: return value.re >= 0;
    case EigenvalueOrder::inside: return magnitude(value) <= 1;
    case EigenvalueOrder::outside: return magnitude(value) > 1;
    case EigenvalueOrder::any: break;
  }
  return false;
}

// The functions that LAPACK asks, for T.
template <class T, EigenvalueOrder order>
struct Selection {
  using R = Part<T>;
  static int of_float(const R* re, const R* im) {
    return comes_first<R>(order, {*re, *im}, {1, 0});
  }
  static int of_pair(const T* value) { return comes_first<R>(order, *value, {1, 0}); }
  static int of_quotient(const R* re, const R* im, const R* beta) {
    return comes_first<R>(order, {*re, *im}, {*beta, 0});
  }
  static int of_pairs(const T* alpha, const T* beta) {
    return comes_first<R>(order, *alpha, *beta);
  }
};

// `f.operator()<order>()` for the order that is a number.
template <class F>
auto with_order(int order, F&& f) {
  switch (static_cast<EigenvalueOrder>(order)) {
    case EigenvalueOrder::right: return f.template operator()<EigenvalueOrder::right>();
    case EigenvalueOrder::inside: return f.template operator()<EigenvalueOrder::inside>();
    case EigenvalueOrder::outside: return f.template operator()<EigenvalueOrder::outside>();
    default: return f.template operator()<EigenvalueOrder::left>();
  }
}

template <class T, class F>
int MatrixRoutine<T, F>::schur() {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  T *a = take(square()), *z = take(square()), *values = take(2 * n);
  R* rwork = take_parts(n);
  int* chosen = take_integers(n);
  const char* const sort = r_.option == 0 ? "N" : "S";
  int info = 0, first = 0, work_size = 0;
  const auto compute = [&](T* work, const int* size) {
    if constexpr (is_pair<T>) {
      const auto select =
          with_order(r_.option, []<EigenvalueOrder o>() { return &Selection<T, o>::of_pair; });
      f_.gees("V", sort, select, &n_, a, &n_, &first, values, z, &n_, work, size, rwork, chosen,
              &info, 1, 1);
    } else {
      const auto select =
          with_order(r_.option, []<EigenvalueOrder o>() { return &Selection<T, o>::of_float; });
      f_.gees("V", sort, select, &n_, a, &n_, &first, values, values + n, z, &n_, work, size,
              chosen, &info, 1, 1);
    }
  };
  T* const work = take_work(work_size, compute);
  if (room_.counts()) return 0;
  if (!is_finite(in(0, square()), square())) return 1;
  transpose_matrix(in(0, square()), n, n, a);
  compute(work, &work_size);
  if (info != 0) return info;
  transpose_matrix(a, n, n, out(0, square()));
  transpose_matrix(z, n, n, out(1, square()));
  return 0;
}

template <class T, class F>
int MatrixRoutine<T, F>::qz() {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  T *a = take(square()), *b = take(square()), *q = take(square()), *z = take(square()),
    *values = take(2 * n);
  R* rwork = take_parts(8 * n);
  int* chosen = take_integers(n);
  Pair* const alpha = out<Pair>(2, n);
  T* const beta = out(3, n);
  const char* const sort = r_.option == 0 ? "N" : "S";
  int info = 0, first = 0, work_size = 0;
  const auto compute = [&](T* work, const int* size) {
    if constexpr (is_pair<T>) {
      const auto select =
          with_order(r_.option, []<EigenvalueOrder o>() { return &Selection<T, o>::of_pairs; });
      f_.gges("V", "V", sort, select, &n_, a, &n_, b, &n_, &first, alpha, beta, q, &n_, z, &n_,
              work, size, rwork, chosen, &info, 1, 1, 1);
    } else {
      const auto select =
          with_order(r_.option, []<EigenvalueOrder o>() { return &Selection<T, o>::of_quotient; });
      f_.gges("V", "V", sort, select, &n_, a, &n_, b, &n_, &first, values, values + n, beta, q, &n_,
              z, &n_, work, size, chosen, &info, 1, 1, 1);
    }
  };
  T* const work = take_work(work_size, compute);
  if (room_.counts()) return 0;
  if (!is_finite(in(0, square()), square()) || !is_finite(in(1, square()), square())) return 1;
  transpose_matrix(in(0, square()), n, n, a);
  transpose_matrix(in(1, square()), n, n, b);
  compute(work, &work_size);
  if (info != 0) return info;
  if constexpr (!is_pair<T>)
    for (int64_t j = 0; j < n; ++j) alpha[j] = {values[j], values[n + j]};
  transpose_matrix(a, n, n, out(0, square()));
  transpose_matrix(b, n, n, out(1, square()));
  transpose_matrix(q, n, n, out(4, square()));
  transpose_matrix(z, n, n, out(5, square()));
  return 0;
}

// LAPACK has the diagonals as rows too, below room for as many as there are below the main one.
template <class T, class F>
int MatrixRoutine<T, F>::solve_banded() {
  const int64_t n = r_.n, size = r_.n * r_.columns, width = r_.rows + r_.option;
  if (size == 0) return 0;
  T *band = take(n * width), *x = take(size);
  int* pivots = take_integers(n);
  if (room_.counts()) return 0;
  const T* diagonals = in(0, r_.rows * n);
  const int64_t above = r_.rows - 1 - r_.option;
  clear_elements(band, n * width);
  for (int64_t d = 0; d < r_.rows; ++d)
    for (int64_t j = greater<int64_t>(0, above - d); j < n && j + d - above < n; ++j)
      band[j * width + r_.option + d] = diagonals[d * n + j];
  transpose_matrix(in(1, size), n, r_.columns, x);
  const int below = r_.option, over = static_cast<int>(above), lead = static_cast<int>(width);
  int info = 0;
  f_.gbsv(&n_, &below, &over, &columns_, band, &lead, pivots, x, &n_, &info);
  if (info != 0) return info;
  transpose_matrix(x, r_.columns, n, out(0, size));
  return 0;
}

}  // namespace gnomon
