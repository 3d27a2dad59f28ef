// The function of an object that checks the extents of a call and plans it.
#pragma once

#include <string>

#include "codegen/text/host_names.h"

namespace gnomon {

/// The text of `gnomon_plan`: see runtime/abi.h and runtime/plan_layout.h.
std::string plan_function(const Module& module, const HostNames& names);

}  // namespace gnomon
