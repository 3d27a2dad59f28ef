// Prints records of services, and the functions of a library that do them.
#include "codegen/text/service_text.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <variant>

#include "codegen/text/language.h"
#include "codegen/text/spell.h"
#include "runtime/lines/transforms.h"

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

std::string class_of(DType t) {
  return is_complex(t) ? fmt::format("gnomon::FloatPair<{}>", type_name(part_of(t))) : type_name(t);
}

// --- tables of Fourier transforms ---

constexpr std::int64_t most_of_table = 1 << 15;  // elements that are part of the library

// The elements of the table for a length that is known; nothing: calls make it.
template <Routine kind, class T>
std::vector<T> table_for(std::int64_t length) {
  LineTransform<kind, T> transform(length);
  if (transform.table_elements() > most_of_table) return {};
  std::vector<T> table(static_cast<std::size_t>(transform.table_elements()));
  std::vector<char> memory(static_cast<std::size_t>(transform.bytes_to_make()));
  transform.make(table.data(), memory.data());
  return table;
}

template <class T>
std::string text_of_table(Routine kind, std::int64_t length) {
  std::vector<T> table;
  if (kind == Routine::dft) table = table_for<Routine::dft, T>(length);
  if (kind == Routine::rdft) table = table_for<Routine::rdft, T>(length);
  if (kind == Routine::irdft) table = table_for<Routine::irdft, T>(length);
  std::string text;
  for (const T x : table) text += fmt::format("{:a}{},", x, sizeof(T) == 4 ? "f" : "");
  return text;
}

// The length of a transform, if it is known to be a small one.
std::optional<std::int64_t> known_length(const ServiceStep& step) {
  if (step.of_library != "Fourier") return std::nullopt;
  const auto kind = static_cast<Routine>(number_in(step, "routine"));
  const std::string_view field = kind == Routine::irdft ? "columns" : "rows";
  for (const std::vector<Argument>& together : step.arguments)
    for (const Argument& argument : together) {
      const auto* extent = std::get_if<Dim>(&argument.value);
      if (argument.field != field || extent == nullptr || !extent->is_constant()) continue;
      const std::int64_t n = extent->constant();
      return n > 0 && n <= most_of_table ? std::optional(n) : std::nullopt;
    }
  return std::nullopt;
}

// The elements of the table that a step finds in the library, or nothing.
std::string table_text(const ServiceStep& step) {
  const std::optional<std::int64_t> length = known_length(step);
  if (!length) return {};
  const auto kind = static_cast<Routine>(number_in(step, "routine"));
  return type_of(step) == DType::float32 ? text_of_table<float>(kind, *length)
                                         : text_of_table<double>(kind, *length);
}

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
  std::string name =
      fmt::format("{}_{}_{}", step.service->name, number_in(step, step.service->chosen_by),
                  short_name_of(type_of(step)));
  if (const auto length = known_length(step)) name += fmt::format("_{}", *length);
  return names.symbol(name);
}

std::string device_kernel_name(const ServiceStep& step, const HostNames& names) {
  if (!step.service->has_one_kernel) return service_function(step, names);
  return names.symbol(fmt::format("{}_{}", step.service->name, short_name_of(type_of(step))));
}

std::string device_kernel_text(const ServiceStep& step, const HostNames& names) {
  const Service& service = *step.service;
  const std::string chosen =
      service.has_one_kernel ? "" : fmt::format("{}, ", number_in(step, service.chosen_by));
  return fmt::format("{}({}, {}{})\n", step.device_kernel, device_kernel_name(step, names), chosen,
                     class_of(type_of(step)));
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
  std::set<std::string> seen, headers;
  for (const Buffer& buffer : module.buffers) {
    if (buffer.memory_of == nullptr) continue;
    const ServiceStep& step = *buffer.memory_of;
    const Service& service = *step.service;
    const std::string function = service_function(step, names);
    if (!seen.insert(function).second) continue;
    const std::string run =
        fmt::format("extern \"C\" i32 {}(const gn::Call& call, {}{}& what, u8* memory, bool late)",
                    function, service.reports ? "" : "const ", service.record);
    const std::string bytes = fmt::format("extern \"C\" void {}_memory(const {}& what, i64* bytes)",
                                          function, service.record);
    made.prototypes += run + ";\n" + bytes + ";\n";
    headers.insert(step.extra.empty() ? "services.h" : fmt::format("{}_services.h", step.extra));
    const std::string table = table_text(step);
    if (!table.empty())
      text += fmt::format("\nalignas(64) static const {} {}_table[] = {{{}}};\n",
                          type_name(type_of(step)), function, table);
    text += fmt::format(
        "\nusing {0}_t = gn::{1}<{2}, {3}{6}>;\n"
        "{4} {{\n  return gn::serve<{0}_t>(call, what, memory, late);\n}}\n"
        "{5} {{\n  const auto needed = {0}_t::memory(what);\n"
        "  bytes[0] = needed.shared, bytes[1] = needed.own;\n}}\n",
        function, step.of_library, number_in(step, service.chosen_by), class_of(type_of(step)), run,
        bytes, table.empty() ? "" : fmt::format(", {}_table", function));
  }
  if (text.empty()) return made;
  made.units.push_back({"services.cpp", unit_head(headers) + text, true});
  return made;
}

}  // namespace gnomon
