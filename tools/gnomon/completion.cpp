// gnomon completion: prints a script for a shell.
#include "tools/gnomon/completion.h"

#include <fmt/format.h>

#include <memory>

#include "tools/gnomon/command.h"

namespace gnomon {

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

void add_completion(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"source <(gnomon completion bash)", "in ~/.bashrc"},
      {"gnomon completion zsh > ~/.zfunc/_gnomon", "for a folder of zsh's fpath"},
  };
  const auto shell = std::make_shared<std::string>();
  CLI::App& command = line.add(line.app, "completion",
                               "prints a script that completes commands in a shell\n"
                               "It completes commands, options, choices and the names of files.",
                               examples);
  command.add_option("SHELL", *shell, "the shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh"}));
  line.runs(command, [&line, shell] {
    const CommandDescription root = describe(line.app);
    fmt::print("{}", *shell == "bash" ? bash_completion(root) : zsh_completion(root));
    return done;
  });
}

}  // namespace gnomon
