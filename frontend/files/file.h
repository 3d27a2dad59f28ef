// Files that are read at any place, and files that are written whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "runtime/arrays/array.h"
#include "runtime/cache/safe_folder.h"

namespace gnomon {

/// A file that is open for reading.
class InputFile {
 public:
  /// FileError: there is none, or it may not be read.
  explicit InputFile(const std::filesystem::path& path);
  /// The same; where there is none, the error says `missing`.
  InputFile(const std::filesystem::path& path, const std::string& missing);

  std::uint64_t size() const { return size_; }
  /// Up to `count` bytes from `at` on: fewer where the file ends.
  std::size_t read(std::uint64_t at, void* into, std::size_t count) const;
  /// So many bytes from `at` on, or all up to the end.
  std::string text(std::uint64_t at, std::uint64_t count) const;
  /// CRC-32 of the whole.
  std::uint32_t checksum() const;
  /// Throws the ValueError that says what is wrong with the file: "load: w.npz: ...".
  [[noreturn]] void reject(std::string_view what) const;

 private:
  [[noreturn]] void fail(int code) const;

  std::string name_;
  Descriptor file_;
  std::uint64_t size_ = 0;
};

/// A file that takes the place of another one when it is finished.
class OutputFile {
 public:
  /// FileError: there is no such folder, or it may not be written to.
  explicit OutputFile(const std::filesystem::path& path);
  /// Without `finish`, nothing of it stays.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(std::string_view bytes);
  /// The elements in C order.
  void write(const Array& array);
  /// Bytes written so far.
  std::uint64_t size() const { return size_; }
  /// CRC-32 of them.
  std::uint32_t checksum() const { return checksum_; }
  /// Brings it to the disk and gives it its name.
  void finish();
  /// Throws the ValueError that says what cannot be written: "save: w.npz: ...".
  [[noreturn]] void reject(std::string_view what) const;

 private:
  [[noreturn]] void fail(int code) const;

  std::string name_, aside_;
  Descriptor file_;
  std::uint64_t size_ = 0;
  std::uint32_t checksum_ = 0;
  bool finished_ = false;
};

/// The CRC-32 of bytes behind others with the checksum `before`.
std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before = 0);
/// The elements of a contiguous array as bytes.
std::string_view bytes_of(const Array& array);

}  // namespace gnomon
