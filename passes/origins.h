// The places in the user's code that the nodes of a graph come from, while the graph changes.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ir/graph.h"

namespace gnomon {

/// Places by node. Nodes it knows stay alive.
class OriginMap {
 public:
  /// Places of the nodes in `order`, which are those of the graph.
  OriginMap(const Graph& graph, std::span<const Node* const> order);
  std::span<const Origin> of(const Node* node) const;
  /// Adds the places of `from` to those of `to`, four at most.
  void inherit(const Value& to, const Node* from);
  /// Makes these the places of the graph, for the nodes it has.
  void store(Graph& graph) const;

 private:
  std::unordered_map<const Node*, std::pair<Value, std::vector<Origin>>> places_;
};

}  // namespace gnomon
