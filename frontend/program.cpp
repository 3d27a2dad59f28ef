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
  std::string text = filled(f.text, failure);
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
  if (f.entry_check >= 0 && f.entry_check < static_cast<int>(captured.checks.size()))
    add(captured.checks[f.entry_check].origins);
  if (f.parameter >= 0 && f.parameter < static_cast<int>(argument_origins.size()))
    add(argument_origins[f.parameter]);
  if (!places.empty()) text += fmt::format(" [{}]", fmt::join(places, ", "));
  throw ValueError(text);
}

int Program::most_threads() const {
  return threads > 0 ? std::min(threads, pool().threads()) : pool().threads();
}

void Program::read_signature() {
  const nlohmann::json signature = nlohmann::json::parse(library->info().signature);
  const auto dtype_named = [](const std::string& name) {
    for (int t = 0; t < dtype_count; ++t)
      if (name_of(static_cast<DType>(t)) == name) return static_cast<DType>(t);
    throw InternalError("signature: unknown dtype " + name);
  };
  const auto& out = signature.at("outputs");
  for (std::size_t i = 0; i < out.size(); ++i) {
    ProgramOutput o;
    o.dtype = dtype_named(out[i].at("dtype"));
    o.rank = out[i].at("rank");
    o.shape_at = out[i].at("shape_at");
    o.late = out[i].at("late");
    o.over = out[i].at("over");
    if (const DType t = captured.outputs[i].dtype(); is_complex(t)) o.dtype = t, o.rank -= 1;
    if (const DType t = captured.outputs[i].dtype(); is_half(t)) o.dtype = t;
    outputs.push_back(o);
  }
  for (const auto& f : signature.at("failures"))
    failures.push_back({f.at("text"), f.at("nodes"), f.at("entry"), f.at("parameter")});
  for (ProgramFailure& f : failures) {
    if (f.parameter < 0) continue;
    const Parameter& p = captured.parameters[static_cast<std::size_t>(f.parameter)];
    if (is_complex(p.type.dtype) || is_half(p.type.dtype))
      f.text = fmt::format("call: expected {}: {}", p.name, p.type.text());
  }
  messages = signature.at("messages").get<std::vector<std::string>>();
  extent_parameters = signature.at("extent_parameters").get<std::vector<int>>();
  kernels = signature.at("kernels");
  products = signature.at("products");
  memory_table = signature.value("memory_table", "");
}

}  // namespace gnomon
