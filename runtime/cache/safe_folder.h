// Folders and files that only the user and root can change, opened without following links.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace gnomon {

/// An open file or folder, which is closed with this object.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { close(); }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  explicit operator bool() const { return fd_ >= 0; }
  int get() const { return fd_; }
  /// False where the file system reports a failed write only now.
  bool close();

 private:
  int fd_;
};

/// A folder that was asked for.
struct OpenedFolder {
  Descriptor descriptor;  // nothing where there is no such folder, or one that is not safe
  std::string problem;    // why it is not safe: "/x may be written by others"
};

/// Opens a folder that only the user and root can change: it is theirs and nobody else may write
/// to it, and so are the folders above it (those that are sticky, as /tmp, may be written to by
/// all). Links above it are followed where they are as safe; the folder itself must be none.
OpenedFolder open_folder(const std::filesystem::path& folder);
/// The same, after making what is missing with mode 0700.
OpenedFolder make_folder(const std::filesystem::path& folder);

/// Opens a regular file in the folder for reading: no link, of the user or root, writable by nobody
/// else, of at most `most_bytes`. Nothing otherwise; never waits, as for the writer of a FIFO.
Descriptor open_file(const Descriptor& folder, const std::string& name, std::int64_t most_bytes);

/// Whether only the user and root can change the file that the path names, links resolved.
bool is_safe_file(const std::filesystem::path& path);

/// Writes "gnomon: <text>" to the standard error, once in a process for each text.
void tell_once(const std::string& text);

/// For tests, which cannot give files away: who the user is taken to be; -1: who it is.
void pretend_user(std::int64_t uid);

}  // namespace gnomon
