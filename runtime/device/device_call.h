// What the library does for functions that run kernels on a device, while a call of one runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/device/device.h"

namespace gnomon {

/// A compiled function's kernels in a device, and its constants there.
class DeviceFunction {
 public:
  /// Loads them; null: there are none. DeviceError: the device refuses.
  DeviceFunction(Device& device, const gnomon_device_record* record, std::string name);

  Device& device() const { return device_; }
  /// What the memory of its calls is for, in messages.
  const std::string& name() const { return name_; }
  const DeviceCode& code() const { return *code_; }
  /// The constant of these bytes in the device's memory, copied once.
  void* constant(const void* bytes, std::int64_t count);

 private:
  Device& device_;
  std::string name_;
  std::shared_ptr<const DeviceCode> code_;
  std::mutex mutex_;  // of the constants
  std::map<const void*, DeviceMemory> constants_;
};

/// The memory of one running call in one of the devices that its function has.
struct DeviceCall {
  DeviceCall(DeviceFunction& function, std::span<DeviceCall> all) : function(function), all(all) {}

  /// What the work that is queued next, and that alone, works in.
  void* scratch_of(std::size_t bytes);

  DeviceFunction& function;
  std::span<DeviceCall> all;  // in the order of the function's devices
  std::vector<DeviceMemory> memory;
  DeviceMemory failure;

 private:
  DeviceMemory scratch_;
  std::size_t scratch_bytes_ = 0;
};

/// Adds the services of a device to a table.
void add_device_services(gnomon_services& table, const Device& device);

}  // namespace gnomon
