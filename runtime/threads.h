// The one thread pool of the process: pieces are shared out, nested and contended calls run inline.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

#include "runtime/abi.h"

namespace gnomon {

/// Runs bodies over the pieces of an axis. One job runs at a time: a call made from inside a body,
/// or while another thread's job runs, does all its pieces itself, so results may depend on the
/// pieces but never on who ran them. A forked child starts its own workers when it needs them.
class ThreadPool {
 public:
  /// The most threads a job uses, the caller included.
  int threads() const noexcept { return threads_.load(std::memory_order_relaxed); }
  /// ValueError unless `threads` is at least 1.
  void set_threads(int threads);

  /// Runs `body(argument, lo, hi, worker)` for consecutive pieces that cover [0, count) once. As
  /// many threads take part as there are `grain`s in it; worker w < threads() takes the pieces of a
  /// contiguous share of the axis, and then what slower ones have not begun. `limit` lowers the
  /// number of threads of this job. Bodies must not throw.
  void parallel_for(std::int64_t count, std::int64_t grain, gnomon_body body, void* argument,
                    int limit = max_threads);

  /// The same for a callable of (lo, hi, worker).
  template <class F>
  void parallel_for(std::int64_t count, std::int64_t grain, F&& f, int limit = max_threads) {
    auto body = [](void* argument, std::int64_t lo, std::int64_t hi, std::int32_t worker) {
      (*static_cast<std::remove_reference_t<F>*>(argument))(lo, hi, worker);
    };
    parallel_for(count, grain, body, const_cast<void*>(static_cast<const void*>(&f)), limit);
  }

  /// The most threads that were inside one job at once since the last `reset_peak`.
  int peak_running() const noexcept;
  void reset_peak() noexcept;

  static constexpr int max_threads = 256;

  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

 private:
  friend ThreadPool& pool();
  struct Crew;

  ThreadPool();
  Crew& crew();
  static void abandon_crew() noexcept;

  std::atomic<int> threads_;
  std::atomic<Crew*> crew_{nullptr};
};

/// The pool of this process.
ThreadPool& pool();

/// The most threads that took part in a job which this thread started, since it was set to 1.
std::int32_t* workers_of_jobs() noexcept;

/// Sets the most threads that compiled functions use at once, the caller included: up to 256.
/// The default is GNOMON_NUM_THREADS, else the CPUs this process may use. ValueError: below 1.
void set_threads(int threads);

}  // namespace gnomon
