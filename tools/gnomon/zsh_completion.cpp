// Completion in zsh: a function for each command.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/gnomon/completion.h"

namespace gnomon {

namespace {

using Completes = ArgumentDescription::Completes;

std::string escaped(const std::string& text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string function_name(const CommandDescription& command) {
  std::string name = "_" + command.path;
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

// "SHELL:(bash zsh)": what a value is called and how it is completed.
std::string value_of(const ArgumentDescription& a) {
  const std::string action = a.completes == Completes::files     ? "_files"
                             : a.completes == Completes::folders ? "_files -/"
                             : a.choices.empty()                 ? " "
                                                 : fmt::format("({})", fmt::join(a.choices, " "));
  return fmt::format("{}:{}", escaped(a.value, ":"), action);
}

// The words by which _arguments knows an option: names of one option exclude one another.
std::string option_words(const ArgumentDescription& option) {
  std::string rest = fmt::format("[{}]", escaped(option.doc, "[]:"));
  if (option.takes_value()) rest += ":" + value_of(option);
  if (option.names.size() == 1) return shell_word(option.names[0] + rest);
  return fmt::format("{}{{{}}}{}", shell_word(fmt::format("({})", fmt::join(option.names, " "))),
                     fmt::join(option.names, ","), shell_word(rest));
}

std::string leaf_words(const CommandDescription& command) {
  std::string words;
  std::size_t place = 1;
  for (const ArgumentDescription& a : command.options(false)) {
    const std::string at = a.repeats ? "*" : fmt::format("{}", place++);
    words += fmt::format(" \\\n    {}", shell_word(fmt::format("{}:{}", at, value_of(a))));
  }
  return words;
}

std::string branch(const CommandDescription& command) {
  std::string names, calls;
  for (const CommandDescription& inner : command.commands) {
    names += fmt::format(" {}", shell_word(fmt::format("{}:{}", escaped(inner.name, ":"),
                                                       escaped(inner.summary, ""))));
    calls += fmt::format("    {}) {} ;;\n", inner.name, function_name(inner));
  }
  return fmt::format(
      "  case $state in\n"
      "  command)\n"
      "    local -a commands=({})\n"
      "    _describe command commands\n"
      "    ;;\n"
      "  rest)\n"
      "    case $words[1] in\n{}"
      "    esac\n"
      "    ;;\n"
      "  esac\n",
      names.substr(1), calls);
}

std::string function_of(const CommandDescription& command) {
  std::string words;
  for (const ArgumentDescription& option : command.options())
    words += fmt::format(" \\\n    {}", option_words(option));
  const bool is_leaf = command.commands.empty();
  words += is_leaf ? leaf_words(command) : " \\\n    '1: :->command' \\\n    '*::argument:->rest'";
  return fmt::format(
      "{}() {{\n  local context state state_descr line\n  typeset -A opt_args\n"
      "  _arguments -C{}\n{}}}\n",
      function_name(command), words, is_leaf ? "" : branch(command));
}

}  // namespace

std::string zsh_completion(const CommandDescription& root) {
  std::string text =
      "#compdef gnomon\n# Completes gnomon in zsh; `gnomon completion zsh` wrote it.\n";
  for (const CommandDescription* command : all_commands(root)) text += function_of(*command);
  // As a file of fpath it is called; read by hand it makes itself known.
  return text +
         "if [[ $funcstack[1] == _gnomon ]]; then\n  _gnomon \"$@\"\n"
         "else\n  compdef _gnomon gnomon\nfi\n";
}

}  // namespace gnomon
