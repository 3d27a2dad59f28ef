// Prints gnomon_run: its dimensions, its buffers, then the steps.
#include "codegen/text/run_function.h"

#include <fmt/format.h>

#include <algorithm>

#include "codegen/text/print_steps.h"
#include "codegen/text/signature.h"
#include "runtime/abi.h"

namespace gnomon {

namespace {

// All values of dimensions in `dims`, which kernels read, and each by its name. Late ones are
// written during the call, so those functions have an array of their own.
std::string dimensions(const Module& module, const HostNames& names) {
  const std::size_t count = module.dimensions.size();
  const bool late = std::any_of(module.dimensions.begin(), module.dimensions.end(),
                                [](const DimensionSlot& d) { return d.extent == -1; });
  std::string text;
  if (late)
    text =
        fmt::format("  i64 dims[{0}];\n  for (int d = 0; d < {0}; ++d) dims[d] = plan[{1} + d];\n",
                    count, PlanLayout::dimensions);
  else
    text = fmt::format("  [[maybe_unused]] const i64* dims = plan + {};\n", PlanLayout::dimensions);
  for (std::size_t d = 0; d < count; ++d)
    if (module.dimensions[d].extent != -1)
      text += fmt::format("  [[maybe_unused]] const i64 {} = dims[{}];\n", names.dimension(d), d);
    else
      text += fmt::format("  [[maybe_unused]] i64 {} = 0;\n", names.dimension(d));
  return text;
}

// Where the offset of a buffer of the workspace stands in the plan. Those of devices are behind
// those of the host's.
int plan_position(const Module& module, const PlanLayout& layout, std::size_t b) {
  const int device = module.buffers[b].device;
  const std::vector<int>* buffers = &module.workspace;
  auto first = static_cast<std::ptrdiff_t>(layout.offsets());
  for (int d = 0; d <= device; ++d) {
    first += std::ssize(*buffers);
    buffers = &module.device_workspaces[static_cast<std::size_t>(d)];
  }
  const auto at = std::ranges::lower_bound(*buffers, static_cast<int>(b)) - buffers->begin();
  return static_cast<int>(first + at);
}

std::string name_of_workspace(const Module& module, int device) {
  return module.devices.size() == 1 ? "device_workspace"
                                    : fmt::format("device_workspace_{}", device);
}

std::string device_workspaces(const Module& module) {
  std::string text;
  for (int d = 0; d < std::ssize(module.devices); ++d) {
    if (module.device_workspaces[static_cast<std::size_t>(d)].empty()) continue;
    text += fmt::format(
        "{}  char* const {} = (char*)services->device_allocate(context, plan[{}]);\n"
        "  if (!{}) return {};\n",
        use_of_device(module, d, "  "), name_of_workspace(module, d),
        layout_of(module).device_workspace(d), name_of_workspace(module, d),
        static_cast<int>(GNOMON_NO_MEMORY));
  }
  return text;
}

// What the pointer of a buffer is made of; empty: nothing uses the buffer.
std::string memory_of(const Module& module, const HostNames& names, const PlanLayout& layout,
                      std::size_t b) {
  const Buffer& buffer = module.buffers[b];
  switch (buffer.role) {
    case Buffer::Role::parameter: return fmt::format("buffers[{}]", buffer.number);
    case Buffer::Role::output:
      return module.is_late(buffer.shape)
                 ? "nullptr"
                 : fmt::format("buffers[{}]", module.parameters + buffer.number);
    case Buffer::Role::constant:
      return buffer.is_on_device() ? fmt::format("services->device_constant(context, {}, {})",
                                                 names.constant(b), buffer.value.bytes())
                                   : names.constant(b);
    case Buffer::Role::late:
    case Buffer::Role::row: return "nullptr";
    case Buffer::Role::variable: return {};
    case Buffer::Role::workspace: break;
  }
  if (buffer.first < 0) return {};
  return fmt::format(
      "{} + plan[{}]",
      buffer.is_on_device() ? name_of_workspace(module, buffer.device) : "(char*)workspace",
      plan_position(module, layout, b));
}

std::string pointers(const Module& module, const HostNames& names) {
  const PlanLayout layout = layout_of(module);
  std::string text;
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    const Buffer& buffer = module.buffers[b];
    const std::string type(memory_name(buffer.dtype));
    if (buffer.role == Buffer::Role::variable && buffer.first >= 0)
      text += fmt::format("  [[maybe_unused]] alignas(64) {} {}[{}];\n", type, names.buffer(b),
                          element_count(buffer.shape).constant());
    else if (const std::string memory = memory_of(module, names, layout, b); !memory.empty())
      text += fmt::format(
          "{3}  [[maybe_unused]] {0}* {1} = ({0}*)({2});\n", type, names.buffer(b), memory,
          buffer.role == Buffer::Role::constant ? use_of_device(module, buffer.device, "  ") : "");
    if (buffer.role == Buffer::Role::constant && buffer.is_on_device())
      text += fmt::format("  if (!{}) return {};\n", names.buffer(b),
                          static_cast<int>(GNOMON_NO_MEMORY));
  }
  return text;
}

}  // namespace

std::string run_function(const Module& module, const std::vector<KernelFunction>& kernels,
                         const DeviceKernels& launched, HostNames& names) {
  const std::string call = fmt::format(
      "  bool has_failed = false;\n"
      "  const gn::Call call{{services, context, static_cast<char*>(workspace) + plan[{}], "
      "plan[{}], &has_failed}};\n",
      PlanLayout::workspace, PlanLayout::per_worker);
  const char* const laps = module.profile
                               ? "  gnomon_profile* const profile = services->profile(context);\n"
                                 "  gn::Laps laps(profile);\n"
                               : "";
  return "\n" + names.head_of("run") +
         "(const gnomon_services* services, gnomon_context* context, [[maybe_unused]] void* "
         "const* buffers, const i64* plan, void* workspace) {\n" +
         call + device_workspaces(module) + dimensions(module, names) + pointers(module, names) +
         laps + print_steps(module, kernels, launched, names) +
         (launched.has_checks ? "  return services->device_failed(context);\n}\n"
                              : "  return 0;\n}\n");
}

}  // namespace gnomon
