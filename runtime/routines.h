// The numbers by which records of runtime/abi.h say what is to be computed.
#pragma once

#include <stdint.h>

namespace gnomon {

/// What `gnomon_routine::routine` says is to be computed, of operands a, b, c. ^T is ^H where
/// matrices are complex.
enum class Routine : int32_t {
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

/// Which eigenvalues come first: any, those left or right of the imaginary axis, inside or outside
/// of the unit circle.
enum class EigenvalueOrder : int32_t { any, left, right, inside, outside };

/// Whether it is a Fourier transform (runtime/lines/fourier.h).
constexpr bool is_fourier(Routine routine) {
  return routine == Routine::dft || routine == Routine::rdft || routine == Routine::irdft;
}

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

/// Which of images x, weights w and results y `gnomon_convolution::kind` says is computed from the
/// other two. The gradient by x or w is computed from that by y.
enum class ConvolutionKind : int32_t {
  results,          // c = y from a = x and b = w
  input_gradient,   // c = x from a = y and b = w
  weight_gradient,  // c = w from a = x and b = y
};

/// What `gnomon_lines::routine` says is to be computed of each line, from operands a and b.
enum class LineRoutine : int32_t {
  cumsum = 1,         // a[0] + ... + a[i]
  cumprod,            // a[0] * ... * a[i]
  cummax,             // the largest of a[0], ..., a[i]; NaN from the first NaN on
  cummin,             // the smallest
  linear_recurrence,  // y[i] = a[i] * y[i - 1] + b[i], y[-1] = 0
  sort,               // in ascending order; NaN counts as the largest number
  argsort,            // places (int64) that sort a; equal elements keep their order
  argtopk,            // places (int64) of the `count` largest, the largest first
  searchsorted,       // for each of `count` values b: how many elements of the sorted line a are
                      // less, or not greater (`reverse`): int64. One line.
  flatnonzero,        // places (int64) of the `count` true elements. One line.
};

}  // namespace gnomon
