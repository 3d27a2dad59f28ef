// Every rule as a typed expression: its own example, or its pattern over plain inputs.
#pragma once

#include <optional>
#include <string>

#include "passes/derivatives/stable_form.h"
#include "passes/engine/rewrite.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"
#include "tests/support/passes_support.h"

namespace gnomon::test {

namespace detail {

inline void note_variables(const Pattern& pattern, Match& match, bool& reduces, DType t,
                           const Shape& shape) {
  constexpr std::string_view names = "xyzwuvpq";
  const Pattern::Node& p = pattern.node();
  if (p.kind == Pattern::Kind::variable) {
    const auto number = static_cast<std::size_t>(p.variable);
    Value& slot = match.values[number];
    if (!slot) {
      slot = p.only_constant ? constant(0.75 + p.variable, t).value()
                             : tensor(std::string(1, names[number]), t, shape).value();
    }
  }
  for (const auto& [name, number] : p.attributes) {
    reduces = true;
    std::optional<Attribute>& slot = match.attributes[static_cast<std::size_t>(number)];
    if (name == "axes") slot = Attribute(IntList{1});
    if (name == "keepdims") slot = Attribute(false);
    if (name == "axis") slot = Attribute(1);
  }
  for (const Pattern& operand : p.operands) note_variables(operand, match, reduces, t, shape);
}

}  // namespace detail

/// An expression over inputs of dtype `t` that the rule should fire on; null if `t` does not apply,
/// or the rule gives none.
inline Expr example_of(const Rule& rule, DType t) {
  if (rule.example != nullptr) return rule.example(t);
  if (!rule.left) return {};
  Match match;
  bool reduces = false;
  detail::note_variables(*rule.left, match, reduces, t, {Dim(4), Dim(6)});
  return instantiate(*rule.left, match, t);
}

/// Rewrites an example of the group's rules: by the whole pipeline, or before a derivative is
/// taken.
inline std::vector<Value> rewrite_example(const RuleGroup& group, const Expr& example,
                                          Context& context) {
  if (&group == &derivative_rules())
    return stable_forms(std::span(&example.value(), 1), {}, context);
  return run_passes(close({example}), context).outputs;
}

}  // namespace gnomon::test
