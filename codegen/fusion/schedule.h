// The values of a graph that have memory, in an order in which they need little of it at a time.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/fusion/sizes.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// A node whose results are in memory, or that is a step: what lies between is computed where it is
/// used.
struct MemoryUnit {
  const Node* node = nullptr;
  std::uint32_t output = 0;        // the first that is in memory
  std::int64_t bytes = 0;          // of its results, as part of the workspace
  std::vector<const Node*> parts;  // what it is computed from without memory, and the node itself
  std::vector<int> reads;          // units, each once
};

/// The units of an optimised graph. A unit that frees more memory than it takes comes as soon as
/// all that it reads is there, the others in the order of the graph.
class Schedule {
 public:
  Schedule(const Graph& graph, const Sizes& sizes, bool calls_library);

  const std::vector<MemoryUnit>& units() const { return units_; }
  /// All nodes of the graph in the order of the units, the parts of each together.
  const std::vector<const Node*>& nodes() const { return nodes_; }
  /// Of the results of a node that are no outputs of the graph, if they are in memory.
  std::int64_t bytes_of(const Node& node) const;
  /// The unit after whose start most bytes of the workspace are in use, or -1.
  int peak() const;

 private:
  void add(const Node& node);
  std::vector<int> frugal_order() const;
  void put_in(std::span<const int> order);

  const Sizes& sizes_;
  std::unordered_set<Value> outputs_;
  std::vector<const Node*> nodes_;
  std::unordered_map<const Node*, std::size_t> place_;  // in the order of the graph
  std::vector<MemoryUnit> units_;
  std::unordered_map<const Node*, int> index_;  // of the unit of a node
  std::vector<std::vector<int>> users_;         // by unit
};

/// Whether it is noticed when the node is computed twice, or at another place.
bool has_effects(const Node& node);

}  // namespace gnomon
