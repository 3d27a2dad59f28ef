// The reference evaluator on arrays: plain loops with the machine's numbers, no compilation.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// The outputs of `graph`, operation by operation; elementwise ops give the bits of generated code,
/// sums and products are added up in plain order. ValueError where a call would be one. For other
/// kinds of numbers see ir/reference/generic.h.
std::vector<Array> evaluate(const Graph& graph, std::span<const Array> inputs);
/// The values of expressions whose leaves are given.
std::vector<Array> evaluate(std::span<const Value> outputs,
                            const std::unordered_map<Value, Array>& leaves);

}  // namespace gnomon
