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
#include "frontend/profile_trace.h"
#include "frontend/program.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

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

// The bytes of the buffers in use at each step; a loop has the most of its steps. Unsigned, since
// buffers that are never made at once may have more in all than an integer holds.
std::vector<std::int64_t> live_bytes(const Profiled& function,
                                     const std::vector<std::int64_t>& held) {
  const std::size_t steps = function.steps.size();
  std::vector<std::uint64_t> change(steps + 1);
  for (std::size_t b = 0; b < held.size(); ++b) {
    const SignatureBuffer& buffer = function.memory[b];
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(held[b], 0));
    change[static_cast<std::size_t>(buffer.first)] += bytes;
    change[static_cast<std::size_t>(buffer.last) + 1] -= bytes;
  }
  constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  std::vector<std::int64_t> live;
  std::uint64_t now = 0;
  for (std::size_t i = 0; i < steps; ++i) {
    now += change[i];
    live.push_back(static_cast<std::int64_t>(std::min(now, most)));
  }
  for (std::size_t i = steps; i-- > 0;)
    if (const int outer = function.steps[i].inside; outer >= 0)
      live[static_cast<std::size_t>(outer)] =
          std::max(live[static_cast<std::size_t>(outer)], live[i]);
  return live;
}

void add_memory(FunctionProfile& f, const Profiled& function,
                const std::vector<std::int64_t>& held) {
  for (std::size_t b = 0; b < held.size(); ++b) {
    const SignatureBuffer& buffer = function.memory[b];
    f.memory.push_back(
        {buffer.name, held[b], buffer.first, buffer.last, buffer.result, function.memory_lines[b]});
  }
  std::ranges::stable_sort(f.memory, {}, &HeldMemory::first);
  // The innermost of the steps with the most.
  for (std::size_t i = 0; i < f.steps.size(); ++i) {
    const bool is_inner = f.peak_step >= 0 && f.steps[i].inside == f.peak_step;
    if (f.steps[i].live > f.peak_bytes || (is_inner && f.steps[i].live == f.peak_bytes)) {
      f.peak_bytes = f.steps[i].live;
      f.peak_step = static_cast<int>(i);
    }
  }
}

// How much of what the machine can do each step did.
void compare(FunctionProfile& f, const Profiled& function, const MachineLimits& machine) {
  for (std::size_t i = 0; i < f.steps.size(); ++i) {
    StepProfile& step = f.steps[i];
    const double peak =
        function.steps[i].single ? machine.single_per_second : machine.operations_per_second;
    // What this machine can do says nothing of a device.
    if (step.seconds <= 0 || step.kind == "launch" || step.kind.starts_with("copy to")) continue;
    if (machine.bytes_per_second > 0)
      step.of_bandwidth = static_cast<double>(step.bytes) / step.seconds / machine.bytes_per_second;
    if (peak > 0) step.of_peak = static_cast<double>(step.operations) / step.seconds / peak;
  }
}

FunctionProfile read(const Profiled& function, const ProfileCounts& counts,
                     const MachineLimits& machine, double tick) {
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
  const std::vector<std::int64_t> live = live_bytes(function, counts.held);
  for (std::size_t i = 0; i < live.size(); ++i) f.steps[i].live = live[i];
  // What is inside comes behind.
  for (std::size_t i = f.steps.size(); i-- > 0;) {
    const StepProfile& step = f.steps[i];
    if (step.inside < 0) continue;
    StepProfile& outer = f.steps[static_cast<std::size_t>(step.inside)];
    outer.bytes += step.bytes;
    outer.operations += step.operations;
    outer.threads = std::max(outer.threads, step.threads);
  }
  add_memory(f, function, counts.held);
  compare(f, function, machine);
  return f;
}

Json json_of(const StepProfile& s) {
  return {{"kind", s.kind},       {"name", s.name},   {"inside", s.inside},
          {"lines", s.lines},     {"calls", s.calls}, {"seconds", s.seconds},
          {"share", s.share},     {"bytes", s.bytes}, {"operations", s.operations},
          {"threads", s.threads}, {"live", s.live},   {"of_bandwidth", s.of_bandwidth},
          {"of_peak", s.of_peak}};
}

Json json_of(const HeldMemory& m) {
  return {{"name", m.name}, {"bytes", m.bytes},   {"first", m.first},
          {"last", m.last}, {"result", m.result}, {"lines", m.lines}};
}

Json json_of(const MachineLimits& machine) {
  return {{"bytes_per_second", machine.bytes_per_second},
          {"operations_per_second", machine.operations_per_second},
          {"single_per_second", machine.single_per_second}};
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
  Json stages = Json::object(), steps = Json::array(), memory = Json::array();
  for (const auto& [name, seconds] : f.stages) stages[name] = seconds;
  for (const StepProfile& s : f.steps) steps.push_back(json_of(s));
  for (const HeldMemory& m : f.memory) memory.push_back(json_of(m));
  return {{"name", f.name},
          {"signature", f.signature},
          {"was_cached", f.was_cached},
          {"compilation", compilation_of(f.timings)},
          {"memory_table", f.memory_table},
          {"calls", f.calls},
          {"failed", f.failed},
          {"seconds", f.seconds},
          {"stages", stages},
          {"steps", steps},
          {"memory", memory},
          {"peak_bytes", f.peak_bytes},
          {"peak_step", f.peak_step}};
}

}  // namespace

Profiled::Profiled(const Program& program, std::vector<CompileStage> stages)
    : name(program.options.name.empty() ? "function" : program.options.name),
      signature(describe(program.signature)),
      timings(program.timings),
      memory_table(program.signature.memory_table),
      was_cached(program.was_cached),
      steps(program.signature.steps),
      memory(program.signature.memory),
      recorder(steps.size(), memory.size()),
      stages_(std::move(stages)) {
  const std::vector<const Node*> order = nodes_with_bodies(program.captured);
  const auto lines_of = [&](const std::vector<std::uint32_t>& nodes) {
    Places places(most_lines);
    places.add(nodes, order);
    return places.lines();
  };
  for (const SignatureStep& step : steps) lines.push_back(lines_of(step.nodes));
  for (const SignatureBuffer& buffer : memory) memory_lines.push_back(lines_of(buffer.nodes));
}

void Profiled::add_stage(const CompileStage& stage) {
  const std::lock_guard lock(mutex_);
  stages_.push_back(stage);
}

std::vector<CompileStage> Profiled::stages() const {
  const std::lock_guard lock(mutex_);
  return stages_;
}

std::shared_ptr<Profiled> begin_profile(const Program& program, std::vector<CompileStage> stages) {
  auto profiled = std::make_shared<Profiled>(program, std::move(stages));
  if (profiles_all()) {
    static const int told = [] {
      machine_limits();  // at the end there may be no compiler any more
      return std::atexit(tell_all);
    }();
    static_cast<void>(told);
    AllProfiled& all = all_profiled();
    const std::lock_guard lock(all.mutex);
    all.functions.push_back(profiled);
  }
  return profiled;
}

Profile::Profile(const std::vector<std::shared_ptr<Profiled>>& functions)
    : Profile(functions, functions.empty() ? MachineLimits{} : machine_limits()) {}

Profile::Profile(const std::vector<std::shared_ptr<Profiled>>& functions,
                 const MachineLimits& machine)
    : machine_(machine) {
  const double tick = nanoseconds_per_tick() * 1e-9;
  for (const auto& function : functions) {
    ProfileCounts counts = function->recorder.counts();
    functions_.push_back(read(*function, counts, machine_, tick));
    std::vector<std::int64_t> live = live_bytes(*function, counts.held);
    calls_.push_back(std::make_shared<const ProfiledCalls>(
        ProfiledCalls{function, std::move(counts.recent), tick, std::move(live)}));
  }
}

void Profile::add(const Profile& more) {
  functions_.insert(functions_.end(), more.functions_.begin(), more.functions_.end());
  calls_.insert(calls_.end(), more.calls_.begin(), more.calls_.end());
  if (!more.calls_.empty()) machine_ = more.machine_;
}

std::string Profile::json() const {
  Json functions = Json::array();
  for (const FunctionProfile& f : functions_) functions.push_back(json_of(f));
  return Json{{"functions", functions}, {"machine", json_of(machine_)}}.dump(
      2, ' ', false, Json::error_handler_t::replace);
}

void Profile::write_trace(const std::string& path) const {
  std::ofstream out(path, std::ios::binary);
  out << trace_text(calls_);
  if (!out.flush()) throw DeviceError("write_trace: cannot write " + path);
}

void Profile::reset() const {
  for (const auto& calls : calls_) calls->function->recorder.reset();
}

}  // namespace gnomon
