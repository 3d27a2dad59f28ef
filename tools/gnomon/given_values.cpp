// Makes arrays and numbers of what the command line says.
#include "tools/gnomon/given_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>

#include "frontend/files/values.h"
#include "ir/graph/expr.h"
#include "runtime/error.h"
#include "tools/gnomon/saved_function.h"

namespace gnomon {

namespace {

// The number that a text is, and nothing else.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

// A number of the command line as a value of a scalar input.
Array number_of(const char* command, const std::string& name, const std::string& text,
                DType dtype) {
  if (dtype == DType::bool_ && (text == "true" || text == "false"))
    return Array::scalar(text == "true");
  if (is_integer(dtype)) {
    if (const auto value = number_in<std::int64_t>(text)) return Arg(*value).array(dtype);
  } else if (const auto value = number_in<double>(text)) {
    return Arg(*value).array(dtype);
  }
  throw ValueError(fmt::format("{}: expected a file .npy or .npz, or a number, for {}, found {}",
                               command, name, text));
}

}  // namespace

Array value_of(const char* command, const SavedInput& input, const std::string& text) {
  const std::filesystem::path path = text;
  const std::string name = name_of(input), extension = path.extension().string();
  if (extension == ".npy") return load_array(path);
  if (extension == ".npz" || extension == ".safetensors")
    return array_named(load_values(path), name);
  return number_of(command, name, text, input.value.dtype());
}

std::vector<Array> given_values(const char* command, const SavedGraph& graph,
                                const std::vector<std::string>& texts) {
  const std::vector<std::string> names = input_names(graph);
  std::vector<Array> values(names.size());
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    const auto at = std::ranges::find(names, text.substr(0, equals));
    if (equals == std::string::npos || at == names.end())
      throw ValueError(fmt::format(
          "{}: expected NAME=VALUE with one of {}, found {}", command,
          names.empty() ? "no names" : fmt::format("{}", fmt::join(names, ", ")), text));
    const auto i = static_cast<std::size_t>(at - names.begin());
    values[i] = value_of(command, graph.inputs[i], text.substr(equals + 1));
  }
  return values;
}

std::pair<std::string, std::string> name_and_value(const char* command, const std::string& text,
                                                   std::string_view of) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos)
    throw ValueError(fmt::format("{}: expected {}, found {}", command, of, text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

SampledRange range_of(const char* command, const std::string& name, const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto low = number_in<double>(std::string_view(text).substr(0, colon));
    const auto high = number_in<double>(std::string_view(text).substr(colon + 1));
    if (low && high) return {*low, *high};
  }
  throw ValueError(
      fmt::format("{}: expected LOW:HIGH as the range of {}, found {}", command, name, text));
}

std::int64_t extent_of(const char* command, const std::string& name, const std::string& text) {
  const auto extent = number_in<std::int64_t>(text);
  if (extent && *extent >= 0) return *extent;
  throw ValueError(fmt::format(
      "{}: expected a number that is at least 0 as the extent {}, found {}", command, name, text));
}

void check_value(const char* command, const Parameter& parameter, const Array& value) {
  if (value.dtype() == parameter.type.dtype && value.rank() == parameter.type.rank()) return;
  throw ValueError(fmt::format("{}: expected {}: {}, found {}", command, parameter.name,
                               parameter.type.text(), value.describe()));
}

std::string fault_of_count(const std::string& text) {
  const auto count = number_in<int>(text);
  return count && *count > 0 ? "" : fmt::format("expected an integer above 0, found {}", text);
}

std::string fault_of_amount(const std::string& text) {
  const auto amount = number_in<double>(text);
  const bool is_proper = amount && std::isfinite(*amount) && *amount > 0;
  return is_proper ? "" : fmt::format("expected a number above 0, found {}", text);
}

std::string fault_of_limit(const std::string& text) {
  const auto limit = number_in<double>(text);
  return limit && *limit >= 0 ? ""
                              : fmt::format("expected a number that is at least 0, found {}", text);
}

}  // namespace gnomon
