// Small matrices of a batch side by side, one in each lane of a vector: compiled once for each kind
// of processor. LAPACK takes longer to be called than these take for a system.
#pragma once

#include <cstdint>

#include "runtime/abi.h"

namespace gnomon {

/// Those of a batch that have no result: the first one, or -1, and where it failed, counted from 1.
struct SmallFailure {
  std::int64_t matrix = -1, pivot = 0;
};

/// They run a routine on the matrices [lo, hi) of its batch, which are small: see
/// `are_small_systems`.
template <class T>
struct SmallSystemsOf {
  std::int64_t at_once;
  /// Gaussian elimination with partial pivoting. It fails at a pivot of 0.
  SmallFailure (*solve)(const gnomon_routine& r, std::int64_t lo, std::int64_t hi);
  /// It fails where a pivot is not positive.
  SmallFailure (*cholesky)(const gnomon_routine& r, std::int64_t lo, std::int64_t hi);
};

struct SmallSystems {
  SmallSystemsOf<float> f32;
  SmallSystemsOf<double> f64;

  template <class T>
  const SmallSystemsOf<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};

constexpr std::int64_t most_small_rows = 8, most_small_columns = 16;

/// Whether the matrices are small, and enough of them to fill the better part of a vector. The
/// batch decides, not the parts of it that threads take, and so do the bits.
inline bool are_small_systems(const gnomon_routine& r, std::int64_t at_once) {
  return r.n > 0 && r.n <= most_small_rows && r.columns <= most_small_columns &&
         2 * r.batch > at_once;
}

extern const SmallSystems baseline_small_systems, avx2_small_systems, avx512_small_systems;

}  // namespace gnomon
