// The steps of a module as statements of its host function.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codegen/text/device_kernels.h"
#include "codegen/text/host_names.h"
#include "codegen/text/kernel_units.h"

namespace gnomon {

/// The line after which services are about a device, of functions that have several.
std::string use_of_device(const Module& module, int device, std::string_view indent);

/// `kernels`: the function of each kernel.
std::string print_steps(const Module& module, const std::vector<KernelFunction>& kernels,
                        const DeviceKernels& launched, HostNames& names);

}  // namespace gnomon
