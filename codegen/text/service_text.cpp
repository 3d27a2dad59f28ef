// Prints records of services, and the functions of a library that do them.
#include "codegen/text/service_text.h"

#include <fmt/format.h>

#include <set>
#include <variant>

#include "codegen/text/language.h"
#include "codegen/text/spell.h"

namespace gnomon {

namespace {

std::string value_of(const Argument& argument, const ServiceStep& s, const HostNames& names) {
  return std::visit(
      [&](const auto& value) -> std::string {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::int64_t>) return fmt::to_string(value);
        if constexpr (std::is_same_v<T, double>) return literal(DType::float64, Cell{.f64 = value});
        if constexpr (std::is_same_v<T, Dim>) return names.spelled(value);
        if constexpr (std::is_same_v<T, Argument::Operand>) {
          const std::string buffer = names.buffer(s.in[value.number]);
          return value.offset.is(0) ? buffer
                                    : fmt::format("{} + ({})", buffer, names.spelled(value.offset));
        }
        if constexpr (std::is_same_v<T, Argument::Result>) return names.buffer(s.out[value.number]);
      },
      argument.value);
}

bool is_address(const Argument& argument) {
  return std::holds_alternative<Argument::Operand>(argument.value) ||
         std::holds_alternative<Argument::Result>(argument.value);
}

DType type_of(const ServiceStep& step) { return static_cast<DType>(number_in(step, "dtype")); }

}  // namespace

std::vector<std::string> record_text(const ServiceStep& step, const HostNames& names, bool memory) {
  const Service& service = *step.service;
  std::vector<std::string> lines = {fmt::format("{} {}{{}};", service.record, service.name)};
  for (const std::vector<Argument>& together : step.arguments) {
    std::string text;
    for (const Argument& argument : together)
      if (memory || !is_address(argument))
        text += fmt::format("{}{}.{} = {}", text.empty() ? "" : ", ", service.name, argument.field,
                            value_of(argument, step, names));
    if (!text.empty()) lines.push_back(text + ";");
  }
  return lines;
}

std::string service_function(const ServiceStep& step, const HostNames& names) {
  return names.symbol(fmt::format("{}_{}_{}", step.service->name,
                                  number_in(step, step.service->chosen_by),
                                  short_name_of(type_of(step))));
}

std::string memory_text(const Buffer& buffer, const std::string& bytes, const HostNames& names) {
  const ServiceStep& step = *buffer.memory_of;
  std::string text = "{ ";
  for (const std::string& line : record_text(step, names, false)) text += line + " ";
  return text + fmt::format("{}_memory({}, {}); }}", service_function(step, names),
                            step.service->name, bytes);
}

ServiceUnits service_units(const Module& module, const HostNames& names) {
  ServiceUnits made;
  std::string text;
  std::set<std::string> seen;
  for (const Buffer& buffer : module.buffers) {
    if (buffer.memory_of == nullptr) continue;
    const ServiceStep& step = *buffer.memory_of;
    const Service& service = *step.service;
    const std::string function = service_function(step, names);
    if (!seen.insert(function).second) continue;
    const std::string run = fmt::format(
        "extern \"C\" i32 {}(const gn::Call& call, const {}& what, u8* memory, bool late)",
        function, service.record);
    const std::string bytes = fmt::format("extern \"C\" void {}_memory(const {}& what, i64* bytes)",
                                          function, service.record);
    made.prototypes += run + ";\n" + bytes + ";\n";
    text += fmt::format(
        "\nusing {0}_t = gn::{1}<{2}, {3}>;\n"
        "{4} {{\n  return gn::serve<{0}_t>(call, what, memory, late);\n}}\n"
        "{5} {{\n  const auto needed = {0}_t::memory(what);\n"
        "  bytes[0] = needed.shared, bytes[1] = needed.own;\n}}\n",
        function, service.of_library, number_in(step, service.chosen_by), type_name(type_of(step)),
        run, bytes);
  }
  if (text.empty()) return made;
  made.units.push_back({"services.cpp", unit_head({"services.h"}) + text, true});
  return made;
}

}  // namespace gnomon
