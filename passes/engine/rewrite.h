// The rewrite engine: rules applied to a graph by memoised bottom-up sweeps.
#pragma once

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.h"
#include "passes/engine/origins.h"
#include "passes/engine/rule.h"

namespace gnomon {

struct Context;
enum class RewriteLevel : std::uint8_t;

/// A rule as the engine looks it up: by root op, with facts for early rejection.
struct IndexedRule {
  const Rule* rule = nullptr;
  std::optional<Pattern> left;
  /// Ops that must be among the operands of the root, at most two.
  std::array<const Op*, 2> needs{};
};

/// The rules that are tried together, indexed by root op.
class RuleSet {
 public:
  /// With the rules whose promise the level admits; given a root, with those for it alone.
  RuleSet(const Purposes& purposes, RewriteLevel level, const Op* root = nullptr);
  std::span<const IndexedRule> rules_of(const Op& op) const;
  RewriteLevel level() const { return level_; }

 private:
  RewriteLevel level_;
  std::vector<IndexedRule> any_;
  std::unordered_map<const Op*, std::vector<IndexedRule>> by_op_;
};

/// What of a sum or product that is the root a pattern leaves over.
struct Leftover {
  /// Of each operand, whether it matched.
  std::vector<bool> used;
  /// z of (z + x) + y where x and y matched.
  Value beside;
};

/// Matches the rule's pattern `left` at `root`, in one of the ways for which the condition (if any)
/// holds.
bool match_pattern(const Pattern& left, const Rule& rule, const Value& root, Match& match,
                   Leftover& leftover);
/// What the rule makes of `match.root`, with the operands of it that the pattern leaves over; null
/// where it does not fire.
Value replacement(const IndexedRule& rule, Match& match);
/// The pattern with its variables replaced. Constants are weak numbers; a pattern that is only a
/// constant takes the dtype `t`.
Expr instantiate(const Pattern& pattern, const Match& match, DType t);

/// How sums and products are grouped before each sweep: not at all; those of floats two by two as
/// they are written, those of integers, which wrap, as one node each; all as one node each.
enum class Flatten : std::uint8_t { no, as_written, all };

/// Applies the rules until none fires, within the budget of the context.
Graph rewrite(const Graph& graph, const RuleSet& rules, Context& context, Flatten flatten);

/// The outputs with sums of sums and products of products as one node each, from the root of each
/// maximal chain of values used once; `as_written`, those of floats have two operands instead.
/// `order` has the nodes the outputs need, operands first.
std::vector<Value> flatten_chains(std::span<const Value> outputs,
                                  std::span<const Node* const> order, Flatten flatten,
                                  OriginMap& origins);

}  // namespace gnomon
