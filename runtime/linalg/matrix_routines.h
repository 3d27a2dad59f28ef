// What a routine of linear algebra does to one matrix of a batch: what lies around the calls of
// LAPACK, one text for the process and for exported libraries. LAPACK sees a row-major matrix
// transposed.
#pragma once

#include "runtime/abi.h"
#include "runtime/linalg/lapack_functions.h"
#include "runtime/routines.h"

namespace gnomon {

/// Memory that parts of a computation take one after the other; or, without any, the count of the
/// bytes that they would take. They get a few bytes then: LAPACK may answer there what it is asked.
class Room {
 public:
  explicit Room(char* data = nullptr) : data_(data) {}
  bool counts() const { return data_ == nullptr; }
  int64_t used() const { return used_; }
  template <class U>
  U* take(int64_t elements) {
    U* const here = reinterpret_cast<U*>(counts() ? answers_ : data_ + used_);
    used_ += in_cache_lines(elements * int64_t{sizeof(U)});
    return here;
  }

 private:
  alignas(64) char answers_[64];
  char* data_;
  int64_t used_ = 0;
};

/// The routine's operands and results for one matrix. `Functions`: those of LAPACK, with the names
/// that LapackFunctions has. `run` returns 0, or where the matrix failed, counted from 1. With a
/// room that counts it only takes its memory, and reads and writes no operand.
template <class T, class Functions>
class MatrixRoutine {
  using R = Part<T>;
  using Pair = FloatPair<R>;

 public:
  MatrixRoutine(const gnomon_routine& r, const Functions& functions, int64_t item, Room& room)
      : r_(r),
        f_(functions),
        item_(item),
        room_(room),
        rows_(static_cast<int>(r.rows)),
        n_(static_cast<int>(r.n)),
        least_(rows_ < n_ ? rows_ : n_),
        columns_(static_cast<int>(r.columns)) {}

  /// `only`: the routine, if it is known; then there is no text of others.
  template <Routine only = Routine{}>
  int run() {
    switch (only == Routine{} ? static_cast<Routine>(r_.routine) : only) {
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
  }

 private:
  const T* in(int k, int64_t elements) const {
    return static_cast<const T*>(r_.in[k]) + item_ * elements;
  }
  template <class U = T>
  U* out(int k, int64_t elements) const {
    return static_cast<U*>(r_.out[k]) + item_ * elements;
  }
  int64_t square() const { return r_.n * r_.n; }
  T* take(int64_t elements) { return room_.template take<T>(elements); }
  R* take_parts(int64_t elements) { return room_.template take<R>(elements); }
  int* take_integers(int64_t elements) { return room_.template take<int>(elements); }

  /// LAPACK's workspace for `f(work, size)`, which it is asked for as a float: not rounded down.
  template <class F>
  T* take_work(int& size, const F& f) {
    T asked{};
    size = -1;
    f(&asked, &size);
    size = size_of_work(asked);
    return take(size);
  }
  static int size_of_work(T asked) {
    constexpr double above = is_same_type<R, float> ? 1 + 0x1p-23 : 1 + 0x1p-52;
    return greater(1, static_cast<int>(static_cast<double>(real_part(asked)) * above));
  }

  // systems (matrix_systems.h)
  int cholesky();
  int substitute();
  int solve();
  void solve_rows(const T* lu, const int* pivots, T* x) const;
  int sylvester();
  // factors (matrix_factors.h)
  int qr();
  int eigh(bool vectors);
  int svd(bool vectors);
  int eig(bool vectors);
  void write_pairs_of_vectors(const T* v, const T* imaginary, Pair* x) const;
  int lu_factor();
  int cofactors();
  T determinant_of_unitary(T* q, int* pivots) const;
  /// gesdd; `rwork` is for complex numbers.
  void singular_values(const char* job, const int* m, const int* n, T* a, const int* lda, R* values,
                       T* u, const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork,
                       R* rwork, int* iwork, int* info) const {
    if constexpr (is_pair<T>)
      f_.gesdd(job, m, n, a, lda, values, u, ldu, vt, ldvt, work, lwork, rwork, iwork, info, 1);
    else
      f_.gesdd(job, m, n, a, lda, values, u, ldu, vt, ldvt, work, lwork, iwork, info, 1);
  }
  /// Floats of the workspace that singular values of complex matrices need beside T's.
  int64_t parts_of_svd() const {
    const int64_t least = least_, most = rows_ < n_ ? n_ : rows_;
    return is_pair<T> ? least * greater(5 * least + 7, 2 * most + 2 * least + 1) : 0;
  }

  // Schur forms, bands (matrix_schur.h)
  int schur();
  int qz();
  int solve_banded();

  const gnomon_routine& r_;
  const Functions& f_;
  int64_t item_;
  Room& room_;
  int rows_, n_, least_, columns_;
};

template <class T>
void fill_elements(T* x, int64_t count, T value) {
  for (int64_t i = 0; i < count; ++i) x[i] = value;
}

template <class T>
bool is_finite(const T* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (!(x[i] - x[i] == number<T>(0))) return false;
  return true;
}

/// Columns of a matrix in memory become its rows: b[j * m + i] = a[i * n + j].
template <class T>
void transpose_matrix(const T* a, int64_t m, int64_t n, T* b) {
  constexpr int64_t tile = 32;
  for (int64_t i0 = 0; i0 < m; i0 += tile)
    for (int64_t j0 = 0; j0 < n; j0 += tile)
      for (int64_t i = i0; i < m && i < i0 + tile; ++i)
        for (int64_t j = j0; j < n && j < j0 + tile; ++j) b[j * m + i] = a[i * n + j];
}

}  // namespace gnomon
