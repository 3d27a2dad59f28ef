// Two adjacent axes of an expression as one: free where its arrays lie in memory whole.
#pragma once

#include <cstddef>

#include "ir/graph/expr.h"

namespace gnomon {

/// `x` with axes `axis` and `axis + 1` as one; null unless it is computed element by element, at
/// little cost, of arrays that are in memory, or that are the same along both axes. (What is dear
/// may have other users, and would be computed twice.)
Value with_axes_joined(const Value& x, std::size_t axis);

}  // namespace gnomon
