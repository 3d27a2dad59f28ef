// Exported libraries as wheels of Python.
#pragma once

#include <filesystem>

#include "frontend/export/export_library.h"

namespace gnomon {

/// ValueError: the library's name or version is none that a wheel can have.
void check_wheel(const ExportedLibrary& library);

/// FOLDER/NAME-VERSION-py3-none-PLATFORM.whl.
std::filesystem::path wheel_path(const ExportedLibrary& library,
                                 const std::filesystem::path& folder);

/// Writes a package NAME that needs NumPy alone, with the file of weights if there is one.
/// FileError: it cannot be written.
void write_wheel(const ExportedLibrary& library, const std::filesystem::path& path);

}  // namespace gnomon
