// Two adjacent axes of an expression as one, which costs nothing where its arrays lie in memory whole.
#pragma once

#include <cstddef>

#include "ir/graph/expr.h"
#include "passes/engine/rule.h"

namespace gnomon {

/// The value of the match's operand `x` with axes `axis` and `axis + 1` as one; null unless it is
/// computed element by element of arrays that are in memory, or that are the same along both axes.
/// What is dear and has other users stays as it is: it would be computed twice.
Value with_axes_joined(const Value& x, std::size_t axis, const Match& m);

}  // namespace gnomon
