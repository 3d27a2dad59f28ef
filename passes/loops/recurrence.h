// Loops over arrays whose elements do not need each other.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "ir/graph/graph.h"

namespace gnomon {

/// A `fori` of which each element goes its own way, so that a few at a time may go through many
/// steps. A state is an array of one element each, computed from the same element of the others.
/// Or it has more axes, and a step reads and writes elements of it at an index that is a scalar:
/// the rest of its axes are those of the elements. Or it is a scalar that depends on scalars alone.
/// An element may look up elements of an array in memory that is the same in all steps.
struct Recurrence {
  Shape elements;              ///< of each step's row of results, too
  std::vector<bool> turned;    ///< operands that are read in the memory behind a transpose
  bool is_along_time = false;  ///< neighbours in time are neighbours in memory, of some array
  bool reads_rows = false;     ///< so they are in a sequence
  int cost = 1;                ///< of one element in one step, in additions
  int nodes = 0;               ///< of the body
  int operations = 0;          ///< of them that compute something for each element
  int widest = 1;              ///< bytes of the widest number computed with

  /// Whether a state has one element for each; else it has many, or is a scalar.
  bool is_of_elements(const Value& state) const { return state.shape() == elements; }
};

/// Nothing where the elements need each other, or are so few that registers hold them all.
std::optional<Recurrence> recurrence_of(const Node& node);
/// The same, and what is against it: a clause.
struct RecurrenceSearch {
  std::optional<Recurrence> found;
  std::string_view refused = {};
};
RecurrenceSearch search_recurrence(const Node& node);

}  // namespace gnomon
