// Values as NumPy's `save` and `savez` have them: an array in the .npy format, and an archive with
// one for each name.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "frontend/files/little_endian.h"
#include "frontend/files/npy.h"
#include "frontend/files/value_formats.h"
#include "frontend/files/zip.h"

namespace gnomon {

namespace {

constexpr std::string_view npy_extension = ".npy";

std::string array_name(const ZipMember& member) {
  std::string_view name = member.name;
  if (name.ends_with(npy_extension)) name.remove_suffix(npy_extension.size());
  return std::string(name);
}

// Whether so many bytes are what the header asks for.
bool has_size(std::uint64_t size, const std::optional<std::uint64_t>& count, DType dtype) {
  std::uint64_t bytes = 0;
  return count && !__builtin_mul_overflow(*count, size_of(dtype), &bytes) && size == bytes;
}

// A file that is read from its start to its end.
class WholeFile {
 public:
  explicit WholeFile(const InputFile& file) : file_(file) {}
  std::string text(std::uint64_t count) {
    std::string found = file_.text(at_, count);
    at_ += found.size();
    return found;
  }
  std::size_t read(void* into, std::size_t count) {
    const std::size_t found = file_.read(at_, into, count);
    at_ += found;
    return found;
  }

 private:
  const InputFile& file_;
  std::uint64_t at_ = 0;
};

// An array of `size` bytes with its header.
template <class Reader>
Array read_array(const InputFile& file, const std::string& name, Reader& reader,
                 std::uint64_t size) {
  const auto reject = [&](std::string_view what) {
    file.reject(fmt::format("{}: {}", name, what));
  };
  const std::optional<std::size_t> length_size = npy_length_size(reader.text(npy_start));
  if (!length_size) file.reject(name + ": expected an array in the .npy format");
  const std::uint64_t length = little_endian(reader.text(*length_size));
  std::optional<NpyHeader> header;
  if (length <= longest_npy_header) header = parse_npy_header(reader.text(length));
  if (!header) file.reject(name + ": the header of the array is damaged");
  if (!header->dtype)
    file.reject(fmt::format("{}: arrays of dtype {} are not supported", name, header->described));

  const std::optional<std::uint64_t> count = count_of(header->shape);
  const std::uint64_t before = npy_start + *length_size + length;
  const std::string expected =
      fmt::format("expected {} elements of {}, found", count ? std::to_string(*count) : "too many",
                  name_of(*header->dtype));
  if (size < before || !has_size(size - before, count, *header->dtype))
    reject(expected + " another size");
  if (header->fortran_order) std::ranges::reverse(header->shape);
  Array array = array_to_fill(file, name, *header->dtype, header->shape);
  const auto bytes = static_cast<std::size_t>(array.bytes());
  if (reader.read(array.data(), bytes) != bytes) reject(expected + " less");
  return header->fortran_order ? array.transpose() : array;
}

}  // namespace

Array load_array(const std::string& path) {
  const InputFile file(path);
  WholeFile reader(file);
  return read_array(file, std::filesystem::path(path).stem().string(), reader, file.size());
}

void save_array(const std::string& path, const Array& array) {
  OutputFile file(path);
  const Array packed = array.contiguous();
  file.write(npy_header(packed));
  file.write(packed);
  file.finish();
}

NamedArrays read_npz(const InputFile& file, std::uint64_t most_bytes) {
  const std::vector<ZipMember> members = zip_members(file);
  std::uint64_t total = 0;
  for (const ZipMember& member : members)
    if (__builtin_add_overflow(total, member.size, &total))
      total = std::numeric_limits<std::uint64_t>::max();
  if (total > most_bytes)
    file.reject(fmt::format("unpacks to {} bytes, more than {}; give most_bytes to load it", total,
                            most_bytes));
  NamedArrays arrays;
  std::unordered_set<std::string> names;
  for (const ZipMember& member : members) {
    std::string name = array_name(member);
    if (!names.insert(name).second)
      file.reject(fmt::format("{}: there are two of that name", name));
    if (!is_known_packing(member))
      file.reject(fmt::format("{}: packed in a way that is not supported", name));
    ZipReader reader(file, member);
    Array array = read_array(file, name, reader, member.size);
    reader.finish();
    arrays.emplace_back(std::move(name), std::move(array));
  }
  return arrays;
}

void write_npz(OutputFile& file, const NamedArrays& arrays) {
  ZipWriter writer(file);
  for (const auto& [name, array] : arrays) {
    const Array packed = array.contiguous();
    writer.add(fmt::format("{}{}", name, npy_extension), npy_header(packed), bytes_of(packed));
  }
  writer.finish();
}

}  // namespace gnomon
