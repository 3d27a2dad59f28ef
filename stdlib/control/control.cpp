// Identities with a meaning beside their value: barrier, stop_gradient, print, check, transfer.
#include <fmt/format.h>

#include <algorithm>

#include "ir/graph/leaf.h"
#include "runtime/breakpoints.h"
#include "runtime/device/device_name.h"
#include "runtime/error.h"
#include "stdlib/batch.h"
#include "stdlib/control/devices_of_values.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

std::vector<Type> check_type(TypeContext& context) {
  const Type& condition = context.type(1);
  if (!is_bool(condition.dtype)) {
    context.fail(fmt::format("expected a bool condition, found {}", describe(context.operands[1])));
  }
  if (context.operands.size() == 2) return {context.type(0)};
  if (context.operands.size() != 4)
    context.fail(fmt::format("expected 2 or 4 operands, found {}", context.operands.size()));
  for (std::size_t k = 2; k < 4; ++k) {
    const Type& number = context.type(k);
    if (number.dtype != DType::int64)
      context.fail(fmt::format("expected int64, found {}", describe(context.operands[k])));
    if (number.rank() == 0) continue;
    if (number.rank() != condition.rank())
      context.refuse(fmt::format("expected numbers of the shape of {}, found {}",
                                 describe(context.operands[1]), describe(context.operands[k])));
    for (std::size_t i = 0; i < condition.shape.size(); ++i)
      context.equal(number.shape[i], condition.shape[i], "extents");
  }
  return {context.type(0)};
}

// A condition, and the numbers it is about, differ between examples together.
Exprs check_batch(const Batched& b) {
  std::vector<Expr> operands{leading(b, 0)};
  const bool any = std::find(b.batched.begin() + 1, b.batched.end(), true) != b.batched.end();
  for (std::size_t k = 1; k < b.x.size(); ++k) operands.push_back(any ? leading(b, k) : b.x[k]);
  for (std::size_t k = 2; any && k < b.x.size(); ++k) {
    Expr& number = operands[k];
    while (number.rank() < operands[1].rank()) number = expand_dims(number, number.rank());
    number = broadcast_to(number, operands[1].shape());
  }
  return outputs_of(op::check, operands, b.attributes);
}

std::vector<Type> breakpoint_type(TypeContext& context) {
  const Type &condition = context.type(1), &callback = context.type(2);
  if (!is_bool(condition.dtype) || condition.rank() != 0)
    context.fail(fmt::format("expected a condition that is one bool, found {}",
                             describe(context.operands[1])));
  if (callback.dtype != DType::int64 || callback.rank() != 0)
    context.fail(
        fmt::format("expected a callback's number, found {}", describe(context.operands[2])));
  return {context.type(0)};
}

// The callback gets the whole batch, if the condition of any example is true.
Exprs breakpoint_batch(const Batched& b) {
  const Expr condition = b.batched[1] ? any(b.x[1]) : b.x[1];
  return outputs_of(op::breakpoint, std::vector<Expr>{leading(b, 0), condition, b.x[2]},
                    b.attributes);
}

// ------------------------------------------------------------------------------------------ shaped

std::vector<Type> shaped_type(TypeContext& context) {
  const Type& x = context.type(0);
  const Shape& wanted = context.attributes[0].dims();
  const Shape &left = context.attributes[1].dims(), &right = context.attributes[2].dims();
  const std::string& message = context.attributes[3].string();
  if (x.shape.size() != wanted.size() || left.size() != right.size()) throw ValueError(message);
  for (std::size_t i = 0; i < wanted.size(); ++i)
    context.require_as(x.shape[i], wanted[i], {message});
  for (std::size_t i = 0; i < left.size(); ++i) context.require_as(left[i], right[i], {message});
  return {Type{x.dtype, wanted}};
}

Exprs shaped_batch(const Batched& b) {
  Shape shape = b.attributes[0].dims();
  shape.insert(shape.begin(), b.size);
  Attributes attributes = b.attributes;
  attributes[0] = Attribute(std::move(shape));
  return outputs_of(op::shaped, {leading(b, 0)}, std::move(attributes));
}

// Graphs come from files, too.
std::vector<Type> transfer_type(TypeContext& context) {
  const std::string& device = context.attributes[0].string();
  if (!device.empty() && device_named(device).text() != device)
    context.refuse(fmt::format("expected a device as \"cuda:1\", found \"{}\"", device));
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

constinit const Op op::breakpoint{
    .name = "breakpoint",
    .doc =
        "x, of `dtype`, after a callback of the host, by its number, got it if the condition is "
        "true.",
    .operands = 3,
    .attributes = {{"dtype", Attribute::Kind::integer}},
    .type = breakpoint_type,
    .traits = {Trait::never_fold},
    .element = same_element,
    .step = StepKind::print,
    .vjp = passed_back,
    .jvp = passed_on,
    .batch = breakpoint_batch};

constinit const Op op::check{
    .name = "check",
    .doc =
        "x, after a ValueError with the message if any element of the condition is false; an "
        "IndexError that tells an index and its bound if these are given.",
    .operands = -1,
    .at_least = 2,
    .attributes = {{"message", Attribute::Kind::string}},
    .type = check_type,
    .traits = {Trait::never_fold},
    .element = same_element,
    .step = StepKind::check,
    .vjp = passed_back,
    .jvp = passed_on,
    .batch = check_batch};

constinit const Op op::indices{
    .name = "indices",
    .doc = "x, whose elements serve as indices: an IndexError of one out of range has the message.",
    .attributes = {{"message", Attribute::Kind::string}},
    .type = same_type,
    .element = same_element,
    .vjp = passed_back,
    .jvp = passed_on,
    .batch = batch_identity};

constinit const Op op::shaped{
    .name = "shaped",
    .doc = "x, whose extents must be `shape`, and `left` be `right`; else the message says so.",
    .attributes = {{"shape", Attribute::Kind::dim_list},
                   {"left", Attribute::Kind::dim_list},
                   {"right", Attribute::Kind::dim_list},
                   {"message", Attribute::Kind::string}},
    .type = shaped_type,
    .element = same_element,
    .linear = 1,
    .transpose = [](const Transpose& t) { return gnomon::reshape(t.dy, t.x[0].shape()); },
    .batch = shaped_batch};

constinit const Op op::transfer{
    .name = "transfer",
    .doc = "x; what is computed from it runs on the device of that name, \"\" for the function's.",
    .attributes = {{"device", Attribute::Kind::string}},
    .type = transfer_type,
    .traits = {Trait::opaque_to_rules, Trait::never_fold},
    .element = same_element,
    .step = StepKind::transfer,
    .linear = 1,
    .transpose =
        [](const Transpose& t) {
          return gnomon::transfer(t.dy, DevicesOfValues().of(t.x[0].value()).value_or(""));
        },
    .batch = batch_identity};

Expr barrier(const Arg& x, std::int64_t k, const ExprList& after) {
  const CallScope call("barrier", x.origin());
  std::vector<Value> operands{x.value()};
  operands.insert(operands.end(), after.begin(), after.end());
  return Expr(make_node(op::barrier, std::move(operands), {Attribute(k)}, x.origin()));
}

Expr undefined_grad(const Arg& x) {
  const CallScope call("undefined_grad", x.origin());
  return Expr(make_node(op::undefined_grad, {x.value()}, {}, x.origin()));
}

Expr stop_gradient(const Arg& x) {
  const CallScope call("stop_gradient", x.origin());
  return Expr(make_node(op::stop_gradient, {x.value()}, {}, x.origin()));
}

Expr print(const Arg& x, std::string message) {
  const CallScope call("print", x.origin());
  return Expr(make_node(op::print, {x.value()}, {Attribute(std::move(message))}, x.origin()));
}

Expr transfer(const Arg& x, const std::string& device) {
  const CallScope call("transfer", x.origin());
  std::string name = device.empty() ? device : device_named(device).text();
  return Expr(make_node(op::transfer, {x.value()}, {Attribute(std::move(name))}, x.origin()));
}

Expr breakpoint(const Arg& x, BreakpointCallback callback, const Arg& condition) {
  const Value& holds = condition.value();
  if (holds.type().dtype != DType::bool_ || holds.type().rank() != 0)
    throw TypeError(fmt::format("breakpoint: expected a condition that is one bool, found {}",
                                holds.type().text()));
  const Expr number = shared_leaf(breakpoint_variable(std::move(callback)));
  const auto dtype = static_cast<std::int64_t>(x.value().dtype());
  return Expr(make_node(op::breakpoint, {x.value(), holds, number.value()}, {Attribute(dtype)},
                        x.origin()));
}

Expr check_index(const Arg& x, const Arg& condition, const Arg& index, const Arg& bound,
                 std::string message) {
  const CallScope call("", x.origin());  // the message is the caller's
  const Expr holds = cast(condition, DType::bool_);
  const auto number = [](const Arg& n) { return cast(Expr(n.as(DType::int64)), DType::int64); };
  return Expr(make_node(op::check,
                        {x.value(), holds.value(), number(index).value(), number(bound).value()},
                        {Attribute(std::move(message))}, x.origin()));
}

Expr as_indices(const Arg& x, std::string message) {
  return Expr(make_node(op::indices, {x.value()}, {Attribute(std::move(message))}, x.origin()));
}

Expr shaped(const Arg& x, const Shape& shape, std::string message) {
  const CallScope call("", x.origin());  // the message is the caller's
  Attributes attributes{Attribute(shape), Attribute(Shape()), Attribute(Shape()),
                        Attribute(std::move(message))};
  return Expr(make_node(op::shaped, {x.value()}, std::move(attributes), x.origin()));
}

Expr where_equal(const Arg& x, const Shape& left, const Shape& right, std::string message) {
  Attributes attributes{Attribute(x.value().shape()), Attribute(left), Attribute(right),
                        Attribute(std::move(message))};
  return Expr(make_node(op::shaped, {x.value()}, std::move(attributes), x.origin()));
}

Expr check(const Arg& x, const Arg& condition, std::string message) {
  const CallScope call("", x.origin());  // the message is the caller's
  const Expr holds = cast(condition, DType::bool_);
  return Expr(make_node(op::check, {x.value(), holds.value()}, {Attribute(std::move(message))},
                        x.origin()));
}

}  // namespace gnomon
