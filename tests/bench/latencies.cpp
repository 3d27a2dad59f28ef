// What single calls take, a million of them: the usual one and the late ones, alone and while
// another thread updates the weights that they read.
//
//   bench_latencies [CALLS]
//
// With the right to it (root, or CAP_SYS_NICE) the reader has the scheduling of real-time
// programs, SCHED_FIFO, and its memory is locked.
#include <fmt/format.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "frontend/gnomon.h"

namespace {

using namespace gnomon;
using Clock = std::chrono::steady_clock;

bool be_punctual() {
  sched_param wish{};
  wish.sched_priority = 10;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &wish) == 0 &&
         mlockall(MCL_CURRENT | MCL_FUTURE) == 0;
}

void be_usual() {
  const sched_param wish{};
  pthread_setschedparam(pthread_self(), SCHED_OTHER, &wish);
  munlockall();
}

template <class Call>
void report(const std::string& what, std::size_t calls, const Call& call) {
  for (int i = 0; i < 1000; ++i) call();
  std::vector<float> took(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    float& t = took[i];
    // Linux stops real-time programs that leave others less than a twentieth of each second.
    if (i % 1000 == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    const auto before = Clock::now();
    call();
    t = std::chrono::duration<float, std::micro>(Clock::now() - before).count();
  }
  std::ranges::sort(took);
  const auto at = [&](double part) { return took[static_cast<std::size_t>(part * (calls - 1.0))]; };
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.1f} |\n", what, at(0.5), at(0.99),
             at(0.999), at(0.99999), took.back());
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t calls = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1000000;
  // A layer of a controller, and a network whose update takes milliseconds.
  const SharedVariable w = shared(full({64, 64}, 0.01), "w"), v = shared(full({64}, 0.1), "v");
  w.keep_readable(), v.keep_readable();
  const Expr x = vector("x"), batch = matrix("batch"), target = vector("target");
  const Function scale = compile({x}, {x * 2.0 + 1.0}, {}, {.threads = 1});
  const Function answer = compile({x}, {dot(tanh(dot(x, w)), v)}, {}, {.threads = 1});
  const Expr cost = mean(square(dot(tanh(dot(batch, w)), v) - target));
  const auto [dw, dv] = grad(cost, w, v);
  const Function learn =
      compile({batch, target}, {cost}, {{w, w - 1e-3 * dw}, {v, v - 1e-3 * dv}}, {.threads = 1});
  const Array numbers = full({64}, 0.5), inputs = full({4096, 64}, 0.5), wanted = full({4096}, 1.0);

  const bool is_punctual = be_punctual();
  fmt::print("{} calls each, {}; microseconds\n\n", calls,
             is_punctual ? "SCHED_FIFO, memory locked" : "usual scheduling");
  fmt::print("| call | half | 99 % | 99.9 % | 99.999 % | longest |\n|---|---|---|---|---|---|\n");
  report("`x * 2 + 1` of 64 numbers", calls, [&] { scale(numbers); });
  report("two layers, 64 x 64", calls, [&] { answer(numbers); });
  std::atomic<bool> done = false;
  std::atomic<std::int64_t> steps = 0;
  std::atomic<double> seconds = 0;
  std::thread updater([&] {
    be_usual();
    const auto begin = Clock::now();
    while (!done) learn(inputs, wanted), ++steps;
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  });
  while (steps < 2) std::this_thread::yield();
  report("the same while they are trained", calls, [&] { answer(numbers); });
  done = true;
  updater.join();
  fmt::print("\nA step of training took {:.2f} ms; {} were made meanwhile.\n",
             1000 * seconds / static_cast<double>(steps), steps.load());
}
