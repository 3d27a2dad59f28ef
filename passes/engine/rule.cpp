// Making rules, the list of groups, and the canonical form of patterns.
#include "passes/engine/rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

struct GroupRow {
  const RuleGroup& (*group)();
  Purpose purpose;
};
constexpr GroupRow group_rows[] = {
#define GNOMON_ROW(group, purpose) {group##_rules, Purpose::purpose},
    GNOMON_RULE_GROUPS(GNOMON_ROW)
#undef GNOMON_ROW
};

Pattern node_pattern(const Op& op, std::vector<Pattern> operands,
                     const Pattern::Node* like = nullptr) {
  Pattern::Node node;
  node.kind = Pattern::Kind::node;
  node.op = &op;
  node.operands = std::move(operands);
  if (like != nullptr) {
    node.attributes = like->attributes;
    node.output = like->output;
  }
  return Pattern(std::move(node));
}

bool is_op(const Pattern& p, const Op& op) {
  return p.node().kind == Pattern::Kind::node && p.node().op == &op;
}

bool is_number(const Pattern& p, double value) {
  return p.node().kind == Pattern::Kind::constant && p.node().value == value;
}

bool same_variable(const Pattern& a, const Pattern& b) {
  return a.node().kind == Pattern::Kind::variable && b.node().kind == Pattern::Kind::variable &&
         a.node().variable == b.node().variable;
}

Pattern negated_pattern(const Pattern& p) {
  if (p.node().kind == Pattern::Kind::constant) return Pattern(-p.node().value);
  if (is_op(p, op::negative)) return p.node().operands[0];
  if (is_op(p, op::multiply)) {
    std::vector<Pattern> factors = p.node().operands;
    for (Pattern& factor : factors) {
      if (factor.node().kind != Pattern::Kind::constant) continue;
      factor = Pattern(-factor.node().value);
      return node_pattern(op::multiply, std::move(factors));
    }
  }
  return node_pattern(op::negative, {p});
}

// A sum or product: flat, the signs of factors in front, equal pairs of factors as squares.
Pattern canonical_nary(const Op& op, const std::vector<Pattern>& operands) {
  std::vector<Pattern> flat;
  bool negative = false;
  for (Pattern operand : operands) {
    if (&op == &op::multiply && is_op(operand, op::negative)) {
      negative = !negative;
      operand = operand.node().operands[0];
    }
    if (&op == &op::multiply && is_number(operand, -1)) {
      negative = !negative;
      continue;
    }
    if (is_op(operand, op)) {
      flat.insert(flat.end(), operand.node().operands.begin(), operand.node().operands.end());
    } else {
      flat.push_back(operand);
    }
  }
  if (&op == &op::multiply && flat.size() == 2 && same_variable(flat[0], flat[1])) {
    flat = {node_pattern(op::square, {flat[0]})};
  }
  const Pattern result = flat.size() == 1 ? flat[0] : node_pattern(op, flat);
  return negative ? negated_pattern(result) : result;
}

Pattern canonical_quotient(Pattern a, Pattern b) {
  bool negative = false;
  for (Pattern* side : {&a, &b}) {
    if (!is_op(*side, op::negative)) continue;
    negative = !negative;
    *side = Pattern(side->node().operands[0]);
  }
  if (is_number(a, -1)) {
    negative = !negative;
    a = Pattern(1);
  }
  const Pattern result =
      is_number(a, 1) ? node_pattern(op::reciprocal, {b}) : node_pattern(op::divide, {a, b});
  return negative ? negated_pattern(result) : result;
}

Pattern canonical_unary(const Pattern::Node& node, const Pattern& x) {
  if (node.op == &op::negative) return negated_pattern(x);
  if (is_op(x, op::negative)) {
    const Pattern inner = x.node().operands[0];
    if (node.op->has(Trait::odd)) return negated_pattern(node_pattern(*node.op, {inner}));
    if (node.op->has(Trait::even)) return node_pattern(*node.op, {inner});
  }
  return node_pattern(*node.op, {x}, &node);
}

Pattern attribute_pattern(const Op& op, const Pattern& x) {
  return make_pattern(op, {x}, {{"axes", 0}, {"keepdims", 1}});
}

}  // namespace

std::string_view text(Promise promise) {
  if (promise == Promise::exact) return "exact";
  if (promise == Promise::accurate) return "accurate";
  return promise == Promise::finite ? "finite" : "fast";
}

Rule Rule::when(Condition c, std::string_view what) const {
  Rule out = *this;
  out.condition = c;
  if (!what.empty()) out.note = what;
  return out;
}

Rule Rule::on(Condition c, std::string_view what) const {
  Rule out = *this;
  out.root_condition = c;
  out.note = what;
  return out;
}

Rule Rule::except(std::string_view points) const {
  Rule out = *this;
  out.note = points;
  return out;
}

Rule Rule::across() const {
  Rule out = *this;
  out.is_across = true;
  return out;
}

Rule Rule::tested_on(Example e) const {
  Rule out = *this;
  out.example = e;
  return out;
}

std::string Rule::left_text() const {
  return left && before.empty() ? text(*left) : std::string(before);
}
std::string Rule::right_text() const { return right ? text(*right) : std::string(after); }

Rule rule(std::string_view name, Promise promise, Pattern left, Pattern right,
          std::source_location at) {
  Rule out;
  out.name = name;
  out.promise = promise;
  out.left = std::move(left);
  out.right = std::move(right);
  out.at = at;
  return out;
}

Rule rule(std::string_view name, Promise promise, Pattern left, Rewriting rewriting,
          std::string_view after, std::source_location at) {
  Rule out;
  out.name = name;
  out.promise = promise;
  out.left = std::move(left);
  out.rewriting = rewriting;
  out.after = after;
  out.at = at;
  return out;
}

Rule rule(std::string_view name, Promise promise, std::vector<const Op*> roots, Rewriting rewriting,
          std::string_view before, std::string_view after, Example example,
          std::source_location at) {
  Rule out;
  out.name = name;
  out.promise = promise;
  out.roots = std::move(roots);
  out.rewriting = rewriting;
  out.before = before;
  out.after = after;
  out.example = example;
  out.at = at;
  return out;
}

std::span<const RuleGroup* const> all_rule_groups() {
  static const auto groups = [] {
    std::vector<const RuleGroup*> made;
    for (const GroupRow& row : group_rows) made.push_back(&row.group());
    return made;
  }();
  return groups;
}

std::vector<const RuleGroup*> groups_for(const Purposes& purposes) {
  std::vector<GroupRow> rows;
  std::ranges::copy_if(group_rows, std::back_inserter(rows),
                       [&](const GroupRow& row) { return purposes.has(row.purpose); });
  std::ranges::stable_sort(rows, {}, &GroupRow::purpose);
  std::vector<const RuleGroup*> groups;
  for (const GroupRow& row : rows) groups.push_back(&row.group());
  return groups;
}

std::unordered_set<const Rule*> rules_named(std::span<const std::string> names) {
  std::unordered_set<const Rule*> found;
  for (const std::string& name : names) {
    const std::size_t before = found.size();
    for (const RuleGroup* group : all_rule_groups()) {
      for (const Rule& rule : group->rules) {
        if (rule.name != name) continue;
        if (is_required(*group))
          throw ValueError(
              fmt::format("rules: {} cannot be turned off, code generation needs it", name));
        found.insert(&rule);
      }
    }
    if (found.size() == before)
      throw ValueError(fmt::format("rules: expected the name of a rule, found {:?}", name));
  }
  return found;
}

bool is_required(const RuleGroup& group) {
  static const std::vector<const RuleGroup*> required =
      groups_for({Purpose::opening, Purpose::expansion, Purpose::splitting});
  return std::ranges::find(required, &group) != required.end();
}

bool defines_form(const RuleGroup& group) { return &group == &form_rules(); }

Pattern canonical(const Pattern& pattern) {
  const Pattern::Node& node = pattern.node();
  if (node.kind != Pattern::Kind::node) return pattern;
  std::vector<Pattern> operands;
  for (const Pattern& operand : node.operands) operands.push_back(canonical(operand));
  if (node.op == &op::subtract)
    return canonical_nary(op::add, {operands[0], negated_pattern(operands[1])});
  if (node.op == &op::add || node.op == &op::multiply) return canonical_nary(*node.op, operands);
  if (node.op == &op::divide) return canonical_quotient(operands[0], operands[1]);
  if (operands.size() == 1) return canonical_unary(node, operands[0]);
  return node_pattern(*node.op, std::move(operands), &node);
}

Pattern sum(const Pattern& x) { return attribute_pattern(op::sum, x); }
Pattern max(const Pattern& x) { return attribute_pattern(op::max, x); }
Pattern min(const Pattern& x) { return attribute_pattern(op::min, x); }
Pattern prod(const Pattern& x) { return attribute_pattern(op::prod, x); }
Pattern mean(const Pattern& x) { return attribute_pattern(op::mean, x); }
Pattern logsumexp(const Pattern& x) { return attribute_pattern(op::logsumexp, x); }
Pattern softmax(const Pattern& x) { return make_pattern(op::softmax, {x}, {{"axis", 0}}); }
Pattern log_softmax(const Pattern& x) { return make_pattern(op::log_softmax, {x}, {{"axis", 0}}); }

}  // namespace gnomon
