// How a convolution is laid out: planes, taps at constant distances, tiles; and its memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "runtime/abi.h"
#include "runtime/convolution/kernels.h"
#include "runtime/memory.h"
#include "runtime/threads.h"

namespace gnomon {

using Triple = std::array<std::int64_t, 3>;

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }
inline std::int64_t product(const Triple& t) { return t[0] * t[1] * t[2]; }
inline Triple triple(const std::int64_t (&a)[3]) { return {a[0], a[1], a[2]}; }
/// Elements of a part of scratch memory: whole cache lines, and one more.
inline std::int64_t rounded(std::int64_t elements) { return (elements + 63) / 64 * 64 + 64; }

/// One axis of a correlation: plane coordinate q of phase f is source index q * step + starts[f];
/// tap k of result j reads coordinate j + shift of its phase.
struct AxisTap {
  std::int64_t window, phase, shift;  // where it stands in the window
};
struct AxisPlan {
  std::int64_t results = 0, extent = 0, step = 1;
  std::vector<std::int64_t> starts;
  std::vector<AxisTap> taps;
};

/// Results at stride * j read index stride * j + dilation * t - before.
AxisPlan forward_axis(const gnomon_convolution& g, int k);
/// The image's indices with remainder `phase`, and what of the result went into them.
AxisPlan backward_axis(const gnomon_convolution& g, int k, std::int64_t phase);

/// A tile of vectors along the results of a plane.
struct TileSpan {
  std::int64_t at;
  int vectors;
  std::size_t place;  // of its first vector in `places`
};

/// All that is the same for each image.
struct Plan {
  std::array<AxisPlan, 3> axes;
  Triple source;                    // extents of the array the planes are copied from
  std::int64_t plane, planes_size;  // elements of one plane; of all of one channel
  std::vector<std::int64_t> offsets,
      weights;                // of each tap: in the planes; its place in the window
  std::int64_t results;       // of one channel
  std::int64_t segment;       // plane positions from the first to the last result of one z
  std::int64_t segment_step;  // from one z to the next
  std::vector<TileSpan> tiles;
  std::vector<LanePlace> places;

  std::int64_t segments() const { return axes[0].results; }
  /// Whether the planes are the source as it is.
  bool is_plain() const {
    for (std::size_t k = 0; k < 3; ++k)
      if (axes[k].starts.size() != 1 || axes[k].starts[0] != 0 || axes[k].step != 1 ||
          axes[k].extent != source[k])
        return false;
    return true;
  }
};

/// The planes and taps; no tiles yet.
Plan planned(std::array<AxisPlan, 3> axes, const Triple& source, const Triple& window);
/// Lanes of a vector at plane position `at` of a segment that hold results from position `from` on,
/// and the first one's number in the segment.
LanePlace place_of(const Plan& plan, std::int64_t at, std::int64_t from, int lanes);
/// Tiles of up to `most` vectors. The last of a segment ends with it, where there is room before.
void add_tiles(Plan& plan, int lanes, int most);

/// Copies one channel into its planes, zeros where the source has none.
template <class T>
void fill_planes(const Plan& plan, const T* source, T* planes) {
  const auto& [az, ay, ax] = plan.axes;
  for (const std::int64_t sz : az.starts)
    for (const std::int64_t sy : ay.starts)
      for (const std::int64_t sx : ax.starts) {
        // Coordinates of the line that lie in the source.
        const std::int64_t lo = std::clamp<std::int64_t>(
            ceil_div(std::max<std::int64_t>(-sx, 0), ax.step), 0, ax.extent);
        const std::int64_t hi = std::clamp<std::int64_t>(
            sx >= plan.source[2] ? 0 : ceil_div(plan.source[2] - sx, ax.step), lo, ax.extent);
        for (std::int64_t z = 0; z < az.extent; ++z)
          for (std::int64_t y = 0; y < ay.extent; ++y, planes += ax.extent) {
            const std::int64_t from_z = z * az.step + sz, from_y = y * ay.step + sy;
            if (from_z < 0 || from_z >= plan.source[0] || from_y < 0 || from_y >= plan.source[1]) {
              std::fill_n(planes, ax.extent, T{0});
              continue;
            }
            const T* line = source + (from_z * plan.source[1] + from_y) * plan.source[2];
            std::fill_n(planes, lo, T{0});
            if (ax.step == 1) {
              std::memcpy(planes + lo, line + lo + sx,
                          static_cast<std::size_t>(hi - lo) * sizeof(T));
            } else {
              for (std::int64_t x = lo; x < hi; ++x) planes[x] = line[x * ax.step + sx];
            }
            std::fill_n(planes + hi, ax.extent - hi, T{0});
          }
      }
}

/// Memory of one call, given back at its end.
class ConvolutionScratch {
 public:
  explicit ConvolutionScratch(std::int64_t bytes)
      : block_(try_allocate_block(static_cast<std::size_t>(std::max<std::int64_t>(bytes, 1)))) {}
  ~ConvolutionScratch() {
    if (block_.data != nullptr) free_block(block_);
  }
  ConvolutionScratch(const ConvolutionScratch&) = delete;
  ConvolutionScratch& operator=(const ConvolutionScratch&) = delete;
  explicit operator bool() const { return block_.data != nullptr; }
  template <class T>
  T* as() const {
    return static_cast<T*>(block_.data);
  }

 private:
  Block block_;
};

/// Channels in blocks of `count`, all but equal.
struct Cut {
  std::int64_t extent, parts;
  Cut(std::int64_t extent, std::int64_t most) : extent(extent), parts(ceil_div(extent, most)) {}
  std::int64_t begin(std::int64_t i) const { return i * extent / parts; }
  std::int64_t count(std::int64_t i) const { return begin(i + 1) - begin(i); }
};

/// Shares pieces out to the threads of a call.
struct Runner {
  ThreadPool& pool;
  int limit;
  /// body(lo, hi, worker) on pieces of one.
  template <class F>
  void operator()(std::int64_t count, F&& f) const {
    gnomon_body body = [](void* argument, std::int64_t lo, std::int64_t hi, std::int32_t worker) {
      for (; lo < hi; ++lo) (*static_cast<std::remove_reference_t<F>*>(argument))(lo, worker);
    };
    pool.parallel_for(count, 1, body, const_cast<void*>(static_cast<const void*>(&f)), limit);
  }
  std::int64_t workers() const { return std::min(limit, pool.threads()); }
};

/// The gradient by the weights, for float and double; false when there is no memory.
template <class T>
bool weight_gradient(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles,
                     const Runner& run);

}  // namespace gnomon
