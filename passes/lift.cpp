// The passes whose rules for reads are tried only where there is something for them: `lift` and
// `simplify`.
#include <algorithm>

#include "passes/engine/phase.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

bool has_liftable(const Graph& graph) {
  const auto is_join = [](const Value& v) { return v.is(op::concatenate); };
  return std::ranges::any_of(graph.topological_order(), [&](const Node* n) {
    const bool reads = &n->op() == &op::slice || &n->op() == &op::index;
    return reads ? n->input(0).op().is_elementwise()
                 : n->op().is_elementwise() && std::ranges::any_of(n->operands(), is_join);
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
