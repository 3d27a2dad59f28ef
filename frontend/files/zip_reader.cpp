// Reads archives: the directory, which is not trusted, and members.
#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "frontend/files/little_endian.h"
#include "frontend/files/zip.h"
#include "ir/text/lexer.h"

namespace gnomon {

namespace {

using namespace std::string_view_literals;

// Sizes in bytes of the parts of the format, and the words they begin with.
constexpr std::size_t end_size = 22, end64_size = 56, locator_size = 20;
constexpr std::size_t entry_size = 46, header_size = 30;
constexpr std::string_view end_word = "PK\5\6"sv, end64_word = "PK\6\6"sv,
                           locator_word = "PK\6\7"sv;
constexpr std::string_view entry_word = "PK\1\2"sv, header_word = "PK\3\4"sv;
constexpr std::size_t longest_comment = 0xffff;
constexpr std::uint64_t in_extra = 0xffffffff;  // a size that stands in the part for large files

constexpr std::uint64_t encrypted = 1 | 1 << 6, patched = 1 << 5;  // flags
constexpr std::uint64_t stored = 0, deflated = 8;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  return little_endian(bytes.substr(at, count));
}

[[noreturn]] void reject(const InputFile& file, std::string_view why) {
  file.reject(fmt::format("not a whole .npz file: {}", why));
}

// Where the directory is. Something may stand before the archive: places are counted from `start`.
struct DirectoryPlace {
  std::uint64_t at = 0, size = 0, start = 0;
};

DirectoryPlace find_directory(const InputFile& file) {
  const std::uint64_t tail_size = std::min<std::uint64_t>(file.size(), longest_comment + end_size);
  const std::string tail = file.text(file.size() - tail_size, tail_size);
  const std::size_t place = tail.rfind(end_word);
  if (place == std::string::npos || tail.size() - place < end_size)
    reject(file, "File is not a zip file");
  std::uint64_t end = file.size() - tail_size + place;
  std::uint64_t size = number(tail, place + 12, 4), offset = number(tail, place + 16, 4);
  if (end >= locator_size + end64_size) {
    const std::string large = file.text(end - locator_size - end64_size, locator_size + end64_size);
    if (large.starts_with(end64_word) && large.compare(end64_size, 4, locator_word) == 0) {
      end -= locator_size + end64_size;
      size = number(large, 40, 8);
      offset = number(large, 48, 8);
    }
  }
  if (size > end || offset > end - size) reject(file, "Bad offset for central directory");
  return {end - size, size, end - size - offset};
}

// The sizes and the place that do not fit into 32 bits stand behind the name.
void take_large_sizes(const InputFile& file, std::string_view extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const std::uint64_t kind = number(extra, 0, 2), size = number(extra, 2, 2);
    if (size > extra.size() - 4) reject(file, "Corrupt extra field");
    std::string_view data = extra.substr(4, size);
    extra.remove_prefix(4 + size);
    if (kind != zip_large_files) continue;
    for (std::uint64_t* field : {&member.size, &member.packed_size, &member.header_at}) {
      if (*field != in_extra) continue;
      if (data.size() < 8) reject(file, "Corrupt zip64 extra field");
      *field = number(data, 0, 8);
      data.remove_prefix(8);
    }
    return;
  }
}

// Takes an entry off the front of the directory.
ZipMember take_entry(const InputFile& file, std::string_view& directory) {
  if (directory.size() < entry_size) reject(file, "Truncated central directory");
  if (!directory.starts_with(entry_word)) reject(file, "Bad magic number for central directory");
  ZipMember member;
  member.flags = number(directory, 8, 2);
  member.method = number(directory, 10, 2);
  member.crc = number(directory, 16, 4);
  member.packed_size = number(directory, 20, 4);
  member.size = number(directory, 24, 4);
  member.header_at = number(directory, 42, 4);
  const std::uint64_t name = number(directory, 28, 2), extra = number(directory, 30, 2);
  const std::uint64_t comment = number(directory, 32, 2);
  if (directory.size() - entry_size < name + extra + comment)
    reject(file, "Truncated central directory");
  member.name = directory.substr(entry_size, name);
  if (!is_utf8(member.name)) reject(file, "the name of a member is not UTF-8");
  take_large_sizes(file, directory.substr(entry_size + name, extra), member);
  directory.remove_prefix(entry_size + name + extra + comment);
  return member;
}

// Members end where the next one begins, or the directory.
void set_ends(std::vector<ZipMember>& members, std::uint64_t directory_at) {
  std::vector<ZipMember*> order;
  for (ZipMember& member : members) order.push_back(&member);
  std::ranges::sort(order, {}, [](const ZipMember* m) { return m->header_at; });
  std::uint64_t next = directory_at;
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    (*at)->most_to_at = next;
    next = std::min(next, (*at)->header_at);
  }
}

}  // namespace

std::vector<ZipMember> zip_members(const InputFile& file) {
  const DirectoryPlace place = find_directory(file);
  const std::string text = file.text(place.at, place.size);
  std::vector<ZipMember> members;
  for (std::string_view directory = text; !directory.empty();) {
    ZipMember member = take_entry(file, directory);
    if (member.header_at > place.at - place.start) reject(file, "Bad offset of a member");
    member.header_at += place.start;
    members.push_back(std::move(member));
  }
  set_ends(members, place.at);
  return members;
}

bool is_known_packing(const ZipMember& member) {
  return member.method == stored || member.method == deflated;
}

struct ZipReader::Inflation {
  z_stream stream{};
  std::string packed = std::string(std::size_t{1} << 16, '\0');
  bool ended = false;
};

ZipReader::ZipReader(const InputFile& file, const ZipMember& member)
    : file_(file), member_(member), packed_left_(member.packed_size), left_(member.size) {
  if ((member.flags & encrypted) != 0)
    reject(file, fmt::format("File '{}' is encrypted", member.name));
  if ((member.flags & patched) != 0) reject(file, "compressed patched data (flag bit 5)");
  const std::string header = file.text(member.header_at, header_size);
  if (header.size() < header_size || !header.starts_with(header_word))
    reject(file, "Bad magic number for file header");
  const std::uint64_t name = number(header, 26, 2), extra = number(header, 28, 2);
  if (file.text(member.header_at + header_size, name) != member.name)
    reject(file, fmt::format("File name in directory '{}' and header differ", member.name));
  at_ = member.header_at + header_size + name + extra;
  if (at_ > member.most_to_at || packed_left_ > member.most_to_at - at_)
    reject(file, fmt::format("Overlapped entries: '{}'", member.name));
  if (member.method == stored && member.packed_size != member.size)
    reject(file, fmt::format("File '{}' has two sizes", member.name));
  if (member.method == stored) return;
  inflation_ = std::make_unique<Inflation>();
  if (inflateInit2(&inflation_->stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
}

ZipReader::~ZipReader() {
  if (inflation_) inflateEnd(&inflation_->stream);
}

std::size_t ZipReader::read_packed(char* into, std::size_t count) {
  count = file_.read(at_, into, std::min<std::uint64_t>(count, packed_left_));
  at_ += count;
  packed_left_ -= count;
  return count;
}

std::size_t ZipReader::inflate(char* into, std::size_t count) {
  z_stream& stream = inflation_->stream;
  std::size_t filled = 0;
  while (filled < count && !inflation_->ended) {
    if (stream.avail_in == 0) {
      std::string& packed = inflation_->packed;
      stream.avail_in = static_cast<uInt>(read_packed(packed.data(), packed.size()));
      stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    }
    constexpr std::size_t most = std::numeric_limits<uInt>::max();
    const auto room = static_cast<uInt>(std::min(count - filled, most));
    stream.next_out = reinterpret_cast<Bytef*>(into + filled);
    stream.avail_out = room;
    const int result = ::inflate(&stream, Z_NO_FLUSH);
    filled += room - stream.avail_out;
    if (result == Z_BUF_ERROR) break;  // the input ends too early
    if (result != Z_OK && result != Z_STREAM_END)
      reject(file_, fmt::format("Error {} while decompressing data: {}", result,
                                stream.msg == nullptr ? "" : stream.msg));
    inflation_->ended = result == Z_STREAM_END;
  }
  return filled;
}

std::size_t ZipReader::read(void* into, std::size_t count) {
  auto* const bytes = static_cast<char*>(into);
  count = std::min<std::uint64_t>(count, left_);
  count = inflation_ ? inflate(bytes, count) : read_packed(bytes, count);
  left_ -= count;
  crc_ = crc32_of({bytes, count}, crc_);
  return count;
}

std::string ZipReader::text(std::size_t count) {
  std::string bytes(count, '\0');
  bytes.resize(read(bytes.data(), count));
  return bytes;
}

void ZipReader::finish() {
  char more = 0;
  if (left_ != 0 || (inflation_ && inflate(&more, 1) != 0) || crc_ != member_.crc)
    reject(file_, fmt::format("Bad CRC-32 for file '{}'", member_.name));
}

}  // namespace gnomon
