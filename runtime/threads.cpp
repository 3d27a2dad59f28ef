// The thread pool: workers that spin for a moment, then sleep on a futex of their own.
#include "runtime/threads.h"

#include <fmt/core.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == 4);

constexpr int spins = 2000;

// Set while this thread runs pieces of a job: a call from inside one runs inline.
constinit thread_local bool inside_job = false;

void futex_wait(Word& word, std::uint32_t expected) {
  ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void futex_wake(Word& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void pause_briefly() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

struct Job {
  gnomon_body body = nullptr;
  void* argument = nullptr;
  std::int64_t count = 0, grain = 0, pieces = 0;
  int workers = 0;

  // Pieces [pieces * worker / workers, pieces * (worker + 1) / workers), without overflow.
  std::int64_t share_start(int worker) const {
    const std::int64_t each = pieces / workers, rest = pieces % workers;
    return each * worker + std::min<std::int64_t>(rest, worker);
  }

  void run_share(int worker) const {
    const std::int64_t end = share_start(worker + 1);
    for (std::int64_t piece = share_start(worker); piece < end; ++piece) {
      const std::int64_t lo = piece * grain;
      body(argument, lo, count - lo < grain ? count : lo + grain, worker);
    }
  }
};

// A waiter announces itself, then looks at the word again before it sleeps; a waker changes the
// word, then looks for waiters. All four steps are sequentially consistent: with anything weaker
// both may miss the other, and the wake-up is lost.
struct alignas(128) Worker {
  Word ticket{0};  // raised once for each job this worker takes part in
  Word asleep{0};
};

}  // namespace

// The workers of one process. A forked child leaves its parent's crew behind and makes its own.
struct ThreadPool::Crew {
  std::mutex turn;  // held by the caller whose job runs
  Job job;
  alignas(128) Word pending{0};  // workers that have not finished the job
  Word caller_asleep{0};
  alignas(128) std::atomic<int> running{0}, peak{0};
  int started = 1;  // the caller counts
  int spin_limit = available_cpus() > 1 ? spins : 0;
  Crew* parents = nullptr;  // keeps an abandoned crew reachable
  std::unique_ptr<Worker[]> workers = std::make_unique<Worker[]>(max_threads);

  void run_share(int worker) {
    const int now = running.fetch_add(1, std::memory_order_relaxed) + 1;
    int seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
    inside_job = true;
    job.run_share(worker);
    inside_job = false;
    running.fetch_sub(1, std::memory_order_relaxed);
  }

  [[noreturn]] void work(int index) {
    Worker& self = workers[static_cast<std::size_t>(index)];
    for (std::uint32_t taken = 0;; ++taken) {
      for (int i = 0; i < spin_limit && self.ticket.load(std::memory_order_acquire) == taken; ++i)
        pause_briefly();
      if (self.ticket.load(std::memory_order_acquire) == taken) {
        self.asleep.store(1, std::memory_order_seq_cst);
        while (self.ticket.load(std::memory_order_seq_cst) == taken) futex_wait(self.ticket, taken);
        self.asleep.store(0, std::memory_order_relaxed);
      }
      run_share(index);
      if (pending.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
          caller_asleep.load(std::memory_order_seq_cst) != 0)
        futex_wake(pending);
    }
  }

  // Starts workers until `wanted` threads exist; fewer when the system refuses.
  int start(int wanted) {
    if (started >= wanted) return wanted;
    // Signals are for the program's own threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      for (; started < wanted; ++started)
        std::thread([this, index = started] { work(index); }).detach();
    } catch (const std::system_error&) {  // too many threads: do with those there are
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return started;
  }

  void wake(int index) {
    Worker& worker = workers[static_cast<std::size_t>(index)];
    worker.ticket.fetch_add(1, std::memory_order_seq_cst);
    if (worker.asleep.load(std::memory_order_seq_cst) != 0) futex_wake(worker.ticket);
  }

  void wait_for_workers() {
    for (int i = 0; i < spin_limit; ++i) {
      if (pending.load(std::memory_order_acquire) == 0) return;
      pause_briefly();
    }
    caller_asleep.store(1, std::memory_order_seq_cst);
    for (;;) {
      const std::uint32_t left = pending.load(std::memory_order_seq_cst);
      if (left == 0) break;
      futex_wait(pending, left);
    }
    caller_asleep.store(0, std::memory_order_relaxed);
  }

  void run(const Job& wanted) {
    job = wanted;
    job.workers = start(wanted.workers);
    pending.store(static_cast<std::uint32_t>(job.workers - 1), std::memory_order_relaxed);
    for (int index = 1; index < job.workers; ++index) wake(index);
    run_share(0);
    wait_for_workers();
  }
};

ThreadPool::ThreadPool() : threads_(std::min(default_thread_count(), max_threads)) {
  ::pthread_atfork(nullptr, nullptr, abandon_crew);
}

void ThreadPool::abandon_crew() noexcept {
  // Only the forking thread exists in the child; the old crew's lock may never be released there.
  Crew* old = pool().crew_.exchange(nullptr, std::memory_order_acq_rel);
  static Crew* abandoned = nullptr;
  if (old == nullptr) return;
  old->parents = abandoned;
  abandoned = old;
}

ThreadPool::Crew& ThreadPool::crew() {
  Crew* crew = crew_.load(std::memory_order_acquire);
  if (crew != nullptr) return *crew;
  auto made = std::make_unique<Crew>();
  if (crew_.compare_exchange_strong(crew, made.get(), std::memory_order_acq_rel))
    return *made.release();
  return *crew;
}

void ThreadPool::set_threads(int threads) {
  if (threads < 1)
    throw ValueError(fmt::format("set_threads: expected at least 1 thread, found {}", threads));
  threads_.store(std::min(threads, max_threads), std::memory_order_relaxed);
}

void ThreadPool::parallel_for(std::int64_t count, std::int64_t grain, gnomon_body body,
                              void* argument, int limit) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  Job job{body, argument, count, grain, (count - 1) / grain + 1, 1};
  const std::int64_t most = std::min(threads(), std::max(limit, 1));
  job.workers = static_cast<int>(std::min(most, job.pieces));
  if (job.workers > 1 && !inside_job) {
    Crew& workers = crew();
    const std::unique_lock turn(workers.turn, std::try_to_lock);
    if (turn.owns_lock()) return workers.run(job);
  }
  job.workers = 1;
  job.run_share(0);
}

int ThreadPool::peak_running() const noexcept {
  const Crew* crew = crew_.load(std::memory_order_acquire);
  return crew == nullptr ? 0 : crew->peak.load(std::memory_order_relaxed);
}

void ThreadPool::reset_peak() noexcept {
  Crew* crew = crew_.load(std::memory_order_acquire);
  if (crew != nullptr) crew->peak.store(0, std::memory_order_relaxed);
}

ThreadPool& pool() {
  // Never destroyed: its workers run until the process ends.
  static ThreadPool* instance = new ThreadPool;
  return *instance;
}

void set_threads(int threads) { pool().set_threads(threads); }

}  // namespace gnomon
