// The file of the weights of a library: where its arrays are, and its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/export/interface.h"

namespace gnomon {

/// What the code of a library knows of the file; no value of a weight is in it.
struct WeightsLayout {
  std::vector<std::uint64_t> weights, variables;  // places in the file, by number
  std::uint64_t bytes = 0;                        // of the file
  std::array<std::uint8_t, 32> identity{};        // of the functions
};

WeightsLayout weights_layout(const Interface& library);
/// See stdlib/prelude/export/weights_file.h.
std::vector<char> weights_bytes(const Interface& library);

}  // namespace gnomon
