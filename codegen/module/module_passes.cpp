// The array of passes over modules, the reasons for its order, and the driver.
#include "codegen/module/module_passes.h"

#include <array>
#include <utility>

#include "codegen/module/accesses.h"
#include "codegen/module/verify_module.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

constexpr std::array passes = {
    ModulePass{"find_in_place",
               "Writes outputs over parameters, and states of loops over themselves, where nothing "
               "needs the old values any more.",
               find_in_place},
    ModulePass{"continue_in_place",
               "Lets loops go on in the memory of what they begin with, and leave results there.",
               continue_in_place},
    ModulePass{
        "place",
        "Lets a device run the kernels, and puts copies where its memory and the host's meet.",
        place},
    ModulePass{"split_launches",
               "Makes several launches of a kernel whose blocks would wait for one another.",
               split_launches},
    ModulePass{"group_side_by_side",
               "Puts heavy steps that do not need each other's results side by side.",
               group_side_by_side},
    ModulePass{"inline_in_loops",
               "Makes small kernels in loops part of the function that runs the steps, and keeps "
               "what only they touch in registers.",
               inline_in_loops},
    ModulePass{"find_lives", "Finds how long each buffer lives.", find_lives},
};

constexpr std::array reasons = {
    PassOrder{"find_in_place", "group_side_by_side",
              "what is written over a parameter must not move before a step that may fail"},
    PassOrder{"find_in_place", "continue_in_place", "a state that has one buffer is known by then"},
    PassOrder{"continue_in_place", "place", "what is one memory has one place"},
    PassOrder{"place", "split_launches", "kernels of the host wait for their threads themselves"},
    PassOrder{"split_launches", "find_lives", "parts of a kernel hand numbers on in memory"},
    PassOrder{"place", "group_side_by_side", "work on a device is queued in order"},
    PassOrder{"continue_in_place", "group_side_by_side",
              "of steps at once none may write into the memory of another"},
    PassOrder{"group_side_by_side", "inline_in_loops",
              "steps that are called make memory of their buffers, wherever they stand"},
    PassOrder{"inline_in_loops", "find_lives", "variables take no part of the workspace"},
    PassOrder{"group_side_by_side", "find_lives", "lives are positions in the order of steps"},
};

// Debug builds verify by default, tests and users of other builds by the environment.
bool verifies(const Context& context) {
  static const bool is_asked = environment("GNOMON_VERIFY").has_value();
  return is_asked || context.options.verify;
}

// With those inside others.
std::size_t count_steps(const std::vector<Step>& steps) {
  std::size_t count = steps.size();
  for (const Step& step : steps)
    for_each_inner(step, [&](const std::vector<Step>& inner) { count += count_steps(inner); });
  return count;
}

}  // namespace

std::span<const ModulePass> all_module_passes() { return passes; }

std::span<const PassOrder> module_pass_order_reasons() { return reasons; }

Module run_module_pass(const ModulePass& pass, Module module, const Target& target,
                       Context& context) {
  const bool dumps = !context.options.dump_folder.empty();
  const std::string before = dumps ? module.text() : "";
  const std::size_t steps = count_steps(module.steps);
  PassRecord& record = run_as_pass(pass.name, context, [&] {
    pass.run(module, target);
    if (verifies(context)) verify(module);
  });
  record.size_before = steps;
  record.size_after = count_steps(module.steps);
  if (!dumps) return module;
  const std::string after = module.text();
  if (after != before) dump_stage(context, "txt", after);
  return module;
}

Module run_module_passes(Module module, const Target& target, Context& context) {
  if (verifies(context)) verify(module);
  for (const ModulePass& pass : passes)
    module = run_module_pass(pass, std::move(module), target, context);
  return module;
}

}  // namespace gnomon
