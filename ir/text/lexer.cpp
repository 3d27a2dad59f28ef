// Cutting of .gn texts into tokens.
#include "ir/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "ir/text/text.h"
#include "runtime/suggestion.h"

namespace gnomon {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '.'; }

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

constexpr std::size_t longest_shown = 40;  // bytes of a word in a message
constexpr std::size_t margin = 60;         // bytes of a line on each side of what is marked

bool is_inner(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80; }  // of a letter

std::size_t letters_in(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_inner(c); }));
}

// What a message can show on one line: other bytes are question marks.
std::string on_one_line(std::string_view text) {
  std::string line(text);
  const bool is_text = is_utf8(text);
  for (char& c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\t')
      c = ' ';
    else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text))
      c = '?';
  }
  return line;
}

// The place at or before `at` where a letter begins.
std::size_t letter_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return text.size();
  while (at > 0 && is_inner(text[at])) --at;
  return at;
}

std::string abridged(std::string_view word) {
  if (word.size() <= longest_shown) return on_one_line(word);
  return on_one_line(word.substr(0, letter_at(word, longest_shown))) + "...";
}

// Two more lines of a message: what is around a place of a line, and a mark under the place.
std::string marked(std::string_view line, std::size_t at) {
  if (line.empty()) return {};
  const std::size_t first = at > 2 * margin ? letter_at(line, at - margin) : 0;
  const std::size_t last =
      letter_at(line, line.size() - at > 2 * margin ? at + margin : line.size());
  const std::string before = (first > 0 ? "..." : "") + on_one_line(line.substr(first, at - first));
  return fmt::format("\n  {}{}{}\n  {}^", before, on_one_line(line.substr(at, last - at)),
                     last < line.size() ? "..." : "", std::string(letters_in(before), ' '));
}

}  // namespace

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const std::size_t length = first < 0x80                    ? 1
                               : first >= 0xc2 && first < 0xe0 ? 2
                               : first >= 0xe0 && first < 0xf0 ? 3
                               : first >= 0xf0 && first < 0xf5 ? 4
                                                               : 0;
    if (length == 0 || i + length > text.size()) return false;
    char32_t code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t k = 1; k < length; ++k) {
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xc0U) != 0x80) return false;
      code = code << 6 | (next & 0x3fU);
    }
    const bool is_long = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (is_long || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    i += length;
  }
  return true;
}

void Lexer::fail(std::size_t at, std::string_view message) const {
  at = std::min(at, source_.size());
  const std::size_t last = at == 0 ? std::string_view::npos : source_.rfind('\n', at - 1);
  const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
  const auto number = 1 + std::count(source_.begin(), source_.begin() + begin, '\n');
  std::string_view line = source_.substr(begin);
  line = line.substr(0, line.find_first_of("\r\n"));
  const std::string_view before = line.substr(0, at - begin);
  throw TextError(static_cast<std::size_t>(number), 1 + letters_in(before),
                  fmt::format("{}{}", message, marked(line, before.size())));
}

std::string Lexer::shown(const Token& token) {
  if (token.kind == Token::Kind::end) return "the end";
  if (token.kind == Token::Kind::string) return abridged(fmt::format("\"{}\"", token.text));
  return abridged(token.text);
}

void Lexer::fail_expected(std::string_view what, std::span<const std::string_view> names) const {
  fail(token_.at,
       fmt::format("expected {}, found {}{}", what, shown(token_), suggestion(token_.text, names)));
}

Token Lexer::take() {
  Token token = std::move(token_);
  next();
  return token;
}

bool Lexer::is(std::string_view text) const {
  return (token_.kind == Token::Kind::sign || token_.kind == Token::Kind::name) &&
         token_.text == text;
}

bool Lexer::accept(std::string_view text) {
  if (!is(text)) return false;
  next();
  return true;
}

void Lexer::expect(std::string_view text) {
  if (!accept(text)) fail_expected(text);
}

void Lexer::skip_blanks() {
  while (at_ < source_.size()) {
    const char c = source_[at_];
    if (c == '#') {
      const std::size_t end = std::min(source_.find('\n', at_), source_.size());
      comments_.push_back({at_, source_.substr(at_, end - at_)});
      at_ = end;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else {
      return;
    }
  }
}

void Lexer::lex_string() {
  const std::size_t start = at_++;
  token_.kind = Token::Kind::string;
  while (at_ < source_.size() && source_[at_] != '"') {
    char c = source_[at_++];
    if (c == '\\') {
      const char escape = at_ < source_.size() ? source_[at_++] : '\0';
      if (escape == 'x') {
        const int high = at_ < source_.size() ? hex_value(source_[at_++]) : -1;
        const int low = at_ < source_.size() ? hex_value(source_[at_++]) : -1;
        if (high < 0 || low < 0) fail(at_, "expected two hexadecimal digits");
        c = static_cast<char>(16 * high + low);
      } else if (escape == 'n') {
        c = '\n';
      } else if (escape == '"' || escape == '\\') {
        c = escape;
      } else {
        fail(at_, "expected an escape of \\n, \\x, \\\" or \\\\");
      }
    }
    token_.text += c;
  }
  if (at_ == source_.size()) fail(start, "expected an end of the string");
  ++at_;
  if (!is_utf8(token_.text)) fail(start, "expected a string in UTF-8");
}

std::vector<std::string> Lexer::take_comments(std::size_t before) {
  std::vector<std::string> taken;
  while (taken.size() < comments_.size() && comments_[taken.size()].at < before) {
    std::string_view text = comments_[taken.size()].text;
    text = text.substr(0, text.find_last_not_of(" \t\r") + 1);
    taken.emplace_back(text);
  }
  comments_.erase(comments_.begin(), comments_.begin() + static_cast<std::ptrdiff_t>(taken.size()));
  return taken;
}

std::string Lexer::take_comment_behind() {
  if (comments_.empty() || comments_[0].at < end_) return {};
  const std::size_t at = comments_[0].at;
  if (source_.substr(end_, at - end_).find('\n') != std::string_view::npos) return {};
  return take_comments(at + 1)[0];
}

void Lexer::next() {
  end_ = at_;
  skip_blanks();
  token_ = {Token::Kind::end, {}, at_};
  if (at_ == source_.size()) return;
  const std::size_t start = at_;
  const char c = source_[at_];
  if (c == '"') {
    lex_string();
    return;
  }
  if (is_letter(c)) {
    token_.kind = Token::Kind::name;
    while (at_ < source_.size() && is_word(source_[at_])) ++at_;
  } else if (is_digit(c)) {
    token_.kind = Token::Kind::number;
    while (at_ < source_.size() &&
           (is_word(source_[at_]) ||
            ((source_[at_] == '-' || source_[at_] == '+') && source_[at_ - 1] == 'e')))
      ++at_;
  } else if (c == '%') {
    token_.kind = Token::Kind::value;
    ++at_;
    while (at_ < source_.size() && (is_digit(source_[at_]) || source_[at_] == '.')) ++at_;
  } else {
    token_.kind = Token::Kind::sign;
    const std::string_view two = source_.substr(at_, 2);
    at_ += two == "->" || two == "==" ? 2 : 1;
  }
  token_.text = source_.substr(start, at_ - start);
}

}  // namespace gnomon
