// Time of a training step beside the same arithmetic by hand, and of the smallest call.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

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

// Both sides over the same minibatches; a round is one pass, in microseconds a step.
class Rounds {
 public:
  Rounds(std::int64_t batch, int threads)
      : batch_(batch),
        step_((set_threads(threads), bench::make_step())),
        baseline_(bench::pixels, bench::classes, threads) {
    const bench::Images set = bench::random_images(steps * batch);
    for (std::int64_t i = 0; i < steps; ++i) {
      images_.push_back(set.pixels.slice(0, i * batch, (i + 1) * batch));
      labels_.push_back(set.labels.slice(0, i * batch, (i + 1) * batch));
    }
  }

  double gnomon() {
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i) ours_ = step_.train(images_[i], labels_[i])[0].item<float>();
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count() / steps;
  }
  double baseline() {
    baseline_.blas().enter();
    const auto start = Clock::now();
    for (int i = 0; i < steps; ++i)
      theirs_ = baseline_.train(images_[i].data<float>(), labels_[i].data<std::int64_t>(),
                                static_cast<int>(batch_));
    const auto end = Clock::now();
    baseline_.blas().leave();
    return std::chrono::duration<double, std::micro>(end - start).count() / steps;
  }
  bool agree() const { return std::fabs(ours_ - theirs_) <= 1e-3f * std::fabs(theirs_); }

 private:
  static constexpr int steps = 20;
  std::int64_t batch_;
  std::vector<Array> images_, labels_;
  bench::Step step_;
  bench::Baseline baseline_;
  float ours_ = 0, theirs_ = 0;
};

// Rounds of both sides in turn, on one thread. Argument: batch.
void training_step(benchmark::State& state) {
  Rounds rounds(state.range(0), 1);
  rounds.gnomon(), rounds.baseline();
  std::vector<double> gnomon_us, baseline_us;
  for (auto _ : state) {
    gnomon_us.push_back(rounds.gnomon());
    baseline_us.push_back(rounds.baseline());
    state.SetIterationTime(gnomon_us.back() * 1e-6);
  }
  if (!rounds.agree()) state.SkipWithError("the two losses differ");
  state.counters["gnomon_us"] = median(gnomon_us);
  state.counters["baseline_us"] = median(baseline_us);
  state.counters["ratio"] = median(gnomon_us) / median(baseline_us);
}
BENCHMARK(training_step)
    ->ArgName("batch")
    ->Arg(128)
    ->Arg(600)
    ->Iterations(101)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

// One side alone on two threads. Idle threads of one side spin on the cores of the other, so the
// sides run in processes of their own, in turn: see tools/bench. Argument: batch.
template <double (Rounds::*side)()>
void two_threads(benchmark::State& state) {
  Rounds rounds(state.range(0), 2);
  for (int i = 0; i < 10; ++i) (rounds.*side)();
  std::vector<double> us;
  for (auto _ : state) {
    us.push_back((rounds.*side)());
    state.SetIterationTime(us.back() * 1e-6);
  }
  state.counters["median_us"] = median(us);
}
BENCHMARK(two_threads<&Rounds::gnomon>)
    ->Name("gnomon_two_threads")
    ->ArgName("batch")
    ->Arg(128)
    ->Arg(600)
    ->Iterations(101)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(two_threads<&Rounds::baseline>)
    ->Name("baseline_two_threads")
    ->ArgName("batch")
    ->Arg(128)
    ->Arg(600)
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
