// What tests of ops compare as texts: types and errors.
#pragma once

#include <string>

#include "ir/graph/expr.h"
#include "runtime/error.h"

namespace gnomon::test {

inline std::string type_of(const Expr& e) { return e.type().text(); }

/// The text of the error that `f` throws, with the line of the user where that is told.
template <class E = Error, class F>
std::string error_at_line_of(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "no error";
}

/// The same without the line of a test.
template <class E = Error, class F>
std::string error_of(F&& f) {
  std::string text = error_at_line_of<E>(f);
  for (std::size_t at = text.find(" ["); at != std::string::npos; at = text.find(" [", at + 2)) {
    const std::size_t end = text.find_first_of(" []", at + 2);
    if (text.substr(at, end - at).find("_test.cpp:") != std::string::npos)
      return text.substr(0, at);
  }
  return text;
}

}  // namespace gnomon::test
