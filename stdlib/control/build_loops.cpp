// Building loops: counted ones, over sequences, with checkpoints for their gradient, and those that
// a condition ends.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_set>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/control/loop.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

using States = std::span<const Expr>;

thread_local std::vector<Expr> open_indices;

// While a body is built, its index is among `loop_indices`.
struct Building {
  explicit Building(const Expr& i) { open_indices.push_back(i); }
  ~Building() { open_indices.pop_back(); }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
};

// What a step makes of a state: where extents are values, each step tells whether they are the
// state's.
Expr of_same_extents(const Expr& after, const Expr& state, const Op& op) {
  if (!has_computed_extents(after.value()) || after.rank() != state.rank() ||
      after.shape() == state.shape())
    return after;
  return shaped(after, state.shape(), fmt::format("{}: a state changes its extents", op.name));
}

}  // namespace

std::vector<Expr> outputs_of(const Value& first) {
  std::vector<Expr> outputs;
  for (std::uint32_t i = 0; i < first.node().output_count(); ++i) {
    outputs.emplace_back(Value(first.get(), i));
  }
  return outputs;
}

namespace {

// The checks that are not the same in all steps: those are asked around the loop.
std::vector<EntryCheck> checks_of_steps(std::vector<EntryCheck> checks, const OpenLoop& loop) {
  std::unordered_set<Value, ValueHash> own(loop.states.begin(), loop.states.end());
  own.insert(loop.index);
  std::erase_if(checks, [&](const EntryCheck& c) {
    return !depends_on(c.left, own) && !depends_on(c.right, own);
  });
  return checks;
}

}  // namespace

Expr with_checks(Expr output, std::span<const EntryCheck> checks) {
  for (const EntryCheck& c : checks) output = where_equal(output, {c.left}, {c.right}, c.message);
  return output;
}

OpenLoop open_loop(const Node& loop) {
  const Loop parts(loop);
  OpenLoop open{scalar("i", DType::int64), {}, {}, {}, parts.checkpoints};
  std::vector<Value> arguments = {open.index};
  for (std::size_t k = 1; k < loop.operands().size(); ++k) {
    const Value& x = loop.input(k);
    if (k <= parts.states)
      open.states.push_back(tensor(fmt::format("state{}", k - 1), x.dtype(), x.shape()));
    arguments.push_back(k <= parts.states ? open.states.back().value() : x);
  }
  const Graph& body = *parts.body;
  arguments = fitted_to_body(body, arguments);
  const InlinedBody inlined = inline_whole_body(body, arguments);
  open.after.assign(inlined.outputs.begin(), inlined.outputs.end());
  open.checks = checks_of_steps(checks_of_body(body, arguments, inlined.checked_scalars), open);
  return open;
}

std::vector<Expr> close_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                             const OpenLoop& loop, Origin at) {
  std::vector<Value> parameters = {loop.index.value()};
  parameters.insert(parameters.end(), loop.states.begin(), loop.states.end());
  std::vector<Value> after;
  for (const Expr& x : loop.after) {
    const std::size_t k = after.size();
    after.push_back(k < initial.size() ? of_same_extents(x, loop.states[k], op).value()
                                       : x.value());
  }
  const Closure closure = close_over(parameters, after);
  std::vector<Value> operands = {count.value()};
  operands.insert(operands.end(), initial.begin(), initial.end());
  operands.insert(operands.end(), closure.captured.begin(), closure.captured.end());
  return outputs_of(
      make_node(op, std::move(operands),
                {Attribute(closure.body), Attribute(static_cast<std::int64_t>(initial.size())),
                 Attribute(loop.checkpoints)},
                at));
}

std::vector<Expr> make_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                            const LoopBody& body, IntList checkpoints, Origin at) {
  OpenLoop loop{scalar("i", DType::int64), {}, {}, {}, std::move(checkpoints)};
  for (const Expr& x : initial)
    loop.states.push_back(tensor(fmt::format("state{}", loop.states.size()), x.dtype(), x.shape()));
  loop.after = body(loop.index, loop.states);
  return close_loop(op, count, initial, loop, at);
}

Expr steps_of(const Expr& count) {
  return is_non_negative(Dim::value(count.value())) ? count : maximum(count, 0);
}

std::span<const Expr> loop_indices() { return open_indices; }

namespace {

// The user's body, whose index is known meanwhile; `check` gets the number of values it returns.
LoopBody built_by(const LoopBody& body, const std::function<void(std::size_t)>& check) {
  return [&body, check](const Expr& i, States states) {
    const Building building(i);
    std::vector<Expr> after = body(i, states);
    check(after.size());
    return after;
  };
}

// What a function of the user's gives, whose own lines count meanwhile.
template <class Function>
auto users(const Function& function) {
  const OriginPause pause;
  return function();
}

void check_options(const char* who, const LoopOptions& options) {
  const std::int64_t every =
      options.checkpoint_every == LoopOptions::root ? 0 : options.checkpoint_every;
  const std::pair<const char*, std::int64_t> numbers[] = {{"checkpoint_every", every},
                                                          {"checkpoints", options.checkpoints},
                                                          {"memory_budget", options.memory_budget}};
  for (const auto& [name, number] : numbers)
    if (number < 0)
      throw ValueError(fmt::format("{}: expected {} to be 0 or more, found {}", who, name, number));
  const IntList given = as_attribute(options);
  if (std::ranges::count(given, 0) < std::ssize(given) - 1)
    throw ValueError(
        fmt::format("{}: expected one of checkpoint_every, checkpoints and memory_budget, found {}",
                    who, std::ssize(given) - std::ranges::count(given, 0)));
}

// The elements that a step has of the sequences.
std::vector<Expr> elements_at(std::span<const Expr> arrays, const Expr& i) {
  const Index here[] = {Index(i)};
  std::vector<Expr> elements;
  for (const Expr& each : arrays) elements.push_back(index(each, here));
  return elements;
}

// A counted loop over sequences, all as long as it has steps. The elements of step i of n are at
// i, or at n - 1 - i.
struct Counted {
  const char* who;
  Expr steps;
  Sequences over;
  ScanBody body;
  Origin at;

  std::vector<Expr> run(States initial, const LoopOptions& options) const {
    check_options(who, options);
    const LoopBody step = [&](const Expr& i, States states) {
      const Building building(i);
      return body(i, states, elements_at(over.arrays, over.reverse ? steps - 1 - i : i));
    };
    return make_loop(op::fori, steps, initial, step, as_attribute(options), at);
  }
};

// The sequences, all of the length.
Sequences of_length(const Sequences& given, const Dim& length) {
  Sequences sequences{{}, given.reverse};
  for (const Expr& x : given.arrays) {
    const std::string expected =
        fmt::format("scan: expected sequences of one length, found {}", describe(x.value()));
    if (x.rank() == 0) throw TypeError(expected);
    Shape shape = x.shape();
    shape[0] = length;
    sequences.arrays.push_back(shaped(x, shape, expected));
  }
  return sequences;
}

// A loop that a condition ends; `step` opens no pause around the user's functions.
WhileResults build_while(const Arg& begins, const ExprList& initial, const WhileStep& step,
                         const std::optional<Arg>& most, const LoopOptions& options) {
  check_options("while_loop", options);
  std::vector<Expr> first = {Expr(begins.value()), constant(std::int64_t{0}, DType::int64)};
  first.insert(first.end(), initial.begin(), initial.end());
  const LoopBody counted = [&](Expr i, States states) {
    std::vector<Expr> after = step(i, states.subspan(2));
    after.insert(after.begin() + (after.empty() ? 0 : 1), states[1] + 1);
    return after;
  };
  const auto check = [&](std::size_t found) {
    if (found < first.size() || (!most && found > first.size()))
      throw TypeError(fmt::format(
          "while_loop: expected a condition and {} states from the body, found {} values",
          initial.size(), found - 1));
  };
  const Expr count = most ? steps_of(cast(Expr(most->as(DType::int64)), DType::int64))
                          : constant(std::numeric_limits<std::int64_t>::max(), DType::int64);
  const std::vector<Expr> found = make_loop(op::while_loop, count, first, built_by(counted, check),
                                            as_attribute(options), begins.origin());
  const auto rows = found.begin() + std::ssize(first);
  WhileResults results{found[1], {found.begin() + 2, rows}, {}, {rows, found.end()}};
  for (const Expr& all : results.rows_and_zeros) {
    Shape made = all.shape();
    made[0] = Dim::value(steps_of(results.steps).value());
    results.rows.push_back(
        slice(all, Shape(made.size(), Dim(0)), made, Shape(made.size(), Dim(1))));
  }
  return results;
}

}  // namespace

std::vector<Expr> fori(const Arg& count, const ExprList& initial, const LoopBody& body,
                       const LoopOptions& options) {
  const CallPlace call("fori", count.origin());
  const Expr steps = cast(Expr(count.as(DType::int64)), DType::int64);
  const ScanBody checked = [&](const Expr& i, States states, States) {
    std::vector<Expr> after = users([&] { return body(i, states); });
    if (after.size() != states.size())
      throw TypeError(fmt::format("fori: expected {} states from the body, found {}", states.size(),
                                  after.size()));
    return after;
  };
  return Counted{"fori", steps, {}, checked, count.origin()}.run(initial, options);
}

std::vector<Expr> scan(const Arg& count, const ExprList& initial, const Sequences& sequences,
                       const ScanBody& body, const LoopOptions& options) {
  const CallPlace call("scan", count.origin());
  const Expr steps = steps_of(cast(Expr(count.as(DType::int64)), DType::int64));
  const ScanBody checked = [&](const Expr& i, States states, States elements) {
    std::vector<Expr> after = users([&] { return body(i, states, elements); });
    if (after.size() < states.size())
      throw TypeError(fmt::format("scan: expected {} states and more from the body, found {}",
                                  states.size(), after.size()));
    return after;
  };
  const Sequences over = of_length(sequences, Dim::value(steps.value()));
  return Counted{"scan", steps, over, checked, count.origin()}.run(initial, options);
}

std::vector<Expr> scan(const Arg& count, const ExprList& initial, const LoopBody& body,
                       const LoopOptions& options) {
  return scan(
      count, initial, Sequences{},
      [&](const Expr& i, States states, States) { return body(i, states); }, options);
}

WhileResults while_loop(const Arg& begins, const ExprList& initial, const WhileStep& step,
                        const std::optional<Arg>& most, const LoopOptions& options) {
  const CallPlace call("while_loop", begins.origin());
  const WhileStep paused = [&](const Expr& i, States states) {
    return users([&] { return step(i, states); });
  };
  return build_while(begins, initial, paused, most, options);
}

std::vector<Expr> while_loop(const ExprList& initial,
                             const std::function<Expr(std::span<const Expr>)>& condition,
                             const std::function<std::vector<Expr>(std::span<const Expr>)>& body) {
  const CallPlace call("while_loop", initial.origin());
  const WhileStep step = [&](const Expr&, States states) {
    std::vector<Expr> after = users([&] { return body(states); });
    if (after.size() != initial.size())
      throw TypeError(fmt::format("while_loop: expected {} states from the body, found {}",
                                  initial.size(), after.size()));
    after.insert(after.begin(), users([&] { return condition(after); }));
    return after;
  };
  const Expr begins = users([&] { return condition(initial); });
  return build_while(Arg(Arg(begins), initial.origin()), initial, step, {}, {}).states;
}

}  // namespace gnomon
