// Derivatives of one node, as its op's record says: with masks backwards, plain forwards.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "ir/graph/expr.h"
#include "passes/derivatives/cotangent.h"

namespace gnomon {

/// Cotangents of the operands of `node` from those of its outputs (none where absent); only the
/// operands marked in `wanted` are asked for, the other entries may be none.
/// TypeError when the op has no derivative.
std::vector<Cotangent> pull_back(const Node& node, std::span<const Cotangent> dy,
                                 const std::vector<bool>& wanted);

/// Cotangents of `wrt`, which are leaves, from those of `outputs`: a reverse sweep with masks.
std::vector<Cotangent> pull_back_all(std::span<const Expr> outputs, std::span<const Expr> wrt,
                                     std::span<const Cotangent> dy);

/// Tangents of the outputs of `node` from those of its operands (null: zero), null where zero.
/// TypeError when the op has no derivative.
std::vector<Expr> push_forward(const Node& node, std::span<const Expr> dx);

/// Whether a derivative may flow from an operand of float dtype to the float outputs.
bool carries_derivatives(const Node& node);

}  // namespace gnomon
