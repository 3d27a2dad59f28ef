// Functions in files, as commands take them.
#pragma once

#include <string>

#include "frontend/files/graph_file.h"

namespace gnomon {

/// The function in a file. ValueError with the name of the command: it has expressions instead.
SavedGraph function_in(const char* command, const std::string& path);

}  // namespace gnomon
