// A hash of a text that is the same in all runs and on all machines, which std::hash is not.
#pragma once

#include <cstdint>
#include <string_view>

namespace gnomon {

/// FNV-1a of 64 bits.
constexpr std::uint64_t hash_text(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace gnomon
