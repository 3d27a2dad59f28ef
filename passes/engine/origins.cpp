// The places in the user's code that the nodes of a graph come from, while the graph changes.
#include "passes/engine/origins.h"

#include <algorithm>

namespace gnomon {

std::span<const Origin> OriginMap::of(const Node* node) const {
  if (const auto found = added_.find(node); found != added_.end()) return found->second.second;
  if (!known_) return {};
  const auto found = known_->find(node);
  return found == known_->end() ? std::span<const Origin>() : found->second.second;
}

void OriginMap::inherit(const Value& to, const Node* from) {
  // Leaves are made in every place that mentions them.
  if (to.get() == from || to.node().inputs().empty()) return;
  const std::span<const Origin> source = of(from);
  if (source.empty()) return;
  const std::span<const Origin> before = of(to.get());
  std::vector<Origin> places(before.begin(), before.end());
  for (const Origin& place : source)
    if (places.size() < 4 && std::ranges::find(places, place) == places.end())
      places.push_back(place);
  if (places.size() > before.size())
    added_.insert_or_assign(to.get(), std::pair(Value(to.get(), 0), std::move(places)));
}

void OriginMap::store(Graph& graph) const {
  OriginsByNode places;
  for (const Node* node : graph.topological_order()) {
    const std::span<const Origin> found = of(node);
    if (!found.empty())
      places.try_emplace(node, Value(node, 0), std::vector(found.begin(), found.end()));
  }
  graph.origins = std::make_shared<const OriginsByNode>(std::move(places));
}

}  // namespace gnomon
