// Where the buffers of a call's workspace lie.
#pragma once

#include "primitives.h"

namespace gn {

/// Offsets for n buffers of `bytes` that are needed from step lives[i][0] to step lives[i][1]:
/// buffers needed at one time do not overlap. The largest come first, each at the lowest offset
/// that is free for as long as it lives. Returns the bytes of the whole; `order` is room for n
/// numbers.
inline i64 place_buffers(int n, const i64* bytes, const i32 (*lives)[2], i32* order, i64* offsets) {
  for (int i = 0; i < n; ++i) {
    int at = i;
    for (; at > 0 && bytes[order[at - 1]] < bytes[i]; --at) order[at] = order[at - 1];
    order[at] = i;
  }
  i64 top = 0;
  for (int i = 0; i < n; ++i) {
    const int b = order[i];
    i64 offset = 0;
    for (int k = 0; k < i; ++k) {
      const int other = order[k];
      const bool apart = lives[b][1] < lives[other][0] || lives[other][1] < lives[b][0];
      if (apart || offset + bytes[b] <= offsets[other] || offsets[other] + bytes[other] <= offset)
        continue;
      offset = offsets[other] + bytes[other];
      k = -1;  // those before may be in the way now
    }
    offsets[b] = offset;
    if (offset + bytes[b] > top) top = offset + bytes[b];
  }
  return top;
}

}  // namespace gn
