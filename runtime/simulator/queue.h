// What the parts of the simulated device ask of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

#include "runtime/device/driver_functions.h"

#define GNOMON_EXPORTED extern "C" __attribute__((visibility("default")))

namespace gnomon::simulator {

/// One thread at a time uses the device.
std::unique_lock<std::recursive_mutex> locked();

/// Queues work, which returns a `cu::Result`, as this does: what failed before it.
int queue_work(std::function<int()> work);

/// Whether a stream is of another device than the one in use.
bool is_of_another(cu::Stream stream);

/// Whether so many bytes from an address on are in one block of its memory.
bool has_memory(std::uint64_t address, std::size_t bytes);

inline std::uint64_t address_of(const void* address) {
  return reinterpret_cast<std::uint64_t>(address);
}

/// What lies at an address of the device as the host sees it.
void* seen_by_host(std::uint64_t address);

}  // namespace gnomon::simulator
