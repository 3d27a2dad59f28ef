// The memory that a kernel under construction reads and writes.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/kernels/kernel_builder.h"

namespace gnomon {

class Storage;

/// The buffers of a kernel, and those of the module behind them.
class KernelParameters {
 public:
  KernelParameters(KernelBuilder& kernel, Storage& storage) : k_(kernel), storage_(storage) {}

  /// The kernel's buffer for one of the module, which it reads or writes from now on.
  int of(int buffer, DType t, const Dim& elements, bool writes);
  /// A further buffer: memory of each thread.
  int add_scratch(const std::string& name, DType t, const Dim& elements);
  /// Buffer of the module behind each of the kernel's; -1 for scratch.
  const std::vector<int>& buffers() const { return buffers_; }

 private:
  KernelBuilder& k_;
  Storage& storage_;
  std::unordered_map<int, int> known_;  // module buffer -> kernel buffer
  std::vector<int> buffers_;
};

}  // namespace gnomon
