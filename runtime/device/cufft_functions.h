// The functions of NVIDIA's cuFFT that are used, by their names in cufft.h, with its numbers, which
// no machine needs to have.
#pragma once

#include <cstddef>

#include "runtime/device/driver_functions.h"
#include "runtime/device/nvidia_library.h"

namespace gnomon {

namespace cufft {
using Plan = int;

enum Status : int { success = 0, invalid_value = 4, execution_failed = 6, invalid_size = 8 };
enum Kind : int {
  complex_float32 = 0x29,
  real_to_complex_float32 = 0x2a,
  complex_to_real_float32 = 0x2c,
  complex_float64 = 0x69,
  real_to_complex_float64 = 0x6a,
  complex_to_real_float64 = 0x6c,
};
enum Direction : int { forward = -1, inverse = 1 };
}  // namespace cufft

// A row: name in this table, name in the library, parameters. Each returns a `cufft::Status`.
// clang-format off
#define GNOMON_CUFFT_FUNCTIONS(X)                                                                  \
  X(create, "cufftCreate", (cufft::Plan* plan))                                                    \
  X(destroy, "cufftDestroy", (cufft::Plan plan))                                                   \
  X(allocate_itself, "cufftSetAutoAllocation", (cufft::Plan plan, int does))                       \
  X(make, "cufftMakePlanMany64",                                                                   \
    (cufft::Plan plan, int rank, long long* n, long long* in_embedded, long long in_stride,        \
     long long in_distance, long long* out_embedded, long long out_stride, long long out_distance, \
     int kind, long long batch, std::size_t* bytes))                                               \
  X(use_stream, "cufftSetStream", (cufft::Plan plan, cu::Stream stream))                           \
  X(use_memory, "cufftSetWorkArea", (cufft::Plan plan, void* memory))                              \
  X(complex_single, "cufftExecC2C", (cufft::Plan plan, void* in, void* out, int direction))        \
  X(complex_double, "cufftExecZ2Z", (cufft::Plan plan, void* in, void* out, int direction))        \
  X(real_single, "cufftExecR2C", (cufft::Plan plan, void* in, void* out))                          \
  X(real_double, "cufftExecD2Z", (cufft::Plan plan, void* in, void* out))                          \
  X(back_single, "cufftExecC2R", (cufft::Plan plan, void* in, void* out))                          \
  X(back_double, "cufftExecZ2D", (cufft::Plan plan, void* in, void* out))
// clang-format on

struct Cufft {
#define GNOMON_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
  GNOMON_CUFFT_FUNCTIONS(GNOMON_MEMBER)
#undef GNOMON_MEMBER

  static constexpr const char* variable = "GNOMON_CUFFT";
  static constexpr NvidiaFile files[] = {{"libcufft.so.12", 13}, {"libcufft.so.11", 12}};
  static constexpr const char* folders[] = {"nvidia/cu13/lib", "nvidia/cufft/lib"};
  template <class Visit>
  void for_each(const Visit& visit) {
#define GNOMON_VISIT(name, symbol, parameters) visit(name, symbol);
    GNOMON_CUFFT_FUNCTIONS(GNOMON_VISIT)
#undef GNOMON_VISIT
  }
};

}  // namespace gnomon
