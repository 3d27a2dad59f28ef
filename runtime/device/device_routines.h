// Routines along an axis and convolutions on a device: the stages of each, one launch after the
// other, of a kernel that generated code has for it.
#pragma once

#include <cstddef>
#include <functional>

#include "runtime/abi.h"
#include "runtime/device/device.h"

namespace gnomon {

/// Where the kernel of a routine runs.
struct RoutineOnDevice {
  Device& device;
  const DeviceCode& code;
  int kernel;
  /// Memory of the device for the routine.
  std::function<void*(std::size_t bytes)> memory;
};

/// Queue all stages. They throw what the device does.
void run_on_device(const RoutineOnDevice& where, const gnomon_lines& what);
void run_on_device(const RoutineOnDevice& where, const gnomon_convolution& what);

/// The most blocks that a launch on the device is worth.
std::int64_t blocks_of_launch(const Device& device);

}  // namespace gnomon
