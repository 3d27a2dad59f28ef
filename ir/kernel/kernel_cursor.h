// A cursor over one line of a kernel's text: words, names, labels and numbers.
#pragma once

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "runtime/error.h"

namespace gnomon {

/// A place in one line of a kernel's text. What does not fit is a ValueError with the line.
class LineCursor {
 public:
  LineCursor(std::string_view line, int number) : line_(line), number_(number) {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || is_digit(c);
  }

  [[noreturn]] void fail(std::string_view expected) const {
    const std::string_view rest = line_.substr(at_);
    throw ValueError(fmt::format("kernel text, line {}: expected {}, found {}", number_, expected,
                                 rest.empty() ? "the end" : fmt::format("'{}'", rest)));
  }

  bool at_end() {
    skip();
    return at_ == line_.size();
  }
  void finish() {
    if (!at_end()) fail("the end of the line");
  }
  char peek() {
    skip();
    return at_ < line_.size() ? line_[at_] : '\0';
  }
  /// Passes `token` if it comes next: a whole word if it is one.
  bool accept(std::string_view token) {
    skip();
    if (line_.substr(at_, token.size()) != token) return false;
    const std::size_t after = at_ + token.size();
    if (is_word(token.back()) && after < line_.size() && is_word(line_[after])) return false;
    at_ = after;
    return true;
  }
  void expect(std::string_view token) {
    if (!accept(token)) fail(fmt::format("'{}'", token));
  }
  /// Passes `word` if it comes next and a parenthesis follows.
  bool accept_call(std::string_view word) {
    const std::size_t start = at_;
    if (accept(word) && accept("(")) return true;
    at_ = start;
    return false;
  }

  std::string word(std::string_view expected) {
    skip();
    const std::size_t start = at_;
    while (at_ < line_.size() && is_word(line_[at_])) ++at_;
    if (at_ == start) fail(expected);
    return std::string(line_.substr(start, at_ - start));
  }
  /// A word, or any text in quotes.
  std::string name() {
    if (!accept("\"")) return word("a name");
    std::string out;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      const bool escape = line_[at_] == '\\' && at_ + 1 < line_.size();
      if (escape) ++at_;
      out += escape && line_[at_] == 'n' ? '\n' : line_[at_];
    }
    expect("\"");
    return out;
  }
  /// A name and which of the equal ones it is.
  std::pair<std::string, int> label() {
    std::string n = name();
    return {std::move(n), accept("#") ? number<int>("a number") : 1};
  }
  /// What is left of the line behind one space.
  std::string rest() {
    if (at_ < line_.size() && line_[at_] == ' ') ++at_;
    return std::string(line_.substr(std::exchange(at_, line_.size())));
  }

  template <class T>
  T number(std::string_view expected) {
    skip();
    T value{};
    const auto [end, error] =
        std::from_chars(line_.data() + at_, line_.data() + line_.size(), value);
    if (error != std::errc()) fail(expected);
    at_ = static_cast<std::size_t>(end - line_.data());
    return value;
  }
  /// "nan(0x7fc00001)" gives the bits.
  template <class Float, class Bits>
  Float floating() {
    if (!accept_call("nan")) return number<Float>("a number");
    const std::string digits = word("the bits of a NaN");
    Bits bits{};
    const char* const end = digits.data() + digits.size();
    const bool is_hex =
        digits.starts_with("0x") && std::from_chars(digits.data() + 2, end, bits, 16).ptr == end;
    if (!is_hex) fail("the bits of a NaN before this");
    expect(")");
    return std::bit_cast<Float>(bits);
  }

 private:
  void skip() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\r')) ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  int number_;
};

}  // namespace gnomon
