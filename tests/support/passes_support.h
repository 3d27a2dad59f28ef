// What tests of passes share: closing an expression, running the pipeline, naming what came out.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon::test {

/// The inputs an expression needs, in the order of its nodes.
inline std::vector<Expr> inputs_of(std::span<const Expr> outputs) {
  std::vector<Value> values;
  for (const Expr& output : outputs) values.push_back(output.value());
  std::vector<Expr> inputs;
  for (const Node* node : topological_order(values)) {
    if (&node->op() == &op::input) inputs.emplace_back(Value(node, 0));
  }
  return inputs;
}

inline Graph close(std::vector<Expr> outputs) {
  const std::vector<Expr> inputs = inputs_of(outputs);
  return capture(inputs, outputs).graph;
}

/// A context that checks every pass and keeps every firing.
inline Context checked_context(RewriteLevel level = RewriteLevel::all) {
  Context context;
  context.options.level = level;
  context.options.verify = true;
  context.trace.record_firings = true;
  return context;
}

inline Graph run_passes(const Expr& output, RewriteLevel level = RewriteLevel::all) {
  Context context = checked_context(level);
  return run_passes(close({output}), context);
}

/// The graph after one pass.
inline Graph after_pass(std::string_view pass, const Expr& output) {
  Context context = checked_context();
  return run_pass(pass, close({output}), context);
}

/// The names of the ops of a graph but for leaves and constants, each once, in order.
inline std::vector<std::string> ops_of(const Graph& graph) {
  std::set<std::string> names;
  for (const Node* node : graph.topological_order()) {
    if (!node->operands().empty()) names.insert(std::string(node->op().name));
  }
  return {names.begin(), names.end()};
}

inline std::size_t count_of(const Graph& graph, const Op& op) {
  const std::vector<const Node*> order = graph.topological_order();
  return static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](const Node* n) { return &n->op() == &op; }));
}

inline bool fired(const Context& context, std::string_view rule) {
  for (const auto& [each, count] : context.trace.rules) {
    if (each->name == rule && count.fired > 0) return true;
  }
  return false;
}

/// The single output as text over its parameters: "log1p(exp(...))".
inline std::string form(const Graph& graph) { return expression_text(graph.outputs.at(0), 8); }

}  // namespace gnomon::test
