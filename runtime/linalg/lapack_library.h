// The functions of LAPACK and BLAS of this process, found by name.
#pragma once

#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack_functions.h"

namespace gnomon {

/// A table, which routines take (runtime/linalg/matrix_routines.h).
template <class T>
struct Lapack : LapackFunctions<T> {
  /// Whether all of them were found.
  bool complete() const {
    return this->potrf && this->getrf && this->getrs && this->gelqf && this->orglq && this->syevd &&
           this->gesdd && this->gees && this->geev && this->gges && this->gbsv && this->trsyl &&
           this->trsm && this->gemm;
  }
  /// Held around calls.
  BlasCallScope scope() const { return BlasCallScope(blas().rules()); }
};

/// The functions of the process's BLAS library, or of the LAPACK beside it.
template <class T>
const Lapack<T>& lapack();

}  // namespace gnomon
