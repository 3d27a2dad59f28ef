// Mixing of hashes inside one process; keys that leave the process use xxHash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gnomon {

/// A hash of `seed` and `value`, sensitive to their order.
constexpr std::size_t mix_hash(std::size_t seed, std::size_t value) {
  std::uint64_t x = seed ^ (value + 0x9e3779b97f4a7c15ull + (seed << 6) + (seed >> 2));
  x ^= x >> 32;
  x *= 0xd6e8feb86659fd93ull;
  x ^= x >> 32;
  return static_cast<std::size_t>(x);
}

}  // namespace gnomon
