// What the library does for generated code while a call runs: the service table and its context.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "runtime/abi.h"
#include "runtime/arrays/array.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

class Device;
struct DeviceCall;
struct SharedUse;

/// Receives the text of each print operation, without a newline at the end.
using PrintSink = std::function<void(const std::string&)>;

/// Sets where print operations of this process go. The default, also restored by an empty sink,
/// writes to the standard output: showing the text is what a print operation asks for.
void set_print_sink(PrintSink sink);

/// Sets what running loops ask, every 20 ms or so and from the thread that called the function,
/// whether to end at once. True ends the call with the error Interrupted; then no shared variable
/// has changed. It must not throw. Null, the default: calls are never interrupted.
void set_interrupt_check(bool (*check)());

/// For long work outside of generated code: asks the same as running loops do, no more often than
/// they. Throws Interrupted when the work is to end.
class InterruptionPoint {
 public:
  void operator()();

 private:
  std::int64_t next_ = 0;  // milliseconds of the coarse clock
};

/// A failed check of generated code. Of several, the one with the smallest (check, index) is kept.
struct Failure {
  std::int32_t check = 0;  // 0: none
  std::int64_t index = 0, value = 0, bound = 0;
};

/// The type of an output whose shape only the running function knows.
struct LateOutput {
  DType dtype = float64;
  std::int32_t rank = 0;
  Array array;               // set by the function
  Device* device = nullptr;  // in whose memory it is; null: the host's
};

/// The service table; `threads` bounds the workers of each parallel step (0: the pool's number).
gnomon_services services(int threads = 0);

}  // namespace gnomon

/// One running call. Made on the caller's stack; generated code sees it as opaque.
struct gnomon_context {
  /// `threads` as in `services`. The spans must outlive the call; `outputs[i]` answers output i of
  /// the service `output`; `messages[i]` heads the text of print operation i.
  explicit gnomon_context(int threads = 0, std::span<gnomon::LateOutput> outputs = {},
                          std::span<const std::string> messages = {}) noexcept
      : threads(threads), outputs(outputs), messages(messages) {}
  ~gnomon_context();
  gnomon_context(const gnomon_context&) = delete;
  gnomon_context& operator=(const gnomon_context&) = delete;

  /// The failure that counts; `check` is 0 when there was none. For the caller, after the run.
  const gnomon::Failure& failure() const noexcept { return first_failure; }
  /// Counts a failure with those there were.
  void note_failure(const gnomon::Failure& failure);
  /// Of a check that was made before those that were noted so far.
  void note_earlier_failure(const gnomon::Failure& failure);
  /// What a service could not do (no BLAS library, out of memory), or empty.
  const std::string& trouble() const noexcept { return service_trouble; }

  // For the services only.
  const int threads;
  const std::span<gnomon::LateOutput> outputs;
  const std::span<const std::string> messages;
  gnomon_profile* profile = nullptr;             // where the call counts its steps, if it does
  std::span<const gnomon::SharedUse> uses = {};  // of a call with breakpoints
  gnomon::DeviceCall* device = nullptr;          // of a function that runs kernels on one
  std::exception_ptr thrown;                     // by the callback of one
  std::mutex mutex;  // guards the rest: services are called from several workers
  gnomon::Failure first_failure;
  std::string service_trouble;
  std::vector<gnomon::Block> blocks;
  std::int64_t next_interrupt_check = 0;  // milliseconds of the coarse clock; the caller's thread
};
