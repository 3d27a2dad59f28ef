// All routines along one axis.
#pragma once

#include "runtime/lines/scans.h"
#include "runtime/lines/searches.h"
#include "runtime/lines/sorts.h"

namespace gnomon {

constexpr bool is_scan(LineRoutine r) {
  return r >= LineRoutine::cumsum && r <= LineRoutine::linear_recurrence;
}
constexpr bool is_sort(LineRoutine r) {
  return r >= LineRoutine::sort && r <= LineRoutine::argtopk;
}

/// Runs a routine on elements of T; the bits do not depend on the crew. False: without memory.
template <LineRoutine routine, class T, class Crew>
bool run_lines(const gnomon_lines& w, const Crew& crew) {
  if constexpr (is_scan(routine)) {
    return run_scan<routine, T>(w, crew);
  } else if constexpr (is_sort(routine)) {
    return run_sort<routine, T>(w, crew);
  } else {
    return run_search<routine, T>(w, crew);
  }
}

/// What it works in.
template <LineRoutine routine, class T>
ServiceMemory memory_of_lines(const gnomon_lines& w) {
  if constexpr (is_scan(routine)) {
    return memory_of_scan<routine, T>(w);
  } else if constexpr (is_sort(routine)) {
    return memory_of_sort<routine, T>(w);
  } else {
    return memory_of_search<routine>(w);
  }
}

}  // namespace gnomon
