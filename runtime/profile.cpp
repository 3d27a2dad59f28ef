// Gathers profiles, and finds out how fast the clock of the processor runs.
#include "runtime/profile.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/threads.h"

namespace gnomon {

namespace {

// Both clocks at one moment.
struct Moment {
  std::int64_t ticks = gnomon_ticks();
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

const Moment& first_moment() {
  static const Moment moment;
  return moment;
}

int number_of_this_thread() {
  static std::atomic<int> threads{0};
  thread_local const int number = threads.fetch_add(1, std::memory_order_relaxed);
  return number;
}

void add_counts(gnomon_step_counts& sum, const gnomon_step_counts& more) {
  sum.calls += more.calls;
  sum.ticks += more.ticks;
  sum.bytes += more.bytes;
  sum.operations += more.operations;
  sum.threads = std::max(sum.threads, more.threads);
}

// Unsigned: sizes that do not fit together may be asked for, and fail only later.
std::uint64_t bytes_of(const std::vector<std::int64_t>& held) {
  std::uint64_t sum = 0;
  for (const std::int64_t bytes : held)
    sum += static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0));
  return sum;
}

}  // namespace

ProfileRecorder::ProfileRecorder(std::size_t steps, std::size_t buffers)
    : steps_(steps), buffers_(buffers) {
  sums_.steps.resize(steps);
  sums_.held.resize(buffers);
  first_moment();
}

std::unique_ptr<ProfileRecorder::Record> ProfileRecorder::take() {
  std::unique_ptr<Record> record;
  if (const std::lock_guard lock(mutex_); !free_.empty()) {
    record = std::move(free_.back());
    free_.pop_back();
  }
  if (!record) {
    record = std::make_unique<Record>();
    record->events = std::make_unique_for_overwrite<gnomon_step_event[]>(most_events);
  }
  record->call = {};
  record->counts.assign(steps_, {});
  record->held.assign(buffers_, 0);
  return record;
}

void ProfileRecorder::add(std::unique_ptr<Record> record) {
  const std::lock_guard lock(mutex_);
  const RecordedCall& call = record->call;
  ++sums_.calls;
  if (call.failed) ++sums_.failed;
  std::int64_t last = call.begin;
  for (std::size_t s = 0; s < call.ends.size(); ++s) {
    if (call.ends[s] == 0) continue;
    sums_.stages[s] += call.ends[s] - last;
    last = call.ends[s];
  }
  sums_.ticks += last - call.begin;
  for (std::size_t i = 0; i < steps_; ++i) add_counts(sums_.steps[i], record->counts[i]);
  if (bytes_of(record->held) > bytes_of(sums_.held)) sums_.held = record->held;
  recent_.push_back(std::move(record));
  if (recent_.size() <= most_recent) return;
  free_.push_back(std::move(recent_.front()));
  recent_.erase(recent_.begin());
}

ProfileCounts ProfileRecorder::counts() const {
  const std::lock_guard lock(mutex_);
  ProfileCounts found = sums_;
  for (const auto& record : recent_) {
    found.recent.push_back(record->call);
    found.recent.back().events.assign(record->events.get(), record->events.get() + record->kept);
  }
  return found;
}

void ProfileRecorder::reset() {
  const std::lock_guard lock(mutex_);
  sums_ = {};
  sums_.steps.resize(steps_);
  sums_.held.resize(buffers_);
  recent_.clear();
}

ProfileRecorder::Running::Running(ProfileRecorder& recorder)
    : recorder_(recorder), record_(recorder.take()) {
  profile_ = {record_->counts.data(), record_->events.get(), most_events, 0,
              workers_of_jobs(),      record_->held.data()};
  *profile_.workers = 1;
  record_->call.thread = number_of_this_thread();
  record_->call.begin = gnomon_ticks();
}

ProfileRecorder::Running::~Running() {
  RecordedCall& call = record_->call;
  // A call that fails ends in the stage that failed.
  if (const auto open = std::ranges::find(call.ends, 0); call.failed && open != call.ends.end())
    *open = gnomon_ticks();
  record_->kept = std::min(profile_.seen, profile_.room);
  call.left_out = -record_->kept;
  for (const gnomon_step_counts& step : record_->counts) call.left_out += step.calls;
  recorder_.add(std::move(record_));
}

void ProfileRecorder::Running::end(CallStage stage) {
  record_->call.ends[static_cast<std::size_t>(stage)] = gnomon_ticks();
}

std::int64_t ticks_at(std::int64_t nanoseconds, double nanoseconds_per_tick) {
  const Moment& first = first_moment();
  const auto known =
      std::chrono::duration_cast<std::chrono::nanoseconds>(first.time.time_since_epoch());
  if (nanoseconds_per_tick <= 0) return first.ticks;
  return first.ticks + static_cast<std::int64_t>(static_cast<double>(nanoseconds - known.count()) /
                                                 nanoseconds_per_tick);
}

double nanoseconds_per_tick() {
  const Moment& first = first_moment();
  constexpr std::chrono::milliseconds enough{10};
  if (std::chrono::steady_clock::now() - first.time < enough) std::this_thread::sleep_for(enough);
  const Moment now;
  const std::int64_t ticks = now.ticks - first.ticks;
  const std::chrono::duration<double, std::nano> passed = now.time - first.time;
  return ticks > 0 ? passed.count() / static_cast<double>(ticks) : 0;
}

double nanoseconds_of_lap() {
  // What gn::Laps does, which generated code has as its own.
  static const double measured = [] {
    constexpr std::int64_t times = 1000;
    gnomon_step_counts counts{};
    std::vector<gnomon_step_event> events(times);
    gnomon_profile profile{&counts, events.data(), times, 0, workers_of_jobs(), nullptr};
    const std::int64_t begin = gnomon_ticks();
    std::int64_t last = begin;
    for (std::int64_t i = 0; i < times; ++i) {
      const std::int64_t begun = last;
      last = gnomon_ticks();
      gnomon_step_counts& step = *__atomic_load_n(&profile.counts, __ATOMIC_RELAXED);
      step.calls += 1;
      step.ticks += last - begun;
      step.threads =
          std::max<std::int64_t>(step.threads, __atomic_load_n(profile.workers, __ATOMIC_RELAXED));
      const std::int64_t at = __atomic_fetch_add(&profile.seen, 1, __ATOMIC_RELAXED);
      profile.events[at] = {0, begun, last};
    }
    return static_cast<double>(last - begin) / times;
  }();
  return measured * nanoseconds_per_tick();
}

}  // namespace gnomon
