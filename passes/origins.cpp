// The places in the user's code that the nodes of a graph come from, while the graph changes.
#include "passes/origins.h"

#include <algorithm>

namespace gnomon {

OriginMap::OriginMap(const Graph& graph, std::span<const Node* const> order) {
  for (const Node* node : order) {
    const auto found = graph.origins.find(node);
    if (found != graph.origins.end()) {
      places_.emplace(node, std::pair(Value(node, 0), found->second));
    }
  }
}

std::span<const Origin> OriginMap::of(const Node* node) const {
  const auto found = places_.find(node);
  return found == places_.end() ? std::span<const Origin>() : found->second.second;
}

void OriginMap::inherit(const Value& to, const Node* from) {
  const auto source = places_.find(from);
  if (to.get() == from || source == places_.end()) return;
  // Leaves are made in every place that mentions them.
  if (to.node().inputs().empty()) return;
  const std::vector<Origin> added = source->second.second;
  std::pair<Value, std::vector<Origin>>& entry = places_[to.get()];
  entry.first = Value(to.get(), 0);
  for (const Origin& place : added) {
    if (entry.second.size() == 4) return;
    if (std::find(entry.second.begin(), entry.second.end(), place) == entry.second.end()) {
      entry.second.push_back(place);
    }
  }
}

void OriginMap::store(Graph& graph) const {
  graph.origins.clear();
  for (const Node* node : graph.topological_order()) {
    const auto found = places_.find(node);
    if (found != places_.end()) graph.origins.emplace(node, found->second.second);
  }
}

}  // namespace gnomon
