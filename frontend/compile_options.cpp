// Checks of the options of compilation, and what keys of the cache say of them.
#include "frontend/compile_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <concepts>
#include <type_traits>

#include "codegen/fusion/rematerialize.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "ir/graph/graph.h"
#include "runtime/abi.h"
#include "runtime/cache/cache.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

// -------------------------------------------------------- the checks that rows of the table name

template <class T>
void any_value(const char* /*name*/, const T& /*value*/) {}

template <std::integral T>
void at_least_0(const char* name, T value) {
  if (value < 0)
    throw ValueError(fmt::format("compile: expected {} of at least 0, found {}", name, value));
}

template <class T>
void at_least_0(const char* name, const std::optional<T>& value) {
  if (value) at_least_0(name, *value);
}

void device_name(const char*, const std::string& value) { device_named(value); }

void device_compiler_name(const char* name, const std::string& value) {
  if (value != "clang" && value != "nvrtc")
    throw ValueError(fmt::format("{}: expected clang or nvrtc, found {}", name, value));
}

constexpr std::int64_t largest_extent = (std::int64_t{1} << 48) - 1;  // addresses have 48 bits

void extents(const char* name, const std::vector<std::vector<std::int64_t>>& shapes) {
  for (const auto& shape : shapes)
    for (const std::int64_t n : shape)
      if (n < 0 || n > largest_extent)
        throw ValueError(fmt::format("compile: expected extents of 0 to {} in {}, found {}",
                                     largest_extent, name, n));
}

// ------------------------------------------------------------------------------- values as texts

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::is_enum_v<T>)
    return fmt::format("{}", static_cast<int>(value));
  else if constexpr (std::is_same_v<T, FilePath>)
    return value;
  else
    return fmt::format("{}", value);
}

template <class T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : "none";
}

}  // namespace

void check_options(const CompileOptions& options, std::size_t inputs) {
#define GNOMON_CHECK(type, name, value, decides, check, doc) check(#name, options.name);
  GNOMON_COMPILE_OPTIONS(GNOMON_CHECK)
#undef GNOMON_CHECK
  for (const int i : options.donated)
    if (i < 0 || i >= static_cast<int>(inputs))
      throw ValueError(
          fmt::format("compile: expected donated inputs among {}, found number {}", inputs, i));
}

DeviceName device_of(const CompileOptions& options) {
  return device_named(options.device.empty() ? environment("GNOMON_DEVICE").value_or("")
                                             : options.device);
}

std::string_view name_for_log(const CompileOptions& options) {
  return options.name.empty() ? std::string_view("a function") : std::string_view(options.name);
}

std::string cache_key(const Graph& graph, CompileOptions options,
                      const std::optional<MemoryBudget>& budget, const Target& target) {
  // What was made of these options decides, not how they were written.
  options.cpu = target.name;
  options.device = target.device;
  options.machine = target.machine;
  options.memory_shapes.clear();
  if (budget) options.memory_shapes = budget->shapes;
  std::sort(options.disabled_rules.begin(), options.disabled_rules.end());

  const auto key = graph.key();
  std::string text =
      fmt::format("{:016x}{:016x} {} {} {} {} {} {} {}", key[0], key[1], GNOMON_ABI_VERSION,
                  build_id(), options.donated, gnomon::text(*options.machine), target.calls_library,
                  target.has_transforms, target.has_matrices);
  // Code for several has their numbers in it.
  if (target.devices.size() > 1) text += fmt::format(" {}", target.devices);
  for_each_option(options, [&](const CompileOption& option, const auto& value) {
    if (option.decides != Decides::work) text += fmt::format(" {}", text_of(value));
  });
  return content_hash(text);
}

}  // namespace gnomon
