// Fibers that change places without a call of the system.
#include "runtime/simulator/threads.h"

#include <setjmp.h>
#include <sys/mman.h>
#include <ucontext.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/common_interface_defs.h>
#endif

namespace gnomon::simulator {

namespace {

constexpr std::size_t stack_bytes = 256 << 10, guard_bytes = 4096;

class Fiber;

struct Running {
  const std::function<void()>* thread = nullptr;
  jmp_buf scheduler;
  Fiber* now = nullptr;
};

thread_local Running running;

// A stack that runs one thread after the other.
class Fiber {
 public:
  Fiber() {
    void* const memory = mmap(nullptr, guard_bytes + stack_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<char*>(memory);
    mprotect(memory_, guard_bytes, PROT_NONE);
  }
  ~Fiber() { munmap(memory_, guard_bytes + stack_bytes); }
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void begin() { has_ended = false; }

  // Until it waits or ends.
  void run() {
    running.now = this;
    if (_setjmp(running.scheduler) != 0) return;
    if (has_stack_) _longjmp(here_, 1);
    has_stack_ = true;
    ucontext_t context;
    getcontext(&context);
    context.uc_stack.ss_sp = memory_ + guard_bytes;
    context.uc_stack.ss_size = stack_bytes;
    context.uc_link = nullptr;
    makecontext(&context, &Fiber::go_on, 0);
    setcontext(&context);
  }

  void leave() {
    if (_setjmp(here_) == 0) _longjmp(running.scheduler, 1);
  }

  bool has_ended = true;

 private:
  static void go_on() {
    for (;;) {
      (*running.thread)();
      Fiber* const self = running.now;
      self->has_ended = true;
      self->leave();
    }
  }

  char* memory_;
  bool has_stack_ = false;
  jmp_buf here_;
};

}  // namespace

bool run_block(unsigned count, Order order, unsigned seed,
               const std::function<void(unsigned t)>& enter, const std::function<void()>& thread) {
  thread_local std::vector<std::unique_ptr<Fiber>> fibers;
  while (fibers.size() < count) fibers.push_back(std::make_unique<Fiber>());
  running.thread = &thread;
  std::vector<unsigned> turns(count);
  std::iota(turns.begin(), turns.end(), 0u);
  if (order == Order::down) std::ranges::reverse(turns);
  std::mt19937 random(seed);
  for (unsigned t = 0; t < count; ++t) fibers[t]->begin();
  for (;;) {
    if (order == Order::shuffled) std::ranges::shuffle(turns, random);
    unsigned ended = 0;
    for (const unsigned t : turns) {
      enter(t);
      fibers[t]->run();
      ended += fibers[t]->has_ended;
    }
    if (ended == count) return true;
    if (ended == 0) continue;
    fibers.clear();  // those that wait never go on
    return false;
  }
}

void wait_for_block() { running.now->leave(); }

}  // namespace gnomon::simulator
