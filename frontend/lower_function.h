// The stages of a compilation up to a module, as one.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "codegen/fusion/rematerialize.h"
#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "frontend/close_function.h"
#include "frontend/compile_options.h"

namespace gnomon {

/// A function that is optimised and lowered.
struct LoweredFunction {
  Graph graph;
  Module module;
  std::string rewrites;  // that were made, if the options ask or a folder takes them
};

/// The memory budget, with the shapes of all parameters: those of the inputs, of constants, of
/// variables; none without one. ValueError: not a shape for each input.
std::optional<MemoryBudget> memory_budget_of(const CompileOptions& options, const Closed& closed);

/// Runs them. `folder` receives what each pass makes; `stage` is told the name of each stage that
/// is over.
LoweredFunction lower_function(
    const Closed& closed, const CompileOptions& options, const Target& target,
    const std::optional<MemoryBudget>& budget,
    const std::optional<std::filesystem::path>& folder = std::nullopt,
    const std::function<void(const char*)>& stage = [](const char*) {});

}  // namespace gnomon
