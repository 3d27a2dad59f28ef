// Asks whether somebody is there, and writes for him.
#include "tools/gnomon/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <iostream>

#include "runtime/options.h"

namespace gnomon {

namespace {

bool has_colours() {
  return is_terminal(stderr) && !environment("NO_COLOR") && environment("TERM") != "dumb";
}

}  // namespace

bool is_terminal(std::FILE* file) { return ::isatty(::fileno(file)) != 0; }

void print_error(std::string_view name, std::string_view text) {
  if (has_colours())
    fmt::print(stderr, "\x1b[1;31m{}:\x1b[0m {}\n", name, text);
  else
    fmt::print(stderr, "{}: {}\n", name, text);
}

Progress::Progress() : wanted_(is_terminal(stderr) && environment("TERM") != "dumb") {}

void Progress::show(std::string_view text) {
  if (!wanted_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown_ = true;
}

void Progress::clear() {
  if (!shown_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  shown_ = false;
}

bool confirm(const std::string& question) {
  if (!is_terminal(stdin) || !is_terminal(stderr)) return true;
  fmt::print(stderr, "{} [y/N] ", question);
  std::fflush(stderr);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace gnomon
