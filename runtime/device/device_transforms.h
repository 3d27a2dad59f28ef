// Fourier transforms on a device, by NVIDIA's cuFFT.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "runtime/abi.h"
#include "runtime/device/cufft_functions.h"

namespace gnomon {

class Device;

/// The library's plans for the transforms that a device was asked for. Any thread may use it.
class DeviceTransforms {
 public:
  DeviceTransforms(Device& device, const Cufft& library) : device_(device), library_(library) {}
  DeviceTransforms(const DeviceTransforms&) = delete;
  DeviceTransforms& operator=(const DeviceTransforms&) = delete;

  /// Queues a routine that is a Fourier transform (runtime/routines.h). `workspace` gives memory of
  /// the device for so many bytes. DeviceError: the library refuses.
  void transform(const gnomon_routine& routine, const std::function<void*(std::size_t)>& workspace);

 private:
  using Key = std::array<std::int64_t, 5>;
  struct Made {
    cufft::Plan plan = 0;
    std::size_t bytes = 0;  // that it works in
  };

  const Made& plan_of(const gnomon_routine& routine);
  int make(const gnomon_routine& routine, Made& made) const;
  void clear_imaginary(const gnomon_routine& routine, char* lines) const;
  int run(const gnomon_routine& routine, cufft::Plan plan, void* in, void* out) const;
  void check(int status, const gnomon_routine& routine) const;

  Device& device_;
  const Cufft& library_;
  std::mutex mutex_;  // of the plans, which keep where they work
  std::map<Key, Made> plans_;
};

}  // namespace gnomon
