// What fuzzing targets of files of values ask: what was read is written and read to the same again.
#pragma once

#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "frontend/files/values.h"
#include "runtime/error.h"
#include "tests/fuzz/folder.h"

namespace gnomon::fuzz {

inline bool is_same(const Array& a, const Array& b) {
  if (a.dtype() != b.dtype() || a.rank() != b.rank()) return false;
  for (int axis = 0; axis < a.rank(); ++axis)
    if (a.shape()[axis] != b.shape()[axis]) return false;
  const Array x = a.contiguous(), y = b.contiguous();
  return x.bytes() == 0 ||
         std::memcmp(x.data(), y.data(), static_cast<std::size_t>(x.bytes())) == 0;
}

/// The name has the extension that says how the bytes are read.
inline void read_and_write_values(const Folder& folder, const std::string& name,
                                  std::string_view bytes) {
  constexpr std::int64_t most_bytes = 1 << 22;
  NamedArrays read;
  try {
    read = load_values(folder.with(name, bytes), most_bytes);
  } catch (const ValueError&) {
    return;
  }
  const std::filesystem::path again = folder.path() / ("again_" + name);
  try {
    save_values(again, read);
  } catch (const ValueError&) {
    return;  // names that a file may have and that are not written
  }
  const NamedArrays second = load_values(again, most_bytes * 2);
  if (second.size() != read.size()) std::abort();
  for (std::size_t i = 0; i < read.size(); ++i)
    if (second[i].first != read[i].first || !is_same(second[i].second, read[i].second))
      std::abort();
}

}  // namespace gnomon::fuzz
