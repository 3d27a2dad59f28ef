// Finds the sub-expression that first became NaN or infinite.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// Where numbers went wrong, for people: the operation with its line, the first bad element, the
/// operands with statistics, and the steps of the loops around it.
struct NanPlace {
  std::string text;
};

/// Evaluates a captured graph whose nodes know their positions, operation by operation, up to the
/// first step of a loop that goes wrong. `bad[i]`: whether output i of the call is not finite.
/// Nothing where only what was given was not finite, or where every output is finite as the graph
/// says. Interrupted by what interrupts loops; errors as of `evaluate`.
std::optional<NanPlace> find_nan(const Graph& captured, std::span<const Array> inputs,
                                 std::span<const bool> bad);

}  // namespace gnomon
