// One buffer of the kernel for each of the module, and scratch.
#include "codegen/kernels/kernel_parameters.h"

#include "codegen/kernels/lower_nest.h"

namespace gnomon {

int KernelParameters::of(int buffer, DType t, const Dim& elements, bool writes) {
  const auto [known, fresh] = known_.try_emplace(buffer, 0);
  if (fresh) {
    known->second = k_.add_buffer({storage_.name_of(buffer), t, writes, !writes, false, elements});
    buffers_.push_back(buffer);
  } else {
    k_.mark(known->second, writes);
  }
  if (writes) k_.set_changing(known->second);
  return known->second;
}

int KernelParameters::add_scratch(const std::string& name, DType t, const Dim& elements) {
  buffers_.push_back(-1);
  return k_.add_buffer({name, t, true, true, true, elements});
}

}  // namespace gnomon
