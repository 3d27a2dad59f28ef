// The passes over modules, between lowering and printing: one array, one driver.
#pragma once

#include <span>
#include <string_view>

#include "codegen/module/module.h"
#include "codegen/toolchain/target.h"
#include "passes/pipeline.h"

namespace gnomon {

/// Changes a module in place; what it computes stays the same.
struct ModulePass {
  std::string_view name, doc;
  void (*run)(Module&, const Target&);
};

/// Every pass in order.
std::span<const ModulePass> all_module_passes();
std::span<const PassOrder> module_pass_order_reasons();

/// Runs the passes over a module that was just lowered; then it can be printed. The trace gets a
/// record of each, with the number of steps. Where the options or GNOMON_VERIFY ask for it, the
/// module is verified first and after each pass. InternalError with the name of the pass.
Module run_module_passes(Module module, const Target& target, Context& context);
/// Runs one pass, as the driver does.
Module run_module_pass(const ModulePass& pass, Module module, const Target& target,
                       Context& context);

// The passes.

/// Finds the outputs that may be written over a parameter: the one each is the new value of, else
/// any donated one with its type. States that each step of a loop may write over become one buffer.
void find_in_place(Module&, const Target&);
/// A state of a loop that has one buffer has that of its first value, if this is not used
/// otherwise, and leaves its result there. What is not used then is not allocated.
void continue_in_place(Module&, const Target&);
/// Lets a device run the kernels, where the target has one: copies go between its memory and the
/// host's, each where it is needed first, before the loops that need the same one again.
void place(Module&, const Target&);
/// Kernels of a device whose blocks would have to wait for one another become several kernels.
void split_launches(Module&, const Target&);
/// Puts heavy steps that do not need each other's results side by side.
void group_side_by_side(Module&, const Target&);
/// Makes small kernels in loops part of the function that runs the steps, and small buffers that
/// only they touch its variables.
void inline_in_loops(Module&, const Target&);
/// Finds how long each buffer lives: those of the workspace that never live at once share memory.
void find_lives(Module&, const Target&);

}  // namespace gnomon
