// Why a service could not do its work.
#pragma once

#include <cstdint>

namespace gnomon {

enum class Trouble : std::uint8_t {
  none,
  no_library,  // that the work needs
  unsuitable,  // the library cannot take such extents, strides or a dtype
  no_memory,
  exception,  // whose text tells
};

}  // namespace gnomon
