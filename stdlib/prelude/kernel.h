// What generated loops are made of: full and partial vectors, accumulators, calls of services.
#pragma once

#include "arithmetic.h"
#include "lanes.h"
#include "runtime/abi.h"

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

/// body(j, live, chain) for the vectors of [lo, hi): C full ones in turn, chains 0 to C - 1, then
/// what is left as chain C, masked. What chain an element meets depends on its index alone.
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
  for (; j < hi; j += W) body(j, Tail<W>{static_cast<int>(hi - j < W ? hi - j : W)}, C);
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

/// C chains of lanes and one for the masked rest.
template <typename V, int C>
struct Accumulator {
  V chain[C + 1];
  GN_FN explicit Accumulator(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c <= C; ++c) chain[c] = splat<V>(identity);
  }
};

/// Chains pairwise, then the rest, then lanes by halves.
template <typename V, int C, typename Combine>
GN_FN element_of<V> fold_chains(Accumulator<V, C> a, Combine combine) {
#pragma clang loop unroll(full)
  for (int step = 1; step < C; step *= 2) {
#pragma clang loop unroll(full)
    for (int c = 0; c + step < C; c += 2 * step) a.chain[c] = combine(a.chain[c], a.chain[c + step]);
  }
  return detail::fold(combine(a.chain[0], a.chain[C]), combine);
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
  Best<V, I> chain[C + 1];
  GN_FN explicit BestChains(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c <= C; ++c)
      chain[c] = {splat<V>(identity), splat<I>(0x7fffffffffffffff)};
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
GN_FN Best<element_of<V>, i64> fold_best(const BestChains<V, I, C>& a) {
  Best<element_of<V>, i64> best{a.chain[0].value[0], a.chain[0].index[0]};
  for (int c = 0; c <= C; ++c)
    for (int k = 0; k < width_of<V>; ++k)
      take_better<Greatest>(best, element_of<V>(a.chain[c].value[k]), i64(a.chain[c].index[k]));
  return best;
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
    if (__builtin_expect(!any(both(bad, mask(live))), 1)) return;
    for (int k = 0; k < live.count; ++k)
      if (bad[k]) services->fail(context, number, index[k], value[k], bound[k]);
  }
#endif
  bool failed() const { return services->failed(context) != 0; }
};

#endif

}  // namespace gn
