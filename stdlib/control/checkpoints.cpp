// Gradients of loops that keep few states: which are kept, and what is made again when.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop_gradient.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using List = std::vector<Expr>;
using States = std::span<const Expr>;

std::ptrdiff_t place(std::size_t k) { return static_cast<std::ptrdiff_t>(k); }

Expr row(const Expr& rows, const Expr& i) { return index(rows, {0}, std::span(&i, 1)); }
Expr with_row(const Expr& rows, const Expr& i, const Expr& x) {
  return set_index(rows, x, {0}, std::span(&i, 1));
}
Expr zero_rows(const Dim& count, const Expr& like) {
  Shape shape = like.shape();
  shape.insert(shape.begin(), count);
  return full(shape, cast(constant(std::int64_t{0}, DType::int64), like.dtype()));
}

// From a state that is kept n steps are to be gone backwards, with room for c states, this one
// among them: how many of the steps to go before the next state is kept. With r the least number
// for which C(c + r, r) >= n, no step is made more than r times, and all together as seldom as can
// be, if of the steps before the next state there are C(c + r - 2, r - 2) to C(c + r - 1, r - 1),
// and of those behind it C(c + r - 2, r - 1) to C(c + r - 1, r) (Griewank and Walther 2000). The
// most are taken, so that few states are kept.
Expr steps_to_next(const Expr& n, const Expr& c) {
  // C(c + r, r), C(c + r - 1, r - 1), C(c + r - 2, r - 1) and r.
  const Expr one = constant(std::int64_t{1}, DType::int64), first[] = {c + 1, one, one, one};
  const List found = while_loop(
      first, [&](States s) { return less(s[0], n); },
      [&](States s) {
        const Expr r = s[3] + 1;
        return List{floor_divide(s[0] * (c + r), r), s[0], floor_divide(s[0] * c, c + r - 1), r};
      });
  return minimum(found[1], n - found[2]);
}

// How many rows of states have room, each with the number of its step.
Dim rows_within(std::int64_t bytes, States states) {
  Dim of_row = static_cast<std::int64_t>(size_of(DType::int64));
  for (const Expr& x : states)
    of_row = of_row +
             element_count(x.shape()) * static_cast<std::int64_t>(size_of(computed_as(x.dtype())));
  return floor_div(bytes, of_row);
}

// Which states are kept. There is a row for each, and one that every step writes.
class Schedule {
 public:
  Schedule(const LoopOptions& options, const Expr& steps, States states) {
    const Dim count = Dim::value(steps.value());
    if (options.checkpoint_every != 0) {
      const std::int64_t every = options.checkpoint_every;
      every_ = every == LoopOptions::root
                   ? maximum(cast(ceil(sqrt(cast(steps, DType::float64))), DType::int64), 1)
                   : constant(every, DType::int64);
      const Dim k = Dim::value(every_.value());
      rows_ = min(floor_div(max(count - 1, 0), k) + k, max(count, 1)) + 1;
      behind_ = minimum(floor_divide(maximum(steps - 1, 0), every_) + every_, maximum(steps, 1));
      return;
    }
    Dim kept = options.checkpoints;
    if (options.memory_budget != 0) {
      room_ = rows_within(options.memory_budget, states);
      kept = max(room_ - 1, 1);
      too_small_ =
          fmt::format("memory_budget: expected room for two states of a loop, found {} bytes",
                      options.memory_budget);
    }
    slots_ = extent_value(kept);
    rows_ = min(kept, max(count, 1)) + 1;
    behind_ = minimum(slots_, maximum(steps, 1));
  }

  const Dim& rows() const { return rows_; }
  // The last of the rows.
  const Expr& behind() const { return behind_; }

  // The steps before which states are kept, when that of step 0 is.
  Expr started() const {
    const Expr steps = zero_rows(rows_, constant(std::int64_t{0}, DType::int64));
    return where_equal(steps, {min(room_, 2)}, {2}, too_small_);
  }

  // The steps before which states are kept, from that of row `top` on up to step `last`, which has
  // the row behind: those up to `top` are told.
  Expr marked(const Expr& steps, const Expr& top, const Expr& last) const {
    const Expr first[] = {steps, top, row(steps, top)};
    return while_loop(
        first, [&](States s) { return less(s[2], last); },
        [&](States s) {
          const Expr next = s[2] + to_next(s[2], last, s[1]);
          const Expr at = minimum(s[1] + 1, behind_);
          return List{with_row(s[0], at, next), at, next};
        })[0];
  }

 private:
  Expr to_next(const Expr& from, const Expr& last, const Expr& top) const {
    if (!every_.defined()) return steps_to_next(last - from + 1, slots_ - top);
    const Expr is_whole = bitwise_and(equal(from % every_, 0), less_equal(from + every_, last));
    return where(is_whole, every_, 1);
  }

  Dim rows_, room_ = 2;
  std::string too_small_;
  Expr slots_;  // how many states may be kept
  Expr every_;  // or: of which steps
  Expr behind_;
};

// States on their way through the steps, and what is kept of them.
struct Way {
  List states;
  List kept;  // a row for each step that is marked, up to `top`
  Expr top;
};

class Checkpointed {
 public:
  explicit Checkpointed(const LoopGradient& gradient)
      : gradient_(gradient),
        loop_(gradient.loop()),
        x_(gradient.vjp().x),
        read_(states_read()),
        first_(states_at_first()),
        schedule_(options_of(loop_), steps_of(x_[0]), first_),
        last_(steps_of(x_[0]) - 1) {}

  // Each step backwards has the states before it. Behind it a state that is kept goes on to the
  // step before this one, and more are kept on its way, as many as there is room for.
  List cotangents() const {
    const Expr zero = constant(std::int64_t{0}, DType::int64);
    const auto below = [](const Expr& top) { return maximum(top - 1, 0); };
    Way there{first_, {}, zero};
    for (const Expr& x : first_) there.kept.push_back(zero_rows(schedule_.rows(), x));
    const Expr marks = schedule_.marked(schedule_.started(), zero, last_);
    there = gone(there, zero, x_[0], marks);

    const std::size_t n = read_.size(), own = 2 * n + 2;
    const Expr top = below(there.top);
    List initial;
    for (const Expr& kept : there.kept) initial.push_back(row(kept, top));
    initial.insert(initial.end(), there.kept.begin(), there.kept.end());
    initial.insert(initial.end(), {marks, below(top)});
    for (const Expr& x : gradient_.initial()) initial.push_back(x);
    const LoopBody step = [&](const Expr& j, States now) {
      const Expr i = last_ - j, next = i - 1, last_kept = now[own - 1];
      const List found =
          gradient_.before(gradient_.derivative(), i, all_states(now.first(n)), now.subspan(own));
      const Expr marks = schedule_.marked(now[own - 2], last_kept, next);
      Way way{{}, {now.begin() + place(n), now.begin() + place(2 * n)}, last_kept};
      for (const Expr& kept : way.kept) way.states.push_back(row(kept, last_kept));
      const Expr from = row(marks, last_kept);
      way = gone(way, from, next - from, marks);
      List after = way.states;
      after.insert(after.end(), way.kept.begin(), way.kept.end());
      after.insert(after.end(), {marks, below(way.top)});
      after.insert(after.end(), found.begin(), found.end());
      return after;
    };
    const List found = make_loop(op::fori, x_[0], initial, step, keeping_nothing());
    return {found.begin() + place(own), found.end()};
  }

 private:
  static LoopOptions options_of(const Loop& loop) {
    return {loop.checkpoints[0], loop.checkpoints[1], loop.checkpoints[2]};
  }

  // The states that the steps backwards read, and those that these come to depend on.
  std::vector<std::size_t> states_read() const {
    std::vector<std::size_t> found;
    std::vector<Value> open = gradient_.derivative()->outputs;
    const Graph* in = gradient_.derivative().get();
    for (std::size_t known = 0; !open.empty(); known = found.size()) {
      const std::vector<const Node*> params = params_read(*in, topological_order(open));
      for (std::size_t k = 0; k < loop_.states; ++k)
        if (params[1 + k] != nullptr && std::ranges::find(found, k) == found.end())
          found.push_back(k);
      open.clear();
      in = loop_.body.get();
      for (std::size_t n = known; n < found.size(); ++n) open.push_back(in->outputs[found[n]]);
    }
    std::ranges::sort(found);
    return found;
  }

  List states_at_first() const {
    List states;
    for (const std::size_t k : read_) states.push_back(x_[1 + k]);
    return states;
  }

  // All states, of which those that are not read stand as they began.
  List all_states(States read) const {
    List states(x_.begin() + 1, x_.begin() + place(1 + loop_.states));
    for (std::size_t n = 0; n < read_.size(); ++n) states[read_[n]] = read[n];
    return states;
  }

  // So many steps further, the first of which is `from`. Each step writes the states into the row
  // behind those that are kept, and that row stays where a mark says so.
  Way gone(const Way& way, const Expr& from, const Expr& count, const Expr& marks) const {
    const std::size_t n = read_.size();
    if (n == 0) return way;
    List initial = way.states;
    initial.insert(initial.end(), way.kept.begin(), way.kept.end());
    initial.push_back(way.top);
    const LoopBody step = [&](const Expr& k, States now) {
      // Beyond its own steps an example of a batch goes on unheard.
      const Expr i = minimum(from + k, last_), top = minimum(now.back(), schedule_.behind());
      List arguments = {i};
      const List states = all_states(now.first(n));
      arguments.insert(arguments.end(), states.begin(), states.end());
      arguments.insert(arguments.end(), x_.begin() + place(1 + loop_.states), x_.end());
      const List found = apply_body(loop_.body, arguments);
      List after;
      for (const std::size_t state : read_) after.push_back(found[state]);
      for (std::size_t m = 0; m < n; ++m) after.push_back(with_row(now[n + m], top, now[m]));
      after.push_back(top + cast(equal(row(marks, top), i), DType::int64));
      return after;
    };
    const List found = make_loop(op::fori, count, initial, step, keeping_nothing());
    const auto kept = found.begin() + place(n), top = kept + place(n);
    return {{found.begin(), kept}, {kept, top}, *top};
  }

  const LoopGradient& gradient_;
  const Loop& loop_;
  const List& x_;
  std::vector<std::size_t> read_;
  List first_;  // the states that are read, as they begin
  Schedule schedule_;
  Expr last_;
};

}  // namespace

IntList as_attribute(const LoopOptions& options) {
  const IntList list = {options.checkpoint_every, options.checkpoints, options.memory_budget};
  return list == keeping_nothing() ? IntList() : list;
}

IntList keeping_nothing() { return {0, 0, 0}; }

std::vector<Expr> gradient_with_checkpoints(const LoopGradient& gradient) {
  return Checkpointed(gradient).cotangents();
}

}  // namespace gnomon
