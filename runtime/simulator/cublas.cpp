// The functions of cuBLASLt that Gnomon uses, for the simulated device: they do what NVIDIA's do,
// and refuse what those would refuse or do wrong.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "runtime/arrays/half.h"
#include "runtime/device/cublas_functions.h"
#include "runtime/simulator/queue.h"

namespace gnomon {
namespace {

using namespace simulator;

struct Operation {
  int compute, scale;
  bool transposes_a = false, transposes_b = false;
};

struct Layout {
  int type;
  std::int64_t rows, columns, between_columns;
  std::int32_t batch = 1;
  std::int64_t stride = 0;

  std::int64_t element() const { return type == lt::float64 ? 8 : type == lt::float32 ? 4 : 2; }
  /// Elements from the first to the last.
  std::int64_t span() const {
    return (batch - 1) * stride + (columns - 1) * between_columns + rows;
  }
  bool has(std::uint64_t address) const {
    return has_memory(address, static_cast<std::size_t>(span() * element()));
  }
  friend bool operator==(const Layout&, const Layout&) = default;
};

struct Preference {
  std::uint64_t workspace = 0;
  std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};  // of a, b, c and d
};

constexpr std::size_t own_workspace = 1000;

template <class Own, class Handle>
Own* own(Handle handle) {
  return reinterpret_cast<Own*>(handle);
}

template <class Value>
bool take(Value& to, const void* value, std::size_t bytes) {
  if (bytes != sizeof to) return false;
  std::memcpy(&to, value, bytes);
  return true;
}

int status_of(bool is_right) { return is_right ? lt::success : lt::invalid_value; }

// Whether the extents agree.
bool agree(const Operation& o, const Layout& a, const Layout& b, const Layout& c, const Layout& d) {
  const auto& [rows_a, columns_a] =
      o.transposes_a ? std::pair(a.columns, a.rows) : std::pair(a.rows, a.columns);
  const auto& [rows_b, columns_b] =
      o.transposes_b ? std::pair(b.columns, b.rows) : std::pair(b.rows, b.columns);
  const int compute = d.type == lt::float64 ? lt::in_float64 : lt::in_float32;
  const bool halves = a.type == lt::float16 || a.type == lt::bfloat16;
  const auto is_matrix = [&](const Layout& x) {
    return x.rows > 0 && x.columns > 0 && x.between_columns >= x.rows && x.batch == d.batch &&
           x.batch <= 65535;
  };
  return (halves ? d.type == lt::float32 : a.type == d.type) && b.type == a.type &&
         o.compute == compute && o.scale == d.type && is_matrix(a) && is_matrix(b) &&
         is_matrix(d) && c == d && rows_a == d.rows && columns_b == d.columns &&
         columns_a == rows_b;
}

// d = alpha a b + beta d, a column at a time.
template <class Element, class T>
void multiply(const Operation& o, T alpha, const Element* a, const Layout& of_a, const Element* b,
              const Layout& of_b, T beta, T* d, const Layout& of_d) {
  const std::int64_t depth = o.transposes_a ? of_a.rows : of_a.columns;
  const std::int64_t row_a = o.transposes_a ? of_a.between_columns : 1;
  const std::int64_t term_a = o.transposes_a ? 1 : of_a.between_columns;
  const std::int64_t term_b = o.transposes_b ? of_b.between_columns : 1;
  const std::int64_t column_b = o.transposes_b ? 1 : of_b.between_columns;
  std::vector<T> sums(static_cast<std::size_t>(of_d.rows));
  for (std::int64_t j = 0; j < of_d.columns; ++j) {
    std::ranges::fill(sums, T{0});
    for (std::int64_t p = 0; p < depth; ++p) {
      const T factor = b[p * term_b + j * column_b];
      const Element* const column = a + p * term_a;
      for (std::int64_t i = 0; i < of_d.rows; ++i)
        sums[static_cast<std::size_t>(i)] += column[i * row_a] * factor;
    }
    T* const result = d + j * of_d.between_columns;
    for (std::int64_t i = 0; i < of_d.rows; ++i) {
      const T product = alpha * sums[static_cast<std::size_t>(i)];
      result[i] = beta == 0 ? product : product + beta * result[i];
    }
  }
}

struct Operand {
  std::uint64_t address;
  Layout layout;
};

template <class Element, class T>
void multiply_all(const Operation& o, double alpha, const Operand& a, const Operand& b, double beta,
                  const Operand& d) {
  const auto matrix = [&]<class E>(const Operand& x, std::int64_t k, E*) {
    return static_cast<E*>(seen_by_host(x.address)) + k * x.layout.stride;
  };
  for (std::int64_t k = 0; k < d.layout.batch; ++k)
    multiply<Element, T>(o, static_cast<T>(alpha), matrix(a, k, static_cast<Element*>(nullptr)),
                         a.layout, matrix(b, k, static_cast<Element*>(nullptr)), b.layout,
                         static_cast<T>(beta), matrix(d, k, static_cast<T*>(nullptr)), d.layout);
}

}  // namespace
}  // namespace gnomon

using namespace gnomon;

GNOMON_EXPORTED int cublasLtCreate(lt::Handle* handle) { return *handle = nullptr, lt::success; }
GNOMON_EXPORTED int cublasLtMatmulDescCreate(lt::Operation* made, int compute, int scale) {
  *made = reinterpret_cast<lt::Operation>(new Operation{compute, scale});
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatmulDescSetAttribute(lt::Operation operation, int attribute,
                                                   const void* value, std::size_t bytes) {
  std::int32_t transposed = 0;
  if (!take(transposed, value, bytes) || transposed < 0 || transposed > 1) return lt::invalid_value;
  auto& o = *own<Operation>(operation);
  if (attribute == lt::transpose_a) o.transposes_a = transposed == 1;
  if (attribute == lt::transpose_b) o.transposes_b = transposed == 1;
  return status_of(attribute == lt::transpose_a || attribute == lt::transpose_b);
}
GNOMON_EXPORTED int cublasLtMatmulDescDestroy(lt::Operation operation) {
  delete own<Operation>(operation);
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatrixLayoutCreate(lt::Layout* made, int type, std::uint64_t rows,
                                               std::uint64_t columns, std::int64_t between) {
  *made = reinterpret_cast<lt::Layout>(new Layout{type, static_cast<std::int64_t>(rows),
                                                  static_cast<std::int64_t>(columns), between});
  constexpr std::array known{lt::float32, lt::float64, lt::float16, lt::bfloat16};
  return status_of(std::ranges::find(known, type) != known.end());
}
GNOMON_EXPORTED int cublasLtMatrixLayoutSetAttribute(lt::Layout layout, int attribute,
                                                     const void* value, std::size_t bytes) {
  auto& x = *own<Layout>(layout);
  if (attribute == lt::batch_count) return status_of(take(x.batch, value, bytes));
  return status_of(attribute == lt::batch_stride && take(x.stride, value, bytes));
}
GNOMON_EXPORTED int cublasLtMatrixLayoutDestroy(lt::Layout layout) {
  delete own<Layout>(layout);
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatmulPreferenceCreate(lt::Preference* made) {
  *made = reinterpret_cast<lt::Preference>(new Preference);
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatmulPreferenceSetAttribute(lt::Preference preference, int attribute,
                                                         const void* value, std::size_t bytes) {
  auto& p = *own<Preference>(preference);
  if (attribute == lt::most_workspace) return status_of(take(p.workspace, value, bytes));
  if (attribute < lt::alignment_a || attribute > lt::alignment_d) return lt::invalid_value;
  return status_of(
      take(p.alignments[static_cast<std::size_t>(attribute - lt::alignment_a)], value, bytes));
}
GNOMON_EXPORTED int cublasLtMatmulPreferenceDestroy(lt::Preference preference) {
  delete own<Preference>(preference);
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatmulAlgoGetHeuristic(lt::Handle, lt::Operation operation,
                                                   lt::Layout a, lt::Layout b, lt::Layout c,
                                                   lt::Layout d, lt::Preference preference,
                                                   int most, lt::Proposal* proposals, int* count) {
  const auto& p = *own<Preference>(preference);
  *count = 0;
  if (most < 1 || p.workspace < own_workspace ||
      !agree(*own<Operation>(operation), *own<Layout>(a), *own<Layout>(b), *own<Layout>(c),
             *own<Layout>(d)))
    return lt::not_supported;
  *count = 1;
  *proposals = {};
  proposals->workspace = own_workspace;
  std::ranges::copy(p.alignments, proposals->algorithm.data);
  return lt::success;
}
GNOMON_EXPORTED int cublasLtMatmul(lt::Handle, lt::Operation operation, const void* alpha,
                                   const void* a, lt::Layout layout_a, const void* b,
                                   lt::Layout layout_b, const void* beta, const void* c,
                                   lt::Layout layout_c, void* d, lt::Layout layout_d,
                                   const lt::Algorithm* algorithm, void* workspace,
                                   std::size_t workspace_bytes, cu::Stream stream) {
  const auto lock = locked();
  if (is_of_another(stream)) return lt::invalid_value;
  const Operation o = *own<Operation>(operation);
  const Layout of_a = *own<Layout>(layout_a), of_b = *own<Layout>(layout_b);
  const Layout of_c = *own<Layout>(layout_c), of_d = *own<Layout>(layout_d);
  const std::array addresses{address_of(a), address_of(b), address_of(c), address_of(d)};
  for (std::size_t k = 0; k < addresses.size(); ++k)
    if (addresses[k] % algorithm->data[k] != 0) return lt::invalid_value;
  if (!agree(o, of_a, of_b, of_c, of_d) || !of_a.has(addresses[0]) || !of_b.has(addresses[1]) ||
      !of_d.has(addresses[3]) || c != d || workspace_bytes < own_workspace ||
      !has_memory(address_of(workspace), workspace_bytes))
    return lt::invalid_value;
  const bool is_double = of_d.type == lt::float64;
  const auto scale = [&](const void* value) {
    return is_double ? *static_cast<const double*>(value)
                     : double{*static_cast<const float*>(value)};
  };
  const Operand first{addresses[0], of_a}, second{addresses[1], of_b}, result{addresses[3], of_d};
  const int queued = queue_work([=, alpha = scale(alpha), beta = scale(beta)] {
    std::memset(seen_by_host(address_of(workspace)), 0xFF, workspace_bytes);
    const auto run = of_a.type == lt::float64   ? multiply_all<double, double>
                     : of_a.type == lt::float32 ? multiply_all<float, float>
                     : of_a.type == lt::float16 ? multiply_all<Float16, float>
                                                : multiply_all<BFloat16, float>;
    run(o, alpha, first, second, beta, result);
    return cu::success;
  });
  return queued == cu::success ? lt::success : lt::execution_failed;
}
