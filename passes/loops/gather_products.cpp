// The pass that makes one product of matrices of those that a loop makes in its steps: before the
// loop, where they depend on the number of the step alone, and behind it, where they only add up.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "passes/derivatives/vectorize.h"
#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop.h"
#include "stdlib/control/residuals.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using NodeSet = std::unordered_set<const Node*>;

bool is_product(const Value& v) {
  return v.is(op::dot) && is_float(v.dtype()) && is_large_product(v.node());
}

// What is made for all steps at once is neither told nor refused in one of them.
bool is_plain(const Node& node) {
  return node.op().regions == nullptr && node.op().step != StepKind::print &&
         node.op().step != StepKind::check;
}

// A sum that a state grows by in each step, as the user grouped it: its terms but for the state.
struct Growth {
  std::vector<Value> kept, products;
};

class Gatherer {
 public:
  explicit Gatherer(const Node& loop)
      : loop_(loop), open_(open_loop(loop)), steps_(steps_of(Expr(loop.input(0)))) {
    for (const Expr& x : open_.after) after_.push_back(x.value());
    std::vector<Value> given(loop.operands().begin(), loop.operands().end());
    given.push_back(open_.index);
    given.insert(given.end(), open_.states.begin(), open_.states.end());
    order_ = topological_order(after_, given);
    by_state_ = dependents(order_, {open_.states.begin(), open_.states.end()});
    for (const Node* node : order_) {
      const bool is_told = std::ranges::any_of(node->inputs(), [&](const Value& x) {
        return x == open_.index.value() || by_index_.contains(x.get());
      });
      if (is_told && !by_state_.contains(node)) by_index_.insert(node);
      const auto is_bare = [&](const Value& x) { return bare_.contains(x.get()); };
      if (!is_plain(*node) || std::ranges::any_of(node->inputs(), is_bare)) bare_.insert(node);
      for (const Value& x : node->inputs()) ++uses_[x];
    }
    for (const Value& x : after_) ++uses_[x];
  }

  // What the results become; nothing if no product is gathered.
  std::vector<Value> results() {
    gather_before();
    for (std::size_t k = 0; k < open_.states.size(); ++k) gather_behind(k);
    if (before_.empty() && behind_.empty()) return {};
    return closed();
  }

 private:
  // Whether the value can be made for all steps at once.
  bool is_of_index(const Value& v) const {
    return by_index_.contains(v.get()) && !bare_.contains(v.get());
  }

  // The values of all steps, along a new first axis; a null one if its extents differ between
  // steps, or an operation has no rule for batches.
  Expr of_all_steps(const Value& v) {
    const Expr numbers = arange(steps_);
    try {
      return vectorize(std::vector<Expr>{Expr(v)}, std::span(&open_.index, 1),
                       std::span(&numbers, 1))[0];
    } catch (const TypeError&) {
      return {};
    }
  }

  // The last products of what depends on the index alone.
  void gather_before() {
    NodeSet needed;
    for (const Value& x : after_) needed.insert(x.get());
    for (auto at = order_.rbegin(); at != order_.rend(); ++at) {
      const Node* node = *at;
      if (!needed.contains(node)) continue;
      const Value v(node, 0);
      const Expr rows = is_product(v) && is_of_index(v) ? of_all_steps(v) : Expr();
      if (rows.defined()) {
        const Index here[] = {Index(open_.index)};
        before_.emplace(v, index(rows, here).value());
      } else {
        for (const Value& x : node->inputs()) needed.insert(x.get());
      }
    }
  }

  bool is_used_once(const Value& v) const { return uses_.at(v) == 1; }

  // Splits what a state becomes into terms; whether the state is one of them, and nothing else
  // reads it.
  bool split(const Value& next, std::size_t k, Growth& growth) const {
    bool has_state = false;
    std::vector<Value> open = {next};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      if (v == open_.states[k].value())
        has_state = true;
      else if (v.is(op::add) && is_used_once(v) && v.type() == next.type())
        open.insert(open.end(), v.node().operands().rbegin(), v.node().operands().rend());
      else
        (is_gathered(v, next) ? growth.products : growth.kept).push_back(v);
    }
    return has_state && is_used_once(open_.states[k].value());
  }

  // One factor has an array for all steps already, so that of the other is not out of proportion.
  bool is_gathered(const Value& v, const Value& sum) const {
    if (!is_product(v) || v.rank() != 2 || !(v.type() == sum.type()) || !is_used_once(v))
      return false;
    const Value &a = v.input(0), &b = v.input(1);
    const auto varies = [&](const Value& x) {
      return is_of_index(x) || by_state_.contains(x.get());
    };
    return varies(a) && varies(b) && (is_of_index(a) || is_of_index(b));
  }

  void gather_behind(std::size_t k) {
    Growth growth;
    if (after_[k].rank() != 2 || !is_float(after_[k].dtype())) return;
    if (!split(after_[k], k, growth) || growth.products.empty()) return;
    for (const Value& product : growth.products)
      totals_.push_back({k, place_of_rows(left_rows(product)), place_of_rows(product.input(1))});
    behind_.emplace(k, std::move(growth.kept));
  }

  // The left factor with the axis that the product sums over first.
  static Value left_rows(const Value& product) {
    const Value& a = product.input(0);
    return is_matrix_transpose(a) ? a.input(0) : swap_last(Expr(a)).value();
  }

  // Where the rows of a factor will be found in `rows_`.
  std::size_t place_of_rows(const Value& v) {
    const auto place = static_cast<std::size_t>(std::ranges::find(rows_, v) - rows_.begin());
    if (place == rows_.size()) rows_.push_back(v);
    return place;
  }

  std::vector<Value> closed() {
    OpenLoop loop{open_.index, {}, {}, {}, {}};
    std::vector<Expr> initial;
    std::vector<Value> after;
    std::vector<std::size_t> place(after_.size());  // of what is left of the loop's results
    for (std::size_t k = 0; k < open_.states.size(); ++k) {
      const auto grown = behind_.find(k);
      if (grown != behind_.end() && grown->second.empty()) continue;
      place[k] = after.size();
      loop.states.push_back(open_.states[k]);
      initial.emplace_back(loop_.input(1 + k));
      after.push_back(grown == behind_.end() ? after_[k] : sum_of(k, grown->second));
    }
    for (std::size_t k = open_.states.size(); k < after_.size(); ++k) {
      place[k] = after.size();
      after.push_back(after_[k]);
    }
    // Factors whose values are not told by the index are further rows.
    std::vector<Expr> factors;
    std::vector<std::size_t> place_of_factor(rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      factors.push_back(is_of_index(rows_[r]) ? of_all_steps(rows_[r]) : Expr());
      if (factors.back().defined()) continue;
      place_of_factor[r] = after.size();
      after.push_back(rows_[r]);
    }
    if (!after.empty()) after[0] = with_checks(Expr(after[0]), open_.checks).value();
    for (Value& v : substitute(after, before_)) loop.after.emplace_back(std::move(v));
    std::vector<Expr> made;
    if (!loop.after.empty()) {
      const bool has_rows = loop.after.size() > loop.states.size();
      made = close_loop(loop_.op(), has_rows ? steps_ : Expr(loop_.input(0)), initial, loop);
    }
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!factors[r].defined()) factors[r] = made[place_of_factor[r]];

    std::vector<Value> results;
    for (std::size_t k = 0; k < after_.size(); ++k) {
      const auto grown = behind_.find(k);
      const bool is_gone = grown != behind_.end() && grown->second.empty();
      results.push_back(is_gone ? loop_.input(1 + k) : made[place[k]].value());
    }
    for (const Total& total : totals_) {
      const Expr sum = matmul(swap_last(under_one_another(factors[total.left])),
                              under_one_another(factors[total.right]));
      results[total.state] = (Expr(results[total.state]) + sum).value();
    }
    return results;
  }

  Value sum_of(std::size_t k, const std::vector<Value>& terms) const {
    Expr sum = open_.states[k];
    for (const Value& term : terms) sum = sum + Expr(term);
    return sum.value();
  }

  // Matrices of all steps as one with all their rows.
  static Expr under_one_another(const Expr& x) {
    return reshape(x, {x.dim(0) * x.dim(1), x.dim(2)});
  }

  struct Total {
    std::size_t state, left, right;
  };

  const Node& loop_;
  OpenLoop open_;
  Expr steps_;
  std::vector<Value> after_;
  std::vector<const Node*> order_;
  NodeSet by_state_, by_index_;  // what depends on a state, what does on the index alone
  NodeSet bare_;                 // what stays in its step
  std::unordered_map<Value, int, ValueHash> uses_;
  Found before_;                                                // products by reads of their rows
  std::unordered_map<std::size_t, std::vector<Value>> behind_;  // what states still grow by
  std::vector<Total> totals_;
  std::vector<Value> rows_;
};

}  // namespace

Graph gather_products(const Graph& graph, Context&) {
  // What a loop with checkpoints makes of all steps would not fit the memory that these leave.
  return with_loops_replaced(graph, [](const Node& loop) {
    return Loop(loop).checkpoints.empty() ? Gatherer(loop).results() : std::vector<Value>();
  });
}

}  // namespace gnomon
