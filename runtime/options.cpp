// Reads the environment variables Gnomon knows.
#include "runtime/options.h"

#include <fmt/core.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <thread>

#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr EnvironmentVariable table[] = {
    {"GNOMON_CACHE_DIR", "folder of the cache of compiled functions"},
    {"GNOMON_NUM_THREADS", "the most threads a compiled function uses"},
    {"GNOMON_BLAS", "path of the BLAS library to use"},
    {"GNOMON_DUMP", "folder that receives each stage of each compilation"},
    {"GNOMON_PROFILE", "1: all functions are profiled, and what they took is told at the end"},
    {"GNOMON_LOG",
     "subjects told of on the standard error: compile,cache,rewrite,call,memory; all"},
    {"GNOMON_PROGRESS", "0: no line on the terminal while Python waits for a long compilation"},
    {"GNOMON_PYTHON", "the interpreter that traces programs for the command `gnomon`"},
    {"GNOMON_VERIFY", "set: check every kernel and the order of steps, as debug builds do"},
    {"GNOMON_POISON", "set: memory starts as NaN and as integers that are no index"},
    {"GNOMON_DEVICE", "what runs kernels where the option `device` does not say: cpu, cuda, sim"},
    {"GNOMON_SIM_DEVICES", "how many simulated devices there are"},
    {"GNOMON_SIM_LIBRARY", "path of the library that simulates a device"},
    {"GNOMON_SIM_MEMORY", "bytes of memory that the simulated device has"},
    {"GNOMON_SIM_SEED", "which order the simulated device runs blocks and threads in"},
    {"GNOMON_CLANG_LIBRARY", "path of the compiler library to use"},
    {"GNOMON_CUBLAS", "path of NVIDIA's cuBLASLt to use, or none"},
    {"GNOMON_CUFFT", "path of NVIDIA's cuFFT to use, or none"},
    {"GNOMON_CUSOLVER", "path of NVIDIA's cuSOLVER to use, or none"},
    {"GNOMON_NVRTC_LIBRARY", "path of NVIDIA's run-time compiler to use"},
    {"NO_COLOR", "set: the command `gnomon` writes no colours on a terminal"},
};

}  // namespace

std::span<const EnvironmentVariable> environment_variables() { return table; }

std::optional<std::string> environment(std::string_view name) {
  const char* value = std::getenv(std::string(name).c_str());
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::filesystem::path temporary_folder() { return environment("TMPDIR").value_or("/tmp"); }

std::filesystem::path default_cache_folder() {
  if (auto folder = environment("GNOMON_CACHE_DIR")) return *folder;
  // The XDG specification has relative paths ignored.
  if (auto folder = environment("XDG_CACHE_HOME"); folder && folder->front() == '/')
    return std::filesystem::path(*folder) / "gnomon";
  if (auto home = environment("HOME")) return std::filesystem::path(*home) / ".cache" / "gnomon";
  return temporary_folder() / fmt::format("gnomon-{}", ::getuid());
}

int available_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0) return std::max(1, CPU_COUNT(&set));
  // The fixed mask is too short for machines with more than 1024 CPUs.
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

int default_thread_count() {
  const auto text = environment("GNOMON_NUM_THREADS");
  if (!text) return available_cpus();
  int threads = 0;
  const char* end = text->data() + text->size();
  const auto [stop, error] = std::from_chars(text->data(), end, threads);
  if (error != std::errc() || stop != end || threads < 1)
    throw ValueError(
        fmt::format("GNOMON_NUM_THREADS: expected a positive integer, found \"{}\"", *text));
  return threads;
}

std::optional<std::string> blas_override() { return environment("GNOMON_BLAS"); }

bool profiles_all() {
  const auto value = environment("GNOMON_PROFILE");
  return value && *value != "0";
}

std::optional<std::string> log_text() { return environment("GNOMON_LOG"); }

std::optional<std::string> dump_folder() { return environment("GNOMON_DUMP"); }

}  // namespace gnomon
