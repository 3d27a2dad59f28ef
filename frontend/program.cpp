// Plans and failures of compiled functions.
#include "frontend/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "runtime/error.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr std::size_t most_plans = 64;

std::string filled(std::string text, const Failure& f) {
  const std::pair<const char*, std::int64_t> fields[] = {
      {"{index}", f.index}, {"{value}", f.value}, {"{bound}", f.bound}};
  for (const auto& [field, value] : fields)
    for (std::size_t at; (at = text.find(field)) != std::string::npos;)
      text.replace(at, std::strlen(field), std::to_string(value));
  return text;
}

}  // namespace

const PlanRecord& Program::plan_for(std::span<const std::int64_t> extents,
                                    std::unique_ptr<const PlanRecord>& own) const {
  const auto matches = [&](const PlanRecord& p) {
    return std::equal(extents.begin(), extents.end(), p.extents.begin());
  };
  if (const PlanRecord* last = last_plan.load(std::memory_order_acquire); last && matches(*last))
    return *last;
  const std::lock_guard lock(plans_mutex);
  for (const auto& p : plans)
    if (matches(*p)) {
      last_plan.store(p.get(), std::memory_order_release);
      return *p;
    }
  auto record = std::make_unique<PlanRecord>();
  record->extents.assign(extents.begin(), extents.end());
  record->plan.resize(library->info().plan_size);
  if (const std::int32_t check = library->plan()(record->extents.data(), record->plan.data()))
    fail({check, 0, 0, 0});
  if (plans.size() >= most_plans) {
    own = std::move(record);
    return *own;
  }
  plans.push_back(std::move(record));
  last_plan.store(plans.back().get(), std::memory_order_release);
  return *plans.back();
}

void Program::fail(const Failure& failure) const {
  if (failure.check < 1 || failure.check > static_cast<std::int32_t>(failures.size()))
    throw InternalError(fmt::format("call: unknown check {}", failure.check));
  const ProgramFailure& f = failures[failure.check - 1];
  // Graphs that differ in messages only have one code: theirs are told.
  const EntryCheck* const check =
      f.entry_check >= 0 && f.entry_check < static_cast<int>(captured.checks.size())
          ? &captured.checks[static_cast<std::size_t>(f.entry_check)]
          : nullptr;
  std::string text = filled(check ? check->message : f.text, failure);
  const auto order = captured.topological_order();
  std::vector<std::string> places;
  const auto add = [&](const std::vector<Origin>& origins) {
    for (const Origin& o : origins)
      if (o && std::find(places.begin(), places.end(), o.text()) == places.end() &&
          places.size() < 4)
        places.push_back(o.text());
  };
  for (const std::uint32_t n : f.nodes)
    if (n < order.size()) add(order[n]->origins());
  if (check) add(check->origins);
  if (f.parameter >= 0 && f.parameter < static_cast<int>(argument_origins.size()))
    add(argument_origins[f.parameter]);
  if (!places.empty()) text += fmt::format(" [{}]", fmt::join(places, ", "));
  if (check ? check->is_index : f.is_index) throw IndexError(text);
  throw ValueError(text);
}

int Program::most_threads() const {
  return threads > 0 ? std::min(threads, pool().threads()) : pool().threads();
}

namespace {

using nlohmann::json;

[[noreturn]] void reject_signature(const std::string& why) {
  throw DeviceError(fmt::format("library: expected the signature of a function, {}", why));
}

DType dtype_named(const std::string& name) {
  for (int t = 0; t < dtype_count; ++t)
    if (name_of(static_cast<DType>(t)) == name) return static_cast<DType>(t);
  reject_signature("found the dtype " + name);
}

// An integer of the signature that is at least `least` and below `end`.
int integer(const json& object, const char* key, std::int64_t least, std::int64_t end) {
  const json& value = object.at(key);
  if (!value.is_number_integer() || value < least || value >= end)
    reject_signature(fmt::format("found {} as {}", value.dump(), key));
  return value.get<int>();
}

ProgramOutput output(const json& entry, const Type& type, std::int64_t plan_size,
                     std::int64_t parameters) {
  ProgramOutput o;
  o.dtype = dtype_named(entry.at("dtype"));
  o.rank = integer(entry, "rank", 0, max_rank + 2);
  o.shape_at = integer(entry, "shape_at", 0, plan_size - o.rank + 1);
  o.late = entry.at("late");
  o.over = integer(entry, "over", -1, parameters);
  if (is_complex(type.dtype)) o.dtype = type.dtype, o.rank -= 1;
  if (is_half(type.dtype)) o.dtype = type.dtype;
  if (o.dtype != type.dtype || o.rank != type.rank())
    reject_signature("found an output of another type");
  return o;
}

ProgramFailure failure(const json& entry, const Graph& of) {
  const auto parameters = static_cast<std::int64_t>(of.parameters.size());
  ProgramFailure f{entry.at("text"), entry.at("nodes"),
                   integer(entry, "entry", -1, static_cast<std::int64_t>(of.checks.size())),
                   integer(entry, "parameter", -1, parameters), entry.at("index")};
  if (const int named = integer(entry, "of", -1, parameters); named >= 0) {
    const Parameter& p = of.parameters[static_cast<std::size_t>(named)];
    if (const std::size_t at = f.text.find("{of}"); at != std::string::npos)
      f.text.replace(at, 4, fmt::format("{}: {}", p.name, p.type.text()));
  }
  return f;
}

}  // namespace

void Program::read_signature(std::string_view text, std::int64_t plan_size, const Graph& of) {
  try {
    const json signature = json::parse(text);
    const auto native_parameters = static_cast<std::int64_t>(of.parameters.size());
    const json& entries = signature.at("outputs");
    if (entries.size() != of.outputs.size())
      reject_signature(fmt::format("found {} outputs", entries.size()));
    std::vector<ProgramOutput> made;
    for (std::size_t i = 0; i < entries.size(); ++i)
      made.push_back(output(entries[i], of.outputs[i].type(), plan_size, native_parameters));
    std::vector<ProgramFailure> told;
    for (const json& entry : signature.at("failures")) told.push_back(failure(entry, of));
    const auto positions = signature.at("extent_parameters").get<std::vector<int>>();
    for (const int i : positions)
      if (i < 0 || i >= native_parameters)
        reject_signature(fmt::format("found an extent of parameter {}", i));
    messages = signature.at("messages").get<std::vector<std::string>>();
    kernels = signature.at("kernels");
    products = signature.at("products");
    memory_table = signature.value("memory_table", "");
    outputs = std::move(made);
    failures = std::move(told);
    extent_parameters = positions;
  } catch (const json::exception& error) {
    reject_signature(fmt::format("found none ({})", error.what()));
  }
}

}  // namespace gnomon
