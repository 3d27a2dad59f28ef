// Ops with bodies: counted loops with their derivatives, and calls.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/bounds.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

using Step = std::function<std::vector<Expr>(Expr, std::span<const Expr>)>;

thread_local std::vector<Expr> open_indices;

// While a body is built, its index is among `loop_indices`.
struct Building {
  explicit Building(const Expr& i) { open_indices.push_back(i); }
  ~Building() { open_indices.pop_back(); }
  Building(const Building&) = delete;
  Building& operator=(const Building&) = delete;
};

// A fori node's parts. Operands: the count, the initial states, the captured values.
struct Loop {
  const Body& body;
  std::size_t states;
  bool trace;
  explicit Loop(const Attributes& a)
      : body(a[0].body()), states(static_cast<std::size_t>(a[1].integer())), trace(a[2].flag()) {}
};

std::vector<Type> fori_type(TypeContext& context) {
  require_between(context, "a number of states", context.attributes[1].integer(), 0,
                  static_cast<std::int64_t>(context.operands.size()) - 1);
  const Loop loop(context.attributes);
  const Type& count = context.type(0);
  if (count.dtype != DType::int64 || count.rank() != 0) {
    context.fail(
        fmt::format("expected a count of type i64, found {}", describe(context.operands[0])));
  }
  if (context.operands.size() < 1 + loop.states || loop.body->outputs.size() != loop.states) {
    context.fail(fmt::format("expected {} states, found {} from the body and {} operands",
                             loop.states, loop.body->outputs.size(), context.operands.size()));
  }
  std::vector<Value> arguments(context.operands.begin(), context.operands.end());
  arguments[0] = scalar("i", DType::int64).value();
  const std::vector<Type> after = body_output_types(context, loop.body, arguments);
  std::vector<Type> types;
  for (std::size_t k = 0; k < loop.states; ++k) {
    Type state = context.type(1 + k);
    bool fits = after[k].dtype == state.dtype && after[k].rank() == state.rank();
    for (std::size_t i = 0; fits && i < state.shape.size(); ++i) {
      const Dim &a = state.shape[i], &b = after[k].shape[i];
      fits = a == b || !a.is_constant() || !b.is_constant();
    }
    if (!fits) {
      const std::string text = fmt::format("expected state {} to stay {}, found {} after a step", k,
                                           describe(context.operands[1 + k]), after[k].text());
      after[k].dtype != state.dtype ? context.fail(text) : context.refuse(text);
    }
    for (std::size_t i = 0; i < state.shape.size(); ++i) {
      context.equal(state.shape[i], after[k].shape[i], "extents of a state");
    }
    types.push_back(std::move(state));
  }
  if (loop.trace) {
    for (std::size_t k = 0; k < loop.states; ++k) {
      Type traced = types[k];
      traced.shape.insert(traced.shape.begin(), Dim::value(context.operands[0]));
      types.push_back(std::move(traced));
    }
  }
  return types;
}

// The states are operands from 1 on, results from 0 on, and all outputs of the body.
std::vector<Region> fori_regions(const Node& node) {
  const Loop loop(node.attributes());
  Region region{.body = 0, .count = 0, .states = 1, .parameters = {{}}};
  for (std::size_t k = 0; k < loop.states; ++k) {
    region.parameters.push_back({.operand = 1 + k, .next = k});
    if (loop.trace) region.parameters.back().trace = loop.states + k;
    region.results.push_back(k);
  }
  for (std::size_t k = 1 + loop.states; k < node.operands().size(); ++k)
    region.parameters.push_back({.operand = k});
  return {std::move(region)};
}

std::vector<Expr> outputs_of(const Value& first) {
  std::vector<Expr> outputs;
  for (std::uint32_t i = 0; i < first.node().output_count(); ++i) {
    outputs.emplace_back(Value(first.get(), i));
  }
  return outputs;
}

// Builds the loop: final states, then the traces if asked for.
std::vector<Expr> make_loop(const Expr& count, std::span<const Expr> initial, const Step& step,
                            bool trace, Origin at = {}) {
  const Expr i = scalar("i", DType::int64);
  std::vector<Value> parameters = {i.value()};
  std::vector<Expr> states;
  for (const Expr& x : initial) {
    states.push_back(tensor(fmt::format("state{}", states.size()), x.dtype(), x.shape()));
    parameters.push_back(states.back().value());
  }
  std::vector<Value> after;
  for (const Expr& x : step(i, states)) after.push_back(x.value());
  if (after.size() != initial.size()) {
    throw TypeError(fmt::format("fori: expected {} states from the body, found {}", initial.size(),
                                after.size()));
  }
  const Closure closure = close_over(parameters, after);
  std::vector<Value> operands = {count.value()};
  operands.insert(operands.end(), initial.begin(), initial.end());
  operands.insert(operands.end(), closure.captured.begin(), closure.captured.end());
  return outputs_of(
      make_node(op::fori, std::move(operands),
                {Attribute(closure.body), Attribute(static_cast<std::int64_t>(initial.size())),
                 Attribute(trace)},
                at));
}

bool has_derivative(const Expr& x) { return is_inexact(x.dtype()); }

// How many steps a loop makes: a count below 0 means none, but it is no extent.
Expr steps_of(const Expr& count) {
  return is_non_negative(Dim::value(count.value())) ? count : maximum(count, 0);
}

// The states before each step, stacked: of the node itself when it keeps them.
std::vector<Expr> traces_of(const Node& node, const std::vector<Expr>& y, const Loop& loop) {
  const auto first = static_cast<std::ptrdiff_t>(loop.states);
  if (loop.trace) return {y.begin() + first, y.end()};
  Attributes attributes = node.attributes();
  attributes[2] = Attribute(true);
  std::vector<Value> operands(node.operands().begin(), node.operands().end());
  operands[0] = steps_of(Expr(operands[0]));
  const std::vector<Expr> all =
      outputs_of(make_node(node.op(), std::move(operands), std::move(attributes)));
  return {all.begin() + first, all.end()};
}

// The operands whose cotangents go from step to step: what is asked for, and the states that come
// to depend on that. The others have no part in it.
std::vector<bool> carried_backwards(const Vjp& v, const Loop& loop) {
  const std::vector<const Node*> order = loop.body->topological_order();
  std::vector<bool> carried(v.x.size());
  for (std::size_t k = 1; k < v.x.size(); ++k) carried[k] = has_derivative(v.x[k]) && v.wants(k);
  for (std::vector<bool> before; before != carried;) {
    before = carried;
    std::unordered_set<Value, ValueHash> params;
    for (const Node* node : order)
      if (&node->op() == &op::param && carried[param_index(*node)]) params.emplace(node, 0);
    const std::unordered_set<const Node*> dependent = dependents(order, params);
    for (std::size_t k = 0; k < loop.states; ++k) {
      const Value& next = loop.body->outputs[k];
      if (has_derivative(v.y[k]) && (params.contains(next) || dependent.contains(next.get())))
        carried[1 + k] = true;
    }
  }
  return carried;
}

// The cotangents that enter the last step: those of states, then 0 for values that are captured.
std::vector<Expr> initial_cotangents(const Vjp& v, const Loop& loop,
                                     const std::vector<bool>& carried) {
  std::vector<Expr> initial;
  for (std::size_t k = 1; k < v.x.size(); ++k) {
    if (!carried[k]) continue;
    initial.push_back(k <= loop.states ? or_zeros(v.dy[k - 1], v.y[k - 1]) : zeros_like(v.x[k]));
  }
  return initial;
}

// Backwards over the steps, from the states that the forward loop kept: cotangents of the states
// are states, those of captured values add up. Values that nothing is asked for have neither.
Exprs fori_vjp(const Vjp& v) {
  const Loop loop(v.node.attributes());
  const std::vector<Expr> traces = traces_of(v.node, v.y, loop);
  const std::vector<bool> carried = carried_backwards(v, loop);
  const Body body = v.bodies->vjp(loop.body, carried);
  const Expr last = steps_of(v.x[0]) - 1;
  const Step step = [&](Expr j, std::span<const Expr> cotangents) {
    const Expr i = last - j;
    const Index here[] = {Index(i)};
    std::vector<Expr> arguments = {i};
    for (const Expr& trace : traces) arguments.push_back(index(trace, here));
    arguments.insert(arguments.end(), v.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states),
                     v.x.end());
    std::size_t states = 0;
    for (std::size_t k = 0; k < loop.states; ++k) {
      if (!has_derivative(v.y[k])) continue;
      arguments.push_back(carried[1 + k] ? cotangents[states++] : zeros_like(v.y[k]));
    }
    std::vector<Expr> before = apply_body(body, arguments);
    std::size_t next = 0;
    for (std::size_t k = 0; k < loop.states; ++k) {
      if (!carried[1 + k]) continue;
      if (loop.trace && v.dy[loop.states + k].defined()) {
        before[next] = before[next] + index(v.dy[loop.states + k], here);
      }
      ++next;
    }
    for (; next < before.size(); ++next) before[next] = before[next] + cotangents[next];
    return before;
  };
  const std::vector<Expr> found =
      make_loop(v.x[0], initial_cotangents(v, loop, carried), step, false);
  Exprs dx(v.x.size());
  std::size_t next = 0;
  for (std::size_t k = 1; k < v.x.size(); ++k) {
    if (carried[k]) dx[k] = found[next++];
  }
  return dx;
}

// The same loop with the tangents of float states as further states.
Exprs fori_jvp(const Jvp& v) {
  const Loop loop(v.node.attributes());
  const Body body = v.bodies->jvp(loop.body);
  std::vector<Expr> initial(v.x.begin() + 1,
                            v.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states));
  std::vector<Expr> captured_tangents;
  for (std::size_t k = 1; k < v.x.size(); ++k) {
    if (!has_derivative(v.x[k])) continue;
    (k <= loop.states ? initial : captured_tangents).push_back(or_zeros(v.dx[k], v.x[k]));
  }
  const Step step = [&](Expr i, std::span<const Expr> states) {
    std::vector<Expr> arguments = {i};
    arguments.insert(arguments.end(), states.begin(),
                     states.begin() + static_cast<std::ptrdiff_t>(loop.states));
    arguments.insert(arguments.end(), v.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states),
                     v.x.end());
    arguments.insert(arguments.end(), states.begin() + static_cast<std::ptrdiff_t>(loop.states),
                     states.end());
    arguments.insert(arguments.end(), captured_tangents.begin(), captured_tangents.end());
    return apply_body(body, arguments);
  };
  const std::vector<Expr> found = make_loop(v.x[0], initial, step, loop.trace);
  Exprs dy;
  for (std::size_t half = 0; half < (loop.trace ? 2u : 1u); ++half) {
    std::size_t next = half * initial.size() + loop.states;
    for (std::size_t k = 0; k < loop.states; ++k) {
      dy.push_back(has_derivative(v.y[k]) ? found[next++] : Expr());
    }
  }
  return dy;
}

// The largest of the counts of all examples; 0 of none.
Expr largest_count(const Expr& counts) {
  const Expr none = full({Dim(1)}, constant(std::int64_t{0}, DType::int64));
  return max(concatenate({none, counts}));
}

// One loop for all examples. A state that differs between them, or comes to, has their axis. Where
// the counts differ, it runs as often as the largest one asks for, and the states of an example
// that is done stay. The traces of such a loop have rows that no step of theirs reads.
Exprs fori_batch(const Batched& b) {
  const Loop loop(b.attributes);
  const auto first = b.x.begin() + 1;
  const auto captured = first + static_cast<std::ptrdiff_t>(loop.states);
  const bool counted = b.batched[0];
  std::vector<bool> flags = b.batched;
  flags[0] = false;
  BatchedBody body;
  for (std::vector<bool> states;; states = body.outputs) {
    for (std::size_t k = 0; k < loop.states; ++k)
      flags[1 + k] = flags[1 + k] || counted || (!states.empty() && states[k]);
    states.assign(flags.begin() + 1, flags.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states));
    body = b.body(loop.body, flags, states);
    if (body.outputs == states) break;
  }
  std::vector<Expr> initial;
  for (std::size_t k = 0; k < loop.states; ++k)
    initial.push_back(flags[1 + k] ? leading(b, 1 + k) : b.x[1 + k]);
  const Step step = [&](Expr i, std::span<const Expr> states) {
    std::vector<Expr> arguments{i};
    arguments.insert(arguments.end(), states.begin(), states.end());
    arguments.insert(arguments.end(), captured, b.x.end());
    std::vector<Expr> after = apply_body(body.body, arguments);
    if (!counted) return after;
    Expr runs = less(i, b.x[0]);
    for (std::size_t k = 0; k < after.size(); ++k) {
      Shape shape(after[k].shape().size(), Dim(1));
      shape[0] = b.size;
      after[k] = where(reshape(runs, shape), after[k], states[k]);
    }
    return after;
  };
  const Expr count = counted ? largest_count(b.x[0]) : b.x[0];
  Exprs found = make_loop(count, initial, step, loop.trace);
  for (std::size_t k = loop.states; k < found.size(); ++k)
    if (flags[1 + k - loop.states]) found[k] = move_axis(found[k], 1, 0);
  return found;
}

// ------------------------------------------------------------------------------------- call, fused

std::vector<Type> call_type(TypeContext& context) {
  return body_output_types(context, context.attributes[0].body(), context.operands);
}

std::vector<Region> call_regions(const Node& node) {
  Region region{.body = 0};
  for (std::size_t k = 0; k < node.operands().size(); ++k)
    region.parameters.push_back({.operand = k});
  for (std::size_t k = 0; k < node.output_count(); ++k) region.results.push_back(k);
  return {std::move(region)};
}

// A call's parts. A rule that is absent is a body without outputs.
struct Call {
  const Body &body, &vjp, &jvp;
  bool recompute;
  explicit Call(const Attributes& a)
      : body(a[0].body()), vjp(a[1].body()), jvp(a[2].body()), recompute(a[3].flag()) {}
  explicit Call(const Node& node) : Call(node.attributes()) {}
  bool has_rules() const { return !vjp->outputs.empty() || !jvp->outputs.empty(); }
};

Body no_body() { return make_body({}, {}); }

// The floats among `of` that are wanted, in order, as one list has them; none for zeros, which an
// infinite derivative may not meet.
Exprs at_floats(const std::vector<Expr>& of, const std::vector<Expr>& floats,
                const std::vector<bool>& wanted = {}) {
  Exprs all(of.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < of.size(); ++k) {
    if (!has_derivative(of[k]) || !is_wanted(wanted, k)) continue;
    const Expr& found = floats[next++];
    if (constant_value(found) != 0.0) all[k] = found;
  }
  return all;
}

// x, y and a direction for each float of `of`.
std::vector<Expr> rule_arguments(const std::vector<Expr>& x, const std::vector<Expr>& y,
                                 const std::vector<Expr>& of, const Exprs& directions) {
  std::vector<Expr> arguments = x;
  arguments.insert(arguments.end(), y.begin(), y.end());
  for (std::size_t k = 0; k < of.size(); ++k)
    if (has_derivative(of[k])) arguments.push_back(or_zeros(directions[k], of[k]));
  return arguments;
}

// The outputs of a rule, one for each float of `of`.
std::vector<Expr> apply_rule(const char* name, const Body& rule, const std::vector<Expr>& arguments,
                             const std::vector<Expr>& of) {
  const auto fits = [](const Parameter& p, const Expr& x) {
    return p.type.dtype == x.dtype() && p.type.rank() == x.rank();
  };
  const auto floats = static_cast<std::size_t>(std::ranges::count_if(of, has_derivative));
  if (rule->outputs.size() != floats || !std::ranges::equal(rule->parameters, arguments, fits))
    throw TypeError(
        fmt::format("call: expected a {} rule of {} arguments, as they are, and {} "
                    "results, found one of {} and {}",
                    name, arguments.size(), floats, rule->parameters.size(), rule->outputs.size()));
  return apply_checked_body(rule, arguments);
}

[[noreturn]] void fail_one_way(const char* asked, const char* given) {
  throw TypeError(
      fmt::format("{}: expected a rule for this direction, found an operation with a "
                  "{} rule of its own only",
                  asked, given));
}

std::vector<Expr> expand_call(const Node& node) {
  const std::vector<Expr> arguments(node.operands().begin(), node.operands().end());
  return apply_body(node.attribute("body").body(), arguments);
}

Exprs call_vjp(const Vjp& v) {
  const Call call(v.node);
  if (!call.vjp->outputs.empty())
    return at_floats(v.x, apply_rule("vjp", call.vjp, rule_arguments(v.x, v.y, v.y, v.dy), v.x));
  if (!call.jvp->outputs.empty()) fail_one_way("vjp", "jvp");
  std::vector<Expr> cotangents = rule_arguments({}, {}, v.y, v.dy);
  std::vector<Expr> arguments = call.recompute ? behind_barriers(v.x, cotangents) : v.x;
  arguments.insert(arguments.end(), cotangents.begin(), cotangents.end());
  return at_floats(v.x, apply_body(v.bodies->vjp(call.body, v.wanted), arguments), v.wanted);
}

Exprs call_jvp(const Jvp& v) {
  const Call call(v.node);
  if (!call.jvp->outputs.empty())
    return at_floats(v.y, apply_rule("jvp", call.jvp, rule_arguments(v.x, v.y, v.x, v.dx), v.y));
  if (!call.vjp->outputs.empty()) fail_one_way("jvp", "vjp");
  const std::vector<Expr> found =
      apply_body(v.bodies->jvp(call.body), rule_arguments(v.x, {}, v.x, v.dx));
  return at_floats(v.y, {found.begin() + static_cast<std::ptrdiff_t>(v.y.size()), found.end()});
}

// The body for a batch. A rule knows nothing of values that are the same for all examples: it gets
// all of them with the axis of examples, and what repeated them adds up their cotangents.
Exprs call_batch(const Batched& b) {
  const Call call(b.attributes);
  std::vector<Expr> operands = b.x;
  std::vector<bool> flags = b.batched;
  if (call.has_rules())
    for (std::size_t k = 0; k < operands.size(); ++k) operands[k] = leading(b, k), flags[k] = true;
  const auto batched = [&](const Body& body) {
    if (body->outputs.empty()) return body;
    return b
        .body(body, std::vector<bool>(body->parameters.size(), true),
              std::vector<bool>(body->outputs.size(), true))
        .body;
  };
  const std::vector<bool> outputs(call.body->outputs.size(), call.has_rules());
  return outputs_of(
      op::call, operands,
      {Attribute(b.body(call.body, flags, outputs).body), Attribute(batched(call.vjp)),
       Attribute(batched(call.jvp)), Attribute(call.recompute)});
}

}  // namespace

constinit const Op op::fori{
    .name = "fori",
    .doc =
        "States after `count` steps of the body (index, states, captured values) -> states; none "
        "when the count is not positive. With `trace` also each state before each step.",
    .operands = -1,
    .at_least = 1,
    .outputs = 0,
    .attributes = {{"body", Attribute::Kind::body},
                   {"states", Attribute::Kind::integer},
                   {"trace", Attribute::Kind::flag}},
    .type = fori_type,
    .step = StepKind::loop,
    .regions = fori_regions,
    .vjp = fori_vjp,
    .jvp = fori_jvp,
    .batch = fori_batch};

constinit const Op op::call{.name = "call",
                            .doc =
                                "The outputs of a body for the operands. Bodies of derivatives "
                                "that have outputs are rules in the place of its own; with "
                                "`recompute` the derivative keeps the operands alone.",
                            .operands = -1,
                            .outputs = 0,
                            .attributes = {{"body", Attribute::Kind::body},
                                           {"vjp", Attribute::Kind::body},
                                           {"jvp", Attribute::Kind::body},
                                           {"recompute", Attribute::Kind::flag}},
                            .type = call_type,
                            .expand = expand_call,
                            .step = StepKind::call,
                            .regions = call_regions,
                            .vjp = call_vjp,
                            .jvp = call_jvp,
                            .batch = call_batch};

std::vector<Expr> behind_barriers(std::span<const Expr> x, std::span<const Expr> cotangents) {
  std::vector<Expr> waiting;
  for (const Expr& each : x) waiting.push_back(barrier(each, 0, cotangents));
  return waiting;
}

std::span<const Expr> loop_indices() { return open_indices; }

std::vector<Expr> fori(const Arg& count, std::span<const Expr> initial, const Step& body) {
  const Expr steps(count.as(DType::int64));
  const Step known = [&](const Expr& i, std::span<const Expr> states) {
    const Building building(i);
    return body(i, states);
  };
  return make_loop(cast(steps, DType::int64), initial, known, false, count.origin());
}

namespace {

std::vector<Expr> leaves_like(std::span<const Expr> list, const char* name) {
  std::vector<Expr> leaves;
  for (const Expr& e : list)
    leaves.push_back(tensor(fmt::format("{}{}", name, leaves.size()), e.dtype(), e.shape()));
  return leaves;
}

std::vector<Expr> only_floats(std::span<const Expr> list) {
  std::vector<Expr> floats;
  for (const Expr& e : list)
    if (has_derivative(e)) floats.push_back(e);
  return floats;
}

// What the rule `who` gave for `wanted`, whose type it must have; extents of 1, and axes before it
// has any, stretch.
Expr as_ruled(const std::string& who, const Expr& given, const Expr& wanted) {
  const std::string text = fmt::format("{}: expected a value of the type of {}, found {}", who,
                                       describe(wanted.value()), describe(given.value()));
  if (given.dtype() != wanted.dtype()) throw TypeError(text);
  const Shape &from = given.shape(), &to = wanted.shape();
  if (from == to) return given;
  if (from.size() > to.size()) throw ValueError(text);
  Shape fitting(to.end() - static_cast<std::ptrdiff_t>(from.size()), to.end());
  for (std::size_t i = 0; i < from.size(); ++i)
    if (from[i].is(1)) fitting[i] = 1;
  return broadcast_to(shaped(given, fitting, text), to);
}

// A rule as a body: of inputs, outputs and directions along the floats of `from`, to one value for
// each float of `to`.
Body rule_body(const std::string& who, const OpFromGraphOptions::Rule& rule,
               std::span<const Expr> x, std::span<const Expr> outputs, std::span<const Expr> from,
               std::span<const Expr> to) {
  if (!rule) return no_body();
  const std::vector<Expr> y = leaves_like(outputs, "y");
  const std::vector<Expr> directions = leaves_like(only_floats(from), "d");
  const std::vector<Expr> wanted = only_floats(to);
  const std::vector<Expr> found = rule(x, y, directions);
  if (found.size() != wanted.size())
    throw TypeError(
        fmt::format("{}: expected {} values, found {}", who, wanted.size(), found.size()));
  std::vector<Value> results, parameters(x.begin(), x.end());
  for (std::size_t k = 0; k < found.size(); ++k) {
    results.push_back(as_ruled(who, or_zeros(found[k], wanted[k]), wanted[k]));
  }
  parameters.insert(parameters.end(), y.begin(), y.end());
  parameters.insert(parameters.end(), directions.begin(), directions.end());
  Closure closure = close_over(parameters, results, Symbols::of_parameters);
  if (!closure.captured.empty())
    throw TypeError(
        fmt::format("{}: expected a rule of the inputs and outputs alone, found one that needs {}",
                    who, describe(closure.captured[0])));
  return std::move(closure.body);
}

}  // namespace

OpFromGraph::OpFromGraph(std::span<const Expr> inputs, std::span<const Expr> outputs,
                         const OpFromGraphOptions& options) {
  const std::vector<Value> parameters(inputs.begin(), inputs.end());
  const std::vector<Value> results(outputs.begin(), outputs.end());
  Closure closure = close_over(parameters, results, Symbols::of_parameters);
  captured_ = std::move(closure.captured);
  if ((options.vjp || options.jvp) && !captured_.empty())
    throw TypeError(
        fmt::format("{}: expected all that an operation with rules of its own depends on among its "
                    "inputs, found that it needs {}",
                    options.name, describe(captured_[0])));
  attributes_ = {Attribute(closure.body),
                 Attribute(rule_body(options.name + ": vjp rule", options.vjp, inputs, outputs,
                                     outputs, inputs)),
                 Attribute(rule_body(options.name + ": jvp rule", options.jvp, inputs, outputs,
                                     inputs, outputs)),
                 Attribute(options.recompute)};
}

std::vector<Expr> OpFromGraph::operator()(std::span<const Expr> arguments) const {
  if (attributes_.empty())
    throw TypeError("OpFromGraph: expected a graph, found none: never set, or moved from");
  std::vector<Expr> operands(arguments.begin(), arguments.end());
  for (const Value& each : captured_) operands.emplace_back(each);
  return outputs_of(op::call, operands, attributes_);
}

}  // namespace gnomon
