// Products of matrices on a device, by NVIDIA's cuBLASLt where that is found.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/device/cublas_functions.h"

namespace gnomon {

class Device;

/// The library's way to each product that a device was asked for. Any thread may use it.
class DeviceProducts {
 public:
  /// DeviceError: the library does not start.
  DeviceProducts(Device& device, const Cublas& library);
  DeviceProducts(const DeviceProducts&) = delete;
  DeviceProducts& operator=(const DeviceProducts&) = delete;

  /// Queues a product with terms and results. `workspace` gives memory of the device for so many
  /// bytes. DeviceError: the library refuses.
  void multiply(const gnomon_gemm& product, const std::function<void*(std::size_t)>& workspace);

 private:
  struct Plan;
  void multiply_batch(const gnomon_gemm& product,
                      const std::function<void*(std::size_t)>& workspace);
  std::shared_ptr<const Plan> plan_of(const gnomon_gemm& product);
  std::shared_ptr<const Plan> planned(const gnomon_gemm& product,
                                      std::span<const std::int64_t> key) const;
  void check(int status, const gnomon_gemm& product) const;

  Device& device_;
  const Cublas& library_;
  lt::Handle handle_ = nullptr;
  std::mutex mutex_;  // of the plans
  std::map<std::vector<std::int64_t>, std::shared_ptr<const Plan>> plans_;
};

}  // namespace gnomon
