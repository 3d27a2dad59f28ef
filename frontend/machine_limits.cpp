// Measures the machine by loops over large arrays, and by code that Clang makes for the processor.
#include "frontend/machine_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "runtime/cache/cache_file.h"
#include "runtime/cache/library.h"
#include "runtime/error.h"
#include "runtime/hardware.h"
#include "runtime/options.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* limits_name = "machine_limits.json";
constexpr std::int64_t most_of_file = 1 << 16;  // bytes
constexpr double most_per_second = 1e18;        // that a file may say
constexpr int file_version = 1;
constexpr int times_measured = 5;  // of which the best counts

double seconds_of(const auto& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What all threads of the pool do at once, each by its number.
void on_all_threads(const auto& work) {
  const int threads = pool().threads();
  pool().parallel_for(threads, 1, [&](std::int64_t first, std::int64_t last, std::int32_t) {
    for (std::int64_t i = first; i < last; ++i) work(i);
  });
}

// --- memory ---

// Elements of each of three arrays: more than the caches hold, and little of the memory.
std::size_t elements_of_array() {
  std::int64_t cache = 0;
  for (const ProcessorCache& c : processor_caches()) cache = std::max(cache, c.bytes);
  constexpr std::int64_t least = std::int64_t{1} << 24, most = std::int64_t{1} << 27;
  std::int64_t bytes = std::clamp(2 * cache, least, most);
  if (const std::int64_t free = memory_size().available; free > 0)
    bytes = std::min(bytes, std::max(free / 16, least / 16));
  return static_cast<std::size_t>(bytes) / sizeof(double);
}

// The better of reading alone and of a[i] = b[i] + 3 c[i].
double measured_bytes_per_second() {
  const std::size_t count = elements_of_array();
  const auto threads = static_cast<std::size_t>(pool().threads());
  const auto make = [&] { return std::make_unique_for_overwrite<double[]>(count); };
  const auto a = make(), b = make(), c = make();
  const auto part = [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    return std::pair(count * at / threads, count * (at + 1) / threads);
  };
  on_all_threads([&](std::int64_t i) {
    for (auto [k, end] = part(i); k < end; ++k) a[k] = b[k] = c[k] = 1;
  });
  double best = 0;
  std::vector<double> sums(threads * 8);  // apart from one another
  for (int time = 0; time < times_measured; ++time) {
    const double reading = seconds_of([&] {
      on_all_threads([&](std::int64_t i) {
        double sum[8] = {};
        auto [k, end] = part(i);
        for (; k + 8 <= end; k += 8)
          for (std::size_t j = 0; j < 8; ++j) sum[j] += b[k + j];
        for (const double s : sum) sums[static_cast<std::size_t>(i) * 8] += s;
      });
    });
    const double all = seconds_of([&] {
      on_all_threads([&](std::int64_t i) {
        for (auto [k, end] = part(i); k < end; ++k) a[k] = b[k] + 3 * c[k];
      });
    });
    const auto bytes = static_cast<double>(count * sizeof(double));
    best = std::max({best, bytes / reading, 3 * bytes / all});
  }
  const bool is_right = sums[0] > 0 && a[0] == 4;
  return is_right ? best : 0;
}

// --- operations ---

// As many accumulators as hide the time that an operation takes, and fit the registers of all.
constexpr int accumulators = 12;
constexpr int operations_of_round = 2 * accumulators;  // by lane

std::string text_of_peak(std::string_view type, std::string_view name, int lanes, int bytes) {
  std::string text = fmt::format(
      "typedef {0} {1}_lanes __attribute__((vector_size({2})));\n"
      "extern \"C\" __attribute__((visibility(\"default\"))) {0} {1}({0} x, i64 rounds) {{\n"
      "  const {1}_lanes factor = x - ({1}_lanes){{}}, more = factor * {0}(0.25);\n",
      type, name, bytes);
  for (int k = 0; k < accumulators; ++k)
    text += fmt::format("  {}_lanes a{} = factor + {}({});\n", name, k, type, k);
  text += "  for (i64 i = 0; i < rounds; ++i) {\n";
  for (int k = 0; k < accumulators; ++k)
    text += fmt::format("    a{0} = MULTIPLY_ADD(a{0}, factor, more);\n", k);
  text += fmt::format("  }}\n  {}_lanes sum = a0;\n", name);
  for (int k = 1; k < accumulators; ++k) text += fmt::format("  sum += a{};\n", k);
  text +=
      fmt::format("  {} all = 0;\n  for (int i = 0; i < {}; ++i) all += sum[i];\n", type, lanes);
  return text + "  return all;\n}\n";
}

std::shared_ptr<const Library> peak_library(int vector_bytes) {
  const std::string text =
      "#include \"runtime/abi.h\"\n#include <stdint.h>\ntypedef int64_t i64;\n"
      "#if defined(__FMA__) || defined(__aarch64__) || defined(__riscv)\n"
      "#define MULTIPLY_ADD(a, b, c) __builtin_elementwise_fma(a, b, c)\n#else\n"
      "#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))\n#endif\n" +
      text_of_peak("double", "gnomon_peak_double", vector_bytes / 8, vector_bytes) +
      text_of_peak("float", "gnomon_peak_float", vector_bytes / 4, vector_bytes) +
      "extern \"C\" {\n"
      "#define SEEN extern __attribute__((visibility(\"default\")))\n"
      "SEEN const gnomon_info_record gnomon_info;\n"
      "const gnomon_info_record gnomon_info = {GNOMON_ABI_VERSION, 0, 2, 0, \"{}\"};\n"
      "SEEN int32_t gnomon_plan(const i64*, i64* plan);\n"
      "int32_t gnomon_plan(const i64*, i64* plan) { plan[0] = plan[1] = 0; return 0; }\n"
      "SEEN int32_t gnomon_run(const gnomon_services*, gnomon_context*, void* const*, const i64*, "
      "void*);\n"
      "int32_t gnomon_run(const gnomon_services*, gnomon_context*, void* const*, const i64*, "
      "void*) { return 0; }\n}\n";
  const std::vector<Unit> units = {{"limits.cpp", text, true}};
  return Library::open(build_shared_object(units));
}

template <class T>
double measured_operations_per_second(const Library& library, const char* name, int lanes) {
  using Peak = T (*)(T, std::int64_t);
  const auto peak = reinterpret_cast<Peak>(library.symbol(name));
  if (peak == nullptr) return 0;
  const auto threads = static_cast<std::size_t>(pool().threads());
  std::vector<double> results(threads * 8);
  const auto run = [&](std::int64_t rounds) {
    return seconds_of([&] {
      on_all_threads([&](std::int64_t i) {
        results[static_cast<std::size_t>(i) * 8] = static_cast<double>(peak(T(0.5), rounds));
      });
    });
  };
  constexpr double enough = 4e-3;  // seconds
  std::int64_t rounds = 1 << 14;
  while (run(rounds) < enough && rounds < std::int64_t{1} << 34) rounds *= 2;
  double best = 0;
  for (int time = 0; time < times_measured; ++time) {
    const double work = static_cast<double>(rounds) * operations_of_round * lanes;
    best = std::max(best, work * static_cast<double>(threads) / run(rounds));
  }
  return std::isfinite(results[0]) ? best : 0;
}

MachineLimits measured() {
  MachineLimits found;
  found.bytes_per_second = measured_bytes_per_second();
  if (!toolchain_available()) return found;
  const int bytes = host_target().vector_bytes;
  try {
    const auto library = peak_library(bytes);
    found.operations_per_second =
        measured_operations_per_second<double>(*library, "gnomon_peak_double", bytes / 8);
    found.single_per_second =
        measured_operations_per_second<float>(*library, "gnomon_peak_float", bytes / 4);
  } catch (const Error&) {  // no compiler that works, or code that cannot be loaded
    // The table of a profile says that it is not known.
  }
  return found;
}

// --- the file ---

std::string text_of(const MachineLimits& limits, std::string_view processor, int threads) {
  return Json{{"version", file_version},
              {"processor", processor},
              {"threads", threads},
              {"bytes_per_second", limits.bytes_per_second},
              {"operations_per_second", limits.operations_per_second},
              {"single_per_second", limits.single_per_second}}
             .dump(2) +
         "\n";
}

std::filesystem::path folder_or_default(const std::string& folder) {
  return folder.empty() ? default_cache_folder() : std::filesystem::path(folder);
}

}  // namespace

std::string machine_limits_file(const std::string& folder) {
  return folder_or_default(folder) / limits_name;
}

std::optional<MachineLimits> parse_machine_limits(std::string_view text, std::string_view processor,
                                                  int threads) {
  const Json file = Json::parse(text, nullptr, false);
  const auto number = [&](const char* name) {
    return file.contains(name) && file[name].is_number() ? file[name].get<double>() : -1.0;
  };
  if (!file.is_object() || number("version") != file_version || number("threads") != threads ||
      !file.contains("processor") || file["processor"] != processor)
    return std::nullopt;
  const MachineLimits limits{number("bytes_per_second"), number("operations_per_second"),
                             number("single_per_second")};
  const auto can_be = [](double x) { return x >= 0 && x <= most_per_second; };
  if (limits.bytes_per_second <= 0 || !can_be(limits.bytes_per_second) ||
      !can_be(limits.operations_per_second) || !can_be(limits.single_per_second))
    return std::nullopt;
  // A compiler that is there now was not when they were measured.
  if (limits.operations_per_second == 0 && toolchain_available()) return std::nullopt;
  return limits;
}

std::optional<MachineLimits> stored_machine_limits(const std::string& folder) {
  const OpenedFolder opened = open_folder(folder_or_default(folder));
  if (!opened.descriptor) return std::nullopt;
  const auto content = read_file(opened.descriptor, limits_name, most_of_file);
  if (!content) return std::nullopt;
  return parse_machine_limits(*content, host_target().name, pool().threads());
}

MachineLimits machine_limits(const std::string& folder) {
  // Of this process, by what was asked for: a folder that cannot be written to keeps none.
  static std::mutex mutex;
  static auto* const known = new std::map<std::pair<std::string, int>, MachineLimits>;
  const std::lock_guard lock(mutex);
  const std::filesystem::path path = folder_or_default(folder);
  const std::pair key(path.string(), pool().threads());
  if (const auto at = known->find(key); at != known->end()) return at->second;
  if (const auto stored = stored_machine_limits(path))
    return known->emplace(key, *stored).first->second;
  const MachineLimits found = measured();
  const OpenedFolder opened = make_folder(path);
  if (opened.descriptor)
    write_file(opened.descriptor, limits_name, text_of(found, host_target().name, key.second));
  return known->emplace(key, found).first->second;
}

}  // namespace gnomon
