// The places in the user's code that the nodes of a graph come from, while the graph changes.
#pragma once

#include <memory>
#include <span>

#include "ir/graph/graph.h"

namespace gnomon {

/// Places by node. Nodes it knows stay alive.
class OriginMap {
 public:
  explicit OriginMap(const Graph& graph) : known_(graph.origins) {}
  std::span<const Origin> of(const Node* node) const;
  /// Adds the places of `from` to those of `to`, four at most.
  void inherit(const Value& to, const Node* from);
  /// Makes these the places of the graph, for the nodes it has.
  void store(Graph& graph) const;

 private:
  std::shared_ptr<const OriginsByNode> known_;  // of the graph it began with
  OriginsByNode added_;                         // hides what is known
};

}  // namespace gnomon
