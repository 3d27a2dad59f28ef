// The parts of a module in order: its entry, the steps of the fused graph, its outputs.
#include "codegen/lower/lower.h"

#include <algorithm>
#include <utility>

#include "codegen/lower/lower_kernels.h"
#include "codegen/lower/lower_signature.h"
#include "codegen/lower/lower_steps.h"
#include "codegen/lower/lowering.h"
#include "stdlib/ops.h"

namespace gnomon {

Lowering::Lowering(const Graph& g, const Target& t, Decisions* decisions)
    : graph(g), target(t), host(t), recording(decisions, g) {
  module.decisions = decisions;
  host.device.clear();
  host.multiplies_halves = host.has_transforms = host.has_matrices = false;
  const auto transfers = [](const Node* node) { return &node->op() == &op::transfer; };
  if (!target.devices.empty() && std::ranges::any_of(nodes_with_bodies(graph), transfers))
    devices.emplace(target.devices);
}

void add_positions(const Graph& graph, const Node& node, std::vector<std::uint32_t>& to) {
  const std::vector<std::uint32_t> positions = graph.positions_of(&node);
  to.insert(to.end(), positions.begin(), positions.end());
}

std::vector<std::uint32_t> without_repeats(std::vector<std::uint32_t> positions) {
  std::ranges::sort(positions);
  const auto rest = std::ranges::unique(positions);
  positions.erase(rest.begin(), rest.end());
  return positions;
}

void lower_items(const Fusion& fusion, Lowering& l, std::vector<Step>& steps) {
  KernelGathering kernels(fusion, l, steps);
  for (const FusedItem& item : fusion.items) {
    if (item.step) {
      kernels.finish();
      lower_step(*item.step, l, steps);
    } else {
      kernels.add(fusion.nests[item.nest]);
    }
  }
  kernels.finish();
}

Module lower(const Graph& graph, const Target& target, std::span<const int> donated,
             std::span<const Node* const> order, Decisions* decisions) {
  Lowering l(graph, target, decisions);
  std::vector<Step>& steps = l.module.steps;
  l.module.donated.assign(donated.begin(), donated.end());
  add_parameters(l);
  l.dimensions.read_given({}, steps);
  choose_outputs(l);
  const Fusion fusion = fuse(graph, target.calls_library, order, l.recording, l.devices_asked());
  l.buffers.continue_by(fusion.continued);
  lower_items(fusion, l, steps);
  l.dimensions.expect_all_checked();
  add_outputs(l);
  return std::move(l.module);
}

}  // namespace gnomon
