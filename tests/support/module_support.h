// What tests of modules share: an optimised graph as a module that is ready to be printed.
#pragma once

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/verify_module.h"
#include "tests/support/passes_support.h"

namespace gnomon::test {

inline Module module_of(const Graph& optimized, const Target& target) {
  Context context;
  return run_module_passes(lower(optimized, target), target, context);
}

/// Of expressions, checked.
inline Module module_of(const std::vector<Expr>& outputs) {
  Context context = checked_context();
  Module module = module_of(optimize(close(outputs), context), target_named("x86-64-v3"));
  verify(module);
  return module;
}

}  // namespace gnomon::test
