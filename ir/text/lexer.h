// The tokens of .gn texts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

/// Whether it is UTF-8: no stray, missing or needlessly long sequences, no surrogates.
bool is_utf8(std::string_view text);

/// A piece of text; `text` is what it spells (a string: without quotes and escapes).
struct Token {
  enum class Kind : std::uint8_t { end, name, number, string, value, sign };
  Kind kind = Kind::end;
  std::string text;
  std::size_t at = 0;  // offset in the source
};

/// Cuts a text into tokens, one at a time. Comments run from # to the end of the line.
class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) { next(); }

  const Token& peek() const { return token_; }
  Token take();
  /// The text of a token for messages, "the end" or the first letters of one that is long.
  static std::string shown(const Token& token);
  bool is(std::string_view sign_or_name) const;
  /// Takes the token if it is this sign or name.
  bool accept(std::string_view sign_or_name);
  void expect(std::string_view sign_or_name);
  /// TextError at the current token: "expected <what>, found <token>", and which of `names` the
  /// token may have been meant to be.
  [[noreturn]] void fail_expected(std::string_view what,
                                  std::span<const std::string_view> names = {}) const;
  /// The comments before an offset that were not taken yet, with their signs.
  std::vector<std::string> take_comments(std::size_t before);
  /// The offset behind the last token that was taken.
  std::size_t end() const { return end_; }
  /// The one that stands on the line of the last token that was taken, behind it; or "".
  std::string take_comment_behind();
  /// TextError at an offset: its line and column, the message, the line with a mark under it.
  [[noreturn]] void fail(std::size_t at, std::string_view message) const;

 private:
  void next();
  void skip_blanks();
  void lex_string();

  std::string_view source_;
  std::size_t at_ = 0;
  std::size_t end_ = 0;  // of the last token that was taken
  Token token_;
  struct Comment {
    std::size_t at;
    std::string_view text;
  };
  std::vector<Comment> comments_;  // that were not taken
};

}  // namespace gnomon
