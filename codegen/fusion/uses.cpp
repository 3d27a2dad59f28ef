// Counts the uses of values, and finds those that must be in memory whoever else computes them.
#include "codegen/fusion/uses.h"

#include <vector>

#include "codegen/fusion/fuse.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

void require(const Value& v, Uses& uses) {
  const Value s = storage_of(v);
  if (!is_memory(s) && !s.is(op::constant)) uses.required.insert(s);
}

}  // namespace

std::span<const Value> awaited_by(const Node& node) {
  return &node.op() == &op::barrier ? node.inputs().subspan(1) : node.extent_inputs();
}

Uses uses_of(const Graph& graph, std::span<const Node* const> order) {
  Uses uses;
  std::vector<Value> results = graph.outputs;
  const std::vector<Value> checked = graph.checked_scalars();
  results.insert(results.end(), checked.begin(), checked.end());
  for (const Value& v : results) {
    require(v, uses);
    ++uses.count[v];
  }
  for (const Node* node : order) {
    if (node->op().step != StepKind::none)
      for (const Value& x : node->operands()) require(x, uses);
    for (const Value& x : awaited_by(*node)) require(x, uses);
    for (const Value& x : node->inputs()) ++uses.count[x];
  }
  return uses;
}

}  // namespace gnomon
