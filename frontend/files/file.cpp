// Opens, reads, writes and renames files, with errors that name them.
#include "frontend/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>
#include <system_error>

#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr std::size_t block = std::size_t{1} << 20;  // bytes read at a time
// The most that one call of Linux reads or writes is a little less than 2 GiB.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

std::string system_text(int code) { return std::generic_category().message(code); }

[[noreturn]] void refuse(const char* who, const std::string& path, int code) {
  throw FileError(fmt::format("{}: {}: {}", who, path, system_text(code)), code, system_text(code),
                  path);
}

// The name that a file has until it is finished: another one each time.
std::string unfinished_name(const std::filesystem::path& path) {
  const std::string name = fmt::format(".{}.{}.{:08x}.part", path.filename().string(), ::getpid(),
                                       std::random_device()());
  return (path.parent_path() / name).string();
}

}  // namespace

// -------------------------------------------------------------------------------------------- read

InputFile::InputFile(const std::filesystem::path& path) : InputFile(path, {}) {}

InputFile::InputFile(const std::filesystem::path& path, const std::string& missing)
    : name_(path.string()), file_(::open(name_.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (!file_ && errno == ENOENT && !missing.empty())
    throw FileError(fmt::format("{}: {}", missing, name_), ENOENT, missing, name_);
  struct stat status{};
  if (!file_ || ::fstat(file_.get(), &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  size_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
}

std::size_t InputFile::read(std::uint64_t at, void* into, std::size_t count) const {
  std::size_t filled = 0;
  while (filled < count) {
    const ssize_t got =
        ::pread(file_.get(), static_cast<char*>(into) + filled,
                std::min(count - filled, most_at_once), static_cast<off_t>(at + filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  return filled;
}

std::string InputFile::text(std::uint64_t at, std::uint64_t count) const {
  std::string bytes(std::min(count, size_ - std::min(at, size_)), '\0');
  bytes.resize(read(at, bytes.data(), bytes.size()));
  return bytes;
}

std::uint32_t InputFile::checksum() const {
  std::string bytes(block, '\0');
  std::uint32_t crc = 0;
  for (std::uint64_t at = 0;;) {
    const std::size_t count = read(at, bytes.data(), bytes.size());
    crc = crc32_of({bytes.data(), count}, crc);
    if (count < bytes.size()) return crc;
    at += count;
  }
}

void InputFile::reject(std::string_view what) const {
  throw ValueError(fmt::format("load: {}: {}", name_, what));
}

void InputFile::fail(int code) const { refuse("load", name_, code); }

// ------------------------------------------------------------------------------------------- write

OutputFile::OutputFile(const std::filesystem::path& path)
    : name_(path.string()), aside_(unfinished_name(path)) {
  const std::string folder = path.parent_path().string();
  std::error_code error;
  if (!std::filesystem::is_directory(folder.empty() ? "." : folder, error)) {
    const std::string what = fmt::format("save: {}: there is no folder {}", name_, folder);
    throw FileError(what, ENOENT, what, {});
  }
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
  file_ = Descriptor(::open(aside_.c_str(), flags, 0666));
  if (!file_) fail(errno);
}

OutputFile::~OutputFile() {
  if (file_ && !finished_) ::unlink(aside_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  checksum_ = crc32_of(bytes, checksum_);
  size_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t count = ::write(file_.get(), bytes.data(), std::min(bytes.size(), most_at_once));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
}

void OutputFile::write(const Array& array) { write(bytes_of(array.contiguous())); }

void OutputFile::finish() {
  if (::fsync(file_.get()) != 0 || ::rename(aside_.c_str(), name_.c_str()) != 0) fail(errno);
  finished_ = true;
  if (!file_.close()) fail(errno);
}

void OutputFile::reject(std::string_view what) const {
  throw ValueError(fmt::format("save: {}: {}", name_, what));
}

void OutputFile::fail(int code) const { refuse("save", name_, code); }

std::uint32_t crc32_of(std::string_view bytes, std::uint32_t before) {
  if (bytes.empty()) return before;  // where they are null, zlib begins anew
  return static_cast<std::uint32_t>(
      ::crc32_z(before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string_view bytes_of(const Array& array) {
  return {static_cast<const char*>(array.data()), static_cast<std::size_t>(array.bytes())};
}

}  // namespace gnomon
