// A loop over states -> a step with the steps of its body.
#pragma once

#include <vector>

#include "codegen/lower/lowering.h"

namespace gnomon {

/// Appends the loop. Its body becomes steps over placeholders for its index and states.
void lower_loop(const Node& node, Lowering& lowering, std::vector<Step>& steps);

}  // namespace gnomon
