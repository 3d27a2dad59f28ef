// Arrays that hold memory of a device, and copies of them.
#include "runtime/device/device_array.h"

#include <memory>
#include <utility>

#include "runtime/error.h"

namespace gnomon {

namespace {

struct Held {
  Held(Device& of, DeviceMemory own, std::shared_ptr<void> others = nullptr)
      : device(of), memory(std::move(own)), of_others(std::move(others)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  Device& device;
  DeviceMemory memory;
  std::shared_ptr<void> of_others;

  // Others may use their memory again as soon as it is let go.
  ~Held() {
    if (of_others == nullptr) return;
    try {
      device.wait();
    } catch (const Error&) {
      // Whoever uses the device next is told.
    }
  }
};

}  // namespace

Device* device_of(const Array& array) {
  return array.is_elsewhere() ? &static_cast<const Held*>(array.holder())->device : nullptr;
}

Array empty_on(Device& device, DType dtype, std::span<const std::int64_t> shape, std::string of) {
  std::size_t bytes = size_of(dtype);
  for (const std::int64_t n : shape) bytes *= static_cast<std::size_t>(n);
  auto held = std::make_shared<Held>(device, device.allocate(bytes, std::move(of)));
  void* const address = held->memory.address();
  return Array::elsewhere(address, dtype, shape, std::move(held));
}

Array borrow_on(Device& device, void* address, DType dtype, std::span<const std::int64_t> shape,
                std::shared_ptr<void> keep_alive) {
  return Array::elsewhere(address, dtype, shape,
                          std::make_shared<Held>(device, DeviceMemory(), std::move(keep_alive)));
}

Array copy_on_device(const Array& array) {
  Device& device = *device_of(array);
  Array made = empty_on(device, array.dtype(), array.shape(), "a copy");
  device.copy(made.address(), array.address(), static_cast<std::size_t>(array.bytes()));
  return made;
}

Array to_device(Device& device, const Array& array, const std::string& of) {
  Device* const other = device_of(array);
  if (other == &device) return array;
  if (other != nullptr && other->name().kind == device.name().kind) {
    Array made = empty_on(device, array.dtype(), array.shape(), of);
    device.copy_from(*other, made.address(), array.address(),
                     static_cast<std::size_t>(array.bytes()));
    return made;
  }
  const Array source = to_host(array).contiguous();
  Array made = empty_on(device, source.dtype(), source.shape(), of);
  device.upload(made.address(), source.data(), static_cast<std::size_t>(source.bytes()));
  return made;
}

Array to_host(const Array& array) {
  Device* const device = device_of(array);
  if (device == nullptr) return array;
  Array made = Array::of_extents(array.dtype(), array.shape());
  device->download(made.data(), array.address(), static_cast<std::size_t>(array.bytes()));
  device->wait();
  return made;
}

std::vector<Array> to_host(std::span<const Array> arrays) {
  std::vector<Array> made;
  for (const Array& array : arrays) made.push_back(to_host(array));
  return made;
}

}  // namespace gnomon
