// Numbers as the formats of files have them: the lowest byte first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gnomon {

/// The number that at most eight bytes are.
inline std::uint64_t little_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;)
    value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

/// A number as so many bytes.
inline std::string little_endian(std::uint64_t value, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xffU);
  return bytes;
}

}  // namespace gnomon
