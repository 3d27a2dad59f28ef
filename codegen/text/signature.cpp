// The signature of a module's function, and the layout of its plans.
#include "codegen/text/signature.h"

namespace gnomon {

PlanLayout layout_of(const Module& module) {
  PlanLayout layout;
  layout.dimension_count = static_cast<int>(module.dimensions.size());
  layout.offset_count = static_cast<int>(module.workspace.size());
  for (const int b : module.outputs)
    layout.output_ranks.push_back(static_cast<int>(module.buffers[b].shape.size()));
  return layout;
}

Signature signature_of(const Module& module) {
  Signature signature;
  for (const Buffer& b : module.buffers)
    if (b.role == Buffer::Role::parameter)
      signature.inputs.push_back({b.name, b.dtype, static_cast<int>(b.shape.size())});
  const PlanLayout layout = layout_of(module);
  for (std::size_t i = 0; i < module.outputs.size(); ++i) {
    const Buffer& o = module.buffers[module.outputs[i]];
    signature.outputs.push_back({o.name, o.dtype, layout.output_ranks[i], layout.shape(i),
                                 module.is_late(o.shape), module.over[i]});
  }
  signature.failures = module.failures;
  signature.messages = module.messages;
  signature.extent_parameters = module.extent_parameters;
  signature.kernels = module.kernel_calls();
  signature.products = module.products();
  signature.memory_table = module.memory_table;
  return signature;
}

}  // namespace gnomon
