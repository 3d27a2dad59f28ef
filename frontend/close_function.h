// The first stage of a compilation: outputs and updates as one closed graph over parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "frontend/function.h"
#include "ir/graph/graph.h"

namespace gnomon {

/// Bytes of constants that are in the code; larger ones are parameters.
constexpr std::int64_t largest_constant_by_value = 1024;

/// What a function computes, with nothing left to add.
struct Resolved {
  std::vector<Output> outputs;
  std::vector<Update> updates;
};

/// The values of `options.givens` in the places of their expressions, and the default updates that
/// `options` admits behind the others. TypeError, ValueError: a given value of another dtype or
/// rank; TypeError: an output or update is none.
Resolved resolve(std::vector<Output> outputs, std::vector<Update> updates,
                 const CompileOptions& options);

/// A captured function. The parameters of the graph are the arguments, then the large constants,
/// then the shared variables; its outputs are the results, then the updates.
struct Closed {
  Graph graph;
  std::size_t arguments = 0;
  std::size_t results = 0;
  std::vector<std::vector<Origin>> argument_origins;  // where the arguments were made
  std::vector<Array> constants;
  std::vector<Value> shared;  // leaves
};

/// Captures a function. Large constants become parameters: the code is the same for any of their
/// values. TypeError: as of `capture`.
Closed close_function(std::vector<Expr> inputs, const Resolved& function);
/// A graph from elsewhere, as a parsed one: its parameters are all arguments, its outputs are all
/// results. ValueError: it has shared variables, whose values it cannot know, or updates.
Closed close_function(Graph graph);

}  // namespace gnomon
