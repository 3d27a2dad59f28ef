// What fusion says of its decisions, if anybody asks.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "codegen/fusion/fuse.h"
#include "passes/engine/decisions.h"

namespace gnomon {

class InlineCosts;
class Placement;

/// Why a value is in memory.
enum class InMemory : std::uint8_t {
  required,       // it is a result, or something that is no kernel reads it
  column,         // it is reduced over an outer axis
  deep,           // too many operations in a row
  large,          // its user would take too many into its kernel
  rows,           // results of rows that other loops need
  turned,         // it is a transpose that others read across
  at_two_places,  // it would be computed twice for one element of a user,
  for_many,       // for each of many elements of one,
  in_two_loops,   // in loops over other elements too
};

/// Says what goes where, in the names of a graph.
class FusionRecording {
 public:
  FusionRecording(const Recording& to, const Graph& graph);

  void note_in_memory(const Value& v, InMemory why) const;
  /// The member goes to the nest, or to one of its own.
  void note_placed(const Placement& placement, const Member& m, const Shape& domain,
                   std::span<const Value> roots, std::optional<int> nest) const;
  /// Values that several nests compute.
  void note_computed_again(const Fusion& fusion, const InlineCosts& costs) const;

 private:
  Recording to_;
  std::unordered_set<Value> results_;
};

}  // namespace gnomon
