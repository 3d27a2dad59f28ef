// Graphs with other values in the place of some, which stand for the same lines of the user's code.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// The graph with each node's outputs replaced by what `replacement(node, now)` gives for them,
/// where `now` is the node over operands that are replaced already. Those it gives nothing for, or
/// a null value, become `now`'s.
using Replacement = std::function<std::vector<Value>(const Node& node, const Value& now)>;
Graph with_replaced(const Graph& graph, const Replacement& replacement);

/// The graph with each `fori` replaced by the results that `found(loop)` gives, if it gives any.
Graph with_loops_replaced(const Graph& graph,
                          const std::function<std::vector<Value>(const Node& loop)>& found);

/// The graph with values in the place of those that `find(graph)` maps to them, again and again
/// until it finds none: what takes a place may let more be found.
using Found = std::unordered_map<Value, Value>;
Graph substituted(Graph graph, const std::function<Found(const Graph&)>& find);

}  // namespace gnomon
