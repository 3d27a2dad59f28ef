// What batching rules share: operands with the axis of examples first, and rules of many ops.
#pragma once

#include <vector>

#include "ir/op/op.h"

namespace gnomon {

/// Operand `i` with the axis of examples first: repeated if it is the same for all.
Expr leading(const Batched& batch, std::size_t i);
/// The outputs of `op(operands; attributes)`.
Exprs outputs_of(const Op& op, const std::vector<Expr>& operands, Attributes attributes);
/// `a` for the examples that are marked, bools by example, else `b`: values of this rank for one
/// example, each with the axis of examples first or the same for all.
Expr along_examples(const Expr& marks, int rank, const Expr& a, const Expr& b);
/// `x` with axis `from` moved to `to`.
Expr move_axis(const Expr& x, int from, int to);

/// Rules of ops whose operands may all have further axes first: the op itself, with the axis
/// numbers in attributes `axis` and `axes` one higher.
Exprs batch_leading(const Batched& batch);
/// Rule of identities of operand 0.
Exprs batch_identity(const Batched& batch);

}  // namespace gnomon
