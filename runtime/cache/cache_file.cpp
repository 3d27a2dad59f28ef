// Writes and reads whole files, with a way for tests to make any step fail.
#include "runtime/cache/cache_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>

#include "runtime/cache/cache.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

std::atomic<std::int64_t> steps_done{0};
std::atomic<std::int64_t> first_failing_step{-1};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_new(const Descriptor& folder, const std::string& name, std::string_view bytes) {
  if (step_fails()) return false;
  constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  Descriptor file(::openat(folder.get(), name.c_str(), flags, 0600));
  if (!file) return false;
  if (step_fails()) {
    write_all(file.get(), bytes.substr(0, bytes.size() / 2));  // as a full disk would
    return false;
  }
  if (!write_all(file.get(), bytes)) return false;
  return !step_fails() && file.close();  // some file systems report a full disk only here
}

// Newer kernels want to be told that code is to run from it; older ones do not know the flag.
Descriptor file_in_memory() {
  constexpr unsigned to_run = 0x10;  // MFD_EXEC
  Descriptor file(::memfd_create("gnomon", MFD_CLOEXEC | to_run));
  if (!file && errno == EINVAL) file = Descriptor(::memfd_create("gnomon", MFD_CLOEXEC));
  return file;
}

Descriptor file_on_disk() {
  const std::string folder = temporary_folder().string();
  Descriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file) return file;
  std::string name = folder + "/gnomon-XXXXXX";
  file = Descriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file) ::unlink(name.c_str());
  return file;
}

}  // namespace

bool step_fails() {
  const std::int64_t step = steps_done.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t first = first_failing_step.load(std::memory_order_relaxed);
  if (first < 0 || step < first) return false;
  errno = ENOSPC;
  return true;
}

std::int64_t cache_fault_after(std::int64_t n) {
  first_failing_step.store(n, std::memory_order_relaxed);
  return steps_done.exchange(0, std::memory_order_relaxed);
}

bool write_file(const Descriptor& folder, const std::string& name, std::string_view bytes) {
  static std::atomic<std::uint64_t> counter{0};
  // The process and a counter make the name this write's own; O_EXCL catches a reused process id.
  const std::string aside = fmt::format("{}.{}-{}.part", name, ::getpid(),
                                        counter.fetch_add(1, std::memory_order_relaxed));
  if (write_new(folder, aside, bytes) && !step_fails() &&
      ::renameat(folder.get(), aside.c_str(), folder.get(), name.c_str()) == 0)
    return true;
  const int reason = errno;
  remove_file(folder, aside);
  errno = reason;
  return false;
}

std::optional<std::string> read_file(const Descriptor& file) {
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::pread(file.get(), bytes.data() + filled, bytes.size() - filled,
                                static_cast<off_t>(filled));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

std::optional<std::string> read_file(const Descriptor& folder, const std::string& name,
                                     std::int64_t most_bytes) {
  return read_file(open_file(folder, name, most_bytes));
}

void remove_file(const Descriptor& folder, const std::string& name) {
  ::unlinkat(folder.get(), name.c_str(), 0);
}

bool is_unfinished(std::string_view file_name) { return file_name.ends_with(".part"); }

Descriptor nameless_file(std::string_view bytes, bool on_disk) {
  Descriptor file = on_disk ? file_on_disk() : file_in_memory();
  return file && write_all(file.get(), bytes) ? std::move(file) : Descriptor();
}

}  // namespace gnomon
