// The inner loops of convolutions, compiled once for each kind of processor.
#pragma once

#include <cstdint>

namespace gnomon {

/// Where a vector of results goes: the lanes of `mask`, in order, to the elements from `to` on.
struct LanePlace {
  std::uint32_t mask, packed;  // `packed` has as many bits, the lowest ones
  std::int64_t to;
};

/// Sums over channels and taps for a tile of some channels of the result and some vectors:
/// y[r][v] = sum over c, t of weights[c][t][r] * x[c * channel_stride + offsets[t] + v].
template <class T>
struct CorrelationTile {
  const T* x;
  std::int64_t channel_stride, channels;
  const std::int64_t* offsets;
  std::int64_t taps;
  const T* weights;
  T* partial;        // [rows][vectors]: sums of the channels before, and of these
  bool first, last;  // no channels before; none behind: the results go to y
  T* y;
  std::int64_t y_stride;
  const LanePlace* places;  // one a vector
};

/// Sums over positions for a tile of some channels of the result and some taps:
/// sums[r * stride + k] += sum over s, v of dy[r][dy_at[s] + v] * x[x_at[s] + offsets[k] + v].
template <class T>
struct GradientTile {
  const T* x;
  const T* dy;
  const std::int64_t *x_at, *dy_at;
  std::int64_t segments, dy_stride;
  const std::int64_t* offsets;
  const std::uint32_t* masks;  // one a vector: lanes of x outside count as 0
  std::int64_t vectors;
  T* sums;
  std::int64_t sums_stride;
};

constexpr int tile_rows = 6;          // most channels of the result in a tile
constexpr int most_tile_vectors = 4;  // most vectors, or taps

template <class T>
struct ConvolutionTiles {
  int lanes, vectors;
  /// By rows - 1 and vectors - 1, or taps - 1.
  void (*correlate[tile_rows][most_tile_vectors])(const CorrelationTile<T>&);
  void (*gradient[tile_rows][most_tile_vectors])(const GradientTile<T>&);
};

struct ConvolutionKernels {
  const char* name;
  ConvolutionTiles<float> single;
  ConvolutionTiles<double> twice;
};

extern const ConvolutionKernels baseline_convolution;
#if defined(__x86_64__)
extern const ConvolutionKernels avx2_convolution, avx512_convolution;
#endif

}  // namespace gnomon
