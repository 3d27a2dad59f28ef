// Rows of loops that make different numbers of steps for the examples of a batch.
#pragma once

#include <cstddef>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// Whether a node only goes by position along axes of an operand: it takes or changes elements at
/// indices, moves axes, or does the same for all elements. Then these axes may have more elements,
/// at their ends, than an example has, as long as nobody looks at what becomes of them.
bool goes_by_position(const Node& node, std::size_t operand, const std::vector<std::size_t>& axes);

}  // namespace gnomon
