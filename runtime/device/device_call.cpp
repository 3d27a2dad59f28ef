// The services of a device: what throws there is the trouble of the call.
#include "runtime/device/device_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "runtime/arrays/dtype.h"
#include "runtime/device/device_library.h"
#include "runtime/device/routine_launches.h"
#include "runtime/error.h"
#include "runtime/services.h"

namespace gnomon {

namespace {

/// As kernels see it: `gn::Failure` of the prelude.
struct DeviceFailure {
  std::int32_t lock = 0, check = -1;
  std::int64_t index = 0, value = 0, bound = 0;
};

DeviceCall& call_of(gnomon_context* context) { return *context->device; }
Device& device_of(gnomon_context* context) { return call_of(context).function.device(); }

// What `work` returns, or `otherwise` where it throws.
template <class Work, class Result>
Result guarded(gnomon_context* context, Result otherwise, const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    const std::lock_guard hold(context->mutex);
    context->service_trouble = error.what();
    return otherwise;
  }
}

void* allocate(gnomon_context* context, std::int64_t bytes) {
  return guarded(context, static_cast<void*>(nullptr), [&] {
    DeviceCall& call = call_of(context);
    call.memory.push_back(
        call.function.device().allocate(static_cast<std::size_t>(bytes), call.function.name()));
    return call.memory.back().address();
  });
}

void* constant(gnomon_context* context, const void* bytes, std::int64_t count) {
  return guarded(context, static_cast<void*>(nullptr),
                 [&] { return call_of(context).function.constant(bytes, count); });
}

void* scratch(gnomon_context* context, std::int64_t bytes) {
  return guarded(context, static_cast<void*>(nullptr),
                 [&] { return call_of(context).scratch_of(static_cast<std::size_t>(bytes)); });
}

void* failure(gnomon_context* context) {
  return guarded(context, static_cast<void*>(nullptr), [&] {
    DeviceCall& call = call_of(context);
    if (call.failure.address() == nullptr) {
      call.failure = call.function.device().allocate(sizeof(DeviceFailure), call.function.name());
      const DeviceFailure none;
      call.function.device().upload(call.failure.address(), &none, sizeof none);
    }
    return call.failure.address();
  });
}

std::int32_t failed(gnomon_context* context) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    DeviceFailure first;
    for (DeviceCall& call : call_of(context).all) {
      if (call.failure.address() == nullptr) continue;
      DeviceFailure found;
      call.function.device().download(&found, call.failure.address(), sizeof found);
      call.function.device().wait();
      if (found.check < 0) continue;
      if (first.check < 0 ||
          std::pair(found.check, found.index) < std::pair(first.check, first.index))
        first = found;
    }
    if (first.check < 0) return GNOMON_DONE;
    // The host goes no further where one of its own checks fails.
    context->note_earlier_failure({first.check, first.index, first.value, first.bound});
    return GNOMON_CHECK_FAILED;
  });
}

std::int32_t copy(gnomon_context* context, void* to, const void* from, std::int64_t bytes,
                  gnomon_direction direction) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    Device& device = device_of(context);
    const auto count = static_cast<std::size_t>(bytes);
    switch (direction) {
      case GNOMON_TO_DEVICE: device.upload(to, from, count); break;
      case GNOMON_IN_DEVICE: device.copy(to, from, count); break;
      case GNOMON_TO_HOST:
        device.download(to, from, count);
        device.wait();
        break;
    }
    return GNOMON_DONE;
  });
}

void use(gnomon_context* context, std::int32_t device) {
  context->device = &context->device->all[static_cast<std::size_t>(device)];
}

std::int32_t copy_from(gnomon_context* context, std::int32_t device, void* to, const void* from,
                       std::int64_t bytes) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    Device& other = call_of(context).all[static_cast<std::size_t>(device)].function.device();
    device_of(context).copy_from(other, to, from, static_cast<std::size_t>(bytes));
    return GNOMON_DONE;
  });
}

std::int32_t wait(gnomon_context* context) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    device_of(context).wait();
    return GNOMON_DONE;
  });
}

std::int32_t clear(gnomon_context* context, void* memory, std::int64_t bytes) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    device_of(context).fill(memory, 0, static_cast<std::size_t>(bytes));
    return GNOMON_DONE;
  });
}

std::int32_t launch(gnomon_context* context, std::int32_t kernel, std::int64_t blocks,
                    std::int32_t threads, void* const* parameters) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    device_of(context).launch(call_of(context).function.code(), kernel, blocks, threads,
                              parameters);
    return GNOMON_DONE;
  });
}

// Where a routine of the function runs; what fails there throws.
struct RoutineOnDevice {
  DeviceCall& call;
  int kernel;

  Device& device() const { return call.function.device(); }
  void* memory(std::int64_t bytes) const {
    return call.scratch_of(static_cast<std::size_t>(bytes));
  }
  bool launch(std::int64_t blocks, int threads, void* const* parameters) const {
    device().launch(call.function.code(), kernel, blocks, threads, parameters);
    return true;
  }
  std::int64_t blocks() const { return blocks_of_launch(device().multiprocessors()); }
};

void expect_fitting(const gnomon_lines& w) {
  if (!fits_device(w))
    throw DeviceError(
        fmt::format("sort: expected lines of fewer than 2^32 elements, found one of {}", w.n));
}
void expect_fitting(const gnomon_convolution&) {}

template <class Record>
std::int32_t routine(gnomon_context* context, std::int32_t kernel, const Record* what) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    expect_fitting(*what);
    RoutineOnDevice where{call_of(context), kernel};
    const auto element = static_cast<std::int64_t>(size_of(static_cast<DType>(what->dtype)));
    return launch_routine(where, *what, element) ? GNOMON_DONE : GNOMON_SERVICE_FAILED;
  });
}

// The function was compiled where the library was.
template <class Functions>
[[noreturn]] void throw_without(const Device& device, std::string_view library) {
  throw DeviceError(
      fmt::format("device {}: expected {}, with which the function was compiled, found {}",
                  device.name().text(), library,
                  device_library<Functions>(device.name().is_simulated()).description));
}

std::int32_t gemm(gnomon_context* context, const gnomon_gemm* product) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    gnomon_gemm g = *product;
    DeviceCall& call = call_of(context);
    Device& device = device_of(context);
    const std::int64_t results = g.batch * g.m * g.n;
    if (results == 0) return GNOMON_DONE;
    const std::size_t element = static_cast<DType>(g.dtype) == DType::float64 ? 8 : 4;
    if (g.k == 0 && g.beta == 0) {
      device.fill(g.c, 0, static_cast<std::size_t>(results) * element);
      return GNOMON_DONE;
    }
    DeviceMemory zeros;
    if (g.k == 0) {  // the library wants terms
      const std::size_t bytes = static_cast<std::size_t>(std::max(g.m, g.n)) * element;
      zeros = device.allocate(bytes, call.function.name());
      device.fill(zeros.address(), 0, bytes);
      g.a = g.b = zeros.address();
      g.k = 1, g.lda = g.trans_a != 0 ? g.m : 1, g.ldb = g.trans_b != 0 ? 1 : g.n;
      g.stride_a = g.stride_b = 0;
    }
    DeviceProducts* const library = device.products();
    if (library == nullptr) throw_without<Cublas>(device, "cuBLASLt");
    library->multiply(g, [&](std::size_t bytes) { return call.scratch_of(bytes); });
    return GNOMON_DONE;
  });
}

std::int32_t matrices(gnomon_context* context, std::int32_t kernel, const gnomon_routine* routine,
                      std::int32_t check, std::int64_t bound) {
  void* const record = check < 0 ? nullptr : failure(context);
  if (check >= 0 && record == nullptr) return GNOMON_SERVICE_FAILED;
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    const RoutineOnDevice where{call_of(context), kernel};
    DeviceMatrices* const library = where.device().matrices();
    if (library == nullptr) throw_without<Cusolver>(where.device(), "cuSOLVER");
    const LaunchOfStage launch = [&](std::int64_t items, void* const* parameters) {
      where.launch(std::min(ceil_div(items, threads_of_stage), where.blocks()), threads_of_stage,
                   parameters);
    };
    library->run(*routine, launch, {record, check, bound}, where.call.function.name());
    return GNOMON_DONE;
  });
}

std::int32_t transform(gnomon_context* context, const gnomon_routine* routine) {
  return guarded(context, static_cast<std::int32_t>(GNOMON_SERVICE_FAILED), [&]() -> std::int32_t {
    DeviceCall& call = call_of(context);
    DeviceTransforms* const library = device_of(context).transforms();
    if (library == nullptr) throw_without<Cufft>(device_of(context), "cuFFT");
    library->transform(*routine, [&](std::size_t bytes) { return call.scratch_of(bytes); });
    return GNOMON_DONE;
  });
}

}  // namespace

DeviceFunction::DeviceFunction(Device& device, const gnomon_device_record* record, std::string name)
    : device_(device), name_(std::move(name)) {
  if (record != nullptr)
    code_ = device.load(record->image,
                        std::span(record->names, static_cast<std::size_t>(record->kernels)));
}

void* DeviceFunction::constant(const void* bytes, std::int64_t count) {
  const std::lock_guard hold(mutex_);
  DeviceMemory& memory = constants_[bytes];
  if (memory.address() == nullptr) {
    memory = device_.allocate(static_cast<std::size_t>(count), name_);
    device_.upload(memory.address(), bytes, static_cast<std::size_t>(count));
  }
  return memory.address();
}

void* DeviceCall::scratch_of(std::size_t bytes) {
  if (bytes > scratch_bytes_ || scratch_.address() == nullptr) {
    scratch_ = function.device().allocate(bytes, function.name());
    scratch_bytes_ = bytes;
  }
  return scratch_.address();
}

void add_device_services(gnomon_services& table, const Device& device) {
  table.device_allocate = allocate;
  table.device_constant = constant;
  table.device_scratch = scratch;
  table.device_failure = failure;
  table.device_failed = failed;
  table.device_copy = copy;
  table.device_use = use;
  table.device_copy_from = copy_from;
  table.device_wait = wait;
  table.device_clear = clear;
  table.device_launch = launch;
  table.device_lines = routine<gnomon_lines>;
  table.device_convolve = routine<gnomon_convolution>;
  table.device_routine = matrices;
  table.device_gemm = gemm;
  table.device_transform = transform;
  table.device_blocks = blocks_of_launch(device.multiprocessors());
}

}  // namespace gnomon
