// CUDA's names for Clang, without CUDA's headers: with this, text for GPUs needs no toolkit.
//
//   clang++ -x cuda --cuda-device-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -std=c++20 ...
//
// Only what the prelude and kernels use. NVRTC and nvcc have the names already, and so has Clang
// where it includes CUDA's headers.
#pragma once

#if defined(__clang__) && defined(__CUDA__) && !defined(__device__)
#if !defined(__CUDACC__)
#define __CUDACC__ 1
#endif
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(threads) __attribute__((launch_bounds(threads)))
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))

namespace gn::detail {
struct Place {
  unsigned x;
};
}  // namespace gn::detail
#define GN_PLACE(name) \
  (::gn::detail::Place{static_cast<unsigned>(__nvvm_read_ptx_sreg_##name##_x())})
#define threadIdx GN_PLACE(tid)
#define blockIdx GN_PLACE(ctaid)
#define blockDim GN_PLACE(ntid)
#define gridDim GN_PLACE(nctaid)

// Each is one instruction, which rounds as IEEE 754 says.
#define GN_DEVICE static inline __attribute__((device, always_inline))
GN_DEVICE float sqrtf(float x) { return __builtin_sqrtf(x); }
GN_DEVICE double sqrt(double x) { return __builtin_sqrt(x); }
GN_DEVICE float floorf(float x) { return __builtin_floorf(x); }
GN_DEVICE double floor(double x) { return __builtin_floor(x); }
GN_DEVICE float ceilf(float x) { return __builtin_ceilf(x); }
GN_DEVICE double ceil(double x) { return __builtin_ceil(x); }
GN_DEVICE float truncf(float x) { return __builtin_truncf(x); }
GN_DEVICE double trunc(double x) { return __builtin_trunc(x); }
GN_DEVICE float rintf(float x) { return __builtin_roundevenf(x); }
GN_DEVICE double rint(double x) { return __builtin_roundeven(x); }
GN_DEVICE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
GN_DEVICE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }

GN_DEVICE void __threadfence() { __nvvm_membar_gl(); }
GN_DEVICE int atomicCAS(int* place, int expected, int value) {
  return __nvvm_atom_cas_gen_i(place, expected, value);
}
GN_DEVICE int atomicExch(int* place, int value) { return __nvvm_atom_xchg_gen_i(place, value); }
GN_DEVICE void atomicAdd(unsigned* place, unsigned value) {
  __nvvm_atom_add_gen_i(reinterpret_cast<int*>(place), static_cast<int>(value));
}
GN_DEVICE void atomicAdd(unsigned long long* place, unsigned long long value) {
  __nvvm_atom_add_gen_ll(reinterpret_cast<long long*>(place), static_cast<long long>(value));
}
#define GN_EXTREME(name, of)                                                        \
  GN_DEVICE void name(int* place, int value) { of##_i(place, value); }              \
  GN_DEVICE void name(unsigned* place, unsigned value) { of##_ui(place, value); }   \
  GN_DEVICE void name(long long* place, long long value) { of##_ll(place, value); } \
  GN_DEVICE void name(unsigned long long* place, unsigned long long value) {        \
    of##_ull(place, value);                                                         \
  }
GN_EXTREME(atomicMin, __nvvm_atom_min_gen)
GN_EXTREME(atomicMax, __nvvm_atom_max_gen)
#undef GN_EXTREME
#undef GN_DEVICE
#endif
