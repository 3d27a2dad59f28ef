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

/// Whether the graph has several dtypes of 16 bits, one of them a half: bits of which are not told
/// apart once halves are their bits.
bool has_halves_alike(const Graph& captured);

/// Evaluates a captured graph whose nodes know their positions, operation by operation.
/// `bad[i]`: whether output i of the call is not finite. Nothing where only what was given was not
/// finite, where every output is finite as the graph says, or with halves alike. Interrupted by
/// what interrupts loops; errors as of `evaluate`.
std::optional<NanPlace> find_nan(const Graph& captured, std::span<const Array> inputs,
                                 std::span<const bool> bad);

}  // namespace gnomon
