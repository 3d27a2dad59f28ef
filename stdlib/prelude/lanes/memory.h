// Memory and lanes: loads, stores, masked tails and gathers.
//
// A tail touches only its first n elements, so it never faults past the end of an array. The
// elements of a bool array are bytes 0 and 1. A scalar V makes each function its one-lane case.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

namespace detail {
/// The type of V's elements in an array.
template <typename V>
using stored = typename Choose<is_bool<V>, u8, element_of<V>>::type;

template <typename V, typename T>
inline constexpr bool stores_as =
    same<T, element_of<V>> || (is_bool<V> && (same<T, u8> || same<T, i8>));

template <typename V>
using memory_lanes = with_element<V, stored<V>>;
}  // namespace detail

// ------------------------------------------------------------------------------- whole vectors

/// The width_of<V> elements at p, which needs no alignment.
template <typename V, typename T>
GN_FN V load(const T* p) {
  static_assert(detail::stores_as<V, T>);
  if constexpr (is_scalar<V>) {
    return static_cast<V>(*p);
  } else {
    detail::memory_lanes<V> v;
    __builtin_memcpy(&v, p, sizeof(T) * width_of<V>);
    return convert<V>(v);
  }
}

/// Writes v to the width_of<V> elements at p, which needs no alignment.
template <typename T, typename V>
GN_FN void store(T* p, V v) {
  static_assert(detail::stores_as<V, T>);
  if constexpr (is_scalar<V>) {
    *p = static_cast<T>(v);
  } else {
    const auto stored = convert<detail::memory_lanes<V>>(v);
    __builtin_memcpy(p, &stored, sizeof(T) * width_of<V>);
  }
}

/// Writes v past the caches; p is aligned to the size of V.
template <typename T, typename V>
GN_FN void stream(T* p, V v) {
  static_assert(detail::stores_as<V, T>);
  if constexpr (is_scalar<V>) {
    *p = static_cast<T>(v);
  } else {
#if GN_LANES
    using Stored = detail::memory_lanes<V>;
    __builtin_nontemporal_store(convert<Stored>(v), reinterpret_cast<Stored*>(p));
#endif
  }
}

/// Asks for the cache line of p; p may point anywhere.
GN_FN void prefetch([[maybe_unused]] const void* p) {
#if !defined(__CUDACC__)
  __builtin_prefetch(p);
#endif
}

// ---------------------------------------------------------------------------------------- tails

#if GN_LANES

/// All W lanes are live.
template <int W>
struct Full {
  static constexpr int count = W;
};
/// The first `count` lanes are live.
template <int W>
struct Tail {
  int count;
};
/// The first N lanes are live.
template <int W, int N>
struct Known : Tail<W> {
  GN_FN constexpr explicit Known(int = N) : Tail<W>{N} {}
};
/// The first N lanes are live, and what is read and written may be variables.
template <int W, int N>
struct Part : Known<W, N> {
  using Known<W, N>::Known;
};
/// The first `count` lanes are live, and usually that is all of them.
template <int W>
struct Most : Tail<W> {
  GN_FN bool is_full() const { return this->count == W; }
};

/// Whether each lane is live.
template <int W>
GN_FN lanes<bool, W> mask(Full<W>) {
  return splat<lanes<bool, W>>(true);
}
template <int W>
GN_FN lanes<bool, W> mask(Tail<W> live) {
  return to_mask(iota<lanes<i32, W>>() < live.count);
}

namespace detail {

/// Copies the first n elements, one by one, over `fill`.
template <typename V>
GN_FN V load_each(const element_of<V>* p, int n, V fill) {
#pragma clang loop unroll(full)
  for (int i = 0; i < width_of<V>; ++i) {
    if (i < n) fill[i] = p[i];
  }
  return fill;
}

template <typename V>
GN_FN void store_each(element_of<V>* p, V v, int n) {
#pragma clang loop unroll(full)
  for (int i = 0; i < width_of<V>; ++i) {
    if (i < n) p[i] = v[i];
  }
}

/// A mask of the first n of at most 64 lanes.
GN_FN u64 first_lanes(int n) { return n >= 64 ? ~0ul : ~(~0ul << n); }

/// How a vector of so many bytes moves under a mask, if one instruction does it.
template <int ElementBytes, int Bytes>
struct MaskedMove {
  static constexpr bool exists = false;
};

#if defined(__AVX512F__)
#define GN_MASKED_MOVE(element_bytes, bytes, Element, Pointer, Mask, suffix)                 \
  template <>                                                                                \
  struct MaskedMove<element_bytes, bytes> {                                                  \
    static constexpr bool exists = true;                                                     \
    using Vector = Element __attribute__((vector_size(bytes)));                              \
    static GN_FN Vector load(const void* p, Vector fill, int n) {                            \
      const Mask m = first_lanes(n);                                                         \
      return __builtin_ia32_loaddqu##suffix##_mask(static_cast<const Pointer*>(p), fill, m); \
    }                                                                                        \
    static GN_FN void store(void* p, Vector v, int n) {                                      \
      const Mask m = first_lanes(n);                                                         \
      __builtin_ia32_storedqu##suffix##_mask(static_cast<Pointer*>(p), v, m);                \
    }                                                                                        \
  };

GN_MASKED_MOVE(4, 64, int, int, u16, si512)
GN_MASKED_MOVE(8, 64, long long, long long, u8, di512)
#if defined(__AVX512VL__)
GN_MASKED_MOVE(4, 32, int, Vector, u8, si256)
GN_MASKED_MOVE(4, 16, int, Vector, u8, si128)
GN_MASKED_MOVE(8, 32, long long, Vector, u8, di256)
GN_MASKED_MOVE(8, 16, long long, Vector, u8, di128)
#endif
#if defined(__AVX512BW__)
GN_MASKED_MOVE(1, 64, char, Vector, unsigned long long, qi512)
GN_MASKED_MOVE(2, 64, short, Vector, u32, hi512)
#endif
#if defined(__AVX512BW__) && defined(__AVX512VL__)
GN_MASKED_MOVE(1, 32, char, Vector, u32, qi256)
GN_MASKED_MOVE(1, 16, char, Vector, u16, qi128)
GN_MASKED_MOVE(2, 32, short, Vector, u16, hi256)
GN_MASKED_MOVE(2, 16, short, Vector, u8, hi128)
#endif
#undef GN_MASKED_MOVE
#elif defined(__AVX2__)
#define GN_MASKED_MOVE(element_bytes, bytes, Element, suffix)                             \
  template <>                                                                             \
  struct MaskedMove<element_bytes, bytes> {                                               \
    static constexpr bool exists = true;                                                  \
    using Vector = Element __attribute__((vector_size(bytes)));                           \
    using Lanes = lanes<element_of_size<element_bytes>, bytes / element_bytes>;           \
    static GN_FN Vector live(int n) {                                                     \
      return bit_cast<Vector>(iota<Lanes>() < Lanes(element_of<Lanes>(n)));               \
    }                                                                                     \
    static GN_FN Vector load(const void* p, Vector fill, int n) {                         \
      const Vector m = live(n);                                                           \
      const Vector v = __builtin_ia32_maskload##suffix(static_cast<const Vector*>(p), m); \
      return (m & v) | (~m & fill);                                                       \
    }                                                                                     \
    static GN_FN void store(void* p, Vector v, int n) {                                   \
      __builtin_ia32_maskstore##suffix(static_cast<Vector*>(p), live(n), v);              \
    }                                                                                     \
  };

template <int Bytes>
using element_of_size = typename IntOfSize<Bytes>::sign;
GN_MASKED_MOVE(4, 32, int, d256)
GN_MASKED_MOVE(4, 16, int, d)
GN_MASKED_MOVE(8, 32, long long, q256)
GN_MASKED_MOVE(8, 16, long long, q)
#undef GN_MASKED_MOVE
#endif

template <typename V>
using masked_move = MaskedMove<sizeof(element_of<V>), sizeof(V)>;

template <typename V>
using half_of = lanes<element_of<V>, width_of<V> / 2>;
template <typename V>
using widened = lanes<element_of<V>, 16 / sizeof(element_of<V>)>;

template <typename V>
GN_FN V join(half_of<V> low, half_of<V> high) {
  V v;
  v.lo = low;
  v.hi = high;
  return v;
}

/// The first n elements at p, the lanes after them from `fill`; n may lie outside 0..width.
template <typename V>
GN_FN V load_first(const element_of<V>* p, int n, V fill) {
  n = n < 0 ? 0 : n;
  n = n > width_of<V> ? width_of<V> : n;
  if constexpr (masked_move<V>::exists) {
    using Move = masked_move<V>;
    return bit_cast<V>(Move::load(p, bit_cast<typename Move::Vector>(fill), n));
  } else if constexpr (sizeof(V) > 16 && width_of<V> % 2 == 0) {
    constexpr int half = width_of<V> / 2;
    const element_of<V>* rest = p + (n > half ? half : 0);
    return join<V>(load_first<half_of<V>>(p, n, fill.lo),
                   load_first<half_of<V>>(rest, n - half, fill.hi));
  } else if constexpr (sizeof(V) < 16 && masked_move<widened<V>>::exists) {
    widened<V> wide_fill{};
#pragma clang loop unroll(full)
    for (int i = 0; i < width_of<V>; ++i) wide_fill[i] = fill[i];
    return LanesUpTo<width_of<V>>::first(load_first<widened<V>>(p, n, wide_fill));
  } else {
    return load_each<V>(p, n, fill);
  }
}

template <typename V>
GN_FN void store_first(element_of<V>* p, V v, int n) {
  n = n < 0 ? 0 : n;
  n = n > width_of<V> ? width_of<V> : n;
  if constexpr (masked_move<V>::exists) {
    using Move = masked_move<V>;
    Move::store(p, bit_cast<typename Move::Vector>(v), n);
  } else if constexpr (sizeof(V) > 16 && width_of<V> % 2 == 0) {
    constexpr int half = width_of<V> / 2;
    store_first<half_of<V>>(p, v.lo, n);
    store_first<half_of<V>>(p + (n > half ? half : 0), v.hi, n - half);
  } else if constexpr (sizeof(V) < 16 && masked_move<widened<V>>::exists) {
    widened<V> wide{};
#pragma clang loop unroll(full)
    for (int i = 0; i < width_of<V>; ++i) wide[i] = v[i];
    store_first<widened<V>>(p, wide, n);
  } else {
    store_each<V>(p, v, n);
  }
}

}  // namespace detail
#endif

/// The first n elements at p; the lanes from n on are `fill`. Only those n elements are touched.
template <typename V, typename T>
GN_FN V load_tail(const T* p, int n, element_of<V> fill) {
  static_assert(detail::stores_as<V, T>);
  if constexpr (is_scalar<V>) {
    return n > 0 ? static_cast<V>(*p) : fill;
  } else {
#if GN_LANES
    using Stored = detail::memory_lanes<V>;
    const auto* elements = reinterpret_cast<const detail::stored<V>*>(p);
    return convert<V>(detail::load_first<Stored>(elements, n, Stored(fill)));
#endif
  }
}

/// Writes the first n lanes of v to p and touches nothing else.
template <typename T, typename V>
GN_FN void store_tail(T* p, V v, int n) {
  static_assert(detail::stores_as<V, T>);
  if constexpr (is_scalar<V>) {
    if (n > 0) *p = static_cast<T>(v);
  } else {
#if GN_LANES
    auto* elements = reinterpret_cast<detail::stored<V>*>(p);
    detail::store_first(elements, convert<detail::memory_lanes<V>>(v), n);
#endif
  }
}

/// The first N elements at p, without a mask; the lanes from N on are `fill`.
template <int N, typename V, typename T>
GN_FN V load_part(const T* p, element_of<V> fill) {
  static_assert(detail::stores_as<V, T>);
#if GN_LANES
  using Stored = detail::memory_lanes<V>;
  Stored v = Stored(fill);
  __builtin_memcpy(&v, p, sizeof(T) * N);
  return convert<V>(v);
#endif
}

/// Writes the first N lanes of v to p, without a mask.
template <int N, typename T, typename V>
GN_FN void store_part(T* p, V v) {
  static_assert(detail::stores_as<V, T>);
#if GN_LANES
  const auto stored = convert<detail::memory_lanes<V>>(v);
  __builtin_memcpy(p, &stored, sizeof(T) * N);
#endif
}

// -------------------------------------------------------------------------------------- gathers

/// The elements p[index] of each lane; the index is an integer or lanes of one.
template <typename V, typename T, typename I>
GN_FN V gather(const T* p, I index) {
  static_assert(detail::stores_as<V, T> && width_of<V> == width_of<I>);
  if constexpr (is_scalar<V>) {
    return static_cast<V>(p[index]);
  } else {
#if GN_LANES
    detail::memory_lanes<V> v;
#pragma clang loop unroll(full)
    for (int i = 0; i < width_of<V>; ++i) v[i] = p[index[i]];
    return convert<V>(v);
#endif
  }
}

/// p[index] in the first n lanes, `fill` in the others, whose indices are not used.
template <typename V, typename T, typename I>
GN_FN V gather_tail(const T* p, I index, int n, element_of<V> fill) {
  static_assert(detail::stores_as<V, T> && width_of<V> == width_of<I>);
  if constexpr (is_scalar<V>) {
    return n > 0 ? static_cast<V>(p[index]) : fill;
  } else {
#if GN_LANES
    // Without a branch a lane: those beyond n read element 0, which exists if any does.
    const mask_of<V> live = to_mask(iota<lanes<i32, width_of<V>>>() < n);
    return select(live, gather<V>(p, select(live, index, I(0))), V(fill));
#endif
  }
}

}  // namespace gn
