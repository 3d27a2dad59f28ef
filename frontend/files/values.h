// Files of values: arrays with names, in two formats that other programs read and write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/arrays/array.h"

namespace gnomon {

/// Arrays by their names, in the order of a file.
using NamedArrays = std::vector<std::pair<std::string, Array>>;

/// The array of a name. ValueError: there is none.
const Array& array_named(const NamedArrays& arrays, std::string_view name);

/// How arrays lie in a file: as NumPy's `savez` writes them, or as `safetensors` does.
enum class ValuesFormat : std::uint8_t { npz, safetensors };

/// The extension of its files: "npz".
std::string_view name_of(ValuesFormat format);

/// Reads what `save_values`, NumPy or safetensors wrote, as the extension of the path says. Nothing
/// but numbers is read: objects of Python are refused. `most_bytes`: the most that an .npz may
/// unpack to; without it a GiB, or 100 times the file if that is more. FileError: the file cannot
/// be read; ValueError: another extension, or a file that is damaged or unpacks to more.
NamedArrays load_values(const std::string& path, std::optional<std::int64_t> most_bytes = {});

/// Writes arrays to a file, whose extension says how: `.npz` or `.safetensors`. It is written aside
/// and renamed, so that no reader ever sees half of it. FileError: the file cannot be written;
/// ValueError: another extension, a dtype that the format does not have, a name twice.
void save_values(const std::string& path, const NamedArrays& arrays);

/// The array that NumPy's `save` wrote to a file `.npy`. Errors as of `load_values`.
Array load_array(const std::string& path);
/// Writes an array as NumPy's `save` does. FileError: the file cannot be written.
void save_array(const std::string& path, const Array& array);

}  // namespace gnomon
