// The pass that leaves out of loops what nobody needs from them: states and rows without a use,
// states that never change, states that are another one, work that is the same in every step.
#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/loops/replaced.h"
#include "passes/loops/states.h"
#include "passes/pipeline.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Flags = std::vector<bool>;

bool is_loop(const Node& node) { return node.op().step == StepKind::loop; }

const Graph& body_of_loop(const Node& loop) { return *loop.attribute("body").body(); }

// Which results of a loop say how it goes on, so that none can do without them: those of a loop
// that a state ends are whether it goes on and the number of its steps.
std::size_t own_results(const Node& loop) { return &loop.op() == &op::while_loop ? 2 : 0; }

// What of a loop is needed: states and rows, as results are numbered, and captured operands.
struct Needed {
  Flags results, operands;
};

// A state is needed by what its next values are needed by.
Needed needed_of(const Node& loop, Flags used) {
  const Graph& body = body_of_loop(loop);
  const std::size_t states = states_of(loop);
  Needed needed{std::move(used), Flags(loop.operands().size())};
  for (std::size_t k = 0; k < own_results(loop); ++k) needed.results[k] = true;
  needed.operands[0] = true;
  std::vector<const Node*> open;
  std::unordered_set<const Node*> seen;
  const auto need = [&](const Value& v) {
    if (seen.insert(v.get()).second) open.push_back(v.get());
  };
  for (const Value& scalar : body.checked_scalars()) need(scalar);
  for (std::size_t k = 0; k < needed.results.size(); ++k)
    if (needed.results[k]) need(body.outputs[k]);
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Value& x : node->inputs()) need(x);
    if (&node->op() != &op::param) continue;
    const std::size_t operand = param_index(*node);
    needed.operands[operand] = true;
    if (operand == 0 || operand > states || needed.results[operand - 1]) continue;
    needed.results[operand - 1] = true;
    need(body.outputs[operand - 1]);
  }
  for (std::size_t k = 0; k < states; ++k)
    needed.operands[1 + k] = needed.operands[1 + k] || needed.results[k];
  return needed;
}

// Which results of each loop are used, by loops only as far as those need them themselves.
std::unordered_map<const Node*, Flags> used_results(const Graph& graph) {
  const std::vector<const Node*> order = graph.topological_order();
  std::unordered_map<const Node*, Flags> used;
  for (const Node* node : order)
    if (is_loop(*node)) used.emplace(node, Flags(node->output_count()));
  const auto use = [&](const Value& v) {
    if (const auto at = used.find(v.get()); at != used.end()) at->second[v.index()] = true;
  };
  for (const Value& output : graph.outputs) use(output);
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    const Node& node = **at;
    const std::size_t operands = node.operands().size();
    Flags needed(operands, true);
    if (const auto own = used.find(&node); own != used.end())
      needed = needed_of(node, own->second).operands;
    for (std::size_t k = 0; k < node.inputs().size(); ++k)
      if (k >= operands || needed[k]) use(node.inputs()[k]);
  }
  return used;
}

// Whether a body stands as `close_loop` would write it: what depends on neither the index nor the
// states is captured, each value once, in the order of use.
bool is_closed(const Node& loop) {
  const Graph& body = body_of_loop(loop);
  const std::size_t own = 1 + states_of(loop);
  const std::span<const Value> captured = loop.operands().subspan(own);
  std::size_t next = own;  // the next operand to be used for the first time
  std::unordered_set<const Node*> dependent;
  const auto is_used_in_order = [&](Value v) {
    while ((v.is(op::broadcast_to) || v.is(op::shaped)) && !dependent.contains(v.get()))
      v = Value(v.input(0));
    if (!v.is(op::param) || param_index(v.node()) < next) return true;
    return param_index(v.node()) == next++;
  };
  for (const Node* node : body.topological_order()) {
    const auto& inputs = node->inputs();
    if (&node->op() == &op::param) {
      if (param_index(*node) < own) dependent.insert(node);
    } else if (std::ranges::any_of(inputs,
                                   [&](const Value& x) { return dependent.contains(x.get()); })) {
      dependent.insert(node);
      if (!std::ranges::all_of(inputs, is_used_in_order)) return false;
    } else if (!inputs.empty() && &node->op() != &op::broadcast_to && &node->op() != &op::shaped) {
      return false;
    }
  }
  if (!std::ranges::all_of(body.outputs, is_used_in_order)) return false;
  const std::unordered_set<Value, ValueHash> different(captured.begin(), captured.end());
  return next == loop.operands().size() && different.size() == captured.size();
}

// Whether the parameters of a body have the extents that are known around it: what is one extent
// there is one inside, and what is a number is a number.
bool has_extents_around(const Node& loop) {
  const Graph& body = body_of_loop(loop);
  std::vector<std::pair<Dim, Dim>> known;  // inside, around
  for (std::size_t k = 1; k < loop.operands().size(); ++k) {
    const Shape &inside = body.parameters[k].type.shape, &around = loop.input(k).shape();
    for (std::size_t axis = 0; axis < inside.size(); ++axis) {
      if (inside[axis] == around[axis] && inside[axis].is_constant()) continue;
      if (inside[axis].is_constant() || around[axis].is_constant()) return false;
      for (const auto& [a, b] : known)
        if ((a == inside[axis]) != (b == around[axis])) return false;
      known.emplace_back(inside[axis], around[axis]);
    }
  }
  return true;
}

// Whether a loop is as `Pruned` would leave it.
bool is_pruned(const Node& loop, const Flags& used) {
  const Graph& body = body_of_loop(loop);
  const std::size_t states = states_of(loop);
  if (!std::ranges::all_of(needed_of(loop, used).results, std::identity())) return false;
  std::unordered_set<Value, ValueHash> begun;
  for (std::size_t k = own_results(loop); k < states; ++k) {
    const Value& next = body.outputs[k];
    const bool is_constant = next.is(op::param) && param_index(next.node()) == 1 + k;
    if (is_constant || !begun.insert(loop.input(1 + k)).second) return false;
  }
  return body.checks.empty() && has_extents_around(loop) && is_closed(loop);
}

// A loop that does no more than is needed, in the one form that all loops have which do the same:
// over the extents that are known around it, with what it captures in the order of use.
class Pruned {
 public:
  Pruned(const Node& loop, Flags used)
      : loop_(loop), open_(open_loop(loop)), states_(open_.states.size()) {
    LoopStates all;
    for (std::size_t k = 0; k < states_; ++k) {
      all.initial.push_back(loop.input(1 + k));
      all.leaves.push_back(open_.states[k].value());
      all.next.push_back(open_.after[k].value());
      all.own.push_back(k < own_results(loop));
    }
    first_ = first_alike(all);
    // Of states that are alike the first one stands for all.
    for (Flags before; before != used;) {
      before = used;
      kept_ = needed_of(loop, used).results;
      for (std::size_t k = 0; k < states_; ++k)
        if (kept_[k]) used[first_[k]] = true;
    }
    for (std::size_t k = 0; k < states_; ++k)
      kept_[k] = kept_[k] && first_[k] == k && !is_constant_state(k);
  }

  // What the loop's results become: null for rows that nobody uses.
  std::vector<Value> results() const {
    Found found;
    OpenLoop less{open_.index, {}, {}, {}, open_.checkpoints};
    std::vector<Expr> initial;
    std::vector<Value> after;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (kept_[k]) after.push_back(open_.after[k].value());
      if (k >= states_) continue;
      if (kept_[k]) {
        less.states.push_back(open_.states[k]);
        initial.emplace_back(loop_.input(1 + k));
      } else if (is_constant_state(first_[k])) {
        found.emplace(open_.states[k].value(), loop_.input(1 + first_[k]));
      } else if (first_[k] != k) {
        found.emplace(open_.states[k].value(), open_.states[first_[k]].value());
      }
    }
    if (!after.empty()) after[0] = with_checks(Expr(after[0]), open_.checks).value();
    for (Value& v : substitute(after, found)) less.after.emplace_back(std::move(v));
    std::vector<Expr> made;
    if (!less.after.empty()) made = close_loop(loop_.op(), Expr(loop_.input(0)), initial, less);
    std::vector<Value> results(kept_.size());
    std::size_t next = 0;
    for (std::size_t k = 0; k < kept_.size(); ++k) {
      if (kept_[k])
        results[k] = made[next++].value();
      else if (k < states_)
        results[k] = first_[k] != k ? results[first_[k]] : loop_.input(1 + k);
    }
    return results;
  }

 private:
  bool is_constant_state(std::size_t k) const {
    return k >= own_results(loop_) && open_.after[k].value() == open_.states[k].value();
  }

  const Node& loop_;
  OpenLoop open_;
  std::size_t states_;
  std::vector<std::size_t> first_;
  Flags kept_;
};

}  // namespace

Graph prune_loops(const Graph& graph, Context&) {
  const auto used = used_results(graph);
  if (used.empty()) return graph;
  return with_replaced(graph, [&](const Node& node, const Value& now) -> std::vector<Value> {
    const auto own = used.find(&node);
    if (own == used.end() || is_pruned(now.node(), own->second)) return {};
    return Pruned(now.node(), own->second).results();
  });
}

}  // namespace gnomon
