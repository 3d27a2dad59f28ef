// Puts names and lines of a graph into the texts of failures.
#include "frontend/failure_message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "frontend/places.h"

namespace gnomon {

namespace {

// The text, with the parameter that it speaks of.
std::string named(std::string text, int of, const Graph& captured) {
  const std::size_t at = text.find("{of}");
  if (of < 0 || at == std::string::npos) return text;
  const Parameter& p = captured.parameters[static_cast<std::size_t>(of)];
  return text.replace(at, 4, fmt::format("{}: {}", p.name, p.type.text()));
}

}  // namespace

FailureMessage failure_message(const FailureText& failure, const Graph& captured,
                               const std::vector<std::vector<Origin>>& argument_origins) {
  // Graphs that differ in messages only have one code: theirs are told.
  const auto checks = static_cast<int>(captured.checks.size());
  const EntryCheck* const check =
      failure.entry_check >= 0 && failure.entry_check < checks
          ? &captured.checks[static_cast<std::size_t>(failure.entry_check)]
          : nullptr;
  Places places(4);
  const std::vector<const Node*> order = nodes_with_bodies(captured);
  places.add(failure.nodes, order);
  if (check != nullptr) places.add(check->origins);
  const auto parameter = static_cast<std::size_t>(failure.parameter);
  if (failure.parameter >= 0 && parameter < argument_origins.size())
    places.add(argument_origins[parameter]);
  const std::string text =
      check != nullptr ? check->message : named(failure.text, failure.of, captured);
  const std::string at =
      places.lines().empty() ? "" : fmt::format(" [{}]", fmt::join(places.lines(), ", "));
  return {text + at, check != nullptr ? check->is_index : failure.is_index};
}

}  // namespace gnomon
