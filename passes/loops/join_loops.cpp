// The pass that runs loops as one that make as many steps: those that have states in common, as a
// value and its gradient do, and one that reads in each step what another one has made in it.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "passes/engine/decisions.h"
#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/loops/states.h"
#include "passes/pipeline.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// c of maximum(c, 0): as often as c says.
Value steps_asked_for(const Value& count) {
  if (!count.is(op::maximum)) return count;
  for (const std::size_t i : {0, 1})
    if (number_of(count.input(i)) == 0.0) return count.input(1 - i);
  return count;
}

// Two loops as one over the index and the states of both.
class Pair {
 public:
  Pair(const Node& first, const Node& second)
      : loops_{&first, &second}, open_{open_loop(first), open_loop(second)} {
    for (OpenLoop& open : open_)
      if (!open.after.empty()) open.after[0] = with_checks(open.after[0], open.checks);
    read_in_step();
  }

  // What the results of both become; nothing if they have nothing in common, or one needs more of
  // the other than its own step. `reason` says which.
  std::optional<Found> joined() {
    if (waits(0, 1) || waits(1, 0)) {
      reason_ = "one needs more of the other than what that makes in the same step";
      return {};
    }
    LoopStates all;
    for (const std::size_t which : {0, 1})
      for (std::size_t k = 0; k < open_[which].states.size(); ++k) {
        all.initial.push_back(loops_[which]->input(1 + k));
        all.leaves.push_back(open_[which].states[k].value());
        all.next.push_back(open_[which].after[k].value());
      }
    all.own.resize(all.leaves.size());
    const std::vector<std::size_t> first = first_alike(all);
    bool has_common = reads_;
    for (std::size_t k = open_[0].states.size(); k < first.size(); ++k)
      has_common = has_common || first[k] < open_[0].states.size();
    if (!has_common) {
      reason_ = "they have no state in common, and neither reads what the other makes in a step";
      return {};
    }
    reason_ = reads_ ? "the second reads in each step what the first makes in it"
                     : "they have states in common";
    return closed(all, first);
  }
  std::string_view reason() const { return reason_; }

 private:
  // Elements that the second reads at its own step, of rows of the first, are what that makes.
  void read_in_step() {
    const auto index = open_[0].index.value();
    Found found{{open_[1].index.value(), index}};
    std::vector<Value> after = values_of(open_[1].after);
    after = substitute(after, found);
    found.clear();
    for (const Node* node : order_of(after, 1)) {
      if (&node->op() != &op::index || node->operands().size() != 2) continue;
      const Value &rows = node->input(0), &at = node->input(1);
      if (rows.get() != loops_[0] || rows.index() < open_[0].states.size() || !(at == index) ||
          node->attribute("axes").ints() != IntList{0})
        continue;
      found.emplace(Value(node, 0), open_[0].after[rows.index()].value());
    }
    reads_ = !found.empty();
    after = substitute(after, found);
    open_[1].after.assign(after.begin(), after.end());
    open_[1].index = open_[0].index;
  }

  static std::vector<Value> values_of(const std::vector<Expr>& list) {
    return {list.begin(), list.end()};
  }

  // The nodes of a body, without those around the loop.
  std::vector<const Node*> order_of(const std::vector<Value>& after, std::size_t which) const {
    const std::span<const Value> given = loops_[which]->operands();
    return topological_order(after, given);
  }

  // Whether a loop needs results of the other.
  bool waits(std::size_t which, std::size_t other) const {
    std::vector<Value> needed = values_of(open_[which].after);
    for (std::size_t k = 0; k <= open_[which].states.size(); ++k)
      needed.push_back(loops_[which]->input(k));
    const std::vector<const Node*> order = topological_order(needed);
    return std::ranges::find(order, loops_[other]) != order.end();
  }

  Found closed(const LoopStates& all, const std::vector<std::size_t>& first) const {
    const bool is_first = !open_[0].checkpoints.empty();
    OpenLoop loop{open_[0].index, {}, {}, {}, open_[is_first ? 0 : 1].checkpoints};
    std::vector<Expr> initial;
    std::vector<Value> after;
    Found same;
    std::vector<std::size_t> place(first.size());
    for (std::size_t k = 0; k < first.size(); ++k) {
      if (first[k] != k) {
        place[k] = place[first[k]];
        same.emplace(all.leaves[k], all.leaves[first[k]]);
        continue;
      }
      place[k] = after.size();
      loop.states.emplace_back(all.leaves[k]);
      initial.emplace_back(all.initial[k]);
      after.push_back(all.next[k]);
    }
    for (const OpenLoop& open : open_)
      for (std::size_t k = open.states.size(); k < open.after.size(); ++k)
        after.push_back(open.after[k].value());
    after = substitute(after, same);
    // Rows that both keep are kept once.
    std::vector<std::size_t> kept_at;
    for (std::size_t k = 0; k < after.size(); ++k) {
      const auto begin = loop.after.begin() + std::ssize(initial);
      const auto known =
          k < initial.size()
              ? loop.after.end()
              : std::find_if(
                    begin, loop.after.end(), [&](const Expr& e) { return e.value() == after[k]; });
      kept_at.push_back(static_cast<std::size_t>(known - loop.after.begin()));
      if (known == loop.after.end()) loop.after.emplace_back(after[k]);
    }
    // Rows need a count that is an extent, which that of any loop with rows is.
    const bool second = open_[1].after.size() > open_[1].states.size();
    const std::vector<Expr> made =
        close_loop(op::fori, Expr(loops_[second ? 1 : 0]->input(0)), initial, loop);
    Found found;
    std::size_t state = 0, row = initial.size();
    for (const std::size_t which : {0, 1})
      for (std::size_t k = 0; k < open_[which].after.size(); ++k) {
        const std::size_t at = k < open_[which].states.size() ? place[state++] : kept_at[row++];
        found.emplace(Value(loops_[which], static_cast<std::uint32_t>(k)), made[at].value());
      }
    return found;
  }

  std::array<const Node*, 2> loops_;
  std::array<OpenLoop, 2> open_;
  bool reads_ = false;  // the second reads in a step what the first makes in it
  std::string_view reason_;
};

using NodePair = std::pair<const Node*, const Node*>;

// Whether it is worth a closer look: one may read rows of the other, or they begin states alike.
bool may_be_joined(const Node& first, const Node& second) {
  const auto states = states_of(first);
  const auto begin = first.operands().begin() + 1;
  const auto end = begin + static_cast<std::ptrdiff_t>(states);
  return std::ranges::any_of(second.operands(), [&](const Value& x) {
    return (x.get() == &first && x.index() >= states) || std::find(begin, end, x) != end;
  });
}

// What takes the place of the results of two loops that are one; `apart` are pairs that are not.
Found joined(const Graph& graph, std::map<NodePair, std::pair<Value, Value>>& apart,
             Decisions* decisions) {
  const Recording recording(decisions, graph);
  const auto note = [&](bool is_so, const Node* first, const Node* second, std::string_view why) {
    if (recording)
      recording.add("join_loops", "one loop", is_so, Value(second, 0), std::string(why),
                    Value(first, 0));
  };
  std::vector<std::pair<Value, std::vector<const Node*>>> groups;  // by count, in order
  for (const Node* node : graph.topological_order()) {
    if (&node->op() != &op::fori) continue;
    const Value count = steps_asked_for(node->input(0));
    auto group = std::ranges::find(groups, count, [](const auto& g) { return g.first; });
    if (group == groups.end()) group = groups.insert(group, {count, {}});
    if (recording)
      for (const auto& other : groups)
        if (!(other.first == count))
          for (const Node* first : other.second)
            note(false, first, node, "they make different numbers of steps");
    for (const Node* first : group->second) {
      if (apart.contains({first, node})) continue;
      if (!may_be_joined(*first, *node)) {
        note(false, first, node, "they begin no state alike, and neither reads rows of the other");
        continue;
      }
      Pair pair(*first, *node);
      std::optional<Found> found = pair.joined();
      note(found.has_value(), first, node, pair.reason());
      if (found) return *std::move(found);
      apart.emplace(NodePair(first, node), std::pair(Value(first, 0), Value(node, 0)));
    }
    group->second.push_back(node);
  }
  return {};
}

}  // namespace

Graph join_loops(const Graph& graph, Context& context) {
  // Loops whose operands are results of such loops become the same in their turn.
  std::map<NodePair, std::pair<Value, Value>> apart;  // the nodes stay alive
  const Graph result =
      substituted(graph, [&](const Graph& now) { return joined(now, apart, context.decisions); });
  return result.outputs == graph.outputs ? graph : prune_loops(result, context);
}

}  // namespace gnomon
