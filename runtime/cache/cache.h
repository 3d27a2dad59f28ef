// The disk cache of compiled functions: content-addressed, checksummed, safe between processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/safe_folder.h"
#include "runtime/options.h"

namespace gnomon {

/// 32 hexadecimal digits of the 128-bit content hash that names objects and makes keys.
std::string content_hash(std::string_view bytes);

/// A stored function: the caller's text and the shared object, both verified.
struct CacheEntry {
  std::string manifest;
  std::filesystem::path object;    // where it lies; empty where it was not kept
  Descriptor file = Descriptor();  // the very file that was verified, to be mapped from
  bool persistent = true;          // false: the folder could not keep it, and there is no file
};

/// An entry as it lies in the folder.
struct ListedEntry {
  std::string key;         ///< what its file is called
  std::string manifest;    ///< the caller's text; empty where the file is damaged
  std::int64_t bytes = 0;  ///< of the entry and its object, which others may share
  std::int64_t used = 0;   ///< nanoseconds since 1970
  std::string damage;      ///< why `find` would not give it: "its object is missing"; or ""
};

/// How closely entries are looked at: `contents` reads every byte of their objects.
enum class CacheLook { sizes, contents };

/// What a cache folder holds.
struct CacheStats {
  std::int64_t entries = 0, objects = 0, bytes = 0;
};

/// A cache folder. Every call may run in several threads and processes at once. A folder that
/// others than the user and root can change (`open_folder`) is not used at all: that is said once,
/// and the cache is empty.
class Cache {
 public:
  /// Without a folder, the default one.
  explicit Cache(const std::filesystem::path& folder = {});

  const std::filesystem::path& folder() const noexcept { return folder_; }

  /// The entry under `key` (32 hexadecimal digits); ValueError on another key. A damaged entry, or
  /// one that others could have written, is removed and counts as absent. Never fails otherwise.
  std::optional<CacheEntry> find(std::string_view key) const;
  /// Writes an entry. When the folder is not safe or cannot be written, nothing is kept, and the
  /// entry says so.
  CacheEntry store(std::string_view key, std::string_view manifest,
                   std::span<const char> object) const;
  /// Removes the entry under `key`, if any; its object stays for other entries.
  void remove(std::string_view key) const;
  /// Removes the entries of these names, damaged ones too, and objects that no other entry names.
  /// Names that are none of an entry are no matter.
  void remove_listed(std::span<const std::string> keys) const;
  /// Removes every entry, object and left-over of an interrupted write.
  void clear() const;
  /// Removes the entries used longest ago until at most `bytes` bytes remain.
  void trim(std::int64_t bytes) const;
  CacheStats stats() const;
  /// All entries, the one used last first.
  std::vector<ListedEntry> entries(CacheLook look = CacheLook::sizes) const;

 private:
  std::filesystem::path folder_;
};

/// For tests: the n-th next file-system step that writes (counted from 0), and all after it, fail
/// as on a full disk; a negative n ends this. Returns how many steps ran since the last call.
std::int64_t cache_fault_after(std::int64_t n);

}  // namespace gnomon
