// Values as safetensors has them: the length of a header, the header in JSON, the elements.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <tuple>

#include "frontend/files/json.h"
#include "frontend/files/little_endian.h"
#include "frontend/files/value_formats.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::uint64_t longest_header = 100'000'000;  // bytes; the format's own limit
constexpr std::uint64_t before_header = 8;             // bytes: its length
constexpr std::string_view metadata = "__metadata__";

// By dtype; none where the format has no such.
constexpr std::array<std::string_view, dtype_count> dtype_names = {
    "BOOL", "I8",  "I16",  "I32", "I64", "U8",  "U16", "U32",
    "U64",  "F16", "BF16", "F32", "F64", "C64", ""};

std::string_view format_name(DType t) { return dtype_names.at(static_cast<std::size_t>(t)); }

std::optional<DType> format_dtype(std::string_view name) {
  const auto at = std::ranges::find(dtype_names, name);
  if (name.empty() || at == dtype_names.end()) return std::nullopt;
  return static_cast<DType>(at - dtype_names.begin());
}

[[noreturn]] void reject_header(const InputFile& file, std::string_view why) {
  file.reject(fmt::format("the header of the file is damaged ({})", why));
}

// An array as the header tells it; places are counted from the end of the header.
struct Entry {
  std::uint64_t begin = 0, end = 0;
  std::string name;
  DType dtype = DType::float64;
  std::vector<std::int64_t> shape;
};

// Places, then extents.
std::vector<std::int64_t> sizes_of(const InputFile& file, const std::string& name,
                                   const Json& described) {
  const Json &places = described.at("data_offsets"), &shape = described.at("shape");
  if (!places.is_array() || places.size() != 2 || !shape.is_array())
    reject_header(file, fmt::format("{}: expected two places and a shape", name));
  std::vector<std::int64_t> sizes;
  for (const Json* list : {&places, &shape})
    for (const Json& n : *list) {
      const std::optional<std::int64_t> size = size_in(n);
      if (!size) reject_header(file, fmt::format("{}: places or extents that are no sizes", name));
      sizes.push_back(*size);
    }
  return sizes;
}

Entry entry_of(const InputFile& file, const std::string& name, const Json& described) {
  const std::vector<std::int64_t> sizes = sizes_of(file, name, described);
  const auto& dtype_name = described.at("dtype").get_ref<const std::string&>();
  const std::optional<DType> dtype = format_dtype(dtype_name);
  if (!dtype) file.reject(fmt::format("{}: dtype {} is not supported", name, dtype_name));
  Entry entry{static_cast<std::uint64_t>(sizes[0]),
              static_cast<std::uint64_t>(sizes[1]),
              name,
              *dtype,
              {sizes.begin() + 2, sizes.end()}};
  const std::optional<std::uint64_t> count = count_of(entry.shape);
  std::uint64_t bytes = 0;
  if (!count || __builtin_mul_overflow(*count, size_of(*dtype), &bytes) ||
      entry.end < entry.begin || entry.end - entry.begin != bytes)
    file.reject(fmt::format("{}: the size of the array is not that of its shape", name));
  return entry;
}

// In the order of the header.
std::vector<Entry> entries_of(const InputFile& file, std::string_view header) {
  ParsedJson parsed;
  try {
    parsed = parse_json(header);
  } catch (const ValueError& error) {
    reject_header(file, error.what());
  }
  if (!parsed.value.is_object()) reject_header(file, "expected an object");
  std::vector<Entry> entries;
  for (const std::string& name : parsed.keys) {
    if (name == metadata) continue;
    try {
      entries.push_back(entry_of(file, name, parsed.value.at(name)));
    } catch (const Json::exception& error) {
      reject_header(file, fmt::format("{}: {}", name, error.what()));
    }
  }
  return entries;
}

}  // namespace

NamedArrays read_safetensors(const InputFile& file) {
  std::uint64_t length = 0;
  const std::string start = file.text(0, before_header);
  if (start.size() == before_header) length = little_endian(start);
  if (start.size() < before_header ||
      length > std::min(file.size() - before_header, longest_header))
    file.reject("not a whole .safetensors file: the header is longer than the file");
  const std::vector<Entry> entries = entries_of(file, file.text(before_header, length));

  std::vector<const Entry*> order;
  for (const Entry& entry : entries) order.push_back(&entry);
  std::ranges::sort(order, {}, [](const Entry* e) { return std::tie(e->begin, e->end, e->name); });
  std::uint64_t at = 0;
  for (const Entry* entry : order) {
    if (entry->begin != at)
      file.reject(fmt::format("{}: the data of arrays overlap or have holes", entry->name));
    at = entry->end;
  }
  const std::uint64_t first = before_header + length;
  if (file.size() - first != at)
    file.reject(fmt::format("expected {} bytes, found {}", first + at, file.size()));

  NamedArrays arrays;
  for (const Entry& entry : entries) {
    Array array = array_to_fill(file, entry.name, entry.dtype, entry.shape);
    const std::size_t bytes = entry.end - entry.begin;
    if (file.read(first + entry.begin, array.data(), bytes) != bytes)
      file.reject(fmt::format("{}: expected more data, found the end of the file", entry.name));
    arrays.emplace_back(entry.name, std::move(array));
  }
  return arrays;
}

void write_safetensors(OutputFile& file, const NamedArrays& arrays) {
  std::vector<std::size_t> order(arrays.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Wide elements first, so that every array is aligned.
  std::ranges::sort(order, {}, [&](std::size_t i) {
    return std::pair(-static_cast<std::int64_t>(size_of(arrays[i].second.dtype())), i);
  });
  std::vector<std::int64_t> begin(arrays.size());
  std::int64_t at = 0;
  for (const std::size_t i : order) {
    begin[i] = at;
    at += arrays[i].second.bytes();
  }
  std::string header = "{";
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto& [name, array] = arrays[i];
    if (format_name(array.dtype()).empty())
      file.reject(
          fmt::format("{}: safetensors has no dtype {}, .npz has", name, name_of(array.dtype())));
    if (name == metadata) file.reject(fmt::format("the name {} has another meaning there", name));
    header += fmt::format(R"({}{}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          i == 0 ? "" : ",", json_text(name), format_name(array.dtype()),
                          fmt::join(array.shape(), ","), begin[i], begin[i] + array.bytes());
  }
  header += "}";
  header.append((before_header - header.size() % before_header) % before_header, ' ');
  file.write(little_endian(header.size(), before_header) + header);
  for (const std::size_t i : order) file.write(arrays[i].second);
}

}  // namespace gnomon
