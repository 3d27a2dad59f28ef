// Rows as lanes: matrices in memory whose rows i are the lanes and whose columns are K vectors.
#pragma once

#include "stdlib/prelude/lanes/kernel.h"
#include "stdlib/prelude/lanes/strided.h"

namespace gn {

#if GN_LANES

namespace detail {

constexpr int least_transposed = 8;  // columns; fewer are moved one element at a time,

/// unless they fill a vector.
template <int K, int W>
constexpr bool is_transposed = K >= least_transposed || K >= W;

/// The elements of a, and of b, at places without bit S, beside each other, and those with it.
template <int S, int... I>
struct Exchange {
  static constexpr int width = sizeof...(I);
  template <typename V>
  static GN_FN V without(V a, V b) {
    return __builtin_shufflevector(a, b, ((I & S) == 0 ? I : width + I - S)...);
  }
  template <typename V>
  static GN_FN V with(V a, V b) {
    return __builtin_shufflevector(a, b, ((I & S) == 0 ? I + S : width + I)...);
  }
};
template <int S>
struct ExchangeBy {
  template <typename T, T... I>
  using Of = Exchange<S, I...>;
};

/// v[i][k] becomes v[k][i]: bit by bit, i and k exchange bits of the same place.
template <int S = 1, typename V, int W>
GN_FN void transpose(V (&v)[W]) {
  if constexpr (S < W) {
    using E = __make_integer_seq<ExchangeBy<S>::template Of, int, W>;
#pragma clang loop unroll(full)
    for (int i = 0; i < W; ++i) {
      if ((i & S) != 0) continue;
      const V a = v[i], b = v[i + S];
      v[i] = E::without(a, b);
      v[i + S] = E::with(a, b);
    }
    transpose<2 * S>(v);
  }
}

/// Blocks of at most W columns: block b starts at column `from`; the last one overlaps the one
/// before it, or is all there is and shorter than a vector.
template <int K, int W>
struct Columns {
  static constexpr int blocks = (K + W - 1) / W;
  static constexpr int count = K < W ? K : W;
  static constexpr GN_FN int from(int b) { return b * W + W <= K || K < W ? b * W : K - W; }
};

template <typename V>
GN_FN V load_count(const element_of<V>* p, int n) {
  return n == width_of<V> ? gn::load<V>(p) : load_first<V>(p, n, V{});
}
template <typename V>
GN_FN void store_count(element_of<V>* p, V v, int n) {
  if (n == width_of<V>)
    gn::store(p, v);
  else
    store_first(p, v, n);
}

/// Row i of block b of columns.
template <int K, typename V>
GN_FN void rows_of(const V (&columns)[K], int b, V (&rows)[width_of<V>]) {
  constexpr int W = width_of<V>;
  const int from = Columns<K, W>::from(b);
#pragma clang loop unroll(full)
  for (int k = 0; k < W; ++k) rows[k] = from + k < K ? columns[from + k] : V{};
  transpose(rows);
}

/// The elements of a and b in turn, the first W of them or the others, and back.
template <typename T, T... I>
struct Zip {
  static constexpr int width = sizeof...(I);
  template <int From, typename V>
  static GN_FN V zip(V a, V b) {
    return __builtin_shufflevector(a, b, (From + I / 2 + (I % 2 == 0 ? 0 : width))...);
  }
  template <int From, typename V>
  static GN_FN V unzip(V a, V b) {
    return __builtin_shufflevector(a, b, (2 * I + From)...);
  }
};
template <typename V>
using ZipOf = __make_integer_seq<Zip, int, width_of<V>>;

/// Row i of K columns that are `Apart` from each other, then row i + 1, as they lie in memory. K is
/// a power of two.
template <int K, int Apart = 1, typename V>
GN_FN void zip_columns(const V* columns, V* to) {
  if constexpr (K == 1) {
    to[0] = columns[0];
  } else {
    V even[K / 2], odd[K / 2];
    zip_columns<K / 2, 2 * Apart>(columns, even);
    zip_columns<K / 2, 2 * Apart>(columns + Apart, odd);
#pragma clang loop unroll(full)
    for (int j = 0; j < K / 2; ++j) {
      to[2 * j] = ZipOf<V>::template zip<0>(even[j], odd[j]);
      to[2 * j + 1] = ZipOf<V>::template zip<width_of<V> / 2>(even[j], odd[j]);
    }
  }
}
template <int K, int Apart = 1, typename V>
GN_FN void unzip_columns(const V* from, V* columns) {
  if constexpr (K == 1) {
    columns[0] = from[0];
  } else {
    V even[K / 2], odd[K / 2];
#pragma clang loop unroll(full)
    for (int j = 0; j < K / 2; ++j) {
      even[j] = ZipOf<V>::template unzip<0>(from[2 * j], from[2 * j + 1]);
      odd[j] = ZipOf<V>::template unzip<1>(from[2 * j], from[2 * j + 1]);
    }
    unzip_columns<K / 2, 2 * Apart>(static_cast<const V*>(even), columns);
    unzip_columns<K / 2, 2 * Apart>(static_cast<const V*>(odd), columns + Apart);
  }
}

/// Whether whole rows that lie behind one another are moved so: fewer shuffles than a square takes.
template <int K, int W>
constexpr bool is_zipped = K > 1 && K < W && (K & (K - 1)) == 0;
/// Or each column is picked out of all vectors, and mixed into them, where the elements of two are
/// shuffled by a few instructions.
#if defined(__AVX512BW__)
constexpr int least_shuffled = 2, most_picked = 7;  // bytes of an element, columns
#else
constexpr int least_shuffled = 4, most_picked = 5;
#endif
template <int K, typename V>
constexpr bool is_picked = (K > 2) && (K <= most_picked) && (K < width_of<V>) &&
                           (sizeof(element_of<V>) >= least_shuffled || sizeof(V) <= 16);
template <int K, typename V>
constexpr bool is_shuffled = is_zipped<K, width_of<V>> || is_picked<K, V>;

template <int K, int Column = 0, typename V>
GN_FN void pick_columns(const V (&rows)[K], V (&columns)[K]) {
  if constexpr (Column < K) {
    columns[Column] = picking<K, width_of<V>, Column>::template with<0>(rows[0], rows);
    pick_columns<K, Column + 1>(rows, columns);
  }
}
template <int K, int Row = 0, typename V>
GN_FN void mix_columns(const V (&columns)[K], V (&rows)[K]) {
  if constexpr (Row < K) {
    rows[Row] = interleaving<K, Row, width_of<V>>::template with<0>(columns[0], columns);
    mix_columns<K, Row + 1>(columns, rows);
  }
}

/// The first N rows. Lanes behind them get the last one.
template <int K, int N, typename V, typename T>
GN_FN void read_first_rows(V (&columns)[K], const T* p, i64 stride) {
  constexpr int W = width_of<V>;
  if constexpr (N == W && is_shuffled<K, V>) {
    if (stride == K) {
      V rows[K];
#pragma clang loop unroll(full)
      for (int k = 0; k < K; ++k) rows[k] = gn::load<V>(p + k * W);
      if constexpr (is_zipped<K, W>) {
        return unzip_columns<K>(static_cast<const V*>(rows), columns);
      } else {
        return pick_columns<K>(rows, columns);
      }
    }
  }
  const auto row = [&](int i) { return p + (i < N ? i : N - 1) * stride; };
  if constexpr (!is_transposed<K, W>) {
#pragma clang loop unroll(full)
    for (int k = 0; k < K; ++k) {
#pragma clang loop unroll(full)
      for (int i = 0; i < W; ++i) columns[k][i] = row(i)[k];
    }
  } else {
    using Blocks = Columns<K, W>;
#pragma clang loop unroll(full)
    for (int b = 0; b < Blocks::blocks; ++b) {
      V rows[W];
      const int from = Blocks::from(b);
#pragma clang loop unroll(full)
      for (int i = 0; i < W; ++i) rows[i] = load_count<V>(row(i) + from, Blocks::count);
      transpose(rows);
#pragma clang loop unroll(full)
      for (int k = 0; k < Blocks::count; ++k) columns[from + k] = rows[k];
    }
  }
}

template <int K, int N, typename V, typename T>
GN_FN void write_first_rows(T* p, const V (&columns)[K]) {
  constexpr int W = width_of<V>;
  if constexpr (N == W && is_shuffled<K, V>) {
    V rows[K];
    if constexpr (is_zipped<K, W>) {
      zip_columns<K>(static_cast<const V*>(columns), rows);
    } else {
      mix_columns<K>(columns, rows);
    }
#pragma clang loop unroll(full)
    for (int k = 0; k < K; ++k) gn::store(p + k * W, rows[k]);
  } else if constexpr (!is_transposed<K, W>) {
#pragma clang loop unroll(full)
    for (int i = 0; i < N; ++i) {
#pragma clang loop unroll(full)
      for (int k = 0; k < K; ++k) p[i * K + k] = columns[k][i];
    }
  } else {
    using Blocks = Columns<K, W>;
#pragma clang loop unroll(full)
    for (int b = 0; b < Blocks::blocks; ++b) {
      V rows[W];
      rows_of<K>(columns, b, rows);
#pragma clang loop unroll(full)
      for (int i = 0; i < N; ++i) store_count(p + i * K + Blocks::from(b), rows[i], Blocks::count);
    }
  }
}

/// The first n rows of K elements, one after the other; those of `from` are `stride` apart.
template <int K, typename T>
__attribute__((noinline)) void copy_rows(T* to, const T* from, i64 stride, int n) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; ++i) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int k = 0; k < K; ++k) to[i * K + k] = from[i * stride + k];
  }
}

/// p[k] = combine(p[k], rows[i K + k]) for the first n rows, in order.
template <int K, typename V, typename T, typename Combine>
__attribute__((noinline)) void combine_rows(T* p, const T* rows, int n, Combine combine) {
#pragma clang loop unroll(disable)
  for (int i = 0; i < n; ++i) {
#pragma clang loop unroll(disable) vectorize(disable)
    for (int k = 0; k < K; ++k)
      p[k] = static_cast<T>(
          combine(static_cast<element_of<V>>(p[k]), static_cast<element_of<V>>(rows[i * K + k])));
  }
}

}  // namespace detail

/// columns[k][i] = p[i stride + k] for the live lanes i.
template <int K, typename V, typename T, int W, int N>
GN_FN void read_rows(V (&columns)[K], const T* p, i64 stride, Part<W, N>) {
  static_assert(detail::stores_as<V, T> && width_of<V> == W);
  if constexpr (is_bool<V>) {
    detail::memory_lanes<V> bytes[K];
    detail::read_first_rows<K, N>(bytes, reinterpret_cast<const u8*>(p), stride);
#pragma clang loop unroll(full)
    for (int k = 0; k < K; ++k) columns[k] = convert<V>(bytes[k]);
  } else {
    detail::read_first_rows<K, N>(columns, p, stride);
  }
}
template <int K, typename V, typename T, int W>
GN_FN void read_rows(V (&columns)[K], const T* p, i64 stride, Full<W>) {
  read_rows<K>(columns, p, stride, Part<W, W>{});
}
template <int K, typename V, typename T, int W>
GN_FN void read_rows(V (&columns)[K], const T* p, i64 stride, Tail<W> live) {
  T rows[W * K];
  if (live.count < W) {
    __builtin_memset(rows, 0, sizeof rows);
    detail::copy_rows<K>(rows, p, stride, live.count);
    p = rows, stride = K;
  }
  read_rows<K>(columns, p, stride, Full<W>{});
}

/// p[i K + k] = columns[k][i] for the live lanes i.
template <int K, typename V, typename T, int W, int N>
GN_FN void write_rows(T* p, const V (&columns)[K], Part<W, N>) {
  static_assert(detail::stores_as<V, T> && width_of<V> == W);
  if constexpr (is_bool<V>) {
    detail::memory_lanes<V> bytes[K];
#pragma clang loop unroll(full)
    for (int k = 0; k < K; ++k) bytes[k] = convert<detail::memory_lanes<V>>(columns[k]);
    detail::write_first_rows<K, N>(reinterpret_cast<u8*>(p), bytes);
  } else {
    detail::write_first_rows<K, N>(p, columns);
  }
}
template <int K, typename V, typename T, int W>
GN_FN void write_rows(T* p, const V (&columns)[K], Full<W>) {
  write_rows<K>(p, columns, Part<W, W>{});
}
template <int K, typename V, typename T, int W>
GN_FN void write_rows(T* p, const V (&columns)[K], Tail<W> live) {
  T rows[W * K];
  write_rows<K>(live.count < W ? rows : p, columns, Full<W>{});
  if (live.count < W) detail::copy_rows<K>(p, static_cast<const T*>(rows), K, live.count);
}

namespace detail {
/// `update_rows` in registers: each row is added to all of p.
template <int K, typename V, typename T, typename Live, typename Combine>
GN_FN void update_by_rows(T* p, const V (&columns)[K], Live live, Combine combine) {
  constexpr int W = width_of<V>;
  using Blocks = Columns<K, W>;
  V all[Blocks::blocks];
#pragma clang loop unroll(full)
  for (int b = 0; b < Blocks::blocks; ++b) {
    V rows[W];
    rows_of<K>(columns, b, rows);
    all[b] = load_count<V>(p + Blocks::from(b), Blocks::count);
#pragma clang loop unroll(full)
    for (int i = 0; i < W; ++i)
      all[b] = select(splat<mask_of<V>>(i < live.count), combine(all[b], rows[i]), all[b]);
  }
#pragma clang loop unroll(full)
  for (int b = 0; b < Blocks::blocks; ++b) store_count(p + Blocks::from(b), all[b], Blocks::count);
}
}  // namespace detail

/// p[k] = combine(p[k], columns[k][i]) for the live lanes i, in order.
template <int K, typename V, typename T, int W, typename Combine>
GN_FN void update_rows(T* p, const V (&columns)[K], Full<W> live, Combine combine) {
  static_assert(detail::stores_as<V, T> && width_of<V> == W);
  if constexpr (is_bool<V> || !detail::is_transposed<K, W>) {
#pragma clang loop unroll(full)
    for (int k = 0; k < K; ++k) {
      element_of<V> all = static_cast<element_of<V>>(p[k]);
#pragma clang loop unroll(full)
      for (int i = 0; i < W; ++i) all = combine(all, element_of<V>(columns[k][i]));
      p[k] = static_cast<T>(all);
    }
  } else {
    detail::update_by_rows<K>(p, columns, live, combine);
  }
}
template <int K, typename V, typename T, int W, typename Combine>
GN_FN void update_rows(T* p, const V (&columns)[K], Tail<W> live, Combine combine) {
  T rows[W * K];
  write_rows<K>(rows, columns, Full<W>{});
  detail::combine_rows<K, V>(p, static_cast<const T*>(rows), live.count, combine);
}
template <int K, typename V, typename T, int W, typename Combine>
GN_FN void update_rows(T* p, const V (&columns)[K], Most<W> live, Combine combine) {
  if constexpr (is_bool<V> || !detail::is_transposed<K, W>) {
    if (live.is_full()) return update_rows<K>(p, columns, Full<W>{}, combine);
    update_rows<K>(p, columns, static_cast<Tail<W>>(live), combine);
  } else {
    detail::update_by_rows<K>(p, columns, live, combine);
  }
}

namespace detail {

/// A square of `rows` and `columns` elements, which is not whole.
template <typename V>
__attribute__((noinline)) void transpose_border(const element_of<V>* from, i64 stride, int rows,
                                                int columns, element_of<V>* to, i64 length) {
  V block[width_of<V>]{};
#pragma clang loop unroll(disable)
  for (int i = 0; i < rows; ++i) block[i] = load_count<V>(from + i * stride, columns);
  transpose(block);
#pragma clang loop unroll(disable)
  for (int i = 0; i < columns; ++i) store_count(to + i * length, block[i], rows);
}

}  // namespace detail

/// to[c length + r] = from[r stride + c] for r < rows, c < columns.
template <typename T>
inline __attribute__((noinline)) void transpose(const T* from, i64 stride, i64 rows, i64 columns,
                                                T* to, i64 length) {
#if defined(__AVX512F__)
  constexpr int bytes = 64;
#else
  constexpr int bytes = 32;
#endif
  constexpr int W = sizeof(T) * 16 < bytes ? 16 : bytes / static_cast<int>(sizeof(T));
  using V = detail::memory_lanes<lanes<T, W>>;
  using E = element_of<V>;
  const E* source = reinterpret_cast<const E*>(from);
  E* target = reinterpret_cast<E*>(to);
  const auto border = [&](i64 r, i64 c) {
    detail::transpose_border<V>(
        source + r * stride + c, stride, static_cast<int>(rows - r < W ? rows - r : W),
        static_cast<int>(columns - c < W ? columns - c : W), target + c * length + r, length);
  };
  i64 r = 0;
  for (; r + W <= rows; r += W) {
    i64 c = 0;
    for (; c + W <= columns; c += W) {
      V block[W];
#pragma clang loop unroll(full)
      for (int i = 0; i < W; ++i) block[i] = load<V>(source + (r + i) * stride + c);
      detail::transpose(block);
#pragma clang loop unroll(full)
      for (int i = 0; i < W; ++i) store(target + (c + i) * length + r, block[i]);
    }
    if (c < columns) border(r, c);
  }
  if (r < rows)
    for (i64 c = 0; c < columns; c += W) border(r, c);
}

#endif

#if defined(__CUDACC__)
/// The same by all threads of a block, which meet before and after it.
template <typename T>
__device__ void transpose(const T* from, i64 stride, i64 rows, i64 columns, T* to, i64 length) {
  __syncthreads();
  for (i64 k = threadIdx.x; k < rows * columns; k += blockDim.x)
    to[k % columns * length + k / columns] = from[k / columns * stride + k % columns];
  __syncthreads();
}
#endif

// On CUDA a lane is a thread: p is its own row.
template <int K, typename V, typename T>
GN_FN void read_rows(V (&columns)[K], const T* p) {
#pragma unroll
  for (int k = 0; k < K; ++k) columns[k] = static_cast<V>(p[k]);
}
template <int K, typename V, typename T>
GN_FN void write_rows(T* p, const V (&columns)[K]) {
#pragma unroll
  for (int k = 0; k < K; ++k) p[k] = static_cast<T>(columns[k]);
}

}  // namespace gn
