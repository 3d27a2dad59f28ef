// Options of the table between their types and JSON.
#include "frontend/files/option_values.h"

#include <fmt/format.h>

#include <concepts>
#include <filesystem>
#include <optional>
#include <type_traits>
#include <utility>

#include "runtime/error.h"
#include "runtime/suggestion.h"

namespace gnomon {

namespace {

// How files write the values of a type; `take` gives nothing for what is no such value.
template <class T>
struct FileNotation;

template <>
struct FileNotation<bool> {
  static std::string text(bool value) { return value ? "true" : "false"; }
  static std::optional<bool> take(const Json& from) {
    return from.is_boolean() ? std::optional(from.get<bool>()) : std::nullopt;
  }
};

template <std::integral T>
struct FileNotation<T> {
  static std::string text(T value) { return std::to_string(value); }
  static std::optional<T> take(const Json& from) {
    const std::optional<std::int64_t> n = integer_of(from);
    return n && std::in_range<T>(*n) ? std::optional(static_cast<T>(*n)) : std::nullopt;
  }
};

template <>
struct FileNotation<std::string> {
  static std::string text(const std::string& value) { return json_text(value); }
  static std::optional<std::string> take(const Json& from) {
    return from.is_string() ? std::optional(from.get<std::string>()) : std::nullopt;
  }
};

template <>
struct FileNotation<FilePath> : FileNotation<std::string> {};

template <>
struct FileNotation<RewriteLevel> {
  static std::string text(RewriteLevel value) { return json_text(name_of(value)); }
  static std::optional<RewriteLevel> take(const Json& from) {
    for (const RewriteLevel level :
         {RewriteLevel::none, RewriteLevel::exact, RewriteLevel::all, RewriteLevel::fast})
      if (from == name_of(level)) return level;
    return std::nullopt;
  }
};

template <class T>
struct FileNotation<std::optional<T>> {
  static std::string text(const std::optional<T>& value) {
    return value ? FileNotation<T>::text(*value) : "null";
  }
  static std::optional<std::optional<T>> take(const Json& from) {
    if (from.is_null()) return std::optional<T>();
    std::optional<T> value = FileNotation<T>::take(from);
    if (!value) return std::nullopt;
    return std::make_optional(std::move(value));
  }
};

template <class T>
struct FileNotation<std::vector<T>> {
  static std::string text(const std::vector<T>& values) {
    std::string items;
    for (const T& value : values)
      items += (items.empty() ? "" : ", ") + FileNotation<T>::text(value);
    return "[" + items + "]";
  }
  static std::optional<std::vector<T>> take(const Json& from) {
    if (!from.is_array()) return std::nullopt;
    std::vector<T> values;
    for (const Json& item : from) {
      std::optional<T> value = FileNotation<T>::take(item);
      if (!value) return std::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  }
};

template <class T>
using FileNotationOf = FileNotation<std::remove_cvref_t<T>>;

[[noreturn]] void refuse(std::string_view name, const Json& found) {
  throw ValueError(
      fmt::format("the file has {} as the option {}, which no file may choose; save it anew, or "
                  "leave it out and give {} to load",
                  shown(found), name, name));
}

}  // namespace

std::string options_text(const CompileOptions& options) {
  std::string text;
  for_each_option(options, [&](const CompileOption& option, const auto& value) {
    if (option.decides != Decides::result) return;
    text += fmt::format("{}\"{}\": {}", text.empty() ? "" : ", ", option.name,
                        FileNotationOf<decltype(value)>::text(value));
  });
  return "{" + text + "}";
}

CompileOptions parse_options(const Json& given) {
  CompileOptions options;
  std::size_t known = 0;
  for_each_option(options, [&](const CompileOption& option, auto& value) {
    const auto at = given.find(option.name);
    if (at == given.end()) return;
    ++known;
    auto taken = FileNotationOf<decltype(value)>::take(*at);
    if (option.decides != Decides::result && (!taken || *taken != value)) refuse(option.name, *at);
    if (!taken)
      throw ValueError(
          fmt::format("the description has {} as the option {}", shown(*at), option.name));
    value = *std::move(taken);
  });
  if (known == given.size()) return options;
  for (const auto& item : given.items()) {
    bool is_option = false;
    std::vector<std::string_view> names;
    for_each_option(options, [&](const CompileOption& option, const auto& /*value*/) {
      is_option = is_option || option.name == item.key();
      if (option.decides == Decides::result) names.push_back(option.name);
    });
    if (!is_option)
      throw ValueError(fmt::format("the file has the option {}, which no file may choose{}",
                                   shown_text(item.key()), suggestion(item.key(), names)));
  }
  return options;
}

}  // namespace gnomon
