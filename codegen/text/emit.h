// Module -> text of C++ units: kernels, and the host function that runs them.
#pragma once

#include <string>
#include <vector>

#include "codegen/module/module.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

/// The units of a module: kernels in groups, the host function last.
std::vector<Unit> emit(const Module& module, const std::string& comment);

}  // namespace gnomon
