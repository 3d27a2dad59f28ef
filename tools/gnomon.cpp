// gnomon: the command line. Its one command so far measures this machine.
#include <fmt/format.h>

#include <cstdio>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "codegen/toolchain/target.h"
#include "frontend/tune.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace {

using namespace gnomon;
using Arguments = std::span<const std::string_view>;

struct Command {
  std::string_view name, usage, doc;
  int (*run)(Arguments arguments);
};

int run_tune(Arguments arguments) {
  TuneOptions options;
  for (const std::string_view a : arguments) {
    if (a == "--dry-run")
      options.store = false;
    else
      options.names.emplace_back(a);
  }
  options.progress = [](const TunedConstant& c) {
    fmt::print("{}", c.text());
    std::fflush(stdout);
  };
  fmt::print("processor {}\n", host_target().name);
  const Tuning tuning = tune(options);
  if (!tuning.path.empty()) fmt::print("stored in {}\n", tuning.path.string());
  return 0;
}

constexpr Command table[] = {
    {"tune", "[--dry-run] [CONSTANT ...]",
     "measures the constants of the cost model on this machine, or those named, in some seconds, "
     "and stores them beside the compiled functions; --dry-run stores nothing",
     run_tune},
};

int print_help(std::FILE* to) {
  fmt::print(to, "usage: gnomon COMMAND ...\n\n");
  for (const Command& c : table) fmt::print(to, "  {} {}\n      {}\n", c.name, c.usage, c.doc);
  fmt::print(to, "\nEnvironment:\n");
  for (const EnvironmentVariable& v : environment_variables())
    fmt::print(to, "  {:<22} {}\n", v.name, v.doc);
  return to == stdout ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty()) return print_help(stderr);
    if (arguments[0] == "--help" || arguments[0] == "help") return print_help(stdout);
    for (const Command& c : table)
      if (c.name == arguments[0]) return c.run(std::span(arguments).subspan(1));
    fmt::print(stderr, "gnomon: unknown command {}\n", arguments[0]);
    return print_help(stderr);
  } catch (const Error& error) {
    fmt::print(stderr, "gnomon: {}\n", error.what());
    return 1;
  }
}
