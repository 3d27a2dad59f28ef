// The functions of NVIDIA's driver that are used, by their names in cuda.h. Exported libraries have
// this text too.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace gnomon {

/// Types and numbers as cuda.h has them, which no machine needs to have.
namespace cu {
using Device = int;
using Pointer = uint64_t;  // into the memory of a device
using Context = struct OpaqueContext*;
using Module = struct OpaqueModule*;
using Function = struct OpaqueFunction*;
using Stream = struct OpaqueStream*;
using Pool = struct OpaquePool*;
using Event = struct OpaqueEvent*;

enum Result : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  no_binary_for_gpu = 209,
  unsupported_ptx_version = 222,
  invalid_handle = 400,
  not_found = 500,
  illegal_address = 700,
  launch_failed = 719,
};

enum Attribute : int {
  multiprocessor_count = 16,
  compute_capability_major = 75,
  compute_capability_minor = 76,
};
constexpr int release_threshold = 4;    // attribute of a pool
constexpr unsigned disable_timing = 2;  // flag of an event
}  // namespace cu

// A row: result-less name in this table, name in the library, parameters.
// clang-format off
#define GNOMON_DRIVER_FUNCTIONS(X)                                                                 \
  X(init, "cuInit", (unsigned flags))                                                              \
  X(driver_version, "cuDriverGetVersion", (int* version))                                          \
  X(error_name, "cuGetErrorName", (int error, const char** text))                                  \
  X(error_text, "cuGetErrorString", (int error, const char** text))                                \
  X(device_count, "cuDeviceGetCount", (int* count))                                                \
  X(device_get, "cuDeviceGet", (cu::Device* device, int ordinal))                                  \
  X(device_name, "cuDeviceGetName", (char* name, int length, cu::Device device))                   \
  X(device_attribute, "cuDeviceGetAttribute", (int* value, int attribute, cu::Device device))      \
  X(device_pool, "cuDeviceGetDefaultMemPool", (cu::Pool* pool, cu::Device device))                 \
  X(context_retain, "cuDevicePrimaryCtxRetain", (cu::Context* context, cu::Device device))         \
  X(context_use, "cuCtxSetCurrent", (cu::Context context))                                         \
  X(context_device, "cuCtxGetDevice", (cu::Device* device))                                        \
  X(memory_info, "cuMemGetInfo_v2", (size_t* unused, size_t* all))                                 \
  X(pool_set, "cuMemPoolSetAttribute", (cu::Pool pool, int attribute, void* value))                \
  X(pool_trim, "cuMemPoolTrimTo", (cu::Pool pool, size_t keep))                                    \
  X(stream_create, "cuStreamCreate", (cu::Stream* stream, unsigned flags))                         \
  X(stream_wait, "cuStreamSynchronize", (cu::Stream stream))                                       \
  X(allocate, "cuMemAllocAsync", (cu::Pointer* memory, size_t bytes, cu::Stream stream))           \
  X(free, "cuMemFreeAsync", (cu::Pointer memory, cu::Stream stream))                               \
  X(copy_in, "cuMemcpyHtoDAsync_v2",                                                               \
    (cu::Pointer to, const void* from, size_t bytes, cu::Stream stream))                           \
  X(copy_out, "cuMemcpyDtoHAsync_v2",                                                              \
    (void* to, cu::Pointer from, size_t bytes, cu::Stream stream))                                 \
  X(copy, "cuMemcpyDtoDAsync_v2",                                                                  \
    (cu::Pointer to, cu::Pointer from, size_t bytes, cu::Stream stream))                           \
  X(fill, "cuMemsetD8Async",                                                                       \
    (cu::Pointer memory, unsigned char value, size_t bytes, cu::Stream stream))                    \
  X(fill_lines, "cuMemsetD2D32Async",                                                              \
    (cu::Pointer memory, size_t pitch, unsigned value, size_t words, size_t lines,                 \
     cu::Stream stream))                                                                           \
  X(copy_peer, "cuMemcpyPeerAsync",                                                                \
    (cu::Pointer to, cu::Context context, cu::Pointer from, cu::Context source, size_t bytes,      \
     cu::Stream stream))                                                                           \
  X(event_create, "cuEventCreate", (cu::Event* event, unsigned flags))                             \
  X(event_record, "cuEventRecord", (cu::Event event, cu::Stream stream))                           \
  X(event_destroy, "cuEventDestroy_v2", (cu::Event event))                                         \
  X(stream_wait_event, "cuStreamWaitEvent", (cu::Stream stream, cu::Event event, unsigned flags))  \
  X(module_load, "cuModuleLoadData", (cu::Module* module, const void* image))                      \
  X(module_unload, "cuModuleUnload", (cu::Module module))                                          \
  X(module_function, "cuModuleGetFunction",                                                        \
    (cu::Function* function, cu::Module module, const char* name))                                 \
  X(launch, "cuLaunchKernel",                                                                      \
    (cu::Function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,               \
     unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned shared_bytes,            \
     cu::Stream stream, void** parameters, void** extra))
// clang-format on

/// Each returns a `cu::Result`.
struct Driver {
#define GNOMON_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
  GNOMON_DRIVER_FUNCTIONS(GNOMON_MEMBER)
#undef GNOMON_MEMBER
};

}  // namespace gnomon
