// The signature of a module's function, and the layout of its plans.
#include "codegen/text/signature.h"

#include <map>
#include <utility>

#include "codegen/module/held_buffers.h"
#include "codegen/module/profiled_steps.h"
#include "codegen/text/host_names.h"

namespace gnomon {

namespace {

// The extents of a shape, by the names that the units give them.
std::vector<std::string> extents_of(const Shape& shape, const HostNames& names) {
  std::vector<std::string> texts;
  for (const Dim& d : shape)
    texts.push_back(d.text([&](const Atom& atom) { return names.dimension(atom); }));
  return texts;
}

// The names of the symbols, in the order of their numbers.
std::vector<std::string> symbols_of(const Module& module, const HostNames& names) {
  std::map<std::uint64_t, std::string> by_number;
  for (const DimensionSlot& slot : module.dimensions)
    if (slot.atom->kind == Atom::Kind::symbol)
      by_number.emplace(slot.atom->number, names.dimension(*slot.atom));
  std::vector<std::string> symbols;
  for (const auto& [number, name] : by_number) symbols.push_back(name);
  return symbols;
}

}  // namespace

PlanLayout layout_of(const Module& module) {
  PlanLayout layout;
  layout.dimension_count = static_cast<int>(module.dimensions.size());
  std::size_t offsets = module.workspace.size();
  for (const std::vector<int>& of_device : module.device_workspaces) offsets += of_device.size();
  layout.offset_count = static_cast<int>(offsets);
  layout.devices = static_cast<int>(module.devices.size());
  for (const int b : module.outputs)
    layout.output_ranks.push_back(static_cast<int>(module.buffers[b].shape.size()));
  return layout;
}

Signature signature_of(const Module& module) { return signature_of(module, HostNames(module, "")); }

Signature signature_of(const Module& module, const HostNames& names) {
  Signature signature;
  for (const Buffer& b : module.buffers)
    if (b.role == Buffer::Role::parameter)
      signature.inputs.push_back({b.name, b.dtype, static_cast<int>(b.shape.size()),
                                  extents_of(b.shape, names), b.device});
  const PlanLayout layout = layout_of(module);
  for (std::size_t i = 0; i < module.outputs.size(); ++i) {
    const Buffer& o = module.buffers[module.outputs[i]];
    signature.outputs.push_back({o.name, o.dtype, layout.output_ranks[i],
                                 extents_of(o.shape, names), layout.shape(i),
                                 module.is_late(o.shape), module.over[i], o.device});
  }
  signature.symbols = symbols_of(module, names);
  signature.failures = module.failures;
  signature.messages = module.messages;
  signature.extent_parameters = module.extent_parameters;
  signature.kernels = module.kernel_calls();
  signature.products = module.products();
  signature.memory_table = module.memory_table;
  for (ProfiledStep& s : profiled_steps(module)) signature.steps.push_back(std::move(s.about));
  for (HeldBuffer& b : held_buffers(module)) signature.memory.push_back(std::move(b.about));
  return signature;
}

}  // namespace gnomon
