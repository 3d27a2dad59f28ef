// The functions of LAPACK and BLAS that routines call, found by name.
#pragma once

#include <complex>
#include <cstddef>
#include <type_traits>

namespace gnomon {

/// The float of T and of its complex numbers.
template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<std::complex<T>> {
  using type = T;
};
template <class T>
using Part = typename PartOf<T>::type;
template <class T>
inline constexpr bool is_pair = !std::is_same_v<T, Part<T>>;

/// Those that take other arguments for complex numbers, here for floats.
template <class T>
struct SpectralFunctions {
  using Length = std::size_t;
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
struct SpectralFunctions<std::complex<R>> {
  using T = std::complex<R>;
  using Length = std::size_t;
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

/// A table for float, double or complex numbers of them. Characters are passed with their length,
/// as Fortran does: at the end, by value.
template <class T>
struct Lapack : SpectralFunctions<T> {
  using Length = std::size_t;
  /// How the C interface of BLAS takes numbers.
  using Scalar = std::conditional_t<is_pair<T>, const void*, T>;
  using Elements = std::conditional_t<is_pair<T>, void, T>;

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
  void (*trsm)(int order, int side, int uplo, int trans, int diagonal, int m, int n, Scalar alpha,
               const Elements* a, int lda, Elements* b, int ldb);
  void (*gemm)(int order, int trans_a, int trans_b, int m, int n, int k, Scalar alpha,
               const Elements* a, int lda, const Elements* b, int ldb, Scalar beta, Elements* c,
               int ldc);

  /// gesdd; `rwork` is for complex numbers.
  void singular_values(const char* job, const int* m, const int* n, T* a, const int* lda,
                       Part<T>* values, T* u, const int* ldu, T* vt, const int* ldvt, T* work,
                       const int* lwork, Part<T>* rwork, int* iwork, int* info) const {
    if constexpr (is_pair<T>)
      this->gesdd(job, m, n, a, lda, values, u, ldu, vt, ldvt, work, lwork, rwork, iwork, info, 1);
    else
      this->gesdd(job, m, n, a, lda, values, u, ldu, vt, ldvt, work, lwork, iwork, info, 1);
  }

  static Scalar scalar(const T& x) {
    if constexpr (is_pair<T>)
      return &x;
    else
      return x;
  }

  /// Whether all of them were found.
  bool complete() const {
    return potrf && getrf && getrs && gelqf && orglq && this->syevd && this->gesdd && this->gees &&
           this->geev && this->gges && gbsv && trsyl && trsm && gemm;
  }
};

/// The functions of the process's BLAS library, or of the LAPACK beside it.
template <class T>
const Lapack<T>& lapack();

}  // namespace gnomon
