// The thread pool: every index once, never too many threads, inline when nested, alive after fork.
#include <doctest/doctest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/error.h"
#include "runtime/options.h"
#include "runtime/threads.h"
#include "tests/support/threads_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

std::vector<int> visits(std::int64_t count, std::int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
  std::atomic<bool> right{true};
  pool().parallel_for(count, grain, [&](std::int64_t lo, std::int64_t hi, std::int32_t worker) {
    if (lo < 0 || hi <= lo || hi > count || worker < 0 || worker >= pool().threads()) right = false;
    for (; lo < hi; ++lo) seen[static_cast<std::size_t>(lo)]++;
  });
  CHECK(right);
  return {seen.begin(), seen.end()};
}

}  // namespace

TEST_CASE("each index runs exactly once") {
  const ThreadsRestored restored;
  for (int threads : {1, 2, 3, 8}) {
    set_threads(threads);
    for (std::int64_t count : {0, 1, 2, 7, 64, 1000})
      for (std::int64_t grain : {1, 3, 64, 5000})
        CHECK(visits(count, grain) == std::vector<int>(static_cast<std::size_t>(count), 1));
  }
}

TEST_CASE("huge axes and grains do not overflow") {
  const ThreadsRestored restored;
  set_threads(4);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t grain : {most / 2, most / 3, most / 1000}) {
    std::atomic<std::int64_t> covered{0}, last{0};
    pool().parallel_for(most, grain, [&](std::int64_t lo, std::int64_t hi, std::int32_t) {
      covered += hi - lo;
      std::int64_t seen = last;
      while (hi > seen && !last.compare_exchange_weak(seen, hi)) {
      }
    });
    CHECK(covered == most);
    CHECK(last == most);
  }
}

TEST_CASE("never more threads than asked for, and all of them") {
  const ThreadsRestored restored;
  for (int threads : {1, 2, 4, 3}) {
    set_threads(threads);
    std::mutex mutex;
    std::set<std::thread::id> ids;
    std::atomic<int> arrived{0};
    pool().parallel_for(64, 1, [&](std::int64_t, std::int64_t, std::int32_t) {});
    pool().reset_peak();
    pool().parallel_for(threads, 1, [&](std::int64_t, std::int64_t, std::int32_t) {
      {
        const std::lock_guard lock(mutex);
        ids.insert(std::this_thread::get_id());
      }
      arrived++;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (arrived < threads && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    });
    CHECK(ids.size() == static_cast<std::size_t>(threads));
    CHECK(pool().peak_running() == (threads == 1 ? 0 : threads));
  }
}

TEST_CASE("threads that are done take the pieces of one that is not") {
  const ThreadsRestored restored;
  for (int threads : {2, 3}) {
    set_threads(threads);
    constexpr int count = 60;
    std::atomic<int> done{0};
    std::atomic<bool> first{true};
    pool().parallel_for(count, 1, [&](std::int64_t, std::int64_t, std::int32_t) {
      if (first.exchange(false)) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (done < count - 1 && std::chrono::steady_clock::now() < end)
          std::this_thread::yield();
        CHECK(done == count - 1);
      }
      done++;
    });
    CHECK(done == count);
  }
}

TEST_CASE("a worker that slept does not wake up on the processor of the caller") {
  if (available_cpus() < 2) return;
  const ThreadsRestored restored;
  set_threads(2);
  int apart = 0, together = 0;
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    const int here = ::sched_getcpu();
    std::atomic<int> there{-1};
    pool().parallel_for(2, 1, [&](std::int64_t, std::int64_t, std::int32_t worker) {
      if (worker == 1) there = ::sched_getcpu();
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
      while (there < 0 && std::chrono::steady_clock::now() < end) {
      }
    });
    if (here == ::sched_getcpu()) (here == there ? together : apart)++;
  }
  CHECK(together <= apart / 4);
}

TEST_CASE("a limit lowers the threads of one job") {
  const ThreadsRestored restored;
  set_threads(8);
  struct Probe {
    std::atomic<int> highest{0}, arrived{0};
  } probe;
  gnomon_body body = [](void* self, std::int64_t, std::int64_t, std::int32_t worker) {
    auto& [most, arrived] = *static_cast<Probe*>(self);
    int seen = most;
    while (worker > seen && !most.compare_exchange_weak(seen, worker)) {
    }
    // Nobody is done before all have come.
    arrived++;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (arrived < 3 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  };
  pool().parallel_for(100, 1, body, &probe, 3);
  CHECK(probe.highest == 2);
}

TEST_CASE("nested calls run inline over the same pieces") {
  const ThreadsRestored restored;
  set_threads(4);
  std::atomic<int> inner{0};
  std::atomic<bool> same_thread{true};
  pool().parallel_for(8, 1, [&](std::int64_t, std::int64_t, std::int32_t) {
    const auto me = std::this_thread::get_id();
    pool().parallel_for(10, 3, [&](std::int64_t lo, std::int64_t hi, std::int32_t worker) {
      if (std::this_thread::get_id() != me || worker != 0) same_thread = false;
      inner += static_cast<int>(hi - lo);
    });
  });
  CHECK(inner == 80);
  CHECK(same_thread);
}

TEST_CASE("calls from many threads at once all finish") {
  const ThreadsRestored restored;
  set_threads(4);
  std::atomic<std::int64_t> sum{0};
  std::vector<std::thread> callers;
  for (int t = 0; t < 8; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 500; ++i)
        pool().parallel_for(16, 1, [&](std::int64_t lo, std::int64_t, std::int32_t) { sum += lo; });
    });
  for (std::thread& t : callers) t.join();
  CHECK(sum == 8LL * 500 * 120);
}

TEST_CASE("no wake-up is lost when workers fall asleep between jobs") {
  const ThreadsRestored restored;
  set_threads(3);
  std::atomic<int> pieces{0};
  for (int i = 0; i < 300; ++i) {
    pool().parallel_for(3, 1, [&](std::int64_t, std::int64_t, std::int32_t) { pieces++; });
    // Around the moment when spinning ends and sleep begins.
    std::this_thread::sleep_for(std::chrono::microseconds(i % 150));
  }
  CHECK(pieces == 900);
}

#if !defined(__SANITIZE_THREAD__)  // which starts no threads after a fork
TEST_CASE("a forked child has a pool of its own") {
  const ThreadsRestored restored;
  set_threads(3);
  visits(100, 1);
  const pid_t child = ::fork();
  if (child == 0) {
    std::atomic<int> pieces{0};
    for (int i = 0; i < 10; ++i)
      pool().parallel_for(30, 1, [&](std::int64_t, std::int64_t, std::int32_t) { pieces++; });
    ::_exit(pieces == 300 && pool().peak_running() <= 3 ? 0 : 1);
  }
  REQUIRE(child > 0);
  int status = -1;
  ::waitpid(child, &status, 0);
  CHECK(status == 0);
  CHECK(visits(100, 1) == std::vector<int>(100, 1));
}
#endif

TEST_CASE("wrong thread counts are errors") {
  CHECK_THROWS_AS(set_threads(0), ValueError);
  CHECK_THROWS_AS(set_threads(-2), ValueError);
  const char* old = std::getenv("GNOMON_NUM_THREADS");
  const std::string before = old == nullptr ? "" : old;
  ::setenv("GNOMON_NUM_THREADS", "3", 1);
  CHECK(default_thread_count() == 3);
  for (const char* wrong : {"0", "-1", "two", "4x", "99999999999999"}) {
    ::setenv("GNOMON_NUM_THREADS", wrong, 1);
    CHECK_THROWS_AS(default_thread_count(), ValueError);
  }
  before.empty() ? ::unsetenv("GNOMON_NUM_THREADS")
                 : ::setenv("GNOMON_NUM_THREADS", before.c_str(), 1);
  CHECK(available_cpus() >= 1);
}
