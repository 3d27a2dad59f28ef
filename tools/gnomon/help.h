// The texts of --help.
#pragma once

#include <string>

#include "tools/gnomon/description.h"

namespace gnomon {

/// What a status that the process ends with means, and what the environment may say: tables of help
/// and manual.
struct Entry {
  std::string name, doc;
};
std::vector<Entry> exit_statuses();
std::vector<Entry> variables();

/// How the command is used, what it does, its arguments, options and examples.
std::string help_text(const CommandDescription& command);

}  // namespace gnomon
