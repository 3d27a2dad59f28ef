// The functions of LAPACK and BLAS that routines call, as Fortran has them.
#pragma once

#include <stddef.h>

#include "runtime/float_pair.h"

namespace gnomon {

/// Those that take other arguments for complex numbers, here for floats.
template <class T>
struct SpectralFunctions {
  using Length = size_t;
  void (*syevd)(const char* job, const char* uplo, const int* n, T* a, const int* lda, T* values,
                T* work, const int* lwork, int* iwork, const int* liwork, int* info, Length,
                Length);
  void (*gesdd)(const char* job, const int* m, const int* n, T* a, const int* lda, T* values, T* u,
                const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, int* iwork,
                int* info, Length);
  void (*gees)(const char* job, const char* sort, int (*select)(const T*, const T*), const int* n,
               T* a, const int* lda, int* sorted, T* real, T* imaginary, T* vectors,
               const int* ldvs, T* work, const int* lwork, int* bwork, int* info, Length, Length);
  void (*geev)(const char* left, const char* right, const int* n, T* a, const int* lda, T* real,
               T* imaginary, T* vl, const int* ldvl, T* vr, const int* ldvr, T* work,
               const int* lwork, int* info, Length, Length);
  void (*gges)(const char* left, const char* right, const char* sort,
               int (*select)(const T*, const T*, const T*), const int* n, T* a, const int* lda,
               T* b, const int* ldb, int* sorted, T* real, T* imaginary, T* beta, T* vl,
               const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, int* bwork,
               int* info, Length, Length, Length);
};

template <class R>
struct SpectralFunctions<FloatPair<R>> {
  using T = FloatPair<R>;
  using Length = size_t;
  void (*syevd)(const char* job, const char* uplo, const int* n, T* a, const int* lda, R* values,
                T* work, const int* lwork, R* rwork, const int* lrwork, int* iwork,
                const int* liwork, int* info, Length, Length);
  void (*gesdd)(const char* job, const int* m, const int* n, T* a, const int* lda, R* values, T* u,
                const int* ldu, T* vt, const int* ldvt, T* work, const int* lwork, R* rwork,
                int* iwork, int* info, Length);
  void (*gees)(const char* job, const char* sort, int (*select)(const T*), const int* n, T* a,
               const int* lda, int* sorted, T* values, T* vectors, const int* ldvs, T* work,
               const int* lwork, R* rwork, int* bwork, int* info, Length, Length);
  void (*geev)(const char* left, const char* right, const int* n, T* a, const int* lda, T* values,
               T* vl, const int* ldvl, T* vr, const int* ldvr, T* work, const int* lwork, R* rwork,
               int* info, Length, Length);
  void (*gges)(const char* left, const char* right, const char* sort,
               int (*select)(const T*, const T*), const int* n, T* a, const int* lda, T* b,
               const int* ldb, int* sorted, T* alpha, T* beta, T* vl, const int* ldvl, T* vr,
               const int* ldvr, T* work, const int* lwork, R* rwork, int* bwork, int* info, Length,
               Length, Length);
};

/// Those for float, double or complex numbers of them. Characters are passed with their length, as
/// Fortran does: at the end, by value.
template <class T>
struct LapackFunctions : SpectralFunctions<T> {
  using Length = size_t;
  void (*potrf)(const char* uplo, const int* n, T* a, const int* lda, int* info, Length);
  void (*getrf)(const int* m, const int* n, T* a, const int* lda, int* pivots, int* info);
  void (*getrs)(const char* trans, const int* n, const int* columns, const T* a, const int* lda,
                const int* pivots, T* b, const int* ldb, int* info, Length);
  void (*gbsv)(const int* n, const int* below, const int* above, const int* columns, T* ab,
               const int* ldab, int* pivots, T* b, const int* ldb, int* info);
  void (*gelqf)(const int* m, const int* n, T* a, const int* lda, T* tau, T* work, const int* lwork,
                int* info);
  void (*orglq)(const int* m, const int* n, const int* k, T* a, const int* lda, const T* tau,
                T* work, const int* lwork, int* info);
  void (*trsyl)(const char* trans_a, const char* trans_b, const int* sign, const int* m,
                const int* n, const T* a, const int* lda, const T* b, const int* ldb, T* c,
                const int* ldc, Part<T>* scale, int* info, Length, Length);
  void (*trsm)(const char* side, const char* uplo, const char* trans, const char* diagonal,
               const int* m, const int* n, const T* alpha, const T* a, const int* lda, T* b,
               const int* ldb, Length, Length, Length, Length);
  void (*gemm)(const char* trans_a, const char* trans_b, const int* m, const int* n, const int* k,
               const T* alpha, const T* a, const int* lda, const T* b, const int* ldb,
               const T* beta, T* c, const int* ldc, Length, Length);
};

}  // namespace gnomon
