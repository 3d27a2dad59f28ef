// Patterns: construction and display.
#include "ir/op/pattern.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/error.h"

namespace gnomon {
namespace {

std::string variable_name(const Pattern::Node& node) {
  constexpr std::string_view free = "xyzwuvpq", constants = "cdefghkl";
  const std::string_view names = node.only_constant ? constants : free;
  const auto number = static_cast<std::size_t>(node.variable);
  return number < names.size() ? std::string(1, names[number]) : fmt::format("x{}", number);
}

// How tightly the printed form of a pattern binds; calls and names bind tightest.
int binding(const Pattern::Node& node) {
  if (node.kind == Pattern::Kind::constant) return node.value < 0 ? 3 : 9;
  if (node.kind == Pattern::Kind::variable) return 9;
  if (node.op->name == "negative") return 3;
  const std::string_view infix = node.op->scalar.infix;
  if (infix.empty() || node.operands.size() < 2) return 9;
  if (infix == "*" || infix == "/" || infix == "%") return 2;
  return infix == "+" || infix == "-" ? 1 : 0;
}

std::string operand_text(const Pattern& operand, int parent, bool first) {
  const int own = binding(operand.node());
  const bool bare = own > parent || (first && own == parent && own > 0 && own < 3);
  return bare ? text(operand) : fmt::format("({})", text(operand));
}

std::string infix_text(const Pattern::Node& node) {
  const int own = binding(node);
  std::string out = operand_text(node.operands[0], own, true);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    out += fmt::format(" {} {}", node.op->scalar.infix, operand_text(node.operands[i], own, false));
  }
  return out;
}

}  // namespace

Pattern::Pattern(Node node) : shared_(new Shared{.node = std::move(node)}) {}

void Pattern::retain() const { shared_->uses.fetch_add(1, std::memory_order_relaxed); }

void Pattern::release() {
  if (shared_->uses.fetch_sub(1, std::memory_order_acq_rel) == 1) delete shared_;
}

Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands) {
  return make_pattern(op, operands, {});
}

Pattern make_pattern(const Op& op, std::initializer_list<Pattern> operands,
                     std::initializer_list<std::pair<std::string, int>> attributes) {
  Pattern::Node node;
  node.kind = Pattern::Kind::node;
  node.op = &op;
  node.operands = operands;
  node.attributes = attributes;
  for (const auto& [name, number] : node.attributes) {
    const bool declared = std::any_of(op.attributes.begin(), op.attributes.end(),
                                      [&](const AttributeSpec& s) { return s.name == name; });
    if (!declared) {
      throw InternalError(
          fmt::format("{}: expected a declared attribute, found {}", op.name, name));
    }
  }
  return Pattern(std::move(node));
}

std::string text(const Pattern& pattern) {
  const Pattern::Node& node = pattern.node();
  if (node.kind == Pattern::Kind::constant) return fmt::format("{}", node.value);
  if (node.kind == Pattern::Kind::variable) return variable_name(node);
  if (node.op->name == "negative") return "-" + operand_text(node.operands[0], 3, false);
  if (binding(node) < 9) return infix_text(node);
  std::string list;
  for (const Pattern& operand : node.operands) {
    if (!list.empty()) list += ", ";
    list += text(operand);
  }
  for (const auto& [name, number] : node.attributes) list += ", " + name;
  return fmt::format("{}({})", node.op->name, list);
}

}  // namespace gnomon
