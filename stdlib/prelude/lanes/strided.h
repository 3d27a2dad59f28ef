// Lanes a few elements apart in memory: contiguous vectors and shuffles in place of gathers.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"

namespace gn {

#if GN_LANES

namespace detail {

/// Lanes [M W, (M + 1) W) of Step vectors read as one, element after element of each in turn.
template <int Step, int M, int... I>
struct Interleaving {
  static constexpr int width = sizeof...(I);
  static constexpr int at(int i) { return M * width + i; }
  template <int Part, typename V>
  static GN_FN V with(V mixed, const V (&parts)[Step]) {
    if constexpr (Part == Step) {
      return mixed;
    } else {
      return with<Part + 1>(
          __builtin_shufflevector(mixed, parts[Part],
                                  (at(I) % Step == Part ? width + at(I) / Step : I)...),
          parts);
    }
  }
};
/// Every Step-th element, from `First` on, of |Step| vectors that lie behind one another; from the
/// last one back if Step is negative.
template <int Step, int First, int... I>
struct Picking {
  static constexpr int width = sizeof...(I), vectors = Step < 0 ? -Step : Step;
  static constexpr int at(int i) {
    return First + (Step < 0 ? (width - 1 - i) * vectors : i * Step);
  }
  template <int Part, typename V>
  static GN_FN V with(V picked, const V (&parts)[vectors]) {
    if constexpr (Part == vectors) {
      return picked;
    } else {
      return with<Part + 1>(
          __builtin_shufflevector(picked, parts[Part],
                                  (at(I) / width == Part ? width + at(I) % width : I)...),
          parts);
    }
  }
};
template <int Step, int M>
struct InterleavingOf {
  template <int... I>
  using of = Interleaving<Step, M, I...>;
};
template <int Step, int First>
struct PickingOf {
  template <int... I>
  using of = Picking<Step, First, I...>;
};
template <template <int...> class To>
struct Sequence {
  template <typename Int, Int... I>
  using of = To<I...>;
};
template <int Step, int M, int W>
using interleaving =
    __make_integer_seq<Sequence<InterleavingOf<Step, M>::template of>::template of, int, W>;
template <int Step, int W, int First = 0>
using picking =
    __make_integer_seq<Sequence<PickingOf<Step, First>::template of>::template of, int, W>;

template <int Step, int M, typename T, typename V>
GN_FN void write_mixed(T* p, const V (&parts)[Step], int count) {
  if constexpr (M < Step) {
    constexpr int w = width_of<V>;
    const V mixed = interleaving<Step, M, w>::template with<0>(parts[0], parts);
    if (count >= (M + 1) * w) {
      store(p + M * w, mixed);
    } else {
      store_tail(p + M * w, mixed, count - M * w);
    }
    write_mixed<Step, M + 1>(p, parts, count);
  }
}

// Wider vectors are read and written by a loop over their lanes, not lane after lane in one text.
constexpr int most_written_out = 16;

template <int W>
GN_FN constexpr bool is_full(Full<W>) {
  return true;
}
template <int W>
GN_FN bool is_full(Tail<W>) {
  return false;
}
template <int W>
GN_FN bool is_full(Most<W> live) {
  return live.is_full();
}

// How many lanes are known to be live where that is not all of them, else 0.
template <typename Live>
constexpr int known_lanes = 0;
template <int W, int N>
constexpr int known_lanes<Known<W, N>> = N;
template <int W, int N>
constexpr int known_lanes<Part<W, N>> = N;
// The lanes to write out, as many as a vector may have.
template <int W, typename Live>
constexpr int written_out = known_lanes<Live> > 0 ? known_lanes<Live> : W;

// `first` and then lanes of `fill`.
template <typename V, typename First>
GN_FN V begin_with(First first, element_of<V> fill) {
  if constexpr (width_of<V> == width_of<First>) {
    return first;
  } else {
    using Half = half_of<V>;
    return join<V>(begin_with<Half>(first, fill), splat<Half>(fill));
  }
}

// Some lanes one by one: functions, so that a kernel has a call in place of a loop at each access
// that may not be full. Few go straight into their lanes: a vector that is read from memory waits
// for each element written there.
template <typename V, typename T>
GN_COLD void read_some_apart(V* v, const T* p, i64 step, int count, element_of<V> fill) {
  constexpr int w = width_of<V>, few = w < most_written_out ? w : most_written_out;
  if (count <= few) {
    auto some = splat<lanes<stored<V>, few>>(fill);
#pragma clang loop unroll(full)
    for (int k = 0; k < few; ++k) {
      if (k == count) break;
      some[k] = p[step * k];
    }
    *v = convert<V>(begin_with<memory_lanes<V>>(some, fill));
  } else {
    alignas(64) T memory[w];
    store(memory, splat<V>(fill));
#pragma clang loop unroll_count(4) vectorize(disable)
    for (int k = 0; k < count; ++k) memory[k] = p[step * k];
    *v = load<V>(memory);
  }
}
template <typename V, typename T>
GN_COLD void write_some_apart(T* p, i64 step, const V* v, int count) {
  constexpr int w = width_of<V>;
  alignas(64) T memory[w];
  store(memory, *v);
#pragma clang loop unroll_count(4) vectorize(disable)
  for (int k = 0; k < count; ++k) p[step * k] = memory[k];
}

}  // namespace detail

/// p[step * k] in the live lanes k, `fill` in the others.
template <typename V, typename T, typename Live>
GN_FN V read_apart(const T* p, i64 step, Live live, element_of<V> fill) {
  constexpr int w = width_of<V>;
  if constexpr (w <= detail::most_written_out) {
    if (detail::known_lanes<Live> > 0 || detail::is_full(live)) {
      detail::memory_lanes<V> v = convert<detail::memory_lanes<V>>(splat<V>(fill));
#pragma clang loop unroll(full)
      for (int k = 0; k < detail::written_out<w, Live>; ++k) v[k] = p[step * k];
      return convert<V>(v);
    }
  }
  V some;
  detail::read_some_apart(&some, p, step, live.count, fill);
  return some;
}

/// The live lanes of v to p[step * k].
template <typename T, typename V, typename Live>
GN_FN void write_apart(T* p, i64 step, V v, Live live) {
  constexpr int w = width_of<V>;
  if constexpr (w <= detail::most_written_out) {
    if (detail::known_lanes<Live> > 0 || detail::is_full(live)) {
      alignas(64) T memory[w];
      store(memory, v);
#pragma clang loop unroll(full)
      for (int k = 0; k < detail::written_out<w, Live>; ++k) p[step * k] = memory[k];
      return;
    }
  }
  const V some = v;
  detail::write_some_apart(p, step, &some, live.count);
}

/// `read_apart` for steps of -4 to 4, by contiguous vectors. Nothing beyond the live lanes is
/// touched.
template <int Step, typename V, typename T, typename Live>
GN_FN V read_every(const T* p, Live live, element_of<V> fill) {
  constexpr int w = width_of<V>, vectors = Step < 0 ? -Step : Step;
  if constexpr (Step < 0) {
    if (!detail::is_full(live)) return read_apart<V>(p, Step, live, fill);
    p += Step * (w - 1);
  }
  const int count = (live.count - 1) * vectors + 1;
  V parts[vectors];
#pragma clang loop unroll(full)
  for (int k = 0; k < vectors; ++k) parts[k] = load_tail<V>(p + k * w, count - k * w, fill);
  return detail::picking<Step, w>::template with<0>(parts[0], parts);
}

/// The live lanes of v to p[-k].
template <typename T, typename V, typename Live>
GN_FN void write_reversed(T* p, V v, Live live) {
  if (!detail::is_full(live)) return write_apart(p, -1, v, live);
  const V parts[1] = {v};
  store(p - (width_of<V> - 1), detail::picking<-1, width_of<V>>::template with<0>(v, parts));
}

/// The live lanes k of each part m to p[Step * k + m].
template <typename T, typename Live, typename V, typename... Vs>
GN_FN void write_interleaved(T* p, Live live, V first, Vs... others) {
  constexpr int step = 1 + sizeof...(Vs);
  const V parts[step] = {first, others...};
  detail::write_mixed<step, 0>(p, parts, step * live.count);
}

#endif

}  // namespace gn
