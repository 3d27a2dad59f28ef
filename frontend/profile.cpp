// Reads what calls counted, and writes it as JSON and as a trace.
#include "frontend/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "frontend/places.h"
#include "frontend/profiled.h"
#include "frontend/program.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

/// A function of a profile, and its last calls.
struct ProfiledCalls {
  std::shared_ptr<Profiled> function;
  std::vector<RecordedCall> recent;
  double seconds_per_tick;
};

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 16;  // of a step

// --- all functions of the process, with GNOMON_PROFILE ---

struct AllProfiled {
  std::mutex mutex;
  std::vector<std::shared_ptr<Profiled>> functions;
};

// Never destroyed: it is read when the process ends.
AllProfiled& all_profiled() {
  static AllProfiled* instance = new AllProfiled;
  return *instance;
}

// The functions that took longest, with the time that each took.
void tell_all() {
  constexpr std::size_t most_told = 10, most_listed = 30;
  std::vector<std::shared_ptr<Profiled>> known;
  {
    AllProfiled& all = all_profiled();
    const std::lock_guard lock(all.mutex);
    known = all.functions;
  }
  std::vector<Profile> called;
  double seconds = 0;
  for (const auto& function : known) {
    Profile profile({function});
    if (profile.functions()[0].calls == 0) continue;
    seconds += profile.functions()[0].seconds;
    called.push_back(std::move(profile));
  }
  std::ranges::stable_sort(called, std::greater<>(),
                           [](const Profile& p) { return p.functions()[0].seconds; });
  if (called.empty()) return;
  fmt::print(stderr, "GNOMON_PROFILE: {:.3f} ms in calls of {} function{}\n", seconds * 1e3,
             called.size(), called.size() == 1 ? "" : "s");
  for (std::size_t i = 0; i < called.size() && i < most_listed; ++i) {
    const FunctionProfile& f = called[i].functions()[0];
    fmt::print(stderr, "{:12.3f} ms {:5.1f} %  {:>9} calls  {}\n", f.seconds * 1e3,
               seconds > 0 ? 100 * f.seconds / seconds : 0, f.calls, f.name);
  }
  if (called.size() > most_listed)
    fmt::print(stderr, "             and {} more\n", called.size() - most_listed);
  for (std::size_t i = 0; i < called.size() && i < most_told; ++i)
    fmt::print(stderr, "\n{}", called[i].text());
}

// --- a function ---

FunctionProfile read(const Profiled& function, const ProfileCounts& counts, double tick) {
  FunctionProfile f{.name = function.name,
                    .signature = function.signature,
                    .was_cached = function.was_cached,
                    .timings = function.timings,
                    .memory_table = function.memory_table,
                    .calls = counts.calls,
                    .failed = counts.failed,
                    .seconds = static_cast<double>(counts.ticks) * tick};
  for (std::size_t s = 0; s < call_stages.size(); ++s)
    f.stages.emplace_back(call_stages[s], static_cast<double>(counts.stages[s]) * tick);
  const double run = f.stages[static_cast<std::size_t>(CallStage::run)].second;
  for (std::size_t i = 0; i < function.steps.size(); ++i) {
    const SignatureStep& step = function.steps[i];
    const gnomon_step_counts& sum = counts.steps[i];
    const double seconds = static_cast<double>(sum.ticks) * tick;
    f.steps.push_back({step.kind, step.name, step.inside, function.lines[i], sum.calls, seconds,
                       run > 0 ? seconds / run : 0, sum.bytes, sum.operations,
                       static_cast<int>(sum.threads)});
  }
  // What is inside comes behind.
  for (std::size_t i = f.steps.size(); i-- > 0;) {
    const StepProfile& step = f.steps[i];
    if (step.inside < 0) continue;
    StepProfile& outer = f.steps[static_cast<std::size_t>(step.inside)];
    outer.bytes += step.bytes;
    outer.operations += step.operations;
    outer.threads = std::max(outer.threads, step.threads);
  }
  return f;
}

Json json_of(const StepProfile& s) {
  return {{"kind", s.kind},      {"name", s.name},   {"inside", s.inside},
          {"lines", s.lines},    {"calls", s.calls}, {"seconds", s.seconds},
          {"share", s.share},    {"bytes", s.bytes}, {"operations", s.operations},
          {"threads", s.threads}};
}

// "find  0.012 ms" on each line.
Json compilation_of(const std::string& timings) {
  Json found = Json::object();
  std::istringstream lines(timings);
  std::string stage, unit;
  for (double time = 0; lines >> stage >> time >> unit;) found[stage] = time / 1e3;
  return found;
}

Json json_of(const FunctionProfile& f) {
  Json stages = Json::object(), steps = Json::array();
  for (const auto& [name, seconds] : f.stages) stages[name] = seconds;
  for (const StepProfile& s : f.steps) steps.push_back(json_of(s));
  return {{"name", f.name},
          {"signature", f.signature},
          {"was_cached", f.was_cached},
          {"compilation", compilation_of(f.timings)},
          {"memory_table", f.memory_table},
          {"calls", f.calls},
          {"failed", f.failed},
          {"seconds", f.seconds},
          {"stages", stages},
          {"steps", steps}};
}

// --- traces ---

// Events as chrome://tracing has them, in microseconds after the first call began.
class TraceText {
 public:
  explicit TraceText(const std::vector<std::shared_ptr<const ProfiledCalls>>& functions) {
    for (const auto& f : functions)
      for (const RecordedCall& call : f->recent) first_ = std::min(first_, call.begin);
    for (const auto& f : functions)
      for (const RecordedCall& call : f->recent) add(*f, call);
    name_threads();
  }

  std::string text() && {
    return Json{{"traceEvents", std::move(events_)}, {"displayTimeUnit", "ns"}}.dump(
        -1, ' ', true, Json::error_handler_t::replace);
  }

 private:
  void add(const ProfiledCalls& f, const RecordedCall& call) {
    micros_per_tick_ = f.seconds_per_tick * 1e6;
    const Profiled& function = *f.function;
    const auto end = std::ranges::max(call.ends);
    Json about = {{"signature", function.signature}, {"failed", call.failed}};
    if (call.left_out > 0) about["steps left out"] = call.left_out;
    event(function.name, "call", call.thread, 0, call.begin, end, std::move(about));
    std::int64_t begin = call.begin;
    for (std::size_t s = 0; s < call.ends.size(); ++s) {
      if (call.ends[s] == 0) continue;
      event(std::string(call_stages[s]), "stage", call.thread, 0, begin, call.ends[s], {});
      begin = call.ends[s];
    }
    for (const gnomon_step_event& e : call.events) {
      const SignatureStep& step = function.steps[static_cast<std::size_t>(e.step)];
      event(step.name.empty() ? step.kind : step.name, step.kind, call.thread,
            branch_of(function, e.step), e.begin, e.end,
            {{"step", e.step}, {"lines", function.lines[static_cast<std::size_t>(e.step)]}});
    }
  }

  // Which of the branches side by side a step is in; 0 for the first and for others.
  static int branch_of(const Profiled& function, std::int64_t step) {
    return function.steps[static_cast<std::size_t>(step)].branch;
  }

  void event(const std::string& name, const std::string& kind, int thread, int branch,
             std::int64_t begin, std::int64_t end, Json about) {
    const int row = thread * rows_of_thread + branch;
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
      const int branch = row % rows_of_thread;
      name("thread_name", row,
           branch == 0 ? fmt::format("calls of thread {}", row / rows_of_thread)
                       : fmt::format("branch {} beside them", branch));
    }
  }

  static constexpr int rows_of_thread = 16;  // more than there are branches side by side

  Json events_ = Json::array();
  std::vector<int> rows_;
  std::int64_t first_ = std::numeric_limits<std::int64_t>::max();
  double micros_per_tick_ = 0;
};

}  // namespace

Profiled::Profiled(const Program& program)
    : name(program.options.name.empty() ? "function" : program.options.name),
      signature(describe(program.signature)),
      timings(program.timings),
      memory_table(program.signature.memory_table),
      was_cached(program.was_cached),
      steps(program.signature.steps),
      recorder(steps.size()) {
  const std::vector<const Node*> order = nodes_with_bodies(program.captured);
  for (const SignatureStep& step : steps) {
    Places places(most_lines);
    places.add(step.nodes, order);
    lines.push_back(places.lines());
  }
}

std::shared_ptr<Profiled> begin_profile(const Program& program) {
  auto profiled = std::make_shared<Profiled>(program);
  if (profiles_all()) {
    static const int told = std::atexit(tell_all);
    static_cast<void>(told);
    AllProfiled& all = all_profiled();
    const std::lock_guard lock(all.mutex);
    all.functions.push_back(profiled);
  }
  return profiled;
}

Profile::Profile(const std::vector<std::shared_ptr<Profiled>>& functions) {
  const double tick = nanoseconds_per_tick() * 1e-9;
  for (const auto& function : functions) {
    ProfileCounts counts = function->recorder.counts();
    functions_.push_back(read(*function, counts, tick));
    calls_.push_back(std::make_shared<const ProfiledCalls>(
        ProfiledCalls{function, std::move(counts.recent), tick}));
  }
}

void Profile::add(const Profile& more) {
  functions_.insert(functions_.end(), more.functions_.begin(), more.functions_.end());
  calls_.insert(calls_.end(), more.calls_.begin(), more.calls_.end());
}

std::string Profile::json() const {
  Json functions = Json::array();
  for (const FunctionProfile& f : functions_) functions.push_back(json_of(f));
  return Json{{"functions", functions}}.dump(2, ' ', false, Json::error_handler_t::replace);
}

void Profile::write_trace(const std::filesystem::path& path) const {
  std::ofstream out(path, std::ios::binary);
  out << TraceText(calls_).text();
  if (!out.flush()) throw DeviceError("write_trace: cannot write " + path.string());
}

void Profile::reset() const {
  for (const auto& calls : calls_) calls->function->recorder.reset();
}

}  // namespace gnomon
