// Has cuBLASLt do products.
#include "runtime/device/device_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/arrays/dtype.h"
#include "runtime/device/device.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// What a way to a product depends on: nothing else of it is asked for when a plan is made.
std::vector<std::int64_t> key_of(const gnomon_gemm& g) {
  const auto alignment = [](const void* address) {
    constexpr int most = 4;  // 16 bytes, that are read at once
    const int zeros = std::countr_zero(reinterpret_cast<std::uintptr_t>(address));
    return std::int64_t{1} << std::min(zeros, most);
  };
  return {g.dtype,       g.trans_a,   g.trans_b,      g.m,
          g.n,           g.k,         g.lda,          g.ldb,
          g.ldc,         g.batch,     g.stride_a,     g.stride_b,
          g.stride_c,    g.beta != 0, alignment(g.a), alignment(g.b),
          alignment(g.c)};
}

}  // namespace

// How a product is asked for. Matrices by rows are to the library transposed ones by columns, so
// that it computes the transposed result: b comes first.
struct DeviceProducts::Plan {
  const Cublas& library;
  lt::Operation operation = nullptr;
  lt::Layout first = nullptr, second = nullptr, result = nullptr;
  lt::Preference preference = nullptr;
  lt::Proposal proposal{};

  explicit Plan(const Cublas& library) : library(library) {}
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    if (preference != nullptr) library.preference_destroy(preference);
    for (const lt::Layout layout : {first, second, result})
      if (layout != nullptr) library.layout_destroy(layout);
    if (operation != nullptr) library.operation_destroy(operation);
  }
};

DeviceProducts::DeviceProducts(Device& device, const Cublas& library)
    : device_(device), library_(library) {
  device.enter();
  int status = library.create(&handle_);
  if (status == lt::out_of_memory) {
    device.give_back();
    status = library.create(&handle_);
  }
  if (status != lt::success)
    throw DeviceError(
        fmt::format("device {}: cuBLASLt does not start: status {}; "
                    "GNOMON_CUBLAS=none does without it",
                    device.name().text(), status));
}

void DeviceProducts::check(int status, const gnomon_gemm& g) const {
  if (status == lt::success) return;
  if (status == lt::execution_failed) device_.wait();  // what failed before is told
  throw DeviceError(fmt::format(
      "device {}: cuBLASLt does not multiply [{}, {}] by [{}, {}], {} times: status {}; "
      "GNOMON_CUBLAS=none does without it",
      device_.name().text(), g.m, g.k, g.k, g.n, g.batch, status));
}

std::shared_ptr<const DeviceProducts::Plan> DeviceProducts::plan_of(const gnomon_gemm& g) {
  const std::vector<std::int64_t> key = key_of(g);
  const std::lock_guard hold(mutex_);
  if (const auto known = plans_.find(key); known != plans_.end()) return known->second;
  constexpr std::size_t most = 1024;
  if (plans_.size() == most) plans_.clear();
  return plans_[key] = planned(g, key);
}

std::shared_ptr<const DeviceProducts::Plan> DeviceProducts::planned(
    const gnomon_gemm& g, std::span<const std::int64_t> key) const {
  auto plan = std::make_shared<Plan>(library_);
  const auto operands = static_cast<DType>(g.dtype);
  const bool is_double = operands == DType::float64;
  const int type_of_result = is_double ? lt::float64 : lt::float32;
  const int type_of_operands = operands == DType::float16    ? lt::float16
                               : operands == DType::bfloat16 ? lt::bfloat16
                                                             : type_of_result;
  check(library_.operation_create(&plan->operation, is_double ? lt::in_float64 : lt::in_float32,
                                  type_of_result),
        g);
  const auto set_transposed = [&](lt::OperationAttribute attribute, std::int32_t transposed) {
    check(library_.operation_set(plan->operation, attribute, &transposed, sizeof transposed), g);
  };
  set_transposed(lt::transpose_a, g.trans_b);
  set_transposed(lt::transpose_b, g.trans_a);
  const auto make = [&](lt::Layout& layout, int type, bool transposed, std::int64_t rows,
                        std::int64_t columns, std::int64_t row, std::int64_t matrix) {
    if (transposed) std::swap(rows, columns);
    check(library_.layout_create(&layout, type, static_cast<std::uint64_t>(columns),
                                 static_cast<std::uint64_t>(rows), std::max(row, columns)),
          g);
    const auto batch = static_cast<std::int32_t>(g.batch);
    check(library_.layout_set(layout, lt::batch_count, &batch, sizeof batch), g);
    check(library_.layout_set(layout, lt::batch_stride, &matrix, sizeof matrix), g);
  };
  make(plan->first, type_of_operands, g.trans_b != 0, g.k, g.n, g.ldb, g.stride_b);
  make(plan->second, type_of_operands, g.trans_a != 0, g.m, g.k, g.lda, g.stride_a);
  make(plan->result, type_of_result, false, g.m, g.n, g.ldc, g.stride_c);
  check(library_.preference_create(&plan->preference), g);
  const auto prefer = [&](lt::PreferenceAttribute attribute, const auto& value) {
    check(library_.preference_set(plan->preference, attribute, &value, sizeof value), g);
  };
  constexpr std::uint64_t workspace = std::uint64_t{32} << 20;
  prefer(lt::most_workspace, workspace);
  const auto alignment = [&](std::size_t from_end) {
    return static_cast<std::uint32_t>(key[key.size() - from_end]);
  };
  prefer(lt::alignment_a, alignment(2));
  prefer(lt::alignment_b, alignment(3));
  prefer(lt::alignment_c, alignment(1));
  prefer(lt::alignment_d, alignment(1));
  int found = 0;
  check(library_.propose(handle_, plan->operation, plan->first, plan->second, plan->result,
                         plan->result, plan->preference, 1, &plan->proposal, &found),
        g);
  check(found == 0 ? lt::not_supported : plan->proposal.state, g);
  return plan;
}

void DeviceProducts::multiply(const gnomon_gemm& g,
                              const std::function<void*(std::size_t)>& workspace) {
  device_.enter();
  constexpr std::int64_t most = 65535;  // matrices of a batch
  const auto bytes_of = [](DType t) { return static_cast<std::int64_t>(size_of(t)); };
  const auto operand = static_cast<DType>(g.dtype);
  const std::int64_t element = bytes_of(operand);
  const std::int64_t element_of_c = bytes_of(is_half(operand) ? DType::float32 : operand);
  gnomon_gemm part = g;
  for (std::int64_t first = 0; first < g.batch; first += most) {
    part.batch = std::min(most, g.batch - first);
    part.a = static_cast<const char*>(g.a) + first * g.stride_a * element;
    part.b = static_cast<const char*>(g.b) + first * g.stride_b * element;
    part.c = static_cast<char*>(g.c) + first * g.stride_c * element_of_c;
    multiply_batch(part, workspace);
  }
}

void DeviceProducts::multiply_batch(const gnomon_gemm& g,
                                    const std::function<void*(std::size_t)>& workspace) {
  const std::shared_ptr<const Plan> plan = plan_of(g);
  const bool is_double = static_cast<DType>(g.dtype) == DType::float64;
  const auto alpha = static_cast<float>(g.alpha), beta = static_cast<float>(g.beta);
  const auto scale = [&](const float& narrow, const double& wide) {
    return is_double ? static_cast<const void*>(&wide) : &narrow;
  };
  const std::size_t bytes = plan->proposal.workspace;
  void* const memory = bytes == 0 ? nullptr : workspace(bytes);
  const auto run = [&] {
    return library_.multiply(handle_, plan->operation, scale(alpha, g.alpha), g.b, plan->first, g.a,
                             plan->second, scale(beta, g.beta), g.c, plan->result, g.c,
                             plan->result, &plan->proposal.algorithm, memory, bytes,
                             reinterpret_cast<cu::Stream>(device_.stream()));
  };
  int status = run();
  if (status == lt::out_of_memory) {  // for its kernels, which memory that was let go may be in
    device_.give_back();
    status = run();
  }
  check(status, g);
}

}  // namespace gnomon
