// Module -> text of C++ units: kernels, and the host function that runs them.
#pragma once

#include <string>
#include <vector>

#include "codegen/module/module.h"
#include "codegen/text/host_names.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

/// The units of a module: kernels in groups, the host function last. The names of all its symbols
/// begin with `prefix`: functions of different ones can be in one program. ValueError: it is no
/// identifier.
std::vector<Unit> emit(const Module& module, const std::string& comment,
                       const std::string& prefix = "gnomon", Callers callers = Callers::runtime);

}  // namespace gnomon
