// Graphs with other values in the place of some, which stand for the same lines of the user's code.
#include "passes/loops/replaced.h"

#include <algorithm>
#include <utility>

#include "passes/engine/origins.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Values as they have become.
class Images {
 public:
  explicit Images(const Graph& graph) : graph_(graph), origins_(graph) {}

  void replace(const Value& v, const Value& by) {
    images_[v] = by;
    origins_.inherit(by, v.get());
  }
  Value of(const Value& v) const {
    const auto at = images_.find(v);
    return at == images_.end() ? v : at->second;
  }
  // The node over what its inputs have become.
  Value rebuilt(const Node& node) {
    inputs_.clear();
    for (const Value& input : node.inputs()) inputs_.push_back(of(input));
    const Value now = rebuild(node, inputs_);
    if (now.get() != &node)
      for (std::uint32_t k = 0; k < node.output_count(); ++k)
        replace(Value(&node, k), Value(now.get(), k));
    return now;
  }
  Graph graph() const {
    std::vector<Value> outputs;
    for (const Value& output : graph_.outputs) outputs.push_back(of(output));
    if (outputs == graph_.outputs) return graph_;
    Graph result = with_outputs(graph_, std::move(outputs));
    origins_.store(result);
    return result;
  }

 private:
  const Graph& graph_;
  OriginMap origins_;
  std::unordered_map<Value, Value, ValueHash> images_;  // of what has changed
  std::vector<Value> inputs_;
};

Graph once_substituted(const Graph& graph, const Found& found) {
  Images images(graph);
  std::vector<Value> stop;
  for (const auto& [v, by] : found) {
    images.replace(v, by);
    stop.push_back(v);
  }
  for (const Node* node : topological_order(graph.outputs, stop)) images.rebuilt(*node);
  return images.graph();
}

}  // namespace

Graph with_replaced(const Graph& graph, const Replacement& replacement) {
  Images images(graph);
  for (const Node* node : graph.topological_order()) {
    const std::vector<Value> outputs = replacement(*node, images.rebuilt(*node));
    for (std::uint32_t k = 0; k < outputs.size(); ++k)
      if (outputs[k]) images.replace(Value(node, k), outputs[k]);
  }
  return images.graph();
}

Graph with_loops_replaced(const Graph& graph,
                          const std::function<std::vector<Value>(const Node& loop)>& found) {
  const auto is_loop = [](const Node* node) { return &node->op() == &op::fori; };
  if (std::ranges::none_of(graph.topological_order(), is_loop)) return graph;
  return with_replaced(graph, [&](const Node& node, const Value& now) {
    return is_loop(&node) ? found(now.node()) : std::vector<Value>();
  });
}

Graph substituted(Graph graph, const std::function<Found(const Graph&)>& find) {
  for (Found found = find(graph); !found.empty(); found = find(graph))
    graph = once_substituted(graph, found);
  return graph;
}

}  // namespace gnomon
