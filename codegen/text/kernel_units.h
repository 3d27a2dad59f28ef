// The kernels of a module as functions, in units that can be compiled at once.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "codegen/text/device_kernels.h"
#include "codegen/text/host_names.h"
#include "codegen/toolchain/build.h"

namespace gnomon {

/// What a kernel is called by: a symbol, and the numbers behind its buffers.
struct KernelFunction {
  std::string symbol;
  std::vector<std::string> numbers;
};

struct KernelUnits {
  std::vector<Unit> units;
  std::vector<KernelFunction> functions;  // of each kernel
  // For the unit of the host function.
  std::string prototypes;
  std::string inlined;            // functions that become part of it
  std::set<std::string> headers;  // of them
};

/// Without those that a device runs. Kernels that differ in names only are one function, with the
/// names of the first; so are many that differ in numbers, which are its parameters.
KernelUnits kernel_units(const Module& module, const DeviceKernels& launched,
                         const HostNames& names);

}  // namespace gnomon
