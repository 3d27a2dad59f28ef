// Reads the files of the MNIST family: IDX form, gzipped or plain.
#pragma once

#include <gnomon/gnomon.h>
#include <zlib.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace example {

/// The bytes of an IDX file of unsigned bytes, and the extents its header states.
struct Idx {
  std::vector<std::int64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// ValueError when the file is missing, is not IDX of `rank` axes, or ends early.
inline Idx read_idx(const std::filesystem::path& path, int rank) {
  const auto fail = [&](const std::string& why) -> void {
    throw gnomon::ValueError("idx: " + path.string() + ": " + why);
  };
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) fail("cannot be opened");
  const auto read = [&](void* to, std::size_t n) {
    const int got = gzread(file.get(), to, static_cast<unsigned>(n));
    return got >= 0 ? static_cast<std::size_t>(got) : 0;
  };
  const auto read_number = [&] {
    std::array<std::uint8_t, 4> b{};
    if (read(b.data(), 4) != 4) fail("ends within its header");
    return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  };
  const std::uint32_t expected = 0x800u + static_cast<std::uint32_t>(rank), magic = read_number();
  if (magic != expected)
    fail("expected magic number " + std::to_string(expected) + ", found " + std::to_string(magic));
  Idx idx;
  std::uint64_t size = 1;
  for (int axis = 0; axis < rank; ++axis) {
    idx.shape.push_back(read_number());
    size *= static_cast<std::uint64_t>(idx.shape.back());
    if (size > std::uint64_t{1} << 30) fail("its header states more than a gigabyte");
  }
  idx.bytes.resize(size);
  const std::size_t got = read(idx.bytes.data(), size);
  if (got != size)
    fail("expected " + std::to_string(size) + " bytes of data, found " + std::to_string(got));
  return idx;
}

/// Images as rows of pixels in [0, 1], and the class of each.
struct Images {
  gnomon::Array pixels;  // f32[count, rows * columns]
  gnomon::Array labels;  // i64[count]
};

/// Reads `<set>-images-idx3-ubyte.gz` and `<set>-labels-idx1-ubyte.gz`; ValueError when they do not
/// belong together or a label is not below `classes`.
inline Images read_images(const std::filesystem::path& folder, const std::string& set,
                          int classes = 10) {
  const Idx images = read_idx(folder / (set + "-images-idx3-ubyte.gz"), 3);
  const Idx labels = read_idx(folder / (set + "-labels-idx1-ubyte.gz"), 1);
  const std::int64_t count = images.shape[0], pixels = images.shape[1] * images.shape[2];
  if (labels.shape[0] != count)
    throw gnomon::ValueError("idx: " + set + ": expected " + std::to_string(count) +
                             " labels, found " + std::to_string(labels.shape[0]));
  Images result{gnomon::Array::empty(gnomon::float32, {count, pixels}),
                gnomon::Array::empty(gnomon::int64, {count})};
  float* const x = result.pixels.data<float>();
  for (std::size_t i = 0; i < images.bytes.size(); ++i)
    x[i] = static_cast<float>(images.bytes[i]) / 255.0f;
  std::int64_t* const y = result.labels.data<std::int64_t>();
  for (std::size_t i = 0; i < labels.bytes.size(); ++i) {
    if (labels.bytes[i] >= classes)
      throw gnomon::ValueError("idx: " + set + ": expected labels below " +
                               std::to_string(classes) + ", found " +
                               std::to_string(int{labels.bytes[i]}));
    y[i] = labels.bytes[i];
  }
  return result;
}

}  // namespace example
