// Libraries of Gnomon's own that are opened at run time.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace gnomon {

/// Opens a library for good, at the first place where it lies and `accepts` the address of its
/// function `entry`: at the one that the environment variable names, if it is set, and no other;
/// beside the code that runs, where the loader finds it, where it was to be installed. Returns
/// why none was opened, a line for each file, which is of no account once one is accepted.
std::string open_library(const std::string& name, const char* variable, const char* entry,
                         const std::function<bool(void*)>& accepts);

/// Folders beside those that this code lies in, as "nvidia/cu13/lib" beside Python's package of it.
std::vector<std::string> neighbouring_folders(std::span<const char* const> names);

/// Keeps the library or plugin that this code is part of in memory until the process ends: threads
/// run in it, and compiled functions call it.
void keep_loaded();

}  // namespace gnomon
