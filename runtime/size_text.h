// Numbers of bytes as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gnomon {

/// "1.5 MiB", "12 KiB", "7 bytes".
std::string size_text(std::int64_t bytes);

/// The bytes that "500M", "1.5 GiB", "2g" or "4096" stand for; units are powers of 1024. Nothing
/// for another text, or for more than 63 bits.
std::optional<std::int64_t> parse_size(std::string_view text);

}  // namespace gnomon
