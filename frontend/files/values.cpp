// Reads and writes files of values, by their extension.
#include "frontend/files/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <unordered_set>

#include "frontend/files/value_formats.h"
#include "ir/text/lexer.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::array formats = {ValuesFormat::npz, ValuesFormat::safetensors};

ValuesFormat format_of(const char* who, const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const ValuesFormat format : formats)
    if (extension == fmt::format(".{}", name_of(format))) return format;
  throw ValueError(
      fmt::format("{}: expected a path that ends with .npz or .safetensors, found {}", who, path));
}

void check_names(const OutputFile& file, const NamedArrays& arrays) {
  std::unordered_set<std::string_view> names;
  for (const auto& [name, array] : arrays) {
    if (!is_utf8(name)) file.reject("expected names in UTF-8");
    if (!names.insert(name).second)
      file.reject(fmt::format("{}: there are two of that name", name));
  }
}

}  // namespace

std::string_view name_of(ValuesFormat format) {
  return format == ValuesFormat::npz ? "npz" : "safetensors";
}

const Array& array_named(const NamedArrays& arrays, std::string_view name) {
  const auto at = std::ranges::find(arrays, name, &NamedArrays::value_type::first);
  if (at == arrays.end())
    throw ValueError(fmt::format("array_named: expected one of {} arrays, found the name {}",
                                 arrays.size(), name));
  return at->second;
}

NamedArrays load_values(const std::string& path, std::optional<std::int64_t> most_bytes) {
  const ValuesFormat format = format_of("load", path);
  return read_values(InputFile(path), format, most_bytes);
}

void save_values(const std::string& path, const NamedArrays& arrays) {
  const ValuesFormat format = format_of("save", path);
  OutputFile file(path);
  write_values(file, format, arrays);
  file.finish();
}

NamedArrays read_values(const InputFile& file, ValuesFormat format,
                        std::optional<std::int64_t> most_bytes) {
  if (format == ValuesFormat::safetensors) return read_safetensors(file);
  constexpr std::uint64_t always = std::uint64_t{1} << 30;
  constexpr std::uint64_t times = 100;  // what numbers that are nearly all equal are packed by
  const std::uint64_t most =
      most_bytes ? static_cast<std::uint64_t>(std::max(*most_bytes, std::int64_t{0}))
                 : std::max(always, times * file.size());
  return read_npz(file, most);
}

void write_values(OutputFile& file, ValuesFormat format, const NamedArrays& arrays) {
  check_names(file, arrays);
  if (format == ValuesFormat::npz)
    write_npz(file, arrays);
  else
    write_safetensors(file, arrays);
}

Array array_to_fill(const InputFile& file, std::string_view name, DType dtype,
                    std::span<const std::int64_t> shape) {
  try {
    return Array::of_extents(dtype, shape);
  } catch (const Error& error) {
    file.reject(fmt::format("{}: {}", name, error.what()));
  }
}

std::optional<std::uint64_t> count_of(std::span<const std::int64_t> shape) {
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  std::uint64_t count = 1;
  for (const std::int64_t n : shape)
    if (__builtin_mul_overflow(count, static_cast<std::uint64_t>(n), &count)) return std::nullopt;
  return count;
}

}  // namespace gnomon
