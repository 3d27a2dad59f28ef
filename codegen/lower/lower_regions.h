// Nodes that run bodies -> steps with the steps of these.
#pragma once

#include <vector>

#include "codegen/lower/lowering.h"

namespace gnomon {

/// Appends the loop. Its body becomes steps over placeholders for its index and states.
void lower_loop(const Node& node, Lowering& lowering, std::vector<Step>& steps);
/// Appends the choice between two bodies.
void lower_branch(const Node& node, Lowering& lowering, std::vector<Step>& steps);

}  // namespace gnomon
