// Weights of an exported library that are in a file of their own: in memory of the caller.
#pragma once

#include "stdlib/prelude/export/c_files.h"
#include "stdlib/prelude/export/weights_file.h"

namespace gn {

/// What opening weights ends with, as the header of the library numbers it.
enum class Opened : i32 { done = 0, bad_argument = 1, bad_file = 6, other_weights = 8 };

/// The weights that a library takes.
struct WantedWeights {
  u64 bytes;
  u8 identity[32];
};

inline bool is_place_for_weights(const void* bytes) {
  return bytes != nullptr && reinterpret_cast<u64>(bytes) % weights_alignment == 0;
}

/// Whether a file that begins so has the weights; its size is compared, and nothing read behind it.
inline Opened look_at(const WeightsHead& head, const WantedWeights& wanted) {
  if (__builtin_memcmp(head.magic, weights_magic, sizeof weights_magic) != 0)
    return Opened::bad_file;
  if (__builtin_memcmp(head.identity, wanted.identity, sizeof wanted.identity) != 0)
    return Opened::other_weights;
  return head.bytes == wanted.bytes ? Opened::done : Opened::bad_file;
}

inline Opened look_through(const void* bytes, const WantedWeights& wanted) {
  const u64 found =
      weights_checksum(static_cast<const u8*>(bytes) + checked_from, wanted.bytes - checked_from);
  return found == static_cast<const WeightsHead*>(bytes)->checksum ? Opened::done
                                                                   : Opened::bad_file;
}

/// Checks a file of `size` bytes that is in memory.
inline Opened open_weights(const void* bytes, u64 size, const WantedWeights& wanted) {
  if (!is_place_for_weights(bytes)) return Opened::bad_argument;
  if (size < sizeof(WeightsHead)) return Opened::bad_file;
  const Opened fits = look_at(*static_cast<const WeightsHead*>(bytes), wanted);
  if (fits != Opened::done) return fits;
  return size == wanted.bytes ? look_through(bytes, wanted) : Opened::bad_file;
}

/// Reads a file into `size` bytes of memory, and checks it.
inline Opened read_weights(const char* path, void* memory, u64 size, const WantedWeights& wanted) {
  if (path == nullptr || !is_place_for_weights(memory) || size < wanted.bytes)
    return Opened::bad_argument;
  void* const file = fopen(path, "rb");
  if (file == nullptr) return Opened::bad_file;
  char* const to = static_cast<char*>(memory);
  Opened found = Opened::bad_file;
  if (fread(to, sizeof(WeightsHead), 1, file) == 1) {
    found = look_at(*static_cast<const WeightsHead*>(memory), wanted);
    const u64 left = wanted.bytes - sizeof(WeightsHead);
    char more;
    if (found == Opened::done &&
        (fread(to + sizeof(WeightsHead), 1, left, file) != left || fread(&more, 1, 1, file) != 0))
      found = Opened::bad_file;
  }
  fclose(file);
  return found == Opened::done ? look_through(memory, wanted) : found;
}

/// Tells files from one another that have other values.
inline u64 checksum_of(const void* weights) {
  return static_cast<const WeightsHead*>(weights)->checksum;
}

/// The array so far from the beginning of the file. Native code only reads it.
inline void* weight_at(const void* weights, u64 offset) {
  return const_cast<char*>(static_cast<const char*>(weights) + offset);
}

}  // namespace gn
