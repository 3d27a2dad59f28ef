// Building loops: counted ones, over sequences, with checkpoints for their gradient, and those that
// a condition ends.
#include <fmt/format.h>

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
  const auto is_own = [&](const Dim& d) {
    bool found = false;
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind != Atom::Kind::value || found) return;
      const Value scalar[] = {*atom->scalar};
      for (const Node* node : topological_order(scalar))
        found = found || own.contains(Value(node, 0));
    });
    return found;
  };
  std::erase_if(checks, [&](const EntryCheck& c) { return !is_own(c.left) && !is_own(c.right); });
  return checks;
}

}  // namespace

Expr with_checks(Expr output, std::span<const EntryCheck> checks) {
  for (const EntryCheck& c : checks) output = where_equal(output, {c.left}, {c.right}, c.message);
  return output;
}

OpenLoop open_loop(const Node& loop) {
  OpenLoop open{scalar("i", DType::int64), {}, {}, {}};
  std::vector<Value> arguments = {open.index};
  const auto states = states_of(loop);
  for (std::size_t k = 1; k < loop.operands().size(); ++k) {
    const Value& x = loop.input(k);
    if (k <= states)
      open.states.push_back(tensor(fmt::format("state{}", k - 1), x.dtype(), x.shape()));
    arguments.push_back(k <= states ? open.states.back().value() : x);
  }
  const Graph& body = *loop.attribute("body").body();
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
  return outputs_of(make_node(
      op, std::move(operands),
      {Attribute(closure.body), Attribute(static_cast<std::int64_t>(initial.size()))}, at));
}

std::vector<Expr> make_loop(const Op& op, const Expr& count, std::span<const Expr> initial,
                            const LoopBody& body, Origin at) {
  OpenLoop loop{scalar("i", DType::int64), {}, {}, {}};
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
  Expr steps;
  Sequences over;
  ScanBody body;
  Origin at;

  Expr place(const Expr& i, const Expr& n) const { return over.reverse ? n - 1 - i : i; }

  std::vector<Expr> run(States initial) const {
    const LoopBody step = [&](const Expr& i, States states) {
      const Building building(i);
      return body(i, states, elements_at(over.arrays, place(i, steps)));
    };
    return make_loop(op::fori, steps, initial, step, at);
  }

  // A loop of loops of `every` steps, of which the last one may have fewer. The inner ones keep
  // nothing for a gradient but their arguments. Their rows are as long for all.
  std::vector<Expr> run_in_parts(States initial, const Expr& every) const {
    const Expr parts = floor_divide(steps + (every - 1), every);
    const LoopBody part = [&](const Expr& p, States states) { return run_part(p, states, every); };
    std::vector<Expr> found = make_loop(op::fori, parts, initial, part, at);
    for (std::size_t k = initial.size(); k < found.size(); ++k) found[k] = joined(found[k]);
    return found;
  }

 private:
  std::vector<Expr> run_part(const Expr& p, States states, const Expr& every) const {
    const Expr first = p * every, count = minimum(steps - first, every);
    std::vector<Expr> arguments = {first, count, every};
    arguments.insert(arguments.end(), states.begin(), states.end());
    const Expr from = over.reverse ? steps - first - count : first;
    for (const Expr& all : over.arrays) arguments.push_back(rows_of(all, from, count));

    const Expr own_first = scalar("first", DType::int64), own_count = scalar("count", DType::int64),
               length = scalar("every", DType::int64);
    std::vector<Value> parameters = {own_first.value(), own_count.value(), length.value()};
    std::vector<Expr> own_states, own_arrays;
    for (const Expr& x : states) {
      own_states.push_back(tensor("state", x.dtype(), x.shape()));
      parameters.push_back(own_states.back().value());
    }
    for (const Expr& all : over.arrays) {
      Shape shape = all.shape();
      shape[0] = Dim::value(own_count.value());
      own_arrays.push_back(tensor("part", all.dtype(), shape));
      parameters.push_back(own_arrays.back().value());
    }
    const LoopBody step = [&](const Expr& j, States now) {
      const Expr i = own_first + j;
      const Building building(i);
      return body(i, now, elements_at(own_arrays, place(j, own_count)));
    };
    std::vector<Value> outputs;
    for (const Expr& x : make_loop(op::fori, own_count, own_states, step, at))
      outputs.push_back((outputs.size() < states.size() ? x : filled_up(x, length)).value());
    return call_recomputing(parameters, outputs, arguments);
  }

  static Shape from_zero(const Expr& x) { return Shape(x.shape().size(), Dim(0)); }
  static Shape by_ones(const Expr& x) { return Shape(x.shape().size(), Dim(1)); }

  static Expr rows_of(const Expr& all, const Expr& from, const Expr& count) {
    Shape start = from_zero(all), shape = all.shape();
    start[0] = Dim::value(from.value());
    shape[0] = Dim::value(count.value());
    return slice(all, start, shape, by_ones(all));
  }
  static Expr filled_up(const Expr& rows, const Expr& every) {
    Shape shape = rows.shape();
    shape[0] = Dim::value(every.value());
    const Expr none = full(shape, cast(constant(std::int64_t{0}, DType::int64), rows.dtype()));
    return set_slice(none, rows, from_zero(rows), rows.shape(), by_ones(rows));
  }
  // Rows of parts, of the steps that were made.
  Expr joined(const Expr& rows) const {
    Shape shape(rows.shape().begin() + 1, rows.shape().end());
    shape[0] = rows.dim(0) * shape[0];
    const Expr all = reshape(rows, shape);
    return rows_of(all, constant(std::int64_t{0}, DType::int64), steps);
  }
};

// The root of the number of steps, at least 1.
Expr root_of(const Expr& steps) {
  return maximum(cast(ceil(sqrt(cast(steps, DType::float64))), DType::int64), 1);
}

std::vector<Expr> run_counted(const char* who, const Counted& loop, States initial,
                              const LoopOptions& options) {
  const std::int64_t every = options.checkpoint_every;
  if (every == 0) return loop.run(initial);
  if (every < 0 && every != LoopOptions::root)
    throw ValueError(
        fmt::format("{}: expected checkpoint_every to be 0 or more, found {}", who, every));
  return loop.run_in_parts(initial,
                           every == LoopOptions::root ? root_of(loop.steps) : Expr(Array(every)));
}

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

}  // namespace

std::vector<Expr> fori(const Arg& count, std::span<const Expr> initial, const LoopBody& body,
                       const LoopOptions& options) {
  const Expr steps = cast(Expr(count.as(DType::int64)), DType::int64);
  const ScanBody checked = [&](const Expr& i, States states, States) {
    std::vector<Expr> after = body(i, states);
    if (after.size() != states.size())
      throw TypeError(fmt::format("fori: expected {} states from the body, found {}", states.size(),
                                  after.size()));
    return after;
  };
  const bool whole = options.checkpoint_every == 0;
  return run_counted("fori", {whole ? steps : steps_of(steps), {}, checked, count.origin()},
                     initial, options);
}

std::vector<Expr> scan(const Arg& count, std::span<const Expr> initial, const Sequences& sequences,
                       const ScanBody& body, const LoopOptions& options) {
  const Expr steps = steps_of(cast(Expr(count.as(DType::int64)), DType::int64));
  const ScanBody checked = [&](const Expr& i, States states, States elements) {
    std::vector<Expr> after = body(i, states, elements);
    if (after.size() < states.size())
      throw TypeError(fmt::format("scan: expected {} states and more from the body, found {}",
                                  states.size(), after.size()));
    return after;
  };
  const Sequences over = of_length(sequences, Dim::value(steps.value()));
  return run_counted("scan", {steps, over, checked, count.origin()}, initial, options);
}

std::vector<Expr> scan(const Arg& count, std::span<const Expr> initial, const LoopBody& body,
                       const LoopOptions& options) {
  return scan(
      count, initial, Sequences{},
      [&](const Expr& i, States states, States) { return body(i, states); }, options);
}

WhileResults while_loop(const Arg& begins, std::span<const Expr> initial, const WhileStep& step,
                        const std::optional<Arg>& most) {
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
  const std::vector<Expr> found =
      make_loop(op::while_loop, count, first, built_by(counted, check), begins.origin());
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

std::vector<Expr> while_loop(std::span<const Expr> initial,
                             const std::function<Expr(std::span<const Expr>)>& condition,
                             const std::function<std::vector<Expr>(std::span<const Expr>)>& body) {
  const WhileStep step = [&](const Expr&, States states) {
    std::vector<Expr> after = body(states);
    if (after.size() != initial.size())
      throw TypeError(fmt::format("while_loop: expected {} states from the body, found {}",
                                  initial.size(), after.size()));
    after.insert(after.begin(), condition(after));
    return after;
  };
  return while_loop(condition(initial), initial, step).states;
}

}  // namespace gnomon
