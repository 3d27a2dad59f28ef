// Identities with a meaning beside their value: barrier, stop_gradient, print, check.
#include <fmt/format.h>

#include "stdlib/batch.h"
#include "stdlib/ops.h"
#include "stdlib/rules.h"

namespace gnomon {

namespace {

std::vector<Type> check_type(TypeContext& context) {
  if (!is_bool(context.type(1).dtype)) {
    context.fail(fmt::format("expected a bool condition, found {}", describe(context.operands[1])));
  }
  return {context.type(0)};
}

// The derivative of operand 0 passes; others have none.
Exprs passed_back(const Vjp& v) {
  Exprs dx(v.x.size());
  dx[0] = v.dy[0];
  return dx;
}

Exprs passed_on(const Jvp& v) { return {v.dx[0]}; }

}  // namespace

constinit const Op op::barrier{
    .name = "barrier",
    .doc =
        "x, opaque to every rule, computed after the other operands; barriers with different k "
        "stay apart.",
    .operands = -1,
    .at_least = 1,
    .attributes = {{"k", Attribute::Kind::integer}},
    .type = same_type,
    .traits = {Trait::opaque_to_rules, Trait::never_fold},
    .element = same_element,
    .vjp = passed_back,
    .jvp = passed_on,
    .batch = batch_identity};

constinit const Op op::stop_gradient{.name = "stop_gradient",
                                     .doc = "x, with derivative 0.",
                                     .type = same_type,
                                     .element = same_element,
                                     .vjp = [](const Vjp&) { return Exprs(1); },
                                     .jvp = [](const Jvp&) { return Exprs(1); },
                                     .batch = batch_identity};

constinit const Op op::undefined_grad{
    .name = "undefined_grad",
    .doc = "x, whose derivative is not defined: an error that names it.",
    .type = same_type,
    .element = same_element,
    .batch = batch_identity};

constinit const Op op::print{.name = "print",
                             .doc = "x, shown with the message each time it is computed.",
                             .attributes = {{"message", Attribute::Kind::string}},
                             .type = same_type,
                             .traits = {Trait::never_fold},
                             .element = same_element,
                             .step = StepKind::print,
                             .vjp = passed_back,
                             .jvp = passed_on,
                             .batch = batch_identity};

constinit const Op op::check{
    .name = "check",
    .doc = "x, after a ValueError with the message if any element of the condition is false.",
    .operands = 2,
    .attributes = {{"message", Attribute::Kind::string}},
    .type = check_type,
    .traits = {Trait::never_fold},
    .element = same_element,
    .step = StepKind::check,
    .vjp = passed_back,
    .jvp = passed_on,
    .batch = batch_identity};

Expr barrier(const Arg& x, std::int64_t k, std::span<const Expr> after) {
  std::vector<Value> operands{x.value()};
  operands.insert(operands.end(), after.begin(), after.end());
  return Expr(make_node(op::barrier, std::move(operands), {Attribute(k)}, x.origin()));
}

Expr undefined_grad(const Arg& x) {
  return Expr(make_node(op::undefined_grad, {x.value()}, {}, x.origin()));
}

Expr stop_gradient(const Arg& x) {
  return Expr(make_node(op::stop_gradient, {x.value()}, {}, x.origin()));
}

Expr print(const Arg& x, std::string message) {
  return Expr(make_node(op::print, {x.value()}, {Attribute(std::move(message))}, x.origin()));
}

Expr check(const Arg& x, const Arg& condition, std::string message) {
  const Expr holds = cast(condition, DType::bool_);
  return Expr(make_node(op::check, {x.value(), holds.value()}, {Attribute(std::move(message))},
                        x.origin()));
}

}  // namespace gnomon
