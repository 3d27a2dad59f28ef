// Linear algebra of exported libraries by LAPACK, for those that are asked to call it. Only what a
// library calls is looked for when it is linked.
#pragma once

#include "runtime/linalg/matrix_batches.h"
#include "stdlib/prelude/export/services.h"

namespace gn {

template <typename T>
struct Pointee;
template <typename T>
struct Pointee<T*> {
  using type = T;
};
/// LAPACK's functions of T, by the names that LapackFunctions has.
template <typename T>
struct LinkedLapack;

}  // namespace gn

#define GN_DECLARE(T, member, name) \
  extern "C" gn::Pointee<decltype(gnomon::LapackFunctions<T>::member)>::type name;
#define GN_MEMBER(T, member, name) static constexpr auto member = name;
#define GN_NAMES(apply, T, letter, unitary, hermitian)                                            \
  apply(T, potrf, letter##potrf_) apply(T, getrf, letter##getrf_) apply(T, getrs, letter##getrs_) \
      apply(T, gbsv, letter##gbsv_) apply(T, gelqf, letter##gelqf_) apply(T, orglq, unitary)      \
          apply(T, trsyl, letter##trsyl_) apply(T, trsm, letter##trsm_)                           \
              apply(T, gemm, letter##gemm_) apply(T, syevd, hermitian)                            \
                  apply(T, gesdd, letter##gesdd_) apply(T, gees, letter##gees_)                   \
                      apply(T, geev, letter##geev_) apply(T, gges, letter##gges_)
#define GN_LAPACK(T, letter, unitary, hermitian)       \
  GN_NAMES(GN_DECLARE, T, letter, unitary, hermitian)  \
  namespace gn {                                       \
  template <>                                          \
  struct LinkedLapack<T> {                             \
    struct Scope {};                                   \
    Scope scope() const { return {}; }                 \
    GN_NAMES(GN_MEMBER, T, letter, unitary, hermitian) \
  };                                                   \
  }
GN_LAPACK(float, s, sorglq_, ssyevd_)
GN_LAPACK(double, d, dorglq_, dsyevd_)
GN_LAPACK(gnomon::FloatPair<float>, c, cunglq_, cheevd_)
GN_LAPACK(gnomon::FloatPair<double>, z, zunglq_, zheevd_)
#undef GN_LAPACK
#undef GN_NAMES
#undef GN_MEMBER
#undef GN_DECLARE

namespace gn {

/// A routine on the matrices of a batch.
template <int Kind, typename T>
struct Matrices {
  static constexpr auto routine = static_cast<gnomon::Routine>(Kind);
  static gnomon::ServiceMemory memory(const gnomon_routine& what) {
    return gnomon::memory_of_matrices<routine, T>(what, LinkedLapack<T>{});
  }
  static bool fits(const gnomon_routine& what) { return gnomon::fits_lapack(what); }
  static bool run(gnomon_routine& what, const LentCrew& crew) {
    return gnomon::run_matrices<routine, T>(what, LinkedLapack<T>{}, crew);
  }
};

}  // namespace gn
