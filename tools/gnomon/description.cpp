// Reads a description off the parser.
#include "tools/gnomon/description.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

namespace gnomon {

namespace {

// The words of "...{a,b,c}...": the choices of CLI::IsMember.
std::vector<std::string> choices_in(const std::string& type) {
  std::vector<std::string> choices;
  const std::size_t open = type.find('{'), close = type.find('}', open);
  if (open == std::string::npos || close == std::string::npos) return choices;
  for (std::size_t at = open + 1; at < close;) {
    const std::size_t end = std::min(type.find(',', at), close);
    choices.push_back(type.substr(at, end - at));
    at = end + 1;
  }
  return choices;
}

ArgumentDescription describe_option(const CLI::Option& option) {
  ArgumentDescription found;
  for (const std::string& name : option.get_snames()) found.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) found.names.push_back("--" + name);
  found.doc = option.get_description();
  found.required = option.get_required();
  if (option.get_items_expected_max() == 0) return found;
  // "DIR", "TEXT:{a,b}", "SIZE [b, kb(=1024b), ...]"
  const std::string type = option.get_type_name();
  const std::string base = type.substr(0, type.find_first_of(": "));
  using Completes = ArgumentDescription::Completes;
  found.choices = choices_in(type);
  found.completes = base == "FILE"  ? Completes::files
                    : base == "DIR" ? Completes::folders
                                    : Completes::nothing;
  found.value = found.is_option() ? base : option.get_name(true);
  if (found.value.empty()) found.value = "VALUE";
  found.repeats = option.get_expected_max() > 1;
  return found;
}

std::string path_of(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : path_of(*app.get_parent()) + " " + app.get_name();
}

void collect(const CommandDescription& command, std::vector<const CommandDescription*>& into) {
  into.push_back(&command);
  for (const CommandDescription& inner : command.commands) collect(inner, into);
}

}  // namespace

std::string ArgumentDescription::usage() const {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  if (is_option()) return takes_value() ? text + " " + value : text;
  text = repeats ? value + "..." : value;
  return required ? text : "[" + text + "]";
}

std::vector<ArgumentDescription> CommandDescription::options(bool wanted) const {
  std::vector<ArgumentDescription> found;
  for (const ArgumentDescription& a : arguments)
    if (a.is_option() == wanted) found.push_back(a);
  return found;
}

std::string CommandDescription::usage() const {
  std::string text = path;
  if (!commands.empty()) text += " COMMAND";
  if (!options().empty()) text += " [OPTION...]";
  for (const ArgumentDescription& a : options(false)) text += " " + a.usage();
  return text;
}

CommandDescription describe(const CLI::App& app) {
  CommandDescription found;
  found.path = path_of(app);
  found.name = app.get_name();
  const std::string doc = app.get_description();
  const std::size_t end = std::min(doc.find('\n'), doc.size());
  found.summary = doc.substr(0, end);
  found.doc = doc.substr(std::min(end + 1, doc.size()));
  found.examples = app.get_footer();
  for (const CLI::Option* option : app.get_options({}))
    if (!option->get_group().empty()) found.arguments.push_back(describe_option(*option));
  for (const CLI::App* inner : app.get_subcommands([](const CLI::App*) { return true; }))
    found.commands.push_back(describe(*inner));
  return found;
}

std::vector<const CommandDescription*> all_commands(const CommandDescription& command) {
  std::vector<const CommandDescription*> all;
  collect(command, all);
  return all;
}

}  // namespace gnomon
