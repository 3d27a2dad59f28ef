// Parses JSON without trust in its depth, and writes values for messages.
#include "frontend/files/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <utility>

#include "ir/text/lexer.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

constexpr int deepest = 50;  // objects and arrays in one another

}  // namespace

ParsedJson parse_json(std::string_view text) {
  ParsedJson parsed;
  std::unordered_set<std::string> known;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& found) {
    if (depth > deepest) throw ValueError("it is nested too deeply");
    if (event == Json::parse_event_t::key && depth == 1) {
      auto name = found.get<std::string>();
      if (known.insert(name).second) parsed.keys.push_back(std::move(name));
    }
    return true;
  };
  try {
    parsed.value = Json::parse(text, watch);
  } catch (const Json::exception& error) {
    throw ValueError(error.what());
  }
  return parsed;
}

std::optional<std::int64_t> integer_of(const Json& value) {
  if (value.is_number_unsigned()) {
    const auto n = value.get<std::uint64_t>();
    if (!std::in_range<std::int64_t>(n)) return std::nullopt;
    return static_cast<std::int64_t>(n);
  }
  if (!value.is_number_integer()) return std::nullopt;
  return value.get<std::int64_t>();
}

std::optional<std::int64_t> size_in(const Json& value) {
  const std::optional<std::int64_t> n = integer_of(value);
  return n && *n >= 0 ? n : std::nullopt;
}

std::string shown(const Json& value) {
  if (value.is_null()) return "None";
  if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
  if (value.is_string()) return shown_text(value.get_ref<const std::string&>());
  if (!value.is_structured()) return value.dump();
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += shown_text(key) + ": ";
    text += shown(item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string shown_text(std::string_view text) {
  const bool has_quotes = text.find('\'') != std::string_view::npos;
  const char quote = has_quotes && text.find('"') == std::string_view::npos ? '"' : '\'';
  std::string result(1, quote);
  const bool is_text = is_utf8(text);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == quote || c == '\\')
      result += {'\\', c};
    else if (c == '\n')
      result += "\\n";
    else if (byte < 0x20 || byte == 0x7f || (byte >= 0x80 && !is_text))
      result += fmt::format("\\x{:02x}", byte);
    else
      result += c;
  }
  return result + quote;
}

std::string json_text(std::string_view text) {
  if (!is_utf8(text)) throw ValueError(fmt::format("expected UTF-8, found {}", shown_text(text)));
  return Json(text).dump(-1, ' ', true);
}

}  // namespace gnomon
