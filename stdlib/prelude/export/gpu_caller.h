// What functions of an exported library that run on a GPU have in the place of the runtime: the
// driver, a stream of their caller, and memory that the driver has for it.
#pragma once

#include <stddef.h>

#include "runtime/device/driver_functions.h"
#include "runtime/device/routine_launches.h"
#include "stdlib/prelude/export/caller.h"

extern "C" {
void* dlopen(const char* file, int mode);
void* dlsym(void* library, const char* name);
void* malloc(size_t bytes);
void free(void* memory);
}

namespace gn {

namespace cu = gnomon::cu;

/// A constant in the memory of the GPU. `tag`: tells those from one another that were in the same
/// memory of the host, by turns.
struct GpuConstant {
  const void* bytes;
  u64 tag;
  cu::Pointer at;
  GpuConstant* next;
};

/// The kernels of a library in a context.
struct Gpu {
  gnomon::Driver driver;
  i64 blocks;  // the most that a launch is worth
  int modules;
  cu::Module* module;       // of each function; null: it has no kernels
  cu::Function* functions;  // of all modules, one behind the other
  int* first;               // of each module
  GpuConstant* constants;
  bool lock;            // of these
  cu::Pointer nothing;  // memory for arrays without elements
};

/// Outcomes of the driver: `value` is what it returned, or this where there is no driver.
constexpr i64 no_gpu_driver = -1;

inline bool gpu_did(int result, CallFailure& failure) {
  if (result != 0 && failure.outcome == Outcome::done)
    failure = {Outcome::gpu_failed, 0, 0, result, 0};
  return result == 0;
}

inline bool open_driver(const char* file, gnomon::Driver& driver, CallFailure& failure) {
  constexpr int now = 2;
  void* const library = dlopen(file, now);
  bool all = library != nullptr;
  const auto get = [&](auto& function, const char* name) {
    all = all && (function = reinterpret_cast<decltype(+function)>(dlsym(library, name)));
  };
#define GN_GET(name, symbol, parameters) get(driver.name, symbol);
  GNOMON_DRIVER_FUNCTIONS(GN_GET)
#undef GN_GET
  return all || gpu_did(static_cast<int>(no_gpu_driver), failure);
}

inline void close_gpu(Gpu* gpu) {
  if (gpu == nullptr) return;
  for (GpuConstant* at = gpu->constants; at != nullptr;) {
    GpuConstant* const next = at->next;
    gpu->driver.free(at->at, nullptr);
    free(at);
    at = next;
  }
  if (gpu->nothing != 0) gpu->driver.free(gpu->nothing, nullptr);
  for (int m = 0; m < gpu->modules; ++m)
    if (gpu->module[m] != nullptr) gpu->driver.module_unload(gpu->module[m]);
  free(gpu);
}

/// Loads the kernels that `records` name, one of each function, into the context that is current.
inline Gpu* open_gpu(const char* file, const gnomon_device_record* const* records, int count,
                     CallFailure& failure) {
  int kernels = 0;
  for (int m = 0; m < count; ++m) kernels += records[m] == nullptr ? 0 : records[m]->kernels;
  const auto pointers = static_cast<size_t>(count + kernels);
  const size_t bytes = sizeof(Gpu) + pointers * sizeof(void*) + sizeof(int) * size_t(count);
  auto* const memory = static_cast<char*>(malloc(bytes));
  if (memory == nullptr) return failure.outcome = Outcome::no_workspace, nullptr;
  __builtin_memset(memory, 0, bytes);
  Gpu* const gpu = reinterpret_cast<Gpu*>(memory);
  gpu->module = reinterpret_cast<cu::Module*>(memory + sizeof(Gpu));
  gpu->functions = reinterpret_cast<cu::Function*>(gpu->module + count);
  gpu->first = reinterpret_cast<int*>(gpu->functions + kernels);
  gpu->modules = count;
  int device = 0, multiprocessors = 0;
  bool done =
      open_driver(file, gpu->driver, failure) &&
      gpu_did(gpu->driver.context_device(&device), failure) &&
      gpu_did(gpu->driver.device_attribute(&multiprocessors, cu::multiprocessor_count, device),
              failure) &&
      gpu_did(gpu->driver.allocate(&gpu->nothing, 256, nullptr), failure) &&
      gpu_did(gpu->driver.stream_wait(nullptr), failure);
  gpu->blocks = gnomon::blocks_of_launch(multiprocessors);
  int next = 0;
  for (int m = 0; done && m < count; ++m) {
    gpu->first[m] = next;
    const gnomon_device_record* const record = records[m];
    if (record == nullptr) continue;
    done = gpu_did(gpu->driver.module_load(&gpu->module[m], record->image), failure);
    for (int k = 0; done && k < record->kernels; ++k)
      done = gpu_did(
          gpu->driver.module_function(&gpu->functions[next++], gpu->module[m], record->names[k]),
          failure);
  }
  if (done) return gpu;
  if (gpu->driver.module_unload != nullptr)
    close_gpu(gpu);
  else
    free(gpu);
  return nullptr;
}

/// Memory that a call took, of the GPU or of the host.
struct GpuBlock {
  GpuBlock* next;
  cu::Pointer at;  // 0: of the host, behind this
};

/// One running call on a GPU: its work is queued in the stream.
class GpuCall {
 public:
  GpuCall(const void* gpu, int function, void* stream, CallFailure& failure)
      : gpu_(const_cast<Gpu*>(static_cast<const Gpu*>(gpu))),
        stream_(static_cast<cu::Stream>(stream)),
        functions_(gpu_->functions + gpu_->first[function]),
        failure_(failure) {}
  GpuCall(const GpuCall&) = delete;
  GpuCall& operator=(const GpuCall&) = delete;
  /// Memory goes back behind the work.
  ~GpuCall() {
    while (blocks_ != nullptr) {
      GpuBlock* const next = blocks_->next;
      if (blocks_->at != 0) gpu_->driver.free(blocks_->at, stream_);
      free(blocks_);
      blocks_ = next;
    }
  }

  bool did(int result) { return gpu_did(result, failure_); }

  /// Of the GPU; null and a failure: there is none.
  void* memory(i64 bytes) {
    GpuBlock* const block = new_block(0);
    if (block == nullptr) return nullptr;
    did(gpu_->driver.allocate(&block->at, static_cast<size_t>(bytes < 1 ? 1 : bytes), stream_));
    return pointer(block->at);
  }
  /// Of the host, aligned to 64 bytes.
  void* host_memory(i64 bytes) {
    constexpr u64 line = 64;
    GpuBlock* const block = new_block(static_cast<size_t>(bytes < 0 ? 0 : bytes) + line);
    if (block == nullptr) return nullptr;
    return pointer((reinterpret_cast<u64>(block + 1) + line - 1) & ~(line - 1));
  }
  /// Of the GPU until the next kernel is launched.
  void* scratch(i64 bytes) {
    if (bytes > scratch_bytes_ || scratch_ == nullptr) {
      scratch_ = memory(bytes);
      scratch_bytes_ = bytes;
    }
    return scratch_;
  }
  /// Bytes of the library or its weights in the memory of the GPU, which are copied once.
  void* constant(const void* bytes, i64 count, u64 tag = 0) {
    if (const GpuConstant* const found = constant_of(bytes, tag, nullptr))
      return pointer(found->at);
    GpuConstant* const made = new_constant(bytes, tag, count);
    if (made == nullptr) return nullptr;
    // Another call may have been first.
    const GpuConstant* const found = constant_of(bytes, tag, made);
    if (found != made) free_constant(made);
    return pointer(found->at);
  }
  void* nothing() const { return pointer(gpu_->nothing); }

  bool copy(void* to, const void* from, i64 bytes, gnomon_direction direction) {
    if (bytes <= 0) return true;
    const auto count = static_cast<size_t>(bytes);
    switch (direction) {
      case GNOMON_TO_DEVICE: return did(gpu_->driver.copy_in(place(to), from, count, stream_));
      case GNOMON_IN_DEVICE: return did(gpu_->driver.copy(place(to), place(from), count, stream_));
      case GNOMON_TO_HOST: break;
    }
    return did(gpu_->driver.copy_out(to, place(from), count, stream_)) && wait();
  }
  bool clear(void* memory, i64 bytes) {
    return bytes <= 0 ||
           did(gpu_->driver.fill(place(memory), 0, static_cast<size_t>(bytes), stream_));
  }
  bool wait() { return did(gpu_->driver.stream_wait(stream_)); }
  bool launch(i32 kernel, i64 blocks, i32 threads, void* const* parameters) {
    constexpr i64 most = 0x7fffffff;
    return did(gpu_->driver.launch(
        functions_[kernel], static_cast<unsigned>(gnomon::clamped(blocks, 1, most)), 1, 1,
        static_cast<unsigned>(threads), 1, 1, 0, stream_, const_cast<void**>(parameters), nullptr));
  }
  i64 blocks() const { return gpu_->blocks; }

  /// Where kernels tell of failed checks.
  void* failed_check() {
    if (failed_check_ != nullptr) return failed_check_;
    failed_check_ = memory(sizeof(FailedCheck));
    const FailedCheck none;
    if (failed_check_ != nullptr && !copy(failed_check_, &none, sizeof none, GNOMON_TO_DEVICE))
      failed_check_ = nullptr;
    return failed_check_;
  }
  /// Waits for them.
  i32 check(gnomon_context* context) {
    if (failed_check_ == nullptr) return GNOMON_DONE;
    FailedCheck found;
    if (!copy(&found, failed_check_, sizeof found, GNOMON_TO_HOST)) return GNOMON_SERVICE_FAILED;
    if (found.check < 0) return GNOMON_DONE;
    // The host goes no further where one of its own checks fails: this one was made before.
    context->failure = {Outcome::check_failed, found.check, found.index, found.value, found.bound};
    return GNOMON_CHECK_FAILED;
  }

 private:
  /// As kernels see it: `gn::Failure`.
  struct FailedCheck {
    i32 lock = 0, check = -1;
    i64 index = 0, value = 0, bound = 0;
  };

  static void* pointer(cu::Pointer at) { return reinterpret_cast<void*>(at); }
  static cu::Pointer place(const void* at) { return reinterpret_cast<cu::Pointer>(at); }

  // `bytes` of the host behind it.
  GpuBlock* new_block(size_t bytes) {
    auto* const block = static_cast<GpuBlock*>(malloc(sizeof(GpuBlock) + bytes));
    if (block == nullptr) {
      failure_ = {Outcome::no_workspace, 0, 0, static_cast<i64>(bytes), 0};
      return nullptr;
    }
    *block = {blocks_, 0};
    return blocks_ = block;
  }
  // The one that is known; `otherwise` becomes known where there is none.
  const GpuConstant* constant_of(const void* bytes, u64 tag, GpuConstant* otherwise) {
    while (__atomic_test_and_set(&gpu_->lock, __ATOMIC_ACQUIRE)) {
    }
    const GpuConstant* found = gpu_->constants;
    while (found != nullptr && (found->bytes != bytes || found->tag != tag)) found = found->next;
    if (found == nullptr && otherwise != nullptr) {
      otherwise->next = gpu_->constants;
      found = gpu_->constants = otherwise;
    }
    __atomic_clear(&gpu_->lock, __ATOMIC_RELEASE);
    return found;
  }
  // It is there for all streams when this returns.
  GpuConstant* new_constant(const void* bytes, u64 tag, i64 count) {
    auto* const made = static_cast<GpuConstant*>(malloc(sizeof(GpuConstant)));
    if (made == nullptr) return failure_.outcome = Outcome::no_workspace, nullptr;
    *made = {bytes, tag, 0, nullptr};
    const auto size = static_cast<size_t>(count < 1 ? 1 : count);
    if (did(gpu_->driver.allocate(&made->at, size, stream_)) &&
        copy(pointer(made->at), bytes, count, GNOMON_TO_DEVICE) && wait())
      return made;
    free_constant(made);
    return nullptr;
  }
  void free_constant(GpuConstant* constant) {
    if (constant->at != 0) gpu_->driver.free(constant->at, stream_);
    free(constant);
  }

  Gpu* gpu_;
  cu::Stream stream_;
  cu::Function* functions_;
  CallFailure& failure_;
  GpuBlock* blocks_ = nullptr;
  void *scratch_ = nullptr, *failed_check_ = nullptr;
  i64 scratch_bytes_ = 0;
};

}  // namespace gn

namespace gn::detail {

inline GpuCall& gpu_of(gnomon_context* context) { return *context->gpu; }
inline i32 status_of(bool done) { return done ? GNOMON_DONE : GNOMON_SERVICE_FAILED; }

/// Where a routine of the function runs.
struct RoutineOnGpu {
  GpuCall& call;
  i32 kernel;

  void* memory(i64 bytes) { return call.scratch(bytes); }
  bool launch(i64 blocks, i32 threads, void* const* parameters) {
    return call.launch(kernel, blocks, threads, parameters);
  }
  i64 blocks() const { return call.blocks(); }
};

/// Bytes of an element, by number of the DType: bool, integers, halves, floats, complex numbers.
constexpr u8 element_bytes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, 4, 8, 8, 16};

template <typename Record>
i32 gpu_routine(gnomon_context* context, i32 kernel, const Record* what) {
  if constexpr (requires { gnomon::fits_device(*what); })
    if (!gnomon::fits_device(*what)) {
      context->failure = {Outcome::too_large, sorted_on_gpu, 0, 0, 0};
      return GNOMON_SERVICE_FAILED;
    }
  RoutineOnGpu where{gpu_of(context), kernel};
  return status_of(gnomon::launch_routine(where, *what, element_bytes[what->dtype]));
}

inline gnomon_services gpu_services(const GpuCall& call) {
  gnomon_services table = services_of(nullptr);
  table.allocate = [](gnomon_context* c, i64 bytes) { return gpu_of(c).host_memory(bytes); };
  table.device_allocate = [](gnomon_context* c, i64 bytes) { return gpu_of(c).memory(bytes); };
  table.device_constant = [](gnomon_context* c, const void* constant, i64 bytes) {
    return gpu_of(c).constant(constant, bytes);
  };
  table.device_scratch = [](gnomon_context* c, i64 bytes) { return gpu_of(c).scratch(bytes); };
  table.device_failure = [](gnomon_context* c) { return gpu_of(c).failed_check(); };
  table.device_failed = [](gnomon_context* c) { return gpu_of(c).check(c); };
  table.device_copy = [](gnomon_context* c, void* to, const void* from, i64 bytes,
                         gnomon_direction direction) {
    return status_of(gpu_of(c).copy(to, from, bytes, direction));
  };
  table.device_wait = [](gnomon_context* c) { return status_of(gpu_of(c).wait()); };
  table.device_clear = [](gnomon_context* c, void* memory, i64 bytes) {
    return status_of(gpu_of(c).clear(memory, bytes));
  };
  table.device_launch = [](gnomon_context* c, i32 kernel, i64 blocks, i32 threads,
                           void* const* parameters) {
    return status_of(gpu_of(c).launch(kernel, blocks, threads, parameters));
  };
  table.device_lines = gpu_routine<gnomon_lines>;
  table.device_convolve = gpu_routine<gnomon_convolution>;
  table.device_blocks = call.blocks();
  return table;
}

}  // namespace gn::detail

namespace gn {

/// Runs a code over the plan of a call.
inline void run_on_gpu(const FunctionCode& code, void* const* buffers, const i64* plan,
                       GpuCall& call, const LateResult* late, CallFailure& failure) {
  char* const work = static_cast<char*>(call.host_memory(workspace_of(plan, 1)));
  if (work == nullptr) return;
  gnomon_context context{nullptr, nullptr, nullptr, late, {}, false, &call, call.nothing()};
  const gnomon_services services = detail::gpu_services(call);
  run_with(services, context, code, buffers, plan, work, failure);
}

}  // namespace gn
