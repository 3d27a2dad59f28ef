// Searches for an extreme and where it is: a NaN beats numbers, the first of equal elements wins.
#pragma once

#include "stdlib/prelude/lanes/folds.h"
#include "stdlib/prelude/lanes/memory.h"

namespace gn {

/// Best value so far and where it was.
template <typename V, typename I>
struct Best {
  V value;
  I index;
};

namespace detail {
/// Whether v is better than `best`, which came first.
template <bool Greatest, typename V>
GN_FN mask_of<V> leads(V v, V best) {
  if constexpr (is_float<V>) {
    // Not behind and not equal: ahead, or one of them is NaN.
    const auto not_behind = Greatest ? !(v <= best) : !(v >= best);
    return both(to_mask(not_behind), equal(best, best));
  } else {
    return Greatest ? greater(v, best) : less(v, best);
  }
}

/// Whether they are one value: equal, or both NaN.
template <typename V>
GN_FN mask_of<V> ties(V v, V best) {
  return either(equal(v, best), both(not_equal(v, v), not_equal(best, best)));
}
}  // namespace detail

/// Takes v if it wins; candidates may come in any order.
template <bool Greatest, typename V, typename I>
GN_FN void take_better(Best<V, I>& best, V v, I i) {
  const mask_of<V> lower = both(detail::ties(v, best.value), less(i, best.index));
  const mask_of<V> wins = either(detail::leads<Greatest>(v, best.value), lower);
  best.value = select(wins, v, best.value);
  best.index = select(wins, i, best.index);
}

#if GN_LANES

/// Integers in which the lanes of V count: of the same size, but at least 32 bits.
template <typename V>
using place_of =
    with_element<V, typename detail::Choose<sizeof(element_of<V>) == 8, i64, i32>::type>;

/// Takes v if it is better; candidates come with rising `place`, which is one for all lanes.
template <bool Greatest, typename V>
GN_FN void take_next(Best<V, place_of<V>>& best, V v, i64 place) {
  const mask_of<V> wins = detail::leads<Greatest>(v, best.value);
  best.value = select(wins, v, best.value);
  best.index = select(wins, place_of<V>(static_cast<element_of<place_of<V>>>(place)), best.index);
}
template <bool Greatest, typename V, int W>
GN_FN void take_next(Best<V, place_of<V>>& best, V v, i64 place, Tail<W> live) {
  const mask_of<V> wins = both(mask(live), detail::leads<Greatest>(v, best.value));
  best.value = select(wins, v, best.value);
  best.index = select(wins, place_of<V>(static_cast<element_of<place_of<V>>>(place)), best.index);
}

/// C chains of lanes, each with its best value and the place of the vector that had it: the
/// distance from the start of the loop, which is shorter than 2^30. Values and places are arrays of
/// their own, which the compiler keeps in registers.
template <typename V, int C>
struct BestChains {
  static constexpr i32 nowhere = 0x40000000;  // nothing was better than the identity
  V value[C];
  place_of<V> index[C];
  int used = 0;  // chains that may have met an element
  GN_FN explicit BestChains(element_of<V> identity) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) value[c] = splat<V>(identity), index[c] = place_of<V>(nowhere);
  }
};

namespace detail {
template <bool Greatest, typename V, int C, typename... Live>
GN_FN void take_at(BestChains<V, C>& chains, int c, V v, i64 place, Live... live) {
  Best<V, place_of<V>> best{chains.value[c % C], chains.index[c % C]};
  take_next<Greatest>(best, v, place, live...);
  chains.value[c % C] = best.value, chains.index[c % C] = best.index;
}
}  // namespace detail

/// Takes v if it is better than what the chain has; see `take_next`.
template <bool Greatest, typename V, int C, int R, int W>
GN_FN void take_in_chain(BestChains<V, C>& full, BestChains<V, R>&, int c, V v, i64 place,
                         Full<W>) {
  full.used = C;
  detail::take_at<Greatest>(full, c, v, place);
}
template <bool Greatest, typename V, int C, int R, int W>
GN_FN void take_in_chain(BestChains<V, C>&, BestChains<V, R>& rest, int c, V v, i64 place,
                         Tail<W> live) {
  detail::take_at<Greatest>(rest, c, v, place, live);
}

/// The winner of all lanes, whose loop started at `from`.
template <bool Greatest, typename V, int C>
GN_FN Best<element_of<V>, i64> fold_best(const BestChains<V, C>& a, const BestChains<V, 1>& rest,
                                         i64 from) {
  using P = place_of<V>;
  constexpr i32 nowhere = BestChains<V, C>::nowhere;
  // The order of numbers is enough: NaN is looked for apart.
  const auto better = [](auto x, auto y) {
    if constexpr (is_float<decltype(x)>) {
      return select(Greatest ? x > y : x < y, x, y);
    } else {
      return Greatest ? maximum(x, y) : minimum(x, y);
    }
  };
  V best = rest.value[0];
  auto nans = not_equal(best, best);
  if (a.used > 0) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) {
      best = better(a.value[c], best);
      nans = either(nans, not_equal(a.value[c], a.value[c]));
    }
  }
  element_of<V> value = detail::fold(best, better);
  if constexpr (is_float<V>) {
    if (any(nans)) value = quiet_nan<element_of<V>>();
  }
  // Of the lanes that hold it, the lowest place.
  const auto place = [&](V one, P index) {
    return select(detail::ties(one, splat<V>(value)), index + iota<P>(), P(nowhere));
  };
  P first = place(rest.value[0], rest.index[0]);
  if (a.used > 0) {
#pragma clang loop unroll(full)
    for (int c = 0; c < C; ++c) first = minimum(first, place(a.value[c], a.index[c]));
  }
  const auto lowest = fold_min(first);
  if (lowest >= nowhere) return {value, from};
  if constexpr (is_float<V>) {
    // The very element: zeros of both signs are equal.
    using I = int_of<V>;
    const auto bits = [&](V one, P index) {
      return select(equal(place(one, index), P(lowest)), bit_cast<I>(one), I(0));
    };
    I found = bits(rest.value[0], rest.index[0]);
    if (a.used > 0) {
#pragma clang loop unroll(full)
      for (int c = 0; c < C; ++c) found = found | bits(a.value[c], a.index[c]);
    }
    value = bit_cast<element_of<V>>(fold_or(found));
  }
  return {value, from + lowest};
}
#endif

}  // namespace gn
