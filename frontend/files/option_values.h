// The options of compilation that files of functions have: those that decide what is computed.
#pragma once

#include <string>

#include "frontend/compile_options.h"
#include "frontend/files/json.h"

namespace gnomon {

/// The options that decide results, as an object of JSON.
std::string options_text(const CompileOptions& options);
/// ValueError: an option with a value of another kind, or one that no file may choose. The others,
/// as older files have them, may be there with their defaults.
CompileOptions parse_options(const Json& given);

}  // namespace gnomon
