// CUDA's names on a processor of the host, for the simulated device.
//
// The threads of a block run one after the other, each until it waits for the others. What they
// share starts as NaN in each block, and addresses of parameters are those of the device, which the
// simulator translates.
#pragma once

#if defined(GNOMON_SIMULATED)
#define __CUDACC__ 1
#define __host__
#define __device__
#define __global__
#define __shared__ static __attribute__((section("gnomon_shared")))
#define __launch_bounds__(threads)
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

#include "runtime/simulator/simulated_image.h"

extern "C" {
// Where no kernel shares memory, the linker makes neither.
__attribute__((weak, visibility("hidden"))) extern char __start_gnomon_shared[];
__attribute__((weak, visibility("hidden"))) extern char __stop_gnomon_shared[];
__attribute__((weak, visibility("hidden"))) gnomon_simulated_state gnomon_simulated_here = {
    gnomon_simulated_version, {0}, {0}, {1}, {1}, nullptr, nullptr, nullptr, nullptr};

__attribute__((weak, visibility("default"))) gnomon_simulated_state* gnomon_simulated() {
  gnomon_simulated_here.shared_begin = __start_gnomon_shared;
  gnomon_simulated_here.shared_end = __stop_gnomon_shared;
  return &gnomon_simulated_here;
}
}

#define threadIdx gnomon_simulated_here.thread_index
#define blockIdx gnomon_simulated_here.block_index
#define blockDim gnomon_simulated_here.block_size
#define gridDim gnomon_simulated_here.grid_size

static inline void __syncthreads() { gnomon_simulated_here.wait(); }
static inline void __threadfence() {}
static inline int atomicCAS(int* place, int expected, int value) {
  const int old = *place;
  if (old == expected) *place = value;
  return old;
}
static inline int atomicExch(int* place, int value) {
  const int old = *place;
  *place = value;
  return old;
}

static inline float sqrtf(float x) { return __builtin_sqrtf(x); }
static inline double sqrt(double x) { return __builtin_sqrt(x); }
static inline float floorf(float x) { return __builtin_floorf(x); }
static inline double floor(double x) { return __builtin_floor(x); }
static inline float ceilf(float x) { return __builtin_ceilf(x); }
static inline double ceil(double x) { return __builtin_ceil(x); }
static inline float truncf(float x) { return __builtin_truncf(x); }
static inline double trunc(double x) { return __builtin_trunc(x); }
static inline float rintf(float x) { return __builtin_rintf(x); }
static inline double rint(double x) { return __builtin_rint(x); }
static inline float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

namespace gn::simulated {

template <typename T>
struct Parameter {
  static T of(void* given) { return *static_cast<T*>(given); }
};
template <typename T>
struct Parameter<T*> {
  static T* of(void* given) {
    return static_cast<T*>(gnomon_simulated_here.translate(*static_cast<T**>(given)));
  }
};

template <typename T, T... I>
struct Numbers {};

template <typename... P, int... I>
inline void call(void (*kernel)(P...), void* const* given, Numbers<int, I...>) {
  kernel(Parameter<P>::of(given[I])...);
}

/// One thread of a kernel; without what is given, the bytes of its parameters.
template <typename... P>
inline const uint32_t* run(void (*kernel)(P...), void* const* given) {
  static constexpr uint32_t sizes[] = {sizeof(P)..., 0};
  if (given != nullptr) call(kernel, given, __make_integer_seq<Numbers, int, sizeof...(P)>{});
  return sizes;
}

}  // namespace gn::simulated

/// Exports a kernel to the simulator.
#define GN_SIMULATED(kernel)                               \
  extern "C" __attribute__((visibility("default")))        \
  const uint32_t* kernel##_simulated(void* const* given) { \
    return gn::simulated::run(kernel, given);              \
  }
#endif
