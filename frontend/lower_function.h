// The stages of a compilation up to a module, as one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/fusion/rematerialize.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "frontend/close_function.h"
#include "frontend/compile_options.h"
#include "passes/engine/decisions.h"
#include "passes/pipeline.h"

namespace gnomon {

/// What is done to the results of stages, if anything is.
struct StageChanges {
  std::function<Graph(const Graph& optimized, Context& context)> graph;
  std::function<void(Module& lowered)> module;
};

/// The graph that is lowered, of one whose nodes know their positions.
Graph optimized_graph(const Closed& closed, const CompileOptions& options, Context& context);

/// A function that is optimised and lowered.
struct LoweredFunction {
  Graph graph;
  Module module;
  std::string rewrites;  // that were made, if the options ask or a folder takes them
};

/// The processor that options name, with the constants of the cost model, and what their device has
/// for the nodes of the graph. ValueError: a processor of another architecture.
Target target_of(const CompileOptions& options, const Graph& graph);
/// How the passes over graphs run for a target. `folder`: of `GNOMON_DUMP`.
Context context_of(const CompileOptions& options, const Target& target,
                   const std::optional<std::filesystem::path>& folder);

/// The optimised graph of a function, made anew as it was made when the function was compiled.
Graph optimized_graph(const struct Program& program);

/// The memory budget, with the shapes of all parameters: those of the inputs, of constants, of
/// variables; none without one. ValueError: not a shape for each input.
std::optional<MemoryBudget> memory_budget_of(const CompileOptions& options, const Closed& closed);

/// The first step of a module for a device in which the host works on arrays; null: there is none.
const Step* work_of_host(const Module& module, const std::vector<Step>& steps);

/// What became of a function on its way, for whoever asks.
struct LoweringRecord {
  Trace trace;  // with all firings
  Decisions decisions;
  std::vector<std::pair<std::string_view, Graph>> stages;  // what passes made that changed it
  std::vector<std::size_t> firings_until;  // by stage: firings of the trace up to its end
};

/// Runs them. `folder` receives what each pass makes; `stage` is told the name of each stage that
/// is over. With a `record` the rest goes there, and not to `rewrites`.
LoweredFunction lower_function(
    const Closed& closed, const CompileOptions& options, const Target& target,
    const std::optional<MemoryBudget>& budget,
    const std::optional<std::filesystem::path>& folder = std::nullopt,
    const std::function<void(const char*)>& stage = [](const char*) {},
    LoweringRecord* record = nullptr);

}  // namespace gnomon
