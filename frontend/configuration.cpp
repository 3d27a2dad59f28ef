// Asks each part of Gnomon what it found, and writes that as lines and as JSON.
#include "frontend/configuration.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codegen/cuda/nvrtc.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/machine.h"
#include "codegen/toolchain/target.h"
#include "runtime/cache/cache.h"
#include "runtime/device/cublas_functions.h"
#include "runtime/device/cufft_functions.h"
#include "runtime/device/cusolver_functions.h"
#include "runtime/device/device_library.h"
#include "runtime/error.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack.h"
#include "runtime/options.h"
#include "runtime/size_text.h"

namespace gnomon {

namespace {

FoundLibrary find_compiler() {
  try {
    const std::string id = toolchain_id();  // "Debian clang version 19.1.7 -triple ..."
    return {true, id.substr(0, id.find(" -"))};
  } catch (const CompileError& error) {
    return {false, error.what()};
  }
}

std::string core_of_blas() {
  using Text = const char* (*)();
  const auto core = reinterpret_cast<Text>(blas().symbol("openblas_get_corename"));
  return core != nullptr ? core() : "";
}

FoundLibrary find_cuda_driver() {
  constexpr const char* name = "libcuda.so.1";
  void* const handle = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = ::dlerror();
    return {false, reason != nullptr ? reason : name};
  }
  using Version = int (*)(int*);
  const auto get = reinterpret_cast<Version>(::dlsym(handle, "cuDriverGetVersion"));
  int number = 0;  // 12040 is 12.4
  if (get == nullptr || get(&number) != 0 || number == 0)
    return {false, fmt::format("{} does not tell its version", name)};
  return {true, fmt::format("{} for CUDA {}.{}", name, number / 1000, number % 1000 / 10)};
}

// The folder is only looked at: it is neither made nor said to be unsafe on the standard error.
void find_cache(Configuration& found) {
  const Cache cache;
  found.cache_folder = cache.folder().string();
  found.cache_problem = open_folder(cache.folder()).problem;
  if (!found.cache_problem.empty()) return;
  const CacheStats stats = cache.stats();
  found.cache_functions = stats.entries;
  found.cache_bytes = stats.bytes;
}

nlohmann::ordered_json json_of(const FoundLibrary& library) {
  return {{"found", library.found}, {"description", library.description}};
}

std::string cache_label(const ProcessorCache& cache) {
  const char* const suffix = cache.kind == "data" ? "d" : cache.kind == "instruction" ? "i" : "";
  return fmt::format("L{}{} {}", cache.level, suffix, size_text(cache.bytes));
}

// Lines of a name and what is found, aligned.
class Lines {
 public:
  void add(std::string_view name, std::string_view value) {
    const std::size_t end = std::min(value.find('\n'), value.size());
    text_ += fmt::format("{:<12}{}\n", name, value.substr(0, end));
    if (end < value.size()) add("", value.substr(end + 1));
  }
  /// Many words, over several lines.
  void add_words(std::string_view name, const std::vector<std::string>& words) {
    constexpr std::size_t widest = 80;
    std::string line;
    for (const std::string& word : words) {
      if (!line.empty() && line.size() + word.size() > widest) {
        add(name, line);
        name = "";
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    if (!line.empty()) add(name, line);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

}  // namespace

const char* version() { return GNOMON_VERSION; }

Configuration configuration() {
  const Target& target = host_target();
  Configuration found;
  found.version = version();
  found.build = build_id();
  found.processor = target.name;
  found.model = processor_model();
  found.features = target.features;
  found.vector_bytes = target.vector_bytes;
  found.cpus = available_cpus();
  found.cores = available_cores();
  found.threads = default_thread_count();
  found.caches = processor_caches();
  found.memory = memory_size();
  found.compiler = find_compiler();
  found.blas = {blas().available(), blas_description()};
  found.blas_core = core_of_blas();
  found.lapack = {lapack_available(), lapack_description()};
  found.nvrtc = {nvrtc_available(), nvrtc_version()};
  const auto& cublas = device_library<Cublas>(false);
  found.cublas = {cublas.is_there, cublas.description};
  const auto& cufft = device_library<Cufft>(false);
  found.cufft = {cufft.is_there, cufft.description};
  const auto& cusolver = device_library<Cusolver>(false);
  found.cusolver = {cusolver.is_there, cusolver.description};
  found.cuda_driver = find_cuda_driver();
  find_cache(found);
  found.cost_model = text(target.machine);
  found.limits = stored_machine_limits();
  for (const EnvironmentVariable& v : environment_variables())
    if (auto value = environment(v.name)) found.environment.emplace_back(v.name, std::move(*value));
  return found;
}

std::string text(const Configuration& found) {
  Lines lines;
  lines.add("version", fmt::format("{}, build {}", found.version, found.build));
  lines.add("processor", found.model.empty() ? found.processor : found.model);
  if (!found.model.empty()) lines.add("", found.processor);
  lines.add("", fmt::format("vectors of {} bytes", found.vector_bytes));
  lines.add_words("features", found.features);
  std::vector<std::string> caches;
  for (const ProcessorCache& cache : found.caches) caches.push_back(cache_label(cache));
  if (!caches.empty()) lines.add("caches", fmt::format("{}", fmt::join(caches, ", ")));
  const std::string cores = found.cores == 0 ? "" : fmt::format(" on {} cores", found.cores);
  lines.add("threads", fmt::format("{} of {} CPUs{}", found.threads, found.cpus, cores));
  if (found.memory.total != 0)
    lines.add("memory", fmt::format("{}, of which {} are free", size_text(found.memory.total),
                                    size_text(found.memory.available)));
  lines.add("compiler", found.compiler.description);
  lines.add("blas", found.blas.description);
  lines.add("lapack", found.lapack.description);
  lines.add("cuda",
            (found.cuda_driver.found ? "driver " : "no driver: ") + found.cuda_driver.description);
  lines.add("", (found.nvrtc.found ? "NVRTC " : "") + found.nvrtc.description);
  lines.add("", (found.cublas.found ? "cuBLASLt " : "cuBLASLt: ") + found.cublas.description);
  lines.add("", (found.cufft.found ? "cuFFT " : "cuFFT: ") + found.cufft.description);
  lines.add("", (found.cusolver.found ? "cuSOLVER " : "cuSOLVER: ") + found.cusolver.description);
  lines.add("cache", found.cache_folder);
  lines.add("", found.cache_problem.empty() ? fmt::format("{} functions, {}", found.cache_functions,
                                                          size_text(found.cache_bytes))
                                            : "not used: " + found.cache_problem);
  lines.add("cost model", found.cost_model);
  const auto giga = [](double x) { return fmt::format("{:.3g}", x * 1e-9); };
  lines.add("limits", !found.limits ? "not measured: the first profile does"
                                    : giga(found.limits->bytes_per_second) + " GB/s of memory");
  if (found.limits && found.limits->operations_per_second > 0)
    lines.add("", fmt::format("{} Gflop/s of float64, {} of float32",
                              giga(found.limits->operations_per_second),
                              giga(found.limits->single_per_second)));
  std::string_view label = "environment";
  if (found.environment.empty()) lines.add(label, "nothing set");
  for (const auto& [name, value] : found.environment) {
    lines.add(label, fmt::format("{}={}", name, value));
    label = "";
  }
  return lines.text();
}

std::string json_text(const Configuration& found) {
  using Json = nlohmann::ordered_json;
  Json caches = Json::array();
  for (const ProcessorCache& c : found.caches)
    caches.push_back(
        {{"level", c.level}, {"kind", c.kind}, {"bytes", c.bytes}, {"shared_by", c.shared_by}});
  Json blas = json_of(found.blas);
  blas["core"] = found.blas_core;
  Json variables = Json::object();
  for (const auto& [name, value] : found.environment) variables[name] = value;
  Json limits = nullptr;
  if (found.limits)
    limits = {{"bytes_per_second", found.limits->bytes_per_second},
              {"operations_per_second", found.limits->operations_per_second},
              {"single_per_second", found.limits->single_per_second}};
  const Json all = {
      {"version", found.version},
      {"build", found.build},
      {"processor",
       {{"name", found.processor},
        {"model", found.model},
        {"features", found.features},
        {"vector_bytes", found.vector_bytes},
        {"available", found.cpus},
        {"cores", found.cores},
        {"caches", caches}}},
      {"threads", found.threads},
      {"memory", {{"bytes", found.memory.total}, {"available", found.memory.available}}},
      {"compiler", {{"found", found.compiler.found}, {"version", found.compiler.description}}},
      {"blas", blas},
      {"lapack", json_of(found.lapack)},
      {"cuda",
       {{"found", found.nvrtc.found},
        {"nvrtc", found.nvrtc.description},
        {"cublas", json_of(found.cublas)},
        {"cufft", json_of(found.cufft)},
        {"cusolver", json_of(found.cusolver)},
        {"driver", json_of(found.cuda_driver)}}},
      {"cache",
       {{"folder", found.cache_folder},
        {"functions", found.cache_functions},
        {"bytes", found.cache_bytes},
        {"problem", found.cache_problem}}},
      {"cost_model", found.cost_model},
      {"limits", limits},
      {"environment", variables}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace gnomon
