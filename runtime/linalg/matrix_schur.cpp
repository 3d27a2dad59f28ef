// Schur forms of one matrix and of two by LAPACK, column by column, with chosen eigenvalues first;
// systems of banded matrices.
#include <algorithm>
#include <cmath>

#include "runtime/linalg/matrix_routines.h"

namespace gnomon {

namespace {

// Whether an eigenvalue alpha / beta comes first.
template <class R>
bool comes_first(EigenvalueOrder order, std::complex<R> alpha, std::complex<R> beta) {
  if (beta == R{0}) return order == EigenvalueOrder::outside && alpha != R{0};
  const std::complex<R> value = alpha / beta;
  switch (order) {
    case EigenvalueOrder::left: return value.real() < 0;
    case EigenvalueOrder::right: return value.real() >= 0;
    case EigenvalueOrder::inside: return std::abs(value) <= 1;
    case EigenvalueOrder::outside: return std::abs(value) > 1;
    case EigenvalueOrder::any: break;
  }
  return false;
}

// The functions that LAPACK asks, for T.
template <class T, EigenvalueOrder order>
struct Selection {
  using R = Part<T>;
  static int of_float(const R* re, const R* im) { return comes_first<R>(order, {*re, *im}, R{1}); }
  static int of_pair(const T* value) { return comes_first<R>(order, *value, R{1}); }
  static int of_quotient(const R* re, const R* im, const R* beta) {
    return comes_first<R>(order, {*re, *im}, *beta);
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

}  // namespace

template <class T>
int MatrixRoutine<T>::schur() {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  if (!is_finite(in(0, square()), square())) return 1;
  Arena<T> memory(2 * square() + 3 * n, n);
  if (memory.empty()) return no_memory;
  T *a = memory.take(square()), *z = memory.take(square()), *values = memory.take(2 * n);
  R* rwork = memory.take_parts(n);
  int* chosen = memory.integers();
  transpose_matrix(in(0, square()), n, n, a);
  const char* const sort = r_.option == 0 ? "N" : "S";
  int info = 0, first = 0;
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
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
  });
  if (!has_memory) return no_memory;
  if (info != 0) return info;
  transpose_matrix(a, n, n, out(0, square()));
  transpose_matrix(z, n, n, out(1, square()));
  return 0;
}

template <class T>
int MatrixRoutine<T>::qz() {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  for (const int k : {0, 1})
    if (!is_finite(in(k, square()), square())) return 1;
  Arena<T> memory(4 * square() + 10 * n, n);
  if (memory.empty()) return no_memory;
  T *a = memory.take(square()), *b = memory.take(square()), *q = memory.take(square()),
    *z = memory.take(square()), *values = memory.take(2 * n);
  R* rwork = memory.take_parts(8 * n);
  int* chosen = memory.integers();
  transpose_matrix(in(0, square()), n, n, a);
  transpose_matrix(in(1, square()), n, n, b);
  Pair* const alpha = out<Pair>(2, n);
  T* const beta = out(3, n);
  const char* const sort = r_.option == 0 ? "N" : "S";
  int info = 0, first = 0;
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
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
  });
  if (!has_memory) return no_memory;
  if (info != 0) return info;
  if constexpr (!is_pair<T>)
    for (std::int64_t j = 0; j < n; ++j) alpha[j] = {values[j], values[n + j]};
  transpose_matrix(a, n, n, out(0, square()));
  transpose_matrix(b, n, n, out(1, square()));
  transpose_matrix(q, n, n, out(4, square()));
  transpose_matrix(z, n, n, out(5, square()));
  return 0;
}

// LAPACK has the diagonals as rows too, below room for as many as there are below the main one.
template <class T>
int MatrixRoutine<T>::solve_banded() {
  const std::int64_t n = r_.n, size = r_.n * r_.columns, width = r_.rows + r_.option;
  if (size == 0) return 0;
  Arena<T> memory(n * width + size, n);
  if (memory.empty()) return no_memory;
  T *band = memory.take(n * width), *x = memory.take(size);
  int* pivots = memory.integers();
  const T* diagonals = in(0, r_.rows * n);
  const std::int64_t above = r_.rows - 1 - r_.option;
  std::fill_n(band, n * width, T{0});
  for (std::int64_t d = 0; d < r_.rows; ++d)
    for (std::int64_t j = std::max<std::int64_t>(0, above - d); j < n && j + d - above < n; ++j)
      band[j * width + r_.option + d] = diagonals[d * n + j];
  transpose_matrix(in(1, size), n, r_.columns, x);
  const int below = r_.option, over = static_cast<int>(above), lead = static_cast<int>(width);
  int info = 0;
  f_.gbsv(&n_, &below, &over, &columns_, band, &lead, pivots, x, &n_, &info);
  if (info != 0) return info;
  transpose_matrix(x, r_.columns, n, out(0, size));
  return 0;
}

#define GNOMON_ROUTINES(...)                        \
  template int MatrixRoutine<__VA_ARGS__>::schur(); \
  template int MatrixRoutine<__VA_ARGS__>::qz();    \
  template int MatrixRoutine<__VA_ARGS__>::solve_banded();
GNOMON_ROUTINES(float)
GNOMON_ROUTINES(double)
GNOMON_ROUTINES(std::complex<float>)
GNOMON_ROUTINES(std::complex<double>)
#undef GNOMON_ROUTINES

}  // namespace gnomon
