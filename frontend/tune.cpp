// Times functions that depend on one constant of the cost model, each with several values of it.
#include "frontend/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

#include "codegen/toolchain/target.h"
#include "frontend/function.h"
#include "runtime/error.h"
#include "runtime/options.h"
#include "runtime/threads.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double batch_seconds = 0.6e-3;  // calls that are timed together
constexpr std::int64_t side = 512;        // of the matrix that few rows are multiplied by
constexpr double pause_seconds = 0.3e-3;  // after which a thread of the pool sleeps
constexpr int calls_of_burst = 4;
constexpr double least_gain = 1.03;  // of a value that replaces the default one

CompileOptions options_for(const Machine& machine, int threads) {
  CompileOptions options;
  options.name = "tune";
  options.machine = machine;
  options.threads = threads;
  options.cache = false;
  return options;
}

// Something a function does whose speed depends on a constant: `make` compiles it for a machine,
// and what it returns runs it on a size.
struct Experiment {
  std::int64_t Machine::* constant;
  std::vector<std::int64_t> values;  // beside the default
  std::vector<std::int64_t> sizes;   // elements
  std::function<std::function<void(const Array&)>(const Machine&)> make;
  std::vector<std::int64_t> rows = {};  // of the argument for each size; none: a vector
  bool wakes_threads = false;           // calls come in bursts, of which the first wakes the pool
};

using Run = std::function<void(const Array&)>;

Run run_of(Function f) {
  return [f = std::move(f)](const Array& x) { f(x); };
}

Run sum_of_squares(const Machine& machine) {
  const Expr x = vector("x");
  return run_of(compile({x}, {sum(x * x)}, {}, options_for(machine, 1)));
}

Run softmax_of_rows(const Machine& machine) {
  const Expr x = matrix("x", float32);
  return run_of(compile({x}, {softmax(x)}, {}, options_for(machine, 1)));
}

// What is written is read soon: that it is still in a cache counts.
Run write_and_read(const Machine& machine) {
  const Expr x = vector("x");
  const Function write = compile({x}, {2.0 * x + 1.0}, {}, options_for(machine, 1));
  const Function read = compile({x}, {sum(x)}, {}, options_for(machine, 1));
  return [=](const Array& a) { read(write(a)[0]); };
}

Run short_loop(const Machine& machine) {
  const Expr x = vector("x");
  return run_of(compile({x}, {2.0 * x + 1.0}, {}, options_for(machine, 0)));
}

Run product_of_rows(const Machine& machine) {
  const Expr x = matrix("x", float32), w = tensor("w", float32, {side, side});
  const Function f = compile({x, w}, {dot(x, w)}, {}, options_for(machine, 1));
  return [f, weights = full({side, side}, 0.5, float32)](const Array& a) { f(a, weights); };
}

std::vector<std::int64_t> powers(int from, int to) {
  std::vector<std::int64_t> list;
  for (int p = from; p <= to; ++p) list.push_back(std::int64_t{1} << p);
  return list;
}

std::vector<Experiment> experiments() {
  std::vector<Experiment> list;
  list.push_back(
      {&Machine::prefetch_bytes, powers(9, 14), {1 << 19, 1 << 21, 1 << 23}, sum_of_squares});
  list.push_back({&Machine::far_bytes, powers(15, 22), powers(13, 19), sum_of_squares});
  list.push_back({&Machine::resident_row_bytes,
                  powers(17, 21),
                  powers(18, 22),
                  softmax_of_rows,
                  {8, 8, 8, 8, 8}});
  list.push_back({&Machine::stream_bytes, powers(22, 28), powers(18, 23), write_and_read});
  list.push_back({&Machine::few_rows,
                  {0, 8, 16, 32, 64, 96},
                  {4 * side, 12 * side, 24 * side, 40 * side, 60 * side, 80 * side},
                  product_of_rows,
                  {4, 12, 24, 40, 60, 80}});
  list.push_back({&Machine::work_of_piece, powers(14, 19), powers(13, 19), short_loop, {}, true});
  return list;
}

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

double seconds_of(const Run& run, const Array& x, int calls) {
  const auto from = Clock::now();
  for (int i = 0; i < calls; ++i) run(x);
  return seconds_since(from) / calls;
}

// One batch, in the state that the function itself leaves the caches or the threads in.
double seconds_of_batch(const Experiment& e, const Run& run, const Array& x, int calls) {
  run(x);
  const auto from = Clock::now();
  while (e.wakes_threads && seconds_since(from) < pause_seconds) {
  }
  return seconds_of(run, x, calls);
}

double median(std::vector<double> list) {
  const auto middle = list.begin() + static_cast<std::ptrdiff_t>(list.size() / 2);
  std::nth_element(list.begin(), middle, list.end());
  return *middle;
}

// How many times faster than the first each function is: the mean over sizes of the median over
// rounds in which all take turns.
std::vector<double> gains(const Experiment& e, int rounds, const std::vector<Run>& runs,
                          const std::vector<Array>& arguments) {
  std::vector<double> logs(runs.size());
  for (const Array& x : arguments) {
    runs[0](x);
    const double one = std::max(seconds_of(runs[0], x, 1), 1e-9);
    const int calls = e.wakes_threads ? calls_of_burst
                                      : static_cast<int>(std::clamp(batch_seconds / one, 1.0, 1e4));
    std::vector<std::vector<double>> ratios(runs.size());
    for (int round = 0; round < rounds; ++round) {
      std::vector<double> seconds(runs.size());
      for (std::size_t i = 0; i < runs.size(); ++i) {
        const std::size_t turn = (i + static_cast<std::size_t>(round)) % runs.size();
        seconds[turn] = seconds_of_batch(e, runs[turn], x, calls);
      }
      for (std::size_t i = 0; i < runs.size(); ++i) ratios[i].push_back(seconds[0] / seconds[i]);
    }
    for (std::size_t i = 0; i < runs.size(); ++i) logs[i] += std::log(median(ratios[i]));
  }
  for (double& l : logs) l = std::exp(l / static_cast<double>(arguments.size()));
  return logs;
}

TunedConstant measure(const Experiment& e, std::string_view name, int rounds) {
  const Machine standard;
  TunedConstant result{name, standard.*e.constant, standard.*e.constant, 1, 1, {}, ""};
  if (e.wakes_threads && pool().threads() < 2) {
    result.note = "one thread: not measured";
    return result;
  }
  // The default stands there twice: what they differ by is noise.
  std::vector<std::int64_t> values = {result.standard, result.standard};
  for (const std::int64_t v : e.values)
    if (v != result.standard) values.push_back(v);
  std::vector<Run> runs;
  for (const std::int64_t v : values) {
    Machine machine = standard;
    machine.*e.constant = v;
    runs.push_back(e.make(machine));
  }
  std::vector<Array> arguments;
  for (std::size_t i = 0; i < e.sizes.size(); ++i) {
    const DType t = e.rows.empty() ? float64 : float32;
    const auto shape =
        e.rows.empty() ? std::vector{e.sizes[i]} : std::vector{e.rows[i], e.sizes[i] / e.rows[i]};
    arguments.push_back(full(shape, 0.5, t));
  }
  // Chosen in one half, confirmed in the other.
  const std::vector<double> first = gains(e, rounds, runs, arguments);
  const auto best =
      static_cast<std::size_t>(std::max_element(first.begin() + 1, first.end()) - first.begin());
  const std::vector<double> second = gains(e, rounds, runs, arguments);
  result.noise = std::max({first[1], 1 / first[1], second[1], 1 / second[1]});
  for (std::size_t i = 2; i < values.size(); ++i)
    result.tried.emplace_back(values[i], std::sqrt(first[i] * second[i]));
  const double gain = std::min(first[best], second[best]);
  if (best < 2 || gain < least_gain * result.noise) return result;
  result.best = values[best];
  result.gain = gain;
  return result;
}

}  // namespace

std::string TunedConstant::text() const {
  std::string line = fmt::format("{} {}: ", name, best);
  if (!note.empty()) return line + note + "\n";
  line += best == standard ? "the default, nothing is clearly faster"
                           : fmt::format("{:.2f} times as fast as {}", gain, standard);
  line += fmt::format(" (noise {:.1f} %)\n  of the default's speed:", 100 * (noise - 1));
  for (const auto& [value, speed] : tried) line += fmt::format("  {} {:.2f}", value, speed);
  return line + "\n";
}

Tuning tune(const TuneOptions& options) {
  const auto all = machine_constants();
  for (const std::string& name : options.names)
    if (std::ranges::find(all, name, &MachineConstant::name) == all.end())
      throw ValueError(fmt::format("tune: expected one of {}, found {}", text(Machine{}), name));
  std::vector<std::pair<std::string_view, Experiment>> chosen;
  for (Experiment& e : experiments()) {
    const auto name = std::ranges::find(all, e.constant, &MachineConstant::member)->name;
    if (options.names.empty() || std::ranges::find(options.names, name) != options.names.end())
      chosen.emplace_back(name, std::move(e));
  }
  Tuning tuning{host_target().machine, {}, {}};
  for (const auto& [name, e] : chosen) {
    if (options.begin) options.begin(name, tuning.constants.size(), chosen.size());
    const TunedConstant result = measure(e, name, std::max(options.rounds, 1));
    tuning.machine.*e.constant = result.best;
    tuning.constants.push_back(result);
    if (options.progress) options.progress(result);
  }
  if (!options.store) return tuning;
  const auto folder = options.folder.empty() ? default_cache_folder() : options.folder;
  write_machine(folder, host_target().name, tuning.machine);
  tuning.path = machine_file(folder);
  return tuning;
}

}  // namespace gnomon
