// The services of a running call: threads, products, memory, late outputs, failures, printing.
#include "runtime/services.h"

#include <fmt/core.h>

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>

#include "runtime/arrays/shared.h"
#include "runtime/breakpoints.h"
#include "runtime/convolution/convolution.h"
#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "runtime/linalg/blas.h"
#include "runtime/linalg/lapack.h"
#include "runtime/lines/lines.h"
#include "runtime/trouble.h"

namespace gnomon {

namespace {

void write_line(const std::string& text) {
  fmt::print(stdout, "{}\n", text);
  std::fflush(stdout);
}

// Guards the process's sink and keeps texts of concurrent calls whole. Recursive: a sink may itself
// call a function that prints, or set another sink.
struct Printing {
  std::recursive_mutex mutex;
  PrintSink sink = write_line;
};

// Never destroyed: calls may run until the process ends.
Printing& printing() {
  static Printing* instance = new Printing;
  return *instance;
}

// Keeps the first trouble; runs on the way out of a service, where nothing may be thrown.
void note_trouble(gnomon_context* context, const char* text) noexcept {
  const std::lock_guard lock(context->mutex);
  try {
    if (context->service_trouble.empty()) context->service_trouble = text;
  } catch (...) {  // no memory for the text: the status still tells of the failure
  }
}

// Runs what may throw: no exception crosses into generated code. Whether nothing was thrown.
template <class F>
bool guarded(gnomon_context* context, F&& work) {
  try {
    work();
    return true;
  } catch (const std::exception& error) {
    note_trouble(context, error.what());
    return false;
  }
}

// What is said of the troubles of a service.
struct Words {
  std::string_view no_library = {};  // and how BLAS was looked for
  const char* unsuitable = "";
  const char* no_memory = "";
};

// Runs a service whose `work` gives a Trouble.
template <class F>
std::int32_t status_of(gnomon_context* context, const Words& words, F&& work) {
  Trouble trouble = Trouble::exception;
  guarded(context, [&] {
    trouble = work();
    if (trouble == Trouble::no_library)
      note_trouble(context, (std::string(words.no_library) + blas_description()).c_str());
    if (trouble == Trouble::unsuitable) note_trouble(context, words.unsuitable);
    if (trouble == Trouble::no_memory) note_trouble(context, words.no_memory);
  });
  return trouble == Trouble::none ? GNOMON_DONE : GNOMON_SERVICE_FAILED;
}

int thread_limit(const gnomon_context* context) {
  return context->threads > 0 ? context->threads : ThreadPool::max_threads;
}

void parallel(gnomon_context* context, std::int64_t count, std::int64_t grain, gnomon_body body,
              void* argument) {
  pool().parallel_for(count, grain, body, argument, thread_limit(context));
}

std::int32_t gemm(gnomon_context* context, const gnomon_gemm* product) {
  constexpr Words words{.unsuitable = "the BLAS library cannot take these row strides"};
  return status_of(context, words,
                   [&] { return blas().gemm(*product, pool(), thread_limit(context)); });
}

std::int32_t routine(gnomon_context* context, gnomon_routine* what) {
  constexpr Words words{.no_library = "no LAPACK library found; BLAS: ",
                        .unsuitable = "the LAPACK library cannot take these extents",
                        .no_memory = "too little memory for a linear system"};
  return status_of(context, words,
                   [&] { return run_routine(*what, pool(), thread_limit(context)); });
}

std::int32_t convolve(gnomon_context* context, const gnomon_convolution* convolution) {
  constexpr Words words{.no_memory = "too little memory for a convolution"};
  return status_of(context, words, [&] {
    const bool done = gnomon::convolve(*convolution, pool(), thread_limit(context));
    return done ? Trouble::none : Trouble::no_memory;
  });
}

std::int32_t lines(gnomon_context* context, const gnomon_lines* what) {
  constexpr Words words{.no_memory = "too little memory for a sort or a search"};
  return status_of(context, words, [&] {
    const bool done = run_lines(*what, pool(), thread_limit(context));
    return done ? Trouble::none : Trouble::no_memory;
  });
}

void* allocate(gnomon_context* context, std::int64_t bytes) {
  const Block block =
      bytes < 0 ? Block{}
                : try_allocate_block(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)));
  if (block.data == nullptr) {
    note_trouble(context, "too little memory for a call");
    return nullptr;
  }
  const bool kept = guarded(context, [&] {
    const std::lock_guard lock(context->mutex);
    context->blocks.push_back(block);
  });
  if (kept) return block.data;
  free_block(block);
  return nullptr;
}

void* output(gnomon_context* context, std::int32_t index, const std::int64_t* shape) {
  if (index < 0 || static_cast<std::size_t>(index) >= context->outputs.size()) {
    note_trouble(context, "the function named an output it does not have");
    return nullptr;
  }
  LateOutput& late = context->outputs[static_cast<std::size_t>(index)];
  void* data = nullptr;
  guarded(context, [&] {
    const std::span<const std::int64_t> extents(shape, static_cast<std::size_t>(late.rank));
    late.array = late.device == nullptr ? Array::of_extents(late.dtype, extents)
                                        : empty_on(*late.device, late.dtype, extents, "a result");
    data = late.array.address();
  });
  return data;
}

void fail(gnomon_context* context, std::int32_t check, std::int64_t index, std::int64_t value,
          std::int64_t bound) {
  context->note_failure({check, index, value, bound});
}

void print(gnomon_context* context, std::int32_t message, std::int32_t dtype, std::int32_t rank,
           const std::int64_t* shape, const void* data) {
  guarded(context, [&] {
    const std::span<const std::int64_t> extents(shape, static_cast<std::size_t>(rank));
    // Only read from.
    const Array array =
        Array::borrow(const_cast<void*>(data), static_cast<DType>(dtype), extents, nullptr);
    std::string text;
    if (message >= 0 && static_cast<std::size_t>(message) < context->messages.size())
      text = context->messages[static_cast<std::size_t>(message)];
    const std::string values = array.to_string();
    if (!text.empty()) text += rank > 1 ? "\n" : " ";
    text += values;
    Printing& out = printing();
    const std::lock_guard lock(out.mutex);
    const PrintSink sink = out.sink;
    sink(text);
  });
}

// A copy, since the memory is the call's and the callback may keep it. Halves are computed in
// float32.
Array value_at_breakpoint(DType t, std::span<const std::int64_t> extents, const void* data) {
  if (!is_half(t)) return Array::borrow(const_cast<void*>(data), t, extents, nullptr).copy();
  Array halves = Array::of_extents(t, extents);
  const auto* floats = static_cast<const float*>(data);
  for (std::int64_t i = 0; i < halves.size(); ++i) {
    if (t == DType::float16)
      static_cast<Float16*>(halves.data())[i] = Float16(double{floats[i]});
    else
      static_cast<BFloat16*>(halves.data())[i] = BFloat16(double{floats[i]});
  }
  return halves;
}

std::int32_t breakpoint(gnomon_context* context, std::int64_t callback, std::int32_t dtype,
                        std::int32_t rank, const std::int64_t* shape, const void* data) {
  try {
    const std::span<const std::int64_t> extents(shape, static_cast<std::size_t>(rank));
    const Array array = value_at_breakpoint(static_cast<DType>(dtype), extents, data);
    const Callback inside(context->uses);
    run_breakpoint(callback, array);
    return GNOMON_DONE;
  } catch (...) {
    const std::lock_guard lock(context->mutex);
    if (!context->thrown) context->thrown = std::current_exception();
    return GNOMON_SERVICE_FAILED;
  }
}

constexpr std::int64_t interrupt_interval = 20;  // milliseconds between two checks

std::atomic<bool (*)()> interrupt_check{nullptr};

// Whether to end; `next` is when it is asked again.
bool asks_to_end(std::int64_t& next) {
  bool (*const check)() = interrupt_check.load(std::memory_order_relaxed);
  if (check == nullptr) return false;
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  const std::int64_t now = std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
  if (now < next) return false;
  const bool first = next == 0;
  next = now + interrupt_interval;
  return !first && check();
}

std::int32_t interrupted(gnomon_context* context) {
  return asks_to_end(context->next_interrupt_check) ? 1 : 0;
}

gnomon_profile* profile(gnomon_context* context) { return context->profile; }

}  // namespace

void set_interrupt_check(bool (*check)()) {
  interrupt_check.store(check, std::memory_order_relaxed);
}

void InterruptionPoint::operator()() {
  if (asks_to_end(next_)) throw Interrupted("call: interrupted");
}

void set_print_sink(PrintSink sink) {
  Printing& out = printing();
  const std::lock_guard lock(out.mutex);
  out.sink = sink ? std::move(sink) : write_line;
}

gnomon_services services(int threads) {
  gnomon_services table{};
  table.abi_version = GNOMON_ABI_VERSION;
  table.threads = threads > 0 ? std::min(threads, pool().threads()) : pool().threads();
  table.parallel = parallel;
  table.gemm = gemm;
  table.convolve = convolve;
  table.allocate = allocate;
  table.output = output;
  table.fail = fail;
  table.print = print;
  table.interrupted = interrupted;
  table.routine = routine;
  table.lines = lines;
  table.profile = profile;
  table.breakpoint = breakpoint;
  return table;
}

}  // namespace gnomon

void gnomon_context::note_failure(const gnomon::Failure& failure) {
  const std::lock_guard lock(mutex);
  gnomon::Failure& first = first_failure;
  const bool counts = first.check == 0 ||
                      std::tie(failure.check, failure.index) < std::tie(first.check, first.index);
  if (counts) first = failure;
}

void gnomon_context::note_earlier_failure(const gnomon::Failure& failure) {
  const std::lock_guard lock(mutex);
  first_failure = failure;
}

gnomon_context::~gnomon_context() {
  for (const gnomon::Block& block : blocks) gnomon::free_block(block);
}
