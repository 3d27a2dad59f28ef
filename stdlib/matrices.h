// What operations on matrices, the last two axes of their operands, share.
#pragma once

#include <utility>

#include "ir/expr.h"

namespace gnomon {

/// Matrices with rows and columns exchanged.
Expr swap_last(const Expr& x);
/// Both operands with their common dtype.
std::pair<Expr, Expr> promoted(const Arg& a, const Arg& b);
/// The broadcast of the leading axes of two batches of matrices.
Shape common_batch(const Expr& a, const Expr& b);
/// The matrices of `x` over the leading axes `batch`.
Expr with_batch(const Expr& x, Shape batch);

}  // namespace gnomon
