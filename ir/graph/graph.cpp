// Orders of nodes, substitution, and graphs with other outputs.
#include "ir/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory_resource>
#include <unordered_set>

#include "runtime/error.h"

namespace gnomon {

std::vector<const Node*> topological_order(std::span<const Value> outputs,
                                           std::span<const Value> stop) {
  const std::unordered_set<Value, ValueHash> stops(stop.begin(), stop.end());
  std::pmr::monotonic_buffer_resource memory;
  std::pmr::unordered_set<const Node*> met(&memory);
  struct Visit {
    const Node* node;
    std::size_t next;  // of its inputs
  };
  std::vector<Visit> path;
  const auto enter = [&](const Value& v) {
    if (!stops.contains(v) && met.insert(v.get()).second) path.push_back({v.get(), 0});
  };
  std::vector<const Node*> order;
  for (const Value& output : outputs) {
    static_cast<void>(output.node());  // none: an error
    enter(output);
    while (!path.empty()) {
      Visit& last = path.back();
      if (last.next < last.node->inputs().size()) {
        enter(last.node->input(last.next++));
      } else {
        order.push_back(last.node);
        path.pop_back();
      }
    }
  }
  return order;
}

std::vector<Value> Graph::checked_scalars() const {
  std::vector<Value> scalars;
  for (const EntryCheck& check : checks)
    for (const Dim& side : {check.left, check.right})
      side.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Atom::Kind::value &&
            std::ranges::find(scalars, *atom->scalar) == scalars.end())
          scalars.push_back(*atom->scalar);
      });
  return scalars;
}

std::vector<const Node*> Graph::topological_order(std::span<const Value> given) const {
  std::vector<Value> roots = outputs;
  const std::vector<Value> checked = checked_scalars();
  roots.insert(roots.end(), checked.begin(), checked.end());
  return gnomon::topological_order(roots, given);
}

std::span<const Origin> Graph::origins_of(const Node* node) const {
  if (!origins) return {};
  const auto found = origins->find(node);
  return found == origins->end() ? std::span<const Origin>() : found->second.lines;
}

std::vector<std::uint32_t> Graph::positions_of(const Node* node) const {
  if (origins)
    if (const auto found = origins->find(node); found != origins->end())
      return found->second.positions;
  std::vector<std::uint32_t> positions;
  if (!lines) return positions;
  for (const Origin& place : node->origins())
    if (const auto at = lines->find({&node->op(), place.file, place.line}); at != lines->end())
      positions.insert(positions.end(), at->second.begin(), at->second.end());
  return positions;
}

std::vector<Value> substitute(std::span<const Value> outputs,
                              const std::unordered_map<Value, Value>& replacements) {
  std::vector<Value> stop;
  for (const auto& [old, replacement] : replacements) stop.push_back(old);
  std::unordered_map<const Node*, Value> rebuilt;  // only what has changed
  const auto current = [&](const Value& v) -> Value {
    if (const auto at = replacements.find(v); at != replacements.end()) return at->second;
    if (const auto at = rebuilt.find(v.get()); at != rebuilt.end())
      return Value(at->second.get(), v.index());
    return v;
  };
  std::vector<Value> inputs;
  for (const Node* node : topological_order(outputs, stop)) {
    inputs.clear();
    bool changed = false;
    for (const Value& input : node->inputs()) {
      inputs.push_back(current(input));
      changed |= !(inputs.back() == input);
    }
    if (changed) rebuilt.emplace(node, rebuild(*node, inputs));
  }
  std::vector<Value> results;
  results.reserve(outputs.size());
  for (const Value& output : outputs) results.push_back(current(output));
  return results;
}

std::vector<const Node*> nodes_with_bodies(const Graph& graph) {
  std::vector<const Node*> nodes;
  std::unordered_set<const Node*> seen;
  std::unordered_set<const Graph*> entered;
  std::vector<const Graph*> open = {&graph};
  while (!open.empty()) {
    const Graph* const next = open.back();
    open.pop_back();
    for (const Node* node : next->topological_order()) {
      if (!seen.insert(node).second) continue;
      nodes.push_back(node);
      for (const Attribute& attribute : node->attributes())
        if (attribute.kind() == Attribute::Kind::body &&
            entered.insert(attribute.body().get()).second)
          open.push_back(attribute.body().get());
    }
  }
  return nodes;
}

Graph with_positions(Graph graph) {
  OriginsByNode known;
  std::uint32_t position = 0;
  for (const Node* node : graph.topological_order()) {
    const std::span<const Origin> own = graph.origins_of(node);
    known.emplace(node, NodeOrigins{Value(node, 0), {own.begin(), own.end()}, {position++}});
  }
  graph.origins = std::make_shared<const OriginsByNode>(std::move(known));
  const std::vector<const Node*> nodes = nodes_with_bodies(graph);
  if (nodes.size() == position) return graph;
  PositionsByLine lines;
  for (position = 0; position < nodes.size(); ++position)
    for (const Origin& place : nodes[position]->origins()) {
      std::vector<std::uint32_t>& at = lines[{&nodes[position]->op(), place.file, place.line}];
      if (at.size() < most_origins) at.push_back(position);
    }
  graph.lines = std::make_shared<const PositionsByLine>(std::move(lines));
  return graph;
}

Graph with_outputs(const Graph& graph, std::vector<Value> outputs) {
  if (outputs.size() != graph.outputs.size())
    throw InternalError(fmt::format("with_outputs: expected {} outputs, found {}",
                                    graph.outputs.size(), outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Type &old = graph.outputs[i].type(), &now = outputs[i].type();
    if (old.dtype != now.dtype || old.rank() != now.rank())
      throw InternalError(fmt::format("with_outputs: expected output {} to be {}, found {}", i,
                                      old.text(), describe(outputs[i])));
  }
  Graph result = graph;
  result.outputs = std::move(outputs);
  return result;
}

}  // namespace gnomon
