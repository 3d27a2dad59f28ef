// Writes the events of a trace as JSON.
#include "frontend/profile_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

// Events as chrome://tracing has them, in microseconds after the first call began.
class TraceText {
 public:
  explicit TraceText(std::span<const std::shared_ptr<const ProfiledCalls>> functions) {
    for (const auto& f : functions) {
      for (const RecordedCall& call : f->recent) first_ = std::min(first_, call.begin);
      for (const CompileStage& s : f->function->stages())
        first_ = std::min(first_, ticks_of(*f, s.begin));
    }
    for (const auto& f : functions) {
      micros_per_tick_ = f->seconds_per_tick * 1e6;
      for (const CompileStage& s : f->function->stages())
        event(s.name, "compilation", row_of_compilation, ticks_of(*f, s.begin), ticks_of(*f, s.end),
              {{"function", f->function->name}, {"from the cache", f->function->was_cached}});
      for (const RecordedCall& call : f->recent) add(*f, call);
    }
    name_threads();
  }

  std::string text() && {
    return Json{{"traceEvents", std::move(events_)}, {"displayTimeUnit", "ns"}}.dump(
        -1, ' ', true, Json::error_handler_t::replace);
  }

 private:
  static std::int64_t ticks_of(const ProfiledCalls& f, std::int64_t nanoseconds) {
    return ticks_at(nanoseconds, f.seconds_per_tick * 1e9);
  }

  void add(const ProfiledCalls& f, const RecordedCall& call) {
    const Profiled& function = *f.function;
    const auto end = std::ranges::max(call.ends);
    Json about = {{"signature", function.signature}, {"failed", call.failed}};
    if (call.left_out > 0) about["steps left out"] = call.left_out;
    event(function.name, "call", row_of(call.thread), call.begin, end, std::move(about));
    std::int64_t begin = call.begin;
    for (std::size_t s = 0; s < call.ends.size(); ++s) {
      if (call.ends[s] == 0) continue;
      event(std::string(call_stages[s]), "stage", row_of(call.thread), begin, call.ends[s], {});
      begin = call.ends[s];
    }
    for (const gnomon_step_event& e : call.events) {
      const SignatureStep& step = function.steps[static_cast<std::size_t>(e.step)];
      event(step.name.empty() ? step.kind : step.name, step.kind,
            row_of(call.thread, branch_of(function, e.step)), e.begin, e.end,
            {{"step", e.step}, {"lines", function.lines[static_cast<std::size_t>(e.step)]}});
      if (!f.live.empty()) counter(e.begin, f.live[static_cast<std::size_t>(e.step)]);
    }
    if (!f.live.empty()) counter(end, 0);
  }

  void counter(std::int64_t at, std::int64_t bytes) {
    events_.push_back({{"name", "live bytes"},
                       {"ph", "C"},
                       {"pid", 1},
                       {"ts", static_cast<double>(at - first_) * micros_per_tick_},
                       {"args", {{"bytes", bytes}}}});
  }

  // Which of the branches side by side a step is in; 0 for the first and for others.
  static int branch_of(const Profiled& function, std::int64_t step) {
    return function.steps[static_cast<std::size_t>(step)].branch;
  }

  static int row_of(int thread, int branch = 0) { return 1 + thread * rows_of_thread + branch; }

  void event(const std::string& name, const std::string& kind, int row, std::int64_t begin,
             std::int64_t end, Json about) {
    rows_.emplace_back(row);
    Json event = {{"name", name},
                  {"cat", kind},
                  {"ph", "X"},
                  {"pid", 1},
                  {"tid", row},
                  {"ts", static_cast<double>(begin - first_) * micros_per_tick_},
                  {"dur", static_cast<double>(end - begin) * micros_per_tick_}};
    if (!about.empty()) event["args"] = std::move(about);
    events_.push_back(std::move(event));
  }

  void name_threads() {
    std::ranges::sort(rows_);
    const auto rest = std::ranges::unique(rows_);
    rows_.erase(rest.begin(), rest.end());
    const auto name = [&](const char* what, int row, const std::string& text) {
      events_.push_back(
          {{"name", what}, {"ph", "M"}, {"pid", 1}, {"tid", row}, {"args", {{"name", text}}}});
    };
    name("process_name", 0, "Gnomon");
    for (const int row : rows_) {
      const int thread = (row - 1) / rows_of_thread, branch = (row - 1) % rows_of_thread;
      name("thread_name", row,
           row == row_of_compilation ? "compilation"
           : branch == 0             ? fmt::format("calls of thread {}", thread)
                                     : fmt::format("branch {} beside them", branch));
    }
  }

  static constexpr int row_of_compilation = 0;
  static constexpr int rows_of_thread = 16;  // more than there are branches side by side

  Json events_ = Json::array();
  std::vector<int> rows_;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  double micros_per_tick_ = 0;
};

}  // namespace

std::string trace_text(std::span<const std::shared_ptr<const ProfiledCalls>> functions) {
  return TraceText(functions).text();
}

}  // namespace gnomon
