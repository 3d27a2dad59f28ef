// Replacement of values until there is nothing to replace.
#pragma once

#include "ir/graph/graph.h"

namespace gnomon {

/// The graph with values in the place of those that `find(graph)` maps to them, again and again
/// until it finds none: what takes a place may let more be found.
template <class Find>
Graph substituted(const Graph& graph, const Find& find) {
  Graph result = graph;
  for (auto found = find(result); !found.empty(); found = find(result))
    result = with_outputs(result, substitute(result.outputs, found));
  return result;
}

}  // namespace gnomon
