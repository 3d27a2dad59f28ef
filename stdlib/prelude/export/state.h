// Files of the variables of an exported library, by C's own functions.
#pragma once

#include "stdlib/prelude/export/c_files.h"
#include "stdlib/prelude/lanes/primitives.h"

namespace gn {

/// What a file begins with. `layout` tells one library's variables from others'.
struct StateHead {
  char magic[8];
  u64 layout, bytes;
};

constexpr char state_magic[8] = {'g', 'n', 's', 't', 'a', 't', 'e', '1'};

/// Writes aside and renames, so that no reader sees half of a file. Whether it could.
inline bool save_state(const void* state, u64 bytes, u64 layout, const char* path) {
  char aside[4096];
  u64 length = 0;
  for (const char* c = path; *c != 0; ++c)
    if (length < sizeof aside - 6) aside[length++] = *c;
  if (length >= sizeof aside - 6) return false;
  for (const char* c = ".part"; *c != 0; ++c) aside[length++] = *c;
  aside[length] = 0;
  void* const file = fopen(aside, "wb");
  if (file == nullptr) return false;
  StateHead head{{}, layout, bytes};
  __builtin_memcpy(head.magic, state_magic, sizeof state_magic);
  const bool written =
      fwrite(&head, sizeof head, 1, file) == 1 && fwrite(state, bytes, 1, file) == 1;
  if (fclose(file) == 0 && written && rename(aside, path) == 0) return true;
  remove(aside);
  return false;
}

/// Reads `bytes` into `state`, which keeps what it has unless the file fits and is whole. Whether
/// it could.
inline bool load_state(void* state, u64 bytes, u64 layout, const char* path) {
  void* const file = fopen(path, "rb");
  if (file == nullptr) return false;
  StateHead head;
  bool fits = fread(&head, sizeof head, 1, file) == 1 &&
              __builtin_memcmp(head.magic, state_magic, sizeof state_magic) == 0 &&
              head.layout == layout && head.bytes == bytes;
  // Read twice: what is not whole must not be in the state.
  char block[4096];
  for (u64 left = bytes; fits && left > 0;) {
    const u64 part = left < sizeof block ? left : sizeof block;
    fits = fread(block, part, 1, file) == 1;
    left -= part;
  }
  fits = fits && fread(block, 1, 1, file) == 0;
  fclose(file);
  if (!fits) return false;
  void* const again = fopen(path, "rb");
  if (again == nullptr) return false;
  fits = fread(&head, sizeof head, 1, again) == 1 && fread(state, bytes, 1, again) == 1;
  fclose(again);
  return fits;
}

}  // namespace gn
