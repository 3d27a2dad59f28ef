// The text that explains what happened to a graph.
#include "passes/engine/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "stdlib/ops.h"

namespace gnomon {

ParameterNames names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Parameter& p : graph.parameters) names.push_back(p.name);
  return std::make_shared<const std::vector<std::string>>(std::move(names));
}
namespace {

// The longest list of operands a line shows.
constexpr std::size_t shown_operands = 6;

std::string leaf_text(const Value& value, const ParameterNames& names) {
  if (names && value.is(op::param)) {
    const auto i = static_cast<std::size_t>(value.node().attribute(0).integer());
    if (i < names->size() && !(*names)[i].empty()) return (*names)[i];
  }
  if (const std::optional<double> number = constant_value(value)) return fmt::format("{}", *number);
  return describe(value);
}

std::string list_text(const Value& value, int depth, std::string_view separator,
                      const ParameterNames& names) {
  std::string out;
  const std::span<const Value> operands = value.node().operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out += separator;
    if (i == shown_operands) return out + "...";
    out += expression_text(operands[i], depth - 1, names);
  }
  return out;
}

std::string places_text(const std::vector<Origin>& places) {
  std::string out;
  for (const Origin& place : places) {
    if (!out.empty()) out += ", ";
    out += place.text();
  }
  return out.empty() ? out : fmt::format(" [{}]", out);
}

std::size_t width_of(std::string_view least, std::size_t longest) {
  return std::max(least.size(), longest);
}

std::string pass_table(const std::vector<PassRecord>& passes) {
  std::size_t longest = 0;
  for (const PassRecord& pass : passes) longest = std::max(longest, pass.name.size());
  const std::size_t width = width_of("pass", longest);
  std::string out = fmt::format("{:<{}}  {:>7}  {:>7}  {:>7}  {:>6}  {:>9}\n", "pass", width,
                                "before", "after", "fired", "sweeps", "ms");
  for (const PassRecord& pass : passes) {
    out +=
        fmt::format("{:<{}}  {:>7}  {:>7}  {:>7}  {:>6}  {:>9.3f}\n", pass.name, width,
                    pass.size_before, pass.size_after, pass.fired, pass.sweeps, pass.seconds * 1e3);
  }
  return out;
}

// The rules that fired, by group: what the group is for, and each rule with its promise.
std::string reasons(const std::vector<Firing>& firings) {
  std::unordered_set<const Rule*> fired;
  for (const Firing& firing : firings) fired.insert(firing.rule);
  std::string out;
  for (const RuleGroup* group : all_rule_groups()) {
    std::string rules;
    for (const Rule& rule : group->rules) {
      if (!fired.contains(&rule)) continue;
      rules +=
          fmt::format("  {}: {} is {} ({}{}{})\n", rule.name, rule.left_text(), rule.right_text(),
                      text(rule.promise), rule.note.empty() ? "" : "; ", rule.note);
    }
    if (!rules.empty()) out += fmt::format("\n{}\n{}", group->doc, rules);
  }
  return out;
}

}  // namespace

std::string expression_text(const Value& value, int depth, const ParameterNames& names) {
  const Op& op = value.op();
  if (value.node().operands().empty()) return leaf_text(value, names);
  if (depth == 0) return "...";
  const std::string output = value.index() == 0 ? "" : fmt::format(".{}", value.index());
  if (&op == &op::negative) return "-" + list_text(value, depth, "", names);
  if (!op.scalar.infix.empty() && value.node().operands().size() > 1) {
    return fmt::format("({})",
                       list_text(value, depth, fmt::format(" {} ", op.scalar.infix), names));
  }
  return fmt::format("{}({}){}", op.name, list_text(value, depth, ", ", names), output);
}

std::string Trace::explain() const {
  std::string out = pass_table(passes);
  std::string_view pass;
  for (const Firing& firing : firings) {
    if (firing.pass != pass) {
      pass = firing.pass;
      out += fmt::format("\n{}\n", pass);
    }
    out += fmt::format("  {}: {} -> {}{}\n", firing.rule->name,
                       expression_text(firing.before, 5, firing.names),
                       expression_text(firing.after, 5, firing.names), places_text(firing.places));
  }
  out += reasons(firings);
  for (const std::string& note : notes) out += fmt::format("\nnote: {}\n", note);
  return out;
}

std::string Trace::summary() const {
  std::string out = pass_table(passes);
  std::vector<std::pair<const Rule*, RuleCount>> fired;
  for (const auto& [rule, count] : rules) {
    if (count.fired > 0 || timed) fired.emplace_back(rule, count);
  }
  std::sort(fired.begin(), fired.end(), [](const auto& a, const auto& b) {
    if (a.second.fired != b.second.fired) return a.second.fired > b.second.fired;
    return a.first->name < b.first->name;
  });
  if (!fired.empty()) out += fmt::format("\n{:>7}  {:>9}  rule\n", "fired", "ms");
  for (const auto& [rule, count] : fired) {
    out += fmt::format("{:>7}  {:>9.3f}  {}\n", count.fired, count.seconds * 1e3, rule->name);
  }
  for (const std::string& note : notes) out += fmt::format("note: {}\n", note);
  return out;
}

}  // namespace gnomon
