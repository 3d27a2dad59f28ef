// Whole files of the cache: written aside and renamed, read and verified.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/cache/safe_folder.h"

namespace gnomon {

/// Writes a file of a folder under another name and renames it: readers see all of it or none.
/// False on failure, and then nothing is left behind.
bool write_file(const Descriptor& folder, const std::string& name, std::string_view bytes);

/// The bytes of an open file, from its start; nothing when it cannot be read.
std::optional<std::string> read_file(const Descriptor& file);
/// Those of a file of a folder that `open_file` opens.
std::optional<std::string> read_file(const Descriptor& folder, const std::string& name,
                                     std::int64_t most_bytes);

/// Removes a file, or a link, of a folder.
void remove_file(const Descriptor& folder, const std::string& name);

/// Whether a file name is that of an unfinished write.
bool is_unfinished(std::string_view file_name);

/// A file without a name, in memory or, where `on_disk`, in the temporary folder: it goes with its
/// last descriptor, however the process ends. Nothing when it cannot be made.
Descriptor nameless_file(std::string_view bytes, bool on_disk);

/// Called before each step that changes the file system; true when a test wants it to fail.
bool step_fails();

}  // namespace gnomon
