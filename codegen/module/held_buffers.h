// The memory that a call of a profiled function makes, and between which of its steps it counts.
#pragma once

#include <vector>

#include "codegen/module/module.h"
#include "runtime/signature.h"

namespace gnomon {

/// A buffer of a result, of the workspace, or that is allocated during the call.
struct HeldBuffer {
  int buffer;
  SignatureBuffer about;
};

/// Those that the steps of `profiled_steps` use, in the order of the module; none of a function
/// that is not profiled. Their positions are their numbers.
std::vector<HeldBuffer> held_buffers(const Module& module);

}  // namespace gnomon
