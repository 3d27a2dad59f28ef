// Routines along one axis: running sums and products, sorts, searches.
#pragma once

#include "runtime/abi.h"

namespace gnomon {

class PoolCrew;
class ThreadPool;

/// Runs a routine on at most `limit` threads of `pool`; the bits do not depend on their number.
/// False when memory ran out.
bool run_lines(const gnomon_lines& what, ThreadPool& pool, int limit) noexcept;

/// The parts of it: cumsum to linear_recurrence; sort to argtopk.
bool run_scan(const gnomon_lines& what, const PoolCrew& crew) noexcept;
bool run_sort(const gnomon_lines& what, const PoolCrew& crew) noexcept;

}  // namespace gnomon
