// gnomon tune: measures the constants of the cost model.
#include "frontend/tune.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "codegen/toolchain/target.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct TuneArguments {
  std::vector<std::string> names;
  bool dry_run = false, json = false;
};

std::string json_of(const Tuning& tuning) {
  using Json = nlohmann::ordered_json;
  Json measured = Json::array(), machine = Json::object();
  for (const TunedConstant& c : tuning.constants) {
    Json tried = Json::array();
    for (const auto& [value, speed] : c.tried)
      tried.push_back({{"value", value}, {"speed", speed}});
    measured.push_back({{"name", c.name},
                        {"default", c.standard},
                        {"best", c.best},
                        {"gain", c.gain},
                        {"noise", c.noise},
                        {"tried", tried},
                        {"note", c.note}});
  }
  for (const MachineConstant& c : machine_constants())
    machine[std::string(c.name)] = tuning.machine.*c.member;
  const Json path = tuning.path.empty() ? Json() : Json(tuning.path.string());
  const Json all = {{"processor", host_target().name},
                    {"measured", measured},
                    {"constants", machine},
                    {"stored", path}};
  return all.dump(2);
}

int run(const TuneArguments& arguments) {
  Progress progress;
  TuneOptions options;
  options.names = arguments.names;
  options.store = !arguments.dry_run;
  options.begin = [&](std::string_view name, std::size_t place, std::size_t count) {
    progress.show(fmt::format("measuring {}, {} of {}", name, place + 1, count));
  };
  options.progress = [&](const TunedConstant& c) {
    progress.clear();
    if (arguments.json) return;
    fmt::print("{}", c.text());
    std::fflush(stdout);
  };
  if (!arguments.json) fmt::print("processor {}\n", host_target().name);
  const Tuning tuning = tune(options);
  if (arguments.json)
    fmt::print("{}\n", json_of(tuning));
  else if (!tuning.path.empty())
    fmt::print("stored in {}\n", tuning.path.string());
  return done;
}

}  // namespace

void add_tune(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon tune", "measures all constants, in some twenty seconds, and stores them"},
      {"gnomon tune --dry-run few_rows", "measures one and stores nothing"},
  };
  const auto arguments = std::make_shared<TuneArguments>();
  CLI::App& command = line.add(
      line.app, "tune",
      "measures the constants of the cost model on this machine\n"
      "It stores them beside the compiled functions, and functions that later processes compile "
      "are made for them. The machine should have nothing else to do.",
      examples);
  std::vector<std::string> names;
  for (const MachineConstant& c : machine_constants()) names.emplace_back(c.name);
  command.add_option("CONSTANT", arguments->names, "measures these alone")
      ->check(CLI::IsMember(names));
  command.add_flag("--dry-run", arguments->dry_run, "stores nothing");
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
