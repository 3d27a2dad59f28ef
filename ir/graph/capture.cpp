// Capture: a user's inputs, outputs and updates as a closed graph.
#include <fmt/format.h>

#include <unordered_set>

#include "ir/graph/close.h"
#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/op/op.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

[[noreturn]] void fail(const std::string& message) { throw TypeError("function: " + message); }

std::vector<SignatureLeaf> input_leaves(std::span<const Expr> inputs) {
  std::vector<SignatureLeaf> leaves;
  std::unordered_set<Value, ValueHash> seen;
  for (const Expr& input : inputs) {
    const Value& v = input.value();
    if (!v || !v.is(op::input)) fail("expected inputs as parameters, found " + describe(v));
    if (!seen.insert(v).second) fail(fmt::format("{} is an input twice", describe(v)));
    leaves.push_back({v, leaf_name(v), false});
  }
  return leaves;
}

/// The extents of an update must be those the variable declares; its free extents may change.
void check_update(const CaptureUpdate& update) {
  const Type &variable = update.variable.type(), &value = update.value.type();
  const auto reject = [&] {
    const std::string text = fmt::format("expected an update of {} with its type, found {}",
                                         describe(update.variable), describe(update.value));
    if (variable.dtype != value.dtype) fail(text);
    throw ValueError("update: " + text);
  };
  if (variable.dtype != value.dtype || variable.rank() != value.rank()) reject();
  for (std::size_t axis = 0; axis < variable.shape.size(); ++axis) {
    const Dim &want = variable.shape[axis], &have = value.shape[axis];
    if (want.is_constant() && have.is_constant() && !(want == have)) reject();
  }
}

void check_updates(std::span<const CaptureUpdate> updates) {
  std::unordered_set<Value, ValueHash> seen;
  for (const CaptureUpdate& update : updates) {
    if (!update.variable || !update.variable.is(op::shared_variable))
      fail("expected a shared variable to update, found " + describe(update.variable));
    if (!update.value) fail("expected a value to update " + describe(update.variable));
    if (!seen.insert(update.variable).second)
      fail(fmt::format("{} is updated twice", describe(update.variable)));
    check_update(update);
  }
}

/// The shared variables the values need or update, in the order a walk meets them.
std::vector<Value> find_shared(std::span<const Value> roots, std::span<const SignatureLeaf> inputs,
                               std::span<const CaptureUpdate> updates) {
  std::vector<Value> stop, found;
  for (const SignatureLeaf& input : inputs) stop.push_back(input.value);
  std::unordered_set<Value, ValueHash> seen;
  const auto add = [&](const Value& v) {
    if (seen.insert(v).second) found.push_back(v);
  };
  for (const Node* node : topological_order(roots, stop))
    if (&node->op() == &op::shared_variable) add(Value(node, 0));
  for (const CaptureUpdate& update : updates) add(update.variable);
  return found;
}

/// Extents a variable fixes and its update leaves open.
void check_fixed_extents(Graph& graph, std::size_t first_update,
                         std::span<const CaptureUpdate> updates) {
  for (std::size_t i = 0; i < updates.size(); ++i) {
    const Shape& want = updates[i].variable.shape();
    const Shape& have = graph.outputs[first_update + i].shape();
    for (std::size_t axis = 0; axis < want.size(); ++axis)
      if (want[axis].is_constant() && !(have[axis] == want[axis]))
        graph.checks.push_back(
            {have[axis], want[axis],
             fmt::format("update: extents differ: {} and {}", describe(updates[i].variable),
                         describe(updates[i].value)),
             updates[i].value.node().origins()});
  }
}

}  // namespace

Captured capture(std::span<const Expr> inputs, std::span<const Expr> outputs,
                 std::span<const std::string> output_names,
                 std::span<const CaptureUpdate> updates) {
  std::vector<SignatureLeaf> leaves = input_leaves(inputs);
  check_updates(updates);
  std::vector<Value> roots;
  for (const Expr& output : outputs) {
    if (!output.defined())
      fail(fmt::format("expected an expression as output {}, found none", roots.size()));
    roots.push_back(output.value());
  }
  for (const CaptureUpdate& update : updates) roots.push_back(update.value);

  Captured captured;
  captured.shared = find_shared(roots, leaves, updates);
  std::unordered_map<Value, int, ValueHash> positions;
  for (const Value& variable : captured.shared) {
    positions.emplace(variable, static_cast<int>(leaves.size()));
    leaves.push_back({variable, leaf_name(variable), true});
  }
  captured.graph = close_graph("function", leaves, roots, true);
  Graph& graph = captured.graph;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    graph.results.push_back(
        {i < output_names.size() ? output_names[i] : fmt::format("out{}", i), -1});
  for (const CaptureUpdate& update : updates)
    graph.results.push_back({leaf_name(update.variable), positions.at(update.variable)});
  check_fixed_extents(graph, outputs.size(), updates);
  return captured;
}

}  // namespace gnomon
