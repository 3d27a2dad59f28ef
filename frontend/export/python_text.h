// The Python package of an exported library: calls of its shared library through ctypes.
#pragma once

#include <string>
#include <string_view>

#include "frontend/export/interface.h"

namespace gnomon {

/// The package's __init__.py: a function for each of the library's, and the class of its variables.
std::string python_text(const Interface& library);

/// Whether Python takes no name for it.
bool is_python_keyword(std::string_view word);

/// The package's _calls.py, which all libraries have alike: arrays in and out, threads, errors.
std::string python_calls_text();

}  // namespace gnomon
