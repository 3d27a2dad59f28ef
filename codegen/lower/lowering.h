// A module that is being lowered: its graph, and the parts that are shared by all of its steps.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/fusion/fuse.h"
#include "codegen/fusion/node_devices.h"
#include "codegen/lower/lower_buffers.h"
#include "codegen/lower/lower_dimensions.h"
#include "codegen/lower/lower_failures.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "passes/engine/decisions.h"

namespace gnomon {

struct Lowering {
  Lowering(const Graph& g, const Target& t, Decisions* decisions);
  Lowering(const Lowering&) = delete;
  Lowering& operator=(const Lowering&) = delete;

  const Graph& graph;
  const Target& target;
  Target host;  // the same without a device
  const Recording recording;
  Module module;
  Failures failures{graph, module};
  Buffers buffers{graph, module, failures};
  Dimensions dimensions{graph, module, buffers, failures};
  std::optional<NodeDevices> devices;  // of a graph that transfers values to any

  NodeDevices* devices_asked() { return devices ? &*devices : nullptr; }
  /// Where the program wants a node, if it says so of any.
  std::optional<int> asked_of(const Node& node) {
    return devices ? std::optional(devices->of(node)) : std::nullopt;
  }
  /// What code is made for that is wanted there.
  const Target& target_for(std::optional<int> asked) const {
    return asked == of_host ? host : target;
  }
};

/// Appends the positions in the captured graph of what a node comes from.
void add_positions(const Graph& graph, const Node& node, std::vector<std::uint32_t>& to);
/// The positions in order, each once.
std::vector<std::uint32_t> without_repeats(std::vector<std::uint32_t> positions);

/// Appends the steps of a graph that was cut into nests and steps: of the whole, or of a body.
void lower_items(const Fusion& fusion, Lowering& lowering, std::vector<Step>& steps);

}  // namespace gnomon
