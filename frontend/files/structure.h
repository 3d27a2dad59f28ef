// What holds the results of a function of Python.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gnomon {

enum class Structure : std::uint8_t { none, one, list, tuple, dict };

constexpr std::string_view name_of(Structure structure) {
  constexpr std::string_view names[] = {"none", "one", "list", "tuple", "dict"};
  return names[static_cast<std::size_t>(structure)];
}

/// Nothing for another name.
constexpr std::optional<Structure> structure_called(std::string_view name) {
  for (const Structure s :
       {Structure::none, Structure::one, Structure::list, Structure::tuple, Structure::dict})
    if (name_of(s) == name) return s;
  return std::nullopt;
}

}  // namespace gnomon
