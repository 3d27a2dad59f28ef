// gnomon bench: how long calls of a function in a file take, and moving their bytes alone.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <random>

#include "frontend/compile.h"
#include "ir/graph/leaf.h"
#include "ir/op/numbers.h"
#include "runtime/error.h"
#include "runtime/memory.h"
#include "runtime/size_text.h"
#include "runtime/threads.h"
#include "tools/gnomon/cache_text.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/extents.h"
#include "tools/gnomon/given_values.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

using Clock = std::chrono::steady_clock;
using Values = std::vector<Array>;
using Json = nlohmann::ordered_json;

constexpr double clock_seconds = 5e-6;  // calls that take less are timed several at a time
constexpr double warm_share = 0.1;      // of the time, before anything is timed
constexpr std::size_t least_times = 5;
constexpr std::size_t most_times = 1'000'000;

struct BenchArguments {
  std::string model, against;
  std::vector<std::string> values;  // and extents
  std::vector<std::string> ranges;
  double seconds = 1;
  int threads = 0;
  std::uint64_t seed = 1;
  bool no_cache = false, json = false;
};

double seconds_since(Clock::time_point from) {
  return std::chrono::duration<double>(Clock::now() - from).count();
}

// -------------------------------------------------------------------------------------- arguments

// Floats evenly over the range, integers too.
Array random_array(DType t, const std::vector<std::int64_t>& shape, const SampledRange& range,
                   std::uint64_t seed) {
  Array out = Array::empty(t, shape);
  const DType part = part_of(t);
  const std::int64_t count = out.size() * (is_complex(t) ? 2 : 1);
  std::mt19937_64 random(seed);
  for (std::int64_t i = 0; i < count; ++i) {
    const double share = 0x1p-53 * static_cast<double>(random() >> 11);
    const double v = is_float(part) ? range.low + share * (range.high - range.low)
                                    : range.low + std::floor(share * (range.high - range.low + 1));
    cell_store(part, out.data(), i, cell_cast(cell_make(v), DType::float64, part));
  }
  return out;
}

SampledRange near_range(DType t) { return {is_inexact(t) ? -1.0 : 0.0, 1}; }

// The arguments of the first function, from what the command line gives.
Values arguments_of(const BenchArguments& arguments, const CapturedFunction& function,
                    ExtentSearch& extents) {
  const SavedGraph& graph = function.graph;
  const std::vector<std::string> names = input_names(graph);
  const auto place = [&](const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  Values values;
  for (const SavedInput& input : graph.inputs) values.push_back(input.default_value);
  for (const std::string& text : arguments.values) {
    const auto [name, value] = name_and_value("bench", text, "NAME=VALUE");
    if (const std::size_t i = place(name); i < names.size()) {
      values[i] = value_of("bench", graph.inputs[i], value);
    } else if (!extents.give(name, extent_of("bench", name, value))) {
      throw ValueError(
          fmt::format("bench: expected NAME=VALUE with an input ({}) or an extent ({}), found {}",
                      fmt::join(names, ", "), fmt::join(extents.names(), ", "), text));
    }
  }
  std::vector<std::optional<SampledRange>> ranges(names.size());
  for (const std::string& text : arguments.ranges) {
    const auto [name, value] = name_and_value("bench", text, "--range NAME=LOW:HIGH");
    const std::size_t i = place(name);
    if (i == names.size())
      throw ValueError(fmt::format("bench: expected an input ({}) to give a range, found {}",
                                   fmt::join(names, ", "), name));
    ranges[i] = range_of("bench", name, value);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) continue;
    check_value("bench", function.closed.graph.parameters[i], values[i]);
    extents.give(i, values[i].shape());
  }
  if (const std::vector<std::string> open = extents.open(); !open.empty())
    throw ValueError(fmt::format("bench: no extent is given for {}, as {}=1000",
                                 fmt::join(open, ", "), open[0]));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].defined()) continue;
    const DType t = function.closed.graph.parameters[i].type.dtype;
    values[i] = random_array(t, extents.shape("bench", i), ranges[i] ? *ranges[i] : near_range(t),
                             arguments.seed + i);
  }
  return values;
}

// -------------------------------------------------------------------------------- what is measured

struct Percentile {
  const char* name;
  double share;
};
constexpr Percentile percentiles[] = {{"p10", 0.1}, {"median", 0.5}, {"p90", 0.9}, {"p99", 0.99}};

double percentile(std::vector<double> times, double share) {
  const auto at =
      static_cast<std::ptrdiff_t>(std::lround(share * static_cast<double>(times.size() - 1)));
  std::nth_element(times.begin(), times.begin() + at, times.end());
  return times[static_cast<std::size_t>(at)];
}

// Bytes of arrays that a call must read, or write, at least once.
struct Traffic {
  std::int64_t read = 0, written = 0;
};

struct Benched {
  CapturedFunction function;
  Values arguments;
  Function compiled = {};
  double compile_seconds = 0;
  Traffic traffic = {};
  int together = 1;  // calls that are timed at once
  std::vector<double> times = {};

  double median() const { return percentile(times, 0.5); }
};

// How many times what takes so long is done for the clock to tell.
int together_for(double seconds) {
  return static_cast<int>(std::clamp(std::ceil(clock_seconds / seconds), 1.0, 1e4));
}

// The time of calls one after the other, for each of them.
double seconds_of_calls(const Benched& b, int calls) {
  const auto from = Clock::now();
  for (int i = 0; i < calls; ++i) b.compiled(b.arguments);
  return seconds_since(from) / calls;
}

void compile_and_call(Benched& b, const BenchArguments& arguments) {
  CompileOptions options = b.function.graph.options;
  options.threads = arguments.threads;
  if (arguments.no_cache) options.cache = false;
  const auto from = Clock::now();
  b.compiled = compile_closed(b.function.closed, options);
  b.compile_seconds = seconds_since(from);
  const Closed& closed = b.function.closed;
  for (const Array& a : b.arguments) b.traffic.read += a.bytes();
  for (const Array& a : closed.constants) b.traffic.read += a.bytes();
  for (const Value& leaf : closed.shared) b.traffic.read += shared_of(leaf).get().bytes();
  try {
    for (const Array& a : b.compiled(b.arguments)) b.traffic.written += a.bytes();
  } catch (const IndexError& error) {
    throw ValueError(
        fmt::format("bench: {}: {}{}", b.function.path, error.what(), advice_on_indices));
  }
  const std::size_t first = closed.arguments + closed.constants.size();
  for (const Result& result : closed.graph.results)
    if (result.updates >= 0)
      b.traffic.written +=
          shared_of(closed.shared[static_cast<std::size_t>(result.updates) - first]).get().bytes();
}

// Times all by turns.
void time_calls(std::vector<Benched>& list, double seconds) {
  for (Benched& b : list) {
    const auto from = Clock::now();
    double one = seconds_of_calls(b, 1);
    while (seconds_since(from) < warm_share * seconds) one = std::min(one, seconds_of_calls(b, 1));
    b.together = together_for(one);
  }
  const auto from = Clock::now();
  const double whole = seconds * static_cast<double>(list.size());
  for (std::size_t round = 0;
       round < least_times || (round < most_times && seconds_since(from) < whole); ++round)
    for (std::size_t i = 0; i < list.size(); ++i) {
      Benched& b = list[(i + round) % list.size()];
      b.times.push_back(seconds_of_calls(b, b.together));
    }
}

// The median time that the C library takes to move as many bytes, with as many threads: `memcpy`
// what is read and written, `memcmp` what is read beyond that, `memset` what is written beyond.
double seconds_to_move(const Traffic& traffic, int threads) {
  constexpr double seconds = 0.05;
  constexpr std::int64_t grain = 256 << 10;  // bytes that are worth a thread
  const std::int64_t copied = std::min(traffic.read, traffic.written);
  const std::int64_t compared = (traffic.read - copied) / 2, set = traffic.written - copied;
  const Workspace from(static_cast<std::size_t>(copied + 2 * compared));
  const Workspace to(static_cast<std::size_t>(copied + set));
  char *const source = static_cast<char*>(from.data()), *const target =
                                                            static_cast<char*>(to.data());
  if (copied + compared > 0)
    std::memset(source, 1, static_cast<std::size_t>(copied + 2 * compared));
  std::atomic<int> differs = 0;
  // Each thread moves its part of all three.
  const auto move = [&](std::int64_t lo, std::int64_t hi, std::int64_t whole) {
    const auto part = [&](std::int64_t bytes) {
      const auto at = [&](std::int64_t i) {
        return static_cast<std::int64_t>(static_cast<double>(bytes) * static_cast<double>(i) /
                                         static_cast<double>(whole));
      };
      return std::pair(at(lo), static_cast<std::size_t>(at(hi) - at(lo)));
    };
    if (const auto [at, count] = part(copied); count > 0)
      std::memcpy(target + at, source + at, count);
    if (const auto [at, count] = part(compared); count > 0)
      differs += std::memcmp(source + copied + at, source + copied + compared + at, count) != 0;
    if (const auto [at, count] = part(set); count > 0) std::memset(target + copied + at, 1, count);
  };
  const std::int64_t whole = traffic.read + traffic.written;
  const auto run = [&](int times) {
    const auto start = Clock::now();
    for (int i = 0; i < times; ++i)
      pool().parallel_for(
          whole, grain,
          [&](std::int64_t lo, std::int64_t hi, std::int32_t) { move(lo, hi, whole); }, threads);
    return seconds_since(start) / times;
  };
  run(1);
  const int together = together_for(std::min(run(1), run(1)));
  std::vector<double> times;
  const auto begin = Clock::now();
  while (times.size() < least_times || seconds_since(begin) < seconds)
    times.push_back(run(together));
  if (differs != 0) throw InternalError("bench: equal bytes compare as different");
  return percentile(times, 0.5);
}

// How many times as long calls of the first function take as those of the second.
struct Ratio {
  double median, low, high;  // and the quartiles
};

Ratio ratio_of(const Benched& one, const Benched& other) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.times.size(); ++i)
    ratios.push_back(one.times[i] / other.times[i]);
  return {percentile(ratios, 0.5), percentile(ratios, 0.25), percentile(ratios, 0.75)};
}

// ----------------------------------------------------------------------------------------- report

std::string time_text(double seconds) {
  constexpr std::pair<double, const char*> units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}};
  for (const auto& [unit, name] : units)
    if (seconds >= unit) return fmt::format("{:.3g} {}", seconds / unit, name);
  return fmt::format("{:.3g} ns", seconds * 1e9);
}

std::string inputs_text(const Benched& b) {
  const std::vector<std::string> names = input_names(b.function.graph);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < names.size(); ++i)
    texts.push_back(fmt::format("{}: {}", names[i], b.arguments[i].describe()));
  return texts.empty() ? "no inputs" : fmt::format("{}", fmt::join(texts, ", "));
}

int threads_of(const BenchArguments& arguments) {
  return arguments.threads > 0 ? std::min(arguments.threads, pool().threads()) : pool().threads();
}

std::string text_of(const Benched& b, int threads, double moving) {
  std::string text = fmt::format("{}: {}\n", b.function.path, inputs_text(b));
  text += fmt::format("compiling  {}{}\n", time_text(b.compile_seconds),
                      b.compiled.was_cached() ? ", found in the cache" : "");
  text += fmt::format("threads    {}\n", threads);
  text += fmt::format("workspace  {}\n", size_text(b.compiled.workspace_bytes(b.arguments)));
  text += fmt::format("calls      {}{}\n", b.times.size() * static_cast<std::size_t>(b.together),
                      b.together > 1 ? fmt::format(", {} timed at a time", b.together) : "");
  for (const Percentile& p : percentiles)
    text += fmt::format("{:<9}  {}\n", p.name, time_text(percentile(b.times, p.share)));
  return text + fmt::format("memory     {} read, {} written: {} to move, {:.0f} % of the median\n",
                            size_text(b.traffic.read), size_text(b.traffic.written),
                            time_text(moving), 100 * moving / b.median());
}

Json json_of(const Benched& b, int threads, double moving) {
  Json inputs = Json::object(), times = Json::object();
  const std::vector<std::string> names = input_names(b.function.graph);
  for (std::size_t i = 0; i < names.size(); ++i) inputs[names[i]] = b.arguments[i].describe();
  for (const Percentile& p : percentiles) times[p.name] = percentile(b.times, p.share);
  return {{"model", b.function.path},
          {"inputs", inputs},
          {"compile_seconds", b.compile_seconds},
          {"cached", b.compiled.was_cached()},
          {"threads", threads},
          {"kernels", b.compiled.kernels()},
          {"products", b.compiled.products()},
          {"workspace_bytes", b.compiled.workspace_bytes(b.arguments)},
          {"calls", b.times.size() * static_cast<std::size_t>(b.together)},
          {"timed_together", b.together},
          {"seconds", times},
          {"read_bytes", b.traffic.read},
          {"written_bytes", b.traffic.written},
          {"moving_seconds", moving},
          {"moving_share", moving / b.median()}};
}

int run(const BenchArguments& arguments) {
  Progress progress;
  progress.show("reading");
  std::vector<Benched> list;
  list.push_back({captured_in("bench", arguments.model), {}});
  if (!arguments.against.empty()) list.push_back({captured_in("bench", arguments.against), {}});
  ExtentSearch extents;
  std::vector<std::size_t> positions(list[0].function.closed.arguments);
  std::iota(positions.begin(), positions.end(), std::size_t{0});
  extents.add(list[0].function, positions);
  if (list.size() > 1) {
    positions = same_inputs("bench", list[0].function, list[1].function);
    extents.add(list[1].function, positions);
  }
  list[0].arguments = arguments_of(arguments, list[0].function, extents);
  if (list.size() > 1)
    for (const std::size_t i : positions) list[1].arguments.push_back(list[0].arguments[i]);
  for (Benched& b : list) {
    progress.show(fmt::format("compiling {}", b.function.path));
    compile_and_call(b, arguments);
  }
  progress.show("timing calls");
  time_calls(list, arguments.seconds);
  progress.show("timing memory");
  const int threads = threads_of(arguments);
  std::vector<double> moving;
  for (const Benched& b : list) moving.push_back(seconds_to_move(b.traffic, threads));
  progress.clear();

  std::optional<Ratio> ratio;
  if (list.size() > 1) ratio = ratio_of(list[0], list[1]);
  if (arguments.json) {
    Json functions = Json::array(), ratios;
    for (std::size_t i = 0; i < list.size(); ++i)
      functions.push_back(json_of(list[i], threads, moving[i]));
    if (ratio) ratios = {{"median", ratio->median}, {"p25", ratio->low}, {"p75", ratio->high}};
    fmt::print("{}\n", object_text({{"functions", functions}, {"ratio", ratios}}));
    return done;
  }
  for (std::size_t i = 0; i < list.size(); ++i)
    fmt::print("{}{}", i > 0 ? "\n" : "", text_of(list[i], threads, moving[i]));
  if (ratio)
    fmt::print("\n{} takes {:.3g} times as long as {} (middle half: {:.3g} to {:.3g})\n",
               list[0].function.path, ratio->median, list[1].function.path, ratio->low,
               ratio->high);
  return done;
}

}  // namespace

void add_bench(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon bench model.gn n=1000", "times calls with random inputs of this size"},
      {"gnomon bench new.gn --against old.gn x=x.npy", "times two functions by turns"},
  };
  const auto arguments = std::make_shared<BenchArguments>();
  CLI::App& command = line.add(
      line.app, "bench",
      "times calls of a function in a file\n"
      "Inputs have their defaults or random numbers. It tells how long compiling and calls take, "
      "the workspace of a call, and the time that moving the bytes of arguments and results takes "
      "alone. The machine should have nothing else to do.",
      examples);
  add_model(command, arguments->model);
  command
      .add_option("NAME=VALUE", arguments->values,
                  "extents, as n=1000 or x.0=1000; values of inputs: a file or a number")
      ->type_name("FILE");
  command
      .add_option("--against", arguments->against,
                  "another function with the same inputs; both are timed by turns")
      ->type_name("FILE");
  command
      .add_option(
          "--range", arguments->ranges,
          "draws an input from a range: i=0:99; floats are from -1 to 1 otherwise, integers "
          "0 or 1")
      ->type_name("NAME=RANGE");
  command.add_option("--seconds", arguments->seconds, "how long calls of a function are timed (1)")
      ->check(fault_of_amount)
      ->type_name("SECONDS");
  command.add_option("--threads", arguments->threads, "the most threads that a call uses")
      ->check(fault_of_count)
      ->type_name("COUNT");
  command.add_option("--seed", arguments->seed, "of the random numbers (1)")->type_name("NUMBER");
  command.add_flag("--no-cache", arguments->no_cache, "compiles anew");
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
