// Exported libraries as wheels of Python.
#pragma once

#include <filesystem>

#include "frontend/export/export_library.h"

namespace gnomon {

/// ValueError: the library's name or version is none that a wheel can have.
void check_wheel(const ExportedLibrary& library);

/// Writes FOLDER/NAME-VERSION-py3-none-PLATFORM.whl: a package NAME that needs NumPy alone. Returns
/// its path. FileError: it cannot be written.
std::filesystem::path write_wheel(const ExportedLibrary& library,
                                  const std::filesystem::path& folder);

}  // namespace gnomon
