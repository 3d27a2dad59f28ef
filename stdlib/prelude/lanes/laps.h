// How long the steps of a call take, for functions that are compiled to tell.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

#if !defined(__CUDACC__)

#include "runtime/abi.h"

namespace gn {

/// Steps follow one another, so one reading of the clock ends a step and begins the next one.
/// Threads that run steps of a call at once have laps of their own.
struct Laps {
  gnomon_profile* profile;
  i64 last;

  GN_FN explicit Laps(gnomon_profile* p) : profile(p), last(gnomon_ticks()) {}

  /// A buffer has so many bytes: in a loop the most of all rounds count.
  GN_FN void holds(i64 buffer, i64 bytes) {
    if (bytes > profile->held[buffer]) profile->held[buffer] = bytes;
  }
  /// What comes now is no part of what came before.
  GN_FN void begin() { last = gnomon_ticks(); }
  /// The step ends; it began with the last lap, or when a loop around others did.
  GN_FN void end(i64 step, i64 bytes, i64 operations) { end(step, bytes, operations, last); }
  GN_FN void end(i64 step, i64 bytes, i64 operations, i64 begun) {
    last = gnomon_ticks();
    gnomon_step_counts& counts = profile->counts[step];
    counts.calls += 1;
    counts.ticks += last - begun;
    counts.bytes += bytes;
    counts.operations += operations;
    const i32 workers = __atomic_load_n(profile->workers, __ATOMIC_RELAXED);
    if (workers > counts.threads) counts.threads = workers;
    if (workers != 1) __atomic_store_n(profile->workers, 1, __ATOMIC_RELAXED);
    i64 at = __atomic_load_n(&profile->seen, __ATOMIC_RELAXED);
    if (__builtin_expect(at >= profile->room, 0)) return;
    at = __atomic_fetch_add(&profile->seen, 1, __ATOMIC_RELAXED);
    if (at < profile->room) profile->events[at] = {step, begun, last};
  }
};

}  // namespace gn

#endif
