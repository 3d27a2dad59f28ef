// Writes and parses headers of NumPy's format: a dict of Python as a text.
#include "frontend/files/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "frontend/files/json.h"
#include "frontend/files/little_endian.h"
#include "ir/text/lexer.h"

namespace gnomon {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view magic = "\x93NUMPY"sv;

// NumPy's spelling of dtypes; it has none for bfloat16, which stands as two bytes.
constexpr std::array<std::string_view, dtype_count> npy_dtypes = {
    "|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4",
    "<u8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"};

std::optional<DType> npy_dtype(std::string_view text) {
  if (text == "|V2") return DType::bfloat16;
  const auto at = std::ranges::find(npy_dtypes, text);
  if (at == npy_dtypes.end()) return std::nullopt;
  return static_cast<DType>(at - npy_dtypes.begin());
}

// Takes the parts of a literal of Python off its front. What is no literal gives nothing.
class Literals {
 public:
  explicit Literals(std::string_view text) : rest_(text) {}

  bool accept(char c) {
    skip_space();
    if (!rest_.starts_with(c)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  bool at_end() {
    skip_space();
    return rest_.empty();
  }
  // A text, without its quotes.
  std::optional<std::string_view> text() {
    skip_space();
    if (!rest_.starts_with('\'') && !rest_.starts_with('"')) return std::nullopt;
    for (std::size_t i = 1; i < rest_.size(); ++i) {
      if (rest_[i] == '\\') {
        ++i;
      } else if (rest_[i] == rest_[0]) {
        const std::string_view found = rest_.substr(1, i - 1);
        rest_.remove_prefix(i + 1);
        return found;
      }
    }
    return std::nullopt;
  }
  // Any value as it is written, up to the comma or bracket behind it.
  std::optional<std::string_view> value() {
    skip_space();
    const std::string_view all = rest_;
    int open = 0;
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (c == '\'' || c == '"') {
        if (!text()) return std::nullopt;
        continue;
      }
      const bool opens = "([{"sv.find(c) != std::string_view::npos;
      const bool closes = ")]}"sv.find(c) != std::string_view::npos;
      if (open == 0 && (closes || c == ',')) break;
      open += opens ? 1 : closes ? -1 : 0;
      rest_.remove_prefix(1);
    }
    std::string_view found = all.substr(0, all.size() - rest_.size());
    while (!found.empty() && is_space(found.back())) found.remove_suffix(1);
    if (open != 0 || found.empty()) return std::nullopt;
    return found;
  }

 private:
  static bool is_space(char c) { return " \t\n\r\f"sv.find(c) != std::string_view::npos; }
  void skip_space() {
    while (!rest_.empty() && is_space(rest_.front())) rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

// Of "(3, 4)", "(3,)" or "()".
std::optional<std::vector<std::int64_t>> shape_of(std::string_view text) {
  Literals tuple(text);
  std::vector<std::int64_t> shape;
  bool had_comma = true;
  if (!tuple.accept('(')) return std::nullopt;
  while (!tuple.accept(')')) {
    const auto item = had_comma ? tuple.value() : std::nullopt;
    if (!item) return std::nullopt;
    std::int64_t n = 0;
    const char* const end = item->data() + item->size();
    const auto [stop, error] = std::from_chars(item->data(), end, n);
    if (error != std::errc() || stop != end || n < 0) return std::nullopt;
    shape.push_back(n);
    had_comma = tuple.accept(',');
  }
  if (!tuple.at_end() || (shape.size() == 1 && !had_comma)) return std::nullopt;
  return shape;
}

struct HeaderFields {
  std::string_view descr, fortran_order, shape;
};

std::optional<HeaderFields> fields_of(std::string_view text) {
  Literals dict(text);
  HeaderFields fields;
  bool had_comma = true;
  if (!dict.accept('{')) return std::nullopt;
  while (!dict.accept('}')) {
    const auto key = had_comma ? dict.text() : std::nullopt;
    if (!key || !dict.accept(':')) return std::nullopt;
    const auto value = dict.value();
    if (!value) return std::nullopt;
    if (*key == "descr") fields.descr = *value;
    if (*key == "fortran_order") fields.fortran_order = *value;
    if (*key == "shape") fields.shape = *value;
    had_comma = dict.accept(',');
  }
  if (!dict.at_end()) return std::nullopt;
  return fields;
}

// What is no text is written with escapes.
std::string shown_bytes(std::string_view bytes) {
  return is_utf8(bytes) ? std::string(bytes) : shown_text(bytes);
}

}  // namespace

std::optional<std::size_t> npy_length_size(std::string_view start) {
  if (start.size() < npy_start || !start.starts_with(magic)) return std::nullopt;
  const char version = start[magic.size()];
  if (version < 1 || version > 3) return std::nullopt;
  return version == 1 ? 2 : 4;
}

std::optional<NpyHeader> parse_npy_header(std::string_view text) {
  const auto fields = fields_of(text);
  if (!fields || fields->descr.empty()) return std::nullopt;
  const bool fortran = fields->fortran_order == "True";
  if (!fortran && fields->fortran_order != "False") return std::nullopt;
  auto shape = shape_of(fields->shape);
  if (!shape) return std::nullopt;
  NpyHeader header{std::nullopt, shown_bytes(fields->descr), fortran, *std::move(shape)};
  Literals descr(fields->descr);
  if (const auto name = descr.text(); name && descr.at_end()) {
    header.dtype = npy_dtype(*name);
    header.described = shown_text(*name);
  }
  return header;
}

std::string npy_header(const Array& array) {
  const char* const comma = array.rank() == 1 ? "," : "";
  std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                 npy_dtypes.at(static_cast<std::size_t>(array.dtype())),
                                 fmt::join(array.shape(), ", "), comma);
  constexpr std::size_t alignment = 64;  // of the first element
  const std::size_t before = npy_start + 2 + text.size() + 1;
  text.append((alignment - before % alignment) % alignment, ' ');
  text += '\n';
  return fmt::format("{}\x01{}{}{}", magic, '\0', little_endian(text.size(), 2), text);
}

}  // namespace gnomon
