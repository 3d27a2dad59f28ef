// What a node with a routine of the library says, as the step of the host function.
#include "codegen/library_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "ir/op.h"
#include "ir/type.h"

namespace gnomon {

namespace {

// A flag that the op may not have.
bool flag_of(const Node& node, std::string_view name) {
  const AttributeSpecs& specs = node.op().attributes;
  return std::ranges::any_of(specs, [&](const AttributeSpec& s) { return s.name == name; }) &&
         node.attribute(name).flag();
}

}  // namespace

RoutineStep routine_step(const Node& node) {
  RoutineStep r{};
  r.routine = op_of_routine(node.op()).routine.kind;
  const Shape& a = node.input(0).shape();
  r.dtype = node.input(0).dtype();
  r.lower = flag_of(node, "lower");
  r.transposed = flag_of(node, "transposed") || flag_of(node, "inverse");
  r.complete = flag_of(node, "complete");
  for (const AttributeSpec& spec : node.op().attributes) {
    if (spec.kind != Attribute::Kind::integer) continue;
    r.option = node.attribute(spec.name).integer();
    break;
  }
  r.rows = a[a.size() - 2], r.n = a.back(), r.columns = 0;
  if (node.operands().size() > 1) r.columns = node.operands().back().shape().back();
  if (node.op().routine.pairs) {
    r.dtype = complex_of(r.dtype);
    r.n = floor_div(r.n, 2), r.columns = floor_div(r.columns, 2);
  }
  if (is_fourier(r.routine)) r.columns = node.type().shape[a.size() - 2];
  r.batch = element_count(std::span(a).first(a.size() - 2));
  return r;
}

std::string routine_failure(const Op& op) {
  const Op& named = op_of_routine(op);
  return fmt::format("{}: {}", named.name, named.routine.failure);
}

LinesStep lines_step(const Node& node) {
  LinesStep s{};
  s.routine = node.op().lines.kind;
  s.dtype = node.input(0).dtype();
  s.reverse = flag_of(node, "reverse");
  const Shape& x = node.input(0).shape();
  const Shape& y = node.type().shape;
  s.outer = 1, s.n = element_count(x), s.inner = 1, s.count = element_count(y);
  for (const AttributeSpec& spec : node.op().attributes) {
    if (spec.name != "axis") continue;
    const auto axis = static_cast<std::size_t>(node.attribute("axis").integer());
    s.outer = element_count(std::span(x).first(axis));
    s.n = x[axis];
    s.inner = element_count(std::span(x).subspan(axis + 1));
    s.count = y[axis];
  }
  return s;
}

}  // namespace gnomon
