// A device that runs kernels in memory of its own: a GPU of NVIDIA, or the simulated one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/device/device_matrices.h"
#include "runtime/device/device_name.h"
#include "runtime/device/device_products.h"
#include "runtime/device/device_transforms.h"
#include "runtime/device/driver.h"

namespace gnomon {

class Device;

/// Memory of a device, which goes back to it behind the work that was queued so far.
class DeviceMemory {
 public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory&& other) noexcept
      : device_(std::exchange(other.device_, nullptr)), at_(std::exchange(other.at_, 0)) {}
  DeviceMemory& operator=(DeviceMemory&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(at_, other.at_);
    return *this;
  }
  ~DeviceMemory();

  /// Its address there. On the host it is a number, to be given to kernels.
  void* address() const noexcept { return reinterpret_cast<void*>(at_); }

 private:
  friend class Device;
  DeviceMemory(Device& device, cu::Pointer at) : device_(&device), at_(at) {}

  Device* device_ = nullptr;
  cu::Pointer at_ = 0;
};

/// Kernels that were loaded into a device.
class DeviceCode {
 public:
  ~DeviceCode();
  DeviceCode(const DeviceCode&) = delete;
  DeviceCode& operator=(const DeviceCode&) = delete;

 private:
  friend class Device;
  DeviceCode(Device& device, cu::Module module) : device_(device), module_(module) {}

  Device& device_;
  cu::Module module_;
  std::vector<cu::Function> functions_;
};

/// Work is queued in order, and done in that order; `wait` waits for all of it. Any thread may use
/// it. All functions throw DeviceError where the driver says that something failed, now or in work
/// that was queued before, and in a process that was forked from the one that opened the device.
class Device {
 public:
  /// Opened when it is asked for first, until the process ends. DeviceError: there is none.
  static Device& open(const DeviceName& name);

  const DeviceName& name() const { return name_; }
  /// What the driver calls it.
  const std::string& model() const { return model_; }
  /// "sm_90"; of the simulated one "sim".
  const std::string& architecture() const { return architecture_; }
  int multiprocessors() const { return multiprocessors_; }
  /// What multiplies matrices there; null: no library does. DeviceError: it does not start.
  DeviceProducts* products();
  /// And what transforms lines there, and does linear algebra.
  DeviceTransforms* transforms();
  DeviceMatrices* matrices();
  /// Makes the device's context the thread's.
  void enter() const;
  /// Its stream, by which other libraries wait for its work and it for theirs.
  std::uintptr_t stream() const { return reinterpret_cast<std::uintptr_t>(stream_); }
  /// Bytes that are free now, and all there are.
  std::pair<std::size_t, std::size_t> memory() const;

  /// At least one byte, aligned to 256, uninitialised. `of`: what it is for, which the error names
  /// when there is not enough memory.
  DeviceMemory allocate(std::size_t bytes, std::string of);
  /// The bytes may change as soon as it returns.
  void upload(void* to, const void* from, std::size_t bytes);
  /// The bytes are there behind the next `wait`.
  void download(void* to, const void* from, std::size_t bytes);
  void copy(void* to, const void* from, std::size_t bytes);
  /// From the memory of another device of its kind, which goes on behind the copy.
  void copy_from(Device& other, void* to, const void* from, std::size_t bytes);
  void fill(void* memory, unsigned char value, std::size_t bytes);
  /// Zeros the first `bytes`, a multiple of 4, of each of `lines` that begin `pitch` bytes apart.
  void clear_lines(void* memory, std::size_t pitch, std::size_t bytes, std::size_t lines);
  void wait();
  /// Waits, and gives back to the driver what was let go.
  void give_back();

  /// Loads an image: PTX or machine code, of the simulated one a shared object.
  std::shared_ptr<const DeviceCode> load(const void* image, std::span<const char* const> kernels);
  /// `parameters`: addresses of what each parameter of the kernel is.
  void launch(const DeviceCode& code, int kernel, std::int64_t blocks, int threads,
              void* const* parameters);

 private:
  friend class DeviceMemory;
  friend class DeviceCode;
  Device(DeviceName name, const Driver& driver);

  struct Holding {
    std::size_t bytes;
    std::string of;
  };

  template <class Library, class Functions>
  Library* library(std::unique_ptr<Library>& kept);
  void check(int result, std::string_view doing) const;
  void follow(const Device& other) const;
  void release(cu::Pointer at) noexcept;
  [[noreturn]] void throw_out_of_memory(std::size_t bytes, const std::string& of) const;

  DeviceName name_;
  const Driver& driver_;
  int process_;  // that opened it
  std::string model_, architecture_;
  int multiprocessors_ = 1;
  cu::Context context_ = nullptr;
  cu::Stream stream_ = nullptr;
  cu::Pool pool_ = nullptr;
  std::mutex libraries_mutex_;
  std::unique_ptr<DeviceProducts> products_;
  std::unique_ptr<DeviceTransforms> transforms_;
  std::unique_ptr<DeviceMatrices> matrices_;
  mutable std::mutex mutex_;  // of the rest
  std::map<cu::Pointer, Holding> holdings_;
};

}  // namespace gnomon
