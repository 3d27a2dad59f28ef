// SHA-256 of bytes (FIPS 180-4), which the lists of files in wheels have.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace gnomon {

std::array<std::uint8_t, 32> sha256_of(std::string_view bytes);

}  // namespace gnomon
