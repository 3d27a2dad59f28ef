// The pass that lets each element add up what a loop sums over all elements in every step, so that
// none waits for the others until the loop is over: a gradient by what all elements share. The sums
// take as much memory as another state of the loop does.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// What a state grows by: arrays of one type, each summed over the same axes.
struct Sums {
  std::vector<Value> summed;
  Attributes attributes;  // of the sum
};

class Mover {
 public:
  explicit Mover(const Node& loop) : loop_(loop), open_(open_loop(loop)) {
    std::vector<Value> after;
    for (const Expr& x : open_.after) after.push_back(x.value());
    std::vector<Value> given(loop.operands().begin(), loop.operands().end());
    for (const Node* node : topological_order(after, given))
      for (const Value& x : node->inputs()) ++uses_[x];
    for (const Value& x : after) ++uses_[x];
  }

  // What the results become; nothing if there are no such sums.
  std::vector<Value> results() {
    std::unordered_map<std::size_t, Sums> moved;
    OpenLoop loop = open_;
    std::vector<Expr> initial;
    for (std::size_t k = 0; k < open_.states.size(); ++k) {
      initial.emplace_back(loop_.input(1 + k));
      std::optional<Sums> sums = sums_of(k);
      if (!sums) continue;
      const Value& part = sums->summed[0];
      loop.states[k] = tensor("sums", part.dtype(), part.shape());
      loop.after[k] = loop.states[k];
      for (const Value& v : sums->summed) loop.after[k] = loop.after[k] + Expr(v);
      initial.back() = full(part.shape(), constant(std::int64_t{0}, part.dtype()));
      moved.emplace(k, std::move(*sums));
    }
    if (moved.empty()) return {};
    loop.after[0] = with_checks(loop.after[0], open_.checks);
    const std::vector<Expr> made = close_loop(loop_.op(), Expr(loop_.input(0)), initial, loop);
    std::vector<Value> results;
    for (std::size_t k = 0; k < made.size(); ++k) {
      results.push_back(made[k].value());
      const auto sums = moved.find(k);
      if (sums == moved.end()) continue;
      const Expr total(make_node(op::sum, {results[k]}, sums->second.attributes));
      results[k] = (Expr(loop_.input(1 + k)) + total).value();
    }
    return results;
  }

 private:
  bool is_used_once(const Value& v) const { return uses_.at(v) == 1; }

  // Of a state that nothing else reads, and that becomes itself and such sums.
  std::optional<Sums> sums_of(std::size_t k) const {
    const Value state = open_.states[k].value(), next = open_.after[k].value();
    std::optional<Sums> found;
    bool has_state = false;
    std::vector<Value> open = {next};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (v == state && is_used_once(v)) {
        has_state = true;
      } else if (v.is(op::add) && is_used_once(v) && v.type() == next.type()) {
        open.insert(open.end(), v.node().operands().rbegin(), v.node().operands().rend());
      } else if (!v.is(op::sum) || !is_used_once(v) || !add_sum(v, state, found)) {
        return std::nullopt;
      }
    }
    return has_state && is_of_states(found->summed[0]) ? found : std::nullopt;
  }

  bool is_of_states(const Value& v) const {
    return std::ranges::any_of(open_.states,
                               [&](const Expr& s) { return s.value().type() == v.type(); });
  }

  static bool add_sum(const Value& sum, const Value& state, std::optional<Sums>& found) {
    const Value& x = sum.input(0);
    if (!(sum.type() == state.type())) return false;
    if (!found) found = Sums{{}, sum.node().attributes()};
    found->summed.push_back(x);
    return found->summed[0].type() == x.type() && found->attributes == sum.node().attributes();
  }

  const Node& loop_;
  OpenLoop open_;
  std::unordered_map<Value, int, ValueHash> uses_;
};

}  // namespace

Graph sum_behind_loops(const Graph& graph, Context&) {
  return with_loops_replaced(graph, [](const Node& loop) { return Mover(loop).results(); });
}

}  // namespace gnomon
