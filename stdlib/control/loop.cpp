// Loops that are counted, and those that a state ends, with their derivatives.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop.h"
#include "stdlib/control/loop_gradient.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// What a row is stacked to, over the steps. Its extents must be known when no step has run.
Type stacked(TypeContext& context, const Loop& loop, std::size_t row, Type type) {
  for (const Dim& d : loop.body->outputs[loop.states + row].shape())
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind != Atom::Kind::value) return;
      const Value scalar[] = {*atom->scalar};
      for (const Node* node : topological_order(scalar))
        if (&node->op() == &op::param && param_index(*node) <= loop.states)
          context.fail(fmt::format("expected rows of the same extents in every step, found {}",
                                   type.text()));
    });
  type.shape.insert(type.shape.begin(), Dim::value(context.operands[0]));
  return type;
}

// What the steps of a short loop ask of extents, if a step's number alone decides it. It is asked
// around the loop, too: then the steps can be written out. ValueError where a step must fail.
void require_in_steps(const TypeContext& context, const Loop& loop) {
  constexpr std::int64_t few_steps = 32;
  const Dim count = Dim::value(context.operands[0]);
  if (loop.is_conditional || loop.body->checks.empty()) return;
  if (!count.is_constant() || count.constant() > few_steps) return;
  std::vector<Value> arguments(context.operands.begin(), context.operands.end());
  std::unordered_set<Value, ValueHash> states;
  for (std::size_t k = 1; k <= loop.states; ++k) {
    arguments[k] = tensor("state", arguments[k].dtype(), arguments[k].shape()).value();
    states.insert(arguments[k]);
  }
  for (std::int64_t t = 0; t < count.constant(); ++t) {
    arguments[0] = constant(t, DType::int64).value();
    const std::vector<Value> fitted = fitted_to_body(*loop.body, arguments);
    const InlinedBody inlined = inline_whole_body(*loop.body, fitted);
    for (const EntryCheck& check : checks_of_body(*loop.body, fitted, inlined.checked_scalars))
      if (!depends_on(check.left, states) && !depends_on(check.right, states))
        context.require_as(check.left, check.right, {check.message, check.is_index});
  }
}

std::vector<Type> loop_type(TypeContext& context) {
  const int own = &context.op == &op::while_loop ? 2 : 0;
  require_between(context, "a number of states", context.attributes[1].integer(), own,
                  static_cast<std::int64_t>(context.operands.size()) - 1);
  const Loop loop(context.op, context.attributes);
  if (!loop.checkpoints.empty() && loop.checkpoints.size() != 3)
    context.fail(
        fmt::format("expected no or 3 numbers of checkpoints, found {}", loop.checkpoints.size()));
  const DType wanted[] = {DType::bool_, DType::int64};
  for (int k = 0; k < own; ++k)
    if (context.type(1 + k).dtype != wanted[k] || context.type(1 + k).rank() != 0)
      context.fail(fmt::format("expected state {} to be a scalar of type {}, found {}", k,
                               short_name_of(wanted[k]), describe(context.operands[1 + k])));
  const Type& count = context.type(0);
  if (count.dtype != DType::int64 || count.rank() != 0) {
    context.fail(
        fmt::format("expected a count of type i64, found {}", describe(context.operands[0])));
  }
  if (context.operands.size() < 1 + loop.states || loop.body->outputs.size() < loop.states) {
    context.fail(fmt::format("expected {} states, found {} from the body and {} operands",
                             loop.states, loop.body->outputs.size(), context.operands.size()));
  }
  std::vector<Value> arguments(context.operands.begin(), context.operands.end());
  arguments[0] = scalar("i", DType::int64).value();
  const std::vector<Type> after = body_output_types(context, loop.body, arguments, 1 + loop.states);
  try {
    require_in_steps(context, loop);
  } catch (const ValueError&) {  // the loop may be in a branch that is not taken: its step fails
  }
  std::vector<Type> types;
  for (std::size_t k = 0; k < loop.states; ++k) {
    Type state = context.type(1 + k);
    bool fits = after[k].dtype == state.dtype && after[k].rank() == state.rank();
    for (std::size_t i = 0; fits && i < state.shape.size(); ++i) {
      const Dim &a = state.shape[i], &b = after[k].shape[i];
      fits = a == b || !a.is_constant() || !b.is_constant();
    }
    if (!fits) {
      const std::string text = fmt::format("expected state {} to stay {}, found {} after a step", k,
                                           describe(context.operands[1 + k]), after[k].text());
      after[k].dtype != state.dtype ? context.fail(text) : context.refuse(text);
    }
    for (std::size_t i = 0; i < state.shape.size(); ++i) {
      context.equal(state.shape[i], after[k].shape[i], "extents of a state");
    }
    types.push_back(std::move(state));
  }
  for (std::size_t k = 0; k < loop.rows(); ++k)
    types.push_back(stacked(context, loop, k, after[loop.states + k]));
  return types;
}

// The states are operands from 1 on, results from 0 on, and the first outputs of the body.
std::vector<Region> loop_regions(const Node& node) {
  const Loop loop(node);
  Region region{.body = 0, .count = 0, .states = 1, .parameters = {{}}};
  if (loop.is_conditional) region.while_state = 0;
  for (std::size_t k = 0; k < loop.states; ++k) {
    region.parameters.push_back({.operand = 1 + k, .next = k});
    region.results.push_back(k);
  }
  for (std::size_t k = 0; k < loop.rows(); ++k) region.rows.push_back(loop.states + k);
  for (std::size_t k = 1 + loop.states; k < node.operands().size(); ++k)
    region.parameters.push_back({.operand = k});
  return {std::move(region)};
}

// The same loop with the tangents of float states as further states, and those of rows as rows.
Exprs loop_jvp(const Jvp& v) {
  const Loop loop(v.node);
  const Body body = v.bodies->jvp(loop.body);
  const auto states = static_cast<std::ptrdiff_t>(loop.states);
  const auto outputs = static_cast<std::ptrdiff_t>(v.y.size());
  std::vector<Expr> initial(v.x.begin() + 1, v.x.begin() + 1 + states);
  std::vector<Expr> captured_tangents;
  for (std::size_t k = 1; k < v.x.size(); ++k) {
    if (!has_derivative(v.x[k])) continue;
    (k <= loop.states ? initial : captured_tangents).push_back(or_zeros(v.dx[k], v.x[k]));
  }
  const std::ptrdiff_t tangents = std::ssize(initial) - states;
  const LoopBody step = [&](Expr i, std::span<const Expr> now) {
    std::vector<Expr> arguments = {i};
    arguments.insert(arguments.end(), now.begin(), now.begin() + states);
    arguments.insert(arguments.end(), v.x.begin() + 1 + states, v.x.end());
    arguments.insert(arguments.end(), now.begin() + states, now.end());
    arguments.insert(arguments.end(), captured_tangents.begin(), captured_tangents.end());
    // Of states and rows the values, then the tangents of both: states come first.
    std::vector<Expr> after = apply_body(body, arguments);
    std::rotate(after.begin() + states, after.begin() + outputs,
                after.begin() + outputs + tangents);
    return after;
  };
  const std::vector<Expr> found = make_loop(v.node.op(), v.x[0], initial, step, loop.checkpoints);
  Exprs dy;
  std::size_t next_state = loop.states, next_row = initial.size() + loop.rows();
  for (std::size_t k = 0; k < v.y.size(); ++k) {
    if (!has_derivative(v.y[k]))
      dy.emplace_back();
    else
      dy.push_back(found[k < loop.states ? next_state++ : next_row++]);
  }
  return dy;
}

// The loop over a batch: which states have the axis of examples, and the body for it.
struct BatchedLoop {
  std::vector<bool> flags;  // by operand
  BatchedBody body;
  bool differ = false;  // examples make different numbers of steps
};

// A state that differs between examples, or comes to, has their axis; all have it where the numbers
// of steps differ.
BatchedLoop batched_loop(const Batched& b, const Loop& loop) {
  BatchedLoop found{b.batched, {}};
  found.flags[0] = false;
  const auto first = found.flags.begin() + 1,
             last = first + static_cast<std::ptrdiff_t>(loop.states);
  for (;;) {
    found.differ = b.batched[0] || (loop.is_conditional && (found.flags[1] || b.runs.defined()));
    if (found.differ) std::fill(first, last, true);
    std::vector<bool> outputs(first, last);
    outputs.resize(loop.body->outputs.size());
    std::vector<bool> flags = found.flags;
    const bool guarded = found.differ || b.runs.defined();
    if (guarded) flags.push_back(true);
    found.body = b.body(loop.body, flags, outputs, guarded);
    const auto ends = found.body.outputs.begin() + static_cast<std::ptrdiff_t>(loop.states);
    if (std::equal(first, last, found.body.outputs.begin(), ends)) return found;
    std::copy(found.body.outputs.begin(), ends, first);
  }
}

// One loop for all examples. Where they make different numbers of steps, it runs as often as the
// largest asks for, and the states of an example that is done stay, while nothing fails in its
// steps. Its rows behind its own count are of no step that it asked for.
Exprs loop_batch(const Batched& b) {
  const Loop loop(b.node);
  const BatchedLoop batched = batched_loop(b, loop);
  const auto captured = b.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states);
  const Expr counts = b.batched[0] && b.runs.defined() ? where(b.runs, b.x[0], 0) : b.x[0];
  std::vector<Expr> initial;
  for (std::size_t k = 0; k < loop.states; ++k)
    initial.push_back(batched.flags[1 + k] ? leading(b, 1 + k) : b.x[1 + k]);
  if (loop.is_conditional && b.runs.defined()) initial[0] = bitwise_and(initial[0], b.runs);
  const auto runs = [&](const Expr& i, std::span<const Expr> states) {
    if (!batched.differ) return b.runs;
    if (!b.batched[0]) return states[0];
    const Expr counted = less(i, counts);
    return loop.is_conditional ? bitwise_and(states[0], counted) : counted;
  };
  // Before the states of examples, where each has its own condition: those of the loop for all.
  const std::size_t own = loop.is_conditional && batched.differ ? 2 : 0;
  const LoopBody step = [&](Expr i, std::span<const Expr> all) {
    const std::span<const Expr> states = all.subspan(own);
    std::vector<Expr> arguments{i};
    arguments.insert(arguments.end(), states.begin(), states.end());
    arguments.insert(arguments.end(), captured, b.x.end());
    const Expr marks = runs(i, states);
    if (marks.defined()) arguments.push_back(marks);
    std::vector<Expr> after = apply_body(batched.body.body, arguments);
    if (!batched.differ) return after;
    for (std::size_t k = 0; k < loop.states; ++k)
      after[k] = along_examples(marks, states[k].rank() - 1, after[k], states[k]);
    if (own > 0) after.insert(after.begin(), {any(after[0]), all[1] + 1});
    return after;
  };
  if (own > 0)
    initial.insert(initial.begin(), {any(initial[0]), constant(std::int64_t{0}, DType::int64)});
  const Expr count = b.batched[0] ? largest_count(counts) : b.x[0];
  Exprs found = make_loop(b.node.op(), count, initial, step, loop.checkpoints);
  found.erase(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(own));
  for (std::size_t k = loop.states; k < found.size(); ++k)
    if (batched.body.outputs[k]) found[k] = move_axis(found[k], 1, 0);
  return found;
}

}  // namespace

bool depends_on(const Dim& extent, const std::unordered_set<Value, ValueHash>& values) {
  bool found = false;
  extent.for_each_atom([&](const AtomRef& atom) {
    if (atom->kind != Atom::Kind::value || found) return;
    const Value scalar[] = {*atom->scalar};
    for (const Node* node : topological_order(scalar))
      found = found || values.contains(Value(node, 0));
  });
  return found;
}

Expr largest_count(const Expr& counts) {
  const Expr none = full({Dim(1)}, constant(std::int64_t{0}, DType::int64));
  return max(concatenate({none, counts}));
}

Loop::Loop(const Op& op, const Attributes& a)
    : body(a[0].body()),
      states(static_cast<std::size_t>(a[1].integer())),
      is_conditional(&op == &op::while_loop),
      checkpoints(a[2].ints()) {}

std::size_t states_of(const Node& loop) { return Loop(loop).states; }

constinit const Op op::fori{
    .name = "fori",
    .doc =
        "States after `count` steps of the body (index, states, captured values) -> states, rows; "
        "the first ones when the count is not positive. Then the rows of all steps, stacked. The "
        "gradient keeps all states, or as few as `checkpoints` says: "
        "checkpoint_every, checkpoints, memory_budget.",
    .operands = -1,
    .at_least = 1,
    .outputs = 0,
    .attributes = {{"body", Attribute::Kind::body},
                   {"states", Attribute::Kind::integer},
                   {"checkpoints", Attribute::Kind::int_list}},
    .type = loop_type,
    .step = StepKind::loop,
    .regions = loop_regions,
    .vjp = fori_vjp,
    .jvp = loop_jvp,
    .batch = loop_batch};

constinit const Op op::while_loop{
    .name = "while_loop",
    .doc =
        "As fori, but no step is made once the first state, a bool, is false; the second state "
        "counts the steps, and rows behind the last one are 0.",
    .operands = -1,
    .at_least = 3,
    .outputs = 0,
    .attributes = {{"body", Attribute::Kind::body},
                   {"states", Attribute::Kind::integer},
                   {"checkpoints", Attribute::Kind::int_list}},
    .type = loop_type,
    .step = StepKind::loop,
    .regions = loop_regions,
    .vjp = while_vjp,
    .jvp = loop_jvp,
    .batch = loop_batch};

}  // namespace gnomon
