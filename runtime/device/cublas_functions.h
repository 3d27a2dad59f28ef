// The functions of NVIDIA's cuBLASLt that are used, by their names in cublasLt.h, with its records
// and numbers, which no machine needs to have. Matrices are stored by columns.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/device/driver_functions.h"
#include "runtime/device/nvidia_library.h"

namespace gnomon {

namespace lt {
using Handle = struct OpaqueHandle*;
using Operation = struct OpaqueOperation*;
using Layout = struct OpaqueLayout*;
using Preference = struct OpaquePreference*;

struct Algorithm {
  std::uint64_t data[8];
};
/// A proposal for a product.
struct Proposal {
  Algorithm algorithm;
  std::size_t workspace;  // bytes that it works in
  int state;              // success: it is one
  float waves;
  int reserved[4];
};

enum Status : int {
  success = 0,
  out_of_memory = 3,
  invalid_value = 7,
  execution_failed = 13,
  not_supported = 15,
};
enum Type : int { float32 = 0, float64 = 1, float16 = 2, bfloat16 = 14 };
enum Compute : int { in_float32 = 68, in_float64 = 70 };
enum OperationAttribute : int { transpose_a = 3, transpose_b = 4 };
enum LayoutAttribute : int { batch_count = 5, batch_stride = 6 };
enum PreferenceAttribute : int {
  most_workspace = 1,
  alignment_a = 5,
  alignment_b = 6,
  alignment_c = 7,
  alignment_d = 8,
};
}  // namespace lt

// A row: name in this table, name in the library, parameters. Each returns an `lt::Status`.
// clang-format off
#define GNOMON_CUBLAS_FUNCTIONS(X)                                                                 \
  X(create, "cublasLtCreate", (lt::Handle* handle))                                                \
  X(operation_create, "cublasLtMatmulDescCreate",                                                  \
    (lt::Operation* operation, int compute, int scale_type))                                       \
  X(operation_set, "cublasLtMatmulDescSetAttribute",                                               \
    (lt::Operation operation, int attribute, const void* value, std::size_t bytes))                \
  X(operation_destroy, "cublasLtMatmulDescDestroy", (lt::Operation operation))                     \
  X(layout_create, "cublasLtMatrixLayoutCreate",                                                   \
    (lt::Layout* layout, int type, std::uint64_t rows, std::uint64_t columns,                      \
     std::int64_t between_columns))                                                                \
  X(layout_set, "cublasLtMatrixLayoutSetAttribute",                                                \
    (lt::Layout layout, int attribute, const void* value, std::size_t bytes))                      \
  X(layout_destroy, "cublasLtMatrixLayoutDestroy", (lt::Layout layout))                            \
  X(preference_create, "cublasLtMatmulPreferenceCreate", (lt::Preference* preference))             \
  X(preference_set, "cublasLtMatmulPreferenceSetAttribute",                                        \
    (lt::Preference preference, int attribute, const void* value, std::size_t bytes))              \
  X(preference_destroy, "cublasLtMatmulPreferenceDestroy", (lt::Preference preference))            \
  X(propose, "cublasLtMatmulAlgoGetHeuristic",                                                     \
    (lt::Handle handle, lt::Operation operation, lt::Layout a, lt::Layout b, lt::Layout c,         \
     lt::Layout d, lt::Preference preference, int most, lt::Proposal* proposals, int* count))      \
  X(multiply, "cublasLtMatmul",                                                                    \
    (lt::Handle handle, lt::Operation operation, const void* alpha, const void* a,                 \
     lt::Layout layout_a, const void* b, lt::Layout layout_b, const void* beta, const void* c,     \
     lt::Layout layout_c, void* d, lt::Layout layout_d, const lt::Algorithm* algorithm,            \
     void* workspace, std::size_t workspace_bytes, cu::Stream stream))
// clang-format on

struct Cublas {
#define GNOMON_MEMBER(name, symbol, parameters) int(*name) parameters = nullptr;
  GNOMON_CUBLAS_FUNCTIONS(GNOMON_MEMBER)
#undef GNOMON_MEMBER

  static constexpr const char* variable = "GNOMON_CUBLAS";
  static constexpr NvidiaFile files[] = {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}};
  static constexpr const char* folders[] = {"nvidia/cu13/lib", "nvidia/cublas/lib"};
  template <class Visit>
  void for_each(const Visit& visit) {
#define GNOMON_VISIT(name, symbol, parameters) visit(name, symbol);
    GNOMON_CUBLAS_FUNCTIONS(GNOMON_VISIT)
#undef GNOMON_VISIT
  }
};

}  // namespace gnomon
