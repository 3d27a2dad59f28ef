// Writes descriptions of graphs, and reads them without trust.
#include "frontend/files/description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "frontend/files/json.h"
#include "frontend/files/option_values.h"
#include "runtime/error.h"
#include "runtime/suggestion.h"

namespace gnomon {

namespace {

constexpr std::string_view function_kind = "function";

// ------------------------------------------------------------------------------------------ write

std::string text_or_null(const std::string& text) {
  return text.empty() ? "null" : json_text(text);
}

template <class Range, class F>
std::string list_text(const Range& items, F&& item_text) {
  std::string text;
  for (const auto& item : items) text += (text.empty() ? "" : ", ") + item_text(item);
  return "[" + text + "]";
}

std::string flag_text(bool flag) { return flag ? "true" : "false"; }

std::string shared_text(const SharedDescription& variable) {
  const auto extent = [](std::int64_t n) { return n < 0 ? "null" : std::to_string(n); };
  return fmt::format(R"({{"name": {}, "shape": {}}})", text_or_null(variable.name),
                     list_text(variable.shape, extent));
}

std::string function_text(const Description& d) {
  std::vector<char> donated(d.input_names.size(), 0);
  for (const int i : d.options.donated) donated.at(static_cast<std::size_t>(i)) = 1;
  return fmt::format(
      R"("kind": "{}", "name": {}, "input_names": {}, "donated": {}, "structure": "{}", )"
      R"("allow_downcast": {}, "options": {})",
      function_kind, text_or_null(d.options.name), list_text(d.input_names, text_or_null),
      list_text(donated, flag_text), name_of(d.structure),
      d.allow_downcast ? flag_text(*d.allow_downcast) : "null", options_text(d.options));
}

// ------------------------------------------------------------------------------------------- read

bool is_text(const Json& j) { return j.is_string(); }
bool is_text_or_null(const Json& j) { return j.is_string() || j.is_null(); }
bool is_flag(const Json& j) { return j.is_boolean(); }
bool is_flag_or_null(const Json& j) { return j.is_boolean() || j.is_null(); }
bool is_list(const Json& j) { return j.is_array(); }
bool is_object(const Json& j) { return j.is_object(); }
bool is_integer(const Json& j) { return integer_of(j).has_value(); }

// A part of a description: its kind, and that of the items of a list.
struct Part {
  std::string_view name;
  bool (*is)(const Json&);
  bool (*item_is)(const Json&) = nullptr;
};

constexpr Part parts_of_all[] = {{"kind", is_text}, {"constants", is_integer}, {"shared", is_list}};
constexpr Part parts_of_expressions[] = {{"keys", is_list, is_text}};
constexpr Part parts_of_functions[] = {
    {"name", is_text_or_null},           {"input_names", is_list, is_text_or_null},
    {"donated", is_list, is_flag},       {"structure", is_text},
    {"allow_downcast", is_flag_or_null}, {"options", is_object}};

[[noreturn]] void reject(const Json& found, std::string_view name) {
  throw ValueError(fmt::format("the description has {} as {}", shown(found), name));
}

// Whether a description says all that it must, and nothing that a file may not say.
void check_parts(const Json& about, bool is_function) {
  std::vector<Part> parts(std::begin(parts_of_all), std::end(parts_of_all));
  const auto more = is_function ? std::span<const Part>(parts_of_functions) : parts_of_expressions;
  parts.insert(parts.end(), more.begin(), more.end());
  std::vector<std::string_view> names;
  for (const Part& part : parts) names.push_back(part.name);
  for (const auto& item : about.items())
    if (std::ranges::find(names, item.key()) == names.end())
      throw ValueError(fmt::format("the description has {}, which no file may say{}",
                                   shown_text(item.key()), suggestion(item.key(), names)));
  for (const Part& part : parts) {
    if (!about.contains(part.name))
      throw ValueError(fmt::format("the description has no {}", part.name));
    const Json& found = about.at(part.name);
    if (!part.is(found)) reject(found, part.name);
    if (part.item_is != nullptr && !std::ranges::all_of(found, part.item_is))
      reject(found, part.name);
  }
}

std::string text_in(const Json& text) { return text.is_null() ? "" : text.get<std::string>(); }

SharedDescription shared_in(const Json& variable) {
  constexpr const char* what = "a shared variable";
  if (!variable.is_object()) reject(variable, what);
  const Json &name = variable.at("name"), &shape = variable.at("shape");
  if (!is_text_or_null(name) || !shape.is_array()) reject(variable, what);
  SharedDescription described{text_in(name), {}};
  for (const Json& extent : shape) {
    const std::optional<std::int64_t> n = extent.is_null() ? -1 : size_in(extent);
    if (!n) reject(variable, what);
    described.shape.push_back(*n);
  }
  return described;
}

Structure structure_in(const Json& about, const char* name) {
  const auto structure = structure_called(about.at(name).get<std::string>());
  if (!structure) reject(about.at(name), name);
  return *structure;
}

void take_function(const Json& about, Description& d) {
  d.options = parse_options(about.at("options"));
  d.options.name = text_in(about.at("name"));
  d.structure = structure_in(about, "structure");
  for (const Json& name : about.at("input_names")) d.input_names.push_back(text_in(name));
  const Json& donated = about.at("donated");
  if (donated.size() != d.input_names.size()) reject(donated, "donated");
  for (std::size_t i = 0; i < donated.size(); ++i)
    if (donated[i].get<bool>()) d.options.donated.push_back(static_cast<int>(i));
  const Json& downcast = about.at("allow_downcast");
  if (!downcast.is_null()) d.allow_downcast = downcast.get<bool>();
}

Description description_in(const Json& about) {
  if (!about.is_object()) throw ValueError("the description of the graph is damaged");
  Description d;
  if (!about.contains("kind")) throw ValueError("the description has no kind");
  if (!is_text(about.at("kind"))) reject(about.at("kind"), "kind");
  d.is_function = about.at("kind") == function_kind;
  check_parts(about, d.is_function);
  d.constants = *integer_of(about.at("constants"));
  for (const Json& variable : about.at("shared")) d.shared.push_back(shared_in(variable));
  if (d.is_function) {
    take_function(about, d);
    return d;
  }
  d.structure = structure_in(about, "kind");
  if (d.structure == Structure::none) reject(about.at("kind"), "kind");
  d.keys = about.at("keys").get<std::vector<std::string>>();
  return d;
}

}  // namespace

std::string text(const Description& d) {
  const std::string own =
      d.is_function
          ? function_text(d)
          : fmt::format(R"("kind": "{}", "keys": {})", name_of(d.structure),
                        list_text(d.keys, [](const std::string& key) { return json_text(key); }));
  return fmt::format(R"({{{}, "constants": {}, "shared": {}}})", own, d.constants,
                     list_text(d.shared, shared_text));
}

Description parse_description(std::string_view text) {
  constexpr const char* damaged = "the description of the graph is damaged ({})";
  Json about;
  try {
    about = parse_json(text).value;
  } catch (const ValueError& error) {
    throw ValueError(fmt::format(fmt::runtime(damaged), error.what()));
  }
  try {
    return description_in(about);
  } catch (const Json::exception& error) {  // a part that is not there
    throw ValueError(fmt::format(fmt::runtime(damaged), error.what()));
  }
}

}  // namespace gnomon
