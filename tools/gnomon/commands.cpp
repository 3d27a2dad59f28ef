// The table of commands, and how one is added.
#include "tools/gnomon/command.h"

#include <fmt/format.h>

#include "codegen/toolchain/build.h"
#include "frontend/configuration.h"
#include "tools/gnomon/saved_function.h"

namespace gnomon {

namespace {

constexpr void (*command_table[])(CommandLine&) = {
    add_build, add_run,   add_check, add_bench,      add_explain, add_view, add_fmt,
    add_info,  add_cache, add_tune,  add_completion, add_man,     add_help,
};

constexpr const char* root_doc =
    "the command line of Gnomon, which compiles mathematics over arrays\n"
    "It tells what was found on this machine, looks after the functions that were compiled, and "
    "measures the machine for those that will be.";

constexpr CommandExample root_examples[] = {
    {"gnomon info", "tells what was found on this machine"},
    {"gnomon cache list", "shows the compiled functions that are kept"},
    {"gnomon help cache trim", "explains a command"},
};

std::string text_of(std::span<const CommandExample> list) {
  std::string text;
  for (const CommandExample& e : list) text += fmt::format("{}\n    {}\n", e.line, e.doc);
  return text;
}

}  // namespace

CommandLine::CommandLine() : app(root_doc, "gnomon") {
  app.set_help_flag("-h,--help", "explains the command");
  app.set_version_flag("--version", fmt::format("gnomon {} (build {})", version(), build_id()),
                       "prints the version");
  app.require_subcommand(1);
  app.footer(text_of(root_examples));
}

CLI::App& CommandLine::add(CLI::App& parent, const std::string& name, const std::string& text,
                           std::span<const CommandExample> list) {
  CLI::App& command = *parent.add_subcommand(name, text);
  command.footer(text_of(list));
  return command;
}

void CommandLine::runs(CLI::App& command, std::function<int()> run) {
  command.callback([this, run = std::move(run)] { chosen = run; });
}

void add_model(CLI::App& command, std::string& path) {
  command.add_option("MODEL", path, model_help)->required()->type_name("FILE");
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "prints one object of JSON, for programs");
}

void add_commands(CommandLine& line) {
  for (const auto add : command_table) add(line);
}

}  // namespace gnomon
