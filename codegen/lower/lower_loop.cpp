// The memory of a loop's index and states, and the steps of its body.
#include "codegen/lower/lower_loop.h"

#include <span>
#include <utility>

#include "codegen/fusion/uses.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

int loop_buffer(const Type& t, Lowering& l) {
  Buffer b;
  b.dtype = t.dtype;
  b.shape = t.shape;
  return l.buffers.add(std::move(b));
}

int row_buffer(const Type& t, Lowering& l) {
  Buffer b;
  b.role = Buffer::Role::row;
  b.dtype = t.dtype;
  b.shape = t.shape;
  return l.buffers.add(std::move(b));
}

// What the body reads from around it. An extent may be made of a scalar that no memory holds, as it
// sees through sums: the body computes that one itself.
std::vector<Value> in_memory(const Node& node, const Lowering& l) {
  std::vector<Value> given = given_to_bodies(node);
  std::erase_if(given, [&](const Value& v) {
    const Value s = storage_of(v);
    return is_computed(s) && !l.buffers.is_placed(s);
  });
  return given;
}

// The values around the body are memory to it, so nothing of them is computed in its steps.
void lower_body(const Graph& inner, std::span<const Value> given, LoopStep& loop, Lowering& l) {
  Buffers::Scope buffers_around = l.buffers.begin_body(given);
  Dimensions::Scope dimensions_around = l.dimensions.begin_body();
  for (const Node* n : topological_order(inner.outputs, given))
    for (const Type& t : n->types()) l.dimensions.note(t.shape);
  l.dimensions.read_given(given, loop.body);
  const Fusion fusion = fuse_body(inner, given);
  l.buffers.continue_by(fusion.continued);
  // An output is made where it goes if the body itself makes it, else copied: what is there from
  // the start before anything is written over it, if it is kept, and behind all if it is a state.
  std::vector<int> places = loop.next;
  for (const LoopStep::Row& row : loop.rows) places.push_back(row.one);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Value v = storage_of(inner.outputs[k]);
    if (is_computed(v) && !l.buffers.is_placed(v)) l.buffers.place(v, places[k]);
    if (!is_computed(v) && k >= loop.next.size())
      loop.body.push_back({CopyStep{l.buffers.buffer_of(v), places[k]}});
  }
  lower_items(fusion, l, loop.body);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Value v = storage_of(inner.outputs[k]);
    const int at = l.buffers.buffer_of(v);
    const bool is_there = at == places[k] || (!is_computed(v) && k >= loop.next.size());
    if (!is_there) loop.body.push_back({CopyStep{at, places[k]}});
  }
  l.dimensions.end_body(std::move(dimensions_around));
  l.buffers.end_body(std::move(buffers_around));
}

}  // namespace

void lower_loop(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const std::vector<Region> regions = regions_of(node);
  if (regions.size() != 1 || !regions[0].count)
    throw InternalError("lower: a loop has one body and a count, which is not so of " +
                        std::string(node.op().name));
  const Region& region = regions[0];
  LoopStep loop;
  loop.count = l.buffers.buffer_behind(node.input(*region.count));
  std::vector<Value> arguments;
  const auto placeholder = [&](const Type& t, int buffer) {
    const Value v = tensor("state", t.dtype, t.shape).value();
    l.buffers.place(v, buffer);
    arguments.push_back(v);
  };
  const auto buffer_of_result = [&](std::size_t k) {
    return l.buffers.buffer_of(Value(&node, static_cast<std::uint32_t>(k)));
  };
  for (const Region::Parameter& p : region.parameters) {
    if (!p.operand) {
      loop.index = loop_buffer({DType::int64, {}}, l);
      placeholder({DType::int64, {}}, loop.index);
    } else if (p.is_captured()) {
      arguments.push_back(node.input(*p.operand));
    } else {
      const Value& initial = node.input(*p.operand);
      loop.initial.push_back(l.buffers.buffer_behind(initial));
      loop.current.push_back(loop_buffer(initial.type(), l));
      loop.next.push_back(loop_buffer(initial.type(), l));
      placeholder(initial.type(), loop.current.back());
      loop.result.push_back(buffer_of_result(region.results[*p.next]));
    }
  }
  Graph inner;
  inner.outputs = inline_body(body_of(node, region), arguments);
  for (std::size_t k = 0; k < region.rows.size(); ++k) {
    const Type& type = inner.outputs[region.results.size() + k].type();
    loop.rows.push_back({row_buffer(type, l), buffer_of_result(region.rows[k])});
  }
  inner.origins = l.graph.origins;
  l.buffers.allocate(steps);
  lower_body(inner, in_memory(node, l), loop, l);
  steps.push_back({std::move(loop)});
}

}  // namespace gnomon
