// Linear algebra on a device, by NVIDIA's cuSOLVER.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/abi.h"
#include "runtime/device/cusolver_functions.h"

namespace gnomon {

class Device;

/// What a routine's own kernel is launched with: how many items a stage has, and its parameters.
using LaunchOfStage = std::function<void(std::int64_t items, void* const* parameters)>;

/// Where a matrix without a result is told of: the record in the device's memory, the number of the
/// check that fails, and what the message says of it.
struct MatrixReport {
  void* failure = nullptr;
  std::int32_t check = 0;
  std::int64_t bound = 0;
};

/// The library as a device uses it. Any thread may use it.
class DeviceMatrices {
 public:
  /// DeviceError: the library does not start.
  DeviceMatrices(Device& device, const Cusolver& library);
  DeviceMatrices(const DeviceMatrices&) = delete;
  DeviceMatrices& operator=(const DeviceMatrices&) = delete;

  /// Queues a routine on matrices (runtime/routines.h). `of`: the function that asks for it, in
  /// messages. DeviceError: the library refuses, or has no such routine.
  void run(const gnomon_routine& routine, const LaunchOfStage& launch, const MatrixReport& report,
           const std::string& of);

 private:
  friend class MatrixCall;

  int start();
  [[noreturn]] void refuse(std::string_view library, int status,
                           const gnomon_routine& routine) const;

  Device& device_;
  const Cusolver& library_;
  std::mutex mutex_;  // of the rest
  solver::Handle handle_ = nullptr;
  solver::Blas blas_ = nullptr;
  solver::Parameters parameters_ = nullptr;
  std::vector<char> host_memory_;  // that the library works in
};

}  // namespace gnomon
