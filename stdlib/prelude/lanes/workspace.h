// Where the buffers of a call's workspace lie.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

namespace detail {

/// A load waits for a store before it whose address has the same place in its page, as elements of
/// two buffers have that are whole pages apart. So a buffer of whole pages takes half a page more.
inline i64 bytes_taken(i64 size) {
  constexpr i64 page = 4096, line = 64, least = 4 * page;
  if (size <= 0) return line;
  return size >= least && size % page == 0 ? size + page / 2 + line : size;
}

/// Moves number `at` of a heap of n buffers down to its place: the one that comes last is on top.
inline void sift(i32* heap, int n, int at, const i64* bytes) {
  const auto comes_before = [bytes](i32 a, i32 b) {
    return bytes[a] != bytes[b] ? bytes[a] > bytes[b] : a < b;
  };
  for (;;) {
    int last = at;
    for (int child = 2 * at + 1; child <= 2 * at + 2 && child < n; ++child)
      if (comes_before(heap[last], heap[child])) last = child;
    if (last == at) return;
    const i32 moved = heap[at];
    heap[at] = heap[last];
    heap[last] = moved;
    at = last;
  }
}

}  // namespace detail

/// Offsets for n buffers of `bytes` that are needed from step lives[i][0] to step lives[i][1]:
/// buffers needed at one time do not overlap. The largest come first, each at the lowest offset
/// that is free for as long as it lives. Returns the bytes of the whole; `order` is room for n
/// numbers: of buffers that have a place by their offsets, then of others by their sizes. One
/// without elements has a line of memory all the same: kernels load before they select.
inline i64 place_buffers(int n, const i64* sizes, const i32 (*lives)[2], i32* order, i64* offsets) {
  const auto bytes = [sizes](int b) { return detail::bytes_taken(sizes[b]); };
  for (int i = 0; i < n; ++i) order[i] = i;
  for (int i = n / 2; i-- > 0;) detail::sift(order, n, i, sizes);
  for (int i = n - 1; i > 0; --i) {
    const i32 last = order[0];
    order[0] = order[i];
    order[i] = last;
    detail::sift(order, i, 0, sizes);
  }
  i64 top = 0;
  for (int i = 0; i < n; ++i) {
    const int b = order[i];
    i64 offset = 0;
    for (int k = 0; k < i; ++k) {
      const int other = order[k];
      if (lives[b][1] < lives[other][0] || lives[other][1] < lives[b][0]) continue;
      if (offset + bytes(b) <= offsets[other]) break;
      const i64 end = offsets[other] + bytes(other);
      if (end > offset) offset = end;
    }
    offsets[b] = offset;
    int at = i;
    for (; at > 0 && offsets[order[at - 1]] > offset; --at) order[at] = order[at - 1];
    order[at] = b;
    if (offset + bytes(b) > top) top = offset + bytes(b);
  }
  return top;
}

}  // namespace gn
