// Folds of lanes to one value, in a fixed order: low half with high half, until one is left.
#pragma once

#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

namespace detail {
template <typename V, typename Combine>
GN_FN element_of<V> fold(V v, Combine combine) {
  if constexpr (is_scalar<V>) {
    return v;
  } else {
#if GN_LANES
    static_assert((width_of<V> & (width_of<V> - 1)) == 0, "folds need a power of two of lanes");
    using Half = lanes<element_of<V>, width_of<V> / 2>;
    if constexpr (width_of<V> == 2) {
      return combine(v[0], v[1]);
    } else if constexpr (is_bool<V>) {
      // Lanes of bits have no halves of their own.
      const auto bytes = __builtin_convertvector(v, with_element<V, i8>);
      return fold(combine(to_mask(bytes.lo), to_mask(bytes.hi)), combine);
    } else {
      const Half low = v.lo;
      const Half high = v.hi;
      return fold(combine(low, high), combine);
    }
#endif
  }
}

#define GN_COMBINE(Name, function)       \
  struct Name {                          \
    template <typename V>                \
    GN_FN V operator()(V a, V b) const { \
      return function(a, b);             \
    }                                    \
  };
GN_COMBINE(Sum, add)
GN_COMBINE(Product, multiply)
GN_COMBINE(Least, minimum)
GN_COMBINE(Greatest, maximum)
GN_COMBINE(Conjunction, bitwise_and)
GN_COMBINE(Disjunction, bitwise_or)
#undef GN_COMBINE
}  // namespace detail

/// The sum of the lanes.
template <typename V>
GN_FN element_of<V> fold_add(V v) {
  return detail::fold(v, detail::Sum{});
}

/// The product of the lanes.
template <typename V>
GN_FN element_of<V> fold_mul(V v) {
  return detail::fold(v, detail::Product{});
}

/// The smallest lane; NaN if one is NaN.
template <typename V>
GN_FN element_of<V> fold_min(V v) {
  return detail::fold(v, detail::Least{});
}

/// The largest lane; NaN if one is NaN.
template <typename V>
GN_FN element_of<V> fold_max(V v) {
  return detail::fold(v, detail::Greatest{});
}

/// All lanes joined by bitwise and; whether all hold for a mask.
template <typename V>
GN_FN element_of<V> fold_and(V v) {
  if constexpr (is_bool<V>) {
    return all(v);
  } else {
    return detail::fold(v, detail::Conjunction{});
  }
}

/// All lanes joined by bitwise or; whether any holds for a mask.
template <typename V>
GN_FN element_of<V> fold_or(V v) {
  if constexpr (is_bool<V>) {
    return any(v);
  } else {
    return detail::fold(v, detail::Disjunction{});
  }
}

}  // namespace gn
