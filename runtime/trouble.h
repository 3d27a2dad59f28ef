// Why a service could not do its work.
#pragma once

#include <cstdint>

namespace gnomon {

/// Generated code sees the number, and asks only whether it is 0.
enum class Trouble : std::int32_t {
  none = 0,
  no_library,  // that the work needs
  unsuitable,  // the library cannot take such extents, strides or a dtype
  no_memory,
  exception,  // whose text tells
};

}  // namespace gnomon
