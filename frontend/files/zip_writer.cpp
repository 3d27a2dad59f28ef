// Writes archives of stored members, of any size.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/files/little_endian.h"
#include "frontend/files/zip.h"

namespace gnomon {

namespace {

constexpr std::uint64_t needs_version = 45;    // that of large files
constexpr std::uint64_t on_unix = 3;           // what the mode of a member is written by
constexpr std::uint64_t mode = 0644;           // of a member that is unpacked
constexpr std::uint64_t name_is_utf8 = 0x800;  // flag
constexpr std::uint64_t first_day = 0x21;      // 1980-01-01: equal arrays make equal files
constexpr std::uint64_t most_in_32 = 0xffffffff, most_in_16 = 0xffff;

// A part of the format as it grows: numbers of 2, 4 and 8 bytes.
class Record {
 public:
  explicit Record(std::string_view word) : bytes_(word) {}
  Record& two(std::uint64_t n) { return add(little_endian(n, 2)); }
  Record& four(std::uint64_t n) { return add(little_endian(n, 4)); }
  Record& eight(std::uint64_t n) { return add(little_endian(n, 8)); }
  Record& add(std::string_view bytes) {
    bytes_ += bytes;
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

// What headers and entries of the directory have in common.
void add_start(Record& record, const std::string& name, std::uint32_t crc) {
  const bool is_ascii = std::ranges::all_of(name, [](char c) { return (c & 0x80) == 0; });
  record.two(needs_version).two(is_ascii ? 0 : name_is_utf8);
  record.two(0).two(0).two(first_day).four(crc);  // stored, at midnight
}

}  // namespace

void ZipWriter::add(const std::string& name, std::string_view first, std::string_view second) {
  if (name.size() > most_in_16) file_.reject("expected names of at most 65535 bytes");
  const std::uint64_t at = file_.size(), size = first.size() + second.size();
  const std::uint32_t crc = crc32_of(second, crc32_of(first));

  // The sizes always stand in the part for large files, as NumPy writes them.
  Record header("PK\3\4");
  add_start(header, name, crc);
  header.four(most_in_32).four(most_in_32).two(name.size()).two(20).add(name);
  header.two(zip_large_files).two(16).eight(size).eight(size);
  file_.write(header.bytes());
  file_.write(first);
  file_.write(second);

  Record large("");
  if (size >= most_in_32) large.eight(size).eight(size);
  if (at >= most_in_32) large.eight(at);
  Record entry("PK\1\2");
  entry.two(on_unix << 8U | needs_version);
  add_start(entry, name, crc);
  const std::uint64_t short_size = std::min(size, most_in_32);
  entry.four(short_size).four(short_size).two(name.size());
  entry.two(large.bytes().empty() ? 0 : large.bytes().size() + 4);
  entry.two(0).two(0).two(0).four(mode << 16U).four(std::min(at, most_in_32)).add(name);
  if (!large.bytes().empty())
    entry.two(zip_large_files).two(large.bytes().size()).add(large.bytes());
  directory_ += entry.bytes();
  ++count_;
}

void ZipWriter::finish() {
  const std::uint64_t at = file_.size(), size = directory_.size();
  file_.write(directory_);
  if (count_ >= most_in_16 || at >= most_in_32 || size >= most_in_32) {
    Record end("PK\6\6");
    end.eight(44).two(on_unix << 8U | needs_version).two(needs_version).four(0).four(0);
    end.eight(count_).eight(count_).eight(size).eight(at);
    Record locator("PK\6\7");
    locator.four(0).eight(at + size).four(1);
    file_.write(end.bytes() + locator.bytes());
  }
  Record end("PK\5\6");
  end.two(0).two(0).two(std::min(count_, most_in_16)).two(std::min(count_, most_in_16));
  end.four(std::min(size, most_in_32)).four(std::min(at, most_in_32)).two(0);
  file_.write(end.bytes());
}

}  // namespace gnomon
