// What is known of a function that is profiled, beside its code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/profile.h"
#include "runtime/signature.h"

namespace gnomon {

struct Program;

/// Outlives the function, so that it can be told of at the end of the process.
struct Profiled {
  explicit Profiled(const Program& program);

  std::string name, signature, timings, memory_table;
  bool was_cached;
  std::vector<SignatureStep> steps;
  std::vector<std::vector<std::string>> lines;  // by step
  ProfileRecorder recorder;
};

/// Begins to count calls of the program. With GNOMON_PROFILE they are told at the end.
std::shared_ptr<Profiled> begin_profile(const Program& program);

}  // namespace gnomon
