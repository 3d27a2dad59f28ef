// Factorisations and linear systems by the LAPACK in the BLAS library, or beside it.
#pragma once

#include <cstdint>

#include "runtime/abi.h"
#include "runtime/linalg/outcome.h"

namespace gnomon {

class ThreadPool;

/// What `gnomon_routine::routine` says is to be computed, of operands a, b, c. ^T is ^H where
/// matrices are complex.
enum class Routine : std::int32_t {
  cholesky = 1,      // L with L L^T = a; the lower triangle of a is read
  solve_triangular,  // op(a)^-1 b; the triangle `lower` says is read
  solve,             // op(a)^-1 b, by LU with partial pivoting
  qr,                // Q, R with a = Q R; `complete`: Q is square
  eigh,              // ascending eigenvalues, eigenvectors as columns; reads the lower triangle
  eigvalsh,          // the eigenvalues alone
  svd,               // U, descending singular values, V^T; `complete`: U and V are square
  svdvals,           // the singular values alone
  lu_factor,         // L below the diagonal and U, the row each row changed places with, the rows
  cofactors,         // the transposed adjugate of a: det(a) a^-T where a is regular
  sylvester,         // X with a X + X b = c, by Schur forms
  eig,               // complex eigenvalues, eigenvectors as columns
  eigvals,           // the eigenvalues alone
  schur,             // T, Z with a = Z T Z^T; `option`: an EigenvalueOrder
  qz,                // S, T, alpha, beta, Q, Z with a = Q S Z^T, b = Q T Z^T; `option` as above
  solve_banded,      // A^-1 b, of A by its diagonals, `option` of them below the main one
  dft,               // Fourier transforms of pairs [rows, 2]; `transposed`: the inverse
  rdft,              // of lines [rows, 1] to `columns` pairs
  irdft,             // back, to lines [columns, 1]
};

/// Which eigenvalues come first: those left or right of the imaginary axis, in or out of the unit
/// circle.
enum class EigenvalueOrder : std::int32_t { any, left, right, inside, outside };

/// Whether it is a Fourier transform (runtime/lines/fourier.h).
constexpr bool is_fourier(Routine routine) { return routine >= Routine::dft; }

/// Multiply-adds of one square matrix of order n, in thirds of n^3; right-hand sides aside.
constexpr int thirds_of_cube(Routine routine) {
  switch (routine) {
    case Routine::cholesky:
    case Routine::solve_triangular:
    case Routine::solve:
    case Routine::solve_banded:
    case Routine::lu_factor: return 1;
    case Routine::qr:
    case Routine::eigvalsh:
    case Routine::svdvals:
    case Routine::cofactors: return 6;
    case Routine::eigh: return 20;
    case Routine::eigvals: return 30;
    case Routine::svd:
    case Routine::sylvester:
    case Routine::schur:
    case Routine::eig: return 60;
    case Routine::qz: return 180;
    case Routine::dft:
    case Routine::rdft:
    case Routine::irdft: return 0;
  }
  return 1;
}

/// Runs a routine, the matrices of a batch on at most `limit` threads of `pool`, each by library
/// calls on one thread: the bits do not depend on the number of threads. Unsupported are extents
/// beyond 31 bits and other dtypes.
Outcome run_routine(gnomon_routine& routine, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
