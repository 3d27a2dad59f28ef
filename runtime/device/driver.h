// The functions of NVIDIA's driver, opened: those of the driver itself or of the simulator, which
// has the same ones.
#pragma once

#include <string>

#include "runtime/device/driver_functions.h"

namespace gnomon {

/// NVIDIA's driver. DeviceError: it is not there, or too old; the text says what was looked for.
const Driver& cuda_driver();
/// The CUDA that it is of: 13; 0 without one.
int cuda_of_driver();
/// The simulated one, of libgnomon-sim.
const Driver& simulated_driver();

/// What has it.
void* simulated_library();

/// "CUDA_ERROR_OUT_OF_MEMORY: out of memory".
std::string error_text(const Driver& driver, int error);

}  // namespace gnomon
