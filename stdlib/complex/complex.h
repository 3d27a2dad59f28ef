// Complex numbers as pairs of floats: the ops that give one part, and joining of parts.
#pragma once

#include <vector>

#include "ir/op/op.h"

namespace gnomon {

// Real and imaginary parts of functions of x + iy, by x and y (those of divide and power by the
// parts of both operands). Made when complex numbers are written as pairs, so they are in no table.
// clang-format off
#define GNOMON_PART_OPS(X)                                                                  \
  X(exp_real)                                                                               \
  X(exp_imag)                                                                               \
  X(expm1_real)                                                                             \
  X(sinh_real) X(sinh_imag) X(cosh_real) X(cosh_imag) X(tanh_real) X(tanh_imag) X(log_real) \
      X(log1p_real) X(sqrt_real) X(sqrt_imag) X(sign_real) X(arcsin_real) X(arcsin_imag)    \
          X(arccos_real) X(arctanh_real) X(arctanh_imag) X(divide_real) X(divide_imag)      \
              X(power_real) X(power_imag)
// clang-format on
namespace op {
#define GNOMON_DECLARE(name) extern const Op name;
GNOMON_PART_OPS(GNOMON_DECLARE)
#undef GNOMON_DECLARE
}  // namespace op

// clang-format off
// Routines on matrices of pairs [..., m, 2 n]: the ops of these names on complex ones [..., m, n].
#define GNOMON_PAIR_ROUTINES(X)                                                              \
  X(cholesky) X(solve_triangular) X(solve) X(qr) X(eigh) X(eigvalsh) X(svd) X(svdvals)       \
  X(lu_factor) X(cofactors) X(solve_sylvester) X(eig) X(eigvals) X(schur) X(qz) X(solve_banded)
// clang-format on
namespace op {
#define GNOMON_DECLARE(name) extern const Op name##_pairs;
GNOMON_PAIR_ROUTINES(GNOMON_DECLARE)
#undef GNOMON_DECLARE
extern const Op eig_floats, eigvals_floats, qz_floats;  // of matrices of floats, to pairs
// Fourier transforms of pairs [..., n, 2] and lines [..., n, 1], as the library computes them.
extern const Op dft;    // attributes: inverse
extern const Op rdft;   // lines to pairs
extern const Op irdft;  // pairs to lines; attributes: length
}  // namespace op

/// Whether a value that the node reads or makes is complex.
bool touches_complex(const Node& node);
/// The parts of an array of pairs [..., 2].
Parts parts_of_pairs(const Expr& pairs);
/// The parts as one array of pairs [..., 2], as complex numbers lie in memory; the array they are
/// the parts of if there is one.
Expr join_pairs(const Parts& parts);
/// Of a node with a routine on complex matrices, or with complex results.
std::vector<Parts> routine_parts(const Node& node, std::span<const Parts> operands);
/// The parts of a complex constant.
Parts parts_of_constant(const Array& array);

}  // namespace gnomon
