// The pass that keeps of rows the last ones, and makes of steps the first ones, where no more of
// them is read.
#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t most_kept = 4;      // rows that are states
constexpr std::int64_t few_elements = 64;  // of a row that costs nothing to hand on

using Users = std::vector<const Node*>;

// The rows [start, start + count) that a slice reads, one after the other.
struct Read {
  Dim start, count;
};

std::optional<Read> read_by(const Node& user) {
  if (&user.op() != &op::slice || !user.attribute("step").dims()[0].is(1)) return {};
  return Read{user.attribute("start").dims()[0], user.attribute("count").dims()[0]};
}

// How many of the last rows a slice needs, if it reads one.
std::optional<std::int64_t> from_the_end(const Read& read, const Dim& steps) {
  const Dim behind = steps - read.start;
  if (!read.count.is(1) || !behind.is_constant() || behind.constant() < 1) return {};
  return behind.constant();
}

class Shortening {
 public:
  explicit Shortening(const Graph& graph) {
    for (const Node* node : graph.topological_order())
      for (const Value& x : node->inputs()) use(x, node);
    for (const Value& output : graph.outputs) use(output, nullptr);
  }

  // What takes the place of values, for one loop that can be shorter.
  Found find() const {
    for (const Value& v : used_) {
      if (v.index() < states_of(v.node())) continue;
      if (Found found = first_steps(v.node()); !found.empty()) return found;
      if (Found found = last_rows(v, users_.at(v)); !found.empty()) return found;
    }
    return {};
  }

 private:
  void use(const Value& v, const Node* by) {
    if (!v.is(op::fori)) return;
    Users& users = users_[v];
    if (users.empty()) used_.push_back(v);
    users.push_back(by);
  }
  const Users* users(const Node& loop, std::size_t k) const {
    const auto at = users_.find(Value(&loop, static_cast<std::uint32_t>(k)));
    return at == users_.end() ? nullptr : &at->second;
  }
  static std::vector<Expr> initial_of(const Node& loop) {
    const auto begin = loop.operands().begin() + 1;
    return {begin, begin + static_cast<std::ptrdiff_t>(states_of(loop))};
  }

  // Rows of which only single ones near the end are read: these are states.
  Found last_rows(const Value& rows, const Users& users) const {
    const Node& loop = rows.node();
    const Dim steps = rows.shape()[0];
    std::int64_t most = 0;
    for (const Node* user : users) {
      const auto read = user == nullptr ? std::nullopt : read_by(*user);
      const auto behind = read ? from_the_end(*read, steps) : std::nullopt;
      if (!behind) return {};
      most = std::max(most, *behind);
    }
    if (steps.is_constant() && steps.constant() <= most) return {};
    OpenLoop open = open_loop(loop);
    const Expr row = open.after[rows.index()];
    const Dim elements = element_count(row.shape());
    const bool is_small = elements.is_constant() && elements.constant() <= few_elements;
    if (most > (is_small ? most_kept : 1)) return {};

    std::vector<Expr> initial = initial_of(loop);
    const std::size_t states = initial.size();
    std::vector<Expr> after(open.after.begin(), open.after.begin() + std::ssize(initial));
    Expr before = row;
    for (std::int64_t k = 0; k < most; ++k) {
      initial.push_back(
          full(row.shape(), cast(constant(std::int64_t{0}, DType::int64), row.dtype())));
      open.states.push_back(tensor("last", row.dtype(), row.shape()));
      after.push_back(std::exchange(before, open.states.back()));
    }
    for (std::size_t k = states; k < open.after.size(); ++k)
      if (k != rows.index()) after.push_back(open.after[k]);
    open.after = std::move(after);
    open.after[0] = with_checks(open.after[0], open.checks);
    const std::vector<Expr> made = close_loop(op::fori, Expr(loop.input(0)), initial, open);

    Found found;
    std::size_t next = initial.size();
    for (std::size_t k = 0; k < loop.output_count(); ++k)
      if (k != rows.index())
        found.emplace(Value(&loop, static_cast<std::uint32_t>(k)),
                      made[k < states ? k : next++].value());
    for (const Node* user : users) {
      const std::int64_t behind = *from_the_end(*read_by(*user), steps);
      const Expr kept = made[states + static_cast<std::size_t>(behind) - 1];
      found.emplace(Value(user, 0), rest_of(*user, expand_dims(kept, 0)).value());
    }
    return found;
  }

  // What the slice reads along the other axes.
  static Expr rest_of(const Node& user, const Expr& row) {
    Shape start = user.attribute("start").dims();
    start[0] = 0;
    return slice(row, start, user.attribute("count").dims(), user.attribute("step").dims());
  }

  // A loop of a known number of steps makes the first ones alone where nothing is read but their
  // rows.
  Found first_steps(const Node& loop) const {
    const Dim steps = loop.type(loop.output_count() - 1).shape[0];
    if (!steps.is_constant()) return {};
    std::int64_t most = 0;
    for (std::size_t k = 0; k < loop.output_count(); ++k) {
      const Users* const users = this->users(loop, k);
      if (users == nullptr) continue;
      if (k < states_of(loop)) return {};
      for (const Node* user : *users) {
        const auto read = user == nullptr ? std::nullopt : read_by(*user);
        if (!read || !(read->start + read->count).is_constant()) return {};
        most = std::max(most, (read->start + read->count).constant());
      }
    }
    if (steps.constant() <= most) return {};
    const Expr fewer = constant(most, DType::int64);
    std::vector<Value> operands(loop.operands().begin(), loop.operands().end());
    operands[0] = fewer.value();
    const Value made = make_node(op::fori, std::move(operands), loop.attributes());
    Found found;
    for (std::uint32_t k = 0; k < loop.output_count(); ++k) {
      const Users* const users = this->users(loop, k);
      if (users == nullptr) continue;
      for (const Node* user : *users) {
        std::vector<Value> inputs(user->operands().begin(), user->operands().end());
        inputs[0] = Value(made.get(), k);
        found.emplace(Value(user, 0), make_node(op::slice, std::move(inputs), user->attributes()));
      }
    }
    return found;
  }

  std::vector<Value> used_;                            // results of counted loops
  std::unordered_map<Value, Users, ValueHash> users_;  // null: the graph itself
};

}  // namespace

Graph shorten_loops(const Graph& graph, Context&) {
  return substituted(graph, [](const Graph& now) { return Shortening(now).find(); });
}

}  // namespace gnomon
