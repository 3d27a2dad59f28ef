// Factors of one matrix by LAPACK. It sees a row-major matrix transposed, so most factors of the
// transposed matrix lie in memory as those of the matrix are wanted: only LU needs a copy.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/matrix_routines.h"

namespace gnomon {

namespace {

template <class T>
void write_identity(T* x, std::int64_t n) {
  std::fill_n(x, n * n, T{0});
  for (std::int64_t i = 0; i < n; ++i) x[i * n + i] = 1;
}

// The elements of the workspace that LAPACK asks for, which it says as a float: not rounded down.
template <class T>
int size_of_work(T asked) {
  return std::max(1, static_cast<int>(std::nextafter(asked, std::numeric_limits<T>::max())));
}

// Calls `f(work, size)` twice: to ask for the size of its workspace, and to compute. False without
// memory.
template <class T, class F>
bool with_work(F&& f) {
  T asked = 0;
  int size = -1;
  f(&asked, &size);
  size = size_of_work(asked);
  const Scratch work(static_cast<std::size_t>(size) * sizeof(T));
  if (work.data() == nullptr) return false;
  f(static_cast<T*>(work.data()), &size);
  return true;
}

// Whether an odd number of rows changed places with others.
bool is_odd(const int* pivots, int n) {
  bool odd = false;
  for (int i = 0; i < n; ++i) odd = odd != (pivots[i] != i + 1);
  return odd;
}

// The sign of the determinant of an orthogonal matrix, which is lost.
template <class T>
bool is_reflection(const Lapack<T>& f, T* q, int n, int* pivots) {
  int info = 0;
  f.getrf(&n, &n, q, &n, pivots, &info);
  bool negative = is_odd(pivots, n);
  for (int i = 0; i < n; ++i)
    negative = negative != (q[static_cast<std::int64_t>(i) * (n + 1)] < 0);
  return negative;
}

}  // namespace

// a^T = L P with orthonormal rows P: Q = P^T and R = L^T lie in memory as L and P do.
template <class T>
int MatrixRoutine<T>::qr() {
  const std::int64_t m = r_.rows, n = r_.n, k = least_, width = r_.complete != 0 ? m : k;
  T *q = out(0, m * width), *r = out(1, width * n);
  if (k == 0) {
    if (width > 0) write_identity(q, m);
    return 0;
  }
  Arena<T> memory(m * n + k);
  if (memory.empty()) return no_memory;
  T *l = memory.take(m * n), *tau = memory.take(k);
  std::copy_n(in(0, m * n), m * n, l);
  int info = 0;
  bool has_memory = with_work<T>(
      [&](T* work, const int* size) { f_.gelqf(&n_, &rows_, l, &n_, tau, work, size, &info); });
  for (std::int64_t i = 0; i < width; ++i) {
    std::fill_n(r + i * n, i < k ? i : n, T{0});
    if (i < k) std::copy(l + i * n + i, l + (i + 1) * n, r + i * n + i);
  }
  for (std::int64_t j = 0; j < m; ++j) std::copy_n(l + j * n, k, q + j * width);
  const int q_width = static_cast<int>(width), count = least_;
  has_memory = has_memory && with_work<T>([&](T* work, const int* size) {
                 f_.orglq(&q_width, &rows_, &count, q, &q_width, tau, work, size, &info);
               });
  return has_memory ? 0 : no_memory;
}

template <class T>
int MatrixRoutine<T>::eigh(bool vectors) {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  const Scratch copy(static_cast<std::size_t>(square()) * sizeof(T));
  if (copy.data() == nullptr) return no_memory;
  T* const a = static_cast<T*>(copy.data());
  std::copy_n(in(0, square()), square(), a);
  for (std::int64_t i = 0; i < n; ++i)
    if (!is_finite(a + i * n, i + 1)) return static_cast<int>(i) + 1;
  T* const values = out(0, n);
  int info = 0, integers = 0;
  const int ask = -1;
  const char* const job = vectors ? "V" : "N";
  T asked = 0;
  f_.syevd(job, "U", &n_, a, &n_, values, &asked, &ask, &integers, &ask, &info, 1, 1);
  const int size = size_of_work(asked);
  Arena<T> memory(size, integers);
  if (memory.empty()) return no_memory;
  T* work = memory.take(size);
  f_.syevd(job, "U", &n_, a, &n_, values, work, &size, memory.integers(), &integers, &info, 1, 1);
  if (info == 0 && vectors) transpose_matrix(a, n, n, out(1, square()));
  return info;
}

// a^T = V S U^T: LAPACK's left vectors V lie in memory as V^T is wanted, its U^T as U.
template <class T>
int MatrixRoutine<T>::svd(bool vectors) {
  const std::int64_t m = r_.rows, n = r_.n, k = least_;
  const bool complete = vectors && r_.complete != 0;
  const std::int64_t width = complete ? m : k, height = complete ? n : k;
  T* const u = vectors ? out(0, m * width) : nullptr;
  T* const values = out(vectors ? 1 : 0, k);
  T* const vt = vectors ? out(2, height * n) : nullptr;
  if (k == 0) {
    if (complete) write_identity(u, m), write_identity(vt, n);
    return 0;
  }
  Arena<T> memory(m * n, 8 * k);
  if (memory.empty()) return no_memory;
  T* a = memory.take(m * n);
  int* integers = memory.integers();
  std::copy_n(in(0, m * n), m * n, a);
  if (!is_finite(a, m * n)) return 1;
  const char* const job = !vectors ? "N" : complete ? "A" : "S";
  const int ldu = std::max(1, static_cast<int>(width));
  int info = 0;
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
    f_.gesdd(job, &n_, &rows_, a, &n_, values, vt, &n_, u, &ldu, work, size, integers, &info, 1);
  });
  return has_memory ? info : no_memory;
}

template <class T>
int MatrixRoutine<T>::lu_factor() {
  const std::int64_t m = r_.rows, n = r_.n, k = least_;
  T* const lu = out(0, m * n);
  auto* const swaps = out<std::int64_t>(1, k);
  auto* const rows = out<std::int64_t>(2, m);
  for (std::int64_t i = 0; i < m; ++i) rows[i] = i;
  if (k == 0) return 0;
  Arena<T> memory(m * n, k);
  if (memory.empty()) return no_memory;
  T* a = memory.take(m * n);
  int* pivots = memory.integers();
  transpose_matrix(in(0, m * n), m, n, a);
  int info = 0;
  f_.getrf(&rows_, &n_, a, &rows_, pivots, &info);
  transpose_matrix(a, n, m, lu);
  for (std::int64_t i = 0; i < k; ++i) {
    swaps[i] = pivots[i] - 1;
    std::swap(rows[i], rows[swaps[i]]);
  }
  return 0;
}

// Of a regular matrix from its LU factors; else of its singular values, where each cofactor is a
// product of all but one (Stewart, "On the adjugate matrix", 1998).
template <class T>
int MatrixRoutine<T>::cofactors() {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  Arena<T> memory(3 * square() + 2 * n, 8 * n);
  if (memory.empty()) return no_memory;
  T *lu = memory.take(square()), *u = memory.take(square()), *vt = memory.take(square()),
    *values = memory.take(n), *others = memory.take(n);
  int* integers = memory.integers();
  const T* a = in(0, square());
  T* result = out(0, square());
  std::copy_n(a, square(), lu);
  int info = 0;
  f_.getrf(&n_, &n_, lu, &n_, integers, &info);
  if (info == 0) {
    T determinant = is_odd(integers, n_) ? -1 : 1;
    for (std::int64_t i = 0; i < n; ++i) determinant *= lu[i * (n + 1)];
    write_identity(result, n);
    f_.getrs("T", &n_, &n_, lu, &n_, integers, result, &n_, &info, 1);
    for (std::int64_t i = 0; i < square(); ++i) result[i] *= determinant;
    return 0;
  }
  if (!is_finite(a, square())) {
    std::fill_n(result, square(), std::numeric_limits<T>::quiet_NaN());
    return 0;
  }
  std::copy_n(a, square(), lu);
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
    f_.gesdd("A", &n_, &n_, lu, &n_, values, u, &n_, vt, &n_, work, size, integers, &info, 1);
  });
  if (!has_memory) return no_memory;
  if (info != 0) return info;
  T before = 1, after = 1;
  for (std::int64_t i = 0; i < n; ++i) others[i] = before, before *= values[i];
  for (std::int64_t i = n; i-- > 0;) others[i] *= after, after *= values[i];
  std::fill_n(result, square(), T{0});
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t l = 0; l < n; ++l)
        result[j * n + l] += vt[j * n + i] * others[i] * u[i * n + l];
  const bool negative = is_reflection(f_, u, n_, integers) != is_reflection(f_, vt, n_, integers);
  for (std::int64_t i = 0; negative && i < square(); ++i) result[i] = -result[i];
  return 0;
}

#define GNOMON_ROUTINES(T)                    \
  template int MatrixRoutine<T>::qr();        \
  template int MatrixRoutine<T>::eigh(bool);  \
  template int MatrixRoutine<T>::svd(bool);   \
  template int MatrixRoutine<T>::lu_factor(); \
  template int MatrixRoutine<T>::cofactors();
GNOMON_ROUTINES(float)
GNOMON_ROUTINES(double)
#undef GNOMON_ROUTINES

}  // namespace gnomon
