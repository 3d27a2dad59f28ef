// What a device does itself of a routine on matrices, around the functions of a library: it stores
// matrices by columns, spoils what it does not need, and takes what numbers they have.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"

#if defined(__CUDACC__)
#if defined(__CUDA__)
#pragma clang force_cuda_host_device begin
#endif
#include "runtime/device/stages.h"
#include "runtime/float_pair.h"

namespace gn {

/// Stages on matrices of T.
template <typename T>
class DeviceMatrices {
 public:
  using Stage = gnomon::MatrixStage;

  DeviceMatrices(const gnomon::MatrixShape& shape, const void* from, void* to, void* also,
                 i32* infos, Failure* failure, i32 check, i64 bound)
      : s_(shape),
        from_(static_cast<const T*>(from)),
        to_(static_cast<T*>(to)),
        also_(static_cast<i64*>(also)),
        infos_(infos),
        failure_(failure),
        check_(check),
        bound_(bound) {}

  /// Item i of a stage.
  void run(Stage stage, i64 i) const {
    switch (stage) {
      case Stage::list:
        reinterpret_cast<i64*>(to_)[i] =
            s_.address + i * s_.rows * s_.columns * static_cast<i64>(sizeof(T));
        return;
      case Stage::transpose:
      case Stage::transpose_conjugate: return transpose(i, stage == Stage::transpose_conjugate);
      case Stage::clear_above:
        if (column_of(i) > row_of(i)) to_[i] = T{};
        return;
      case Stage::take_lower: return take_lower(i);
      case Stage::take_upper: return take_upper(i);
      case Stage::write_identity: to_[i] = gnomon::number<T>(column_of(i) == row_of(i)); return;
      case Stage::find_not_positive: return find(i, !(gnomon::real_part(diagonal(i)) > 0));
      case Stage::find_zero: return find(i, diagonal(i) == T{});
      case Stage::find_not_finite:
      case Stage::find_not_finite_below: return find_not_finite(stage, i);
      case Stage::clear_failed:
        if (infos_[s_.batch + matrix_of(i)] != 0) to_[i] = T{};
        return;
      case Stage::factor_singular: return;  // by blocks
      case Stage::clamp_pivots: return clamp_pivot(i);
      case Stage::take_swaps: return take_swaps(i);
      case Stage::report: return report(i);
    }
  }

  /// By all threads of a block: the library divides by pivots of 0, which LAPACK goes past.
  void factor_singular(i64 matrix) const {
    if (infos_[matrix] <= 0) return;
    const i64 m = s_.rows, n = s_.columns, first = matrix * m * n;
    const i64 least = gnomon::lesser(m, n), thread = threadIdx.x, threads = blockDim.x;
    T* const a = to_ + first;
    for (i64 i = thread; i < m * n; i += threads) a[i] = from_[first + i];
    __syncthreads();
    for (i64 k = 0; k < least; ++k) {
      if (thread == 0) put_pivot(also_, matrix * least + k, largest_below(a, k) + 1);
      __syncthreads();
      const i64 row = pivot_at(also_, matrix * least + k) - 1;
      for (i64 j = thread; j < n && row != k; j += threads)
        gnomon::exchange(a[k * n + j], a[row * n + j]);
      __syncthreads();
      const T pivot = a[k * n + k];
      if (pivot == T{}) continue;
      for (i64 i = k + 1 + thread; i < m; i += threads) a[i * n + k] = a[i * n + k] / pivot;
      __syncthreads();
      const i64 right = n - k - 1;
      for (i64 i = thread; i < (m - k - 1) * right; i += threads) {
        const i64 row = k + 1 + i / right, column = k + 1 + i % right;
        a[row * n + column] = a[row * n + column] - a[row * n + k] * a[k * n + column];
      }
      __syncthreads();
    }
  }

 private:
  // As LAPACK compares complex numbers.
  static gnomon::Part<T> size_of(const T& x) {
    if constexpr (gnomon::is_pair<T>)
      return gnomon::magnitude(x.re) + gnomon::magnitude(x.im);
    else
      return gnomon::magnitude(x);
  }
  i64 largest_below(const T* a, i64 k) const {
    i64 largest = k;
    for (i64 i = k + 1; i < s_.rows; ++i)
      if (size_of(a[i * s_.columns + k]) > size_of(a[largest * s_.columns + k])) largest = i;
    return largest;
  }

  i64 pivot_at(const void* pivots, i64 i) const {
    return s_.pivot_bytes == 8 ? static_cast<const i64*>(pivots)[i]
                               : static_cast<const i32*>(pivots)[i];
  }
  void put_pivot(void* pivots, i64 i, i64 pivot) const {
    if (s_.pivot_bytes == 8)
      static_cast<i64*>(pivots)[i] = pivot;
    else
      static_cast<i32*>(pivots)[i] = static_cast<i32>(pivot);
  }

  i64 column_of(i64 i) const { return i % s_.columns; }
  i64 row_of(i64 i) const { return i / s_.columns % s_.rows; }
  i64 matrix_of(i64 i) const { return i / s_.columns / s_.rows; }

  void transpose(i64 i, bool conjugates) const {
    T x = from_[i];
    if constexpr (gnomon::is_pair<T>)
      if (conjugates) x.im = -x.im;
    to_[(matrix_of(i) * s_.columns + column_of(i)) * s_.rows + row_of(i)] = x;
  }

  void take_lower(i64 i) const {
    const i64 row = row_of(i), column = column_of(i);
    T x = column > row ? T{} : from_[i];
    if (column == row) x = gnomon::number<T>(gnomon::real_part(x));
    to_[i] = x;
  }
  void take_upper(i64 i) const {
    const i64 row = row_of(i), column = column_of(i);
    to_[i] = row <= column ? from_[column * s_.source_rows + row] : T{};
  }

  // Of element i of the diagonals of square matrices.
  T diagonal(i64 i) const {
    const i64 place = i % s_.rows;
    return from_[i / s_.rows * s_.rows * s_.columns + place * (s_.columns + 1)];
  }
  void find(i64 i, bool bad) const {
    if (bad) fail(i / s_.rows, i % s_.rows + 1);
  }

  void find_not_finite(Stage stage, i64 i) const {
    const bool below = stage == Stage::find_not_finite_below;
    if (below && column_of(i) > row_of(i)) return;
    const T x = from_[i];
    if (!(x - x == T{})) fail(matrix_of(i), below ? row_of(i) + 1 : 1);
  }

  // The first place at which a matrix fails counts.
  void fail(i64 matrix, i64 place) const {
    i32* const info = infos_ + s_.batch + matrix;
    const i32 found = static_cast<i32>(place);
    i32 first = atomicCAS(info, 0, found);
    while (first != 0 && found < first) {
      const i32 seen = atomicCAS(info, first, found);
      if (seen == first) return;
      first = seen;
    }
  }

  void clamp_pivot(i64 i) const {
    const i64 own = i % s_.columns + 1, pivot = pivot_at(to_, i);
    if (pivot < own || pivot > s_.rows) put_pivot(to_, i, own);
  }

  void take_swaps(i64 i) const {
    const i64 count = s_.columns;
    i64* const swaps = reinterpret_cast<i64*>(to_) + i * count;
    i64* const rows = also_ + i * s_.rows;
    for (i64 k = 0; k < s_.rows; ++k) rows[k] = k;
    for (i64 k = 0; k < count; ++k) {
      const i64 pivot = pivot_at(from_, i * count + k);
      swaps[k] = pivot - 1;
      gnomon::exchange(rows[k], rows[pivot - 1]);
    }
  }

  void report(i64 i) const {
    const i32 theirs = infos_[i], own = infos_[s_.batch + i];
    const i32 place = own == 0 ? theirs : theirs == 0 ? own : gnomon::lesser(theirs, own);
    check(failure_, check_, place != 0, i, place, bound_);
  }

  const gnomon::MatrixShape& s_;
  const T* from_;
  T* to_;
  i64* also_;
  i32* infos_;
  Failure* failure_;
  i32 check_;
  i64 bound_;
};

}  // namespace gn
#if defined(__CUDA__)
#pragma clang force_cuda_host_device end
#endif

/// A kernel `name` for all routines on matrices of T.
#define GN_DEVICE_MATRICES(name, T)                                                                \
  extern "C" __global__ void __launch_bounds__(256)                                                \
      name(int32_t stage, int64_t items, gnomon::MatrixShape shape, const void* from, void* to,    \
           void* also, int32_t* infos, gn::Failure* failure, int32_t check, int64_t bound) {       \
    const gn::DeviceMatrices<T> matrices(shape, from, to, also, infos, failure, check, bound);     \
    const auto what = static_cast<gnomon::MatrixStage>(stage);                                     \
    if (what == gnomon::MatrixStage::factor_singular) {                                            \
      for (int64_t k = blockIdx.x; k < shape.batch; k += gridDim.x) matrices.factor_singular(k);   \
      return;                                                                                      \
    }                                                                                              \
    for (int64_t i = gn::grid_thread(); i < items; i += gn::grid_threads()) matrices.run(what, i); \
  }
#endif
