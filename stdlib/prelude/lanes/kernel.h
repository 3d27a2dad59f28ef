// What generated loops are made of: full and partial vectors, accumulators, calls of services.
#pragma once

#include "stdlib/prelude/lanes/divisor.h"
#include "stdlib/prelude/lanes/lanes.h"
#include "stdlib/prelude/lanes/search.h"
#if !defined(__CUDACC__)
#include "runtime/abi.h"
#endif

/// Stands behind the head of a lambda that is the body of a vector loop.
#define GN_BODY __attribute__((always_inline))

namespace gn {

#if GN_LANES

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
  if constexpr (C == 1) {
    if (j < hi) body(j, Tail<W>{static_cast<int>(hi - j)}, 0);
  } else {
#pragma clang loop unroll(disable)
    for (int c = 0; j < hi; j += W, ++c)
      body(j, Tail<W>{static_cast<int>(hi - j < W ? hi - j : W)}, c);
  }
}

/// The same for the few vectors of [lo, lo + N). What is left after the full ones is told by a
/// Rest, and ends the chain that it meets.
template <int W, int C, int N, typename Rest, typename Body>
GN_FN void few_vectors(i64 lo, Body body) {
#pragma clang loop unroll(full)
  for (int v = 0; v < N / W; ++v) body(lo + v * W, Full<W>{}, v % C);
  if constexpr (N % W != 0) body(lo + N / W * W, Rest{N % W}, N / W % C);
}

/// The same with one chain, but first come `lead` masked elements, fewer than W, a power of 2.
template <int W, typename Body>
GN_FN void led_loop(i64 lead, i64 lo, i64 hi, Body body) {
  i64 j = lo, part = lead < hi - lo ? lead : hi - lo;
#pragma clang loop unroll(disable)
  do {
    if (part > 0) body(j, Tail<W>{static_cast<int>(part)}, 0);
    j += part;
    const i64 whole = j + ((hi - j) & -W);
    for (; j < whole; j += W) body(j, Full<W>{}, 0);
    part = hi - j;
  } while (part > 0);
}

/// The vectors of [lo, hi) in parts, for one body that serves all: `lead` elements, fewer than W,
/// then the full vectors, then what is left. In a part `live` does not change, so its masks are
/// made before it.
template <int W>
struct Parts {
  i64 from, to, end;
  Most<W> live;
  GN_FN Parts(i64 lo, i64 hi, i64 lead = 0) : from(lo), to(lo), end(hi) {
    if (lead > 0) {
      to = lead < hi - lo ? lo + lead : hi;
      live.count = static_cast<int>(to - from);
    } else {
      next();
    }
  }
  GN_FN bool remain() const { return from < end; }
  GN_FN void next() {
    from = to;
    const i64 whole = (end - from) & -W;
    to = whole > 0 ? from + whole : end;
    live.count = whole > 0 ? W : static_cast<int>(end - from);
  }
};

// ------------------------------------------------------------------- memory under a mask

template <typename V, typename T, int W>
GN_FN V read(const T* p, Full<W>, element_of<V>) {
  return load<V>(p);
}
template <typename V, typename T, int W>
GN_FN V read(const T* p, Tail<W> live, element_of<V> fill) {
  return load_tail<V>(p, live.count, fill);
}
template <typename V, typename T, int W, int N>
GN_FN V read(const T* p, Part<W, N>, element_of<V> fill) {
  return load_part<N, V>(p, fill);
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
template <typename T, typename V, int W, int N>
GN_FN void write(T* p, V v, Part<W, N>) {
  store_part<N>(p, v);
}
/// Whether an array starts with a cache line, as nearly all do: memory of the user's need not.
GN_FN bool is_aligned(const void* p) { return reinterpret_cast<u64>(p) % 64 == 0; }
/// The same of a vector of W elements at p, or of its first line.
template <int W, typename T>
GN_FN bool is_aligned(const T* p) {
  return reinterpret_cast<u64>(p) % (W * sizeof(T) < 64 ? W * sizeof(T) : 64) == 0;
}
/// Elements from p to the first place where a vector is aligned; 0 unless it goes past the caches.
template <int W, typename T>
GN_FN i64 lead(const T* p, bool past) {
  constexpr u64 bytes = W * sizeof(T) < 64 ? W * sizeof(T) : 64;
  return past ? static_cast<i64>(-reinterpret_cast<u64>(p) % bytes / sizeof(T)) : 0;
}
/// Past the caches if `past` says so and v is a vector the processor has; p is aligned to it then.
template <typename T, typename V, int W>
GN_FN void write(T* p, V v, Full<W>, bool past) {
  if constexpr (sizeof(detail::memory_lanes<V>) >= 16) {
    if (past) return stream(p, v);
  }
  store(p, v);
}
template <typename T, typename V, int W>
GN_FN void write(T* p, V v, Tail<W> live, bool) {
  store_tail(p, v, live.count);
}
template <typename T, typename V, int W>
GN_FN void write(T* p, V v, Most<W> live, bool past) {
  if constexpr (sizeof(detail::memory_lanes<V>) >= 16) {
    if (past && live.is_full()) return stream(p, v);
  }
  store_tail(p, v, live.count);
}
/// Everything stored past the caches stands before what is stored from here on.
GN_FN void fence() {
#if defined(__x86_64__)
  __builtin_ia32_sfence();
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}
/// Asks for the vector `ahead` elements after that at p, which may be anywhere; for nothing when
/// `ahead` is 0, and in the masked rest.
template <typename T, int W>
GN_FN void prefetch(const T* p, i64 ahead, Full<W>) {
  if (ahead == 0) return;
  const u64 line = reinterpret_cast<u64>(p) + static_cast<u64>(ahead) * sizeof(T);
#pragma clang loop unroll(full)
  for (u64 at = 0; at < sizeof(T) * W; at += 64) prefetch(reinterpret_cast<const void*>(line + at));
}
template <typename T, int W>
GN_FN void prefetch(const T*, i64, Tail<W>) {}
template <typename T, int W>
GN_FN void prefetch(const T* p, i64 ahead, Most<W>) {
  prefetch(p, ahead, Full<W>{});
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
  if constexpr (is_bool<V>) {
    return select(mask(live), v, splat<V>(other));
  } else {
    // Without AVX-512, bits of a mask are spread over lanes one by one.
    using I = int_of<V>;
    return select(iota<I>() < I(static_cast<element_of<I>>(live.count)), v, splat<V>(other));
  }
}

/// C chains of lanes. Two make an accumulator: one is fed by full vectors, the other by the masked
/// rest. They are variables of their own so that the first stays in registers. Where order does
/// not matter fewer chains will do.
template <typename V, int C>
struct Chains {
  static constexpr int count = C;
  V chain[C];
  int used = 0;  // chains that may have met an element
  GN_FN explicit Chains(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) chain[c] = splat<V>(identity);
  }
};
template <typename Set, typename Rest, int W>
GN_FN auto& chain_of(Set& full, Rest&, Full<W>, int c) {
  full.used = Set::count;
  return full.chain[c % Set::count];
}
template <typename Set, typename Rest, int W>
GN_FN auto& chain_of(Set&, Rest& rest, Tail<W>, int c) {
  rest.used = c + 1;
  return rest.chain[c % Rest::count];
}

template <typename Set>
GN_FN auto& chain_of(Set& set, i64 c) {
  return set.chain[c % Set::count];
}

namespace detail {
template <typename V, int C, typename Combine>
GN_FN V fold_to_lanes(Chains<V, C> a, Combine combine) {
#pragma clang loop unroll(full)
  for (int half = C / 2; half > 0; half /= 2) {
#pragma clang loop unroll(full)
    for (int c = 0; c < half; ++c) a.chain[c] = combine(a.chain[c], a.chain[c + half]);
  }
  return a.chain[0];
}
}  // namespace detail

/// By halves: first chains, then lanes. The same tree over C W lanes whatever W is.
template <typename V, int C, typename Combine>
GN_FN element_of<V> fold_chains(Chains<V, C> a, Combine combine) {
  return detail::fold(detail::fold_to_lanes(a, combine), combine);
}
template <typename V, int C, int R, typename Combine>
GN_FN element_of<V> fold_chains(Chains<V, C> a, const Chains<V, R>& rest, Combine combine) {
  V lanes = rest.chain[0];
  if (a.used == 0 && rest.used <= 2) {  // all other chains of a short row are the identity
    if constexpr (R > 1) lanes = combine(lanes, rest.chain[1]);
  } else {
#pragma clang loop unroll(full)
    for (int c = 0; c < R; ++c) a.chain[c] = combine(a.chain[c], rest.chain[c]);
    lanes = detail::fold_to_lanes(a, combine);
  }
  return detail::fold(lanes, combine);
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
  bool* has_failed;  // a check, in any thread

  /// body(lo, hi, worker) over pieces of [0, count); at once when there is one piece.
  template <typename Body>
  void parallel(i64 count, i64 grain, const Body& body) const {
    const auto run = [](void* argument, i64 lo, i64 hi, i32 worker) {
      // A copy of its own, which no store can change, lives in registers.
      const Body own = *static_cast<const Body*>(argument);
      own(lo, hi, worker);
    };
    void* argument = const_cast<void*>(static_cast<const void*>(&body));
    if (count > grain) return services->parallel(context, count, grain, run, argument);
    if (count > 0) run(argument, 0, count, 0);
  }
  /// Branches that do not need each other, at once where that is sooner: branch b takes work[b]
  /// additions and keeps shares[b] threads busy by itself, unless it runs beside others. The status
  /// of the first that fails, in their order, else 0.
  template <typename... Branch>
  i32 side_by_side(const i64* work, const i64* shares, const Branch&... branches) const {
    constexpr int count = sizeof...(Branch);
    struct Side {
      const void* branch;
      i32 (*run)(const void*, const Call&);
    };
    const Side sides[] = {{&branches, [](const void* branch, const Call& call) {
                             return (*static_cast<const Branch*>(branch))(call);
                           }}...};
    if (!is_sooner_at_once(count, work, shares)) {
      for (const Side& side : sides)
        if (const i32 status = side.run(side.branch, *this)) return status;
      return 0;
    }
    i32 status[count];
    // Loops of a branch have one thread, the first as they see it.
    gnomon_services alone = *services;
    alone.threads = 1;
    alone.parallel = [](gnomon_context*, i64 n, i64, gnomon_body body, void* argument) {
      body(argument, 0, n, 0);
    };
    parallel(count, 1, [&](i64 lo, i64 hi, i32 worker) {
      const Call own{&alone, context, scratch + worker * scratch_bytes, scratch_bytes, has_failed};
      for (; lo < hi; ++lo) status[lo] = sides[lo].run(sides[lo].branch, own);
    });
    for (const i32 s : status)
      if (s != 0) return s;
    return 0;
  }
  bool is_sooner_at_once(int count, const i64* work, const i64* shares) const {
    constexpr i64 waking = 1 << 17;  // additions while another thread wakes up
    i64 all = 0, longest = 0, in_order = 0;
    const i64 threads = services->threads;
    for (int b = 0; b < count; ++b) {
      all += work[b];
      if (work[b] > longest) longest = work[b];
      in_order += work[b] / (shares[b] < threads ? shares[b] : threads);
    }
    const i64 shared = all / threads;
    return (longest > shared ? longest : shared) + waking < in_order;
  }
  /// Memory until the end of the call; null: there is none.
  void* allocate(i64 bytes) const { return services->allocate(context, bytes); }
  template <typename T>
  T* scratch_of(i32 worker, i64 offset) const {
    return reinterpret_cast<T*>(scratch + worker * scratch_bytes + offset);
  }
  GN_FN void check(i32 number, bool bad, i64 index, i64 value, i64 bound) const {
    if (__builtin_expect(bad, 0)) fail(number, index, value, bound);
  }
#if GN_LANES
  template <int W, typename Live>
  GN_FN void check(i32 number, lanes<bool, W> bad, Live live, lanes<i64, W> index,
                   lanes<i64, W> value, lanes<i64, W> bound) const {
    bad = both(bad, mask(live));
    if (__builtin_expect(any(bad), 0)) fail<W>(number, bad, index, value, bound);
  }
  template <int W>
  __attribute__((noinline, cold)) void fail(i32 number, lanes<bool, W> bad, lanes<i64, W> index,
                                            lanes<i64, W> value, lanes<i64, W> bound) const {
    for (int k = 0; k < W; ++k)
      if (bad[k]) fail(number, index[k], value[k], bound[k]);
  }
#endif
  void fail(i32 number, i64 index, i64 value, i64 bound) const {
    services->fail(context, number, index, value, bound);
    __atomic_store_n(has_failed, true, __ATOMIC_RELAXED);
  }
  bool failed() const { return __atomic_load_n(has_failed, __ATOMIC_RELAXED); }
};

/// What a loop allocates in each of its steps. It grows by half at least, as what was allocated
/// before is there until the end of the call.
struct KeptMemory {
  void* (*allocate)(gnomon_context*, i64 bytes);
  void* data = nullptr;
  i64 bytes = 0;

  void* at_least(const Call& call, i64 wanted) {
    if (data != nullptr && wanted <= bytes) return data;
    const i64 grown = data == nullptr ? 0 : bytes + bytes / 2;
    bytes = wanted < grown ? grown : wanted;
    return data = allocate(call.context, bytes);
  }
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
/// The same of warps, and the number of this thread in its own.
inline constexpr i64 threads_of_warp = 32;
GN_FN i64 grid_warp() { return grid_thread() / threads_of_warp; }
GN_FN i64 grid_warps() { return grid_threads() / threads_of_warp; }
GN_FN i64 lane_of_warp() { return threadIdx.x % threads_of_warp; }

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
