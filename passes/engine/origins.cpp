// The lines and the captured nodes that the nodes of a graph come from, while the graph changes.
#include "passes/engine/origins.h"

#include <algorithm>

namespace gnomon {

namespace {

// Whether there was something to add.
template <class T>
bool merge(std::vector<T>& all, const std::vector<T>& more) {
  const std::size_t before = all.size();
  for (const T& one : more)
    if (all.size() < most_origins && std::ranges::find(all, one) == all.end()) all.push_back(one);
  return all.size() > before;
}

}  // namespace

const NodeOrigins* OriginMap::find(const Node* node) const {
  if (const auto found = added_.find(node); found != added_.end()) return &found->second;
  if (!known_) return nullptr;
  const auto found = known_->find(node);
  return found == known_->end() ? nullptr : &found->second;
}

std::span<const Origin> OriginMap::lines_of(const Node* node) const {
  const NodeOrigins* const found = find(node);
  return found == nullptr ? std::span<const Origin>() : found->lines;
}

std::span<const std::uint32_t> OriginMap::positions_of(const Node* node) const {
  const NodeOrigins* const found = find(node);
  return found == nullptr ? std::span<const std::uint32_t>() : found->positions;
}

void OriginMap::inherit(const Value& to, const Node* from) {
  // Leaves are made in every place that mentions them.
  if (to.get() == from || to.node().inputs().empty()) return;
  const NodeOrigins* const source = find(from);
  if (source == nullptr) return;
  const NodeOrigins* const before = find(to.get());
  NodeOrigins now = before == nullptr ? NodeOrigins{Value(to.get(), 0), {}, {}} : *before;
  const bool has_lines = merge(now.lines, source->lines);
  const bool has_positions = merge(now.positions, source->positions);
  if (has_lines || has_positions) added_.insert_or_assign(to.get(), std::move(now));
}

void OriginMap::store(Graph& graph) const {
  OriginsByNode origins;
  for (const Node* node : graph.topological_order())
    if (const NodeOrigins* const found = find(node)) origins.try_emplace(node, *found);
  graph.origins = std::make_shared<const OriginsByNode>(std::move(origins));
}

}  // namespace gnomon
