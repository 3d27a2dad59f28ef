// Scripts that complete the command in shells, written from its description.
#pragma once

#include <string>

#include "tools/gnomon/description.h"

namespace gnomon {

std::string bash_completion(const CommandDescription& root);
std::string zsh_completion(const CommandDescription& root);

/// The text as one word of a shell, in single quotes.
std::string shell_word(const std::string& text);

}  // namespace gnomon
