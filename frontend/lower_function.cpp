// Optimises and lowers a captured function.
#include "frontend/lower_function.h"

#include <fmt/format.h>

#include <utility>

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "ir/graph/leaf.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// The shapes of arguments whose types say them.
std::vector<std::vector<std::int64_t>> declared_shapes(const Closed& closed) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < closed.arguments; ++i) {
    const Parameter& p = closed.graph.parameters[i];
    shapes.emplace_back();
    for (const Dim& d : p.type.shape) {
      if (!d.is_constant())
        throw ValueError(
            fmt::format("memory_budget: expected memory_shapes, a shape for each input, found an "
                        "open extent in {}: {}",
                        p.name, p.type.text()));
      shapes.back().push_back(d.constant());
    }
  }
  return shapes;
}

Context context_of(const CompileOptions& options, const Target& target,
                   const std::optional<std::filesystem::path>& folder) {
  Context context;
  context.options.level = options.rewrites;
  context.options.calls_library = target.calls_library;
  context.options.disabled_rules = rules_named(options.disabled_rules);
  context.trace.record_firings = options.explain || folder.has_value();
  if (folder) context.options.dump_folder = folder->string();
  return context;
}

}  // namespace

std::optional<MemoryBudget> memory_budget_of(const CompileOptions& options, const Closed& closed) {
  if (!options.memory_budget) return std::nullopt;
  MemoryBudget budget{*options.memory_budget, options.memory_shapes};
  if (budget.shapes.empty()) budget.shapes = declared_shapes(closed);
  if (budget.shapes.size() != closed.arguments)
    throw ValueError(fmt::format("memory_budget: expected shapes of {} inputs, found {}",
                                 closed.arguments, budget.shapes.size()));
  const auto add = [&](const Array& a) {
    budget.shapes.emplace_back(a.shape().begin(), a.shape().end());
  };
  for (const Array& a : closed.constants) add(a);
  for (const Value& leaf : closed.shared) add(shared_of(leaf).get());
  return budget;
}

LoweredFunction lower_function(const Closed& closed, const CompileOptions& options,
                               const Target& target, const std::optional<MemoryBudget>& budget,
                               const std::optional<std::filesystem::path>& folder,
                               const std::function<void(const char*)>& stage) {
  Context context = context_of(options, target, folder);
  const Graph optimized = optimize(with_positions(closed.graph), context);
  stage("optimize");
  MemoryPlan plan = budget ? rematerialize(optimized, target, options.donated, *budget)
                           : MemoryPlan{optimized, lower(optimized, target, options.donated)};
  LoweredFunction lowered{
      std::move(plan.graph), run_module_passes(std::move(plan.module), target, context), {}};
  lowered.module.profile = options.profile;
  stage("lower");
  if (context.trace.record_firings) lowered.rewrites = context.trace.explain();
  return lowered;
}

}  // namespace gnomon
