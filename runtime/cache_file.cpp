// Writes and reads whole files, with a way for tests to make any step fail.
#include "runtime/cache_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "runtime/cache.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

std::atomic<std::int64_t> steps_done{0};
std::atomic<std::int64_t> first_failing_step{-1};

// Called before each step that changes the file system; true when a test wants it to fail.
bool step_fails() {
  const std::int64_t step = steps_done.fetch_add(1, std::memory_order_relaxed);
  const std::int64_t first = first_failing_step.load(std::memory_order_relaxed);
  if (first < 0 || step < first) return false;
  errno = ENOSPC;
  return true;
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  // Some file systems report a full disk only here.
  bool close() { return ::close(std::exchange(fd_, -1)) == 0; }

 private:
  int fd_;
};

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_new(const fs::path& path, std::string_view bytes) {
  if (step_fails()) return false;
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.get() < 0) return false;
  if (step_fails()) {
    write_all(file.get(), bytes.substr(0, bytes.size() / 2));  // as a full disk would
    return false;
  }
  if (!write_all(file.get(), bytes)) return false;
  return !step_fails() && file.close();
}

struct PrivateFolder {
  std::mutex mutex;
  fs::path path;
  pid_t owner = 0;

  ~PrivateFolder() {
    // A forked child must not remove what its parent still uses.
    std::error_code ignored;
    if (!path.empty() && owner == ::getpid()) fs::remove_all(path, ignored);
  }
};

}  // namespace

std::int64_t cache_fault_after(std::int64_t n) {
  first_failing_step.store(n, std::memory_order_relaxed);
  return steps_done.exchange(0, std::memory_order_relaxed);
}

bool make_private_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder, error)) return true;
  if (step_fails()) return false;
  if (folder.has_parent_path()) fs::create_directories(folder.parent_path(), error);
  return ::mkdir(folder.c_str(), 0700) == 0 || fs::is_directory(folder, error);
}

bool write_file(const fs::path& path, std::string_view bytes) {
  static std::atomic<std::uint64_t> counter{0};
  // The process and a counter make the name this write's own; O_EXCL catches a reused process id.
  const fs::path aside = fmt::format("{}.{}-{}.part", path.string(), ::getpid(),
                                     counter.fetch_add(1, std::memory_order_relaxed));
  if (write_new(aside, bytes) && !step_fails() && ::rename(aside.c_str(), path.c_str()) == 0)
    return true;
  ::unlink(aside.c_str());
  return false;
}

std::optional<std::string> read_file(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode))
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t got = ::read(file.get(), bytes.data() + filled, bytes.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  bytes.resize(filled);
  return bytes;
}

bool is_unfinished(std::string_view file_name) { return file_name.ends_with(".part"); }

fs::path private_object_folder() {
  static PrivateFolder folder;
  const std::lock_guard lock(folder.mutex);
  if (!folder.path.empty() && folder.owner == ::getpid()) return folder.path;
  if (step_fails()) return {};
  std::string name = (temporary_folder() / "gnomon-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) return {};
  folder.path = name;
  folder.owner = ::getpid();
  return folder.path;
}

}  // namespace gnomon
