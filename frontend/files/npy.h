// The header of an array in NumPy's format, which each member of an .npz begins with.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/arrays/array.h"

namespace gnomon {

/// What stands before the header proper: the magic word, the version, and its length.
inline constexpr std::size_t npy_start = 8;
inline constexpr std::uint64_t longest_npy_header = 10'000;  // bytes; as NumPy reads

/// How many bytes the length of the header has, which stands behind `start`; nothing when it is no
/// array.
std::optional<std::size_t> npy_length_size(std::string_view start);

/// What a header tells. `dtype` is nothing where Gnomon has no such; `described` is its text.
struct NpyHeader {
  std::optional<DType> dtype;
  std::string described;
  bool fortran_order = false;
  std::vector<std::int64_t> shape;
};

/// Nothing when the text is no header.
std::optional<NpyHeader> parse_npy_header(std::string_view text);

/// All that stands before the elements of an array.
std::string npy_header(const Array& array);

}  // namespace gnomon
