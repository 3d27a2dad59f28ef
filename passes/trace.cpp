// The text that explains what happened to a graph.
#include "passes/trace.h"

#include <fmt/format.h>

#include <algorithm>

#include "stdlib/ops.h"

namespace gnomon {
namespace {

// The longest list of operands a line shows.
constexpr std::size_t shown_operands = 6;

std::string leaf_text(const Value& value) {
  if (const std::optional<double> number = constant_value(value)) return fmt::format("{}", *number);
  return describe(value);
}

std::string list_text(const Value& value, int depth, std::string_view separator) {
  std::string out;
  const std::span<const Value> operands = value.node().operands();
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (i > 0) out += separator;
    if (i == shown_operands) return out + "...";
    out += expression_text(operands[i], depth - 1);
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
    out += fmt::format("{:<{}}  {:>7}  {:>7}  {:>7}  {:>6}  {:>9.3f}\n", pass.name, width,
                       pass.nodes_before, pass.nodes_after, pass.fired, pass.sweeps,
                       pass.seconds * 1e3);
  }
  return out;
}

}  // namespace

std::string expression_text(const Value& value, int depth) {
  const Op& op = value.op();
  if (value.node().operands().empty()) return leaf_text(value);
  if (depth == 0) return "...";
  const std::string output = value.index() == 0 ? "" : fmt::format(".{}", value.index());
  if (&op == &op::negative) return "-" + list_text(value, depth, "");
  if (!op.scalar.infix.empty() && value.node().operands().size() > 1) {
    return fmt::format("({})", list_text(value, depth, fmt::format(" {} ", op.scalar.infix)));
  }
  return fmt::format("{}({}){}", op.name, list_text(value, depth, ", "), output);
}

std::string Trace::explain() const {
  std::string out = pass_table(passes);
  std::string_view pass;
  for (const Firing& firing : firings) {
    if (firing.pass != pass) {
      pass = firing.pass;
      out += fmt::format("\n{}\n", pass);
    }
    out += fmt::format("  {}: {} -> {}{}\n", firing.rule->name, expression_text(firing.before),
                       expression_text(firing.after), places_text(firing.places));
  }
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
