// Keeps the constants of a machine in a file of the cache folder.
#include "codegen/toolchain/machine.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <system_error>

#include "runtime/cache/cache_file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

using nlohmann::json;

constexpr const char* file_name = "machine.json";
constexpr std::int64_t most_bytes = 1 << 16;  // of the file
constexpr std::int64_t largest = std::int64_t{1} << 50;
constexpr MachineConstant machine_constant_table[] = {
    {"prefetch_bytes", &Machine::prefetch_bytes, 64, std::int64_t{1} << 20},
    {"far_bytes", &Machine::far_bytes, 64, largest},
    {"resident_row_bytes", &Machine::resident_row_bytes, 64, largest},
    {"stream_bytes", &Machine::stream_bytes, 64, largest},
    {"few_rows", &Machine::few_rows, 0, 4096},
    {"work_of_piece", &Machine::work_of_piece, 1, largest},
};

// The fault of the file's text, or "".
std::string parse(const std::string& content, std::string_view processor, Machine& machine) {
  const json file = json::parse(content, nullptr, false);
  if (!file.is_object() || !file.contains("processor") || !file["processor"].is_string() ||
      !file.contains("constants") || !file["constants"].is_object())
    return "expected a processor and constants";
  if (const auto measured_on = file["processor"].get<std::string>(); measured_on != processor)
    return fmt::format("expected constants of {}, found those of {}", processor, measured_on);
  const json& values = file["constants"];
  if (values.size() != std::size(machine_constant_table))
    return fmt::format("expected {} constants, found {}", std::size(machine_constant_table),
                       values.size());
  for (const MachineConstant& c : machine_constant_table) {
    const auto at = values.find(c.name);
    if (at == values.end() || !at->is_number_integer() || *at < c.least || *at > c.most)
      return fmt::format("expected an integer from {} to {} as {}", c.least, c.most, c.name);
    machine.*c.member = at->get<std::int64_t>();
  }
  return "";
}

}  // namespace

std::span<const MachineConstant> machine_constants() { return machine_constant_table; }

std::string text(const Machine& machine) {
  std::string result;
  for (const MachineConstant& c : machine_constant_table)
    result += fmt::format("{}{} {}", result.empty() ? "" : ", ", c.name, machine.*c.member);
  return result;
}

std::string machine_file(const std::string& folder) {
  return std::filesystem::path(folder) / file_name;
}

StoredMachine read_machine(const std::string& folder, std::string_view processor) {
  const std::string path = machine_file(folder);
  const OpenedFolder opened = open_folder(folder);
  const auto content =
      opened.descriptor ? read_file(opened.descriptor, file_name, most_bytes) : std::nullopt;
  std::error_code error;
  if (!content && !std::filesystem::exists(path, error)) return {};
  Machine machine;
  const std::string fault = content                  ? parse(*content, processor, machine)
                            : opened.problem.empty() ? "it cannot be read, or others may write it"
                                                     : opened.problem;
  if (fault.empty()) return {machine, ""};
  return {std::nullopt, fmt::format("{} is ignored: {}; `gnomon tune` makes it anew", path, fault)};
}

void write_machine(const std::string& folder, std::string_view processor, const Machine& machine) {
  json values = json::object();
  for (const MachineConstant& c : machine_constant_table)
    values[std::string(c.name)] = machine.*c.member;
  const std::string content = json{{"processor", processor}, {"constants", values}}.dump(2) + "\n";
  const OpenedFolder opened = make_folder(folder);
  if (!opened.descriptor || !write_file(opened.descriptor, file_name, content))
    throw DeviceError(fmt::format("tune: expected a folder that can be written, found {}{}", folder,
                                  opened.problem.empty() ? "" : ": " + opened.problem));
}

}  // namespace gnomon
