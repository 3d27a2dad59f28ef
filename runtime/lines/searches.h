// Searches on sorted lines and for true elements.
#pragma once

#include "runtime/abi.h"
#include "runtime/freestanding.h"
#include "runtime/routines.h"

namespace gnomon {

namespace searches {

constexpr int64_t searches_of_piece = 512;   // values whose places a thread looks up
constexpr int64_t flags_of_piece = 1 << 16;  // elements a thread counts or lists

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

template <class T, class Crew>
bool search(const gnomon_lines& w, const Crew& crew) {
  crew(w.count, searches_of_piece, [&w](int64_t lo, int64_t hi, int32_t) {
    const T* const line = static_cast<const T*>(w.in[0]);
    const T* const values = static_cast<const T*>(w.in[1]);
    int64_t* const out = static_cast<int64_t*>(w.out);
    for (int64_t i = lo; i < hi; ++i)
      out[i] =
          w.reverse ? place_in<true>(line, w.n, values[i]) : place_in<false>(line, w.n, values[i]);
  });
  return true;
}

constexpr int64_t pieces_of(int64_t flags) { return ceil_div(flags, flags_of_piece); }

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
      int64_t count = 0;
      for (int64_t i = p * flags_of_piece; i < end_of(p); ++i) count += flags[i] != 0;
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
      int64_t at = firsts[p];
      const int64_t last = lesser(wanted, p + 1 < pieces ? firsts[p + 1] : sum);
      for (int64_t i = p * flags_of_piece; at < last; ++i) {
        out[at] = i;
        at += flags[i] != 0;
      }
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
