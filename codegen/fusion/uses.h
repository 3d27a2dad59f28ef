// What a graph's values are used for, before any of them is placed.
#pragma once

#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

struct Uses {
  std::unordered_map<Value, int> count;  ///< as an operand, an extent or a result of the graph
  /// Values that must be in memory, whoever else computes them: results of the graph, operands of
  /// steps, extents.
  std::unordered_set<Value> required;
  /// Reductions of few that only another one reads, whose loop may compute them.
  std::unordered_set<Value> taken_along;
  /// Elements that several writes to places of data's choice are told from, each in loops of its
  /// own, where what one of them alone computes begins.
  std::unordered_set<Value> scattered_again;
};

/// Of all nodes of a graph, in some order. `required` must be in memory too. `calls_library`: for
/// products.
Uses uses_of(const Graph& graph, std::span<const Node* const> order,
             std::span<const Value> required, bool calls_library);

/// What comes before loops that read the node: values of extents, and what a barrier waits for.
std::span<const Value> awaited_by(const Node& node);

/// What the bodies of a node find in memory when they start: the values they read from around
/// them, and the scalars that extents there are the values of. A value that is told from less
/// wherever it is used, as a broadcast or a range is, stays outside; what it is told from is here.
std::vector<Value> given_to_bodies(const Node& node);

}  // namespace gnomon
