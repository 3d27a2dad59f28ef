// Functions as compiled code and the evaluator have them: complex numbers as pairs of floats,
// halves as their bits.
#pragma once

#include <span>
#include <vector>

#include "ir/graph/graph.h"
#include "runtime/arrays/array.h"

namespace gnomon {

/// The graph over such numbers, which `evaluate` can compute. It knows the places of the other.
Graph native_form(const Graph& graph);

/// The same memory as the native form has it.
Array native_form(const Array& array);
/// The same memory as an array of `dtype`, whose native form it is.
Array user_form(const Array& array, DType dtype);

/// A graph that is computed operation by operation, of arrays as users have them.
struct EvaluatedGraph {
  explicit EvaluatedGraph(const Graph& graph);
  /// Errors as of `evaluate`.
  std::vector<Array> operator()(std::span<const Array> inputs) const;

  Graph native;
  std::vector<DType> results;  // dtypes that users have
};

}  // namespace gnomon
