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
/// Every Step-th element of Step vectors that lie behind one another.
template <int Step, int... I>
struct Picking {
  static constexpr int width = sizeof...(I);
  template <int Part, typename V>
  static GN_FN V with(V picked, const V (&parts)[Step]) {
    if constexpr (Part == Step) {
      return picked;
    } else {
      return with<Part + 1>(
          __builtin_shufflevector(picked, parts[Part],
                                  (I * Step / width == Part ? width + I * Step % width : I)...),
          parts);
    }
  }
};
template <int Step, int M>
struct InterleavingOf {
  template <int... I>
  using of = Interleaving<Step, M, I...>;
};
template <int Step>
struct PickingOf {
  template <int... I>
  using of = Picking<Step, I...>;
};
template <template <int...> class To>
struct Sequence {
  template <typename Int, Int... I>
  using of = To<I...>;
};
template <int Step, int M, int W>
using interleaving =
    __make_integer_seq<Sequence<InterleavingOf<Step, M>::template of>::template of, int, W>;
template <int Step, int W>
using picking = __make_integer_seq<Sequence<PickingOf<Step>::template of>::template of, int, W>;

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

}  // namespace detail

/// p[Step * k] in the live lanes k, `fill` in the others. Nothing behind the last one is touched.
template <int Step, typename V, typename T, typename Live>
GN_FN V read_every(const T* p, Live live, element_of<V> fill) {
  constexpr int w = width_of<V>;
  const int count = (live.count - 1) * Step + 1;
  V parts[Step];
#pragma clang loop unroll(full)
  for (int k = 0; k < Step; ++k) parts[k] = load_tail<V>(p + k * w, count - k * w, fill);
  return detail::picking<Step, w>::template with<0>(parts[0], parts);
}

/// The live lanes of v to p[Step * k].
template <int Step, typename T, typename V, typename Live>
GN_FN void write_every(T* p, V v, Live live) {
  for (int k = 0; k < live.count; ++k) p[Step * k] = static_cast<T>(v[k]);
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
