// A kernel as several launches, between which all blocks have ended.
#pragma once

#include <vector>

#include "ir/kernel/kernel.h"

namespace gnomon {

/// A part of a kernel, which is a kernel by itself.
struct KernelPart {
  Kernel kernel;
  /// What each of its buffers is: one of the whole kernel's by position, or behind those a number
  /// that parts hand on.
  std::vector<int> buffers;
};

struct SplitKernel {
  std::vector<KernelPart> parts;
  std::vector<DType> numbers;  ///< that parts hand on, by their dtypes
};

/// Each outermost loop whose iterations blocks share is a part; what one block does stays together
/// where nothing else is in between. One part: nothing is won.
SplitKernel split_kernel(const Kernel& kernel);

}  // namespace gnomon
