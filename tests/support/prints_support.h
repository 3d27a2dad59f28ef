// What tests of `print` share: its texts.
#pragma once

#include <string>
#include <vector>

#include "runtime/services.h"

namespace gnomon::test {

/// While it lives, catches what prints write.
struct Prints {
  Prints() {
    set_print_sink([this](const std::string& text) { texts.push_back(text); });
  }
  ~Prints() { set_print_sink({}); }
  Prints(const Prints&) = delete;
  Prints& operator=(const Prints&) = delete;
  std::vector<std::string> texts;
};

}  // namespace gnomon::test
