// Archives in the format of ZIP, as far as .npz needs it: members that are stored or deflated.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frontend/files/file.h"

namespace gnomon {

/// What the part of a header is known by that has the sizes of large files.
inline constexpr std::uint64_t zip_large_files = 1;

/// A member as the directory at the end of an archive tells it.
struct ZipMember {
  std::string name;
  std::uint64_t flags = 0, method = 0, crc = 0;
  std::uint64_t packed_size = 0, size = 0;
  std::uint64_t header_at = 0;   // in the file
  std::uint64_t most_to_at = 0;  // where what follows it begins
};

/// The members in the order of the directory. ValueError: the file is no whole archive.
std::vector<ZipMember> zip_members(const InputFile& file);

/// Whether Gnomon can unpack it: it is stored or deflated.
bool is_known_packing(const ZipMember& member);

/// Reads a member from its begin to its end.
class ZipReader {
 public:
  /// ValueError: the member is not where the directory says, or it is encrypted.
  ZipReader(const InputFile& file, const ZipMember& member);
  ~ZipReader();
  ZipReader(const ZipReader&) = delete;
  ZipReader& operator=(const ZipReader&) = delete;

  /// Up to `count` bytes: fewer at the end. ValueError: they cannot be unpacked.
  std::size_t read(void* into, std::size_t count);
  std::string text(std::size_t count);
  /// ValueError: the member goes on, or it has another checksum than the directory says.
  void finish();

 private:
  struct Inflation;

  std::size_t read_packed(char* into, std::size_t count);
  std::size_t inflate(char* into, std::size_t count);

  const InputFile& file_;
  const ZipMember& member_;
  std::uint64_t at_ = 0, packed_left_ = 0, left_ = 0;
  std::uint32_t crc_ = 0;
  std::unique_ptr<Inflation> inflation_;  // of a member that is deflated
};

/// Writes members one behind the other, stored, and then the directory.
class ZipWriter {
 public:
  explicit ZipWriter(OutputFile& file) : file_(file) {}
  /// A member of two parts. ValueError: the name is too long.
  void add(const std::string& name, std::string_view first, std::string_view second);
  void finish();

 private:
  OutputFile& file_;
  std::string directory_;
  std::uint64_t count_ = 0;
};

}  // namespace gnomon
