// What is said to a person at a terminal: colours, progress, questions. All on the standard error.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace gnomon {

/// Whether a person reads what is written there.
bool is_terminal(std::FILE* file);

/// "gnomon: TEXT" as a line of the standard error; coloured on a terminal, unless NO_COLOR is set.
void print_error(std::string_view name, std::string_view text);

/// A line that says what is being done, on a terminal only, and goes with this object.
class Progress {
 public:
  Progress();
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void show(std::string_view text);
  /// Before anything else is printed.
  void clear();

 private:
  bool shown_ = false, wanted_;
};

/// Asks a question; true if the answer is yes, and where nobody is there to be asked.
bool confirm(const std::string& question);

}  // namespace gnomon
