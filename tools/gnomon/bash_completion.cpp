// Completion in bash: one function with a table of what each command takes.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tools/gnomon/completion.h"

namespace gnomon {

namespace {

using Completes = ArgumentDescription::Completes;

// The words of commands and before them, the values of options, then all that a command takes.
constexpr const char* frame = R"(# Completes gnomon in bash; `gnomon completion bash` wrote it.
_gnomon_files() {{
  mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
  compopt -o filenames 2> /dev/null
}}
_gnomon() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}}
  local path=gnomon options='' words='' files='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case "$path ${{COMP_WORDS[i]}}" in
{0}    esac
  done
  case "$path $before" in
{1}  esac
  case $path in
{2}  esac
  if [[ $word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
  elif [[ -n $files ]]; then
    _gnomon_files "$files" "$word"
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
  fi
}}
complete -F _gnomon gnomon
)";

// The option of compgen for names of files.
std::string letter_of(Completes completes) {
  if (completes == Completes::nothing) return "";
  return completes == Completes::files ? "-f" : "-d";
}

std::string words_of(const CommandDescription& command) {
  std::vector<std::string> words;
  for (const CommandDescription& inner : command.commands) words.push_back(inner.name);
  for (const ArgumentDescription& a : command.options(false))
    words.insert(words.end(), a.choices.begin(), a.choices.end());
  return fmt::format("{}", fmt::join(words, " "));
}

// A row for an option that takes a value: what that may be, and nothing else.
std::string value_row(const CommandDescription& command, const ArgumentDescription& option) {
  std::vector<std::string> patterns;
  for (const std::string& name : option.names)
    patterns.push_back(shell_word(command.path + " " + name));
  std::string action;
  if (option.completes != Completes::nothing)
    action = fmt::format("_gnomon_files {} \"$word\"; ", letter_of(option.completes));
  else if (!option.choices.empty())
    action = fmt::format("mapfile -t COMPREPLY < <(compgen -W {} -- \"$word\"); ",
                         shell_word(fmt::format("{}", fmt::join(option.choices, " "))));
  return fmt::format("    {}) {}return ;;\n", fmt::join(patterns, " | "), action);
}

std::string command_row(const CommandDescription& command) {
  std::vector<std::string> options;
  std::string files;
  for (const ArgumentDescription& a : command.arguments) {
    options.insert(options.end(), a.names.begin(), a.names.end());
    if (!a.is_option() && a.completes != Completes::nothing) files = letter_of(a.completes);
  }
  std::string row = fmt::format("    {}) options={}", shell_word(command.path),
                                shell_word(fmt::format("{}", fmt::join(options, " "))));
  if (const std::string words = words_of(command); !words.empty())
    row += fmt::format(" words={}", shell_word(words));
  if (!files.empty()) row += fmt::format(" files={}", files);
  return row + " ;;\n";
}

}  // namespace

std::string bash_completion(const CommandDescription& root) {
  std::string paths, values, commands;
  for (const CommandDescription* command : all_commands(root)) {
    if (command != &root)
      paths +=
          fmt::format("      {}) path+=\" ${{COMP_WORDS[i]}}\" ;;\n", shell_word(command->path));
    for (const ArgumentDescription& option : command->options())
      if (option.takes_value()) values += value_row(*command, option);
    commands += command_row(*command);
  }
  return fmt::format(frame, paths, values, commands);
}

}  // namespace gnomon
