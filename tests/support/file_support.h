// What tests of files share: what is said of a file that is refused.
#pragma once

#include <functional>
#include <string>

#include "tests/support/robust_support.h"

namespace gnomon::test {

/// Whether an action throws an error of the class of `E` whose text has `told`; shows another text.
template <class E>
bool refused(const E& /*kind*/, const std::string& told, const std::function<void()>& action) {
  try {
    action();
  } catch (const E& error) {
    const std::string found = error.what();
    if (found.find(told) != std::string::npos) return true;
    MESSAGE("found ", found);
    return false;
  }
  MESSAGE("nothing was refused");
  return false;
}

}  // namespace gnomon::test
