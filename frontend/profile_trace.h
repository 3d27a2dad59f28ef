// The last calls of functions that are profiled, as a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "frontend/profiled.h"

namespace gnomon {

/// A function of a profile, and its last calls.
struct ProfiledCalls {
  std::shared_ptr<Profiled> function;
  std::vector<RecordedCall> recent;
  double seconds_per_tick;
  std::vector<std::int64_t> live;  // bytes, by step
};

/// As Perfetto and chrome://tracing read it: the stages of compilation, the calls with their stages
/// and steps, and the bytes that are live.
std::string trace_text(std::span<const std::shared_ptr<const ProfiledCalls>> functions);

}  // namespace gnomon
