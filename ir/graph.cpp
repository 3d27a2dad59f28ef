// Orders of nodes, substitution, and graphs with other outputs.
#include "ir/graph.h"

#include <fmt/format.h>

#include <boost/graph/depth_first_search.hpp>
#include <boost/property_map/property_map.hpp>

#include "ir/boost_graph.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

/// Notes nodes as they are finished: inputs before users.
struct FinishOrder : boost::default_dfs_visitor {
  explicit FinishOrder(std::vector<const Node*>& found) : order(&found) {}
  void finish_vertex(const Node* node, const InputGraph&) const { order->push_back(node); }
  std::vector<const Node*>* order;
};

}  // namespace

std::vector<const Node*> topological_order(std::span<const Value> outputs,
                                           std::span<const Value> stop) {
  const std::unordered_set<Value, ValueHash> stops(stop.begin(), stop.end());
  const InputGraph graph{stops.empty() ? nullptr : &stops};
  std::unordered_map<const Node*, boost::default_color_type> colors;
  const boost::associative_property_map color_map(colors);
  std::vector<const Node*> order;
  for (const Value& output : outputs) {
    if (stops.contains(output) || colors.contains(output.get())) continue;
    boost::depth_first_visit(graph, output.get(), FinishOrder(order), color_map);
  }
  return order;
}

FlowGraph flow_graph(std::span<const Value> outputs, std::span<const Value> stop) {
  FlowGraph flow;
  flow.nodes = topological_order(outputs, stop);
  for (std::uint32_t i = 0; i < flow.nodes.size(); ++i) flow.index.emplace(flow.nodes[i], i);
  const std::unordered_set<Value, ValueHash> stops(stop.begin(), stop.end());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (std::uint32_t i = 0; i < flow.nodes.size(); ++i)
    for (const Value& input : flow.nodes[i]->inputs())
      if (!stops.contains(input)) edges.emplace_back(flow.index.at(input.get()), i);
  flow.edges = FlowGraph::Edges(boost::edges_are_unsorted_multi_pass, edges.begin(), edges.end(),
                                static_cast<std::uint32_t>(flow.nodes.size()));
  return flow;
}

std::vector<const Node*> Graph::topological_order() const {
  std::vector<Value> roots = outputs;
  for (const EntryCheck& check : checks)
    for (const Dim& side : {check.left, check.right})
      side.for_each_atom([&](const AtomRef& atom) {
        if (atom->kind == Atom::Kind::value) roots.push_back(*atom->scalar);
      });
  return gnomon::topological_order(roots);
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
