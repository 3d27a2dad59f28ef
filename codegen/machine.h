// What generated loops assume of the machine: the constants of prefetching and threads.
#pragma once

#include <cstdint>

namespace gnomon {

struct Machine {
  /// How far before its use the memory of a stream is asked for.
  std::int64_t prefetch_bytes = 4096;
  /// Arrays from this size on are not expected in the near caches.
  std::int64_t far_bytes = std::int64_t{1} << 18;
  /// Rows up to this size stay in the caches from one stage to the next, with the row after them.
  std::int64_t resident_row_bytes = std::int64_t{1} << 19;
  /// From so many bytes read and written on, what a kernel writes is gone from the caches before
  /// anyone reads it.
  std::int64_t stream_bytes = std::int64_t{1} << 25;
  /// Additions that are worth a thread.
  std::int64_t work_of_piece = 131072;
};

inline constexpr Machine machine;

}  // namespace gnomon
