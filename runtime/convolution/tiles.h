// Templates of the kernels in runtime/convolution/kernels.h. A file that includes this is compiled
// for its processor; all names are local to it and nothing of the standard library is used, so that
// no function made for one processor is linked into another's.
//
// Exported libraries have vectors of one size on all processors, which may be several registers:
// their sums are the same everywhere. Where products are not fused by the compiler they say so.
#pragma once

#include "runtime/convolution/kernels.h"

#if defined(GNOMON_TILES_OF_RUNTIME)
#define GNOMON_FUSED(a, b, c) ((a) * (b) + (c))
#if defined(__AVX512F__)
#include <immintrin.h>
#endif
#else
#define GNOMON_FUSED(a, b, c) __builtin_elementwise_fma(a, b, c)
#endif
#if defined(__clang__)
#define GNOMON_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GNOMON_UNROLL _Pragma("GCC unroll 8")
#endif

namespace gnomon {
namespace {

#if defined(__AVX512F__)
constexpr int vector_bytes = 64, tile_vectors = 4;
#elif !defined(GNOMON_TILES_OF_RUNTIME)
constexpr int vector_bytes = 64, tile_vectors = 1;
#elif defined(__AVX2__)
constexpr int vector_bytes = 32, tile_vectors = 2;
#elif defined(__aarch64__)
constexpr int vector_bytes = 16, tile_vectors = 4;
#else
constexpr int vector_bytes = 16, tile_vectors = 2;
#endif

template <class T>
struct Lanes;
template <>
struct Lanes<float> {
  typedef float type __attribute__((vector_size(vector_bytes)));
  typedef float loose __attribute__((vector_size(vector_bytes), aligned(4), may_alias));
  typedef int32_t bits __attribute__((vector_size(vector_bytes)));
};
template <>
struct Lanes<double> {
  typedef double type __attribute__((vector_size(vector_bytes)));
  typedef double loose __attribute__((vector_size(vector_bytes), aligned(8), may_alias));
  typedef int64_t bits __attribute__((vector_size(vector_bytes)));
};
template <class T>
using V = typename Lanes<T>::type;
template <class T>
constexpr int width = vector_bytes / static_cast<int>(sizeof(T));

template <class T>
inline __attribute__((always_inline)) V<T> load(const T* p) {
  return *reinterpret_cast<const typename Lanes<T>::loose*>(p);
}
template <class T>
inline __attribute__((always_inline)) void store(T* p, V<T> v) {
  *reinterpret_cast<typename Lanes<T>::loose*>(p) = v;
}

#if defined(__AVX512F__) && defined(GNOMON_TILES_OF_RUNTIME)

inline __attribute__((always_inline)) V<float> load_masked(const float* p, uint32_t mask) {
  return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p);
}
inline __attribute__((always_inline)) V<double> load_masked(const double* p, uint32_t mask) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), p);
}
inline __attribute__((always_inline)) void put(float* y, V<float> v, const LanePlace& place) {
  _mm512_mask_storeu_ps(y + place.to, static_cast<__mmask16>(place.packed),
                        _mm512_maskz_compress_ps(static_cast<__mmask16>(place.mask), v));
}
inline __attribute__((always_inline)) void put(double* y, V<double> v, const LanePlace& place) {
  _mm512_mask_storeu_pd(y + place.to, static_cast<__mmask8>(place.packed),
                        _mm512_maskz_compress_pd(static_cast<__mmask8>(place.mask), v));
}

#else

template <class T>
inline __attribute__((always_inline)) V<T> load_masked(const T* p, uint32_t mask) {
  using Bits = typename Lanes<T>::bits;
  Bits lane = {};
  for (int k = 0; k < width<T>; ++k) lane[k] = 1 << k;
  const Bits live = ((Bits{} + static_cast<int32_t>(mask)) & lane) != 0;
  return reinterpret_cast<V<T>>(reinterpret_cast<Bits>(load(p)) & live);
}
#if defined(__AVX512F__)
inline __attribute__((always_inline)) void put(float* y, V<float> v, const LanePlace& place) {
  __builtin_ia32_storeups512_mask(
      y + place.to, __builtin_ia32_compresssf512_mask(v, V<float>{}, place.mask & 0xffff),
      place.packed & 0xffff);
}
inline __attribute__((always_inline)) void put(double* y, V<double> v, const LanePlace& place) {
  __builtin_ia32_storeupd512_mask(
      y + place.to, __builtin_ia32_compressdf512_mask(v, V<double>{}, place.mask & 0xff),
      place.packed & 0xff);
}
#else
template <class T>
inline __attribute__((always_inline)) void put(T* y, V<T> v, const LanePlace& place) {
  T* to = y + place.to;
  if (place.mask == (1U << width<T>)-1) return store(to, v);
  for (int k = 0; k < width<T>; ++k)
    if (place.mask >> k & 1) *to++ = v[k];
}
#endif

#endif

template <class T, int Rows, int Vectors>
void correlate(const CorrelationTile<T>& tile) {
  constexpr int w = width<T>;
  V<T> sum[Rows][Vectors];
  GNOMON_UNROLL
  for (int r = 0; r < Rows; ++r) GNOMON_UNROLL
  for (int v = 0; v < Vectors; ++v)
    sum[r][v] = tile.first ? V<T>{} : load(tile.partial + (r * Vectors + v) * w);
  const T* x = tile.x;
  const T* weights = tile.weights;
  const int64_t taps = tile.taps;
  for (int64_t c = 0; c < tile.channels; ++c, x += tile.channel_stride) {
    for (int64_t t = 0; t < taps; ++t, weights += Rows) {
      const T* at = x + tile.offsets[t];
      V<T> column[Vectors];
      GNOMON_UNROLL
      for (int v = 0; v < Vectors; ++v) column[v] = load(at + v * w);
      GNOMON_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const V<T> weight = weights[r] - V<T>{};  // in every lane
        GNOMON_UNROLL
        for (int v = 0; v < Vectors; ++v) sum[r][v] = GNOMON_FUSED(column[v], weight, sum[r][v]);
      }
    }
  }
  if (!tile.last) {
    GNOMON_UNROLL
    for (int r = 0; r < Rows; ++r) GNOMON_UNROLL
    for (int v = 0; v < Vectors; ++v) store(tile.partial + (r * Vectors + v) * w, sum[r][v]);
    return;
  }
  T* y = tile.y;
  GNOMON_UNROLL
  for (int r = 0; r < Rows; ++r, y += tile.y_stride) GNOMON_UNROLL
  for (int v = 0; v < Vectors; ++v) put(y, sum[r][v], tile.places[v]);
}

template <class T, int Lanes>
struct Sum {
  typedef T whole __attribute__((vector_size(Lanes * sizeof(T))));
  typedef T half __attribute__((vector_size(Lanes / 2 * sizeof(T)), may_alias));
  static inline __attribute__((always_inline)) T of(whole v) {
    half parts[2];
    __builtin_memcpy(parts, &v, sizeof v);
    return Sum<T, Lanes / 2>::of(parts[0] + parts[1]);
  }
};
template <class T>
struct Sum<T, 2> {
  typedef T whole __attribute__((vector_size(2 * sizeof(T))));
  static inline __attribute__((always_inline)) T of(whole v) { return v[0] + v[1]; }
};

// Half of the lanes with the other half until one is left.
template <class T>
inline __attribute__((always_inline)) T fold(V<T> v) {
  return Sum<T, width<T>>::of(v);
}

// Four at once: each step joins the halves of two vectors, or of the parts of one, and adds them.
template <int... I>
struct LaneList {};
template <int Count, int... I>
struct LanesUpTo : LanesUpTo<Count - 1, Count - 1, I...> {};
template <int... I>
struct LanesUpTo<0, I...> {
  using type = LaneList<I...>;
};
// Lane i of the parts of `part` lanes of two vectors of w: halves `from` of each part, in order.
constexpr int joined_lane(int i, int part, int from) {
  const int half = part / 2;
  return i / half * part + from * half + i % half;
}
template <class Vector, int Part, int... I>
inline __attribute__((always_inline)) Vector join(Vector a, Vector b, LaneList<I...>) {
  return __builtin_shufflevector(a, b, joined_lane(I, Part, 0)...) +
         __builtin_shufflevector(a, b, joined_lane(I, Part, 1)...);
}
template <class T, int Part>
inline __attribute__((always_inline)) V<T> joined(V<T> a, V<T> b) {
  return join<V<T>, Part>(a, b, typename LanesUpTo<width<T>>::type());
}
// The sums of four vectors in lanes 0 to 3.
template <class T, int Part = width<T> / 4>
inline __attribute__((always_inline)) V<T> fold_four(const V<T>* v) {
  const V<T> all =
      joined<T, width<T> / 2>(joined<T, width<T>>(v[0], v[1]), joined<T, width<T>>(v[2], v[3]));
  if constexpr (Part == 1) return all;
  const V<T> halved = joined<T, (Part > 1 ? Part : 2)>(all, all);
  if constexpr (Part == 2) return halved;
  return joined<T, (Part > 2 ? Part / 2 : 2)>(halved, halved);
}
static_assert(width<float> <= 16 && width<double> <= 16);

template <class T, int Rows, int Taps, bool Masked>
inline __attribute__((always_inline)) void add_products(const GradientTile<T>& tile,
                                                        V<T> (&sum)[Rows][Taps]) {
  constexpr int w = width<T>;
  GNOMON_UNROLL
  for (int r = 0; r < Rows; ++r) GNOMON_UNROLL
  for (int k = 0; k < Taps; ++k) sum[r][k] = V<T>{};
  for (int64_t s = 0; s < tile.segments; ++s) {
    const T* dy = tile.dy + tile.dy_at[s];
    const T* x[Taps];
    GNOMON_UNROLL
    for (int k = 0; k < Taps; ++k) x[k] = tile.x + tile.x_at[s] + tile.offsets[k];
    for (int64_t v = 0; v < tile.vectors; ++v) {
      V<T> column[Taps];
      GNOMON_UNROLL
      for (int k = 0; k < Taps; ++k)
        column[k] = Masked ? load_masked(x[k] + v * w, tile.masks[v]) : load(x[k] + v * w);
      GNOMON_UNROLL
      for (int r = 0; r < Rows; ++r) {
        const V<T> row = load(dy + r * tile.dy_stride + v * w);
        GNOMON_UNROLL
        for (int k = 0; k < Taps; ++k) sum[r][k] = GNOMON_FUSED(column[k], row, sum[r][k]);
      }
    }
  }
}

// Whether a lane of the sums is infinite or NaN.
template <class T, int Rows, int Taps>
inline __attribute__((always_inline)) bool is_special(const V<T> (&sum)[Rows][Taps]) {
  V<T> none = {};  // 0 * x is NaN for those
  GNOMON_UNROLL
  for (int r = 0; r < Rows; ++r) GNOMON_UNROLL
  for (int k = 0; k < Taps; ++k) none += sum[r][k] * V<T>{};
  return fold<T>(none) != 0;
}

template <class T, int Rows, int Taps>
__attribute__((noinline, cold)) void add_masked(const GradientTile<T>& tile,
                                                V<T> (&sum)[Rows][Taps]) {
  add_products<T, Rows, Taps, true>(tile, sum);
}

// dy is 0 at positions that are no results, so what x holds there counts only if it is infinite or
// NaN: then the sums are made again without it.
template <class T, int Rows, int Taps>
void gradient(const GradientTile<T>& tile) {
  V<T> sum[Rows][Taps];
  add_products<T, Rows, Taps, false>(tile, sum);
  if (__builtin_expect(is_special<T, Rows, Taps>(sum), 0)) {
    V<T> again[Rows][Taps];  // its address goes to memory: not that of `sum`
    add_masked<T, Rows, Taps>(tile, again);
    GNOMON_UNROLL
    for (int r = 0; r < Rows; ++r) GNOMON_UNROLL
    for (int k = 0; k < Taps; ++k) sum[r][k] = again[r][k];
  }
  GNOMON_UNROLL
  for (int r = 0; r < Rows; ++r) {
    T* to = tile.sums + r * tile.sums_stride;
    if constexpr (Taps == 4 && width<T> >= 4) {
      const V<T> four = fold_four<T>(sum[r]);
      GNOMON_UNROLL
      for (int k = 0; k < Taps; ++k) to[k] += four[k];
    } else {
      GNOMON_UNROLL
      for (int k = 0; k < Taps; ++k) to[k] += fold<T>(sum[r][k]);
    }
  }
}

// Tables for up to `tile_vectors`; what lies beyond stays null.
#define GNOMON_TILES(f, T, r)                                                       \
  {f<T, r, 1>, tile_vectors > 1 ? f < T, r, tile_vectors == 1 ? 1 : 2 > : nullptr,  \
   tile_vectors > 2 ? f<T, r, tile_vectors - (tile_vectors > 2 ? 1 : 0)> : nullptr, \
   tile_vectors > 2 ? f<T, r, tile_vectors> : nullptr}
#define GNOMON_TILE_TABLE(f, T)                                         \
  {GNOMON_TILES(f, T, 1), GNOMON_TILES(f, T, 2), GNOMON_TILES(f, T, 3), \
   GNOMON_TILES(f, T, 4), GNOMON_TILES(f, T, 5), GNOMON_TILES(f, T, 6)}

template <class T>
constexpr ConvolutionTiles<CorrelationTile<T>> correlate_tiles = {width<T>, tile_vectors,
                                                                  GNOMON_TILE_TABLE(correlate, T)};
template <class T>
constexpr ConvolutionTiles<GradientTile<T>> gradient_tiles = {width<T>, tile_vectors,
                                                              GNOMON_TILE_TABLE(gradient, T)};

}  // namespace
}  // namespace gnomon
