// Memory for time: values that are computed again instead of kept, until a function fits a budget.
//
// The workspace is largest at one unit, in a gradient between the forward and the backward pass.
// What is in memory there for later is cut into segments by the order in which it was computed. For
// each segment a minimum cut says what is kept and what is computed again, just before the first of
// it is needed. As in the sublinear checkpointing of Chen, Xu, Zhang and Guestrin (2016) at any
// time one segment is there beside what is kept.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"

namespace gnomon {

/// Bytes of workspace, and the shapes of the graph's parameters for which they are meant.
struct MemoryBudget {
  std::int64_t bytes = 0;
  std::vector<std::vector<std::int64_t>> shapes;
};

/// A graph that fits, and what `lower` makes of it, with a table that says how.
struct MemoryPlan {
  Graph graph;
  Module module;
};

/// Lowers an optimised graph so that its workspace fits the budget, with little work twice; values
/// have the bits they have without. ValueError: no plan fits (it names the least figure found), the
/// shapes are not those of the parameters, or do not tell an extent.
MemoryPlan rematerialize(const Graph& graph, const Target& target, std::span<const int> donated,
                         const MemoryBudget& budget, Decisions* decisions = nullptr);

}  // namespace gnomon
