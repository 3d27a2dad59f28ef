// The lines and the captured nodes that the nodes of a graph come from, while the graph changes.
#pragma once

#include <memory>
#include <span>

#include "ir/graph/graph.h"

namespace gnomon {

/// Origins by node. Nodes it knows stay alive.
class OriginMap {
 public:
  explicit OriginMap(const Graph& graph) : known_(graph.origins) {}
  /// Whether anything is known of the node.
  bool has(const Node* node) const { return find(node) != nullptr; }
  /// The user's lines of a node.
  std::span<const Origin> lines_of(const Node* node) const;
  /// The captured nodes it stands for, by position.
  std::span<const std::uint32_t> positions_of(const Node* node) const;
  /// Adds the lines and positions of `from` to those of `to`, at most `most_origins` of each.
  void inherit(const Value& to, const Node* from);
  /// Makes these the origins of the graph, for the nodes it has.
  void store(Graph& graph) const;

 private:
  const NodeOrigins* find(const Node* node) const;

  std::shared_ptr<const OriginsByNode> known_;  // of the graph it began with
  OriginsByNode added_;                         // hides what is known
};

}  // namespace gnomon
