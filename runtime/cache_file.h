// Whole files of the cache: written aside and renamed, read and verified.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// Makes a folder and its missing parents, the folder itself with mode 0700. False on failure.
bool make_private_folder(const std::filesystem::path& folder);

/// Writes a file under another name and renames it: readers see all of it or none. False on
/// failure, and then nothing is left behind.
bool write_file(const std::filesystem::path& path, std::string_view bytes);

/// The bytes of a regular file; nothing when it cannot be read.
std::optional<std::string> read_file(const std::filesystem::path& path);

/// Whether a file name is that of an unfinished write.
bool is_unfinished(std::string_view file_name);

/// The folder for objects that could not be cached: made on first need, private to this process,
/// removed when it ends. Empty when it cannot be made.
std::filesystem::path private_object_folder();

}  // namespace gnomon
