// The passes whose rules for reads are tried only where something is read: `lift` and `simplify`.
#include <algorithm>

#include "passes/engine/phase.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

bool has_liftable(const Graph& graph) {
  return std::ranges::any_of(graph.topological_order(), [](const Node* n) {
    return (&n->op() == &op::slice || &n->op() == &op::index) && n->input(0).op().is_elementwise();
  });
}

}  // namespace

Graph lift(const Graph& graph, Context& context) {
  if (!has_liftable(graph)) return graph;
  const bool is_exact = context.options.level < RewriteLevel::all;
  return rewrite_by(is_exact ? Phase::canonicalize_reads : Phase::stabilize_reads, graph, context);
}

Graph simplify(const Graph& graph, Context& context) {
  const bool reads = has_liftable(graph);
  return rewrite_by(reads ? Phase::canonicalize_reads : Phase::canonicalize, graph, context);
}

}  // namespace gnomon
