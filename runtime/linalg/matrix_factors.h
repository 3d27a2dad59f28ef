// Factors of one matrix. LAPACK sees a row-major matrix transposed, so most factors of the
// transposed matrix lie in memory as those of the matrix are wanted: only LU needs a copy.
#pragma once

#include "runtime/linalg/matrix_routines.h"

namespace gnomon {

template <class T>
void write_identity(T* x, int64_t n) {
  clear_elements(x, n * n);
  for (int64_t i = 0; i < n; ++i) x[i * n + i] = number<T>(1);
}

/// Whether an odd number of rows changed places with others.
inline bool is_odd(const int* pivots, int n) {
  bool odd = false;
  for (int i = 0; i < n; ++i) odd = odd != (pivots[i] != i + 1);
  return odd;
}

template <class T>
void conjugate(T* x, int64_t count) {
  if constexpr (is_pair<T>)
    for (int64_t i = 0; i < count; ++i) x[i].im = -x[i].im;
}

// The determinant of an orthogonal matrix, which is lost: a sign.
template <class T, class F>
T MatrixRoutine<T, F>::determinant_of_unitary(T* q, int* pivots) const {
  int info = 0;
  f_.getrf(&n_, &n_, q, &n_, pivots, &info);
  T sign = number<T>(is_odd(pivots, n_) ? R{-1} : R{1});
  for (int i = 0; i < n_; ++i) {
    const T x = q[static_cast<int64_t>(i) * (n_ + 1)];
    sign = sign * (x / magnitude(x));
  }
  return sign;
}

// a^T = L P with orthonormal rows P: Q = P^T and R = L^T lie in memory as L and P do.
template <class T, class F>
int MatrixRoutine<T, F>::qr() {
  const int64_t m = r_.rows, n = r_.n, k = least_, width = r_.complete != 0 ? m : k;
  T *q = out(0, m * width), *r = out(1, width * n);
  if (k == 0) {
    if (width > 0 && !room_.counts()) write_identity(q, m);
    return 0;
  }
  T *l = take(m * n), *tau = take(k);
  int info = 0, factor_size = 0, expand_size = 0;
  const int q_width = static_cast<int>(width), count = least_;
  const auto factor = [&](T* work, const int* size) {
    f_.gelqf(&n_, &rows_, l, &n_, tau, work, size, &info);
  };
  const auto expand = [&](T* work, const int* size) {
    f_.orglq(&q_width, &rows_, &count, q, &q_width, tau, work, size, &info);
  };
  T* const factor_work = take_work(factor_size, factor);
  T* const expand_work = take_work(expand_size, expand);
  if (room_.counts()) return 0;
  copy_elements(in(0, m * n), m * n, l);
  factor(factor_work, &factor_size);
  for (int64_t i = 0; i < width; ++i) {
    clear_elements(r + i * n, i < k ? i : n);
    if (i < k) copy_elements(l + i * n + i, n - i, r + i * n + i);
  }
  for (int64_t j = 0; j < m; ++j) copy_elements(l + j * n, k, q + j * width);
  expand(expand_work, &expand_size);
  return 0;
}

template <class T, class F>
int MatrixRoutine<T, F>::eigh(bool vectors) {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  T* const a = take(square());
  R* const values = out<R>(0, n);
  int info = 0, integers = 0, parts = 0;
  const int ask = -1;
  const char* const job = vectors ? "V" : "N";
  T asked{};
  R asked_parts = 0;
  const auto compute = [&](T* work, const int* size, R* rwork, const int* rsize, int* iwork,
                           const int* isize) {
    if constexpr (is_pair<T>)
      f_.syevd(job, "U", &n_, a, &n_, values, work, size, rwork, rsize, iwork, isize, &info, 1, 1);
    else
      f_.syevd(job, "U", &n_, a, &n_, values, work, size, iwork, isize, &info, 1, 1);
  };
  compute(&asked, &ask, &asked_parts, &ask, &integers, &ask);
  const int size = size_of_work(asked);
  parts = is_pair<T> ? size_of_work(number<T>(asked_parts)) : 0;
  T* const work = take(size);
  R* const rwork = take_parts(parts);
  int* const iwork = take_integers(integers);
  if (room_.counts()) return 0;
  copy_elements(in(0, square()), square(), a);
  for (int64_t i = 0; i < n; ++i)
    if (!is_finite(a + i * n, i + 1)) return static_cast<int>(i) + 1;
  compute(work, &size, rwork, &parts, iwork, &integers);
  if (info != 0 || !vectors) return info;
  // The matrix that LAPACK sees is the conjugate one.
  conjugate(a, square());
  transpose_matrix(a, n, n, out(1, square()));
  return 0;
}

// a^T = V S U^T (of complex numbers, conj(V) S U^T): LAPACK's left vectors lie in memory as V^T
// (V^H) is wanted, its right ones as U.
template <class T, class F>
int MatrixRoutine<T, F>::svd(bool vectors) {
  const int64_t m = r_.rows, n = r_.n, k = least_;
  const bool complete = vectors && r_.complete != 0;
  const int64_t width = complete ? m : k, height = complete ? n : k;
  T* const u = vectors ? out(0, m * width) : nullptr;
  R* const values = out<R>(vectors ? 1 : 0, k);
  T* const vt = vectors ? out(2, height * n) : nullptr;
  if (k == 0) {
    if (complete && !room_.counts()) write_identity(u, m), write_identity(vt, n);
    return 0;
  }
  T* const a = take(m * n);
  R* const rwork = take_parts(parts_of_svd());
  int* const integers = take_integers(8 * k);
  const char* const job = !vectors ? "N" : complete ? "A" : "S";
  const int ldu = greater(1, static_cast<int>(width));
  int info = 0, size = 0;
  const auto compute = [&](T* work, const int* work_size) {
    singular_values(job, &n_, &rows_, a, &n_, values, vt, &n_, u, &ldu, work, work_size, rwork,
                    integers, &info);
  };
  T* const work = take_work(size, compute);
  if (room_.counts()) return 0;
  copy_elements(in(0, m * n), m * n, a);
  if (!is_finite(a, m * n)) return 1;
  compute(work, &size);
  return info;
}

template <class T, class F>
int MatrixRoutine<T, F>::lu_factor() {
  const int64_t m = r_.rows, n = r_.n, k = least_;
  T* const lu = out(0, m * n);
  auto* const swaps = out<int64_t>(1, k);
  auto* const rows = out<int64_t>(2, m);
  T* a = take(m * n);
  int* pivots = take_integers(k);
  if (room_.counts()) return 0;
  for (int64_t i = 0; i < m; ++i) rows[i] = i;
  if (k == 0) return 0;
  transpose_matrix(in(0, m * n), m, n, a);
  int info = 0;
  f_.getrf(&rows_, &n_, a, &rows_, pivots, &info);
  transpose_matrix(a, n, m, lu);
  for (int64_t i = 0; i < k; ++i) {
    swaps[i] = pivots[i] - 1;
    exchange(rows[i], rows[swaps[i]]);
  }
  return 0;
}

// Of a regular matrix from its LU factors; else of its singular values, where each cofactor is a
// product of all but one (Stewart, "On the adjugate matrix", 1998), times det(U) det(V^H).
template <class T, class F>
int MatrixRoutine<T, F>::cofactors() {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  T *lu = take(square()), *u = take(square()), *vt = take(square());
  R *values = take_parts(n), *others = take_parts(n), *rwork = take_parts(parts_of_svd());
  int* integers = take_integers(8 * n);
  const T* a = in(0, square());
  T* result = out(0, square());
  int info = 0, size = 0;
  if (!room_.counts()) {
    copy_elements(a, square(), lu);
    f_.getrf(&n_, &n_, lu, &n_, integers, &info);
    if (info == 0) {
      T determinant = number<T>(is_odd(integers, n_) ? R{-1} : R{1});
      for (int64_t i = 0; i < n; ++i) determinant = determinant * lu[i * (n + 1)];
      write_identity(result, n);
      f_.getrs("T", &n_, &n_, lu, &n_, integers, result, &n_, &info, 1);
      for (int64_t i = 0; i < square(); ++i) result[i] = result[i] * determinant;
      return 0;
    }
    if (!is_finite(a, square())) {
      fill_elements(result, square(), number<T>(R(__builtin_nan(""))));
      return 0;
    }
    copy_elements(a, square(), lu);
  }
  // Most matrices are regular, so this is taken last.
  const auto compute = [&](T* work, const int* work_size) {
    singular_values("A", &n_, &n_, lu, &n_, values, u, &n_, vt, &n_, work, work_size, rwork,
                    integers, &info);
  };
  T* const work = take_work(size, compute);
  if (room_.counts()) return 0;
  info = 0;
  compute(work, &size);
  if (info != 0) return info;
  R before = 1, after = 1;
  for (int64_t i = 0; i < n; ++i) others[i] = before, before *= values[i];
  for (int64_t i = n; i-- > 0;) others[i] *= after, after *= values[i];
  // In memory vt holds U row by row, and u holds V^H.
  conjugate(vt, square()), conjugate(u, square());
  clear_elements(result, square());
  for (int64_t j = 0; j < n; ++j)
    for (int64_t i = 0; i < n; ++i)
      for (int64_t l = 0; l < n; ++l)
        result[j * n + l] = result[j * n + l] + vt[j * n + i] * others[i] * u[i * n + l];
  T sign = determinant_of_unitary(u, integers) * determinant_of_unitary(vt, integers);
  conjugate(&sign, 1);  // both are conjugated by now
  for (int64_t i = 0; i < square(); ++i) result[i] = result[i] * sign;
  return 0;
}

// The matrix itself, column by column, so that values come in the order in which others have them.
template <class T, class F>
int MatrixRoutine<T, F>::eig(bool vectors) {
  const int64_t n = r_.n;
  if (n == 0) return 0;
  T *a = take(square()), *v = take(square()), *re = take(n), *im = take(n);
  R* rwork = take_parts(2 * n);
  const char* const job = vectors ? "V" : "N";
  Pair* const values = out<Pair>(0, n);
  int info = 0, size = 0;
  const auto compute = [&](T* work, const int* work_size) {
    if constexpr (is_pair<T>)
      f_.geev("N", job, &n_, a, &n_, values, nullptr, &n_, v, &n_, work, work_size, rwork, &info, 1,
              1);
    else
      f_.geev("N", job, &n_, a, &n_, re, im, nullptr, &n_, v, &n_, work, work_size, &info, 1, 1);
  };
  T* const work = take_work(size, compute);
  if (room_.counts()) return 0;
  if (!is_finite(in(0, square()), square())) return 1;
  transpose_matrix(in(0, square()), n, n, a);
  compute(work, &size);
  if (info != 0) return info;
  if constexpr (is_pair<T>) {
    if (vectors) transpose_matrix(v, n, n, out<Pair>(1, square()));
  } else {
    for (int64_t j = 0; j < n; ++j) values[j] = {re[j], im[j]};
    if (vectors) write_pairs_of_vectors(v, im, out<Pair>(1, square()));
  }
  return 0;
}

// Vectors of two conjugate values are two columns: the parts of the first one's.
template <class T, class F>
void MatrixRoutine<T, F>::write_pairs_of_vectors(const T* v, const T* imaginary, Pair* x) const {
  const int64_t n = r_.n;
  for (int64_t j = 0; j < n; ++j) {
    const bool is_complex = imaginary[j] != 0, is_second = imaginary[j] < 0;
    const T* const re = v + (is_second ? j - 1 : j) * n;
    const R sign = is_second ? R{-1} : R{1};
    for (int64_t i = 0; i < n; ++i)
      x[i * n + j] = {real_part(re[i]), is_complex ? sign * real_part(re[i + n]) : R{0}};
  }
}

}  // namespace gnomon
