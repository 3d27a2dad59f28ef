// Gives parameters to a graph and to the bodies that it runs, in the places of constants.
#include "frontend/export/lift_constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "passes/engine/origins.h"

namespace gnomon {

namespace {

bool is_weight(const Node& node) {
  if (&node.op() != &op::constant) return false;
  const Array& a = node.attribute("value").array();
  const bool counts = is_float(a.dtype()) || is_complex(a.dtype());
  return a.rank() > 0 && a.size() > 0 && (counts || a.bytes() > largest_constant_by_value);
}

// Adds the weights of a graph, and of the bodies that it runs, each once.
void collect(const Graph& graph, std::vector<Value>& weights) {
  for (const Node* node : graph.topological_order()) {
    const Value v(node, 0);
    if (is_weight(*node) && std::ranges::find(weights, v) == weights.end()) weights.push_back(v);
    for (const Region& region : regions_of(*node)) collect(body_of(*node, region), weights);
  }
}

std::vector<Value> weights_below(const Node& node) {
  std::vector<Value> weights;
  for (const Region& region : regions_of(node)) collect(body_of(node, region), weights);
  return weights;
}

// A graph with parameters for weights, from number `at` on.
class Lifting {
 public:
  Lifting(const Graph& graph, std::size_t at, const std::vector<Value>& weights)
      : graph_(graph), at_(at), weights_(weights), origins_(graph) {}

  Graph run() {
    for (const Node* node : graph_.topological_order()) {
      const Value now = image_of(*node);
      for (std::uint32_t k = 0; k < node->output_count(); ++k)
        images_[Value(node, k)] = Value(now.get(), k);
      if (now.get() != node) origins_.inherit(now, node);
    }
    Graph result = graph_;
    std::vector<Parameter> more;
    for (std::size_t i = 0; i < weights_.size(); ++i)
      more.push_back({fmt::format("constant_{}", at_ + i), weights_[i].type(), false});
    result.parameters.insert(result.parameters.begin() + static_cast<std::ptrdiff_t>(at_),
                             more.begin(), more.end());
    for (Value& output : result.outputs) output = images_.at(output);
    for (Result& r : result.results)
      if (r.updates >= static_cast<int>(at_)) r.updates += static_cast<int>(weights_.size());
    for (EntryCheck& check : result.checks) {
      check.left = image_of(check.left);
      check.right = image_of(check.right);
    }
    origins_.store(result);
    return result;
  }

 private:
  // Where the weight is among the parameters.
  std::size_t place_of(const Value& weight) const {
    return at_ + static_cast<std::size_t>(std::ranges::find(weights_, weight) - weights_.begin());
  }

  Value image_of(const Node& node) const {
    if (&node.op() == &op::param) {
      const std::size_t index = param_index(node);
      const std::size_t now = index < at_ ? index : index + weights_.size();
      return make_param(static_cast<std::int64_t>(now), node.type());
    }
    if (is_weight(node)) return parameter_for(Value(&node, 0));
    std::vector<Value> inputs;
    for (const Value& v : node.inputs()) inputs.push_back(images_.at(v));
    const Value now = rebuild(node, inputs);
    const std::vector<Value> below = weights_below(node);
    return below.empty() ? now : with_operands(now.node(), below);
  }
  Value parameter_for(const Value& weight) const {
    return make_param(static_cast<std::int64_t>(place_of(weight)), weight.type());
  }

  Dim image_of(const Dim& d) const {
    return d.substitute([this](const Atom& atom) {
      return atom.kind == Atom::Kind::value ? Dim::value(images_.at(*atom.scalar))
                                            : Dim::symbol(atom.number, atom.name);
    });
  }

  // The node with the weights of its bodies as further operands. Operands behind all others are
  // captured ones, which every body has as its last parameters.
  Value with_operands(const Node& node, const std::vector<Value>& below) const {
    Attributes attributes = node.attributes();
    for (const Region& region : regions_of(node)) {
      const Graph& body = body_of(node, region);
      attributes[region.body] =
          Attribute(intern_body(Lifting(body, body.parameters.size(), below).run()));
    }
    std::vector<Value> operands(node.operands().begin(), node.operands().end());
    for (const Value& weight : below) operands.push_back(parameter_for(weight));
    return make_node(node.op(), std::move(operands), std::move(attributes));
  }

  const Graph& graph_;
  std::size_t at_;
  const std::vector<Value>& weights_;
  OriginMap origins_;
  std::unordered_map<Value, Value, ValueHash> images_;
};

}  // namespace

Closed with_lifted_constants(const Closed& closed) {
  std::vector<Value> weights;
  collect(closed.graph, weights);
  if (weights.empty()) return closed;
  Closed lifted = closed;
  lifted.graph = Lifting(closed.graph, closed.arguments + closed.constants.size(), weights).run();
  for (const Value& weight : weights)
    lifted.constants.push_back(weight.node().attribute("value").array());
  return lifted;
}

}  // namespace gnomon
