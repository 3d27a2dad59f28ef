// What tests of modules share: an optimised graph as a module that is ready to be printed.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/verify_module.h"
#include "tests/support/passes_support.h"

namespace gnomon::test {

inline Module module_of(const Graph& optimized, const Target& target) {
  Context context;
  return run_module_passes(lower(optimized, target), target, context);
}

/// The first loop among the steps, not inside others.
inline const LoopStep& first_loop(const Module& module) {
  const auto is_loop = [](const Step& s) { return std::holds_alternative<LoopStep>(s.what); };
  const auto at = std::ranges::find_if(module.steps, is_loop);
  REQUIRE(at != module.steps.end());
  return std::get<LoopStep>(at->what);
}

/// Of expressions, checked.
inline Module module_of(const std::vector<Expr>& outputs) {
  Context context = checked_context();
  Module module = module_of(run_passes(close(outputs), context), target_named("x86-64-v3"));
  verify(module);
  return module;
}

}  // namespace gnomon::test
