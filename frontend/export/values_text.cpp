// Prints the bytes of weights and of first values as string literals, which parse fast.
#include <fmt/format.h>

#include <algorithm>

#include "frontend/export/calls_text.h"

namespace gnomon {

namespace {

// The bytes as a literal in lines. An octal number of three digits ends where it is read to.
std::string literal_of(const unsigned char* bytes, std::size_t count) {
  constexpr std::size_t of_line = 64;
  std::string text;
  text.reserve(count * 4 + count / 16);
  for (std::size_t at = 0; at < count; at += of_line) {
    text += "\n    \"";
    for (std::size_t i = at; i < std::min(at + of_line, count); ++i) {
      const unsigned char b = bytes[i];
      const bool plain = b >= ' ' && b < 127 && b != '"' && b != '\\' && b != '?';
      if (plain) {
        text += static_cast<char>(b);
      } else {
        text += '\\';
        for (const int shift : {6, 3, 0}) text += static_cast<char>('0' + (b >> shift & 7));
      }
    }
    text += '"';
  }
  return count == 0 ? "\"\"" : text;
}

std::string value_text(const std::string& symbol, const Array& value) {
  const Array dense = value.contiguous();
  const auto count = static_cast<std::size_t>(dense.bytes());
  return fmt::format(
      "extern const unsigned char {0}[];\nalignas(64) const unsigned char {0}[{1}] ={2};\n", symbol,
      count + 1, literal_of(static_cast<const unsigned char*>(dense.data()), count));
}

}  // namespace

Unit values_unit(const Interface& library) {
  std::string text = "// The values of weights and variables.\nextern \"C\" {\n";
  for (std::size_t i = 0; i < library.weights.size(); ++i)
    text += value_text(fmt::format("{}_weight{}", library.name, i), library.weights[i]);
  for (std::size_t i = 0; i < library.variables.size(); ++i)
    text += value_text(fmt::format("{}_first{}", library.name, i), library.variables[i].get());
  return {"values.cpp", text + "}\n"};
}

}  // namespace gnomon
