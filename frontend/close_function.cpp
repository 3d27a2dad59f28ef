// Closes functions: givens, default updates, large constants as parameters.
#include "frontend/close_function.h"

#include <fmt/format.h>

#include <unordered_map>

#include "frontend/replacement.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

std::vector<Value> values_of(const Resolved& function) {
  std::vector<Value> values;
  for (const Output& o : function.outputs) values.push_back(o.value.value());
  for (const Update& u : function.updates) values.push_back(u.value.value());
  for (const Value& v : values)
    if (!v) throw TypeError("compile: expected expressions as outputs and updates, found none");
  return values;
}

Replacement replacement_of(const std::vector<Given>& givens) {
  Replacement replacement;
  for (const Given& g : givens) {
    const bool same = g.expression.type().dtype == g.value.type().dtype;
    if (!same || g.expression.rank() != g.value.rank()) {
      const std::string text =
          fmt::format("compile: expected a given value of the dtype and rank of {}, found {}",
                      describe(g.expression.value()), describe(g.value.value()));
      if (!same) throw TypeError(text);
      throw ValueError(text);
    }
    replacement.add(g.expression, g.value);
  }
  return replacement;
}

// 0, 1, 2 and so on, as indices often are: an operation, about which rules know more than about
// elements. Null when the elements are others.
Value as_range(const Array& a) {
  if (a.dtype() != DType::int64 || a.rank() == 0 || a.size() < 2 || !a.is_contiguous()) return {};
  const auto* at = a.data<std::int64_t>();
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (at[i] != i) return {};
  const Expr range = arange(Dim(a.size()));
  return (a.rank() == 1 ? range : reshape(range, Shape(a.shape().begin(), a.shape().end())))
      .value();
}

// The values without large constants: these become further inputs.
std::vector<Value> without_constants(std::vector<Value> values, std::vector<Expr>& inputs,
                                     std::vector<Array>& constants) {
  std::unordered_map<Value, Value> replaced;
  for (const Node* node : topological_order(values)) {
    if (&node->op() != &op::constant) continue;
    const Array& a = node->attribute("value").array();
    if (Value range = as_range(a)) {
      replaced[Value(node, 0)] = std::move(range);
      continue;
    }
    if (a.bytes() <= largest_constant_by_value) continue;
    Shape shape(a.shape().begin(), a.shape().end());
    const Expr leaf = tensor(fmt::format("constant_{}", constants.size()), a.dtype(), shape);
    inputs.push_back(leaf);
    constants.push_back(a);
    replaced[Value(node, 0)] = leaf.value();
  }
  return replaced.empty() ? values : substitute(values, replaced);
}

}  // namespace

Resolved resolve(std::vector<Output> outputs, std::vector<Update> updates,
                 const CompileOptions& options) {
  Resolved function{std::move(outputs), std::move(updates)};
  std::vector<Value> values = values_of(function);
  if (!options.givens.empty()) {
    values = replacement_of(options.givens).apply(values);
    auto next = values.begin();
    for (Output& o : function.outputs) o.value = Expr(*next++);
    for (Update& u : function.updates) u.value = Expr(*next++);
  }
  if (!options.default_updates) return function;
  std::vector<Shared> decided = options.without_default_update;
  for (const Update& u : function.updates) decided.push_back(u.variable.variable());
  for (auto& [variable, value] : default_updates(values, decided))
    function.updates.push_back({variable, std::move(value)});
  return function;
}

Closed close_function(std::vector<Expr> inputs, const Resolved& function) {
  Closed closed;
  closed.arguments = inputs.size();
  closed.results = function.outputs.size();
  for (const Expr& input : inputs)
    closed.argument_origins.push_back(input.defined() ? input.value().node().origins()
                                                      : std::vector<Origin>());
  const std::vector<Value> values =
      without_constants(values_of(function), inputs, closed.constants);
  std::vector<Expr> results;
  std::vector<std::string> names;
  for (const Output& o : function.outputs) {
    results.emplace_back(values[results.size()]);
    names.push_back(o.name);
  }
  std::vector<CaptureUpdate> changes;
  for (const Update& u : function.updates)
    changes.push_back({u.variable.value(), values[results.size() + changes.size()]});
  Captured captured = capture(inputs, results, names, changes);
  closed.graph = std::move(captured.graph);
  closed.shared = std::move(captured.shared);
  return closed;
}

Closed close_function(Graph graph) {
  for (const Parameter& p : graph.parameters)
    if (p.shared)
      throw ValueError(
          fmt::format("compile: expected a graph without shared variables, found {}", p.name));
  for (std::size_t i = 0; i < graph.results.size(); ++i)
    if (graph.results[i].updates >= 0)
      throw ValueError(
          fmt::format("compile: expected a graph without updates, found one by output {}", i));
  Closed closed;
  closed.arguments = graph.parameters.size();
  closed.results = graph.outputs.size();
  closed.argument_origins.resize(closed.arguments);
  closed.graph = std::move(graph);
  return closed;
}

}  // namespace gnomon
