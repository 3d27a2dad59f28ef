// The phases that bring a graph to one form and make it accurate.
#include <algorithm>
#include <vector>

#include "passes/engine/rewrite.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

using Groups = std::vector<const RuleGroup*>;

Groups canonical_groups() {
  return {&fold_rules(),  &form_rules(),  &collect_rules(), &identity_rules(), &logic_rules(),
          &shape_rules(), &slice_rules(), &index_rules(),   &linalg_rules(),   &reduction_rules()};
}

Groups stable_groups() {
  Groups groups = canonical_groups();
  groups.insert(groups.begin(), {&stability_rules(), &function_rules(), &difference_rules(),
                                 &softmax_rules(), &cross_entropy_rules()});
  return groups;
}

Groups with_lifts(Groups groups) {
  groups.insert(groups.end(), {&slice_lift_rules(), &index_lift_rules()});
  return groups;
}

bool has_liftable(const Graph& graph) {
  return std::ranges::any_of(graph.topological_order(), [](const Node* n) {
    return (&n->op() == &op::slice || &n->op() == &op::index) && n->input(0).op().is_elementwise();
  });
}

// Rewrites by the rules that the level admits.
template <auto groups>
Graph rewrite_by(const Graph& graph, Context& context) {
  if (context.options.level == RewriteLevel::fast) {
    static const RuleSet fast(groups(), RewriteLevel::fast);
    return rewrite(graph, fast, context, Flatten::all);
  }
  if (context.options.level == RewriteLevel::all) {
    static const RuleSet all(groups(), RewriteLevel::all);
    return rewrite(graph, all, context, Flatten::as_written);
  }
  static const RuleSet exact(groups(), RewriteLevel::exact);
  return rewrite(graph, exact, context, Flatten::as_written);
}

}  // namespace

Graph canonicalize(const Graph& graph, Context& context) {
  return rewrite_by<canonical_groups>(graph, context);
}

Graph stabilize(const Graph& graph, Context& context) {
  return rewrite_by<stable_groups>(graph, context);
}

Graph lift(const Graph& graph, Context& context) {
  if (!has_liftable(graph)) return graph;
  if (context.options.level < RewriteLevel::all) return simplify(graph, context);
  return rewrite_by<[] { return with_lifts(stable_groups()); }>(graph, context);
}

Graph simplify(const Graph& graph, Context& context) {
  if (!has_liftable(graph)) return canonicalize(graph, context);
  return rewrite_by<[] { return with_lifts(canonical_groups()); }>(graph, context);
}

}  // namespace gnomon
