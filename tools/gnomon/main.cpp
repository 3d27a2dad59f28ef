// gnomon: the command line. Parses arguments, runs the command, and says what went wrong.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>

#include "runtime/error.h"
#include "runtime/suggestion.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/help.h"
#include "tools/gnomon/terminal.h"

namespace {

using namespace gnomon;

// The command that the arguments have reached.
const CLI::App& reached(const CLI::App& app) {
  const auto inner = app.get_subcommands();
  return inner.empty() ? app : reached(*inner.back());
}

std::string unexpected(const std::string& word, const CommandDescription& command) {
  std::vector<std::string_view> names;
  if (word.starts_with('-')) {
    for (const ArgumentDescription& a : command.arguments)
      names.insert(names.end(), a.names.begin(), a.names.end());
    return fmt::format("there is no option {}{}", word, suggestion(word, names));
  }
  if (command.commands.empty()) return fmt::format("unexpected argument {}", word);
  for (const CommandDescription& c : command.commands) names.push_back(c.name);
  return fmt::format("there is no command {}{}", word, suggestion(word, names));
}

// What is wrong with the arguments.
std::string fault(const CommandLine& line, const CLI::ParseError& error,
                  const CommandDescription& command) {
  const std::vector<std::string> rest = line.app.remaining(true);
  if (!rest.empty()) return unexpected(rest.front(), command);
  if (!command.commands.empty()) {
    std::vector<std::string> names;
    for (const CommandDescription& c : command.commands) names.push_back(c.name);
    return fmt::format("expected a command: {}", fmt::join(names, ", "));
  }
  // Sentences of the parser begin with a capital; names of arguments are all capitals.
  std::string text = error.what();
  if (text.size() > 1 && std::islower(static_cast<unsigned char>(text[1])))
    text[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(text[0])));
  return text;
}

int explain(const CommandLine& line, const CLI::ParseError& error) {
  const CommandDescription command = describe(reached(line.app));
  if (dynamic_cast<const CLI::CallForHelp*>(&error) != nullptr) {
    fmt::print("{}", help_text(command));
    return done;
  }
  if (dynamic_cast<const CLI::CallForVersion*>(&error) != nullptr) {
    fmt::print("{}\n", error.what());
    return done;
  }
  const bool is_empty = command.path == command.name && line.app.remaining(true).empty();
  if (is_empty) {
    fmt::print(stderr, "{}", help_text(command));
    return misused;
  }
  print_error(command.path, fault(line, error, command));
  fmt::print(stderr, "`{} --help` explains it\n", command.path);
  return misused;
}

int run(int argc, char** argv) {
  CommandLine line;
  add_commands(line);
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(line, error);
  }
  return line.chosen();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const int status = run(argc, argv);
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return status;
    print_error("gnomon", "the standard output cannot be written");
  } catch (const std::exception& error) {
    print_error("gnomon", error.what());
  }
  return failed;
}
