// What is known of a function that is profiled, beside its code.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/profile.h"
#include "runtime/signature.h"

namespace gnomon {

struct Program;

/// A stage of compilation, in nanoseconds of the steady clock.
struct CompileStage {
  std::string name;  ///< "trace", "rewrite", "fuse", "print", "clang", "link", "load", ...
  std::int64_t begin = 0, end = 0;
};

/// Outlives the function, so that it can be told of at the end of the process.
struct Profiled {
  Profiled(const Program& program, std::vector<CompileStage> stages);

  std::string name, signature, timings, memory_table;
  bool was_cached;
  std::vector<SignatureStep> steps;
  std::vector<std::vector<std::string>> lines;  // by step
  std::vector<SignatureBuffer> memory;
  std::vector<std::vector<std::string>> memory_lines;  // by buffer
  ProfileRecorder recorder;

  /// Adds a stage of compilation that the caller knows of.
  void add_stage(const CompileStage& stage);
  std::vector<CompileStage> stages() const;

 private:
  mutable std::mutex mutex_;
  std::vector<CompileStage> stages_;
};

/// Begins to count calls of the program. With GNOMON_PROFILE they are told at the end.
std::shared_ptr<Profiled> begin_profile(const Program& program, std::vector<CompileStage> stages);

}  // namespace gnomon
