// The memory of a loop's index and states, and the steps of bodies.
#include "codegen/lower/lower_regions.h"

#include <fmt/format.h>

#include <span>
#include <utility>

#include "codegen/fusion/uses.h"
#include "codegen/kernels/lower_recurrence.h"
#include "codegen/lower/lower_kernels.h"
#include "ir/graph/leaf.h"
#include "passes/loops/recurrence.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
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

// A step of the body, or the branch that is taken, fails where its extents do not fit.
void add_check(const EntryCheck& check, const Node& node, std::vector<Step>& steps, Lowering& l) {
  FailureText failure{check.message, {}};
  failure.is_index = check.is_index;
  PlanCheck c{check.left, check.right};
  c.number = l.failures.add(std::move(failure), &node);
  l.dimensions.add_body_check(std::move(c), steps);
}

// The extents that a body knows, and what it asks of them. Those around it.
Dimensions::Scope begin_extents(const Node& node, const Graph& inner, std::span<const Value> given,
                                std::vector<Step>& steps, Lowering& l) {
  Dimensions::Scope around = l.dimensions.begin_body();
  for (const Node* n : inner.topological_order(given)) l.dimensions.note(*n);
  for (const EntryCheck& check : inner.checks) l.dimensions.note({check.left, check.right});
  l.dimensions.read_given(given, steps);
  for (const EntryCheck& check : inner.checks) add_check(check, node, steps, l);
  return around;
}

// The body as one kernel that makes some steps each time it runs, over the memory of the states.
void lower_elements(const Node& node, const Graph& inner, const Recurrence& recurrence,
                    RecurrenceBody body, LoopStep& loop, Lowering& l) {
  loop.at_once = steps_of_recurrence;
  body.first = loop.index, body.steps = loop.count;
  body.memory = loop.current, body.after = loop.next;
  const auto split = inner.outputs.begin() + std::ssize(loop.current);
  body.next.assign(inner.outputs.begin(), split);
  body.rows.assign(split, inner.outputs.end());
  for (const LoopStep::Row& row : loop.rows) body.parts.push_back(row.one);
  const std::vector<Value> given = in_memory(node, l);
  Buffers::Scope buffers_around = l.buffers.begin_body(given);
  Dimensions::Scope dimensions_around = begin_extents(node, inner, given, loop.body, l);
  l.dimensions.read_from(body.count, loop.count, loop.body);
  const auto is_in_memory = [&](const Value& v) { return l.buffers.is_placed(v); };
  RecurrenceKernel made =
      lower_recurrence(fmt::format("k{}", l.module.kernels.size()), recurrence, body, is_in_memory,
                       l.buffers, l.target_for(l.asked_of(node)));
  add_checks_of_none(made.indexed, l, loop.body);
  add_kernel(std::move(made.kernel), std::move(made.buffers), l.module, loop.body);
  std::vector<std::uint32_t> nodes;
  for (const Node* n : inner.topological_order(given)) add_positions(l.graph, *n, nodes);
  loop.body.back().nodes = without_repeats(std::move(nodes));
  loop.body.back().asked = l.asked_of(node);
  l.dimensions.end_body(std::move(dimensions_around));
  l.buffers.end_body(std::move(buffers_around));
}

// The body's steps, which leave its outputs in `places`: those from `first_kept` on are kept as
// they are made, the others last. The values around the body are memory to it, so nothing of them
// is computed in its steps.
void lower_body(const Node& node, const Graph& inner, const std::vector<int>& places,
                std::size_t first_kept, std::vector<Step>& steps, Lowering& l) {
  const std::vector<Value> given = in_memory(node, l);
  Buffers::Scope buffers_around = l.buffers.begin_body(given);
  Dimensions::Scope dimensions_around = begin_extents(node, inner, given, steps, l);
  const Fusion fusion =
      fuse_body(inner, l.target.calls_library, given, l.recording, l.devices_asked());
  l.buffers.continue_by(fusion.continued);
  // An output is made where it goes if the body itself makes it, else copied: what is there from
  // the start before anything is written over it, if it is kept, and behind all if it is a state.
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Value v = storage_of(inner.outputs[k]);
    if (is_computed(v) && !l.buffers.is_placed(v)) l.buffers.place(v, places[k]);
    if (!is_computed(v) && k >= first_kept)
      steps.push_back({CopyStep{l.buffers.buffer_of(v), places[k]}});
  }
  lower_items(fusion, l, steps);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Value v = storage_of(inner.outputs[k]);
    const int at = l.buffers.buffer_of(v);
    const bool is_there = at == places[k] || (!is_computed(v) && k >= first_kept);
    if (!is_there) steps.push_back({CopyStep{at, places[k]}});
  }
  l.dimensions.end_body(std::move(dimensions_around));
  l.buffers.end_body(std::move(buffers_around));
}

// A node with regions, its results in memory.
struct RegionNode {
  const Node& node;
  Lowering& l;

  int buffer_of_result(std::size_t k) const {
    return l.buffers.buffer_of(Value(&node, static_cast<std::uint32_t>(k)));
  }
  Graph body_for(const Region& region, std::span<const Value> arguments) const {
    const Graph& body = body_of(node, region);
    InlinedBody inlined = inline_whole_body(body, fitted_to_body(body, arguments));
    Graph inner;
    inner.outputs = std::move(inlined.outputs);
    inner.checks = checks_of_body(body, arguments, inlined.checked_scalars);
    inner.origins = l.graph.origins;
    return inner;
  }
};

void record_recurrence(const Node& node, const RecurrenceSearch& search, const Lowering& l) {
  std::string reason(search.refused);
  if (search.found)
    reason = fmt::format(
        "no element needs others, so a few at a time go through {} steps, in registers; threads "
        "share the elements{}",
        steps_of_recurrence,
        search.found->is_along_time ? "; neighbours in memory are steps, which are read together"
                                    : "");
  l.recording.add("lower", "element by element", search.found.has_value(), Value(&node, 0),
                  std::move(reason));
}

}  // namespace

void lower_loop(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const std::vector<Region> regions = regions_of(node);
  if (regions.size() != 1 || !regions[0].count)
    throw InternalError("lower: a loop has one body and a count, which is not so of " +
                        std::string(node.op().name));
  const Region& region = regions[0];
  const RecurrenceSearch search = search_recurrence(node);
  const std::optional<Recurrence>& recurrence = search.found;
  if (l.recording) record_recurrence(node, search, l);
  RecurrenceBody body;
  body.count = Dim::value(node.input(*region.count));
  LoopStep loop;
  loop.count = l.buffers.buffer_behind(node.input(*region.count));
  std::vector<Value> arguments;
  const auto placeholder = [&](const Type& t, int buffer) {
    const bool is_index = loop.index == buffer;
    const std::string name =
        is_index ? "step" : fmt::format("state {}", std::ssize(loop.initial) - 1);
    const Value v = tensor(name, t.dtype, t.shape).value();
    l.buffers.place(v, buffer);
    arguments.push_back(v);
  };
  const RegionNode results{node, l};
  for (const Region::Parameter& p : region.parameters) {
    if (!p.operand) {
      loop.index = loop_buffer({DType::int64, {}}, l);
      placeholder({DType::int64, {}}, loop.index);
      l.buffers.note_index(arguments.back(), body.count);
      body.index = arguments.back();
    } else if (p.is_captured()) {
      arguments.push_back(node.input(*p.operand));
    } else {
      const Value& initial = node.input(*p.operand);
      loop.initial.push_back(l.buffers.buffer_behind(initial));
      loop.current.push_back(loop_buffer(initial.type(), l));
      const bool is_array = initial.rank() > 0;
      loop.next.push_back(recurrence && is_array ? loop.current.back()
                                                 : loop_buffer(initial.type(), l));
      placeholder(initial.type(), loop.current.back());
      if (l.devices) l.devices->note(arguments.back(), initial);
      body.states.push_back(arguments.back());
      loop.result.push_back(results.buffer_of_result(region.results[*p.next]));
    }
  }
  const Graph inner = results.body_for(region, arguments);
  std::vector<int> places = loop.next;
  for (std::size_t k = 0; k < region.rows.size(); ++k) {
    const Type& type = inner.outputs[region.results.size() + k].type();
    loop.rows.push_back({row_buffer(type, l), results.buffer_of_result(region.rows[k])});
    places.push_back(loop.rows.back().one);
  }
  if (region.while_state) loop.while_state = static_cast<int>(*region.while_state);
  l.buffers.allocate(steps);
  if (recurrence)
    lower_elements(node, inner, *recurrence, std::move(body), loop, l);
  else
    lower_body(node, inner, places, loop.next.size(), loop.body, l);
  steps.push_back({std::move(loop)});
}

void lower_branch(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const RegionNode results{node, l};
  ChoiceStep choice;
  std::vector<int> places;
  for (std::size_t k = 0; k < node.output_count(); ++k)
    places.push_back(results.buffer_of_result(k));
  l.buffers.allocate(steps);
  for (const Region& region : regions_of(node)) {
    if (!region.condition)
      throw InternalError("lower: a branch has a condition, which is not so of " +
                          std::string(node.op().name));
    choice.condition = l.buffers.buffer_behind(node.input(region.condition->operand));
    std::vector<Value> arguments;
    for (const Region::Parameter& p : region.parameters)
      arguments.push_back(node.input(*p.operand));
    std::vector<Step>& way = region.condition->is ? choice.then : choice.otherwise;
    if (const auto check = impossible_check(body_of(node, region), arguments))
      add_check(*check, node, way, l);
    else
      lower_body(node, results.body_for(region, arguments), places, places.size(), way, l);
  }
  steps.push_back({std::move(choice)});
}

}  // namespace gnomon
