// The formats of values, on files that are open.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "frontend/files/file.h"
#include "frontend/files/values.h"

namespace gnomon {

/// `most_bytes`: as of `load_values`.
NamedArrays read_values(const InputFile& file, ValuesFormat format,
                        std::optional<std::int64_t> most_bytes);
void write_values(OutputFile& file, ValuesFormat format, const NamedArrays& arrays);

/// ValueError: damaged, or members that unpack to more than `most_bytes`.
NamedArrays read_npz(const InputFile& file, std::uint64_t most_bytes);
void write_npz(OutputFile& file, const NamedArrays& arrays);

/// ValueError: damaged. The arrays are as large as the file.
NamedArrays read_safetensors(const InputFile& file);
/// ValueError: a dtype or a name that the format does not have.
void write_safetensors(OutputFile& file, const NamedArrays& arrays);

/// An array to read elements into. ValueError: there can be none.
Array array_to_fill(const InputFile& file, std::string_view name, DType dtype,
                    std::span<const std::int64_t> shape);
/// The number of elements, whose extents are no less than 0; nothing when it is too large.
std::optional<std::uint64_t> count_of(std::span<const std::int64_t> shape);

}  // namespace gnomon
