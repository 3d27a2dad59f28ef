// Parameters and outputs of a graph as those of its module.
#include "codegen/lower/lower_signature.h"

#include <optional>
#include <utility>

#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

void add_checks(Lowering& l) {
  for (std::size_t i = 0; i < l.graph.checks.size(); ++i) {
    const EntryCheck& check = l.graph.checks[i];
    FailureText failure{check.message, {}};
    failure.entry_check = static_cast<int>(i);
    PlanCheck c{check.left, check.right};
    c.number = l.failures.add(std::move(failure));
    l.dimensions.add_check(std::move(c));
  }
}

int add_output(Lowering& l, std::size_t i, DType t) {
  Buffer b;
  b.role = Buffer::Role::output;
  b.number = static_cast<int>(i);
  b.name = l.graph.results[i].name;
  b.dtype = t;
  b.shape = l.graph.outputs[i].shape();
  return l.buffers.add(std::move(b));
}

}  // namespace

void add_parameters(Lowering& l) {
  std::vector<int> buffers;
  for (std::size_t i = 0; i < l.graph.parameters.size(); ++i) {
    const Parameter& p = l.graph.parameters[i];
    Buffer b;
    b.role = Buffer::Role::parameter;
    b.number = static_cast<int>(i);
    b.name = p.name;
    b.dtype = p.type.dtype;
    b.shape = p.type.shape;
    buffers.push_back(l.buffers.add(std::move(b)));
    for (const Dim& d : p.type.shape) l.dimensions.add_extent(d, static_cast<int>(i));
  }
  l.module.parameters = static_cast<int>(buffers.size());
  add_checks(l);
  for (const Node* node : l.graph.topological_order()) {
    if (&node->op() == &op::param) l.buffers.place(Value(node, 0), buffers[param_index(*node)]);
    l.dimensions.note(*node);
  }
}

void choose_outputs(Lowering& l) {
  for (std::size_t i = 0; i < l.graph.outputs.size(); ++i) {
    const Value s = storage_of(l.graph.outputs[i]);
    // The caller gives memory for known extents, the call makes that for late ones.
    if (l.module.is_late(s.shape()) != l.module.is_late(l.graph.outputs[i].shape())) continue;
    if (is_computed(s)) l.buffers.make_output(s, static_cast<int>(i));
  }
}

void add_outputs(Lowering& l) {
  for (std::size_t i = 0; i < l.graph.outputs.size(); ++i) {
    const Value& output = l.graph.outputs[i];
    const Value s = storage_of(output);
    if (l.buffers.output_of(s) == static_cast<int>(i)) {
      const int own = l.buffers.buffer_of(s);
      l.module.buffers[own].shape = output.shape();
      l.module.outputs.push_back(own);
    } else {
      const int to = add_output(l, i, s.dtype());
      l.module.outputs.push_back(to);
      l.buffers.allocate(l.module.steps);
      l.module.steps.push_back({CopyStep{l.buffers.buffer_of(s), to}});
    }
    l.module.updates.push_back(l.graph.results[i].updates);
    l.module.over.push_back(-1);
  }
}

}  // namespace gnomon
