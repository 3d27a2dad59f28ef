// Lines about the library's work.
#include "runtime/log.h"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <iterator>
#include <mutex>

#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

constexpr std::string_view subject_names[] = {"compile", "cache", "rewrite", "call", "memory"};

// The bits of the subjects that `text` names.
std::uint32_t subjects_of(std::string_view who, std::string_view text) {
  std::uint32_t bits = 0;
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view name = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
    const auto at = std::find(std::begin(subject_names), std::end(subject_names), name);
    if (at != std::end(subject_names)) {
      bits |= 1U << (at - std::begin(subject_names));
    } else if (name == "all") {
      bits = (1U << std::size(subject_names)) - 1;
    } else {
      throw ValueError(fmt::format("{}: expected subjects among {} and all, found \"{}\"", who,
                                   fmt::join(subject_names, ", "), name));
    }
  }
  return bits;
}

constexpr std::uint32_t unknown = 1U << 31;  // the environment was not asked yet

std::atomic<std::uint32_t> chosen{unknown};

struct Sink {
  std::mutex mutex;
  LogSink sink;
};

// Never destroyed: threads may tell of their work until the process ends.
Sink& log_sink() {
  static Sink* instance = new Sink;
  return *instance;
}

std::uint32_t chosen_subjects() {
  std::uint32_t bits = chosen.load(std::memory_order_relaxed);
  if (bits != unknown) return bits;
  bits = subjects_of("GNOMON_LOG", log_text().value_or(""));
  chosen.store(bits, std::memory_order_relaxed);
  return bits;
}

}  // namespace

std::vector<std::string_view> log_subjects() {
  return {std::begin(subject_names), std::end(subject_names)};
}

bool logs(LogSubject subject) {
  return (chosen_subjects() >> static_cast<unsigned>(subject) & 1U) != 0;
}

void set_log(std::string_view subjects) {
  chosen.store(subjects_of("set_log", subjects), std::memory_order_relaxed);
}

void set_log_sink(LogSink sink) {
  Sink& out = log_sink();
  const std::lock_guard lock(out.mutex);
  out.sink = std::move(sink);
}

void log_to_standard_error(std::string_view subject, const std::string& text) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  tm local{};
  localtime_r(&now.tv_sec, &local);
  fmt::print(stderr, "gnomon {:02}:{:02}:{:02}.{:03} {}: {}\n", local.tm_hour, local.tm_min,
             local.tm_sec, now.tv_nsec / 1'000'000, subject, text);
}

void log(LogSubject subject, const std::string& text) {
  LogSink sink;
  {
    Sink& out = log_sink();
    const std::lock_guard lock(out.mutex);
    sink = out.sink;
  }
  const std::string_view name = subject_names[static_cast<std::size_t>(subject)];
  if (sink) return sink(name, text);
  log_to_standard_error(name, text);
}

}  // namespace gnomon
