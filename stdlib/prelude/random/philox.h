// Philox4x32-10, the counter-based generator of Salmon, Moraes, Dror and Shaw ("Parallel random
// numbers: as easy as 1, 2, 3", SC 2011): random words as a function of key, counter and position.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

namespace detail {

/// 32 bits in the low half of each word.
template <typename U>
GN_FN U low_word(U x) {
  return x & U(0xfffffffful);
}

/// Four words of 32 bits, each in 64.
template <typename U>
struct PhiloxBlock {
  U a, b, c, d;
};

template <int Rounds, typename U>
GN_FN PhiloxBlock<U> philox_rounds(PhiloxBlock<U> x, U k0, U k1) {
  if constexpr (Rounds == 0) {
    return x;
  } else {
    const U p = low_word(x.a) * U(0xd2511f53ul);
    const U q = low_word(x.c) * U(0xcd9e8d57ul);
    const PhiloxBlock<U> y = {low_word((q >> U(32)) ^ x.b ^ k0), low_word(q),
                              low_word((p >> U(32)) ^ x.d ^ k1), low_word(p)};
    return philox_rounds<Rounds - 1>(y, low_word(k0 + U(0x9e3779b9ul)),
                                     low_word(k1 + U(0xbb67ae85ul)));
  }
}

/// The block of four words at (block, counter), the 128 bits that count, for a key of 64 bits.
template <typename U>
GN_FN PhiloxBlock<U> philox(U key, U counter, U block) {
  return philox_rounds<10>(
      PhiloxBlock<U>{low_word(block), block >> U(32), low_word(counter), counter >> U(32)},
      low_word(key), key >> U(32));
}

#if GN_LANES
/// Shuffles between neighbours: blocks lie side by side in lanes, two lanes for each.
template <int... I>
struct BlockLanes {
  template <typename U>
  static GN_FN U swapped(U x) {
    return __builtin_shufflevector(x, x, (I ^ 1)...);
  }
  /// `even` and `odd` in turn.
  template <typename U>
  static GN_FN U alternate(element_of<U> even, element_of<U> odd) {
    return U{(I % 2 == 0 ? even : odd)...};
  }
  /// Even lanes of one, odd lanes of the other.
  template <typename U>
  static GN_FN U merged(U even, U odd) {
    return __builtin_shufflevector(even, odd, (I % 2 == 0 ? I : I + width_of<U>)...);
  }
  /// Of as many lanes as I has, from one with twice as many: lanes 0, 0, 4, 4, 8, 8 ...
  template <typename U>
  static GN_FN lanes<element_of<U>, sizeof...(I)> quarters(U x) {
    return __builtin_shufflevector(x, x, (I / 2 * 4)...);
  }
};
template <typename T, T... I>
using BlockLanesOf = BlockLanes<I...>;
template <int W>
using block_lanes = __make_integer_seq<BlockLanesOf, int, W>;

template <int Rounds, typename U>
GN_FN U philox_pair_rounds(U x, U y, u64 k0, u64 k1) {
  using B = block_lanes<width_of<U>>;
  if constexpr (Rounds == 0) {
    return low_word(x) | (y << U(32));
  } else {
    const U p = B::swapped(low_word(x) * B::template alternate<U>(0xd2511f53ul, 0xcd9e8d57ul));
    const U key = B::template alternate<U>(k0, k1);
    return philox_pair_rounds<Rounds - 1>(static_cast<U>((p >> U(32)) ^ y ^ key), low_word(p),
                                          low_word(k0 + 0x9e3779b9ul), low_word(k1 + 0xbb67ae85ul));
  }
}

/// Half a block in each lane: words a and b in an even one, c and d in the odd one after it. Each
/// product is needed once, so a vector of words costs half of what `philox` takes for a vector of
/// blocks. `block` is the same in both lanes of a pair.
template <typename U>
GN_FN U philox_pairs(u64 key, u64 counter, U block) {
  using B = block_lanes<width_of<U>>;
  const U x = B::merged(low_word(block), U(low_word(counter)));
  const U y = B::merged(static_cast<U>(block >> U(32)), U(counter >> 32));
  return philox_pair_rounds<10>(x, y, low_word(key), key >> 32);
}

/// Whether lanes hold p, p + 1, p + 2 ... with p a multiple of `unit`, under one key and counter.
template <typename U>
GN_FN bool is_run(U key, U counter, U position, u64 unit) {
  const u64 first = position[0];
  const auto same = both(to_mask(key == U(key[0])), to_mask(counter == U(counter[0])));
  const auto next = to_mask(position == static_cast<U>(U(first) + iota<U>()));
  return first % unit == 0 && all(both(same, next));
}
#endif

}  // namespace detail

/// Word `position` of 32 bits: four to a block.
template <typename U>
GN_FN U philox32(U key, U counter, U position) {
#if GN_LANES
  if constexpr (!is_scalar<U> && width_of<U> % 4 == 0) {
    if (detail::is_run(key, counter, position, 4)) {
      constexpr int half = width_of<U> / 2;
      const auto block = detail::block_lanes<half>::quarters(static_cast<U>(position >> U(2)));
      const auto pairs = detail::philox_pairs(key[0], counter[0], block);
      return __builtin_convertvector(bit_cast<with_element<U, u32>>(pairs), U);
    }
  }
#endif
  const auto x = detail::philox(key, counter, static_cast<U>(position >> U(2)));
  const auto upper = to_mask((position & U(2)) != U(0));
  const auto odd = to_mask((position & U(1)) != U(0));
  return select(odd, select(upper, x.d, x.b), select(upper, x.c, x.a));
}

/// Word `position` of 64 bits: two to a block.
template <typename U>
GN_FN U philox64(U key, U counter, U position) {
#if GN_LANES
  if constexpr (!is_scalar<U> && width_of<U> % 2 == 0) {
    if (detail::is_run(key, counter, position, 2))
      return detail::philox_pairs(key[0], counter[0], static_cast<U>(position >> U(1)));
  }
#endif
  const auto x = detail::philox(key, counter, static_cast<U>(position >> U(1)));
  const auto odd = to_mask((position & U(1)) != U(0));
  return select(odd, static_cast<U>(x.c | (x.d << U(32))), static_cast<U>(x.a | (x.b << U(32))));
}

}  // namespace gn
