// Calls of graphs, with derivative rules of their own or those of their bodies.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> call_type(TypeContext& context) {
  return body_output_types(context, context.attributes[0].body(), context.operands, 0);
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
              std::vector<bool>(body->outputs.size(), true), false)
        .body;
  };
  const bool guarded = b.runs.defined() && !call.has_rules();
  if (guarded) operands.push_back(b.runs), flags.push_back(true);
  const std::vector<bool> outputs(call.body->outputs.size(), call.has_rules());
  return outputs_of(
      op::call, operands,
      {Attribute(b.body(call.body, flags, outputs, guarded).body), Attribute(batched(call.vjp)),
       Attribute(batched(call.jvp)), Attribute(call.recompute)});
}

}  // namespace

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
  const std::vector<Expr> found = [&] {
    const OriginPause pause;  // the user's lines count in the rule
    return rule(x, y, directions);
  }();
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
