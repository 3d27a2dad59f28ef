// Module -> C++ units: kernels in groups, then the host function that plans and runs the steps.
#include "codegen/text/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "codegen/cpu/cpu_language.h"
#include "codegen/text/host_names.h"
#include "codegen/text/kernel_units.h"
#include "codegen/text/plan_function.h"
#include "codegen/text/run_function.h"
#include "codegen/text/service_text.h"
#include "codegen/text/signature.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && !is_digit(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
}

// The bytes of the constants.
std::string constant_bytes(const Module& module, const HostNames& names) {
  std::string text;
  for (std::size_t b = 0; b < module.buffers.size(); ++b) {
    const Buffer& buffer = module.buffers[b];
    if (buffer.role != Buffer::Role::constant) continue;
    text += fmt::format("alignas(64) static const u8 {}[{}] = {{", names.constant(b),
                        std::max<std::int64_t>(64, buffer.value.bytes()));
    const auto* p = static_cast<const std::uint8_t*>(buffer.value.data());
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(buffer.value.bytes()); ++i)
      text += fmt::format("{},", p[i]);
    text += "};\n";
  }
  return text;
}

// The text of `gnomon_info`.
std::string info_record(const Module& module, const HostNames& names) {
  std::string quoted;
  for (const char c : text(signature_of(module, names))) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return fmt::format(
      "\nextern \"C\" {{\nextern __attribute__((visibility(\"default\"))) const "
      "gnomon_info_record {0};\n"
      "const gnomon_info_record {0} = {{GNOMON_ABI_VERSION, {1}, {2}, {3},\n    "
      "\"{4}\"}};\n}}\n",
      names.symbol("info"), module.extents + static_cast<int>(module.extent_parameters.size()),
      layout_of(module).size(), module.parameters + static_cast<int>(module.outputs.size()),
      quoted);
}

// The text of `gnomon_device`.
std::string device_record(const DeviceKernels& launched, const HostNames& names, Callers callers) {
  if (launched.names.empty()) return {};
  std::string list;
  for (const std::string& name : launched.names) list += fmt::format("\"{}\", ", name);
  return fmt::format(
      "\nextern \"C\" {{\nextern const unsigned char {3}[];\n"
      "extern {5}const gnomon_device_record {0};\n"
      "static const char* const {4}[] = {{{1}}};\n"
      "const gnomon_device_record {0} = {{{3}, {2}, {4}}};\n}}\n",
      names.symbol("device"), list, launched.names.size(), names.symbol("image"),
      names.symbol("kernels"),
      callers == Callers::runtime ? "__attribute__((visibility(\"default\"))) " : "");
}

}  // namespace

std::vector<Unit> emit(const Module& module, const std::string& comment, const std::string& prefix,
                       Callers callers) {
  if (!is_identifier(prefix))
    throw ValueError(
        fmt::format("emit: expected an identifier as the prefix of symbols, found {}", prefix));
  HostNames names(module, prefix, callers);
  const DeviceKernels launched = device_kernels(module, names);
  KernelUnits kernels = kernel_units(module, launched, names);
  if (!module.workspace.empty() || module.is_on_device()) kernels.headers.insert("workspace.h");
  if (module.profile) kernels.headers.insert("laps.h");
  std::vector<Unit> units = std::move(kernels.units);
  ServiceUnits services = service_units(module, names);
  std::ranges::move(services.units, std::back_inserter(units));
  if (!launched.text.empty())
    units.push_back({.name = "device.cu",
                     .text = launched.text,
                     .kernels = launched.names,
                     .image = names.symbol("image")});
  const std::string functions = services.prototypes + kernels.prototypes + kernels.inlined +
                                constant_bytes(module, names) + plan_function(module, names) +
                                run_function(module, kernels.functions, launched, names) +
                                (callers == Callers::runtime ? info_record(module, names) : "") +
                                device_record(launched, names, callers);
  units.push_back(
      {"host.cpp", comment_lines(comment) + cpu_language.unit(functions, kernels.headers)});
  return units;
}

}  // namespace gnomon
