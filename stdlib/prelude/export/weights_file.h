// The file of the weights of an exported library: what it begins with, and its checksum. The text
// is that of who writes it and of the library, which reads it.
//
// The head is followed by the arrays, large constants and then first values of variables, each at a
// multiple of 64 bytes with zeros behind it up to the next. Numbers are little-endian.
#pragma once

#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

/// What the file begins with. `identity` tells the functions of one library from others'.
struct WeightsHead {
  char magic[8];
  u64 checksum;  // XXH64 of all that follows
  u64 bytes;     // of the file
  u64 count;     // of arrays
  u8 identity[32];
};
static_assert(sizeof(WeightsHead) == 64);

constexpr char weights_magic[8] = {'g', 'n', 'w', 'e', 'i', 'g', 'h', '1'};
constexpr u64 weights_alignment = 64;
/// Where what the checksum is of begins.
constexpr u64 checked_from = 16;

namespace detail {

constexpr u64 xxh_1 = 0x9e3779b185ebca87ul, xxh_2 = 0xc2b2ae3d27d4eb4ful;
constexpr u64 xxh_3 = 0x165667b19e3779f9ul, xxh_4 = 0x85ebca77c2b2ae63ul;

inline u64 turned(u64 x, int by) { return x << by | x >> (64 - by); }
inline u64 xxh_round(u64 lane, u64 word) { return turned(lane + word * xxh_2, 31) * xxh_1; }
inline u64 xxh_merged(u64 hash, u64 lane) { return (hash ^ xxh_round(0, lane)) * xxh_1 + xxh_4; }
inline u64 word_at(const u8* at) {
  u64 word;
  __builtin_memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace detail

/// XXH64, with the seed 0, of so many bytes: at least 32, and a multiple of 8. No change of a
/// single word leaves it as it was.
inline u64 weights_checksum(const void* data, u64 bytes) {
  using namespace detail;
  const u8* at = static_cast<const u8*>(data);
  const u8* const end = at + bytes;
  u64 lanes[4] = {xxh_1 + xxh_2, xxh_2, 0, 0 - xxh_1};
  for (; end - at >= 32; at += 32)
    for (int k = 0; k < 4; ++k) lanes[k] = xxh_round(lanes[k], word_at(at + 8 * k));
  u64 hash =
      turned(lanes[0], 1) + turned(lanes[1], 7) + turned(lanes[2], 12) + turned(lanes[3], 18);
  for (const u64 lane : lanes) hash = xxh_merged(hash, lane);
  hash += bytes;
  for (; at < end; at += 8) hash = turned(hash ^ xxh_round(0, word_at(at)), 27) * xxh_1 + xxh_4;
  hash = (hash ^ hash >> 33) * xxh_2;
  hash = (hash ^ hash >> 29) * xxh_3;
  return hash ^ hash >> 32;
}

}  // namespace gn
