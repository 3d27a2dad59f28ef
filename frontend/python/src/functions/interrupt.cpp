// While Gnomon works: a line on the terminal about a compilation that is long, and Ctrl-C. The
// caller leaves a compilation at once, and it ends in the background; a call of a function ends in
// the next step of its loops.
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "frontend/python/src/functions/function.h"

// After Python.h.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "runtime/options.h"
#include "runtime/services.h"

namespace gnomon::python {

namespace {

constexpr std::chrono::milliseconds patience{50};  // between two looks at the signals
constexpr std::chrono::seconds silence{2};         // before a compilation is spoken of

// Compilations whose callers left, and those of other threads. The process waits for them at its
// end: no thread may run while the compiler's statics are destroyed.
struct Background {
  std::mutex mutex;
  std::condition_variable ended;
  int running = 0;
};

Background& background() {
  static Background* instance = new Background;
  return *instance;
}

// Counts a compilation for as long as this lives.
class Counted {
 public:
  Counted() {
    const std::lock_guard lock(background().mutex);
    ++background().running;
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  ~Counted() {
    const std::lock_guard lock(background().mutex);
    --background().running;
    background().ended.notify_all();
  }
};

// One compilation, shared by the thread that runs it and the one that waits.
struct Compilation {
  std::mutex mutex;
  std::condition_variable ended;
  bool done = false;
  Function function;
  std::exception_ptr error;
};

// Tells on a terminal how long a compilation takes, and takes the line back at its end.
class ProgressLine {
 public:
  explicit ProgressLine(std::string name) : name_(std::move(name)) {}
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shown_ > 0) write("\r\033[K");
  }
  void update() {
    const auto passed = std::chrono::steady_clock::now() - begin_;
    if (passed < silence || !wanted()) return;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(passed).count();
    if (seconds == shown_) return;
    shown_ = seconds;
    write(fmt::format("\r\033[Kgnomon: compiling {}, {} s", name_, seconds));
  }

 private:
  static bool wanted() {
    static const bool is_terminal = ::isatty(STDERR_FILENO) == 1;
    return is_terminal && environment("GNOMON_PROGRESS") != "0";
  }
  static void write(std::string_view text) {
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  }

  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::int64_t shown_ = 0;  // seconds
};

// Where Python handles signals. After a fork it is the thread that forked.
bool is_main_thread() { return syscall(SYS_gettid) == getpid(); }

// A forked child has none of the threads.
void forget_background() { new (&background()) Background; }

void wait_for_background() {
  const Released released;
  Background& all = background();
  std::unique_lock lock(all.mutex);
  all.ended.wait(lock, [&] { return all.running == 0; });
}

// For running loops. The exception of a signal handler stays set.
bool has_signal() {
  if (!is_main_thread() || Py_IsInitialized() == 0) return false;
  const PyGILState_STATE state = PyGILState_Ensure();
  const bool ends = PyErr_CheckSignals() != 0;
  PyGILState_Release(state);
  return ends;
}

}  // namespace

Function compile_interruptibly(std::vector<Expr> inputs, std::vector<Output> outputs,
                               std::vector<Update> updates, CompileOptions options) {
  if (!is_main_thread()) {
    const Released released;
    const Counted counted;
    return compile(std::move(inputs), std::move(outputs), std::move(updates), std::move(options));
  }
  ProgressLine progress(options.name.empty() ? "a function" : options.name);
  const auto shared = std::make_shared<Compilation>();
  auto work = [shared = shared, inputs = std::move(inputs), outputs = std::move(outputs),
               updates = std::move(updates), options = std::move(options)]() mutable {
    Function function;
    std::exception_ptr error;
    try {
      function =
          compile(std::move(inputs), std::move(outputs), std::move(updates), std::move(options));
    } catch (...) {
      error = std::current_exception();
    }
    {
      const std::lock_guard lock(shared->mutex);
      shared->function = std::move(function);
      shared->error = error;
      shared->done = true;
    }
    shared->ended.notify_one();
    shared.reset();
    Background& all = background();
    const std::lock_guard lock(all.mutex);
    --all.running;
    all.ended.notify_all();
  };
  std::unique_lock counted(background().mutex);
  std::thread(std::move(work)).detach();
  ++background().running;
  counted.unlock();
  for (;;) {
    bool done = false;
    {
      const Released released;
      std::unique_lock lock(shared->mutex);
      done = shared->ended.wait_for(lock, patience, [&] { return shared->done; });
    }
    if (done) break;
    progress.update();
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
  if (shared->error) std::rethrow_exception(shared->error);
  return std::move(shared->function);
}

void add_interruption(nb::module_& m) {
  set_interrupt_check(has_signal);
  pthread_atfork(nullptr, nullptr, forget_background);
  m.def("wait_for_compilations", wait_for_background,
        "Waits until the compilations that Ctrl-C left have ended.");
  nb::module_::import_("atexit").attr("register")(m.attr("wait_for_compilations"));
}

}  // namespace gnomon::python
