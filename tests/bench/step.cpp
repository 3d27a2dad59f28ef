// Time of a training step beside the same arithmetic by hand, and of the smallest call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

#include "runtime/threads.h"
#include "tests/bench/baseline.h"
#include "tests/bench/training_step.h"

namespace {

using namespace gnomon;
using Clock = std::chrono::steady_clock;

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + static_cast<std::ptrdiff_t>(v.size() / 2), v.end());
  return v[v.size() / 2];
}

// Threads of the library spin after a product; the other side must not share its core with them.
void settle(int threads) {
  if (threads > 1) std::this_thread::sleep_for(std::chrono::milliseconds(60));
}

// Rounds of both sides in turn, over the same minibatches. Arguments: batch, threads.
void training_step(benchmark::State& state) {
  const std::int64_t batch = state.range(0);
  const int threads = static_cast<int>(state.range(1));
  set_threads(threads);
  constexpr int steps = 20;
  const bench::Images set = bench::random_images(steps * batch);
  std::vector<Array> images, labels;
  for (std::int64_t i = 0; i < steps; ++i) {
    images.push_back(set.pixels.slice(0, i * batch, (i + 1) * batch));
    labels.push_back(set.labels.slice(0, i * batch, (i + 1) * batch));
  }
  const bench::Step step = bench::make_step();
  bench::Baseline baseline(bench::pixels, bench::classes, threads);
  float ours = 0, theirs = 0;
  const auto gnomon_round = [&] {
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i) ours = step.train(images[i], labels[i])[0].item<float>();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / steps;
  };
  const auto baseline_round = [&] {
    baseline.blas().enter();
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i)
      theirs = baseline.train(images[i].data<float>(), labels[i].data<std::int64_t>(),
                              static_cast<int>(batch));
    const auto end = Clock::now();
    baseline.blas().leave();
    return std::chrono::duration<double, std::micro>(end - start).count() / steps;
  };
  gnomon_round();
  baseline_round();
  std::vector<double> gnomon_us, baseline_us;
  for (auto _ : state) {
    settle(threads);
    gnomon_us.push_back(gnomon_round());
    baseline_us.push_back(baseline_round());
    state.SetIterationTime(gnomon_us.back() * 1e-6);
  }
  if (!(std::fabs(ours - theirs) <= 1e-3f * std::fabs(theirs)))
    state.SkipWithError("the two losses differ");
  state.counters["gnomon_us"] = median(gnomon_us);
  state.counters["baseline_us"] = median(baseline_us);
  state.counters["ratio"] = median(gnomon_us) / median(baseline_us);
}
BENCHMARK(training_step)
    ->ArgNames({"batch", "threads"})
    ->ArgsProduct({{128, 600}, {1, 2}})
    ->Iterations(101)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// A call of f(x) = 2x + 1 on 8 doubles, its result freed.
void smallest_call(benchmark::State& state) {
  set_threads(1);
  auto x = vector("x", float64);
  const Function f = compile({x}, {2 * x + 1});
  const Array argument = Array::from({1., 2., 3., 4., 5., 6., 7., 8.});
  for (auto _ : state) benchmark::DoNotOptimize(f(argument)[0].data());
}
BENCHMARK(smallest_call);

}  // namespace

BENCHMARK_MAIN();
