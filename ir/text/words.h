// Words of .gn texts: names, strings, numbers, dtypes, and lists of what a caller reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/text/lexer.h"
#include "runtime/arrays/dtype.h"

namespace gnomon {

// Each takes its tokens, or fails at the first that does not fit: ValueError.

/// A name, plain or in quotes.
std::string read_name(Lexer& lexer);
std::string read_string(Lexer& lexer);
/// An integer without a sign before it: `T` is std::uint16_t, std::uint64_t or std::int64_t.
template <class T>
T read_unsigned(Lexer& lexer, int base = 10);
std::int64_t read_integer(Lexer& lexer);
/// A float or double, also "inf", "nan", and "nan(0x7fc00001)" with its bits.
template <class T>
T read_real(Lexer& lexer);
bool read_flag(Lexer& lexer);
DType read_dtype(Lexer& lexer);

/// Items between `open` and `close`, separated by commas; `item()` reads one.
template <class F>
void read_list(Lexer& lexer, std::string_view open, std::string_view close, F&& item) {
  lexer.expect(open);
  if (lexer.accept(close)) return;
  do {
    item();
  } while (lexer.accept(","));
  lexer.expect(close);
}

}  // namespace gnomon
