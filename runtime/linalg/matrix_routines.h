// What a routine of linear algebra does to one matrix of a batch.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "runtime/abi.h"
#include "runtime/linalg/lapack.h"
#include "runtime/linalg/lapack_library.h"
#include "runtime/memory.h"

namespace gnomon {

/// Memory of one call, given back at its end.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : block_(try_allocate_block(bytes)) {}
  ~Scratch() {
    if (block_.data != nullptr) free_block(block_);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  void* data() const { return block_.data; }

 private:
  Block block_;
};

/// The routine's operands and results for one matrix. `run` returns 0, or where the matrix failed,
/// counted from 1, or `no_memory`.
template <class T>
class MatrixRoutine {
  using R = Part<T>;
  using Pair = std::complex<R>;

 public:
  static constexpr int no_memory = -1;

  MatrixRoutine(const gnomon_routine& r, const Lapack<T>& lapack, std::int64_t item)
      : r_(r),
        f_(lapack),
        item_(item),
        rows_(static_cast<int>(r.rows)),
        n_(static_cast<int>(r.n)),
        least_(rows_ < n_ ? rows_ : n_),
        columns_(static_cast<int>(r.columns)) {}

  int run();

 private:
  const T* in(int k, std::int64_t elements) const {
    return static_cast<const T*>(r_.in[k]) + item_ * elements;
  }
  template <class U = T>
  U* out(int k, std::int64_t elements) const {
    return static_cast<U*>(r_.out[k]) + item_ * elements;
  }
  std::int64_t square() const { return r_.n * r_.n; }

  // systems (lapack.cpp)
  int cholesky();
  int substitute();
  int solve();
  int sylvester();
  // factors (matrix_factors.cpp)
  int qr();
  int eigh(bool vectors);
  int svd(bool vectors);
  int eig(bool vectors);
  void write_pairs_of_vectors(const T* v, const T* imaginary, Pair* x) const;
  /// Floats of the workspace that singular values of complex matrices need beside T's.
  std::int64_t parts_of_svd() const {
    const std::int64_t least = least_, most = rows_ < n_ ? n_ : rows_;
    return is_pair<T> ? least * std::max(5 * least + 7, 2 * most + 2 * least + 1) : 0;
  }
  int lu_factor();
  int cofactors();

  // Schur forms, bands (matrix_schur.cpp)
  int schur();
  int qz();
  int solve_banded();

  const gnomon_routine& r_;
  const Lapack<T>& f_;
  std::int64_t item_;
  int rows_, n_, least_, columns_;
};

/// Stretches of memory for parts of a computation, one after the other.
template <class T>
class Arena {
 public:
  explicit Arena(std::int64_t elements, std::int64_t integers = 0)
      : scratch_(static_cast<std::size_t>(elements) * sizeof(T) +
                 static_cast<std::size_t>(integers) * sizeof(int)),
        next_(static_cast<T*>(scratch_.data())) {}
  bool empty() const { return scratch_.data() == nullptr; }
  T* take(std::int64_t elements) {
    T* const here = next_;
    next_ += elements;
    return here;
  }
  /// The same, of the floats of T.
  Part<T>* take_parts(std::int64_t elements) {
    return reinterpret_cast<Part<T>*>(take(is_pair<T> ? (elements + 1) / 2 : elements));
  }
  /// What is left, as integers; taken last.
  int* integers() const { return reinterpret_cast<int*>(next_); }

 private:
  Scratch scratch_;
  T* next_;
};

/// The elements of the workspace that LAPACK asks for, which it says as a float: not rounded down.
template <class T>
int size_of_work(T asked) {
  const auto size = std::real(asked);
  constexpr auto largest = std::numeric_limits<Part<T>>::max();
  return std::max(1, static_cast<int>(std::nextafter(size, largest)));
}

/// Calls `f(work, size)` twice: to ask for the size of its workspace, and to compute. False without
/// memory.
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

template <class T>
bool is_finite(const T* x, std::int64_t count) {
  return std::all_of(x, x + count, [](T e) { return e - e == T{0}; });
}

/// Columns of a matrix in memory become its rows: b[j * m + i] = a[i * n + j].
template <class T>
void transpose_matrix(const T* a, std::int64_t m, std::int64_t n, T* b) {
  constexpr std::int64_t tile = 32;
  for (std::int64_t i0 = 0; i0 < m; i0 += tile)
    for (std::int64_t j0 = 0; j0 < n; j0 += tile)
      for (std::int64_t i = i0; i < m && i < i0 + tile; ++i)
        for (std::int64_t j = j0; j < n && j < j0 + tile; ++j) b[j * m + i] = a[i * n + j];
}

}  // namespace gnomon
