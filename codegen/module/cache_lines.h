// The memory of a call is shared out in cache lines: each buffer of the workspace and of a worker
// begins on one, as the memory does, and takes whole ones.
#pragma once

#include <cstdint>

#include "ir/dimension/dimension.h"
#include "runtime/arrays/dtype.h"
#include "runtime/memory.h"

namespace gnomon {

inline constexpr std::int64_t line_bytes = block_alignment;

/// Bytes of so many elements, in whole lines.
constexpr std::int64_t bytes_in_lines(std::int64_t elements, DType t) {
  const std::int64_t bytes = elements * static_cast<std::int64_t>(size_of(t));
  return (bytes + line_bytes - 1) / line_bytes * line_bytes;
}
inline Dim bytes_in_lines(const Dim& elements, DType t) {
  const Dim bytes = elements * Dim(static_cast<std::int64_t>(size_of(t)));
  return floor_div(bytes + (line_bytes - 1), line_bytes) * line_bytes;
}

}  // namespace gnomon
