// What calls of a function that is profiled took: counts of its steps, times of its stages.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "runtime/abi.h"

namespace gnomon {

/// What a call does, in order.
enum class CallStage : std::uint8_t { arguments, plan, outputs, run, results };
inline constexpr std::array<std::string_view, 5> call_stages{"arguments", "plan", "outputs", "run",
                                                             "results"};

/// One call, in ticks.
struct RecordedCall {
  std::int64_t begin = 0;
  std::array<std::int64_t, call_stages.size()> ends{};  // of stages; 0: not reached
  bool failed = true;                                   // until it succeeds
  int thread = 0;                                       // numbers the threads that called
  std::vector<gnomon_step_event> events;                // the first ones
  std::int64_t left_out = 0;                            // events behind them
};

/// The sums of all calls, and the last ones.
struct ProfileCounts {
  std::int64_t calls = 0, failed = 0, ticks = 0;
  std::array<std::int64_t, call_stages.size()> stages{};
  std::vector<gnomon_step_counts> steps;
  std::vector<std::int64_t> held;    // bytes by buffer, of the call with the most in all
  std::vector<RecordedCall> recent;  // oldest first
};

/// Gathers what calls of a function took; they may run at once.
class ProfileRecorder {
  struct Record {
    RecordedCall call;  // its events are still in
    std::unique_ptr<gnomon_step_event[]> events;
    std::int64_t kept = 0;  // so many of them
    std::vector<gnomon_step_counts> counts;
    std::vector<std::int64_t> held;
  };

 public:
  ProfileRecorder(std::size_t steps, std::size_t buffers);

  /// A running call, which counts by itself until it ends.
  class Running {
   public:
    explicit Running(ProfileRecorder& recorder);
    ~Running();
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

    void end(CallStage stage);
    void succeed() { record_->call.failed = false; }
    gnomon_profile* profile() { return &profile_; }

   private:
    ProfileRecorder& recorder_;
    std::unique_ptr<Record> record_;
    gnomon_profile profile_{};
  };

  ProfileCounts counts() const;
  void reset();

 private:
  std::unique_ptr<Record> take();
  void add(std::unique_ptr<Record> record);

  static constexpr std::size_t most_recent = 4;
  static constexpr std::int64_t most_events = 8192;  // of a call

  const std::size_t steps_, buffers_;
  mutable std::mutex mutex_;                     // guards the rest
  ProfileCounts sums_;                           // without the recent calls,
  std::vector<std::unique_ptr<Record>> recent_;  // which are these, oldest first
  std::vector<std::unique_ptr<Record>> free_;    // whose memory is used again
};

/// The reading of `gnomon_ticks` at a moment of the steady clock, in its nanoseconds, where a tick
/// takes `nanoseconds_per_tick`: one measured rate for what is compared.
std::int64_t ticks_at(std::int64_t nanoseconds, double nanoseconds_per_tick);
/// The nanoseconds of a tick of `gnomon_ticks`, by the steady clock since the process first asked.
/// Waits some milliseconds if that was just now.
double nanoseconds_per_tick();
/// What it takes to count a step, as measured once in this process.
double nanoseconds_of_lap();

}  // namespace gnomon
