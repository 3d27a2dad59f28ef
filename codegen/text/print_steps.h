// The steps of a module as statements of its host function.
#pragma once

#include <string>
#include <vector>

#include "codegen/text/device_kernels.h"
#include "codegen/text/host_names.h"

namespace gnomon {

/// `kernels`: the function of each kernel.
std::string print_steps(const Module& module, const std::vector<std::string>& kernels,
                        const DeviceKernels& launched, HostNames& names);

}  // namespace gnomon
