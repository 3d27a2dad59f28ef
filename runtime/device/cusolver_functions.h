// The functions of NVIDIA's cuSOLVER that are used, and of the cuBLAS that it brings along, by
// their names in cusolverDn.h and cublas_api.h, with their numbers, which no machine needs to have.
// Matrices are stored by columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "runtime/device/driver_functions.h"
#include "runtime/device/nvidia_library.h"

namespace gnomon {

namespace solver {
using Handle = struct OpaqueSolver*;
using Blas = struct OpaqueBlas*;
using Parameters = struct OpaqueParameters*;

enum Status : int { success = 0, out_of_memory = 2, invalid_value = 3, execution_failed = 6 };
enum BlasStatus : int { blas_invalid_value = 7, blas_execution_failed = 13 };
enum Type : int { float32 = 0, float64 = 1, complex64 = 4, complex128 = 5 };
enum Triangle : int { lower = 0, upper = 1 };
enum Operation : int { as_it_is = 0, transposed = 1 };
enum Side : int { right = 1 };
enum Diagonal : int { any = 0 };
enum Vectors : int { none = 0, wanted = 1 };
}  // namespace solver

// A row: name in this table, name in the library, parameters. Sizes of workspaces are in bytes, on
// the device and on the host; `info` is in the device's memory. Each returns a `solver::Status`, or
// a `solver::BlasStatus`.
// clang-format off
#define GNOMON_CUSOLVER_FUNCTIONS(X)                                                               \
  X(create, "cusolverDnCreate", (solver::Handle* handle))                                          \
  X(use_stream, "cusolverDnSetStream", (solver::Handle handle, cu::Stream stream))                 \
  X(create_parameters, "cusolverDnCreateParams", (solver::Parameters* parameters))                 \
  X(create_blas, "cublasCreate_v2", (solver::Blas* blas))                                          \
  X(blas_use_stream, "cublasSetStream_v2", (solver::Blas blas, cu::Stream stream))                 \
  X(potrf_memory, "cusolverDnXpotrf_bufferSize",                                                   \
    (solver::Handle handle, solver::Parameters parameters, int triangle, std::int64_t n, int type, \
     const void* a, std::int64_t lda, int compute, std::size_t* device, std::size_t* host))        \
  X(potrf, "cusolverDnXpotrf",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, int triangle, std::int64_t n, int type, \
     void* a, std::int64_t lda, int compute, void* device_memory, std::size_t device,              \
     void* host_memory, std::size_t host, int* info))                                              \
  X(getrf_memory, "cusolverDnXgetrf_bufferSize",                                                   \
    (solver::Handle handle, solver::Parameters parameters, std::int64_t m, std::int64_t n,         \
     int type, const void* a, std::int64_t lda, int compute, std::size_t* device,                  \
     std::size_t* host))                                                                           \
  X(getrf, "cusolverDnXgetrf",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, std::int64_t m, std::int64_t n,         \
     int type, void* a, std::int64_t lda, std::int64_t* pivots, int compute, void* device_memory,  \
     std::size_t device, void* host_memory, std::size_t host, int* info))                          \
  X(getrs, "cusolverDnXgetrs",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, int operation, std::int64_t n,          \
     std::int64_t columns, int type, const void* a, std::int64_t lda, const std::int64_t* pivots,  \
     int type_of_b, void* b, std::int64_t ldb, int* info))                                         \
  X(geqrf_memory, "cusolverDnXgeqrf_bufferSize",                                                   \
    (solver::Handle handle, solver::Parameters parameters, std::int64_t m, std::int64_t n,         \
     int type, const void* a, std::int64_t lda, int type_of_tau, const void* tau, int compute,     \
     std::size_t* device, std::size_t* host))                                                      \
  X(geqrf, "cusolverDnXgeqrf",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, std::int64_t m, std::int64_t n,         \
     int type, void* a, std::int64_t lda, int type_of_tau, void* tau, int compute,                 \
     void* device_memory, std::size_t device, void* host_memory, std::size_t host, int* info))     \
  X(syevd_memory, "cusolverDnXsyevd_bufferSize",                                                   \
    (solver::Handle handle, solver::Parameters parameters, int vectors, int triangle,              \
     std::int64_t n, int type, const void* a, std::int64_t lda, int type_of_values,                \
     const void* values, int compute, std::size_t* device, std::size_t* host))                     \
  X(syevd, "cusolverDnXsyevd",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, int vectors, int triangle,              \
     std::int64_t n, int type, void* a, std::int64_t lda, int type_of_values, void* values,        \
     int compute, void* device_memory, std::size_t device, void* host_memory, std::size_t host,    \
     int* info))                                                                                   \
  X(syev_batched_memory, "cusolverDnXsyevBatched_bufferSize",                                      \
    (solver::Handle handle, solver::Parameters parameters, int vectors, int triangle,              \
     std::int64_t n, int type, const void* a, std::int64_t lda, int type_of_values,                \
     const void* values, int compute, std::size_t* device, std::size_t* host,                      \
     std::int64_t batch))                                                                          \
  X(syev_batched, "cusolverDnXsyevBatched",                                                        \
    (solver::Handle handle, solver::Parameters parameters, int vectors, int triangle,              \
     std::int64_t n, int type, void* a, std::int64_t lda, int type_of_values, void* values,        \
     int compute, void* device_memory, std::size_t device, void* host_memory, std::size_t host,    \
     int* info, std::int64_t batch))                                                               \
  X(gesvd_memory, "cusolverDnXgesvd_bufferSize",                                                   \
    (solver::Handle handle, solver::Parameters parameters, signed char job_u, signed char job_vt,  \
     std::int64_t m, std::int64_t n, int type, const void* a, std::int64_t lda,                    \
     int type_of_values, const void* values, int type_of_u, const void* u, std::int64_t ldu,       \
     int type_of_vt, const void* vt, std::int64_t ldvt, int compute, std::size_t* device,          \
     std::size_t* host))                                                                           \
  X(gesvd, "cusolverDnXgesvd",                                                                     \
    (solver::Handle handle, solver::Parameters parameters, signed char job_u, signed char job_vt,  \
     std::int64_t m, std::int64_t n, int type, void* a, std::int64_t lda, int type_of_values,      \
     void* values, int type_of_u, void* u, std::int64_t ldu, int type_of_vt, void* vt,             \
     std::int64_t ldvt, int compute, void* device_memory, std::size_t device, void* host_memory,   \
     std::size_t host, int* info))

// Those that a library has for each type. A row: name in this table, name in the library around
// the letter of a type, for real and for complex numbers, parameters. Lists of addresses, pivots
// and the infos of factors are in the device's memory.
#define GNOMON_CUSOLVER_TYPED_FUNCTIONS(X)                                                         \
  X(potrf_batched, "cusolverDn", "potrfBatched", "potrfBatched",                                   \
    (solver::Handle handle, int triangle, int n, void** a, int lda, int* infos, int batch))        \
  X(orgqr_memory, "cusolverDn", "orgqr_bufferSize", "ungqr_bufferSize",                            \
    (solver::Handle handle, int m, int n, int k, const void* a, int lda, const void* tau,          \
     int* elements))                                                                               \
  X(orgqr, "cusolverDn", "orgqr", "ungqr",                                                         \
    (solver::Handle handle, int m, int n, int k, void* a, int lda, const void* tau, void* work,    \
     int elements, int* info))                                                                     \
  X(trsm, "cublas", "trsm_v2_64", "trsm_v2_64",                                                    \
    (solver::Blas blas, int side, int triangle, int operation, int diagonal, std::int64_t m,       \
     std::int64_t n, const void* alpha, const void* a, std::int64_t lda, void* b,                  \
     std::int64_t ldb))                                                                            \
  X(trsm_batched, "cublas", "trsmBatched", "trsmBatched",                                          \
    (solver::Blas blas, int side, int triangle, int operation, int diagonal, int m, int n,         \
     const void* alpha, const void* const* a, int lda, void* const* b, int ldb, int batch))        \
  X(getrf_batched, "cublas", "getrfBatched", "getrfBatched",                                       \
    (solver::Blas blas, int n, void* const* a, int lda, int* pivots, int* infos, int batch))       \
  X(getrs_batched, "cublas", "getrsBatched", "getrsBatched",                                       \
    (solver::Blas blas, int operation, int n, int columns, const void* const* a, int lda,          \
     const int* pivots, void* const* b, int ldb, int* info_of_host, int batch))
// clang-format on

#define GNOMON_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
#define GNOMON_TYPED_MEMBER(name, head, real, complex, parameters) int(*name) parameters = nullptr;
struct Cusolver {
  struct Typed {
    GNOMON_CUSOLVER_TYPED_FUNCTIONS(GNOMON_TYPED_MEMBER)
  };

  GNOMON_CUSOLVER_FUNCTIONS(GNOMON_MEMBER)
  static constexpr char letters[] = {'S', 'D', 'C', 'Z'};
  Typed of_type[4];  // in the order of the letters

  static constexpr const char* variable = "GNOMON_CUSOLVER";
  static constexpr NvidiaFile files[] = {{"libcusolver.so.12", 13}, {"libcusolver.so.11", 12}};
  static constexpr const char* folders[] = {"nvidia/cu13/lib", "nvidia/cusolver/lib"};
  template <class Visit>
  void for_each(const Visit& visit) {
#define GNOMON_VISIT(name, symbol, parameters) visit(name, symbol);
    GNOMON_CUSOLVER_FUNCTIONS(GNOMON_VISIT)
#undef GNOMON_VISIT
    for (int k = 0; k < 4; ++k) {
#define GNOMON_VISIT(name, head, real, complex, parameters) \
  visit(of_type[k].name, (std::string(head) + letters[k] + (k < 2 ? real : complex)).c_str());
      GNOMON_CUSOLVER_TYPED_FUNCTIONS(GNOMON_VISIT)
#undef GNOMON_VISIT
    }
  }
};
#undef GNOMON_TYPED_MEMBER
#undef GNOMON_MEMBER

}  // namespace gnomon
