// Parses arrays: their elements one by one, or the name of one that is kept beside the text.
#include "ir/text/parse_array.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>
#include <vector>

#include "ir/op/numbers.h"
#include "ir/text/words.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

Cell parse_element(Lexer& lexer, DType t) {
  return with_type(t, [&]<class T>(T) -> Cell {
    if constexpr (std::is_same_v<T, bool>) {
      return cell_make(read_flag(lexer));
    } else if constexpr (std::is_floating_point_v<T>) {
      return cell_make(read_real<T>(lexer));
    } else {
      const std::size_t at = lexer.peek().at;
      if constexpr (std::is_unsigned_v<T>) {
        const auto v = read_unsigned<std::uint64_t>(lexer);
        if (std::in_range<T>(v)) return cell_make(static_cast<T>(v));
      } else {
        const std::int64_t v = read_integer(lexer);
        if (std::in_range<T>(v)) return cell_make(static_cast<T>(v));
      }
      lexer.fail(at, fmt::format("expected a value of {}", name_of(t)));
    }
  });
}

// Of complex numbers two cells each.
std::vector<Cell> parse_elements(Lexer& lexer, DType t) {
  std::vector<Cell> cells;
  const DType part = part_of(t);
  read_list(lexer, "{", "}", [&] {
    if (is_complex(t)) lexer.expect("(");
    cells.push_back(parse_element(lexer, part));
    if (!is_complex(t)) return;
    lexer.expect(",");
    cells.push_back(parse_element(lexer, part));
    lexer.expect(")");
  });
  return cells;
}

}  // namespace

Array parse_array(Lexer& lexer, const ParseOptions& options) {
  const std::size_t at = lexer.peek().at;
  const DType t = read_dtype(lexer);
  std::vector<std::int64_t> extents;
  if (lexer.is("[")) read_list(lexer, "[", "]", [&] { extents.push_back(read_integer(lexer)); });
  if (lexer.accept("@")) {
    const std::string name = read_string(lexer);
    if (!options.read_array) lexer.fail(at, "expected a reader for the array beside the text");
    Array array;
    try {
      array = options.read_array(name, t, extents);
    } catch (const ValueError& error) {
      lexer.fail(at, error.what());
    }
    if (!array.defined() || array.dtype() != t ||
        !std::equal(extents.begin(), extents.end(), array.shape().begin(), array.shape().end()))
      lexer.fail(at, fmt::format("expected {} in {}", describe(t, extents), name));
    return array;
  }
  const std::vector<Cell> cells = parse_elements(lexer, t);
  const std::size_t found = cells.size() / (is_complex(t) ? 2 : 1);
  std::int64_t count = 1;
  for (const std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(count, extent, &count))
      lexer.fail(at, "expected extents that fit");
  if (count != static_cast<std::int64_t>(found))
    lexer.fail(at, fmt::format("expected {} elements, found {}", count, found));
  Array array = Array::empty(t, extents);
  for (std::size_t i = 0; i < cells.size(); ++i)
    cell_store(part_of(t), array.data(), static_cast<std::int64_t>(i), cells[i]);
  return array;
}

}  // namespace gnomon
