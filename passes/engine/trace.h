// What happened to a graph: passes, rules that fired, time; and the text that explains it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.h"
#include "passes/engine/rule.h"

namespace gnomon {

/// Names of a graph's parameters, by number.
using ParameterNames = std::shared_ptr<const std::vector<std::string>>;
/// The names of a graph's parameters, by their numbers.
ParameterNames names_of(const Graph& graph);

/// One rule that replaced one value.
struct Firing {
  const Rule* rule = nullptr;
  std::string_view pass;
  Value before, after;
  std::vector<Origin> places;
  std::vector<std::uint32_t> positions;  // of the captured nodes that `before` stands for
  ParameterNames names;
  std::shared_ptr<const Graph> graph;  // that was rewritten: the whole, or a body
};

struct RuleCount {
  std::uint64_t tried = 0, fired = 0;
  /// Zero unless the trace is timed.
  double seconds = 0;
};

struct PassRecord {
  std::string_view name;
  /// Nodes of the graph, or steps of the module.
  std::size_t size_before = 0, size_after = 0;
  std::uint64_t fired = 0;
  int sweeps = 0;
  double seconds = 0;
};

/// Filled by the passes. Counts are always kept; firings only when asked for.
class Trace {
 public:
  /// Keep each firing, for `explain`.
  bool record_firings = false;
  /// Measure the time of each rule.
  bool timed = false;

  std::vector<PassRecord> passes;
  std::vector<Firing> firings;
  std::unordered_map<const Rule*, RuleCount> rules;
  /// Limits that were reached, with the rules that fired most.
  std::vector<std::string> notes;

  /// Passes with sizes and times; each firing: rule, before, after, the user's lines; what the
  /// rules are for and what they promise.
  std::string explain() const;
  /// A table of passes and of the rules that fired, most often first.
  std::string summary() const;
};

/// The expression of a value, cut at a depth: "log(1 + exp(x))".
std::string expression_text(const Value& value, int depth = 5, const ParameterNames& names = {});

}  // namespace gnomon
