// The memory of a loop's index and states, and the steps of its body.
#include "codegen/module/lower_loop.h"

#include <utility>

#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

int memory_of(const Type& t, Lowering& l) {
  Buffer b;
  b.dtype = t.dtype;
  b.shape = t.shape;
  return l.buffers.add(std::move(b));
}

void lower_body(const Graph& inner, LoopStep& loop, Lowering& l) {
  const std::size_t first = l.module.dimensions.size();
  for (const Node* n : inner.topological_order())
    for (const Type& t : n->types()) l.dimensions.note(t.shape);
  l.dimensions.read_given(first, loop.body);
  auto outer = l.buffers.continue_by({});
  // A state's new value is made in its buffer where it is made by the body itself, else copied.
  for (std::size_t s = 0; s < inner.outputs.size(); ++s) {
    const Value v = storage_of(inner.outputs[s]);
    if (!is_leaf(v.op()) && !v.is(op::constant) && !l.buffers.is_placed(v))
      l.buffers.place(v, loop.next[s]);
  }
  lower_items(fuse(inner, Nodes::shared), l, loop.body);
  for (std::size_t s = 0; s < inner.outputs.size(); ++s) {
    const int at = l.buffers.buffer_behind(inner.outputs[s]);
    if (at != loop.next[s]) loop.body.push_back({CopyStep{at, loop.next[s]}});
  }
  l.buffers.continue_by(std::move(outer));
}

}  // namespace

void lower_loop(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const Graph& body = *node.attribute("body").body();
  const auto states = static_cast<std::size_t>(node.attribute("states").integer());
  const bool trace = node.attribute("trace").flag();
  LoopStep loop;
  loop.count = l.buffers.buffer_behind(node.input(0));
  std::vector<Value> arguments;
  const auto placeholder = [&](const Type& t, int buffer) {
    const Value v = tensor("state", t.dtype, t.shape).value();
    l.buffers.place(v, buffer);
    arguments.push_back(v);
  };
  loop.index = memory_of({DType::int64, {}}, l);
  placeholder({DType::int64, {}}, loop.index);
  for (std::size_t s = 0; s < states; ++s) {
    const Type& t = node.input(1 + s).type();
    const auto result = static_cast<std::uint32_t>(s);
    const auto traced = static_cast<std::uint32_t>(states + s);
    loop.initial.push_back(l.buffers.buffer_behind(node.input(1 + s)));
    loop.current.push_back(memory_of(t, l));
    loop.next.push_back(memory_of(t, l));
    placeholder(t, loop.current.back());
    loop.result.push_back(l.buffers.buffer_of(Value(&node, result)));
    loop.traces.push_back(trace ? l.buffers.buffer_of(Value(&node, traced)) : -1);
  }
  for (std::size_t i = 1 + states; i < node.operands().size(); ++i)
    arguments.push_back(node.input(i));
  Graph inner;
  inner.outputs = inline_body(body, arguments);
  inner.origins = l.graph.origins;
  l.buffers.allocate(steps);
  lower_body(inner, loop, l);
  steps.push_back({std::move(loop)});
}

}  // namespace gnomon
