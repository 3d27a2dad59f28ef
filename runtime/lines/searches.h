// Searches on sorted lines and for true elements.
#pragma once

#include "runtime/abi.h"
#include "runtime/freestanding.h"
#include "runtime/routines.h"

// Clang would branch for a choice in a loop, unless told that nothing foretells it.
#ifdef __clang__
#define GNOMON_EITHER_WAY(x) __builtin_unpredictable(x)
#else
#define GNOMON_EITHER_WAY(x) (x)
#endif

namespace gnomon {

namespace searches {

constexpr int values_at_once = 16;  // values whose places are looked up in lockstep
constexpr int64_t values_in_order = int64_t{values_at_once} * values_at_once;  // known to ascend
constexpr int64_t searches_of_piece = 8 * values_in_order;  // values whose places a thread looks up
constexpr int64_t flags_of_piece = 1 << 16;                 // elements a thread counts or lists

// The order of sorted lines: NaN is beyond all numbers.
template <class T>
bool is_less(T a, T b) {
  return a < b || (b != b && a == a);
}

// Halves without branches: the number of elements e with e < x, or not x < e.
template <bool behind, class T>
int64_t place_in(const T* line, int64_t n, T x) {
  const T* first = line;
  while (n > 0) {
    const int64_t half = n - n / 2;
    const bool before = behind ? !is_less(x, first[half - 1]) : is_less(first[half - 1], x);
    first += before ? half : 0;
    n /= 2;
  }
  return first - line;
}

// The places of a few values among the elements [first, end), in lockstep: all halve equally often,
// so that none waits for another's memory. Of numbers only: one comparison tells their order, and
// a NaN's place is their end.
template <bool behind, class T>
void places_among(const T* line, int64_t first, int64_t end, const T* values, int64_t* out) {
  const T* firsts[values_at_once];
  for (const T*& at : firsts) at = line + first;
  for (int64_t n = end - first; n > 0; n /= 2) {
    const int64_t half = n - n / 2;
    for (int k = 0; k < values_at_once; ++k) {
      const T* const next = firsts[k] + half;
      const bool stays = behind ? next[-1] > values[k] : next[-1] >= values[k];
      firsts[k] = GNOMON_EITHER_WAY(stays) ? firsts[k] : next;
    }
  }
  for (int k = 0; k < values_at_once; ++k) out[k] = firsts[k] - line;
}

// Of any number of values, among the first n elements.
template <bool behind, class T>
void places_of_any(const T* line, int64_t n, const T* values, int64_t count, int64_t* out) {
  int64_t i = 0;
  for (; count - i >= values_at_once; i += values_at_once)
    places_among<behind>(line, 0, n, values + i, out + i);
  if (count - i < 4) {  // so few take less time one after the other than sixteen at once
    for (; i < count; ++i) out[i] = place_in<behind>(line, n, values[i]);
    return;
  }
  T padded[values_at_once];
  int64_t places[values_at_once];
  for (int k = 0; k < values_at_once; ++k) padded[k] = values[lesser(i + k, count - 1)];
  places_among<behind>(line, 0, n, padded, places);
  copy_elements(places, count - i, out + i);
}

// Of values in order, `values_in_order` of them: the place of the last of each few is where those
// of the few end, and those of the next begin.
template <bool behind, class T>
void places_in_order(const T* line, int64_t n, const T* values, int64_t* out) {
  T lasts[values_at_once];
  int64_t ends[values_at_once];
  for (int k = 0; k < values_at_once; ++k) lasts[k] = values[(k + 1) * values_at_once - 1];
  places_among<behind>(line, 0, n, lasts, ends);
  int64_t first = 0;
  for (int k = 0; k < values_at_once; ++k) {
    places_among<behind>(line, first, ends[k], values + k * values_at_once,
                         out + k * values_at_once);
    first = ends[k];
  }
}

// False of NaN.
template <class T>
bool ascend(const T* values, int64_t count) {
  int64_t i = 1;
  while (i < count && values[i - 1] <= values[i]) ++i;
  return i == count;
}

template <bool behind, class T>
void places_of(const T* line, int64_t n, const T* values, int64_t count, int64_t* out) {
  const bool ends_in_nan = n > 0 && line[n - 1] != line[n - 1];
  const int64_t numbers = ends_in_nan ? place_in<false>(line, n, line[n - 1]) : n;
  for (int64_t at = 0; at < count; at += values_in_order) {
    const int64_t part = lesser(values_in_order, count - at);
    if (part == values_in_order && ascend(values + at, part))
      places_in_order<behind>(line, numbers, values + at, out + at);
    else
      places_of_any<behind>(line, numbers, values + at, part, out + at);
  }
  if (!behind || !ends_in_nan) return;
  for (int64_t i = 0; i < count; ++i) out[i] = values[i] != values[i] ? n : out[i];
}

template <class T, class Crew>
bool search(const gnomon_lines& w, const Crew& crew) {
  crew(w.count, searches_of_piece, [&w](int64_t lo, int64_t hi, int32_t) {
    const T* const line = static_cast<const T*>(w.in[0]);
    const T* const values = static_cast<const T*>(w.in[1]) + lo;
    int64_t* const out = static_cast<int64_t*>(w.out) + lo;
    if (w.reverse)
      places_of<true>(line, w.n, values, hi - lo, out);
    else
      places_of<false>(line, w.n, values, hi - lo, out);
  });
  return true;
}

constexpr int64_t pieces_of(int64_t flags) { return ceil_div(flags, flags_of_piece); }

// Bit k is whether the k-th of 64 flags is not 0.
inline uint64_t bits_of(const uint8_t* flags) {
  uint64_t bits = 0;
#if defined(__SSE2__) && !defined(__clang__)  // exported libraries name no features
  using Bytes = char __attribute__((vector_size(16)));
  for (int k = 0; k < 64; k += 16) {
    Bytes some;
    __builtin_memcpy(&some, flags + k, 16);
    const uint64_t set = ~__builtin_ia32_pmovmskb128(some == Bytes{}) & 0xffff;
    bits |= set << k;
  }
#else
  constexpr uint64_t ones = 0x0101010101010101, low = 0x7f * ones;
  for (int k = 0; k < 64; k += 8) {
    uint64_t eight;
    __builtin_memcpy(&eight, flags + k, 8);
    eight = (((eight & low) + low) | eight) >> 7 & ones;
    bits |= (eight * 0x0102040810204080 >> 56) << k;  // moves bit 8 i to bit i of the last byte
  }
#endif
  return bits;
}

// How many bits are set: sums of pairs, of fours and of bytes, and the sum of the bytes.
inline int64_t count_of(uint64_t bits) {
  constexpr uint64_t ones = 0x0101010101010101;
  bits -= bits >> 1 & 0x55 * ones;
  bits = (bits & 0x33 * ones) + (bits >> 2 & 0x33 * ones);
  return static_cast<int64_t>(((bits + (bits >> 4)) & 0x0f * ones) * ones >> 56);
}

inline int lowest_bit(uint64_t bits) {
#if defined(__CUDACC_RTC__)
  return __ffsll(static_cast<long long>(bits)) - 1;
#else
  return __builtin_ctzll(bits);
#endif
}

// Lists the true ones of the flags [i, end), up to `last` places in all from `at` on.
inline void list_flags(const uint8_t* flags, int64_t i, int64_t end, int64_t* out, int64_t at,
                       int64_t last) {
  // Up to 8 of 64 are leapt to; more of them take less one by one.
  const auto are_few = [](uint64_t bits) {
    for (int k = 0; k < 8; ++k) bits &= bits - 1;
    return bits == 0;
  };
  const auto list_each = [&](int64_t to) {
    for (; i < to && at < last; ++i) {
      out[at] = i;
      at += flags[i] != 0;
    }
  };
  while (end - i >= 64 && at < last) {
    uint64_t bits = bits_of(flags + i);
    if (are_few(bits)) {
      for (; bits != 0 && at < last; bits &= bits - 1) out[at++] = i + lowest_bit(bits);
      i += 64;
    } else if (last - at < 64) {
      list_each(i + 64);
    } else {
      for (const int64_t to = i + 64; i < to; i += 8)
        for (int k = 0; k < 8; ++k) {
          out[at] = i + k;
          at += flags[i + k] != 0;
        }
    }
  }
  list_each(end);
}

// Counts the true elements of each piece, and then lists them from where that of the piece begins.
template <class Crew>
bool list_true(const gnomon_lines& w, const Crew& crew) {
  const auto* const flags = static_cast<const uint8_t*>(w.in[0]);
  auto* const out = static_cast<int64_t*>(w.out);
  const int64_t pieces = pieces_of(w.n);
  const auto memory = crew.shared(pieces * static_cast<int64_t>(sizeof(int64_t)));
  int64_t* const firsts = reinterpret_cast<int64_t*>(memory.data());
  if (firsts == nullptr) return pieces == 0;
  const int64_t n = w.n, wanted = w.count;
  const auto end_of = [n](int64_t p) { return lesser(n, (p + 1) * flags_of_piece); };
  crew(pieces, 1, [=](int64_t lo, int64_t hi, int32_t) {
    for (int64_t p = lo; p < hi; ++p) {
      int64_t i = p * flags_of_piece, count = 0;
      for (; end_of(p) - i >= 64; i += 64) count += count_of(bits_of(flags + i));
      for (; i < end_of(p); ++i) count += flags[i] != 0;
      firsts[p] = count;
    }
  });
  int64_t sum = 0;
  for (int64_t p = 0; p < pieces; ++p) {
    const int64_t count = firsts[p];
    firsts[p] = sum;
    sum += count;
  }
  crew(pieces, 1, [=](int64_t lo, int64_t hi, int32_t) {
    for (int64_t p = lo; p < hi; ++p) {
      const int64_t last = lesser(wanted, p + 1 < pieces ? firsts[p + 1] : sum);
      list_flags(flags, p * flags_of_piece, end_of(p), out, firsts[p], last);
    }
  });
  // The extent is the number of true elements, unless a file says otherwise.
  if (sum < wanted) clear_elements(out + sum, wanted - sum);
  return true;
}

}  // namespace searches

/// Runs `searchsorted` on elements of T, or `flatnonzero`. False: without memory.
template <LineRoutine routine, class T, class Crew>
bool run_search(const gnomon_lines& w, const Crew& crew) {
  if constexpr (routine == LineRoutine::searchsorted) return searches::search<T>(w, crew);
  if constexpr (routine == LineRoutine::flatnonzero) return searches::list_true(w, crew);
}

/// What it works in.
template <LineRoutine routine>
ServiceMemory memory_of_search(const gnomon_lines& w) {
  if (routine == LineRoutine::searchsorted) return {};
  return {in_cache_lines(searches::pieces_of(w.n) * static_cast<int64_t>(sizeof(int64_t))), 0};
}

}  // namespace gnomon
