// Prints gnomon_plan: extents, checks, places in the workspace, extents of the outputs.
#include "codegen/text/plan_function.h"

#include <fmt/format.h>

#include "codegen/text/service_text.h"
#include "codegen/text/signature.h"

namespace gnomon {

namespace {

std::string read_dimensions(const Module& module, const HostNames& names) {
  std::string text;
  for (std::size_t d = 0; d < module.dimensions.size(); ++d) {
    const DimensionSlot& slot = module.dimensions[d];
    if (slot.extent == -1) continue;
    text += fmt::format("  const i64 {} = plan[{}] = extents[{}];\n", names.dimension(d),
                        PlanLayout::dimensions + d, slot.extent);
  }
  return text;
}

std::string check_extents(const Module& module, const HostNames& names) {
  std::string text;
  for (const PlanCheck& c : module.plan_checks) {
    const std::string left =
        c.extent >= 0 ? fmt::format("extents[{}]", c.extent) : names.spelled(c.left);
    text += fmt::format("  if ({} != {}) return {};\n", left, names.spelled(c.right), c.number);
  }
  for (std::size_t d = 0; d < module.dimensions.size(); ++d)
    if (module.dimensions[d].extent != -1) text += fmt::format("  (void){};\n", names.dimension(d));
  return text;
}

std::string memory_name(int buffer) { return fmt::format("memory_of_{}", buffer); }

// What services work in, and the most that any of them or a kernel needs for each worker.
std::string service_memory(const Module& module, const HostNames& names) {
  std::string text;
  std::string own = names.spelled(module.bytes_per_worker);
  for (const int b : module.workspace) {
    const Buffer& buffer = module.buffers[b];
    if (buffer.memory_of == nullptr) continue;
    const std::string bytes = memory_name(b);
    text += fmt::format("  i64 {}[2];\n  {}\n", bytes, memory_text(buffer, bytes, names));
    own = fmt::format("gn::maximum<i64>({}, {}[1])", own, bytes);
  }
  return text + fmt::format("  plan[{}] = {};\n", PlanLayout::per_worker, own);
}

// The offsets of a workspace's buffers from position `first` on, and the bytes of the whole.
std::string place_buffers(const Module& module, const HostNames& names,
                          const std::vector<int>& buffers, int first, int total) {
  if (buffers.empty()) return fmt::format("  plan[{}] = 0;\n", total);
  std::string sizes, lives;
  for (const int b : buffers) {
    const Buffer& buffer = module.buffers[b];
    sizes += (buffer.memory_of ? memory_name(b) + "[0]" : names.whole_lines(buffer)) + ", ";
    lives += fmt::format("{{{}, {}}}, ", buffer.first, buffer.last);
  }
  return fmt::format(
      "  const i64 sizes[] = {{{1}}};\n  static const i32 lives[][2] = {{{2}}};\n"
      "  i32 order[{0}];\n  plan[{4}] = gn::place_buffers({0}, sizes, lives, order, plan + {3});\n",
      buffers.size(), sizes.substr(0, sizes.size() - 2), lives.substr(0, lives.size() - 2), first,
      total);
}

std::string place_workspace(const Module& module, const HostNames& names,
                            const PlanLayout& layout) {
  std::string text =
      place_buffers(module, names, module.workspace, layout.offsets(), PlanLayout::workspace);
  int first = layout.offsets() + static_cast<int>(module.workspace.size());
  for (int d = 0; d < layout.devices; ++d) {
    const std::vector<int>& buffers = module.device_workspaces[static_cast<std::size_t>(d)];
    text += "  {\n";
    text += place_buffers(module, names, buffers, first, layout.device_workspace(d));
    text += "  }\n";
    first += static_cast<int>(buffers.size());
  }
  return text;
}

std::string write_shapes(const Module& module, const HostNames& names, const PlanLayout& layout) {
  std::string text;
  for (std::size_t i = 0; i < module.outputs.size(); ++i) {
    int at = layout.shape(i);
    for (const Dim& d : module.buffers[module.outputs[i]].shape)
      text +=
          fmt::format("  plan[{}] = {};\n", at++, module.is_late({d}) ? "-1" : names.spelled(d));
  }
  return text;
}

}  // namespace

std::string plan_function(const Module& module, const HostNames& names) {
  const PlanLayout layout = layout_of(module);
  return "\n" + names.head_of("plan") + "([[maybe_unused]] const i64* extents, i64* plan) {\n" +
         read_dimensions(module, names) + check_extents(module, names) +
         service_memory(module, names) + place_workspace(module, names, layout) +
         write_shapes(module, names, layout) + "  return 0;\n}\n";
}

}  // namespace gnomon
