// Where the time of compiled functions goes: step by step, for people, programs and Perfetto.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "frontend/machine_limits.h"

namespace gnomon {

/// What all calls spent in one step.
struct StepProfile {
  std::string kind;  ///< "kernel", "copy", "loop", "side by side", ...; or the service it asks
  std::string name;  ///< what it makes, in the names of the graph that the code was made from
  int inside = -1;   ///< the step it is part of, a loop or steps side by side, by position
  std::vector<std::string> lines;  ///< of yours that it computes: "model.py:12"
  std::int64_t calls = 0;          ///< how often it ran
  double seconds = 0;              ///< with those of the steps inside it
  double share = 0;                ///< of the time in native code, 0 to 1
  std::int64_t bytes = 0;  ///< read and written, each element once a call; those inside it too
  /// On floating-point numbers, additions and multiplications each 1; 0: none, or not known.
  std::int64_t operations = 0;
  int threads = 0;          ///< the most that took part at once
  std::int64_t live = 0;    ///< bytes that the call held meanwhile: see `HeldMemory`
  double of_bandwidth = 0;  ///< its bytes a second by those of the machine: `machine_limits`
  double of_peak = 0;       ///< its operations a second by those of the machine; 0: not known
};

/// A result, or memory for what steps leave to others, that calls made. Arguments, memory of
/// libraries and the scratch of threads are none.
struct HeldMemory {
  std::string name;                ///< of the value, in the names of the graph
  std::int64_t bytes = 0;          ///< of the call that held the most in all
  int first = 0, last = 0;         ///< the steps, by position, between which it is in use
  bool result = false;             ///< whether it is a result of the function
  std::vector<std::string> lines;  ///< of yours that it is of
};

/// What all calls of a function took.
struct FunctionProfile {
  std::string name, signature;         ///< the option `name`; "x: f64[n] -> f64"
  bool was_cached = false;             ///< whether its code came from the cache
  std::string timings;                 ///< of its compilation, as `Function::timings`
  std::string memory_table;            ///< as `Function::memory_table`
  std::int64_t calls = 0, failed = 0;  ///< how many, and how many of them failed
  double seconds = 0;                  ///< of calls from beginning to end
  /// The stages of calls in order: "arguments", "plan", "outputs", "run" (native code), "results".
  std::vector<std::pair<std::string, double>> stages = {};
  std::vector<StepProfile> steps = {};  ///< in the order they run, a loop before what is inside it
  std::vector<HeldMemory> memory = {};  ///< in the order of their first steps
  std::int64_t peak_bytes = 0;          ///< the most that is live at once,
  int peak_step = -1;                   ///< in this step
};

/// The profile of a function, or of several, as it was when it was asked for.
class Profile {
 public:
  /// Of functions that count: `Function::profile` makes it.
  explicit Profile(const std::vector<std::shared_ptr<struct Profiled>>& functions);
  Profile(const std::vector<std::shared_ptr<struct Profiled>>& functions,
          const MachineLimits& machine);

  /// What each of them took.
  const std::vector<FunctionProfile>& functions() const& { return functions_; }
  std::vector<FunctionProfile> functions() && { return std::move(functions_); }
  /// What steps are compared with. Zeros: of no function.
  const MachineLimits& machine() const { return machine_; }
  /// Tables with bars, for a terminal.
  std::string text() const;
  /// One object of JSON.
  std::string json() const;
  /// Writes the stages of compilation and the last calls of each function as a trace that Perfetto
  /// and chrome://tracing show. DeviceError: the file cannot be written.
  void write_trace(const std::string& path) const;
  /// The functions count from 0 again; this profile stays as it is.
  void reset() const;
  /// Adds the functions of another profile.
  void add(const Profile& more);

 private:
  std::vector<FunctionProfile> functions_;
  MachineLimits machine_;
  std::vector<std::shared_ptr<const struct ProfiledCalls>> calls_;  // the last ones, by function
};

}  // namespace gnomon
