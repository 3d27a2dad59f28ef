// How a command of `gnomon` makes itself known: a function that adds it to the command line.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gnomon {

/// How the process ends.
enum ExitStatus : int { done = 0, failed = 1, misused = 2 };

/// A line of a shell that shows what a command is for.
struct CommandExample {
  std::string_view line, doc;
};

/// What the parser is told, and what the arguments turn out to ask for.
class CommandLine {
 public:
  CommandLine();

  CLI::App app;
  /// The command that was asked for; throws `Error`.
  std::function<int()> chosen;

  /// Adds a command to `parent`: the app, or a command that is only a name for others. The first
  /// line of `doc` is what lists of commands say, the rest is for its own help.
  CLI::App& add(CLI::App& parent, const std::string& name, const std::string& doc,
                std::span<const CommandExample> examples);
  /// What a command does; it returns the status that the process ends with.
  void runs(CLI::App& command, std::function<int()> run);
};

/// Adds the file of a function as the first argument of a command.
void add_model(CLI::App& command, std::string& path);

/// Adds --json to a command, which then prints one object of JSON and nothing else.
void add_json(CLI::App& command, bool& json);

// The value of an option says how shells complete it: the type name FILE or DIR, or choices, which
// `CLI::IsMember` makes of it.

// The commands: each is in the file of its name and in the table of commands.cpp.
void add_bench(CommandLine& line);
void add_build(CommandLine& line);
void add_cache(CommandLine& line);
void add_check(CommandLine& line);
void add_completion(CommandLine& line);
void add_explain(CommandLine& line);
void add_fmt(CommandLine& line);
void add_help(CommandLine& line);
void add_info(CommandLine& line);
void add_man(CommandLine& line);
void add_run(CommandLine& line);
void add_tune(CommandLine& line);
void add_view(CommandLine& line);

/// All of them, in the order of the help.
void add_commands(CommandLine& line);

}  // namespace gnomon
