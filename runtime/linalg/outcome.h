// How a product or a routine ends.
#pragma once

#include <cstdint>

namespace gnomon {

enum class Outcome : std::uint8_t {
  done,
  no_library,   // no BLAS or LAPACK was found
  unsupported,  // a dtype, extents or strides that the library cannot take
  no_memory,
};

}  // namespace gnomon
