// Time of a compilation and of a start with a filled cache, each in a fresh process.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include "runtime/options.h"
#include "tests/bench/training_step.h"

namespace {

using namespace gnomon;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a child does: compiles the step (and runs it once), then says how long that took.
int child(bool run, const std::string& folder, Clock::time_point start) {
  CompileOptions options;
  options.cache_folder = folder;
  const bench::Step step = bench::make_step(options);
  const double compiled = seconds_since(start);
  const Array images = zeros({128, bench::pixels}, float32), labels = zeros({128}, int64);
  const float loss = step.train(images, labels)[0].item<float>();
  const double first_result = seconds_since(start);
  std::printf("%d %.9f %g\n", step.train.was_cached() ? 1 : 0, run ? first_result : compiled, loss);
  return 0;
}

std::string self() {
  char path[4096];
  const ssize_t n = ::readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n))
               : throw std::runtime_error("no self");
}

// Seconds a child reports; the state stops when it fails or the cache is not as wanted.
double spawn(benchmark::State& state, const char* mode, const std::string& folder, bool cached) {
  const std::string command = self() + " " + mode + " " + folder;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  int hit = 0;
  double seconds = 0;
  if (!pipe || std::fscanf(pipe.get(), "%d %lf", &hit, &seconds) != 2 || (hit != 0) != cached)
    state.SkipWithError("the child failed, or the cache was not as it should be");
  return seconds;
}

struct Folder {
  std::string path = (temporary_folder() / ("gnomon_bench_" + std::to_string(::getpid()))).string();
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string fresh() const { return path + "/" + std::to_string(++count); }
  mutable int count = 0;
};

// From the first expression to the compiled training step, with an empty cache.
void cold_compile(benchmark::State& state) {
  const Folder folder;
  for (auto _ : state) state.SetIterationTime(spawn(state, "--compile", folder.fresh(), false));
}
BENCHMARK(cold_compile)
    ->UseManualTime()
    ->Iterations(1)
    ->Repetitions(15)
    ->Unit(benchmark::kMillisecond);

// From main to the first loss, with the training step in the cache.
void cached_start(benchmark::State& state) {
  const Folder folder;
  const std::string cache = folder.fresh();
  spawn(state, "--compile", cache, false);
  for (auto _ : state) state.SetIterationTime(spawn(state, "--run", cache, true));
}
BENCHMARK(cached_start)
    ->UseManualTime()
    ->Iterations(5)
    ->Repetitions(15)
    ->Unit(benchmark::kMillisecond);

}  // namespace

int main(int argc, char** argv) {
  const auto start = Clock::now();
  if (argc == 3 && (std::strcmp(argv[1], "--compile") == 0 || std::strcmp(argv[1], "--run") == 0))
    return child(std::strcmp(argv[1], "--run") == 0, argv[2], start);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
