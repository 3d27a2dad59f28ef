// Factors of one matrix by LAPACK. It sees a row-major matrix transposed, so most factors of the
// transposed matrix lie in memory as those of the matrix are wanted: only LU needs a copy.
#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/linalg/matrix_routines.h"

namespace gnomon {

namespace {

template <class T>
void write_identity(T* x, std::int64_t n) {
  std::fill_n(x, n * n, T{0});
  for (std::int64_t i = 0; i < n; ++i) x[i * n + i] = 1;
}

// Whether an odd number of rows changed places with others.
bool is_odd(const int* pivots, int n) {
  bool odd = false;
  for (int i = 0; i < n; ++i) odd = odd != (pivots[i] != i + 1);
  return odd;
}

// The determinant of an orthogonal matrix, which is lost: a sign.
template <class T>
T determinant_of_unitary(const Lapack<T>& f, T* q, int n, int* pivots) {
  int info = 0;
  f.getrf(&n, &n, q, &n, pivots, &info);
  T sign = is_odd(pivots, n) ? -1 : 1;
  for (int i = 0; i < n; ++i) {
    const T x = q[static_cast<std::int64_t>(i) * (n + 1)];
    sign *= x / std::abs(x);
  }
  return sign;
}

template <class T>
void conjugate(T* x, std::int64_t count) {
  if constexpr (is_pair<T>)
    for (std::int64_t i = 0; i < count; ++i) x[i] = std::conj(x[i]);
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
  R* const values = out<R>(0, n);
  int info = 0, integers = 0, parts = 0;
  const int ask = -1;
  const char* const job = vectors ? "V" : "N";
  T asked = 0;
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
  parts = size_of_work(asked_parts);
  Arena<T> memory(size + parts, integers);
  if (memory.empty()) return no_memory;
  T* work = memory.take(size);
  R* rwork = memory.take_parts(parts);
  compute(work, &size, rwork, &parts, memory.integers(), &integers);
  if (info != 0 || !vectors) return info;
  // The matrix that LAPACK sees is the conjugate one.
  conjugate(a, square());
  transpose_matrix(a, n, n, out(1, square()));
  return 0;
}

// a^T = V S U^T (of complex numbers, conj(V) S U^T): LAPACK's left vectors lie in memory as V^T
// (V^H) is wanted, its right ones as U.
template <class T>
int MatrixRoutine<T>::svd(bool vectors) {
  const std::int64_t m = r_.rows, n = r_.n, k = least_;
  const bool complete = vectors && r_.complete != 0;
  const std::int64_t width = complete ? m : k, height = complete ? n : k;
  T* const u = vectors ? out(0, m * width) : nullptr;
  R* const values = out<R>(vectors ? 1 : 0, k);
  T* const vt = vectors ? out(2, height * n) : nullptr;
  if (k == 0) {
    if (complete) write_identity(u, m), write_identity(vt, n);
    return 0;
  }
  Arena<T> memory(m * n + parts_of_svd(), 8 * k);
  if (memory.empty()) return no_memory;
  T* a = memory.take(m * n);
  R* rwork = memory.take_parts(parts_of_svd());
  int* integers = memory.integers();
  std::copy_n(in(0, m * n), m * n, a);
  if (!is_finite(a, m * n)) return 1;
  const char* const job = !vectors ? "N" : complete ? "A" : "S";
  const int ldu = std::max(1, static_cast<int>(width));
  int info = 0;
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
    f_.singular_values(job, &n_, &rows_, a, &n_, values, vt, &n_, u, &ldu, work, size, rwork,
                       integers, &info);
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
// product of all but one (Stewart, "On the adjugate matrix", 1998), times det(U) det(V^H).
template <class T>
int MatrixRoutine<T>::cofactors() {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  Arena<T> memory(3 * square() + 2 * n + parts_of_svd(), 8 * n);
  if (memory.empty()) return no_memory;
  T *lu = memory.take(square()), *u = memory.take(square()), *vt = memory.take(square());
  R *values = memory.take_parts(n), *others = memory.take_parts(n),
    *rwork = memory.take_parts(parts_of_svd());
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
    std::fill_n(result, square(), T(std::numeric_limits<R>::quiet_NaN()));
    return 0;
  }
  std::copy_n(a, square(), lu);
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
    f_.singular_values("A", &n_, &n_, lu, &n_, values, u, &n_, vt, &n_, work, size, rwork, integers,
                       &info);
  });
  if (!has_memory) return no_memory;
  if (info != 0) return info;
  R before = 1, after = 1;
  for (std::int64_t i = 0; i < n; ++i) others[i] = before, before *= values[i];
  for (std::int64_t i = n; i-- > 0;) others[i] *= after, after *= values[i];
  // In memory vt holds U row by row, and u holds V^H.
  conjugate(vt, square()), conjugate(u, square());
  std::fill_n(result, square(), T{0});
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t l = 0; l < n; ++l)
        result[j * n + l] += vt[j * n + i] * others[i] * u[i * n + l];
  T sign =
      determinant_of_unitary(f_, u, n_, integers) * determinant_of_unitary(f_, vt, n_, integers);
  conjugate(&sign, 1);  // both are conjugated by now
  for (std::int64_t i = 0; i < square(); ++i) result[i] *= sign;
  return 0;
}

// The matrix itself, column by column, so that values come in the order in which others have them.
template <class T>
int MatrixRoutine<T>::eig(bool vectors) {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  if (!is_finite(in(0, square()), square())) return 1;
  Arena<T> memory(2 * square() + 4 * n);
  if (memory.empty()) return no_memory;
  T *a = memory.take(square()), *v = memory.take(square()), *re = memory.take(n),
    *im = memory.take(n);
  R* rwork = memory.take_parts(2 * n);
  transpose_matrix(in(0, square()), n, n, a);
  const char* const job = vectors ? "V" : "N";
  Pair* const values = out<Pair>(0, n);
  int info = 0;
  const bool has_memory = with_work<T>([&](T* work, const int* size) {
    if constexpr (is_pair<T>)
      f_.geev("N", job, &n_, a, &n_, values, nullptr, &n_, v, &n_, work, size, rwork, &info, 1, 1);
    else
      f_.geev("N", job, &n_, a, &n_, re, im, nullptr, &n_, v, &n_, work, size, &info, 1, 1);
  });
  if (!has_memory) return no_memory;
  if (info != 0) return info;
  if constexpr (is_pair<T>) {
    if (vectors) transpose_matrix(v, n, n, out<Pair>(1, square()));
  } else {
    for (std::int64_t j = 0; j < n; ++j) values[j] = {re[j], im[j]};
    if (vectors) write_pairs_of_vectors(v, im, out<Pair>(1, square()));
  }
  return 0;
}

// Vectors of two conjugate values are two columns: the parts of the first one's.
template <class T>
void MatrixRoutine<T>::write_pairs_of_vectors(const T* v, const T* imaginary, Pair* x) const {
  const std::int64_t n = r_.n;
  for (std::int64_t j = 0; j < n; ++j) {
    const bool is_complex = imaginary[j] != 0, is_second = imaginary[j] < 0;
    const T* const re = v + (is_second ? j - 1 : j) * n;
    const R sign = is_second ? R{-1} : R{1};
    for (std::int64_t i = 0; i < n; ++i)
      x[i * n + j] = Pair(std::real(re[i]), is_complex ? sign * std::real(re[i + n]) : R{0});
  }
}

#define GNOMON_ROUTINES(...)                            \
  template int MatrixRoutine<__VA_ARGS__>::qr();        \
  template int MatrixRoutine<__VA_ARGS__>::eigh(bool);  \
  template int MatrixRoutine<__VA_ARGS__>::svd(bool);   \
  template int MatrixRoutine<__VA_ARGS__>::eig(bool);   \
  template int MatrixRoutine<__VA_ARGS__>::lu_factor(); \
  template int MatrixRoutine<__VA_ARGS__>::cofactors();
GNOMON_ROUTINES(float)
GNOMON_ROUTINES(double)
GNOMON_ROUTINES(std::complex<float>)
GNOMON_ROUTINES(std::complex<double>)
#undef GNOMON_ROUTINES

}  // namespace gnomon
