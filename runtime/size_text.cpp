// Writes and reads numbers of bytes.
#include "runtime/size_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace gnomon {

namespace {

constexpr std::string_view units = "KMGT";  // 1024, its square and so on

}  // namespace

std::string size_text(std::int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (size >= 1023.95 && unit + 1 < units.size()) size /= 1024, ++unit;
  std::string number = fmt::format("{:.1f}", size);
  if (number.ends_with(".0")) number.resize(number.size() - 2);
  return fmt::format("{} {}iB", number, units[unit]);
}

std::optional<std::int64_t> parse_size(std::string_view text) {
  double number = 0;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !(number >= 0)) return std::nullopt;
  std::string_view rest = text.substr(static_cast<std::size_t>(stop - text.data()));
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  const auto unit = rest.empty() ? std::string_view::npos : units.find(rest[0] & ~0x20);
  if (unit != std::string_view::npos) {
    number = std::ldexp(number, static_cast<int>(10 * (unit + 1)));
    rest.remove_prefix(1);
    if (rest.starts_with('i')) rest.remove_prefix(1);
  }
  if (!rest.empty() && rest != "B" && rest != "b") return std::nullopt;
  if (number >= 0x1p63) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

}  // namespace gnomon
