// The pass that writes out the steps of short loops over elements: as one expression they are in
// registers from the first to the last, and rules see across steps.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/engine/decisions.h"
#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr double most_steps = 32;
constexpr std::int64_t kept_elements = 64;  // of states that registers hold in a loop, too
constexpr int most_operations = 160;  // of all steps: they compile in the time of a loop or two
constexpr int dearest_step = 16;      // in additions: a dearer one hides what its loop costs

// How many steps are written out; if none are, why not.
struct Choice {
  int steps = -1;
  std::string reason;
};

// What the steps of a loop do to an element of its states.
struct StepOfElements {
  int operations = 0, cost = 0;
};

// Whether elements stay at their places, if the axes do.
bool keeps_places(const Op& o) {
  return o.is_elementwise() || &o == &op::cast || &o == &op::broadcast_to || &o == &op::shaped;
}

// Whether a node only finds elements in an array: those of a slice, at an index.
bool only_reads(const Op& o) {
  return &o == &op::slice || &o == &op::index || &o == &op::squeeze || &o == &op::expand_dims ||
         &o == &op::reshape || &o == &op::extent;
}

// Nothing if an element of a state needs other elements, or a step does what is no arithmetic.
std::optional<StepOfElements> step_of(const Graph& body, const std::vector<Value>& states) {
  const std::vector<const Node*> order = body.topological_order();
  std::unordered_set<Value, ValueHash> leaves;
  for (const Value& s : states)
    if (s.rank() > 0) leaves.insert(s);
  if (leaves.empty()) return {};
  const Shape elements = leaves.begin()->shape();
  const Dim count = element_count(elements);
  if (count.is_constant() && count.constant() <= kept_elements) return {};
  const auto depending = dependents(order, leaves);
  const auto depends = [&](const Value& v) {
    return leaves.contains(v) || depending.contains(&v.node());
  };
  StepOfElements step;
  // Extents may be equal without being so in terms of symbols.
  const auto has_elements = [&](const Value& v) {
    bool found = v.rank() == static_cast<int>(elements.size());
    for (std::size_t i = 0; found && i < elements.size(); ++i)
      found = v.shape()[i].is(1) == elements[i].is(1);
    return found;
  };
  for (const Node* node : order) {
    if (is_leaf(node->op()) || &node->op() == &op::constant) continue;
    const bool is_same = keeps_places(node->op());
    if (!is_same && (!only_reads(node->op()) || depending.contains(node))) return {};
    if (depending.contains(node) && !has_elements(Value(node, 0))) return {};
    for (const Value& x : node->operands())
      if (depends(x) && !has_elements(x)) return {};
    if (!is_same || node->type().rank() == 0) continue;
    ++step.operations;
    step.cost += node->op().scalar.cost;
  }
  const auto fits = [&](const Value& v) { return v.rank() == 0 || v.shape() == elements; };
  if (!std::ranges::all_of(states, fits) || !std::ranges::all_of(body.outputs, fits)) return {};
  return step;
}

Choice chosen(const Node& loop) {
  const std::optional<double> steps = number_of(loop.input(0));
  if (!steps) return {-1, "the number of its steps is not known"};
  if (*steps > most_steps) return {-1, fmt::format("it makes more than {} steps", most_steps)};
  const Loop parts(loop);
  if (parts.rows() > 0 || !parts.checkpoints.empty()) return {-1, "its steps are kept"};
  std::vector<Value> states;
  for (const Node* node : parts.body->topological_order())
    if (&node->op() == &op::param && param_index(*node) > 0 && param_index(*node) <= parts.states)
      states.emplace_back(node, 0);
  const std::optional<StepOfElements> step = step_of(*parts.body, states);
  if (!step)
    return {-1, "its states are few numbers, or a step does more than compute elements of theirs"};
  if (step->cost > dearest_step) return {-1, "its steps are dear, and a loop is not"};
  if (step->operations * *steps > most_operations)
    return {-1, fmt::format("its steps are more than {} operations", most_operations)};
  return {*steps > 0 ? static_cast<int>(*steps) : 0, "its steps are few and cheap"};
}

// Whether all that the steps ask of extents holds whatever the call brings, or is asked around the
// loop: a graph checks no more than what was captured.
bool holds_in_all_steps(const EntryCheck& check, const OpenLoop& open, int steps,
                        std::span<const EntryCheck> known) {
  const auto is_known = [&](const Dim& a, const Dim& b) {
    return std::ranges::any_of(known, [&](const EntryCheck& c) {
      return (c.left == a && c.right == b) || (c.left == b && c.right == a);
    });
  };
  for (int t = 0; t < steps; ++t) {
    const auto in_step = [&](const Dim& d) {
      return d.substitute([&](const Atom& atom) {
        if (atom.kind == Atom::Kind::symbol) return Dim::symbol(atom.number, atom.name);
        return *atom.scalar == open.index.value() ? Dim(t) : Dim::value(*atom.scalar);
      });
    };
    const Dim left = in_step(check.left), right = in_step(check.right);
    if (left != right && !is_known(left, right)) return false;
  }
  return true;
}

std::vector<Value> written_out(const Node& loop, const OpenLoop& open, int steps) {
  std::vector<Value> after;
  for (const Expr& e : open.after) after.push_back(e.value());
  std::vector<Value> now(loop.operands().begin() + 1,
                         loop.operands().begin() + 1 + std::ssize(open.states));
  for (int t = 0; t < steps; ++t) {
    std::unordered_map<Value, Value> replaced = {
        {open.index.value(), constant(std::int64_t{t}, DType::int64).value()}};
    for (std::size_t s = 0; s < now.size(); ++s) replaced.emplace(open.states[s].value(), now[s]);
    now = substitute(after, replaced);
  }
  return now;
}

}  // namespace

Graph unroll_loops(const Graph& graph, Context& context) {
  const Recording recording(context.decisions, graph);
  return with_loops_replaced(graph, [&](const Node& loop) -> std::vector<Value> {
    Choice choice = chosen(loop);
    std::optional<OpenLoop> open;
    if (choice.steps >= 0) {
      open = open_loop(loop);
      const auto holds = [&](const EntryCheck& check) {
        return holds_in_all_steps(check, *open, choice.steps, graph.checks);
      };
      if (!std::ranges::all_of(open->checks, holds)) choice = {-1, "its steps check extents"};
    }
    if (recording)
      recording.add("unroll_loops", "without a loop", choice.steps >= 0, Value(&loop, 0),
                    choice.reason);
    return choice.steps < 0 ? std::vector<Value>() : written_out(loop, *open, choice.steps);
  });
}

}  // namespace gnomon
