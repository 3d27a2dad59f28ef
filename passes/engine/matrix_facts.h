// What is known of matrices by the operations that made them.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// Facts about matrices, the last two axes of a value. All are about the real numbers they stand
/// for.
struct MatrixFacts {
  static constexpr std::int64_t unbounded = std::int64_t{1} << 40;

  /// Elements are 0 but where low <= row - column <= high.
  std::int64_t low = -unbounded, high = unbounded;
  bool symmetric = false;
  bool orthogonal = false;         // square, and the transpose is the inverse
  bool regular = false;            // square with an inverse: without one there would be no value
  bool positive_diagonal = false;  // triangular with numbers above 0 on the diagonal
  bool identity = false;

  bool is_lower() const { return low >= 0; }
  bool is_upper() const { return high <= 0; }
  bool is_triangular() const { return is_lower() || is_upper(); }
  bool is_diagonal() const { return is_lower() && is_upper(); }
};

/// What is known of `v`, from a few operations back; nothing of what has fewer than two axes.
MatrixFacts matrix_facts(const Value& v);
/// Whether the last two extents are known to be equal.
bool is_square(const Value& v);
/// The diagonals [..., n] of square matrices.
Expr diagonals_of(const Value& v);

/// The system, with the identity on its right side, that an inverse is the solution of.
struct Inverse {
  Value of;
  bool transposed = false;
  Value system;
  /// The solution of that system with another right side; of the transposed one if `turned`.
  Expr solution(const Expr& b, bool turned = false) const;
};
std::optional<Inverse> as_inverse(const Value& v);
/// The matrices of which `v` is Kronecker's product.
std::optional<std::pair<Value, Value>> as_kron(const Value& v);
/// The square matrices that stand along the diagonal of `v`, which has zeros elsewhere; none unless
/// there are two or more.
std::vector<Value> diagonal_blocks(const Value& v);

}  // namespace gnomon
