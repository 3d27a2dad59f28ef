// Convolutions as sums over taps at constant distances.
//
// An image is copied with its padding into planes so wide that each tap of each result lies at a
// constant distance from it: result (z, y, x) at (z * Qy + y) * Qx + x of a plane, tap t at a fixed
// offset behind. Strides split the copy into one plane for each remainder. So all results of an
// image are one or a few long rows, with some positions between lines that are computed and not
// stored, and a kernel keeps a tile of channels by vectors of them in registers.
#pragma once

#include "runtime/convolution/plan.h"

namespace gnomon {

constexpr int64_t near_bytes = 24 << 10;  // of planes a tile reads in turn: half of an L1
constexpr int64_t many_images = 16;       // enough to share out by images alone

/// Weights: element (row, source, window) of a group stands at
/// group * group_step + row * row_step + source * source_step + window.
template <class T>
struct WeightsInMemory {
  const T* w;
  int64_t group_step, row_step, source_step;
};

/// Results written over an image: what lies `step` apart from `first`, along each axis.
struct SpreadResults {
  Triple results, image, step, first;

  template <class T>
  void put(const T* dense, T* to) const {
    for (int64_t z = 0; z < results[0]; ++z)
      for (int64_t y = 0; y < results[1]; ++y) {
        T* const line = to +
                        ((z * step[0] + first[0]) * image[1] + y * step[1] + first[1]) * image[2] +
                        first[2];
        for (int64_t x = 0; x < results[2]; ++x) line[x * step[2]] = *dense++;
      }
  }
};

/// Channels of a source correlated into channels of a result, in the groups of the convolution. The
/// results of an image are dense, or `spread`.
template <class T>
class Correlation {
 public:
  using Tiles = ConvolutionTiles<CorrelationTile<T>>;

  Correlation(const gnomon_convolution& g, const Tiles& tiles, const ConvolutionPlan& plan,
              int64_t sources, int64_t results, const SpreadResults* spread)
      : g_(g),
        tiles_(tiles),
        plan_(plan),
        sources_(sources),
        rows_(results, tile_rows),
        spread_(spread),
        images_(g.batch * g.groups) {
    // A tile reads a few lines of each channel; as many channels as fit the nearest cache go
    // together.
    const int64_t lines =
        greater<int64_t>(plan_.axes[0].taps, 1) * greater<int64_t>(plan_.axes[1].taps, 1);
    const int64_t reach = of_tile() + plan_.axes[2].extent - plan_.axes[2].results;
    const int64_t channel =
        lesser(lines * reach, plan_.planes_size) * static_cast<int64_t>(sizeof(T));
    block_ = greater<int64_t>(near_bytes / greater<int64_t>(channel, 1), 4);
  }

  /// What it works in, whatever the number of threads.
  ServiceMemory memory() {
    return {shared_bytes(images_ < many_images), in_cache_lines(own_size(false) * bytes_of_one)};
  }

  /// `target` has `target_channel` elements a channel. False: without memory.
  template <class Crew>
  bool run(const T* source, const WeightsInMemory<T>& weights, T* target, int64_t target_channel,
           const Crew& crew) {
    const bool by_parts = images_ < many_images && crew.threads() > 1;
    const auto memory = crew.shared(shared_bytes(by_parts));
    if (memory.data() == nullptr) return false;
    BlockParts parts(memory.data());
    take_shared(parts, by_parts);
    pack(weights);
    source_ = source, target_ = target, target_channel_ = target_channel;
    if (by_parts) {
      run_by_parts(crew);
    } else {
      in_memory(crew, images_, false, [this](int64_t image, T* own) {
        T* const planes = own + partial_size();
        for (int64_t k = 0; planes_size() != 0 && k < sources_; ++k) fill(image, planes, k);
        work(image, planes, own, 0, plan_.tile_count);
        for (int64_t k = 0; spread_ != nullptr && k < rows_.extent; ++k) put(image, planes, k);
      });
    }
    return __atomic_load_n(&enough_, __ATOMIC_RELAXED);
  }

 private:
  static constexpr int64_t bytes_of_one = sizeof(T);

  int64_t of_tile() const { return static_cast<int64_t>(tiles_.lanes) * tiles_.vectors; }
  // Elements of the packed weights of one group.
  int64_t group_size() const { return rows_.extent * sources_ * plan_.taps; }
  // Vectors may read beyond the last plane.
  int64_t planes_size() const {
    return plan_.is_plain() && plan_.segment >= of_tile()
               ? 0
               : rounded(sources_ * plan_.planes_size + of_tile());
  }
  int64_t dense_size() const {
    return spread_ == nullptr ? 0 : rounded(rows_.extent * plan_.results);
  }
  int64_t partial_size() const {
    return block_ >= sources_ ? 0 : rounded(rows_.extent * of_tile());
  }
  int64_t own_size(bool by_parts) const {
    return partial_size() + (by_parts ? 0 : planes_size() + dense_size());
  }
  void take_shared(BlockParts& parts, bool by_parts) {
    plan_.list_taps(parts);
    plan_.list_tiles(tiles_.lanes, tiles_.vectors, parts);
    packed_ = parts.take<T>(rounded(g_.groups * group_size()));
    common_ = parts.take<T>(by_parts ? images_ * (planes_size() + dense_size()) : 0);
  }
  int64_t shared_bytes(bool by_parts) {
    BlockParts parts;
    take_shared(parts, by_parts);
    return parts.bytes();
  }

  // Weights in the order the tiles read them.
  void pack(const WeightsInMemory<T>& from) {
    T* to = packed_;
    for (int64_t group = 0; group < g_.groups; ++group)
      for (int64_t i = 0; i < rows_.parts; ++i)
        for (int64_t c = 0; c < sources_; ++c)
          for (int64_t tap = 0; tap < plan_.taps; ++tap)
            for (int64_t r = rows_.begin(i); r < rows_.begin(i + 1); ++r)
              *to++ = from.w[group * from.group_step + r * from.row_step + c * from.source_step +
                             plan_.weight[tap]];
  }

  // body(i, memory of the thread) for all i below the count.
  template <class Crew, class Body>
  void in_memory(const Crew& crew, int64_t count, bool by_parts, const Body& body) {
    const int64_t bytes = own_size(by_parts) * bytes_of_one;
    crew(count, 1, [this, &crew, &body, bytes](int64_t lo, int64_t hi, int32_t worker) {
      const auto memory = crew.own(worker, bytes);
      if (memory.data() == nullptr) return __atomic_store_n(&enough_, false, __ATOMIC_RELAXED);
      for (; lo < hi; ++lo) body(lo, reinterpret_cast<T*>(memory.data()));
    });
  }

  // Few images: their channels and tiles are shared out.
  template <class Crew>
  void run_by_parts(const Crew& crew) {
    const auto planes_of = [this](int64_t image) {
      return common_ + image * (planes_size() + dense_size());
    };
    const auto each_channel = [&](int64_t channels, const auto& body) {
      crew(images_ * channels, 1, [&](int64_t lo, int64_t hi, int32_t) {
        for (; lo < hi; ++lo) body(lo / channels, planes_of(lo / channels), lo % channels);
      });
    };
    if (planes_size() != 0)
      each_channel(sources_,
                   [this](int64_t image, T* planes, int64_t k) { fill(image, planes, k); });
    const Cut bands(plan_.tile_count,
                    greater<int64_t>(plan_.tile_count * images_ / many_images, 1));
    in_memory(crew, images_ * bands.parts, true, [&](int64_t i, T* own) {
      const int64_t band = i % bands.parts, image = i / bands.parts;
      work(image, planes_of(image), own, bands.begin(band), bands.begin(band + 1));
    });
    if (spread_ != nullptr)
      each_channel(rows_.extent,
                   [this](int64_t image, T* planes, int64_t k) { put(image, planes, k); });
  }

  const T* source_of(int64_t image) const {
    return source_ + image * sources_ * product(plan_.source);
  }
  T* target_of(int64_t image) const { return target_ + image * rows_.extent * target_channel_; }

  void fill(int64_t image, T* planes, int64_t channel) const {
    fill_planes(plan_, source_of(image) + channel * product(plan_.source),
                planes + channel * plan_.planes_size);
  }
  void put(int64_t image, const T* planes, int64_t channel) const {
    spread_->put(planes + planes_size() + channel * plan_.results,
                 target_of(image) + channel * target_channel_);
  }

  // Tiles [lo, hi) of all channels of an image.
  void work(int64_t image, T* planes, T* partial, int64_t lo, int64_t hi) const {
    const T* const x = planes_size() == 0 ? source_of(image) : planes;
    const T* const packed = packed_ + image % g_.groups * group_size();
    T* const y = spread_ == nullptr ? target_of(image) : planes + planes_size();
    const int64_t y_stride = spread_ == nullptr ? target_channel_ : plan_.results;
    for (int64_t i = lo; i < hi; ++i) {
      const TileSpan& span = plan_.tiles[i];
      const int64_t width = static_cast<int64_t>(span.vectors) * tiles_.lanes;
      for (int64_t c = 0; c == 0 || c < sources_; c += block_)
        for (int64_t part = 0; part < rows_.parts; ++part) {
          const int64_t first = rows_.begin(part), rows = rows_.count(part);
          CorrelationTile<T> tile{};
          tile.x = x + c * plan_.planes_size + span.at;
          tile.channel_stride = plan_.planes_size;
          tile.channels = lesser(block_, sources_ - c);
          tile.offsets = plan_.offset;
          tile.taps = plan_.taps;
          tile.weights = packed + (first * sources_ + c * rows) * plan_.taps;
          tile.partial = partial + first * width;
          tile.first = c == 0;
          tile.last = c + block_ >= sources_;
          tile.y = y + first * y_stride;
          tile.y_stride = y_stride;
          tile.places = plan_.places + span.place;
          tiles_.run[rows - 1][span.vectors - 1](tile);
        }
    }
  }

  const gnomon_convolution& g_;
  const Tiles& tiles_;
  ConvolutionPlan plan_;
  int64_t sources_;
  Cut rows_;
  const SpreadResults* spread_;
  int64_t images_;
  int64_t block_;  // channels that go together
  T *packed_ = nullptr, *common_ = nullptr;
  const T* source_ = nullptr;
  T* target_ = nullptr;
  int64_t target_channel_ = 0;
  bool enough_ = true;
};

/// Calls `f(correlation, weights, source, target, elements of a channel of the target)` for each of
/// those that a convolution, or the gradient by its image, is made of.
template <ConvolutionKind kind, class T, class F>
void for_each_correlation(const gnomon_convolution& g,
                          const ConvolutionTiles<CorrelationTile<T>>& tiles, const F& f) {
  const Triple window = triple(g.window), stride = triple(g.stride), image = triple(g.image);
  const int64_t taps = product(window), group = g.outputs * g.inputs * taps;
  const T* const w = static_cast<const T*>(g.b);
  if constexpr (kind == ConvolutionKind::results) {
    const ConvolutionPlan plan({forward_axis(g, 0), forward_axis(g, 1), forward_axis(g, 2)}, image,
                               window);
    Correlation<T> c(g, tiles, plan, g.inputs, g.outputs, nullptr);
    f(c, WeightsInMemory<T>{w, group, g.inputs * taps, taps}, product(triple(g.result)));
  } else {
    for (int64_t i = 0; i < product(stride); ++i) {
      const Triple phase{{i / (stride[1] * stride[2]), i / stride[2] % stride[1], i % stride[2]}};
      const ConvolutionPlan plan({backward_axis(g, 0, phase[0]), backward_axis(g, 1, phase[1]),
                                  backward_axis(g, 2, phase[2])},
                                 triple(g.result), window);
      if (plan.results == 0) continue;
      const SpreadResults spread{
          {{plan.axes[0].results, plan.axes[1].results, plan.axes[2].results}},
          image,
          stride,
          phase};
      Correlation<T> c(g, tiles, plan, g.outputs, g.inputs,
                       product(stride) == 1 ? nullptr : &spread);
      f(c, WeightsInMemory<T>{w, group, taps, g.inputs * taps}, product(image));
    }
  }
}

}  // namespace gnomon
