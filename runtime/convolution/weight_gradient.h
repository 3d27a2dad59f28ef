// The gradient of a convolution by its weights: sums over all positions of all images.
#pragma once

#include "runtime/convolution/plan.h"

namespace gnomon {

/// Sums of vectors. Images are cut into chunks, whose sums are added in order.
template <class T>
class WeightGradient {
 public:
  using Tiles = ConvolutionTiles<GradientTile<T>>;

  WeightGradient(const gnomon_convolution& g, const Tiles& tiles)
      : g_(g),
        tiles_(tiles),
        plan_({forward_axis(g, 0), forward_axis(g, 1), forward_axis(g, 2)}, triple(g.image),
              triple(g.window)),
        taps_(g.inputs * plan_.taps),
        rows_(g.outputs, tile_rows),
        columns_(taps_, tiles.vectors),
        chunks_(g.batch, 1),
        vectors_(ceil_div(plan_.segment, tiles.lanes)),
        image_size_(g.inputs * plan_.planes_size),
        lines_size_(g.outputs * plan_.segments * vectors_ * tiles.lanes) {
    const int64_t wanted = clamped(most_partial_sums / greater<int64_t>(all(), 1), 1,
                                   lesser(most_chunks, greater<int64_t>(g.batch, 1)));
    chunks_ = Cut(g.batch, greater<int64_t>(ceil_div(g.batch, wanted), 1));
    // Of small images so many that a sum is long.
    const int64_t by_bytes = kept_bytes / static_cast<int64_t>(sizeof(T)) /
                             greater<int64_t>(image_size_ + lines_size_, 1);
    const int64_t by_length =
        ceil_div(near_vectors(), greater<int64_t>(vectors_ * plan_.segments, 1));
    kept_ = clamped(greater(by_bytes, by_length), 1,
                    greater<int64_t>(ceil_div(g.batch, greater<int64_t>(chunks_.parts, 1)), 1));
  }

  /// What it works in.
  ServiceMemory memory() {
    BlockParts parts;
    take_shared(parts);
    return {parts.bytes(), in_cache_lines(own_size() * static_cast<int64_t>(sizeof(T)))};
  }

  /// False: without memory.
  template <class Crew>
  bool run(const Crew& crew) {
    if (is_nothing()) {
      clear_elements(static_cast<T*>(g_.c), all());
      return true;
    }
    const auto memory = crew.shared(this->memory().shared);
    if (memory.data() == nullptr) return false;
    BlockParts parts(memory.data());
    take_shared(parts);
    fill_tables();
    T* const to = static_cast<T*>(g_.c);
    T* const sums = chunks_.parts == 1 ? to : sums_;
    clear_elements(sums, chunks_.parts * all());
    const int64_t count = chunks_.parts * g_.groups;
    const auto add = [this, sums](int64_t i, T* own, const auto& crew_of_chunk) {
      add_chunk(i / g_.groups, i % g_.groups, own, sums + i / g_.groups * all(), crew_of_chunk);
    };
    bool enough = true;
    if (count == 1) {  // it is shared out inside
      const auto own = crew.own(0, own_size() * static_cast<int64_t>(sizeof(T)));
      if (own.data() == nullptr) return false;
      add(0, reinterpret_cast<T*>(own.data()), crew);
    } else {
      crew(count, 1, [&](int64_t lo, int64_t hi, int32_t worker) {
        const auto own = crew.own(worker, own_size() * static_cast<int64_t>(sizeof(T)));
        if (own.data() == nullptr) return __atomic_store_n(&enough, false, __ATOMIC_RELAXED);
        for (; lo < hi; ++lo) add(lo, reinterpret_cast<T*>(own.data()), Alone());
      });
    }
    if (!__atomic_load_n(&enough, __ATOMIC_RELAXED)) return false;
    if (chunks_.parts > 1) add_chunks(crew, to);
    return true;
  }

 private:
  static constexpr int64_t row_bytes = 32 << 10;    // of the result's rows that go together
  static constexpr int64_t kept_bytes = 512 << 10;  // of planes a worker keeps
  static constexpr int64_t most_chunks = 16;
  static constexpr int64_t most_partial_sums = int64_t{1} << 22;  // elements of all partial results

  // One thread.
  struct Alone {
    template <class Body>
    void operator()(int64_t count, int64_t, const Body& body) const {
      body(0, count, 0);
    }
  };

  // Elements of the result.
  int64_t all() const { return g_.groups * g_.outputs * taps_; }
  bool is_nothing() const { return g_.batch == 0 || plan_.results == 0 || all() == 0; }
  int64_t planes_size() const { return rounded(kept_ * image_size_ + tiles_.lanes); }
  int64_t own_size() const { return planes_size() + rounded(kept_ * lines_size_); }
  void take_shared(BlockParts& parts) {
    plan_.list_taps(parts);
    offsets_ = parts.take<int64_t>(taps_);
    x_at_ = parts.take<int64_t>(kept_ * plan_.segments);
    dy_at_ = parts.take<int64_t>(kept_ * plan_.segments);
    masks_ = parts.take<uint32_t>(vectors_);
    sums_ = parts.take<T>(chunks_.parts > 1 ? chunks_.parts * all() : 0);
  }

  void fill_tables() const {
    for (int64_t c = 0; c < g_.inputs; ++c)
      for (int64_t t = 0; t < plan_.taps; ++t)
        offsets_[c * plan_.taps + t] = c * plan_.planes_size + plan_.offset[t];
    for (int64_t v = 0; v < vectors_; ++v)
      masks_[v] = plan_.place_of(v * tiles_.lanes, 0, tiles_.lanes).mask;
    for (int64_t s = 0; s < kept_ * plan_.segments; ++s) {
      x_at_[s] = s / plan_.segments * image_size_ + s % plan_.segments * plan_.segment_step;
      dy_at_[s] = s * vectors_ * tiles_.lanes;
    }
  }

  template <class Crew>
  void add_chunks(const Crew& crew, T* to) const {
    crew(g_.groups * g_.outputs, 1, [this, to](int64_t lo, int64_t hi, int32_t) {
      for (int64_t k = lo * taps_; k < hi * taps_; ++k) {
        T sum = sums_[k];
        for (int64_t p = 1; p < chunks_.parts; ++p) sum += sums_[p * all() + k];
        to[k] = sum;
      }
    });
  }

  // dy of one channel in lines as far apart as those of the planes, zeros between.
  void fill_lines(const T* dy, T* lines) const {
    const int64_t pitch = plan_.axes[2].extent, line = plan_.axes[2].results;
    for (int64_t z = 0; z < plan_.segments; ++z) {
      T* const end = lines + vectors_ * tiles_.lanes;
      for (int64_t y = 0; y < plan_.axes[1].results; ++y, dy += line) {
        copy_elements(dy, line, lines);
        const int64_t gap = lesser<int64_t>(pitch - line, end - lines - line);
        clear_elements(lines + line, gap);
        lines += line + gap;
      }
      clear_elements(lines, end - lines);
      lines = end;
    }
  }

  template <class Crew>
  void add_chunk(int64_t chunk, int64_t group, T* planes, T* sums, const Crew& crew) const {
    T* const lines = planes + planes_size();
    const T *const x = static_cast<const T*>(g_.a), *const dy = static_cast<const T*>(g_.b);
    const int64_t image = product(plan_.source);
    const int64_t of_image = plan_.segments * vectors_ * tiles_.lanes;
    for (int64_t n = chunks_.begin(chunk); n < chunks_.begin(chunk + 1); n += kept_) {
      const int64_t images = lesser(kept_, chunks_.begin(chunk + 1) - n);
      crew(images * g_.inputs, 1, [=, this](int64_t lo, int64_t hi, int32_t) {
        for (int64_t i = lo; i < hi; ++i) {
          const int64_t at = (n + i / g_.inputs) * g_.groups + group, c = i % g_.inputs;
          fill_planes(plan_, x + (at * g_.inputs + c) * image, planes + i * plan_.planes_size);
        }
      });
      crew(images * g_.outputs, 1, [=, this](int64_t lo, int64_t hi, int32_t) {
        for (int64_t i = lo; i < hi; ++i) {
          const int64_t at = (n + i / g_.outputs) * g_.groups + group, m = i % g_.outputs;
          fill_lines(dy + (at * g_.outputs + m) * plan_.results,
                     lines + (m * images + i / g_.outputs) * of_image);
        }
      });
      crew(rows_.parts, 1, [=, this](int64_t lo, int64_t hi, int32_t) {
        for (int64_t part = lo; part < hi; ++part)
          add_rows(part, images * plan_.segments, planes, lines, images * of_image,
                   sums + (group * g_.outputs + rows_.begin(part)) * taps_);
      });
    }
  }

  // Vectors of each row that the nearest cache holds.
  int64_t near_vectors() const {
    return row_bytes / (tile_rows * tiles_.lanes * static_cast<int64_t>(sizeof(T)));
  }

  // As many positions as the nearest cache holds of the rows go together.
  void add_rows(int64_t part, int64_t segments, const T* planes, const T* lines, int64_t of_row,
                T* sums) const {
    const int64_t near = near_vectors();
    const int64_t together = greater<int64_t>(near / vectors_, 1);
    const int64_t length = lesser(near, vectors_);
    for (int64_t s = 0; s < segments; s += together)
      for (int64_t v = 0; v < vectors_; v += length)
        for (int64_t column = 0; column < columns_.parts; ++column) {
          const int64_t k = columns_.begin(column);
          GradientTile<T> tile{};
          tile.x = planes + v * tiles_.lanes;
          tile.dy = lines + rows_.begin(part) * of_row + v * tiles_.lanes;
          tile.x_at = x_at_ + s;
          tile.dy_at = dy_at_ + s;
          tile.segments = lesser(together, segments - s);
          tile.dy_stride = of_row;
          tile.offsets = offsets_ + k;
          tile.masks = masks_ + v;
          tile.vectors = lesser(length, vectors_ - v);
          tile.sums = sums + k;
          tile.sums_stride = taps_;
          tiles_.run[rows_.count(part) - 1][columns_.count(column) - 1](tile);
        }
  }

  const gnomon_convolution& g_;
  const Tiles& tiles_;
  ConvolutionPlan plan_;
  int64_t taps_;  // of one channel of the result: those of all channels it sees
  Cut rows_, columns_, chunks_;
  int64_t vectors_, image_size_, lines_size_, kept_;
  int64_t *offsets_ = nullptr, *x_at_ = nullptr, *dy_at_ = nullptr;
  uint32_t* masks_ = nullptr;
  T* sums_ = nullptr;
};

}  // namespace gnomon
