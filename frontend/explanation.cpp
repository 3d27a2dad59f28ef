// Makes explanations, and takes parts of them.
#include "frontend/explanation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

#include "codegen/module/module_passes.h"
#include "codegen/module/profiled_steps.h"
#include "frontend/accuracy/accuracy.h"
#include "frontend/debugging/inspection.h"
#include "frontend/lower_function.h"
#include "frontend/places.h"
#include "frontend/program.h"
#include "frontend/rewrite_cost.h"
#include "ir/graph/leaf.h"
#include "ir/op/representation.h"
#include "passes/engine/rule.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::size_t most_lines = 16;  // of one thing

// Passes that are rows of no table.
constexpr std::array<std::string_view, 4> other_passes = {"fuse", "lower", "rematerialize", "call"};

// ------------------------------------------------------------------------------------- filters

bool is_of_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether a name stands in a text, and not as a part of another one.
bool has_word(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != std::string_view::npos;
       at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_of_name(text[at - 1]) || !is_of_name(name.front());
    const bool ends = end == text.size() || !is_of_name(text[end]) || !is_of_name(name.back());
    if (begins && ends) return true;
  }
  return false;
}

bool is_number(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// Whether "model.py:12" is what "12", "model.py" or "src/model.py:12" asks for.
bool is_line(std::string_view line, std::string_view asked) {
  if (is_number(asked)) return line.ends_with(fmt::format(":{}", asked));
  asked.remove_prefix(asked.rfind('/') + 1);
  return line == asked || line.substr(0, line.rfind(':')) == asked;
}

// Whether "%3 exp" is what "%3" or "exp" asks for.
bool is_node(std::string_view node, std::string_view asked) {
  const std::size_t space = node.find(' ');
  return space == std::string_view::npos
             ? node == asked
             : node.substr(0, space) == asked || node.substr(space + 1) == asked;
}

bool has_line(const std::vector<std::string>& lines, const std::string& asked) {
  return asked.empty() ||
         std::ranges::any_of(lines, [&](const std::string& line) { return is_line(line, asked); });
}

bool has_node(const std::vector<std::string>& nodes, const std::string& asked,
              std::initializer_list<std::string_view> texts) {
  if (asked.empty()) return true;
  return std::ranges::any_of(nodes, [&](const std::string& n) { return is_node(n, asked); }) ||
         std::ranges::any_of(texts, [&](std::string_view text) { return has_word(text, asked); });
}

bool matches(const ExplanationFilter& f, const ExplainedRewrite& r) {
  return (f.rule.empty() || f.rule == r.rule) && (f.pass.empty() || f.pass == r.pass) &&
         has_line(r.lines, f.line) && has_node(r.nodes, f.node, {r.before, r.after});
}
bool matches(const ExplanationFilter& f, const ExplainedDecision& d) {
  return f.rule.empty() && (f.pass.empty() || f.pass == d.pass) && has_line(d.lines, f.line) &&
         has_node(d.nodes, f.node, {d.subject, d.other});
}
bool matches(const ExplanationFilter& f, const ExplainedStep& s) {
  return f.rule.empty() && f.pass.empty() && has_line(s.lines, f.line) &&
         has_node(s.nodes, f.node, {s.name});
}

// The name that is asked for is one of these. ValueError, with those that are most like it.
void check_name(std::string_view what, const std::string& asked,
                const std::set<std::string_view>& known) {
  if (asked.empty() || known.contains(asked)) return;
  constexpr std::size_t most_near = 6;
  std::vector<std::string_view> near;
  for (const std::size_t alike : {asked.size(), std::size_t{4}})
    for (const std::string_view name : known)
      if (name.starts_with(asked.substr(0, alike)) && near.size() < most_near &&
          std::ranges::count(near, name) == 0)
        near.push_back(name);
  throw ValueError(
      fmt::format("explain: there is no {} {}{}", what, asked,
                  near.empty() ? "" : fmt::format("; there are {}", fmt::join(near, ", "))));
}

void check_rule(const std::string& asked) {
  std::set<std::string_view> known;
  for (const RuleGroup* group : all_rule_groups())
    for (const Rule& rule : group->rules) known.insert(rule.name);
  check_name("rule", asked, known);
}

void check_pass(const std::string& asked) {
  std::set<std::string_view> known(other_passes.begin(), other_passes.end());
  for (const Pass& pass : all_passes()) known.insert(pass.name);
  for (const ModulePass& pass : all_module_passes()) known.insert(pass.name);
  check_name("pass", asked, known);
}

std::string_view doc_of(std::string_view name) {
  for (const Pass& pass : all_passes())
    if (pass.name == name) return pass.doc;
  for (const ModulePass& pass : all_module_passes())
    if (pass.name == name) return pass.doc;
  return "";
}

// ------------------------------------------------------------------------------------ the parts

// The nodes of a captured graph, with those of bodies, as explanations name them.
class CapturedNodes {
 public:
  explicit CapturedNodes(const Graph& graph)
      : order_(nodes_with_bodies(graph)), numbered_(graph.topological_order().size()) {}

  std::vector<std::string> names(std::span<const std::uint32_t> positions) const {
    std::vector<std::string> found;
    for (const std::uint32_t at : positions)
      if (at < order_.size()) found.push_back(name(at));
    return found;
  }
  std::vector<std::string> lines(std::span<const std::uint32_t> positions) const {
    Places places(most_lines);
    places.add(positions, order_);
    return places.lines();
  }
  std::vector<std::string> all_lines() const {
    Places places(std::string::npos);
    for (const Node* node : order_) places.add(node->origins());
    return places.lines();
  }
  std::vector<std::string> all_names() const {
    std::vector<std::string> found;
    for (std::size_t at = 0; at < order_.size(); ++at) found.push_back(name(at));
    return found;
  }
  /// Of the parameter, if anything needs it.
  std::vector<std::uint32_t> position_of_parameter(std::size_t i) const {
    for (std::size_t at = 0; at < numbered_; ++at)
      if (&order_[at]->op() == &op::param && param_index(*order_[at]) == i)
        return {static_cast<std::uint32_t>(at)};
    return {};
  }

 private:
  // The text of the graph has numbers for the nodes that are in no body.
  std::string name(std::size_t at) const {
    const std::string op(order_[at]->op().name);
    return at < numbered_ ? fmt::format("%{} {}", at, op) : op;
  }

  std::vector<const Node*> order_;
  std::size_t numbered_;
};

ExplainedRewrite explained(const Firing& f, const CapturedNodes& nodes) {
  ExplainedRewrite r;
  r.pass = f.pass;
  r.rule = f.rule->name;
  r.promise = text(f.rule->promise);
  r.before = expression_text(f.before, 5, f.names);
  r.after = expression_text(f.after, 5, f.names);
  if (const auto cost = cost_of_rewrite(f.before, f.after)) {
    r.cost_before = cost->before.text();
    r.cost_after = cost->after.text();
  }
  Places places(most_lines);
  places.add(f.places);
  r.lines = places.lines();
  r.nodes = nodes.names(f.positions);
  return r;
}

// Why numbers of the function's types are not compared with real ones; or "".
std::string without_accuracy(const Graph& captured) {
  for (const Parameter& p : captured.parameters)
    if (is_half(p.type.dtype) || is_complex(p.type.dtype))
      return fmt::format("{} is {}, and accuracy is told of float32 and float64", p.name,
                         name_of(p.type.dtype));
  return "";
}

std::string axis_text(const Array& a) {
  std::int64_t dense = 1;
  for (int k = a.rank() - 1; k >= 0; --k) {
    const std::int64_t extent = a.shape()[static_cast<std::size_t>(k)];
    const std::int64_t stride = a.strides()[static_cast<std::size_t>(k)];
    if (extent > 1 && stride != dense)
      return fmt::format("its elements along axis {} are {} apart in memory, not {}", k, stride,
                         dense);
    dense *= extent;
  }
  return "it does not begin at a multiple of the size of its elements";
}

}  // namespace

namespace {

constexpr const char* kept_reason =
    "calls of functions with nan_guard, check or breakpoints keep old values until they end";

}  // namespace

struct Explanation::Source {
  Graph captured;
  std::size_t arguments = 0;
  std::vector<std::vector<Origin>> argument_origins;
  LoweringRecord record;
};

const Explanation::Source& Explanation::source() const {
  if (!source_) throw ValueError("explanation: expected one of a function, found none");
  return *source_;
}

Explanation explain_closed(const Closed& closed, const CompileOptions& options) {
  auto source = std::make_shared<Explanation::Source>();
  source->captured = closed.graph;
  source->arguments = closed.arguments;
  source->argument_origins = closed.argument_origins;
  LoweringRecord& record = source->record;
  const LoweredFunction lowered = lower_function(
      closed, options, target_of(options, closed.graph), memory_budget_of(options, closed),
      std::nullopt, [](const char*) {}, &record);
  const CapturedNodes nodes(source->captured);
  Explanation e;
  for (const Firing& firing : record.trace.firings) {
    e.firings_.push_back(e.rewrites_.size());
    e.rewrites_.push_back(explained(firing, nodes));
  }
  const bool keeps = keeps_old_values(closed.graph, options);
  for (const Decision& d : record.decisions.all()) {
    // In the place of an argument or variable, which the code could do.
    const bool is_kept = keeps && d.is_so && d.question == "in place" && !d.other.empty();
    e.decisions_.push_back({std::string(d.pass), std::string(d.question), d.is_so && !is_kept,
                            d.subject, d.other, is_kept ? kept_reason : d.reason,
                            nodes.lines(d.nodes), nodes.names(d.nodes)});
  }
  for (const ProfiledStep& step : named_steps(lowered.module))
    e.steps_.push_back({step.about.kind, step.about.name, step.about.inside,
                        nodes.lines(step.about.nodes), nodes.names(step.about.nodes)});
  for (const PassRecord& pass : record.trace.passes)
    e.passes_.push_back({std::string(pass.name), std::string(doc_of(pass.name)), pass.size_before,
                         pass.size_after, pass.fired});
  e.source_ = std::move(source);
  return e;
}

std::vector<std::pair<std::string, Graph>> Explanation::stages() const {
  std::vector<std::pair<std::string, Graph>> all{{"captured", source().captured}};
  for (const auto& [pass, graph] : source().record.stages) all.emplace_back(pass, graph);
  return all;
}

std::vector<std::string> Explanation::notes() const { return source().record.trace.notes; }

Explanation Explanation::only(const ExplanationFilter& filter) const {
  check_rule(filter.rule);
  check_pass(filter.pass);
  const CapturedNodes nodes(source().captured);
  if (const std::vector<std::string> lines = nodes.all_lines(); !has_line(lines, filter.line))
    throw ValueError(fmt::format(
        "explain: nothing of the function was made at line {}; {}", filter.line,
        lines.empty()
            ? "its lines are not known"
            : fmt::format("there are {}",
                          fmt::join(std::span(lines).first(std::min<std::size_t>(lines.size(), 12)),
                                    ", "))));
  Explanation left;
  left.source_ = source_;
  // What a pass did in all is not about one of its rules, or a line.
  if (filter.line.empty() && filter.node.empty() && filter.rule.empty())
    std::ranges::copy_if(passes_, std::back_inserter(left.passes_), [&](const ExplainedPass& p) {
      return filter.pass.empty() || p.name == filter.pass;
    });
  for (std::size_t i = 0; i < rewrites_.size(); ++i) {
    if (!matches(filter, rewrites_[i])) continue;
    left.rewrites_.push_back(rewrites_[i]);
    left.firings_.push_back(firings_[i]);
  }
  std::ranges::copy_if(decisions_, std::back_inserter(left.decisions_),
                       [&](const ExplainedDecision& d) { return matches(filter, d); });
  // A step that is left keeps the one it is part of, if that is left too.
  std::vector<int> place(steps_.size(), -1);
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!matches(filter, steps_[i])) continue;
    place[i] = static_cast<int>(left.steps_.size());
    left.steps_.push_back(steps_[i]);
    int& inside = left.steps_.back().inside;
    if (inside >= 0) inside = place[static_cast<std::size_t>(inside)];
  }
  const bool is_empty = left.rewrites_.empty() && left.decisions_.empty() && left.steps_.empty();
  if (is_empty && !filter.node.empty()) {
    const bool is_parameter =
        std::ranges::count(source().captured.parameters, filter.node, &Parameter::name) > 0;
    if (!is_parameter && !has_node(nodes.all_names(), filter.node, {}))
      throw ValueError(fmt::format(
          "explain: there is no node {}; expected a number as %3, the name of an operation, or of "
          "an input, variable or result",
          filter.node));
  }
  return left;
}

Explanation Explanation::with_accuracy(const ExplanationSampling& sampling) const {
  std::vector<std::string> names;
  for (const Parameter& p : source().captured.parameters) names.push_back(p.name);
  for (const auto& [name, range] : sampling.ranges)
    if (std::ranges::count(names, name) == 0)
      throw ValueError(fmt::format("explain: expected an input to give a range ({}), found {}",
                                   fmt::join(names, ", "), name));
  const std::vector<std::string>& symbols = source().captured.symbols;
  for (const auto& [name, extent] : sampling.extents)
    if (std::ranges::count(symbols, name) == 0)
      throw ValueError(fmt::format("explain: expected the name of an extent ({}), found {}",
                                   fmt::join(symbols, ", "), name));
  if (sampling.points < 1)
    throw ValueError(
        fmt::format("explain: expected at least one point, found {}", sampling.points));
  const FormOptions options{sampling.ranges, sampling.extents, sampling.points, sampling.seed};
  const std::string refused = without_accuracy(source().captured);
  Explanation told = *this;
  for (std::size_t i = 0; i < told.rewrites_.size(); ++i) {
    ExplainedRewrite& r = told.rewrites_[i];
    const Firing& firing = source().record.trace.firings[firings_[i]];
    r.accuracy.reset();
    r.accuracy_unknown = refused;
    if (r.accuracy_unknown.empty() && !is_float(firing.before.dtype()))
      r.accuracy_unknown = "it is no float";
    if (!r.accuracy_unknown.empty()) continue;
    try {
      const OutputAccuracy found =
          accuracy_of_forms(*firing.graph, firing.before, firing.after, options);
      if (found.compared == 0)
        r.accuracy_unknown = "no real value is known at the points";
      else
        r.accuracy = {found.compared, found.before.mean, found.before.worst.bits, found.after.mean,
                      found.after.worst.bits};
    } catch (const ValueError& error) {
      r.accuracy_unknown = error.what();  // each point is an error
    } catch (const TypeError& error) {
      r.accuracy_unknown = error.what();  // an operation without a real function
    }
  }
  return told;
}

Explanation Explanation::with_arguments(std::span<const Array> arguments,
                                        std::span<const std::string> converted) const {
  if (arguments.size() != source().arguments)
    throw TypeError(fmt::format("explain: expected {} arguments, found {}", source().arguments,
                                arguments.size()));
  const CapturedNodes nodes(source().captured);
  Explanation told = *this;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const Parameter& p = source().captured.parameters[i];
    const Array& a = arguments[i];
    if (!a.defined() || a.dtype() != p.type.dtype || a.rank() != p.type.rank())
      throw TypeError(fmt::format("explain: argument {}: expected {}: {}, found {}", i, p.name,
                                  p.type.text(), a.defined() ? a.describe() : "no array"));
    const std::string other = i < converted.size() ? converted[i] : "";
    const bool is_copied = !other.empty() || !is_read_in_place(a);
    ExplainedDecision d{"call", "copied", is_copied, p.name, "", {}, {}, {}};
    d.reason = !other.empty() ? other
               : is_copied    ? axis_text(a)
                              : "it is of the input's dtype, and lies in memory as kernels read it";
    Places places(most_lines);
    places.add(source().argument_origins[i]);
    d.lines = places.lines();
    d.nodes = nodes.names(nodes.position_of_parameter(i));
    told.decisions_.push_back(std::move(d));
  }
  return told;
}

}  // namespace gnomon
