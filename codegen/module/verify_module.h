// Checks of a module, of every state of it between lowering and printing.
#pragma once

#include "codegen/module/module.h"

namespace gnomon {

/// InternalError naming the step, and the line of a kernel: what is read was written before, and is
/// not written after; so it is of allocated memory and known extents, and of branches side by side.
void verify_order(const Module& module);

/// The same, and each kernel by itself.
void verify(const Module& module);

}  // namespace gnomon
