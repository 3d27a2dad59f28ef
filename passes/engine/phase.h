// The phases of rewriting: the rules that are tried together, and how, are a row of one table.
#pragma once

#include "ir/graph/graph.h"

namespace gnomon {

struct Context;

enum class Phase : std::uint8_t {
  open,
  canonicalize,
  canonicalize_reads,
  stabilize,
  stabilize_reads,
  match_products,
  expand,
  specialize,
  split_reductions,
  contract,
  pair_reductions,
  plain_form,   // of parts of a graph that `stable_form` is then asked for
  stable_form,  // before a derivative is taken
};

/// The graph rewritten by the rules of the phase that the level of the context admits.
Graph rewrite_by(Phase phase, const Graph& graph, Context& context);

/// The same, for the array of passes.
template <Phase phase>
Graph rewrite_by(const Graph& graph, Context& context) {
  return rewrite_by(phase, graph, context);
}

}  // namespace gnomon
