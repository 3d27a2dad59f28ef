// A convolution, or a gradient of one, by kernels for some kind of processor.
#pragma once

#include "runtime/convolution/correlation.h"
#include "runtime/convolution/weight_gradient.h"

namespace gnomon {

/// The tiles of a kind.
template <ConvolutionKind kind, class T>
struct TileOfKind {
  using type = CorrelationTile<T>;
};
template <class T>
struct TileOfKind<ConvolutionKind::weight_gradient, T> {
  using type = GradientTile<T>;
};
template <ConvolutionKind kind, class T>
using TilesOfKind = ConvolutionTiles<typename TileOfKind<kind, T>::type>;

/// Runs a convolution. The bits depend on the extents and the kernels, not on the crew. False:
/// without memory.
template <ConvolutionKind kind, class T, class Crew>
bool run_convolution(const gnomon_convolution& g, const TilesOfKind<kind, T>& tiles,
                     const Crew& crew) {
  if constexpr (kind == ConvolutionKind::weight_gradient) {
    return WeightGradient<T>(g, tiles).run(crew);
  } else {
    bool enough = true;
    for_each_correlation<kind, T>(
        g, tiles, [&](Correlation<T>& c, const WeightsInMemory<T>& weights, int64_t channel) {
          enough = enough &&
                   c.run(static_cast<const T*>(g.a), weights, static_cast<T*>(g.c), channel, crew);
        });
    return enough;
  }
}

/// What it works in.
template <ConvolutionKind kind, class T>
ServiceMemory memory_of_convolution(const gnomon_convolution& g,
                                    const TilesOfKind<kind, T>& tiles) {
  if constexpr (kind == ConvolutionKind::weight_gradient) {
    return WeightGradient<T>(g, tiles).memory();
  } else {
    ServiceMemory most;
    for_each_correlation<kind, T>(
        g, tiles, [&most](Correlation<T>& c, const WeightsInMemory<T>&, int64_t) {
          const ServiceMemory needed = c.memory();
          most = {greater(most.shared, needed.shared), greater(most.own, needed.own)};
        });
    return most;
  }
}

}  // namespace gnomon
