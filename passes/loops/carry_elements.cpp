// The pass that lets a step take an element from the step before, which wrote it, rather than read
// it back from the array: a chain of steps waits for no memory, as the points of Gauss and Seidel's
// method on their left.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Values = std::vector<Value>;

// An element of a state that each step reads where the step before wrote one.
struct Carried {
  std::size_t state;
  Value read, written;
};

class Carrier {
 public:
  explicit Carrier(const Node& loop) : loop_(loop), open_(open_loop(loop)) {
    for (const Expr& x : open_.after) after_.push_back(x.value());
    const Values given(loop.operands().begin(), loop.operands().end());
    order_ = topological_order(after_, given);
  }

  // What the results become; nothing if there is no such element.
  Values results() {
    find();
    if (found_.empty()) return {};
    OpenLoop loop{open_.index, open_.states, {}, {}, open_.checkpoints};
    std::vector<Expr> initial;
    std::unordered_map<Value, Value> carried;
    for (std::size_t k = 0; k < open_.states.size(); ++k) initial.emplace_back(loop_.input(1 + k));
    for (const Carried& c : found_) {
      loop.states.push_back(scalar("carried", c.read.dtype()));
      initial.push_back(first_of(c));
      carried.emplace(c.read, loop.states.back().value());
    }
    Values outputs = after_;
    const auto rows = outputs.begin() + std::ssize(open_.states);
    Values written;
    for (const Carried& c : found_) written.push_back(c.written);
    outputs.insert(rows, written.begin(), written.end());
    for (Value& v : substitute(outputs, carried)) loop.after.emplace_back(std::move(v));
    loop.after[0] = with_checks(loop.after[0], open_.checks);
    const std::vector<Expr> made = close_loop(loop_.op(), Expr(loop_.input(0)), initial, loop);
    Values results;
    for (std::size_t k = 0; k < made.size(); ++k) {
      const bool is_own = k < open_.states.size() || k >= open_.states.size() + found_.size();
      if (is_own) results.push_back(made[k].value());
    }
    return results;
  }

 private:
  void find() {
    for (std::size_t k = 0; k < open_.states.size(); ++k) {
      const Value &state = open_.states[k].value(), &next = after_[k];
      const bool writes_one = next.is(op::set_index) && next.input(0) == state &&
                              next.input(1).rank() == 0 && has_literal_places(next.node());
      if (!writes_one) continue;
      const std::vector<Dim> before = places(next.node(), 2, Expr(open_.index) - 1);
      for (const Node* node : order_)
        if (&node->op() == &op::index && node->input(0) == state && node->type().rank() == 0 &&
            node->attribute("axes") == next.node().attribute("axes") &&
            places(*node, 1, open_.index) == before)
          found_.push_back({k, Value(node, 0), next.input(1)});
    }
  }

  // Whether the number of the step and what is the same in all steps tell where an element is.
  bool has_literal_places(const Node& write) const {
    const Values indices(write.operands().begin() + 2, write.operands().end());
    Values leaves;
    for (const Expr& s : open_.states) leaves.push_back(s.value());
    const Values around(loop_.operands().begin(), loop_.operands().end());
    const std::vector<const Node*> order = topological_order(indices, around);
    return std::ranges::all_of(indices, [](const Value& v) { return v.rank() == 0; }) &&
           std::ranges::none_of(order, [&](const Node* node) {
             return std::ranges::find(leaves, Value(node, 0)) != leaves.end();
           });
  }

  // Where a node reads or writes, in the step of that number, as sums.
  std::vector<Dim> places(const Node& node, std::size_t first, const Expr& step) const {
    std::vector<Dim> found;
    for (const Value& v : indices_at(node, first, step)) found.push_back(Dim::value(v));
    return found;
  }
  Values indices_at(const Node& node, std::size_t first, const Expr& step) const {
    const Values indices(node.operands().begin() + static_cast<std::ptrdiff_t>(first),
                         node.operands().end());
    return substitute(indices, {{open_.index.value(), step.value()}});
  }

  // What the first step reads; nothing is read if there is none.
  Expr first_of(const Carried& c) const {
    const auto read = [&] {
      const Expr first = constant(std::int64_t{0}, DType::int64);
      Values operands = indices_at(c.read.node(), 1, first);
      operands.insert(operands.begin(), loop_.input(1 + c.state));
      return Expr(make_node(op::index, std::move(operands), c.read.node().attributes()));
    };
    const Expr count(loop_.input(0));
    if (const auto known = number_of(count.value()); known && *known > 0) return read();
    return cond(
        greater(count, 0), [&] { return std::vector<Expr>{read()}; },
        [&] { return std::vector<Expr>{constant(std::int64_t{0}, c.read.dtype())}; })[0];
  }

  const Node& loop_;
  OpenLoop open_;
  Values after_;
  std::vector<const Node*> order_;
  std::vector<Carried> found_;
};

}  // namespace

Graph carry_elements(const Graph& graph, Context&) {
  return with_loops_replaced(graph, [](const Node& loop) { return Carrier(loop).results(); });
}

}  // namespace gnomon
