// That what is written down of cuSOLVER, and of the cuBLAS beside it, is what NVIDIA's headers say,
// on machines that have them.
#include "runtime/device/cusolver_functions.h"

#if __has_include(<cusolverDn.h>) && __has_include(<cublas_v2.h>)
#include <cublas_v2.h>
#include <cusolverDn.h>

namespace {

using namespace gnomon;

static_assert(int{solver::success} == CUSOLVER_STATUS_SUCCESS);
static_assert(int{solver::out_of_memory} == CUSOLVER_STATUS_ALLOC_FAILED);
static_assert(int{solver::invalid_value} == CUSOLVER_STATUS_INVALID_VALUE);
static_assert(int{solver::execution_failed} == CUSOLVER_STATUS_EXECUTION_FAILED);
static_assert(int{solver::blas_invalid_value} == CUBLAS_STATUS_INVALID_VALUE);
static_assert(int{solver::blas_execution_failed} == CUBLAS_STATUS_EXECUTION_FAILED);
static_assert(CUBLAS_STATUS_SUCCESS == 0);
static_assert(int{solver::float32} == CUDA_R_32F);
static_assert(int{solver::float64} == CUDA_R_64F);
static_assert(int{solver::complex64} == CUDA_C_32F);
static_assert(int{solver::complex128} == CUDA_C_64F);
static_assert(int{solver::lower} == CUBLAS_FILL_MODE_LOWER);
static_assert(int{solver::upper} == CUBLAS_FILL_MODE_UPPER);
static_assert(int{solver::as_it_is} == CUBLAS_OP_N);
static_assert(int{solver::transposed} == CUBLAS_OP_T);
static_assert(int{solver::right} == CUBLAS_SIDE_RIGHT);
static_assert(int{solver::any} == CUBLAS_DIAG_NON_UNIT);
static_assert(int{solver::none} == CUSOLVER_EIG_MODE_NOVECTOR);
static_assert(int{solver::wanted} == CUSOLVER_EIG_MODE_VECTOR);

// Each function by what it is called with: a parameter more or less does not compile. What is only
// asked for its type needs nothing to link with.
using CallsOfCusolver = decltype([] {
  Cusolver own;
  cusolverDnHandle_t handle = nullptr;
  cusolverDnParams_t parameters = nullptr;
  cublasHandle_t blas = nullptr;
  solver::Handle own_handle = nullptr;
  solver::Parameters own_parameters = nullptr;
  solver::Blas own_blas = nullptr;
  constexpr auto type = CUDA_R_64F;
  constexpr auto upper = CUBLAS_FILL_MODE_UPPER;
  constexpr auto vectors = CUSOLVER_EIG_MODE_VECTOR;
  constexpr int t = solver::float64, u = solver::upper, v = solver::wanted;
  std::size_t device = 0, host = 0;
  std::int64_t pivots = 0;
  void *a = nullptr, *w = nullptr, *d = nullptr, *h = nullptr;
  int info = 0;
  cusolverDnCreate(&handle), own.create(&own_handle);
  cusolverDnSetStream(handle, nullptr), own.use_stream(own_handle, nullptr);
  cusolverDnCreateParams(&parameters), own.create_parameters(&own_parameters);
  cublasCreate_v2(&blas), own.create_blas(&own_blas);
  cublasSetStream_v2(blas, nullptr), own.blas_use_stream(own_blas, nullptr);

  cusolverDnXpotrf_bufferSize(handle, parameters, upper, 1, type, a, 1, type, &device, &host);
  own.potrf_memory(own_handle, own_parameters, u, 1, t, a, 1, t, &device, &host);
  cusolverDnXpotrf(handle, parameters, upper, 1, type, a, 1, type, d, device, h, host, &info);
  own.potrf(own_handle, own_parameters, u, 1, t, a, 1, t, d, device, h, host, &info);

  cusolverDnXgetrf_bufferSize(handle, parameters, 1, 1, type, a, 1, type, &device, &host);
  own.getrf_memory(own_handle, own_parameters, 1, 1, t, a, 1, t, &device, &host);
  cusolverDnXgetrf(handle, parameters, 1, 1, type, a, 1, &pivots, type, d, device, h, host, &info);
  own.getrf(own_handle, own_parameters, 1, 1, t, a, 1, &pivots, t, d, device, h, host, &info);
  cusolverDnXgetrs(handle, parameters, CUBLAS_OP_T, 1, 1, type, a, 1, &pivots, type, w, 1, &info);
  own.getrs(own_handle, own_parameters, solver::transposed, 1, 1, t, a, 1, &pivots, t, w, 1, &info);

  cusolverDnXgeqrf_bufferSize(handle, parameters, 1, 1, type, a, 1, type, w, type, &device, &host);
  own.geqrf_memory(own_handle, own_parameters, 1, 1, t, a, 1, t, w, t, &device, &host);
  cusolverDnXgeqrf(handle, parameters, 1, 1, type, a, 1, type, w, type, d, device, h, host, &info);
  own.geqrf(own_handle, own_parameters, 1, 1, t, a, 1, t, w, t, d, device, h, host, &info);

  cusolverDnXsyevd_bufferSize(handle, parameters, vectors, upper, 1, type, a, 1, type, w, type,
                              &device, &host);
  own.syevd_memory(own_handle, own_parameters, v, u, 1, t, a, 1, t, w, t, &device, &host);
  cusolverDnXsyevd(handle, parameters, vectors, upper, 1, type, a, 1, type, w, type, d, device, h,
                   host, &info);
  own.syevd(own_handle, own_parameters, v, u, 1, t, a, 1, t, w, t, d, device, h, host, &info);
  cusolverDnXsyevBatched_bufferSize(handle, parameters, vectors, upper, 1, type, a, 1, type, w,
                                    type, &device, &host, 1);
  own.syev_batched_memory(own_handle, own_parameters, v, u, 1, t, a, 1, t, w, t, &device, &host, 1);
  cusolverDnXsyevBatched(handle, parameters, vectors, upper, 1, type, a, 1, type, w, type, d,
                         device, h, host, &info, 1);
  own.syev_batched(own_handle, own_parameters, v, u, 1, t, a, 1, t, w, t, d, device, h, host, &info,
                   1);

  cusolverDnXgesvd_bufferSize(handle, parameters, 'S', 'S', 1, 1, type, a, 1, type, w, type, a, 1,
                              type, a, 1, type, &device, &host);
  own.gesvd_memory(own_handle, own_parameters, 'S', 'S', 1, 1, t, a, 1, t, w, t, a, 1, t, a, 1, t,
                   &device, &host);
  cusolverDnXgesvd(handle, parameters, 'S', 'S', 1, 1, type, a, 1, type, w, type, a, 1, type, a, 1,
                   type, d, device, h, host, &info);
  own.gesvd(own_handle, own_parameters, 'S', 'S', 1, 1, t, a, 1, t, w, t, a, 1, t, a, 1, t, d,
            device, h, host, &info);

  const Cusolver::Typed& typed = own.of_type[1];
  double one = 1, *x = nullptr, **list = nullptr;
  void** own_list = nullptr;
  cusolverDnDpotrfBatched(handle, upper, 1, list, 1, &info, 1);
  typed.potrf_batched(own_handle, u, 1, own_list, 1, &info, 1);
  cusolverDnDorgqr_bufferSize(handle, 1, 1, 1, x, 1, x, &info);
  cuDoubleComplex* z = nullptr;
  cusolverDnZungqr_bufferSize(handle, 1, 1, 1, z, 1, z, &info);
  typed.orgqr_memory(own_handle, 1, 1, 1, x, 1, x, &info);
  cusolverDnDorgqr(handle, 1, 1, 1, x, 1, x, x, 1, &info);
  cusolverDnZungqr(handle, 1, 1, 1, z, 1, z, z, 1, &info);
  typed.orgqr(own_handle, 1, 1, 1, x, 1, x, x, 1, &info);
  constexpr auto side = CUBLAS_SIDE_RIGHT;
  constexpr auto any = CUBLAS_DIAG_NON_UNIT;
  cublasDtrsm_v2_64(blas, side, upper, CUBLAS_OP_N, any, 1, 1, &one, x, 1, x, 1);
  typed.trsm(own_blas, solver::right, u, solver::as_it_is, solver::any, 1, 1, &one, x, 1, x, 1);
  cublasDtrsmBatched(blas, side, upper, CUBLAS_OP_N, any, 1, 1, &one, list, 1, list, 1, 1);
  typed.trsm_batched(own_blas, solver::right, u, solver::as_it_is, solver::any, 1, 1, &one,
                     own_list, 1, own_list, 1, 1);
  cublasDgetrfBatched(blas, 1, list, 1, &info, &info, 1);
  typed.getrf_batched(own_blas, 1, own_list, 1, &info, &info, 1);
  cublasDgetrsBatched(blas, CUBLAS_OP_T, 1, 1, list, 1, &info, list, 1, &info, 1);
  typed.getrs_batched(own_blas, solver::transposed, 1, 1, own_list, 1, &info, own_list, 1, &info,
                      1);
});

}  // namespace
#endif
