// The gradient of a convolution by its weights: sums over all positions of all images.
#include "runtime/convolution/plan.h"

namespace gnomon {

namespace {

constexpr std::int64_t row_bytes = 32 << 10;    // of the result's rows that go together
constexpr std::int64_t kept_bytes = 512 << 10;  // of planes a worker keeps
constexpr std::int64_t most_chunks = 16;
constexpr std::int64_t most_partial_sums = std::int64_t{1}
                                           << 22;  // elements of all partial results

// Sums of vectors. Images are cut into chunks, whose sums are added in order.
template <class T>
class WeightGradient {
 public:
  WeightGradient(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles, const Runner& run)
      : g_(g),
        tiles_(tiles),
        run_(run),
        plan_(planned({forward_axis(g, 0), forward_axis(g, 1), forward_axis(g, 2)}, triple(g.image),
                      triple(g.window))),
        taps_(g.inputs * static_cast<std::int64_t>(plan_.offsets.size())),
        rows_(g.outputs, tile_rows),
        columns_(taps_, tiles.vectors),
        chunks_(g.batch, 1) {
    for (std::int64_t c = 0; c < g.inputs; ++c)
      for (const std::int64_t offset : plan_.offsets)
        offsets_.push_back(c * plan_.planes_size + offset);
    vectors_ = ceil_div(plan_.segment, tiles.lanes);
    for (std::int64_t v = 0; v < vectors_; ++v)
      masks_.push_back(place_of(plan_, v * tiles.lanes, 0, tiles.lanes).mask);
    const std::int64_t all = std::max<std::int64_t>(g.groups * g.outputs * taps_, 1);
    const std::int64_t wanted =
        std::clamp<std::int64_t>(most_partial_sums / all, 1, std::min(most_chunks, g.batch));
    chunks_ = Cut(g.batch, ceil_div(g.batch, wanted));
    image_size_ = g.inputs * plan_.planes_size;
    lines_size_ = g.outputs * plan_.segments() * vectors_ * tiles.lanes;
    // Of small images so many that a sum is long.
    const std::int64_t by_bytes = kept_bytes / static_cast<std::int64_t>(sizeof(T)) /
                                  std::max<std::int64_t>(image_size_ + lines_size_, 1);
    const std::int64_t by_length =
        ceil_div(near_vectors(), std::max<std::int64_t>(vectors_ * plan_.segments(), 1));
    kept_ = std::clamp<std::int64_t>(std::max(by_bytes, by_length), 1,
                                     std::max<std::int64_t>(ceil_div(g.batch, chunks_.parts), 1));
    for (std::int64_t s = 0; s < kept_ * plan_.segments(); ++s) {
      x_at_.push_back(s / plan_.segments() * image_size_ +
                      s % plan_.segments() * plan_.segment_step);
      dy_at_.push_back(s * vectors_ * tiles.lanes);
    }
  }

  bool operator()() {
    const std::int64_t all = g_.groups * g_.outputs * taps_;
    const std::int64_t own =
        rounded(kept_ * image_size_ + tiles_.lanes) + rounded(kept_ * lines_size_);
    const std::int64_t partials = chunks_.parts > 1 ? chunks_.parts * all : 0;
    const ConvolutionScratch scratch((own * run_.workers() + partials) *
                                     static_cast<std::int64_t>(sizeof(T)));
    if (!scratch) return false;
    T* const to = static_cast<T*>(g_.c);
    T* const sums = partials == 0 ? to : scratch.as<T>() + own * run_.workers();
    std::fill_n(sums, std::max(partials, all), T{0});
    const auto chunk = [&](std::int64_t i, std::int32_t worker) {
      add_chunk(i / g_.groups, i % g_.groups, scratch.as<T>() + worker * own,
                sums + i / g_.groups * all);
    };
    // One chunk is shared out inside.
    if (chunks_.parts * g_.groups == 1) chunk(0, 0);
    if (chunks_.parts * g_.groups > 1) run_(chunks_.parts * g_.groups, chunk);
    if (partials == 0) return true;
    run_(g_.groups * g_.outputs, [&](std::int64_t row, std::int32_t) {
      for (std::int64_t k = row * taps_; k < (row + 1) * taps_; ++k) {
        T sum = sums[k];
        for (std::int64_t p = 1; p < chunks_.parts; ++p) sum += sums[p * all + k];
        to[k] = sum;
      }
    });
    return true;
  }

 private:
  // dy of one channel in lines as far apart as those of the planes, zeros between.
  void fill_lines(const T* dy, T* lines) const {
    const std::int64_t pitch = plan_.axes[2].extent, line = plan_.axes[2].results;
    for (std::int64_t z = 0; z < plan_.segments(); ++z) {
      T* const end = lines + vectors_ * tiles_.lanes;
      for (std::int64_t y = 0; y < plan_.axes[1].results; ++y, dy += line) {
        std::memcpy(lines, dy, static_cast<std::size_t>(line) * sizeof(T));
        const std::int64_t gap = std::min<std::int64_t>(pitch - line, end - lines - line);
        std::fill_n(lines + line, gap, T{0});
        lines += line + gap;
      }
      std::fill(lines, end, T{0});
      lines = end;
    }
  }

  void add_chunk(std::int64_t chunk, std::int64_t group, T* planes, T* sums) const {
    T* const lines = planes + rounded(kept_ * image_size_ + tiles_.lanes);
    const T *x = static_cast<const T*>(g_.a), *dy = static_cast<const T*>(g_.b);
    const std::int64_t image = product(plan_.source);
    for (std::int64_t n = chunks_.begin(chunk); n < chunks_.begin(chunk + 1); n += kept_) {
      const std::int64_t images = std::min(kept_, chunks_.begin(chunk + 1) - n);
      run_(images * g_.inputs, [&](std::int64_t i, std::int32_t) {
        const std::int64_t at = (n + i / g_.inputs) * g_.groups + group, c = i % g_.inputs;
        fill_planes(plan_, x + (at * g_.inputs + c) * image, planes + i * plan_.planes_size);
      });
      const std::int64_t of_row = images * plan_.segments() * vectors_ * tiles_.lanes;
      run_(images * g_.outputs, [&](std::int64_t i, std::int32_t) {
        const std::int64_t at = (n + i / g_.outputs) * g_.groups + group, m = i % g_.outputs;
        fill_lines(
            dy + (at * g_.outputs + m) * plan_.results,
            lines + m * of_row + i / g_.outputs * plan_.segments() * vectors_ * tiles_.lanes);
      });
      run_(rows_.parts, [&](std::int64_t part, std::int32_t) {
        add_rows(part, images * plan_.segments(), planes, lines, of_row,
                 sums + (group * g_.outputs + rows_.begin(part)) * taps_);
      });
    }
  }

  // Vectors of each row that the nearest cache holds.
  std::int64_t near_vectors() const {
    return row_bytes / (tile_rows * tiles_.lanes * static_cast<std::int64_t>(sizeof(T)));
  }

  // As many positions as the nearest cache holds of the rows go together.
  void add_rows(std::int64_t part, std::int64_t segments, const T* planes, const T* lines,
                std::int64_t of_row, T* sums) const {
    const std::int64_t near = near_vectors();
    const std::int64_t together = std::max<std::int64_t>(near / vectors_, 1);
    const std::int64_t length = std::min(near, vectors_);
    for (std::int64_t s = 0; s < segments; s += together)
      for (std::int64_t v = 0; v < vectors_; v += length)
        for (std::int64_t column = 0; column < columns_.parts; ++column) {
          const std::int64_t k = columns_.begin(column);
          GradientTile<T> tile{};
          tile.x = planes + v * tiles_.lanes;
          tile.dy = lines + rows_.begin(part) * of_row + v * tiles_.lanes;
          tile.x_at = x_at_.data() + s;
          tile.dy_at = dy_at_.data() + s;
          tile.segments = std::min(together, segments - s);
          tile.dy_stride = of_row;
          tile.offsets = offsets_.data() + k;
          tile.masks = masks_.data() + v;
          tile.vectors = std::min(length, vectors_ - v);
          tile.sums = sums + k;
          tile.sums_stride = taps_;
          tiles_.gradient[rows_.count(part) - 1][columns_.count(column) - 1](tile);
        }
  }

  const gnomon_convolution& g_;
  const ConvolutionTiles<T>& tiles_;
  const Runner& run_;
  Plan plan_;
  std::int64_t taps_;  // of one channel of the result: those of all channels it sees
  Cut rows_, columns_, chunks_;
  std::vector<std::int64_t> offsets_, x_at_, dy_at_;
  std::vector<std::uint32_t> masks_;
  std::int64_t vectors_, image_size_, lines_size_, kept_;
};

}  // namespace

template <class T>
bool weight_gradient(const gnomon_convolution& g, const ConvolutionTiles<T>& tiles,
                     const Runner& run) {
  return WeightGradient<T>(g, tiles, run)();
}
template bool weight_gradient(const gnomon_convolution&, const ConvolutionTiles<float>&,
                              const Runner&);
template bool weight_gradient(const gnomon_convolution&, const ConvolutionTiles<double>&,
                              const Runner&);

}  // namespace gnomon
