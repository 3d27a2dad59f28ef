// Walks to a folder component by component, and looks at each one's owner and mode.
#include "runtime/cache/safe_folder.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <deque>
#include <mutex>
#include <set>

#include "runtime/cache/cache_file.h"

namespace gnomon {

namespace {

namespace fs = std::filesystem;

constexpr int most_links = 40;  // as the kernel follows

std::atomic<std::int64_t> pretended_user{-1};

bool is_trusted(uid_t owner) {
  const std::int64_t pretended = pretended_user.load(std::memory_order_relaxed);
  return owner == 0 || owner == (pretended < 0 ? ::geteuid() : static_cast<uid_t>(pretended));
}

bool others_may_write(const struct stat& status) {
  return (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

// To be passed through, which needs no right to read, and looked at.
Descriptor open_component(int parent, const char* name) {
  return Descriptor(::openat(parent, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

class Walk {
 public:
  Walk(const fs::path& path, bool make) : make_(make) {
    std::error_code error;
    fs::path absolute = fs::absolute(path, error);
    if (error) return;
    push_front(absolute);
  }

  OpenedFolder run() {
    OpenedFolder result;
    here_ = open_component(AT_FDCWD, "/");
    if (!here_ || !is_safe(rest_.empty())) return failed();
    while (!rest_.empty()) {
      const std::string name = std::move(rest_.front());
      rest_.pop_front();
      if (!step(name)) return failed();
    }
    result.descriptor = std::move(here_);
    return result;
  }

 private:
  OpenedFolder failed() { return {Descriptor(), std::move(problem_)}; }

  void push_front(const fs::path& path) {
    std::deque<std::string> parts;
    for (const fs::path& part : path)
      if (part != "." && part != "/" && !part.empty()) parts.push_back(part.string());
    rest_.insert(rest_.begin(), parts.begin(), parts.end());
  }

  bool step(const std::string& name) {
    Descriptor next = open_component(here_.get(), name.c_str());
    if (!next && errno == ENOENT && make_) next = make(name);
    if (!next && (errno == ENOTDIR || errno == ELOOP)) return follow(name);
    if (!next) return false;
    here_ = std::move(next);
    so_far_ += "/" + name;
    return is_safe(rest_.empty());
  }

  // Whoever made it in the meantime: what is opened is looked at.
  Descriptor make(const std::string& name) {
    if (step_fails()) return Descriptor();
    if (::mkdirat(here_.get(), name.c_str(), 0700) != 0 && errno != EEXIST) return Descriptor();
    return open_component(here_.get(), name.c_str());
  }

  // The folder with the link cannot be changed by others, nor, in a sticky one, a link of ours.
  bool follow(const std::string& name) {
    const std::string where = so_far_ + "/" + name;
    struct stat status{};
    if (::fstatat(here_.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISLNK(status.st_mode)) return false;  // a file: no such folder
    if (rest_.empty()) return refuse(where + " is a symbolic link");
    if (!is_trusted(status.st_uid)) return refuse_owner(where, status.st_uid);
    std::array<char, PATH_MAX> target{};
    const ssize_t length =
        ::readlinkat(here_.get(), name.c_str(), target.data(), target.size() - 1);
    if (length <= 0 || ++links_ > most_links) return false;
    const fs::path to(std::string(target.data(), static_cast<std::size_t>(length)));
    if (to.is_absolute()) {
      here_ = open_component(AT_FDCWD, "/");
      so_far_.clear();
      if (!here_) return false;
    }
    push_front(to);
    return true;
  }

  bool is_safe(bool last) {
    struct stat status{};
    if (::fstat(here_.get(), &status) != 0) return false;
    if (!is_trusted(status.st_uid)) return refuse_owner(so_far_, status.st_uid);
    if (others_may_write(status) && (last || (status.st_mode & S_ISVTX) == 0))
      return refuse((so_far_.empty() ? "/" : so_far_) + " may be written by others");
    return true;
  }

  bool refuse_owner(const std::string& where, uid_t owner) {
    return refuse(fmt::format("{} belongs to user {}", where.empty() ? "/" : where, owner));
  }

  bool refuse(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  const bool make_;
  std::deque<std::string> rest_;  // components still to go
  Descriptor here_;
  std::string so_far_;  // without the last slash
  int links_ = 0;
  std::string problem_;
};

}  // namespace

bool Descriptor::close() { return fd_ < 0 || ::close(std::exchange(fd_, -1)) == 0; }

OpenedFolder open_folder(const fs::path& folder) { return Walk(folder, false).run(); }
OpenedFolder make_folder(const fs::path& folder) { return Walk(folder, true).run(); }

Descriptor open_file(const Descriptor& folder, const std::string& name, std::int64_t most_bytes) {
  constexpr int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Descriptor file(::openat(folder.get(), name.c_str(), flags));
  struct stat status{};
  const bool is_good = file && ::fstat(file.get(), &status) == 0 && S_ISREG(status.st_mode) &&
                       is_trusted(status.st_uid) && !others_may_write(status) &&
                       status.st_size <= most_bytes;
  return is_good ? std::move(file) : Descriptor();
}

bool is_safe_file(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return false;
  const OpenedFolder folder = open_folder(real.parent_path());
  return folder.descriptor && open_file(folder.descriptor, real.filename().string(), INT64_MAX);
}

void tell_once(const std::string& text) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (told.insert(text).second) fmt::print(stderr, "gnomon: {}\n", text);
}

void pretend_user(std::int64_t uid) { pretended_user.store(uid, std::memory_order_relaxed); }

}  // namespace gnomon
