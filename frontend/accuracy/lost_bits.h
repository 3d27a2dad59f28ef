// How far numbers of one dtype lie apart, in bits.
#pragma once

#include <cstdint>
#include <optional>

#include "runtime/arrays/array.h"

namespace gnomon {

inline constexpr double all_bits = 64;  // nothing is right

/// Bits of the significand of a float, or of the parts of a complex number.
int significand_bits(DType t);

/// What two arrays of one dtype and shape lose to one another.
struct ArrayDifference {
  std::int64_t elements = 0;
  double sum = 0;          // of the bits of all elements
  double worst = 0;        // the most bits of one
  std::int64_t place = 0;  // of that one, in row-major order
};

/// An element loses log2(1 + d) bits where the two are d units in the last place of the larger
/// apart. NaN equals NaN. All bits are lost where one alone is NaN or infinite, where the signs
/// differ, those of zeros apart, and where integers or truth values are not the same. A complex
/// number is as far apart as that of its parts which is farther, in units of the largest part.
/// Nothing where dtypes or shapes differ.
std::optional<ArrayDifference> difference(const Array& one, const Array& other);

}  // namespace gnomon
