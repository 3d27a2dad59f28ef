// The thread pool: workers that spin for a moment, then sleep on a futex of their own. A job waits
// for those that take part, never for one that comes late.
#include "runtime/threads.h"

#include <fmt/core.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "runtime/cache/own_libraries.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == 4);
using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds spin_time(100);  // that a thread waits before it sleeps
constexpr int pauses_between_looks = 32;             // at the clock, while it spins
constexpr std::int64_t pieces_of_worker = 64;        // so many, or of an eighth of a grain:
constexpr std::int64_t pieces_of_grain = 8;          // a late worker costs the others one of them
constexpr std::int64_t most_pieces = std::int64_t{1} << 31;  // of a job: two numbers in a word

// Set while this thread runs pieces of a job: a call from inside one runs inline.
constinit thread_local bool inside_job = false;
constinit thread_local std::int32_t most_workers = 1;

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

// Until `done()`, for as long as spinning is worth it; calls `look()` now and then. Whether done.
template <class Done, class Look>
bool spin(const Done& done, const Look& look) {
  const auto end = Clock::now() + spin_time;
  do {
    look();
    for (int i = 0; i < pauses_between_looks; ++i) {
      if (done()) return true;
      pause_briefly();
    }
  } while (Clock::now() < end);
  return done();
}

enum State : std::uint32_t { idle, invited, working };

}  // namespace

// The workers of one process. A forked child leaves its parent's crew behind and makes its own.
struct ThreadPool::Crew {
  // The pieces a worker has still to do, [first, last) in one word: it takes them from the front,
  // workers that have done theirs from the back.
  class alignas(128) Share {
   public:
    void set(std::int64_t first, std::int64_t last) {
      range_.store(static_cast<std::uint64_t>(first) << 32 | static_cast<std::uint64_t>(last),
                   std::memory_order_relaxed);
    }
    /// The next piece, or -1.
    std::int64_t take_first() { return take(std::uint64_t{1} << 32, 0); }
    std::int64_t take_last() { return take(~std::uint64_t{0}, -1); }

   private:
    std::int64_t take(std::uint64_t step, std::int64_t from_last) {
      std::uint64_t range = range_.load(std::memory_order_relaxed);
      for (;;) {
        const auto first = static_cast<std::int64_t>(range >> 32);
        const auto last = static_cast<std::int64_t>(range & 0xffffffff);
        if (first >= last) return -1;
        if (range_.compare_exchange_weak(range, range + step, std::memory_order_relaxed))
          return from_last < 0 ? last - 1 : first;
      }
    }

    std::atomic<std::uint64_t> range_{0};
  };

  struct Job {
    gnomon_body body = nullptr;
    void* argument = nullptr;
    std::int64_t count = 0, piece = 0;
    int workers = 0;

    std::int64_t pieces() const { return (count - 1) / piece + 1; }
    void run_piece(std::int64_t k, int worker) const {
      const std::int64_t lo = k * piece;
      body(argument, lo, count - lo < piece ? count : lo + piece, worker);
    }
  };

  // A waiter announces itself, then looks at the word again before it sleeps; a waker changes the
  // word, then looks for waiters. All four steps are sequentially consistent: with anything weaker
  // both may miss the other, and the wake-up is lost.
  struct alignas(128) Worker {
    Word state{idle};  // the caller invites and may withdraw that; who accepts may read the job
    Word asleep{0};
    std::atomic<int> cpu{-1};  // where it was last seen
    std::atomic<pid_t> thread{0};
    int kept_off = -1;       // the processor it may not run on although it is in `allowed`
    cpu_set_t allowed, own;  // by the user, and what remains of that

    // Linux may start a thread that is woken up on the processor of the one that woke it, behind
    // that, while others are idle: in a virtual machine they look taken. So it may not run there.
    void keep_off(int callers_cpu) {
      if (kept_off == callers_cpu) return;
      cpu_set_t now;
      if (::sched_getaffinity(thread, sizeof now, &now) != 0) return;
      if (kept_off < 0 || !CPU_EQUAL(&now, &own)) allowed = now;
      own = allowed;
      CPU_CLR(static_cast<std::size_t>(callers_cpu), &own);
      const bool done = CPU_COUNT(&own) > 0 && ::sched_setaffinity(thread, sizeof own, &own) == 0;
      kept_off = done ? callers_cpu : -1;
    }
  };

  std::mutex turn;  // held by the caller whose job runs
  Job job;
  std::unique_ptr<Share[]> shares = std::make_unique<Share[]>(max_threads);
  alignas(128) Word pending{0};  // workers that were invited and have not finished
  Word caller_asleep{0};
  alignas(128) std::atomic<int> running{0}, peak{0};
  int started = 1;  // the caller counts
  const int cpus = available_cpus();
  Crew* parents = nullptr;  // keeps an abandoned crew reachable
  std::unique_ptr<Worker[]> workers = std::make_unique<Worker[]>(max_threads);

  Worker& at(int index) { return workers[static_cast<std::size_t>(index)]; }
  Share& share(int worker) { return shares[static_cast<std::size_t>(worker)]; }

  // More threads than processors leave the processors to those that work.
  bool may_spin(int threads) const { return cpus > 1 && threads <= cpus; }

  // Its own share in order, then what others have not begun.
  void run_pieces(int worker) {
    const int now = running.fetch_add(1, std::memory_order_relaxed) + 1;
    int seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
    inside_job = true;
    for (std::int64_t k; (k = share(worker).take_first()) >= 0;) job.run_piece(k, worker);
    for (int other = (worker + 1) % job.workers; other != worker; other = (other + 1) % job.workers)
      for (std::int64_t k; (k = share(other).take_last()) >= 0;) job.run_piece(k, worker);
    inside_job = false;
    running.fetch_sub(1, std::memory_order_relaxed);
  }

  [[noreturn]] void work(int index) {
    Worker& self = at(index);
    self.thread = static_cast<pid_t>(::syscall(SYS_gettid));
    const auto is_invited = [&] { return self.state.load(std::memory_order_acquire) == invited; };
    const auto note_cpu = [&] { self.cpu.store(::sched_getcpu(), std::memory_order_release); };
    for (;;) {
      note_cpu();
      if (!may_spin(index + 1) || !spin(is_invited, note_cpu)) {
        self.asleep.store(1, std::memory_order_seq_cst);
        if (self.state.load(std::memory_order_seq_cst) == idle) futex_wait(self.state, idle);
        self.asleep.store(0, std::memory_order_relaxed);
      }
      std::uint32_t expected = invited;
      if (!self.state.compare_exchange_strong(expected, working, std::memory_order_acquire))
        continue;  // nobody called, or the job is done
      run_pieces(index);
      self.state.store(idle, std::memory_order_release);
      finish_one();
    }
  }

  void finish_one() {
    if (pending.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        caller_asleep.load(std::memory_order_seq_cst) != 0)
      futex_wake(pending);
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

  void invite(int index, int callers_cpu) {
    Worker& worker = at(index);
    const bool sleeps = worker.asleep.load(std::memory_order_acquire) != 0;
    const bool waits_here = worker.cpu.load(std::memory_order_acquire) == callers_cpu;
    if (may_spin(index + 1) && (sleeps || waits_here)) worker.keep_off(callers_cpu);
    worker.state.store(invited, std::memory_order_seq_cst);
    if (worker.asleep.load(std::memory_order_seq_cst) != 0) futex_wake(worker.state);
  }

  // Whoever has not begun is no longer needed. Whether this one was not.
  bool withdraw(int index) {
    std::uint32_t expected = invited;
    const bool late =
        at(index).state.compare_exchange_strong(expected, idle, std::memory_order_relaxed);
    if (late) pending.fetch_sub(1, std::memory_order_relaxed);
    return late;
  }

  void wait_for_workers(int threads) {
    const auto done = [&] { return pending.load(std::memory_order_acquire) == 0; };
    if (done() || (may_spin(threads) && spin(done, [] {}))) return;
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
    const std::int64_t pieces = job.pieces();
    for (int worker = 0; worker < job.workers; ++worker)
      share(worker).set(pieces * worker / job.workers, pieces * (worker + 1) / job.workers);
    pending.store(static_cast<std::uint32_t>(job.workers - 1), std::memory_order_relaxed);
    const int cpu = ::sched_getcpu();
    for (int index = 1; index < job.workers; ++index) invite(index, cpu);
    run_pieces(0);
    int came = job.workers;
    for (int index = 1; index < job.workers; ++index) came -= withdraw(index) ? 1 : 0;
    wait_for_workers(job.workers);
    if (came > most_workers) __atomic_store_n(&most_workers, came, __ATOMIC_RELAXED);
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
  keep_loaded();  // what the workers run
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
  const std::int64_t most = std::min(threads(), std::max(limit, 1));
  const int workers = static_cast<int>(std::min(most, (count - 1) / grain + 1));
  if (workers > 1 && !inside_job) {
    Crew& crew = this->crew();
    const std::unique_lock turn(crew.turn, std::try_to_lock);
    if (turn.owns_lock()) {
      const std::int64_t piece = std::max(
          {count / (workers * pieces_of_worker), grain / pieces_of_grain, count / most_pieces + 1});
      return crew.run({body, argument, count, piece, workers});
    }
  }
  const Crew::Job alone{body, argument, count, grain, 1};
  for (std::int64_t k = 0; k < alone.pieces(); ++k) alone.run_piece(k, 0);
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

std::int32_t* workers_of_jobs() noexcept { return &most_workers; }

void set_threads(int threads) { pool().set_threads(threads); }

}  // namespace gnomon
