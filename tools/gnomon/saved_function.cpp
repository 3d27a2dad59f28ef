// Reads the files that commands work on.
#include "tools/gnomon/saved_function.h"

#include <fmt/format.h>

#include "runtime/error.h"

namespace gnomon {

SavedGraph function_in(const char* command, const std::string& path) {
  SavedGraph graph = read_graph(path);
  if (!graph.is_function)
    throw ValueError(
        fmt::format("{}: expected a function in {}, found expressions", command, path));
  return graph;
}

}  // namespace gnomon
