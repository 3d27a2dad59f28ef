// JSON of files that anybody may have written: parsed with care, and shown in messages.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gnomon {

using Json = nlohmann::json;

/// A parsed text. `keys` are those of the outermost object in the order of the text, each once.
struct ParsedJson {
  Json value;
  std::vector<std::string> keys;
};

/// ValueError that says why the text is no JSON, or that it is nested too deeply.
ParsedJson parse_json(std::string_view text);

/// The integer that a value is, if it is one of 64 bits.
std::optional<std::int64_t> integer_of(const Json& value);
/// The same without negative ones.
std::optional<std::int64_t> size_in(const Json& value);

/// A value as Python writes it, for messages: None, True, ['a', 1].
std::string shown(const Json& value);
/// A text as Python writes it: 'a'.
std::string shown_text(std::string_view text);
/// A text in JSON: "a", with escapes for all but ASCII. ValueError: it is not UTF-8.
std::string json_text(std::string_view text);

}  // namespace gnomon
