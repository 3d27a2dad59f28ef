// The search for a plan that fits a budget, and the table that shows it.
#include "codegen/fusion/rematerialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "codegen/fusion/recomputation.h"
#include "codegen/fusion/schedule.h"
#include "codegen/fusion/sizes.h"
#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "passes/engine/decisions.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

struct Lowered {
  Graph graph;
  Module module;
  std::int64_t bytes = 0;
  Choice choice;
  std::vector<const Node*> order = {};  // of the nodes; or that of the graph
};

// Of the module once all passes have run, which is tried on a copy.
std::int64_t workspace_of(const Module& module, const Target& target, const Sizes& sizes) {
  Context trial;
  return sizes.workspace_of(run_module_passes(module, target, trial));
}

class Search {
 public:
  Search(Graph graph, const Target& target, std::span<const int> donated, const Sizes& sizes)
      : graph_(std::move(graph)),
        target_(target),
        donated_(donated),
        sizes_(sizes),
        schedule_(graph_, sizes, target.calls_library),
        candidates_(schedule_, sizes) {}

  const Schedule& schedule() const { return schedule_; }
  double percent_of_work(const Choice& choice) const {
    double all = 0, twice = 0;
    for (const Node* node : schedule_.nodes()) all += std::max(sizes_.work_of(*node), 0.0);
    for (const Segment& s : choice.segments)
      for (const Node* node : s.again) twice += sizes_.work_of(*node);
    return all > 0 ? 100 * twice / all : 0;
  }

  Lowered in_order() const { return lowered(graph_, {}); }

  /// The first plan found that fits; without one, the least of all.
  std::optional<Lowered> with_recomputation(std::int64_t budget) const {
    // Bytes for an addition: with the first all but sums and the like is too dear, with the last
    // nothing is.
    constexpr double prices[] = {1, 1.0 / 8, 1.0 / 64, 1.0 / 4096};
    std::optional<Lowered> least;
    std::set<std::vector<std::vector<const Node*>>> seen;
    for (const double price : prices) {
      // Fewer segments keep less and need more at once.
      for (int count = std::min(candidates_.count(), 32); count > 0; count = count * 2 / 3) {
        // Without the last one, which would be computed again at once.
        const int all = std::max(count - 1, 1);
        Choice choice = candidates_.choose(count, all, price);
        std::vector<std::vector<const Node*>> again;
        for (const Segment& s : choice.segments) again.push_back(s.again);
        if (!seen.insert(std::move(again)).second) continue;
        Lowered found = with(std::move(choice));
        if (found.bytes <= budget) return with_fewest(count, all, price, budget, std::move(found));
        if (!least || found.bytes < least->bytes) least = std::move(found);
      }
    }
    return least;
  }

 private:
  // As few segments as will do.
  Lowered with_fewest(int count, int many, double price, std::int64_t budget, Lowered found) const {
    int few = 0;
    while (many - few > 1) {
      const int middle = (few + many) / 2;
      Lowered next = with(candidates_.choose(count, middle, price));
      (next.bytes > budget ? few : many) = middle;
      if (next.bytes <= budget) found = std::move(next);
    }
    return found;
  }

  Lowered with(Choice choice) const {
    Graph graph = gnomon::with_recomputation(graph_, schedule_, candidates_, choice);
    return lowered(std::move(graph), std::move(choice));
  }

  Lowered lowered(Graph graph, Choice choice) const {
    Lowered result{std::move(graph), {}, 0, std::move(choice)};
    result.order = Schedule(result.graph, sizes_, target_.calls_library).nodes();
    result.module = lower(result.graph, target_, donated_, result.order);
    result.bytes = workspace_of(result.module, target_, sizes_);
    return result;
  }

  Graph graph_;
  const Target& target_;
  std::span<const int> donated_;
  const Sizes& sizes_;
  Schedule schedule_;
  Candidates candidates_;
};

std::string memory_table_of(const Search& search, std::int64_t budget, std::int64_t plain,
                            std::int64_t ordered, const Lowered& found) {
  struct Row {
    int count = 0;
    std::int64_t bytes = 0;
  };
  std::map<std::string_view, Row> rows;
  Row sum;
  std::unordered_map<const Node*, std::int64_t> in_memory;
  for (const MemoryUnit& unit : search.schedule().units()) in_memory.emplace(unit.node, unit.bytes);
  for (const Segment& s : found.choice.segments) {
    for (const Node* node : s.again) {
      const auto known = in_memory.find(node);
      if (known == in_memory.end()) continue;
      for (Row* row : {&sum, &rows[node->op().name]}) ++row->count, row->bytes += known->second;
    }
  }
  std::string text = fmt::format(
      "bytes of workspace\n{:>14}  without a budget\n{:>14}  in another order\n"
      "{:>14}  the budget\n{:>14}  with it\n",
      plain, ordered, budget, found.bytes);
  text += fmt::format("computed again: {} values of {} bytes, {:.1f} % of the work by estimate",
                      sum.count, sum.bytes, search.percent_of_work(found.choice));
  for (const auto& [name, row] : rows)
    text += fmt::format("\n{:>14}  {:>4} x {}", row.bytes, row.count, name);
  return text;
}

// The plan that was found once more, to say why it is as it is.
void record(const Graph& graph, Lowered& found, const MemoryBudget& budget, const Target& target,
            std::span<const int> donated, Decisions* decisions) {
  std::string table = std::move(found.module.memory_table);
  found.module = lower(found.graph, target, donated, found.order, decisions);
  found.module.memory_table = std::move(table);
  const Recording recording(decisions, graph);
  for (const Segment& s : found.choice.segments)
    for (const Node* node : s.dropped)
      recording.add(
          "rematerialize", "kept in memory", false, Value(node, 0),
          fmt::format("it is computed again for later steps, to fit {} bytes", budget.bytes));
  std::vector<const Node*> kept(found.choice.kept.begin(), found.choice.kept.end());
  std::ranges::sort(kept, {}, &Node::number);
  for (const Node* node : kept)
    recording.add("rematerialize", "kept in memory", true, Value(node, 0),
                  "what is computed again for later steps begins with it");
}

}  // namespace

MemoryPlan rematerialize(const Graph& graph, const Target& target, std::span<const int> donated,
                         const MemoryBudget& budget, Decisions* decisions) {
  const Sizes sizes(graph, budget.shapes);
  auto search = std::make_unique<Search>(graph, target, donated, sizes);
  Lowered found{graph, lower(graph, target, donated), 0, {}};
  found.bytes = workspace_of(found.module, target, sizes);
  const std::int64_t plain = found.bytes;
  const auto improves = [&](std::optional<Lowered> next) {
    if (!next || next->bytes >= found.bytes) return false;
    found = std::move(*next);
    return true;
  };
  if (found.bytes > budget.bytes) improves(search->in_order());
  if (found.bytes > budget.bytes) {
    auto shared = std::make_unique<Search>(with_shared_values(graph, search->schedule()), target,
                                           donated, sizes);
    if (improves(shared->in_order())) search = std::move(shared);
  }
  const std::int64_t ordered = found.bytes;
  if (found.bytes > budget.bytes) improves(search->with_recomputation(budget.bytes));
  if (found.bytes > budget.bytes)
    throw ValueError(
        fmt::format("memory_budget: expected at least {} bytes for arguments of these shapes, "
                    "found {} ({} bytes without a budget)",
                    found.bytes, budget.bytes, plain));
  found.module.memory_table = memory_table_of(*search, budget.bytes, plain, ordered, found);
  if (decisions != nullptr) record(graph, found, budget, target, donated, decisions);
  return {std::move(found.graph), std::move(found.module)};
}

}  // namespace gnomon
