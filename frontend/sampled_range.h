// Where floating-point numbers are sampled.
#pragma once

namespace gnomon {

/// Numbers from low to high and, if `both`, their negatives every other time.
struct SampledRange {
  double low = 0x1p-1022, high = 0x1.fffffffffffffp1023;
  bool both = false;
};

}  // namespace gnomon
