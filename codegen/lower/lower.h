// Graph -> Module: fused nests become kernels, the other nodes steps, values buffers.
#pragma once

#include <span>

#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// Fused kernels and steps of an optimised graph, for the vectors and constants of `target`; the
/// passes over modules come next. The memory of the parameters in `donated` is the function's.
/// Nodes are computed in the given order, or in that of the graph. The module keeps `decisions`,
/// which receives the reasons for what becomes of which value.
Module lower(const Graph& graph, const Target& target, std::span<const int> donated = {},
             std::span<const Node* const> order = {}, Decisions* decisions = nullptr);

}  // namespace gnomon
