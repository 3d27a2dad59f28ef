// Ops with bodies: counted loops with their derivatives, and calls.
#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/body.h"
#include "stdlib/ops.h"
#include "stdlib/rules.h"

namespace gnomon {

namespace {

using Step = std::function<std::vector<Expr>(Expr, std::span<const Expr>)>;

// A fori node's parts. Operands: the count, the initial states, the captured values.
struct Loop {
  const Body& body;
  std::size_t states;
  bool trace;
  explicit Loop(const Attributes& a)
      : body(a[0].body()), states(static_cast<std::size_t>(a[1].integer())), trace(a[2].flag()) {}
};

std::vector<Type> fori_type(TypeContext& context) {
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
      context.fail(fmt::format("expected state {} to stay {}, found {} after a step", k,
                               describe(context.operands[1 + k]), after[k].text()));
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

bool has_derivative(const Expr& x) { return is_float(x.dtype()); }

// The states before each step, stacked: of the node itself when it keeps them.
std::vector<Expr> traces_of(const Node& node, const std::vector<Expr>& y, const Loop& loop) {
  const auto first = static_cast<std::ptrdiff_t>(loop.states);
  if (loop.trace) return {y.begin() + first, y.end()};
  Attributes attributes = node.attributes();
  attributes[2] = Attribute(true);
  std::vector<Value> operands(node.operands().begin(), node.operands().end());
  // A count below 0 means no step, but it is no extent.
  if (!constant_value(operands[0])) operands[0] = maximum(Expr(operands[0]), 0);
  const std::vector<Expr> all =
      outputs_of(make_node(node.op(), std::move(operands), std::move(attributes)));
  return {all.begin() + first, all.end()};
}

// The cotangents that enter the last step: those of the float states, then 0 for the float values
// that are captured.
std::vector<Expr> initial_cotangents(const Vjp& v, const Loop& loop) {
  std::vector<Expr> initial;
  for (std::size_t k = 0; k < loop.states; ++k) {
    if (has_derivative(v.y[k])) initial.push_back(or_zeros(v.dy[k], v.y[k]));
  }
  for (std::size_t k = 1 + loop.states; k < v.x.size(); ++k) {
    if (has_derivative(v.x[k])) initial.push_back(zeros_like(v.x[k]));
  }
  return initial;
}

// Backwards over the steps, from the states that the forward loop kept: cotangents of the states
// are states, those of captured values add up.
Exprs fori_vjp(const Vjp& v) {
  const Loop loop(v.node.attributes());
  const std::vector<Expr> traces = traces_of(v.node, v.y, loop);
  const Body body = v.bodies->vjp(loop.body);
  const Step step = [&](Expr j, std::span<const Expr> cotangents) {
    const Expr i = v.x[0] - 1 - j;
    const Index here[] = {Index(i)};
    std::vector<Expr> arguments = {i};
    for (const Expr& trace : traces) arguments.push_back(index(trace, here));
    arguments.insert(arguments.end(), v.x.begin() + 1 + static_cast<std::ptrdiff_t>(loop.states),
                     v.x.end());
    std::size_t floats = 0;
    for (std::size_t k = 0; k < loop.states; ++k) {
      if (has_derivative(v.y[k])) arguments.push_back(cotangents[floats++]);
    }
    std::vector<Expr> before = apply_body(body, arguments);
    std::size_t next = 0;
    for (std::size_t k = 0; k < loop.states; ++k) {
      if (!has_derivative(v.y[k])) continue;
      if (loop.trace && v.dy[loop.states + k]) {
        before[next] = before[next] + index(v.dy[loop.states + k], here);
      }
      ++next;
    }
    for (; next < before.size(); ++next) before[next] = before[next] + cotangents[next];
    return before;
  };
  const std::vector<Expr> found = make_loop(v.x[0], initial_cotangents(v, loop), step, false);
  Exprs dx(v.x.size());
  std::size_t next = 0;
  for (std::size_t k = 1; k < v.x.size(); ++k) {
    if (has_derivative(v.x[k])) dx[k] = found[next++];
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

// ------------------------------------------------------------------------------------- call, fused

std::vector<Type> call_type(TypeContext& context) {
  return body_output_types(context, context.attributes[0].body(), context.operands);
}

std::vector<Expr> expand_call(const Node& node) {
  const std::vector<Expr> arguments(node.operands().begin(), node.operands().end());
  return apply_body(node.attribute("body").body(), arguments);
}

Exprs call_vjp(const Vjp& v) {
  std::vector<Expr> arguments = v.x;
  for (std::size_t k = 0; k < v.y.size(); ++k) {
    if (has_derivative(v.y[k])) arguments.push_back(or_zeros(v.dy[k], v.y[k]));
  }
  const std::vector<Expr> found =
      apply_body(v.bodies->vjp(v.node.attribute("body").body()), arguments);
  Exprs dx(v.x.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    if (has_derivative(v.x[k])) dx[k] = found[next++];
  }
  return dx;
}

Exprs call_jvp(const Jvp& v) {
  std::vector<Expr> arguments = v.x;
  for (std::size_t k = 0; k < v.x.size(); ++k) {
    if (has_derivative(v.x[k])) arguments.push_back(or_zeros(v.dx[k], v.x[k]));
  }
  const std::vector<Expr> found =
      apply_body(v.bodies->jvp(v.node.attribute("body").body()), arguments);
  Exprs dy(v.y.size());
  std::size_t next = v.y.size();
  for (std::size_t k = 0; k < v.y.size(); ++k) {
    if (has_derivative(v.y[k])) dy[k] = found[next++];
  }
  return dy;
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
    .vjp = fori_vjp,
    .jvp = fori_jvp};

constinit const Op op::call{.name = "call",
                            .doc = "The outputs of a body for the operands.",
                            .operands = -1,
                            .outputs = 0,
                            .attributes = {{"body", Attribute::Kind::body}},
                            .type = call_type,
                            .expand = expand_call,
                            .step = StepKind::call,
                            .vjp = call_vjp,
                            .jvp = call_jvp};

std::vector<Expr> fori(const Arg& count, std::span<const Expr> initial, const Step& body) {
  const Expr steps(count.as(DType::int64));
  return make_loop(cast(steps, DType::int64), initial, body, false, count.origin());
}

OpFromGraph::OpFromGraph(std::span<const Expr> inputs, std::span<const Expr> outputs) {
  const std::vector<Value> parameters(inputs.begin(), inputs.end());
  const std::vector<Value> results(outputs.begin(), outputs.end());
  Closure closure = close_over(parameters, results);
  body_ = std::move(closure.body);
  captured_ = std::move(closure.captured);
}

std::vector<Expr> OpFromGraph::operator()(std::span<const Expr> arguments) const {
  std::vector<Value> operands(arguments.begin(), arguments.end());
  operands.insert(operands.end(), captured_.begin(), captured_.end());
  return outputs_of(make_node(op::call, std::move(operands), {Attribute(body_)}));
}

}  // namespace gnomon
