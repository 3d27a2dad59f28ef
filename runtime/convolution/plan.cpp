// The geometry of convolutions: where each tap of each result lies.
#include "runtime/convolution/plan.h"

namespace gnomon {

namespace {

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -ceil_div(-a, b);
}

}  // namespace

AxisPlan forward_axis(const gnomon_convolution& g, int k) {
  AxisPlan plan;
  plan.results = g.result[k];
  plan.step = g.stride[k];
  std::vector<std::int64_t> phases;
  std::int64_t reach = 0;
  for (std::int64_t t = 0; t < g.window[k]; ++t) {
    const std::int64_t at = t * g.dilation[k], phase = at % g.stride[k];
    auto known = std::find(phases.begin(), phases.end(), phase);
    if (known == phases.end()) {
      known = phases.insert(phases.end(), phase);
      plan.starts.push_back(phase - g.before[k]);
    }
    plan.taps.push_back({t, known - phases.begin(), at / g.stride[k]});
    reach = std::max(reach, at / g.stride[k]);
  }
  plan.extent = plan.results + reach;
  return plan;
}

// Of the image's indices those with remainder `phase`: stride * j + phase is read by tap t of
// result j + (phase + before - dilation * t) / stride, where that is whole.
AxisPlan backward_axis(const gnomon_convolution& g, int k, std::int64_t phase) {
  AxisPlan plan;
  plan.results = g.image[k] > phase ? ceil_div(g.image[k] - phase, g.stride[k]) : 0;
  std::int64_t least = 0, most = 0;
  for (std::int64_t t = 0; t < g.window[k]; ++t) {
    const std::int64_t distance = phase + g.before[k] - t * g.dilation[k];
    const std::int64_t shift = floor_quotient(distance, g.stride[k]);
    if (shift * g.stride[k] != distance) continue;
    least = plan.taps.empty() ? shift : std::min(least, shift);
    most = plan.taps.empty() ? shift : std::max(most, shift);
    plan.taps.push_back({t, 0, shift});
  }
  for (AxisTap& tap : plan.taps) tap.shift -= least;
  plan.starts = {least};
  plan.extent = plan.results + most - least;
  return plan;
}

Plan planned(std::array<AxisPlan, 3> axes, const Triple& source, const Triple& window) {
  Plan plan{};
  plan.axes = std::move(axes);
  plan.source = source;
  const auto& [z, y, x] = plan.axes;
  plan.plane = z.extent * y.extent * x.extent;
  plan.planes_size =
      plan.plane * static_cast<std::int64_t>(z.starts.size() * y.starts.size() * x.starts.size());
  for (const AxisTap& a : z.taps)
    for (const AxisTap& b : y.taps)
      for (const AxisTap& c : x.taps) {
        const auto phase = (a.phase * static_cast<std::int64_t>(y.starts.size()) + b.phase) *
                               static_cast<std::int64_t>(x.starts.size()) +
                           c.phase;
        plan.offsets.push_back(phase * plan.plane + (a.shift * y.extent + b.shift) * x.extent +
                               c.shift);
        plan.weights.push_back((a.window * window[1] + b.window) * window[2] + c.window);
      }
  plan.results = z.results * y.results * x.results;
  plan.segment = plan.results == 0 ? 0 : (y.results - 1) * x.extent + x.results;
  plan.segment_step = y.extent * x.extent;
  return plan;
}

LanePlace place_of(const Plan& plan, std::int64_t at, std::int64_t from, int lanes) {
  const std::int64_t pitch = plan.axes[2].extent, line = plan.axes[2].results;
  const std::int64_t first = std::max(at, from);
  LanePlace place{0, 0, first / pitch * line + std::min(first % pitch, line)};
  for (std::int64_t k = first - at; k < lanes && at + k < plan.segment; ++k)
    if ((at + k) % pitch < line) {
      place.mask |= 1U << k;
      place.packed = place.packed << 1 | 1;
    }
  return place;
}

void add_tiles(Plan& plan, int lanes, int most) {
  const std::int64_t vectors = ceil_div(plan.segment, lanes), tiles = ceil_div(vectors, most);
  const std::int64_t of_segment = plan.axes[1].results * plan.axes[2].results;
  for (std::int64_t z = 0; z < plan.segments(); ++z)
    for (std::int64_t i = 0; i < tiles; ++i) {
      const std::int64_t first = i * vectors / tiles, count = (i + 1) * vectors / tiles - first;
      std::int64_t at = first * lanes;
      if (at + count * lanes > plan.segment && count * lanes <= plan.segment)
        at = plan.segment - count * lanes;
      plan.tiles.push_back(
          {z * plan.segment_step + at, static_cast<int>(count), plan.places.size()});
      for (std::int64_t v = 0; v < count; ++v) {
        plan.places.push_back(place_of(plan, at + v * lanes, first * lanes, lanes));
        plan.places.back().to += z * of_segment;
      }
    }
}

}  // namespace gnomon
