// Updates of an element by several threads at once, in any order: of integers of 32 and 64 bits.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"

namespace gn {

#if !defined(__CUDACC__) || defined(GNOMON_SIMULATED)

namespace detail {
template <typename T, typename Combine>
GN_FN void update_at_once(T* place, T value, Combine combine) {
  T old = __atomic_load_n(place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(place, &old, combine(old, value), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
}
}  // namespace detail

template <typename T>
GN_FN void atomic_add(T* place, T value) {
  __atomic_fetch_add(place, value, __ATOMIC_RELAXED);
}
template <typename T>
GN_FN void atomic_minimum(T* place, T value) {
  detail::update_at_once(place, value, [](T a, T b) { return b < a ? b : a; });
}
template <typename T>
GN_FN void atomic_maximum(T* place, T value) {
  detail::update_at_once(place, value, [](T a, T b) { return a < b ? b : a; });
}

#else

GN_FN void atomic_add(u32* place, u32 value) { atomicAdd(place, value); }
GN_FN void atomic_add(u64* place, u64 value) {
  atomicAdd(reinterpret_cast<unsigned long long*>(place), static_cast<unsigned long long>(value));
}
// Of two's complement it is the same sum.
GN_FN void atomic_add(i32* place, i32 value) {
  atomic_add(reinterpret_cast<u32*>(place), static_cast<u32>(value));
}
GN_FN void atomic_add(i64* place, i64 value) {
  atomic_add(reinterpret_cast<u64*>(place), static_cast<u64>(value));
}

#define GN_ATOMIC(name, function)                                                 \
  GN_FN void name(i32* place, i32 value) { function(place, value); }              \
  GN_FN void name(u32* place, u32 value) { function(place, value); }              \
  GN_FN void name(i64* place, i64 value) {                                        \
    function(reinterpret_cast<long long*>(place), static_cast<long long>(value)); \
  }                                                                               \
  GN_FN void name(u64* place, u64 value) {                                        \
    function(reinterpret_cast<unsigned long long*>(place),                        \
             static_cast<unsigned long long>(value));                             \
  }
GN_ATOMIC(atomic_minimum, atomicMin)
GN_ATOMIC(atomic_maximum, atomicMax)
#undef GN_ATOMIC

#endif

}  // namespace gn
