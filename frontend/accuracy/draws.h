// Random values of inputs: floats evenly over the exponents of a range, integers evenly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/sampling.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// Normal numbers of any size and sign, integers from -9 to 9 (unsigned ones from 0), either bool.
/// Of a complex dtype, the range of each part.
SampledRange default_range(DType t);

/// Draws an input, each time anew; all elements of all draws together are spread over the range.
class InputDraws {
 public:
  /// `who` begins messages. ValueError: a range in which there are no such numbers, or more numbers
  /// in all than there is memory for.
  InputDraws(std::string_view who, const std::string& name, DType t,
             std::vector<std::int64_t> shape, const SampledRange& range, int draws,
             std::uint64_t seed);

  Array draw();

 private:
  DType type_;
  std::vector<std::int64_t> shape_;
  std::int64_t numbers_;  // in a draw: elements, or parts of complex ones
  std::vector<double> pool_;
  std::size_t next_ = 0;
};

}  // namespace gnomon
