// That what is written down of cuBLASLt is what NVIDIA's header says, on machines that have it.
#include "runtime/device/cublas_functions.h"

#if __has_include(<cublasLt.h>)
#include <cublasLt.h>

namespace {

using namespace gnomon;

static_assert(sizeof(lt::Algorithm) == sizeof(cublasLtMatmulAlgo_t));
static_assert(sizeof(lt::Proposal) == sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(lt::Proposal, workspace) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(lt::Proposal, state) == offsetof(cublasLtMatmulHeuristicResult_t, state));
static_assert(int{lt::success} == CUBLAS_STATUS_SUCCESS);
static_assert(int{lt::out_of_memory} == CUBLAS_STATUS_ALLOC_FAILED);
static_assert(int{lt::invalid_value} == CUBLAS_STATUS_INVALID_VALUE);
static_assert(int{lt::execution_failed} == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(int{lt::not_supported} == CUBLAS_STATUS_NOT_SUPPORTED);
static_assert(int{lt::float32} == CUDA_R_32F);
static_assert(int{lt::float64} == CUDA_R_64F);
static_assert(int{lt::float16} == CUDA_R_16F);
static_assert(int{lt::bfloat16} == CUDA_R_16BF);
static_assert(int{lt::in_float32} == CUBLAS_COMPUTE_32F);
static_assert(int{lt::in_float64} == CUBLAS_COMPUTE_64F);
static_assert(int{lt::transpose_a} == CUBLASLT_MATMUL_DESC_TRANSA);
static_assert(int{lt::transpose_b} == CUBLASLT_MATMUL_DESC_TRANSB);
static_assert(int{lt::batch_count} == CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT);
static_assert(int{lt::batch_stride} == CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET);
static_assert(int{lt::most_workspace} == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
static_assert(int{lt::alignment_a} == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
static_assert(int{lt::alignment_b} == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
static_assert(int{lt::alignment_c} == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
static_assert(int{lt::alignment_d} == CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);

// Each function by what it is called with: a parameter more or less does not compile. What is only
// asked for its type needs nothing to link with.
using CallsOfCublas = decltype([] {
  Cublas own;
  cublasLtHandle_t handle{};
  cublasLtMatmulDesc_t operation{};
  cublasLtMatrixLayout_t layout{};
  cublasLtMatmulPreference_t preference{};
  cublasLtMatmulHeuristicResult_t proposal{};
  int count = 0;
  cublasLtCreate(&handle), own.create(nullptr);
  cublasLtMatmulDescCreate(&operation, CUBLAS_COMPUTE_32F, CUDA_R_32F);
  own.operation_create(nullptr, lt::in_float32, lt::float32);
  cublasLtMatmulDescSetAttribute(operation, CUBLASLT_MATMUL_DESC_TRANSA, &count, sizeof count);
  own.operation_set(nullptr, lt::transpose_a, &count, sizeof count);
  cublasLtMatrixLayoutCreate(&layout, CUDA_R_32F, std::uint64_t{1}, std::uint64_t{1},
                             std::int64_t{1});
  own.layout_create(nullptr, lt::float32, std::uint64_t{1}, std::uint64_t{1}, std::int64_t{1});
  cublasLtMatmulPreferenceCreate(&preference), own.preference_create(nullptr);
  cublasLtMatmulAlgoGetHeuristic(handle, operation, layout, layout, layout, layout, preference, 1,
                                 &proposal, &count);
  own.propose(nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, 1, nullptr, &count);
  const void* const x = nullptr;
  void* const y = nullptr;
  cublasLtMatmul(handle, operation, x, x, layout, x, layout, x, x, layout, y, layout,
                 &proposal.algo, y, std::size_t{0}, nullptr);
  own.multiply(nullptr, nullptr, x, x, nullptr, x, nullptr, x, x, nullptr, y, nullptr, nullptr, y,
               std::size_t{0}, nullptr);
});

}  // namespace
#endif
