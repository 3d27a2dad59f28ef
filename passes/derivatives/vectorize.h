// Batching: expressions for one example as expressions for all examples of a batch at once.
//
// Each node becomes one node, or a few, for all examples: no loop runs over them. A value that is
// the same for all examples has no axis for them, so what it costs does not grow.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/expr.h"
#include "ir/op/op.h"

namespace gnomon {

/// The outputs for a batch. `examples[i]` has, behind a leading axis, the type of `inputs[i]` and
/// takes its place; all leading extents are equal (TypeError, or ValueError of the call). The
/// outputs have that axis first; one that does not depend on the inputs is repeated along it.
/// TypeError: an extent would differ between examples, or an operation has no rule for batches.
std::vector<Expr> vectorize(const ExprList& outputs, const ExprList& inputs,
                            const ExprList& examples);

}  // namespace gnomon
