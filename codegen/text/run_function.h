// The function of an object that does the work of a call.
#pragma once

#include <string>
#include <vector>

#include "codegen/text/device_kernels.h"
#include "codegen/text/host_names.h"
#include "codegen/text/kernel_units.h"

namespace gnomon {

/// The text of `gnomon_run`: see runtime/abi.h. `kernels`: the function of each kernel.
std::string run_function(const Module& module, const std::vector<KernelFunction>& kernels,
                         const DeviceKernels& launched, HostNames& names);

}  // namespace gnomon
