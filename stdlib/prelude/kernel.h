// What generated loops are made of: full and partial vectors, accumulators, calls of services.
#pragma once

#include "arithmetic.h"
#include "lanes.h"
#if !defined(__CUDACC__)
#include "runtime/abi.h"
#endif

/// Stands behind the head of a lambda that is the body of a vector loop.
#define GN_BODY __attribute__((always_inline))

namespace gn {

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

/// Whether each lane is live.
template <int W>
GN_FN lanes<bool, W> mask(Full<W>) {
  return splat<lanes<bool, W>>(true);
}
template <int W>
GN_FN lanes<bool, W> mask(Tail<W> live) {
  return to_mask(iota<lanes<i32, W>>() < live.count);
}

/// The indices of the lanes of a vector that starts at j.
template <typename V>
GN_FN V indices(i64 j) {
  return splat<V>(j) + iota<V>();
}

/// body(j, live, chain) for the vectors of [lo, hi): C full ones in turn as chains 0 to C - 1, then
/// what is left, masked, as chains 0 and on. So lane k of chain c meets the elements whose index is
/// c W + k modulo C W, in order, when lo is a multiple of C W.
template <int W, int C, bool Unroll, typename Body>
GN_FN void vector_loop(i64 lo, i64 hi, Body body) {
  i64 j = lo;
  for (; j + W * C <= hi; j += W * C) {
    if constexpr (C == 1) {
      body(j, Full<W>{}, 0);
    } else if constexpr (Unroll) {
#pragma clang loop unroll(full)
      for (int c = 0; c < C; ++c) body(j + c * W, Full<W>{}, c);
    } else {
#pragma clang loop unroll(disable)
      for (int c = 0; c < C; ++c) body(j + c * W, Full<W>{}, c);
    }
  }
#pragma clang loop unroll(disable)
  for (int c = 0; j < hi; j += W, ++c)
    body(j, Tail<W>{static_cast<int>(hi - j < W ? hi - j : W)}, c);
}

// ------------------------------------------------------------------- memory under a mask

template <typename V, typename T, int W>
GN_FN V read(const T* p, Full<W>, element_of<V>) {
  return load<V>(p);
}
template <typename V, typename T, int W>
GN_FN V read(const T* p, Tail<W> live, element_of<V> fill) {
  return load_tail<V>(p, live.count, fill);
}
template <typename V, typename T, typename I, int W>
GN_FN V read_at(const T* p, I index, Full<W>, element_of<V>) {
  return gather<V>(p, index);
}
template <typename V, typename T, typename I, int W>
GN_FN V read_at(const T* p, I index, Tail<W> live, element_of<V> fill) {
  return gather_tail<V>(p, index, live.count, fill);
}
template <typename T, typename V, int W>
GN_FN void write(T* p, V v, Full<W>) {
  store(p, v);
}
template <typename T, typename V, int W>
GN_FN void write(T* p, V v, Tail<W> live) {
  store_tail(p, v, live.count);
}
/// Lane by lane, in order: of equal indices the last one stays.
template <typename T, typename V, typename I, typename Live>
GN_FN void write_at(T* p, I index, V v, Live live) {
  for (int k = 0; k < live.count; ++k) p[index[k]] = static_cast<T>(v[k]);
}
/// p[index] = combine(p[index], v), lane by lane, in order: equal indices combine.
template <typename T, typename V, typename I, typename Live, typename Combine>
GN_FN void update_at(T* p, I index, V v, Live live, Combine combine) {
  for (int k = 0; k < live.count; ++k) p[index[k]] = combine(p[index[k]], static_cast<T>(v[k]));
}

// ------------------------------------------------------------------- accumulators

/// v in the live lanes, `other` in the rest.
template <typename V, int W>
GN_FN V keep(Full<W>, V v, element_of<V>) {
  return v;
}
template <typename V, int W>
GN_FN V keep(Tail<W> live, V v, element_of<V> other) {
  return select(mask(live), v, splat<V>(other));
}

/// C chains of lanes. Two make an accumulator: one is fed by full vectors, the other by the masked
/// rest. They are variables of their own so that the first stays in registers.
template <typename V, int C>
struct Chains {
  V chain[C];
  GN_FN explicit Chains(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) chain[c] = splat<V>(identity);
  }
};
template <typename Set, int W>
GN_FN auto& chain_of(Set& full, Set&, Full<W>, int c) {
  return full.chain[c];
}
template <typename Set, int W>
GN_FN auto& chain_of(Set&, Set& rest, Tail<W>, int c) {
  return rest.chain[c];
}

/// By halves: first chains, then lanes. The same tree over C W lanes whatever W is.
template <typename V, int C, typename Combine>
GN_FN element_of<V> fold_chains(Chains<V, C> a, const Chains<V, C>& rest, Combine combine) {
#pragma clang loop unroll(full)
  for (int c = 0; c < C; ++c) a.chain[c] = combine(a.chain[c], rest.chain[c]);
#pragma clang loop unroll(full)
  for (int half = C / 2; half > 0; half /= 2) {
#pragma clang loop unroll(full)
    for (int c = 0; c < half; ++c) a.chain[c] = combine(a.chain[c], a.chain[c + half]);
  }
  return detail::fold(a.chain[0], combine);
}

#endif

// The winner of a search for an extreme: a NaN beats numbers, a lower index beats a higher one.
template <bool Greatest, typename V, typename I>
GN_FN mask_of<V> beats(V v, I i, V best, I best_index) {
  const mask_of<V> ahead = Greatest ? greater(v, best) : less(v, best);
  const mask_of<V> lower = less(i, best_index);
  const mask_of<V> nan = not_equal(v, v), best_nan = not_equal(best, best);
  const mask_of<V> tie = either(equal(v, best), both(nan, best_nan));
  return either(either(both(nan, logical_not(best_nan)), both(ahead, logical_not(best_nan))),
                both(tie, lower));
}

/// Best value so far and where it was.
template <typename V, typename I>
struct Best {
  V value;
  I index;
};
template <bool Greatest, typename V, typename I>
GN_FN void take_better(Best<V, I>& best, V v, I i) {
  const mask_of<V> wins = beats<Greatest>(v, i, best.value, best.index);
  best.value = select(wins, v, best.value);
  best.index = select(wins, i, best.index);
}

#if GN_LANES
template <typename V, typename I, int C>
struct BestChains {
  Best<V, I> chain[C];
  GN_FN explicit BestChains(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) chain[c] = {splat<V>(identity), splat<I>(0x7fffffffffffffff)};
  }
};
template <bool Greatest, typename V, typename I, int W>
GN_FN void take_better(Best<V, I>& best, V v, I i, Full<W>) {
  take_better<Greatest>(best, v, i);
}
template <bool Greatest, typename V, typename I, int W>
GN_FN void take_better(Best<V, I>& best, V v, I i, Tail<W> live) {
  const mask_of<V> wins = both(mask(live), beats<Greatest>(v, i, best.value, best.index));
  best.value = select(wins, v, best.value);
  best.index = select(wins, i, best.index);
}
template <bool Greatest, typename V, typename I, int C>
GN_FN Best<element_of<V>, i64> fold_best(const BestChains<V, I, C>& a,
                                         const BestChains<V, I, C>& rest) {
  Best<V, I> best = a.chain[0];
#pragma clang loop unroll(full)
  for (int c = 0; c < C; ++c) {
    take_better<Greatest>(best, a.chain[c].value, a.chain[c].index);
    take_better<Greatest>(best, rest.chain[c].value, rest.chain[c].index);
  }
  Best<element_of<V>, i64> one{best.value[0], best.index[0]};
  for (int k = 1; k < width_of<V>; ++k)
    take_better<Greatest>(one, element_of<V>(best.value[k]), i64(best.index[k]));
  return one;
}
#endif

// ------------------------------------------------------------------- services

#if !defined(__CUDACC__)

/// One running call: the services, and the scratch of its workers.
struct Call {
  const gnomon_services* services;
  gnomon_context* context;
  char* scratch;
  i64 scratch_bytes;

  /// body(lo, hi, worker) over pieces of [0, count); at once when there is one piece.
  template <typename Body>
  void parallel(i64 count, i64 grain, const Body& body) const {
    if (count <= grain) {
      if (count > 0) body(0, count, 0);
      return;
    }
    services->parallel(
        context, count, grain,
        [](void* argument, i64 lo, i64 hi, i32 worker) {
          (*static_cast<const Body*>(argument))(lo, hi, worker);
        },
        const_cast<void*>(static_cast<const void*>(&body)));
  }
  template <typename T>
  T* scratch_of(i32 worker, i64 offset) const {
    return reinterpret_cast<T*>(scratch + worker * scratch_bytes + offset);
  }
  void check(i32 number, bool bad, i64 index, i64 value, i64 bound) const {
    if (__builtin_expect(bad, 0)) services->fail(context, number, index, value, bound);
  }
#if GN_LANES
  template <int W, typename Live>
  void check(i32 number, lanes<bool, W> bad, Live live, lanes<i64, W> index, lanes<i64, W> value,
             lanes<i64, W> bound) const {
    bad = both(bad, mask(live));
    if (__builtin_expect(any(bad), 0)) fail<W>(number, bad, index, value, bound);
  }
  template <int W>
  __attribute__((noinline, cold)) void fail(i32 number, lanes<bool, W> bad, lanes<i64, W> index,
                                            lanes<i64, W> value, lanes<i64, W> bound) const {
    for (int k = 0; k < W; ++k)
      if (bad[k]) services->fail(context, number, index[k], value[k], bound[k]);
  }
#endif
  bool failed() const { return services->failed(context) != 0; }
};

#else

/// The first failed check, for the host to read: `check` is -1 until one fails, `lock` starts at 0.
struct Failure {
  i32 lock, check;
  i64 index, value, bound;
};

/// Of several failures the one with the smallest (number, index) counts, as on the host.
GN_FN void check(Failure* failure, i32 number, bool bad, i64 index, i64 value, i64 bound) {
  if (!bad) return;
  while (atomicCAS(&failure->lock, 0, 1) != 0) {
  }
  __threadfence();
  volatile Failure* first = failure;
  if (first->check < 0 || number < first->check ||
      (number == first->check && index < first->index)) {
    first->check = number;
    first->index = index;
    first->value = value;
    first->bound = bound;
  }
  __threadfence();
  atomicExch(&failure->lock, 0);
}

/// Number of this thread among all of the launch, and how many there are.
GN_FN i64 grid_thread() { return static_cast<i64>(blockIdx.x) * blockDim.x + threadIdx.x; }
GN_FN i64 grid_threads() { return static_cast<i64>(gridDim.x) * blockDim.x; }

template <typename T>
GN_FN T* scratch_of(char* scratch, i64 scratch_bytes, i64 offset) {
  return reinterpret_cast<T*>(scratch + blockIdx.x * scratch_bytes + offset);
}

namespace detail {
// The greatest power of two below n, or 0.
GN_FN int half_above(int n) {
  int half = 1;
  while (2 * half < n) half *= 2;
  return n > 1 ? half : 0;
}
}  // namespace detail

/// One value of all threads of a block, for each of them: always the same tree. Threads is the
/// most a block has. Every thread of the block must call it.
template <int Threads, typename T, typename Combine>
GN_FN T block_fold(T own, Combine combine) {
  __shared__ T values[Threads];
  const int t = threadIdx.x, n = blockDim.x;
  values[t] = own;
  __syncthreads();
  for (int half = detail::half_above(n); half > 0; half /= 2) {
    if (t < half && t + half < n) values[t] = combine(values[t], values[t + half]);
    __syncthreads();
  }
  const T result = values[0];
  __syncthreads();
  return result;
}

/// The best of all threads of a block, for each of them.
template <int Threads, bool Greatest, typename V>
GN_FN Best<V, i64> block_best(Best<V, i64> own) {
  return block_fold<Threads>(own, [](Best<V, i64> a, Best<V, i64> b) {
    take_better<Greatest>(a, b.value, b.index);
    return a;
  });
}

#endif

}  // namespace gn
