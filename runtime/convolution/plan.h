// How a convolution is laid out: planes, taps at constant distances, tiles; and its memory.
#pragma once

#include "runtime/abi.h"
#include "runtime/convolution/kernels.h"
#include "runtime/freestanding.h"
#include "runtime/routines.h"

namespace gnomon {

struct Triple {
  int64_t of[3];
  int64_t operator[](int k) const { return of[k]; }
};

inline int64_t product(const Triple& t) { return t[0] * t[1] * t[2]; }
inline Triple triple(const int64_t (&a)[3]) { return {{a[0], a[1], a[2]}}; }
/// Elements of a part of scratch memory: whole cache lines, and one more.
inline int64_t rounded(int64_t elements) { return (elements + 63) / 64 * 64 + 64; }

/// Parts of a block, one behind the other, each 64-byte aligned. Without a block the parts are null
/// and only counted.
class BlockParts {
 public:
  explicit BlockParts(char* block = nullptr) : block_(block) {}

  template <class T>
  T* take(int64_t count) {
    char* const at = block_ == nullptr ? nullptr : block_ + bytes_;
    bytes_ += in_cache_lines(greater<int64_t>(count, 0) * static_cast<int64_t>(sizeof(T)));
    return reinterpret_cast<T*>(at);
  }
  int64_t bytes() const { return bytes_; }
  bool are_counted() const { return block_ == nullptr; }

 private:
  char* block_;
  int64_t bytes_ = 0;
};

/// One axis of a correlation: plane coordinate q of phase f is source index q * step + start(f);
/// tap k of result j reads coordinate j + shift of its phase.
struct AxisTap {
  int64_t window, phase, shift;  // where it stands in the window
};
struct AxisPlan {
  int64_t results, extent, step;
  int64_t phases, first_start, next_start,
      stride;                         // starts are next_start apart, modulo the stride
  int64_t taps, first_tap, next_tap;  // of the window
  int64_t first_shift, next_shift;    // in units of the stride

  int64_t start(int64_t phase) const { return first_start + phase * next_start % stride; }
  AxisTap tap(int64_t i) const {
    return {first_tap + i * next_tap, i % phases, first_shift + i * next_shift / stride};
  }
};

inline int64_t common_divisor(int64_t a, int64_t b) {
  while (b != 0) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/// Results at stride * j read index stride * j + dilation * t - before. Taps of the same remainder
/// read the same plane: the remainders repeat.
inline AxisPlan forward_axis(const gnomon_convolution& g, int k) {
  const int64_t stride = g.stride[k], dilation = g.dilation[k], window = g.window[k];
  AxisPlan plan{};
  plan.results = g.result[k];
  plan.step = plan.stride = stride;
  plan.taps = window;
  plan.next_tap = 1;
  plan.next_shift = plan.next_start = dilation;
  plan.first_start = -g.before[k];
  plan.phases = lesser(window, stride / common_divisor(stride, dilation));
  plan.extent = plan.results + (window == 0 ? 0 : (window - 1) * dilation / stride);
  return plan;
}

/// The image's indices with remainder `phase`, and what of the result went into them: index
/// stride * j + phase is read by tap t of result j + (phase + before - dilation * t) / stride,
/// where that is whole.
inline AxisPlan backward_axis(const gnomon_convolution& g, int k, int64_t phase) {
  const int64_t stride = g.stride[k], dilation = g.dilation[k], window = g.window[k];
  const int64_t distance = phase + g.before[k];
  AxisPlan plan{};
  plan.results = g.image[k] > phase ? ceil_div(g.image[k] - phase, stride) : 0;
  plan.step = plan.phases = plan.stride = 1;
  plan.next_tap = stride / common_divisor(stride, dilation);
  while (plan.first_tap < lesser(window, plan.next_tap) &&
         (distance - plan.first_tap * dilation) % stride != 0)
    ++plan.first_tap;
  if (plan.first_tap < lesser(window, plan.next_tap))
    plan.taps = ceil_div(window - plan.first_tap, plan.next_tap);
  // The first tap reads the farthest result.
  const int64_t apart = plan.next_tap * dilation / stride;
  const int64_t reach = plan.taps == 0 ? 0 : (plan.taps - 1) * apart;
  plan.first_shift = reach;
  plan.next_shift = -apart;
  plan.first_start = plan.taps == 0 ? 0 : (distance - plan.first_tap * dilation) / stride - reach;
  plan.extent = plan.results + reach;
  return plan;
}

/// A tile of vectors along the results of a plane.
struct TileSpan {
  int64_t at;
  int vectors;
  int64_t place;  // of its first vector among the places
};

/// All that is the same for each image.
class ConvolutionPlan {
 public:
  ConvolutionPlan(const AxisPlan (&all)[3], const Triple& source, const Triple& window)
      : axes{all[0], all[1], all[2]}, source(source), window_(window) {
    const AxisPlan &z = axes[0], &y = axes[1], &x = axes[2];
    plane = z.extent * y.extent * x.extent;
    planes_size = plane * z.phases * y.phases * x.phases;
    taps = z.taps * y.taps * x.taps;
    results = z.results * y.results * x.results;
    segments = z.results;
    segment = results == 0 ? 0 : (y.results - 1) * x.extent + x.results;
    segment_step = y.extent * x.extent;
  }

  /// Sets `offset` and `weight`.
  void list_taps(BlockParts& parts) {
    auto* const offsets = parts.take<int64_t>(taps);
    auto* const weights = parts.take<int64_t>(taps);
    offset = offsets, weight = weights;
    if (parts.are_counted()) return;
    const AxisPlan &z = axes[0], &y = axes[1], &x = axes[2];
    int64_t at = 0;
    for (int64_t i = 0; i < z.taps; ++i)
      for (int64_t j = 0; j < y.taps; ++j)
        for (int64_t k = 0; k < x.taps; ++k, ++at) {
          const AxisTap a = z.tap(i), b = y.tap(j), c = x.tap(k);
          const int64_t phase = (a.phase * y.phases + b.phase) * x.phases + c.phase;
          offsets[at] = phase * plane + (a.shift * y.extent + b.shift) * x.extent + c.shift;
          weights[at] = (a.window * window_[1] + b.window) * window_[2] + c.window;
        }
  }

  /// Sets `tiles` and `places`: tiles of up to `most` vectors. The last of a segment ends with it,
  /// where there is room before.
  void list_tiles(int lanes, int most, BlockParts& parts) {
    const int64_t vectors = ceil_div(segment, lanes), of_segment = ceil_div(vectors, most);
    tile_count = segments * of_segment;
    auto* tile = parts.take<TileSpan>(tile_count);
    auto* place = parts.take<LanePlace>(segments * vectors);
    tiles = tile, places = place;
    if (parts.are_counted()) return;
    const int64_t of_plane = axes[1].results * axes[2].results;
    for (int64_t z = 0; z < segments; ++z)
      for (int64_t i = 0; i < of_segment; ++i) {
        const int64_t first = i * vectors / of_segment;
        const int64_t count = (i + 1) * vectors / of_segment - first;
        int64_t at = first * lanes;
        if (at + count * lanes > segment && count * lanes <= segment) at = segment - count * lanes;
        *tile++ = {z * segment_step + at, static_cast<int>(count), place - places};
        for (int64_t v = 0; v < count; ++v) {
          *place = place_of(at + v * lanes, first * lanes, lanes);
          place++->to += z * of_plane;
        }
      }
  }

  /// Lanes of a vector at plane position `at` of a segment that hold results from position `from`
  /// on, and the first one's number in the segment.
  LanePlace place_of(int64_t at, int64_t from, int lanes) const {
    const int64_t pitch = axes[2].extent, line = axes[2].results;
    const int64_t first = greater(at, from), row = first / pitch;
    const int64_t skipped = first - at, end = lesser<int64_t>(lanes, segment - at);
    int64_t column = first - row * pitch;
    LanePlace place{0, 0, row * line + lesser(column, line)};
    if (column + end - skipped <= line) {  // all in one line
      place.packed = skipped < end ? ~0U >> (32 - (end - skipped)) : 0;
      place.mask = place.packed << skipped;
      return place;
    }
    for (int64_t k = skipped; k < end; ++k) {
      if (column < line) {
        place.mask |= 1U << k;
        place.packed = place.packed << 1 | 1;
      }
      if (++column == pitch) column = 0;
    }
    return place;
  }

  /// Whether the planes are the source as it is.
  bool is_plain() const {
    for (int k = 0; k < 3; ++k)
      if (axes[k].phases != 1 || axes[k].first_start != 0 || axes[k].step != 1 ||
          axes[k].extent != source[k])
        return false;
    return true;
  }

  AxisPlan axes[3];
  Triple source;               // extents of the array the planes are copied from
  int64_t plane, planes_size;  // elements of one plane; of all of one channel
  int64_t taps, results;       // of one channel
  int64_t segments, segment;   // one for each z; plane positions from its first to its last result
  int64_t segment_step;        // from one to the next
  const int64_t* offset = nullptr;  // of each tap in the planes
  const int64_t* weight = nullptr;  // its place in the window
  int64_t tile_count = 0;
  const TileSpan* tiles = nullptr;
  const LanePlace* places = nullptr;

 private:
  Triple window_;
};

/// Copies one channel into its planes, zeros where the source has none.
template <class T>
void fill_planes(const ConvolutionPlan& plan, const T* source, T* planes) {
  const AxisPlan &az = plan.axes[0], &ay = plan.axes[1], &ax = plan.axes[2];
  const auto fill_line = [&](int64_t z, int64_t y, int64_t x) {
    if (z < 0 || z >= plan.source[0] || y < 0 || y >= plan.source[1])
      return clear_elements(planes, ax.extent);
    // Coordinates of the line that lie in the source.
    const int64_t lo = clamped(ceil_div(greater<int64_t>(-x, 0), ax.step), 0, ax.extent);
    const int64_t hi =
        clamped(x >= plan.source[2] ? 0 : ceil_div(plan.source[2] - x, ax.step), lo, ax.extent);
    const T* const line = source + (z * plan.source[1] + y) * plan.source[2];
    clear_elements(planes, lo);
    if (ax.step == 1) {
      if (lo < hi) copy_elements(line + lo + x, hi - lo, planes + lo);
    } else {
      for (int64_t at = lo; at < hi; ++at) planes[at] = line[at * ax.step + x];
    }
    clear_elements(planes + hi, ax.extent - hi);
  };
  for (int64_t i = 0; i < az.phases; ++i)
    for (int64_t j = 0; j < ay.phases; ++j)
      for (int64_t k = 0; k < ax.phases; ++k)
        for (int64_t z = 0; z < az.extent; ++z)
          for (int64_t y = 0; y < ay.extent; ++y, planes += ax.extent)
            fill_line(z * az.step + az.start(i), y * ay.step + ay.start(j), ax.start(k));
}

/// Channels in blocks of `count`, all but equal.
struct Cut {
  int64_t extent, parts;
  Cut(int64_t extent, int64_t most) : extent(extent), parts(ceil_div(extent, most)) {}
  int64_t begin(int64_t i) const { return i * extent / parts; }
  int64_t count(int64_t i) const { return begin(i + 1) - begin(i); }
};

}  // namespace gnomon
