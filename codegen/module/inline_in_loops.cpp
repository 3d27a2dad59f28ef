// Small kernels inside loops become part of the function that runs the loop, and small buffers that
// only they touch become its variables: a step calls nothing, and its states are in registers.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>

#include "codegen/cuda/launch.h"
#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/profiled_steps.h"
#include "passes/engine/decisions.h"

namespace gnomon {

namespace {

constexpr std::size_t most_statements = 1500;  // of a kernel that is inlined
constexpr std::int64_t most_elements = 64;     // of a buffer that is a variable

bool has_constant_extents(const Shape& shape) {
  return std::ranges::all_of(shape, [](const Dim& d) { return d.is_constant(); });
}

// Threads that would get a piece each are asked for none where all iterations are one piece.
void run_single_pieces_at_once(Kernel& kernel) {
  if (has_scratch(kernel)) return;  // which is a worker's
  const auto number = [&](int i) -> std::optional<std::int64_t> {
    const bool known = i >= 0 && kernel.body[i].code == Code::constant;
    return known ? std::optional(kernel.body[i].value.i) : std::nullopt;
  };
  for (const Statement& s : kernel.body) {
    if (s.code != Code::loop || kernel.axes[s.axis].kind != AxisKind::parallel) continue;
    Axis& axis = kernel.axes[s.axis];
    const auto from = number(s.args[0]), to = number(s.args[1]), piece = number(axis.grain);
    if (from && to && piece && *to - *from <= *piece) axis.kind = AxisKind::serial, axis.grain = -1;
  }
}

bool is_shared_by_threads(const Kernel& kernel) {
  const auto is_shared = [](const Axis& a) { return a.kind == AxisKind::parallel; };
  return std::ranges::any_of(kernel.axes, is_shared);
}

// One thread runs all of it, without scratch.
bool is_small(const Kernel& kernel) {
  return kernel.body.size() <= most_statements && !has_scratch(kernel) &&
         !is_shared_by_threads(kernel);
}

std::string reason_of(const Kernel& kernel) {
  if (kernel.body.size() > most_statements)
    return fmt::format("it has {} statements, more than {}", kernel.body.size(), most_statements);
  if (has_scratch(kernel)) return "each thread needs memory of its own for it";
  if (is_shared_by_threads(kernel)) return "threads may share its elements";
  return "it is small, and one thread runs it";
}

// Whether each loop of a kernel has a length that is in its text.
bool has_known_lengths(const Kernel& kernel) {
  return std::ranges::all_of(kernel.body, [&](const Statement& s) {
    return s.code != Code::loop || kernel.body[s.args[1]].code == Code::constant;
  });
}

class Inliner {
 public:
  explicit Inliner(Module& module) : module_(module), calls_(module.buffers.size()) {}

  void run() {
    walk(module_.steps, false);
    for (std::size_t b = 0; b < module_.buffers.size(); ++b) {
      Buffer& buffer = module_.buffers[b];
      const bool is_free =
          buffer.role == Buffer::Role::workspace && !calls_[b] && !buffer.is_on_device();
      if (is_free && has_constant_extents(buffer.shape) &&
          element_count(buffer.shape).constant() <= most_elements)
        buffer.role = Buffer::Role::variable;
    }
  }

 private:
  // Returns whether the steps are over before anybody could want to interrupt them.
  bool walk(std::vector<Step>& steps, bool in_loop) {
    bool is_brief = true;
    for (Step& step : steps) {
      const bool own = std::visit([&](auto& s) { return see(s, in_loop); }, step.what);
      if (in_loop && module_.decisions != nullptr) note(step);
      is_brief = own && is_brief;
      if (is_called(step))
        for (const BufferUse& use : accesses(module_, step)) calls_[use.buffer] = true;
    }
    return is_brief;
  }

  void note(const Step& step) const {
    const auto* call = std::get_if<KernelStep>(&step.what);
    if (call == nullptr) return;
    const Kernel& kernel = module_.kernels[call->kernel];
    module_.decisions->add({"inline_in_loops",
                            "part of the loop",
                            kernel.inlined,
                            name_of_step(module_, step),
                            {},
                            reason_of(kernel),
                            step.nodes});
  }

  // Whether a step gives its buffers to functions that are called.
  bool is_called(const Step& step) const {
    if (const auto* s = std::get_if<KernelStep>(&step.what))
      return !module_.kernels[s->kernel].inlined;
    return std::holds_alternative<ServiceStep>(step.what) ||
           std::holds_alternative<PrintStep>(step.what);
  }

  bool see(KernelStep& s, bool in_loop) {
    if (s.device != of_host) return false;
    Kernel& kernel = module_.kernels[s.kernel];
    if (in_loop) run_single_pieces_at_once(kernel);
    kernel.inlined = in_loop && is_small(kernel);
    return kernel.inlined && has_known_lengths(kernel);
  }
  bool see(LoopStep& s, bool) {
    s.is_brief = walk(s.body, true);
    return false;
  }
  bool see(ChoiceStep& s, bool in_loop) {
    const bool then = walk(s.then, in_loop);
    return walk(s.otherwise, in_loop) && then;
  }
  bool see(SideBySideStep& s, bool in_loop) {
    for (SideBySideStep::Branch& branch : s.branches) walk(branch.steps, in_loop);
    return false;
  }
  bool see(CopyStep& s, bool) { return has_constant_extents(module_.buffers[s.to].shape); }
  bool see(CheckStep& s, bool) { return has_constant_extents(module_.buffers[s.buffer].shape); }
  bool see(ExtentCheckStep&, bool) { return true; }
  bool see(DimensionStep&, bool) { return true; }
  bool see(ServiceStep&, bool) { return false; }
  bool see(AllocateStep&, bool) { return false; }
  bool see(PrintStep&, bool) { return false; }

  Module& module_;
  std::vector<bool> calls_;  // buffers that functions get, which are memory
};

}  // namespace

void inline_in_loops(Module& module, const Target&) { Inliner(module).run(); }

}  // namespace gnomon
