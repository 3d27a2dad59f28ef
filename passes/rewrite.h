// The rewrite engine: rules applied to a graph by memoised bottom-up sweeps.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/graph.h"
#include "passes/origins.h"
#include "passes/rule.h"

namespace gnomon {

struct Context;

/// A rule as the engine looks it up: by root op, with facts for early rejection.
struct IndexedRule {
  const Rule* rule = nullptr;
  std::optional<Pattern> left;
  /// Ops that must be among the operands of the root, at most two.
  std::array<const Op*, 2> needs{};
};

/// The rules of one phase: a concatenation of groups, indexed by root op.
class RuleSet {
 public:
  RuleSet(const std::vector<const RuleGroup*>& groups, bool exact_only);
  std::span<const IndexedRule> rules_of(const Op& op) const;
  bool exact_only() const { return exact_only_; }

 private:
  bool exact_only_;
  std::vector<IndexedRule> any_;
  mutable std::unordered_map<const Op*, std::vector<IndexedRule>> by_op_;
};

/// Matches a pattern at `root`, in one of the ways for which the condition (if any) holds; the
/// operands of an n-ary root that the pattern leaves over are given back by position in `used`
/// (true for those that matched).
bool match_pattern(const Pattern& pattern, const Value& root, Match& match, std::vector<bool>& used,
                   Condition condition);
/// The pattern with its variables replaced. Constants are weak numbers; a pattern that is only a
/// constant takes the dtype `t`.
Expr instantiate(const Pattern& pattern, const Match& match, DType t);

/// How sums and products are flattened before each sweep.
enum class Flatten : std::uint8_t { no, left, all };

/// Applies the rules until none fires, within the budget of the context.
Graph rewrite(const Graph& graph, const RuleSet& rules, Context& context, Flatten flatten);

/// The outputs with sums of sums and products of products as one node each, from the root of each
/// maximal chain of values used once. `left` follows first operands only, which keeps every bit.
/// `order` has the nodes the outputs need, operands first.
std::vector<Value> flatten_chains(std::span<const Value> outputs,
                                  std::span<const Node* const> order, Flatten flatten,
                                  OriginMap& origins);

}  // namespace gnomon
