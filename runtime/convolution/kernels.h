// The inner loops of convolutions, compiled once for each kind of processor.
#pragma once

#include "runtime/freestanding.h"

namespace gnomon {

/// Where a vector of results goes: the lanes of `mask`, in order, to the elements from `to` on.
struct LanePlace {
  uint32_t mask, packed;  // `packed` has as many bits, the lowest ones
  int64_t to;
};

/// Sums over channels and taps for a tile of some channels of the result and some vectors:
/// y[r][v] = sum over c, t of weights[c][t][r] * x[c * channel_stride + offsets[t] + v].
template <class T>
struct CorrelationTile {
  const T* x;
  int64_t channel_stride, channels;
  const int64_t* offsets;
  int64_t taps;
  const T* weights;
  T* partial;        // [rows][vectors]: sums of the channels before, and of these
  bool first, last;  // no channels before; none behind: the results go to y
  T* y;
  int64_t y_stride;
  const LanePlace* places;  // one a vector
};

/// Sums over positions for a tile of some channels of the result and some taps:
/// sums[r * stride + k] += sum over s, v of dy[r][dy_at[s] + v] * x[x_at[s] + offsets[k] + v].
template <class T>
struct GradientTile {
  const T* x;
  const T* dy;
  const int64_t *x_at, *dy_at;
  int64_t segments, dy_stride;
  const int64_t* offsets;
  const uint32_t* masks;  // one a vector: lanes of x outside count as 0
  int64_t vectors;
  T* sums;
  int64_t sums_stride;
};

constexpr int tile_rows = 6;          // most channels of the result in a tile
constexpr int most_tile_vectors = 4;  // most vectors, or taps

/// Kernels of some kind of processor by rows - 1 and vectors - 1, or taps - 1.
template <class Tile>
struct ConvolutionTiles {
  int lanes, vectors;
  void (*run[tile_rows][most_tile_vectors])(const Tile&);
};

}  // namespace gnomon
