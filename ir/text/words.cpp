// Reads names, numbers and dtypes from tokens.
#include "ir/text/words.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <limits>
#include <system_error>
#include <type_traits>
#include <vector>

namespace gnomon {

std::string read_name(Lexer& lexer) {
  const Token::Kind kind = lexer.peek().kind;
  if (kind != Token::Kind::name && kind != Token::Kind::string) lexer.fail_expected("a name");
  return lexer.take().text;
}

std::string read_string(Lexer& lexer) {
  if (lexer.peek().kind != Token::Kind::string) lexer.fail_expected("a string");
  return lexer.take().text;
}

template <class T>
T read_unsigned(Lexer& lexer, int base) {
  if (lexer.peek().kind != Token::Kind::number) lexer.fail_expected("a number");
  const Token token = lexer.take();
  std::string_view digits = token.text;
  if (base == 16 && digits.starts_with("0x")) digits.remove_prefix(2);
  T v{};
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<T>) {
    result = std::from_chars(digits.data(), digits.data() + digits.size(), v);
  } else {
    result = std::from_chars(digits.data(), digits.data() + digits.size(), v, base);
  }
  if (result.ec != std::errc() || result.ptr != digits.data() + digits.size())
    lexer.fail(token.at, fmt::format("expected a number that fits, found {}", Lexer::shown(token)));
  return v;
}

std::int64_t read_integer(Lexer& lexer) {
  const std::size_t at = lexer.peek().at;
  const bool negative = lexer.accept("-");
  const auto size = read_unsigned<std::uint64_t>(lexer);
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (size > limit + (negative ? 1 : 0)) lexer.fail(at, "expected a number that fits int64");
  return static_cast<std::int64_t>(negative ? 0 - size : size);
}

template <class T>
T read_real(Lexer& lexer) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  const bool negative = lexer.accept("-");
  T v{};
  if (lexer.accept("inf")) {
    v = std::numeric_limits<T>::infinity();
  } else if (lexer.accept("nan")) {
    v = std::numeric_limits<T>::quiet_NaN();
    if (lexer.accept("(")) {
      v = std::bit_cast<T>(read_unsigned<Bits>(lexer, 16));
      lexer.expect(")");
    }
  } else {
    v = read_unsigned<T>(lexer);
  }
  return negative ? -v : v;
}

bool read_flag(Lexer& lexer) {
  if (lexer.accept("true")) return true;
  if (lexer.accept("false")) return false;
  lexer.fail_expected("true or false");
}

DType read_dtype(Lexer& lexer) {
  const Token& token = lexer.peek();
  std::vector<std::string_view> names;
  for (int i = 0; i < dtype_count; ++i) {
    const auto dtype = static_cast<DType>(i);
    names.push_back(short_name_of(dtype));
    if (token.kind != Token::Kind::name || token.text != names.back()) continue;
    lexer.take();
    return dtype;
  }
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(static_cast<DType>(i)) == token.text)
      lexer.fail(token.at, fmt::format("expected a dtype, found {0}; {0} is written {1}",
                                       token.text, short_name_of(static_cast<DType>(i))));
  lexer.fail_expected("a dtype", names);
}

template std::uint16_t read_unsigned(Lexer&, int);
template std::uint64_t read_unsigned(Lexer&, int);
template std::int64_t read_unsigned(Lexer&, int);
template float read_real(Lexer&);
template double read_real(Lexer&);

}  // namespace gnomon
