// Convolutions as sums over taps at constant distances.
//
// An image is copied with its padding into planes so wide that each tap of each result lies at a
// constant distance from it: result (z, y, x) at (z * Qy + y) * Qx + x of a plane, tap t at a fixed
// offset behind. Strides split the copy into one plane for each remainder. So all results of an
// image are one or a few long rows, with some positions between lines that are computed and not
// stored, and a kernel keeps a tile of channels by vectors of them in registers.
#include "runtime/convolution/convolution.h"

#include <new>

#include "runtime/arrays/dtype.h"
#include "runtime/convolution/plan.h"
#include "runtime/routines.h"

namespace gnomon {

namespace {

constexpr std::int64_t near_bytes = 24 << 10;  // of planes a tile reads in turn: half of an L1
constexpr std::int64_t many_images = 16;       // enough to share out by images alone

// Channels of a source correlated into channels of a result, in the groups of the convolution.
template <class T>
class Correlation {
 public:
  Correlation(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles, Plan plan,
              std::int64_t sources, std::int64_t results)
      : g_(g), tiles_(tiles), plan_(std::move(plan)), sources_(sources), rows_(results, tile_rows) {
    add_tiles(plan_, tiles.lanes, tiles.vectors);
    // A tile reads a few lines of each channel; as many channels as fit the nearest cache go
    // together.
    std::int64_t lines = 0;
    for (const auto axis : {0, 1})
      lines = std::max<std::int64_t>(lines, 1) *
              std::max<std::int64_t>(static_cast<std::int64_t>(plan_.axes[axis].taps.size()), 1);
    const std::int64_t reach =
        tiles.lanes * tiles.vectors + plan_.axes[2].extent - plan_.axes[2].results;
    const std::int64_t channel =
        std::min(lines * reach, plan_.planes_size) * static_cast<std::int64_t>(sizeof(T));
    block_ = std::max<std::int64_t>(near_bytes / std::max<std::int64_t>(channel, 1), 4);
  }

  const Plan& plan() const { return plan_; }
  std::int64_t taps() const { return static_cast<std::int64_t>(plan_.offsets.size()); }
  std::int64_t packed_size() const { return rounded(g_.groups * rows_.extent * sources_ * taps()); }
  // Vectors may read beyond the last plane.
  std::int64_t planes_size() const {
    return plan_.is_plain() && plan_.segment >= tiles_.lanes * tiles_.vectors
               ? 0
               : rounded(sources_ * plan_.planes_size + tiles_.lanes * tiles_.vectors);
  }
  std::int64_t partial_size() const {
    return block_ >= sources_ ? 0 : rounded(rows_.extent * tiles_.lanes * tiles_.vectors);
  }

  // Weights in the order the tiles read them; element (row, source, window) of a group stands at
  // row * row_step + source * source_step + window.
  void pack(const T* w, std::int64_t group_step, std::int64_t row_step, std::int64_t source_step,
            T* to) const {
    for (std::int64_t group = 0; group < g_.groups; ++group)
      for (std::int64_t i = 0; i < rows_.parts; ++i)
        for (std::int64_t c = 0; c < sources_; ++c)
          for (const std::int64_t tap : plan_.weights)
            for (std::int64_t r = rows_.begin(i); r < rows_.begin(i + 1); ++r)
              *to++ = w[group * group_step + r * row_step + c * source_step + tap];
  }

  void fill(const T* source, T* planes, std::int64_t channel) const {
    fill_planes(plan_, source + channel * product(plan_.source),
                planes + channel * plan_.planes_size);
  }

  // Tiles [lo, hi) of all channels of a group. `y` has `y_stride` elements a channel.
  void run(const T* planes, const T* packed, T* partial, T* y, std::int64_t y_stride,
           std::size_t lo, std::size_t hi) const {
    for (std::size_t i = lo; i < hi; ++i) {
      const TileSpan& span = plan_.tiles[i];
      const std::int64_t width = static_cast<std::int64_t>(span.vectors) * tiles_.lanes;
      for (std::int64_t c = 0; c == 0 || c < sources_; c += block_)
        for (std::int64_t part = 0; part < rows_.parts; ++part) {
          const std::int64_t first = rows_.begin(part), rows = rows_.count(part);
          CorrelationTile<T> tile{};
          tile.x = planes + c * plan_.planes_size + span.at;
          tile.channel_stride = plan_.planes_size;
          tile.channels = std::min(block_, sources_ - c);
          tile.offsets = plan_.offsets.data();
          tile.taps = taps();
          tile.weights = packed + (first * sources_ + c * rows) * taps();
          tile.partial = partial + first * width;
          tile.first = c == 0;
          tile.last = c + block_ >= sources_;
          tile.y = y + first * y_stride;
          tile.y_stride = y_stride;
          tile.places = plan_.places.data() + span.place;
          tiles_.correlate[rows - 1][span.vectors - 1](tile);
        }
    }
  }

  std::int64_t sources() const { return sources_; }
  std::int64_t results() const { return rows_.extent; }
  // Elements of the packed weights of one group.
  std::int64_t group_size() const { return rows_.extent * sources_ * taps(); }

 private:
  const gnomon_convolution& g_;
  const ConvolutionTiles<T>& tiles_;
  Plan plan_;
  std::int64_t sources_;
  Cut rows_;
  std::int64_t block_ = 0;  // channels that go together
};

// Runs a correlation over all images and groups. `target(image and group, channel)` says where the
// results go: dense, or `spread` puts them there from scratch.
template <class T, class Spread>
bool correlate_images(const Correlation<T>& c, const gnomon_convolution& g, const T* source,
                      const T* packed, T* target, std::int64_t target_channel, const Spread* spread,
                      const Runner& run) {
  const Plan& plan = c.plan();
  const std::int64_t images = g.batch * g.groups;
  const std::int64_t source_step = c.sources() * product(plan.source);
  const std::int64_t target_step = c.results() * target_channel;
  const bool shared = images < many_images && run.workers() > 1;
  const std::int64_t dense = spread != nullptr ? rounded(c.results() * plan.results) : 0;
  const std::int64_t own = c.partial_size() + (shared ? 0 : c.planes_size() + dense);
  const std::int64_t common = shared ? images * (c.planes_size() + dense) : 0;
  const ConvolutionScratch scratch((own * run.workers() + common) *
                                   static_cast<std::int64_t>(sizeof(T)));
  if (!scratch) return false;
  T* const base = scratch.as<T>();
  const auto own_of = [&](std::int32_t worker) { return base + worker * own; };
  const auto planes_of = [&](std::int64_t image, std::int32_t worker) {
    return shared ? base + own * run.workers() + image * (c.planes_size() + dense)
                  : own_of(worker) + c.partial_size();
  };
  const auto work = [&](std::int64_t image, std::int32_t worker, std::size_t lo, std::size_t hi) {
    T* const planes = planes_of(image, worker);
    T* const y = spread != nullptr ? planes + c.planes_size() : target + image * target_step;
    c.run(c.planes_size() == 0 ? source + image * source_step : planes,
          packed + image % g.groups * c.group_size(), own_of(worker), y,
          spread != nullptr ? plan.results : target_channel, lo, hi);
  };
  const auto put = [&](std::int64_t image, std::int32_t worker, std::int64_t channel) {
    (*spread)(planes_of(image, worker) + c.planes_size() + channel * plan.results,
              target + image * target_step + channel * target_channel);
  };
  if (!shared) {
    run(images, [&](std::int64_t image, std::int32_t worker) {
      if (c.planes_size() != 0)
        for (std::int64_t k = 0; k < c.sources(); ++k)
          c.fill(source + image * source_step, planes_of(image, worker), k);
      work(image, worker, 0, plan.tiles.size());
      if (spread != nullptr)
        for (std::int64_t k = 0; k < c.results(); ++k) put(image, worker, k);
    });
    return true;
  }
  if (c.planes_size() != 0)
    run(images * c.sources(), [&](std::int64_t i, std::int32_t) {
      const std::int64_t image = i / c.sources();
      c.fill(source + image * source_step, planes_of(image, 0), i % c.sources());
    });
  const auto tiles = static_cast<std::int64_t>(plan.tiles.size());
  const Cut bands(tiles, std::max<std::int64_t>(tiles * images / many_images, 1));
  run(images * bands.parts, [&](std::int64_t i, std::int32_t worker) {
    const std::int64_t band = i % bands.parts;
    work(i / bands.parts, worker, static_cast<std::size_t>(bands.begin(band)),
         static_cast<std::size_t>(bands.begin(band + 1)));
  });
  if (spread != nullptr)
    run(images * c.results(),
        [&](std::int64_t i, std::int32_t) { put(i / c.results(), 0, i % c.results()); });
  return true;
}

// y written over x: what lies `step` apart from `first`, along each axis.
template <class T>
struct Strided {
  Triple results, image, step, first;
  void operator()(const T* dense, T* to) const {
    for (std::int64_t z = 0; z < results[0]; ++z)
      for (std::int64_t y = 0; y < results[1]; ++y) {
        T* line = to + ((z * step[0] + first[0]) * image[1] + y * step[1] + first[1]) * image[2] +
                  first[2];
        for (std::int64_t x = 0; x < results[2]; ++x) line[x * step[2]] = *dense++;
      }
  }
};

template <class T>
bool forward(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles, const Runner& run) {
  const Triple window = triple(g.window);
  const Correlation<T> c(g, tiles,
                         planned({forward_axis(g, 0), forward_axis(g, 1), forward_axis(g, 2)},
                                 triple(g.image), window),
                         g.inputs, g.outputs);
  const ConvolutionScratch packed(c.packed_size() * static_cast<std::int64_t>(sizeof(T)));
  if (!packed) return false;
  const std::int64_t taps = product(window);
  c.pack(static_cast<const T*>(g.b), g.outputs * g.inputs * taps, g.inputs * taps, taps,
         packed.as<T>());
  return correlate_images<T, Strided<T>>(c, g, static_cast<const T*>(g.a), packed.as<T>(),
                                         static_cast<T*>(g.c), product(triple(g.result)), nullptr,
                                         run);
}

template <class T>
bool backward(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles, const Runner& run) {
  const Triple window = triple(g.window), stride = triple(g.stride), image = triple(g.image);
  const std::int64_t taps = product(window);
  for (std::int64_t i = 0; i < product(stride); ++i) {
    const Triple phase{i / (stride[1] * stride[2]), i / stride[2] % stride[1], i % stride[2]};
    const Correlation<T> c(g, tiles,
                           planned({backward_axis(g, 0, phase[0]), backward_axis(g, 1, phase[1]),
                                    backward_axis(g, 2, phase[2])},
                                   triple(g.result), window),
                           g.outputs, g.inputs);
    const auto& axes = c.plan().axes;
    const Strided<T> spread{
        {axes[0].results, axes[1].results, axes[2].results}, image, stride, phase};
    if (c.plan().results == 0) continue;
    const ConvolutionScratch packed(c.packed_size() * static_cast<std::int64_t>(sizeof(T)));
    if (!packed) return false;
    c.pack(static_cast<const T*>(g.b), g.outputs * g.inputs * taps, taps, g.inputs * taps,
           packed.as<T>());
    if (!correlate_images(c, g, static_cast<const T*>(g.a), packed.as<T>(), static_cast<T*>(g.c),
                          product(image), product(stride) == 1 ? nullptr : &spread, run))
      return false;
  }
  return true;
}

template <class T>
bool run_as(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles, const Runner& run) {
  const auto kind = static_cast<ConvolutionKind>(g.kind);
  if (kind == ConvolutionKind::results) return forward(g, tiles, run);
  if (kind == ConvolutionKind::input_gradient) return backward(g, tiles, run);
  if (g.batch == 0 || product(triple(g.result)) == 0 || g.inputs * product(triple(g.window)) == 0) {
    std::fill_n(static_cast<T*>(g.c), g.groups * g.outputs * g.inputs * product(triple(g.window)),
                T{0});
    return true;
  }
  return weight_gradient<T>(g, tiles, run);
}

}  // namespace

std::span<const ConvolutionKernels* const> convolution_kernels() {
#if defined(__x86_64__)
  static const ConvolutionKernels* const known[] = {&avx512_convolution, &avx2_convolution,
                                                    &baseline_convolution};
  static const std::size_t first = [] {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("x86-64-v4")) return 0;
    return __builtin_cpu_supports("x86-64-v3") ? 1 : 2;
  }();
  return std::span(known).subspan(first);
#else
  static const ConvolutionKernels* const known[] = {&baseline_convolution};
  return known;
#endif
}

bool convolve(const gnomon_convolution& g, ThreadPool& pool, int limit,
              const ConvolutionKernels& kernels) noexcept {
  try {
    const Runner run{pool, limit};
    if (g.dtype == static_cast<int>(float32)) return run_as<float>(g, kernels.single, run);
    return run_as<double>(g, kernels.twice, run);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace gnomon
