// Where libraries of Gnomon's own that are opened at run time may lie.
#pragma once

#include <string>
#include <vector>

namespace gnomon {

/// Files of the library `name` that can be read, best guess first: the one that the environment
/// variable names, if it is set, and no other; beside the code that runs, where it was installed or
/// built. Among them is the bare name, for the loader's own search.
std::vector<std::string> library_files(const std::string& name, const char* variable);

}  // namespace gnomon
