// gnomon info: what Gnomon found on this machine.
#include <fmt/format.h>

#include <memory>

#include "frontend/configuration.h"
#include "tools/gnomon/command.h"

namespace gnomon {

void add_info(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon info", "what a report of a bug should have"},
      {"gnomon info --json | jq -r .blas.description", "a part of it, for a program"},
  };
  const auto json = std::make_shared<bool>(false);
  CLI::App& command = line.add(
      line.app, "info",
      "tells what was found on this machine\n"
      "The version, the processor with its caches, threads and memory, the libraries that are "
      "opened when they are needed (or why one is not found), the cache of compiled functions, "
      "and the variables of the environment that are set.",
      examples);
  add_json(command, *json);
  line.runs(command, [json] {
    const Configuration found = configuration();
    fmt::print("{}", *json ? json_text(found) + "\n" : text(found));
    return done;
  });
}

}  // namespace gnomon
