// The functions of LAPACK and BLAS that routines call, found by name.
#pragma once

#include <cstddef>

namespace gnomon {

/// A table for float or double. Characters are passed with their length, as Fortran does: at the
/// end, by value.
template <class T>
struct Lapack {
  using Length = std::size_t;
  void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, Length);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*getrs)(const char* trans, const int* n, const int* columns, const T* a, const int* lda,
                const int* pivots, T* b, const int* ldb, int* info, Length);
  void (*gelqf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                int* info);
  void (*orglq)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau,
                T* work, const int* lwork, int* info);
  void (*syevd)(const char* job, const char* uplo, const int* n, T* a, const int* lda, T* values,
                T* work, const int* lwork, int* iwork, const int* liwork, int* info, Length,
                Length);
  void (*gesdd)(const char* job, const int* m, const int* n, T* a, const int* lda, T* values, T* u,
                const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* iwork,
                int* info, Length);
  void (*gees)(const char* job, const char* sort, int (*select)(const T*, const T*), const int* n,
               T* a, const int* lda, int* sorted, T* real, T* imaginary, T* vectors,
               const int* ldvs, T* work, const int* lwork, int* bwork, int* info, Length, Length);
  void (*trsyl)(const char* trans_a, const char* trans_b, const int* sign, const int* m,
                const int* n, const T* a, const int* lda, const T* b, const int* ldb, T* c,
                const int* ldc, T* scale, int* info, Length, Length);
  void (*trsm)(int order, int side, int uplo, int trans, int diagonal, int m, int n, T alpha,
               const T* a, int lda, T* b, int ldb);
  void (*gemm)(int order, int trans_a, int trans_b, int m, int n, int k, T alpha, const T* a,
               int lda, const T* b, int ldb, T beta, T* c, int ldc);

  /// Whether all of them were found.
  bool complete() const {
    return potrf && getrf && getrs && gelqf && orglq && syevd && gesdd && gees && trsyl && trsm &&
           gemm;
  }
};

/// The functions of the process's BLAS library, or of the LAPACK beside it.
template <class T>
const Lapack<T>& lapack();

}  // namespace gnomon
