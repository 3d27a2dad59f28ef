// Row-major matrices through LAPACK's column-major routines: it sees each matrix transposed.
#include "runtime/linalg/lapack.h"

#include <algorithm>
#include <atomic>
#include <complex>
#include <limits>

#include "runtime/arrays/dtype.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/matrix_routines.h"
#include "runtime/lines/fourier.h"
#include "runtime/threads.h"

namespace gnomon {

template <class T>
int MatrixRoutine<T>::run() {
  switch (static_cast<Routine>(r_.routine)) {
    case Routine::cholesky: return cholesky();
    case Routine::solve_triangular: return substitute();
    case Routine::solve: return solve();
    case Routine::qr: return qr();
    case Routine::eigh: return eigh(true);
    case Routine::eigvalsh: return eigh(false);
    case Routine::svd: return svd(true);
    case Routine::svdvals: return svd(false);
    case Routine::lu_factor: return lu_factor();
    case Routine::cofactors: return cofactors();
    case Routine::sylvester: return sylvester();
    case Routine::eig: return eig(true);
    case Routine::eigvals: return eig(false);
    case Routine::schur: return schur();
    case Routine::qz: return qz();
    case Routine::solve_banded: return solve_banded();
    default: return 0;
  }
  return 0;
}

template <class T>
int MatrixRoutine<T>::cholesky() {
  const std::int64_t n = r_.n;
  if (n == 0) return 0;
  const T* a = in(0, square());
  T* l = out(0, square());
  for (std::int64_t i = 0; i < n; ++i) {
    std::copy_n(a + i * n, i + 1, l + i * n);
    std::fill(l + i * n + i + 1, l + (i + 1) * n, T{0});
  }
  int info = 0;
  f_.potrf("U", &n_, l, &n_, &info, 1);
  // Not every library stops at a NaN.
  for (std::int64_t i = 0; i < n && info == 0; ++i)
    if (!(std::real(l[i * n + i]) > 0)) info = static_cast<int>(i) + 1;
  return info;
}

template <class T>
int MatrixRoutine<T>::substitute() {
  const std::int64_t n = r_.n, size = r_.n * r_.columns;
  if (size == 0) return 0;
  const T* a = in(0, square());
  for (std::int64_t i = 0; i < n; ++i)
    if (a[i * n + i] == T{0}) return static_cast<int>(i) + 1;
  T* x = out(0, size);
  std::copy_n(in(1, size), size, x);
  constexpr int row_major = 101, left = 141, upper = 121, lower = 122, plain = 111, turned = 112,
                not_unit = 131;
  const T one{1};
  f_.trsm(row_major, left, r_.lower != 0 ? lower : upper, r_.transposed != 0 ? turned : plain,
          not_unit, n_, columns_, f_.scalar(one), a, n_, x, columns_);
  return 0;
}

// LAPACK factors the transposed matrix, and reads right-hand sides column by column.
template <class T>
int MatrixRoutine<T>::solve() {
  const std::int64_t size = r_.n * r_.columns;
  if (size == 0) return 0;
  Arena<T> memory(square() + size, r_.n);
  if (memory.empty()) return no_memory;
  T* lu = memory.take(square());
  T* x = memory.take(size);
  int* pivots = memory.integers();
  std::copy_n(in(0, square()), square(), lu);
  transpose_matrix(in(1, size), r_.n, r_.columns, x);
  int info = 0, status = 0;
  f_.getrf(&n_, &n_, lu, &n_, pivots, &info);
  if (info != 0) return info;
  f_.getrs(r_.transposed != 0 ? "N" : "T", &n_, &columns_, lu, &n_, pivots, x, &n_, &status, 1);
  transpose_matrix(x, r_.columns, r_.n, out(0, size));
  return 0;
}

// Bartels and Stewart (1972). With the columns of memory as rows, X^T a^T + b^T X^T = c^T: of the
// Schur forms b^T = U S U^T and a^T = V R V^T, S Y + Y R = U^T c^T V gives X^T = U Y V^T.
template <class T>
int MatrixRoutine<T>::sylvester() {
  const std::int64_t m = r_.n, k = r_.columns;
  if (m == 0 || k == 0) return 0;
  const int order = std::max(n_, columns_);
  const std::int64_t widest = std::max(m, k);
  const int work_size = 34 * order;  // room for blocks of 32
  Arena<T> memory(2 * (m * m + k * k + m * k) + 2 * widest + work_size);
  if (memory.empty()) return no_memory;
  T *r = memory.take(m * m), *v = memory.take(m * m), *s = memory.take(k * k),
    *u = memory.take(k * k), *y = memory.take(m * k), *half = memory.take(m * k),
    *values = memory.take(2 * widest), *work = memory.take(work_size);
  std::copy_n(in(0, m * m), m * m, r);
  std::copy_n(in(1, k * k), k * k, s);
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
  constexpr int column_major = 102, plain = 111, turned = is_pair<T> ? 113 : 112;
  const int rows = columns_;
  const T one{1}, none{0};
  f_.gemm(column_major, turned, plain, rows, n_, rows, f_.scalar(one), u, rows, in(2, m * k), rows,
          f_.scalar(none), half, rows);
  f_.gemm(column_major, plain, plain, rows, n_, n_, f_.scalar(one), half, rows, v, n_,
          f_.scalar(none), y, rows);
  const int sign = 1;
  R scale = 1;
  f_.trsyl("N", "N", &sign, &rows, &n_, s, &rows, r, &n_, y, &rows, &scale, &info, 1, 1);
  if (info != 0 || scale == 0) return 1;
  const T back{1 / scale};
  f_.gemm(column_major, plain, plain, rows, n_, rows, f_.scalar(one), u, rows, y, rows,
          f_.scalar(none), half, rows);
  f_.gemm(column_major, plain, turned, rows, n_, n_, f_.scalar(back), half, rows, v, n_,
          f_.scalar(none), out(0, m * k), rows);
  return 0;
}

namespace {

constexpr double work_of_piece = 1e6;  // multiply-adds worth handing to another thread

// One routine on the matrices of a batch.
template <class T>
struct Batch {
  gnomon_routine& r;
  const Lapack<T>& lapack;
  std::atomic<std::int64_t> failed{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> lacks_memory{false};

  int one(std::int64_t item) const { return MatrixRoutine<T>(r, lapack, item).run(); }

  void run(std::int64_t item) {
    const int status = one(item);
    if (status == 0) return;
    if (status == MatrixRoutine<T>::no_memory) {
      lacks_memory = true;
      return;
    }
    std::int64_t first = failed.load();
    while (item < first && !failed.compare_exchange_weak(first, item)) {
    }
  }

  Trouble run_all(ThreadPool& pool, int limit) {
    const double area = static_cast<double>(r.rows) * static_cast<double>(r.n);
    const double cubes = thirds_of_cube(static_cast<Routine>(r.routine)) / 3.0;
    const double work =
        (is_pair<T> ? 4 : 1) * area *
        (cubes * static_cast<double>(std::min(r.rows, r.n)) + static_cast<double>(r.columns));
    const auto grain = static_cast<std::int64_t>(std::max(1.0, work_of_piece / (work + 100)));
    gnomon_body body = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
      const BlasCallScope scope(blas().rules());
      for (; lo < hi; ++lo) static_cast<Batch*>(self)->run(lo);
    };
    pool.parallel_for(r.batch, grain, body, this, blas().rules().one_at_a_time ? 1 : limit);
    if (lacks_memory) return Trouble::no_memory;
    if (failed == std::numeric_limits<std::int64_t>::max()) return Trouble::none;
    r.failed = failed;
    const BlasCallScope scope(blas().rules());
    r.pivot = one(r.failed);
    return Trouble::none;
  }
};

template <class T>
Trouble run_batch(gnomon_routine& routine, ThreadPool& pool, int limit) {
  const Lapack<T>& functions = lapack<T>();
  if (!functions.complete()) return Trouble::no_library;
  return Batch<T>{routine, functions}.run_all(pool, limit);
}

}  // namespace

Trouble run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  routine.failed = -1;
  routine.pivot = 0;
  if (is_fourier(static_cast<Routine>(routine.routine))) return run_fourier(routine, pool, limit);
  if (routine.batch <= 0) return Trouble::none;
  // Workspaces of LAPACK have up to 8 n^2 elements.
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (routine.rows > largest || routine.n > largest || routine.columns > largest)
    return Trouble::unsuitable;
  if (!blas().available()) return Trouble::no_library;
  if (routine.dtype == static_cast<int>(float32)) return run_batch<float>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(float64)) return run_batch<double>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(complex64))
    return run_batch<std::complex<float>>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(complex128))
    return run_batch<std::complex<double>>(routine, pool, limit);
  return Trouble::unsuitable;
}

}  // namespace gnomon
