// Lays out help for 80 columns, and the command that prints it.
#include "tools/gnomon/help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "runtime/error.h"
#include "runtime/options.h"
#include "tools/gnomon/command.h"

namespace gnomon {

namespace {

constexpr std::size_t columns = 80;
constexpr std::size_t widest_name = 22;  // that an explanation stands beside

// The text, broken at spaces, with lines after the first behind `indent` spaces.
std::string wrapped(const std::string& text, std::size_t indent) {
  std::string lines;
  std::size_t used = indent;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string word = text.substr(at, end - at);
    if (used > indent && used + 1 + word.size() > columns) {
      lines += "\n" + std::string(indent, ' ');
      used = indent;
    } else if (used > indent) {
      lines += ' ';
      ++used;
    }
    lines += word;
    used += word.size();
    at = end + 1;
  }
  return lines;
}

std::string section(std::string_view title, const std::vector<Entry>& entries) {
  if (entries.empty()) return "";
  std::size_t width = 0;
  for (const Entry& e : entries)
    if (e.name.size() <= widest_name) width = std::max(width, e.name.size());
  std::string text = fmt::format("\n{}:\n", title);
  for (const Entry& e : entries) {
    const std::size_t indent = width + 4;
    std::string name = "  " + e.name;
    name += e.name.size() > width ? "\n" + std::string(indent, ' ')
                                  : std::string(indent - name.size(), ' ');
    text += name + wrapped(e.doc, indent) + "\n";
  }
  return text;
}

Entry entry_of(const ArgumentDescription& argument) {
  const std::string choices =
      argument.choices.empty() ? "" : fmt::format("; one of {}", fmt::join(argument.choices, ", "));
  std::string name = argument.usage();
  if (!argument.is_option()) name = argument.repeats ? argument.value + "..." : argument.value;
  return {name, argument.doc + choices};
}

std::vector<Entry> entries_of(const std::vector<ArgumentDescription>& arguments) {
  std::vector<Entry> entries;
  for (const ArgumentDescription& a : arguments) entries.push_back(entry_of(a));
  return entries;
}

std::string indented(const std::string& text) {
  std::string lines = "  ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    lines += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) lines += "  ";
  }
  return lines;
}

// The command that the words name, from the app on.
const CommandDescription& command_named(const CommandDescription& root,
                                        const std::vector<std::string>& words) {
  const CommandDescription* at = &root;
  for (const std::string& word : words) {
    const auto inner = std::ranges::find(at->commands, word, &CommandDescription::name);
    if (inner == at->commands.end())
      throw ValueError(fmt::format("help: {} has no command {}", at->path, word));
    at = &*inner;
  }
  return *at;
}

}  // namespace

std::vector<Entry> exit_statuses() {
  return {{"0", "what was asked for is done"},
          {"1", "it failed, and a line on the standard error says why"},
          {"2", "the arguments make no command"}};
}

std::vector<Entry> variables() {
  std::vector<Entry> entries;
  for (const EnvironmentVariable& v : environment_variables())
    entries.push_back({std::string(v.name), std::string(v.doc)});
  return entries;
}

std::string help_text(const CommandDescription& command) {
  std::string text = wrapped(fmt::format("{}: {}", command.path, command.summary), 4) + "\n";
  text += fmt::format("\nusage: {}\n", command.usage());
  if (!command.doc.empty()) text += "\n" + wrapped(command.doc, 0) + "\n";
  std::vector<Entry> commands;
  for (const CommandDescription& c : command.commands) commands.push_back({c.name, c.summary});
  text += section("commands", commands);
  text += section("arguments", entries_of(command.options(false)));
  text += section("options", entries_of(command.options()));
  const bool is_root = command.path == command.name;
  if (is_root) text += section("exit status", exit_statuses());
  if (is_root) text += section("environment", variables());
  if (!command.examples.empty()) text += "\nexamples:\n" + indented(command.examples);
  return text;
}

void add_help(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon help cache", "lists the commands for the cache"},
      {"gnomon help cache trim", "explains one of them"},
  };
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& command = line.add(line.app, "help", "explains a command", examples);
  std::vector<std::string> names;
  for (const CommandDescription& c : describe(line.app).commands) names.push_back(c.name);
  command.add_option("COMMAND", *words, "the words of a command")
      ->type_name(fmt::format("TEXT:{{{}}}", fmt::join(names, ",")));
  line.runs(command, [&line, words] {
    fmt::print("{}", help_text(command_named(describe(line.app), *words)));
    return done;
  });
}

}  // namespace gnomon
