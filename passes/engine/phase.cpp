// The table of phases, and their rules at each level, which are made once.
#include "passes/engine/phase.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>

#include "passes/engine/rewrite.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"

namespace gnomon {
namespace {

struct Row {
  Phase phase;
  Purposes purposes;
  /// At the level `fast`, where sums and products regroup, `as_written` is `all`.
  Flatten flatten;
  /// Rules are admitted by the level of the context, brought between these.
  RewriteLevel least, most;
};

// One for each phase, with the purposes and levels in scope.
struct Phases {
  using enum Purpose;
  using enum RewriteLevel;

  static constexpr Purposes canonical = {form, logic, elements};
  static constexpr Purposes stable = canonical | Purposes{formulas, differences, softmax};

  static constexpr Row rows[] = {
      {Phase::open, {opening}, Flatten::no, all, all},
      {Phase::canonicalize, canonical, Flatten::as_written, exact, fast},
      {Phase::canonicalize_reads, canonical | Purposes{reads}, Flatten::as_written, exact, fast},
      {Phase::stabilize, stable, Flatten::as_written, exact, fast},
      {Phase::stabilize_reads, stable | Purposes{reads}, Flatten::as_written, exact, fast},
      {Phase::match_products, {products}, Flatten::no, all, all},
      {Phase::expand, {expansion}, Flatten::no, exact, all},
      {Phase::specialize, {spelling}, Flatten::no, exact, all},
      {Phase::split_reductions, {splitting}, Flatten::no, all, all},
      {Phase::contract, {contraction}, Flatten::no, all, fast},
      {Phase::pair_reductions, {pairing}, Flatten::no, all, all},
      {Phase::plain_form, {form}, Flatten::all, all, all},
      {Phase::stable_form,
       {formulas, differences, derivatives, form, logic},
       Flatten::all,
       all,
       all},
  };
};

/// The rules of a phase at a level, once something has asked for them.
const RuleSet& rules_of(const Row& row, RewriteLevel level) {
  struct Rules {
    std::once_flag once;
    std::optional<RuleSet> made;
  };
  constexpr std::size_t levels = static_cast<std::size_t>(RewriteLevel::fast) + 1;
  static std::array<std::array<Rules, levels>, std::size(Phases::rows)> all_rules;
  Rules& rules =
      all_rules[static_cast<std::size_t>(&row - Phases::rows)][static_cast<std::size_t>(level)];
  std::call_once(rules.once, [&] { rules.made.emplace(row.purposes, level); });
  return *rules.made;
}

}  // namespace

Graph rewrite_by(Phase phase, const Graph& graph, Context& context) {
  const Row& row = *std::ranges::find(Phases::rows, phase, &Row::phase);
  const RewriteLevel level = std::clamp(context.options.level, row.least, row.most);
  const bool regroups = row.flatten == Flatten::as_written && level == RewriteLevel::fast;
  return rewrite(graph, rules_of(row, level), context, regroups ? Flatten::all : row.flatten);
}

}  // namespace gnomon
