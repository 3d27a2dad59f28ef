// Row-major matrices through LAPACK's column-major routines: it sees each matrix transposed.
#include "runtime/lapack.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <limits>

#include "runtime/blas.h"
#include "runtime/dtype.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr double work_of_piece = 1e6;  // multiply-adds worth handing to another thread

template <class T>
using Potrf = void (*)(const char* uplo, const int* n, T* a, const int* lda, int* info);
template <class T>
using Getrf = void (*)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
template <class T>
using Getrs = void (*)(const char* trans, const int* n, const int* columns, const T* a,
                       const int* lda, const int* pivots, T* b, const int* ldb, int* info);
template <class T>
using CblasTrsm = void (*)(int order, int side, int uplo, int trans, int diagonal, int m, int n,
                           T alpha, const T* a, int lda, T* b, int ldb);

void* find(const char* name) {
  if (void* own = blas().symbol(name)) return own;
  // A BLAS library without LAPACK has it in a library of its own.
  static void* const other = ::dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL);
  return other != nullptr ? ::dlsym(other, name) : nullptr;
}

template <class T>
struct Library {
  Potrf<T> potrf;
  Getrf<T> getrf;
  Getrs<T> getrs;
  CblasTrsm<T> trsm;
  bool complete() const { return potrf && getrf && getrs && trsm; }
};

template <class T>
const Library<T>& library() {
  constexpr bool single = sizeof(T) == 4;
  static const Library<T> instance{
      reinterpret_cast<Potrf<T>>(find(single ? "spotrf_" : "dpotrf_")),
      reinterpret_cast<Getrf<T>>(find(single ? "sgetrf_" : "dgetrf_")),
      reinterpret_cast<Getrs<T>>(find(single ? "sgetrs_" : "dgetrs_")),
      reinterpret_cast<CblasTrsm<T>>(find(single ? "cblas_strsm" : "cblas_dtrsm"))};
  return instance;
}

// One routine on the matrices of a batch.
template <class T>
struct Batch {
  gnomon_routine& r;
  const Library<T>& lapack;
  std::atomic<std::int64_t> failed{std::numeric_limits<std::int64_t>::max()};
  std::atomic<bool> lacks_memory{false};

  int n() const { return static_cast<int>(r.n); }
  int columns() const { return static_cast<int>(r.columns); }
  const T* matrix(std::int64_t item) const { return static_cast<const T*>(r.a) + item * r.n * r.n; }
  const T* right_side(std::int64_t item) const {
    return static_cast<const T*>(r.b) + item * r.n * r.columns;
  }
  T* result(std::int64_t item) const {
    return static_cast<T*>(r.out) + item * r.n * (r.b != nullptr ? r.columns : r.n);
  }

  // Each returns where it failed, counted from 1, or 0.
  int factor(std::int64_t item) const {
    const T* a = matrix(item);
    T* l = result(item);
    for (std::int64_t i = 0; i < r.n; ++i) {
      std::copy_n(a + i * r.n, i + 1, l + i * r.n);
      std::fill(l + i * r.n + i + 1, l + (i + 1) * r.n, T{0});
    }
    int info = 0;
    const int order = n();
    lapack.potrf("U", &order, l, &order, &info);
    // Not every library stops at a NaN.
    for (std::int64_t i = 0; i < r.n && info == 0; ++i)
      if (!(l[i * r.n + i] > 0)) info = static_cast<int>(i) + 1;
    return info;
  }

  int substitute(std::int64_t item) const {
    const T* a = matrix(item);
    for (std::int64_t i = 0; i < r.n; ++i)
      if (a[i * r.n + i] == 0) return static_cast<int>(i) + 1;
    T* x = result(item);
    std::copy_n(right_side(item), r.n * r.columns, x);
    constexpr int row_major = 101, left = 141, upper = 121, lower = 122, plain = 111, turned = 112,
                  not_unit = 131;
    lapack.trsm(row_major, left, r.lower != 0 ? lower : upper, r.transposed != 0 ? turned : plain,
                not_unit, n(), columns(), T{1}, a, n(), x, columns());
    return 0;
  }

  // LAPACK factors the transposed matrix, and reads right-hand sides column by column.
  int eliminate(std::int64_t item) {
    const Block block =
        try_allocate_block(static_cast<std::size_t>(r.n * r.n + r.n * r.columns) * sizeof(T) +
                           static_cast<std::size_t>(r.n) * sizeof(int));
    if (block.data == nullptr) {
      lacks_memory = true;
      return 0;
    }
    T* lu = static_cast<T*>(block.data);
    T* x = lu + r.n * r.n;
    int* pivots = reinterpret_cast<int*>(x + r.n * r.columns);
    std::copy_n(matrix(item), r.n * r.n, lu);
    const T* b = right_side(item);
    T* out = result(item);
    for (std::int64_t i = 0; i < r.n; ++i)
      for (std::int64_t j = 0; j < r.columns; ++j) x[j * r.n + i] = b[i * r.columns + j];
    int info = 0;
    const int order = n(), width = columns();
    lapack.getrf(&order, &order, lu, &order, pivots, &info);
    if (info == 0) {
      int status = 0;
      lapack.getrs(r.transposed != 0 ? "N" : "T", &order, &width, lu, &order, pivots, x, &order,
                   &status);
      for (std::int64_t i = 0; i < r.n; ++i)
        for (std::int64_t j = 0; j < r.columns; ++j) out[i * r.columns + j] = x[j * r.n + i];
    }
    free_block(block);
    return info;
  }

  int one(std::int64_t item) {
    switch (static_cast<Routine>(r.routine)) {
      case Routine::cholesky: return factor(item);
      case Routine::solve_triangular: return substitute(item);
      case Routine::solve: return eliminate(item);
    }
    return 0;
  }

  void run(std::int64_t item) {
    if (one(item) == 0) return;
    std::int64_t first = failed.load();
    while (item < first && !failed.compare_exchange_weak(first, item)) {
    }
  }

  int run_all(ThreadPool& pool, int limit) {
    const double order = static_cast<double>(r.n);
    const double work =
        order * order * (order / 3 + (r.b != nullptr ? static_cast<double>(r.columns) : 0));
    const auto grain = static_cast<std::int64_t>(std::max(1.0, work_of_piece / (work + 100)));
    gnomon_body body = [](void* self, std::int64_t lo, std::int64_t hi, std::int32_t) {
      const BlasCallScope scope(blas().rules());
      for (; lo < hi; ++lo) static_cast<Batch*>(self)->run(lo);
    };
    pool.parallel_for(r.batch, grain, body, this, blas().rules().one_at_a_time ? 1 : limit);
    if (lacks_memory) return 3;
    if (failed == std::numeric_limits<std::int64_t>::max()) return 0;
    r.failed = failed;
    const BlasCallScope scope(blas().rules());
    r.pivot = one(r.failed);
    return 0;
  }
};

template <class T>
int run(gnomon_routine& routine, ThreadPool& pool, int limit) {
  const Library<T>& lapack = library<T>();
  if (!lapack.complete()) return 1;
  return Batch<T>{routine, lapack}.run_all(pool, limit);
}

}  // namespace

int run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept {
  routine.failed = -1;
  routine.pivot = 0;
  if (routine.n <= 0 || routine.batch <= 0) return 0;
  if (routine.b != nullptr && routine.columns <= 0) return 0;
  constexpr std::int64_t largest = std::numeric_limits<int>::max();
  if (routine.n > largest || routine.columns > largest) return 2;
  if (!blas().available()) return 1;
  if (routine.dtype == static_cast<int>(float32)) return run<float>(routine, pool, limit);
  if (routine.dtype == static_cast<int>(float64)) return run<double>(routine, pool, limit);
  return 2;
}

}  // namespace gnomon
