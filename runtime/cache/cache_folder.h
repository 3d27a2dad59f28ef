// The files of a cache folder, by their names: entries, objects, unfinished writes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/cache/entry_file.h"
#include "runtime/cache/safe_folder.h"

namespace gnomon {

// What is read at all: larger files are none of ours.
constexpr std::int64_t most_entry_bytes = std::int64_t{1} << 24;
constexpr std::int64_t most_object_bytes = std::int64_t{1} << 30;

/// The name of the file of an entry, and of an object.
std::string entry_name(std::string_view key);
std::string object_name(std::string_view hash);

/// A file of the cache's own.
struct CachedFile {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t used = 0;  ///< nanoseconds since 1970

  bool is_entry() const;
  bool is_object() const;
  /// The name without the ending.
  std::string stem() const;
};

/// The cache's own files in a folder that other processes may be changing.
std::vector<CachedFile> list_files(const Descriptor& folder);

/// What the entry's file of that name says; nothing where it is damaged or cannot be read.
std::optional<EntryFile> read_entry(const Descriptor& folder, const std::string& name);

/// The object, if it is there and whole.
Descriptor whole_object(const Descriptor& folder, const EntryFile& entry);

/// The folder, unless there is none or others can change it, which is said once.
Descriptor usable(OpenedFolder opened, const std::filesystem::path& folder);

}  // namespace gnomon
