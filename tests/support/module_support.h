// What tests of modules share: an optimised graph as a module that is ready to be printed.
#pragma once

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"

namespace gnomon::test {

inline Module module_of(const Graph& optimized, const Target& target) {
  Context context;
  return run_module_passes(lower(optimized, target), target, context);
}

}  // namespace gnomon::test
