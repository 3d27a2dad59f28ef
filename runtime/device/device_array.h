// Arrays in the memory of a device.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "runtime/arrays/array.h"
#include "runtime/device/device.h"

namespace gnomon {

/// The device whose memory an array is in; null: the host's.
Device* device_of(const Array& array);

/// Uninitialised and C-contiguous. `of`: what it is for, in messages. DeviceError: out of memory.
Array empty_on(Device& device, DType dtype, std::span<const std::int64_t> shape, std::string of);

/// Memory of a device that others own, C-contiguous; `keep_alive` is let go with the last handle.
Array borrow_on(Device& device, void* address, DType dtype, std::span<const std::int64_t> shape,
                std::shared_ptr<void> keep_alive);
/// A copy in the memory of the device that the array is in.
Array copy_on_device(const Array& array);

/// The elements in the memory of a device, C-contiguous: the array itself if it is there.
/// DeviceError as of copies.
Array to_device(Device& device, const Array& array, const std::string& of);
/// The elements in the host's memory: the array itself if it is there.
Array to_host(const Array& array);
std::vector<Array> to_host(std::span<const Array> arrays);

}  // namespace gnomon
