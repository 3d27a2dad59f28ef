// Nodes that are no part of a kernel -> steps: products, services, checks, prints, loops.
#pragma once

#include <vector>

#include "codegen/lower/lowering.h"

namespace gnomon {

/// Appends what computes the node. Nothing may be left to gather in kernels before it.
void lower_step(const Node& node, Lowering& lowering, std::vector<Step>& steps);

}  // namespace gnomon
