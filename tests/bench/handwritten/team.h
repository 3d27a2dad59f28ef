// Threads of the handwritten kernels: as many as GNOMON_NUM_THREADS says, each with a share.
#pragma once

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

namespace hand {

class Team {
 public:
  static Team& get() {
    static Team* team = new Team;  // its threads live as long as the process
    return *team;
  }
  int size() const { return size_; }

  /// f(worker) on each thread; returns when all are done.
  template <class F>
  void run(F&& f) {
    if (size_ == 1) return f(0);
    job_ = [](void* what, int worker) { (*static_cast<F*>(what))(worker); };
    what_ = const_cast<void*>(static_cast<const void*>(&f));
    left_ = size_ - 1;
    ++turn_;
    turn_.notify_all();
    f(0);
    while (left_ != 0) __builtin_ia32_pause();
  }

 private:
  Team() {
    const char* said = std::getenv("GNOMON_NUM_THREADS");
    size_ = said ? std::atoi(said) : 1;
    for (int worker = 1; worker < size_; ++worker) {
      std::thread([this, worker] { serve(worker); }).detach();
    }
  }
  void serve(int worker) {
    for (unsigned seen = 0;; ++seen) {
      for (int spin = 0; spin < 20000 && turn_ == seen; ++spin) __builtin_ia32_pause();
      turn_.wait(seen);
      job_(what_, worker);
      --left_;
    }
  }

  int size_ = 1;
  void (*job_)(void*, int) = nullptr;
  void* what_ = nullptr;
  std::atomic<unsigned> turn_ = 0;
  std::atomic<int> left_ = 0;
};

/// f(from, to) on each thread for its share of [0, n), in multiples of `grain`.
template <class F>
void share(long n, long grain, F&& f) {
  const long pieces = (n + grain - 1) / grain, workers = Team::get().size();
  Team::get().run([&](int worker) {
    const long from = pieces * worker / workers * grain;
    const long to = pieces * (worker + 1) / workers * grain;
    if (from < n) f(from, to < n ? to : n);
  });
}

}  // namespace hand
