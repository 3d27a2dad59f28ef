// Writes and reads the signatures of compiled functions.
#include "runtime/signature.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "runtime/arrays/array.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using nlohmann::json;

constexpr std::int64_t any_number = std::numeric_limits<int>::max();

json to_json(const SignatureInput& input) {
  json object{{"name", input.name},
              {"dtype", name_of(input.dtype)},
              {"rank", input.rank},
              {"extents", input.extents}};
  if (input.device >= 0) object["device"] = input.device;
  return object;
}

json to_json(const SignatureOutput& output) {
  json object{{"name", output.name}, {"dtype", name_of(output.dtype)},
              {"rank", output.rank}, {"extents", output.extents},
              {"late", output.late}, {"shape_at", output.shape_at},
              {"over", output.over}};
  if (output.device >= 0) object["device"] = output.device;
  return object;
}

json to_json(const FailureText& failure) {
  return {
      {"text", failure.text},           {"nodes", failure.nodes}, {"entry", failure.entry_check},
      {"parameter", failure.parameter}, {"of", failure.of},       {"index", failure.is_index}};
}

json to_json(const SignatureStep& step) {
  return {{"kind", step.kind},     {"name", step.name},   {"inside", step.inside},
          {"branch", step.branch}, {"nodes", step.nodes}, {"single", step.single}};
}

json to_json(const SignatureBuffer& buffer) {
  return {{"name", buffer.name},
          {"first", buffer.first},
          {"last", buffer.last},
          {"result", buffer.result},
          {"nodes", buffer.nodes}};
}

template <class T>
json to_json(const std::vector<T>& list) {
  json array = json::array();
  for (const T& entry : list) array.push_back(to_json(entry));
  return array;
}

DType dtype_named(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t)
    if (name_of(static_cast<DType>(t)) == name) return static_cast<DType>(t);
  reject_signature("found the dtype " + name);
}

void check_integer(const json& value, const char* key, std::int64_t least, std::int64_t end) {
  if (!value.is_number_integer() || value < least || value >= end)
    reject_signature(fmt::format("found {} as {}", value.dump(), key));
}

// An integer of the signature that is at least `least` and below `end`.
int integer(const json& object, const char* key, std::int64_t least, std::int64_t end) {
  const json& value = object.at(key);
  check_integer(value, key, least, end);
  return value.get<int>();
}

// A list of such integers.
template <class T>
std::vector<T> integers(const json& object, const char* key, std::int64_t end) {
  const json& values = object.at(key);
  for (const json& value : values) check_integer(value, key, 0, end);
  return values.get<std::vector<T>>();
}

std::vector<std::uint32_t> read_nodes(const json& entry) {
  return integers<std::uint32_t>(entry, "nodes", any_number);
}

// Native code sees one axis more than a complex array has.
int rank_of(const json& entry) { return integer(entry, "rank", 0, max_rank + 2); }

std::vector<std::string> read_extents(const json& entry, int rank) {
  auto extents = entry.at("extents").get<std::vector<std::string>>();
  if (extents.size() != static_cast<std::size_t>(rank))
    reject_signature(fmt::format("found {} extents of rank {}", extents.size(), rank));
  return extents;
}

SignatureInput read_input(const json& entry) {
  const int rank = rank_of(entry);
  return {entry.at("name"), dtype_named(entry.at("dtype")), rank, read_extents(entry, rank),
          entry.value("device", -1)};
}

SignatureOutput read_output(const json& entry, std::int64_t plan_size, std::int64_t inputs) {
  const int rank = rank_of(entry);
  return {entry.at("name"),
          dtype_named(entry.at("dtype")),
          rank,
          read_extents(entry, rank),
          integer(entry, "shape_at", 0, plan_size - rank + 1),
          entry.at("late"),
          integer(entry, "over", -1, inputs),
          entry.value("device", -1)};
}

FailureText read_failure(const json& entry, std::int64_t inputs) {
  return {entry.at("text"),
          read_nodes(entry),
          integer(entry, "entry", -1, any_number),
          integer(entry, "parameter", -1, inputs),
          integer(entry, "of", -1, inputs),
          entry.at("index")};
}

// `before`: how many steps come before it.
SignatureStep read_step(const json& entry, std::int64_t before) {
  return {entry.at("kind"),
          entry.at("name"),
          integer(entry, "inside", -1, before),
          integer(entry, "branch", 0, any_number),
          read_nodes(entry),
          entry.at("single")};
}

SignatureBuffer read_buffer(const json& entry, std::int64_t steps) {
  const int first = integer(entry, "first", 0, steps);
  return {entry.at("name"), first, integer(entry, "last", first, steps), entry.at("result"),
          read_nodes(entry)};
}

// "x: f64[n, 3]", without the name where there is none.
template <class T>
std::string described(const T& entry) {
  return fmt::format("{}{}{}{}", entry.name, entry.name.empty() ? "" : ": ",
                     short_name_of(entry.dtype),
                     entry.rank == 0 ? "" : fmt::format("[{}]", fmt::join(entry.extents, ", ")));
}

template <class T>
std::string described(const std::vector<T>& list) {
  std::string text;
  for (const T& entry : list) text += (text.empty() ? "" : ", ") + described(entry);
  return list.empty() ? "()" : text;
}

}  // namespace

void reject_signature(const std::string& why) {
  throw DeviceError(fmt::format("library: expected the signature of a function, {}", why));
}

std::string text(const Signature& signature) {
  json object{
      {"inputs", to_json(signature.inputs)}, {"outputs", to_json(signature.outputs)},
      {"symbols", signature.symbols},        {"failures", to_json(signature.failures)},
      {"messages", signature.messages},      {"kernels", signature.kernels},
      {"products", signature.products},      {"extent_parameters", signature.extent_parameters}};
  if (!signature.memory_table.empty()) object["memory_table"] = signature.memory_table;
  if (!signature.steps.empty()) object["steps"] = to_json(signature.steps);
  if (!signature.memory.empty()) object["memory"] = to_json(signature.memory);
  return object.dump(-1, ' ', true, json::error_handler_t::replace);
}

std::string describe(const Signature& signature) {
  return fmt::format("{} -> {}", described(signature.inputs), described(signature.outputs));
}

Signature read_signature(std::string_view text, std::int64_t plan_size) {
  try {
    const json object = json::parse(text);
    Signature signature;
    for (const json& entry : object.at("inputs")) signature.inputs.push_back(read_input(entry));
    const auto inputs = static_cast<std::int64_t>(signature.inputs.size());
    for (const json& entry : object.at("outputs"))
      signature.outputs.push_back(read_output(entry, plan_size, inputs));
    signature.symbols = object.at("symbols").get<std::vector<std::string>>();
    for (const json& entry : object.at("failures"))
      signature.failures.push_back(read_failure(entry, inputs));
    signature.messages = object.at("messages").get<std::vector<std::string>>();
    signature.extent_parameters = integers<int>(object, "extent_parameters", inputs);
    signature.kernels = integer(object, "kernels", 0, any_number);
    signature.products = integer(object, "products", 0, any_number);
    signature.memory_table = object.value("memory_table", "");
    if (object.contains("steps"))
      for (const json& entry : object.at("steps"))
        signature.steps.push_back(read_step(entry, std::ssize(signature.steps)));
    if (object.contains("memory"))
      for (const json& entry : object.at("memory"))
        signature.memory.push_back(read_buffer(entry, std::ssize(signature.steps)));
    return signature;
  } catch (const json::exception& error) {
    reject_signature(fmt::format("found none ({})", error.what()));
  }
}

}  // namespace gnomon
