// Messages of failing nodes: what the user said of the indices, else names of parameters.
#include "codegen/text/failure_text.h"

#include <fmt/format.h>

#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// The node that says what the elements of `v` are indices of, as far as one looks; null: none.
const Node* named_indices(const Value& v, int depth = 8) {
  if (v.is(op::indices)) return v.get();
  if (depth == 0 || !is_integer(v.dtype())) return nullptr;
  for (const Value& operand : v.node().operands())
    if (const Node* named = named_indices(operand, depth - 1)) return named;
  return nullptr;
}

// A value as messages show it.
std::string described(const Value& v, FailureText& failure) {
  if (!v.is(op::param)) return describe(v);
  failure.of = static_cast<int>(param_index(v.node()));
  return "{of}";
}

FailureText index_failure(const Node& node) {
  FailureText failure;
  failure.is_index = true;
  for (const Value& operand : node.operands()) {
    if (const Node* named = named_indices(operand)) {
      failure.text = named->attribute("message").string();
      return failure;
    }
  }
  std::string of, axis;  // operands other than parameters are rewritten ones
  if (!node.operands().empty() && node.input(0).is(op::param))
    of = " of " + described(node.input(0), failure);
  for (const AttributeSpec& spec : node.op().attributes)
    if (spec.name == "axes" && node.attribute("axes").ints().size() == 1)
      axis = fmt::format("axis {} with ", node.attribute("axes").ints()[0]);
  failure.text = fmt::format(
      "{}: index {{value}} is out of range for {}extent {{bound}}{} (position {{index}})",
      &node.op() == &op::indicator ? op::index.name : node.op().name, axis, of);
  return failure;
}

}  // namespace

FailureText failure_text(const Node& node) {
  FailureText failure;
  if (&node.op() == &op::check) {
    failure.text = node.attribute("message").string();
    failure.is_index = node.operands().size() > 2;
  } else if (const Service* service = service_of(node.op().step); service && service->reports) {
    const Op& op = op_of_routine(node.op());
    failure.text = fmt::format("{}: {}", op.name, op.routine.failure);
  } else {
    return index_failure(node);
  }
  return failure;
}

FailureText failure_of_none(const Node& node) {
  FailureText failure;
  failure.is_index = true;
  failure.text = fmt::format("{}: an index is out of range for extent 0 of {}", node.op().name,
                             described(node.input(0), failure));
  return failure;
}

}  // namespace gnomon
