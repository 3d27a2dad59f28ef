// A module that is being lowered: its graph, and the parts that are shared by all of its steps.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/lower/lower_buffers.h"
#include "codegen/lower/lower_dimensions.h"
#include "codegen/lower/lower_failures.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "passes/engine/decisions.h"

namespace gnomon {

struct Lowering {
  Lowering(const Graph& g, const Target& t, Decisions* decisions)
      : graph(g), target(t), recording(decisions, g) {
    module.decisions = decisions;
  }
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  const Graph& graph;
  const Target& target;
  const Recording recording;
  Module module;
  Failures failures{graph, module};
  Buffers buffers{graph, module, failures};
  Dimensions dimensions{graph, module, buffers, failures};
};

/// Appends the positions in the captured graph of what a node comes from.
void add_positions(const Graph& graph, const Node& node, std::vector<std::uint32_t>& to);
/// The positions in order, each once.
std::vector<std::uint32_t> without_repeats(std::vector<std::uint32_t> positions);

/// Appends the steps of a graph that was cut into nests and steps: of the whole, or of a body.
void lower_items(const Fusion& fusion, Lowering& lowering, std::vector<Step>& steps);

}  // namespace gnomon
