// Routines along one axis: running sums and products, sorts, searches.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/abi.h"
#include "runtime/routines.h"
#include "runtime/threads.h"

namespace gnomon {

/// Runs a routine on at most `limit` threads of `pool`; the bits do not depend on their number.
/// False when memory ran out.
bool run_lines(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept;

/// Calls `f(lo, hi)` for consecutive pieces of [0, count); a thread is worth `grain` of it.
template <class F>
void in_pieces(ThreadPool& pool, int limit, std::int64_t count, std::int64_t grain, const F& f) {
  pool.parallel_for(
      count, std::max<std::int64_t>(1, grain),
      [&f](std::int64_t lo, std::int64_t hi, std::int32_t) { f(lo, hi); }, limit);
}

/// The parts of it: cumsum to linear_recurrence; sort to argtopk.
bool run_scan(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept;
bool run_sort(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept;

}  // namespace gnomon
