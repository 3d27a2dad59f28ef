// What the parser knows of commands, as data that help, completions and the manual are made of.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gnomon {

/// An option, or an argument that stands by itself.
struct ArgumentDescription {
  enum class Completes { nothing, files, folders };

  std::vector<std::string> names;  ///< "-h", "--help"; none of an argument that stands by itself
  std::string value;               ///< "DIR"; "" of a flag
  std::string doc;
  std::vector<std::string> choices;
  Completes completes = Completes::nothing;
  bool required = false;
  bool repeats = false;

  bool is_option() const { return !names.empty(); }
  bool takes_value() const { return !value.empty(); }
  /// "--size SIZE", "[KEY...]"
  std::string usage() const;
};

/// A command and those in it.
struct CommandDescription {
  std::string path;      ///< "gnomon cache list"
  std::string name;      ///< "list"
  std::string summary;   ///< a line
  std::string doc;       ///< what else there is to say, or ""
  std::string examples;  ///< lines, each with an indented explanation
  std::vector<ArgumentDescription> arguments;
  std::vector<CommandDescription> commands;

  /// The arguments that are options, or those that are none.
  std::vector<ArgumentDescription> options(bool wanted = true) const;
  /// "gnomon cache clear [OPTION...] [KEY...]"
  std::string usage() const;
};

CommandDescription describe(const CLI::App& app);

/// All commands of the description, itself first, each before those in it.
std::vector<const CommandDescription*> all_commands(const CommandDescription& command);

}  // namespace gnomon
