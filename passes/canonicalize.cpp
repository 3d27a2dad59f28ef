// The phases that bring a graph to one form and make it accurate.
#include <vector>

#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "passes/rule.h"

namespace gnomon {
namespace {

using Groups = std::vector<const RuleGroup*>;

Groups canonical_groups() {
  return {&fold_rules(),  &form_rules(),  &collect_rules(), &identity_rules(), &logic_rules(),
          &shape_rules(), &slice_rules(), &index_rules(),   &linalg_rules(),   &reduction_rules()};
}

// Rules for each level of rewriting.
struct Levels {
  RuleSet all, exact;
  explicit Levels(const Groups& groups) : all(groups, false), exact(groups, true) {}

  Graph run(const Graph& graph, Context& context) const {
    return context.options.level == RewriteLevel::all
               ? rewrite(graph, all, context, Flatten::all)
               : rewrite(graph, exact, context, Flatten::left);
  }
};

}  // namespace

Graph canonicalize(const Graph& graph, Context& context) {
  static const Levels levels(canonical_groups());
  return levels.run(graph, context);
}

Graph simplify(const Graph& graph, Context& context) {
  static const Levels levels([] {
    Groups groups = canonical_groups();
    groups.insert(groups.end(), {&slice_lift_rules(), &index_lift_rules()});
    return groups;
  }());
  return levels.run(graph, context);
}

Graph stabilize(const Graph& graph, Context& context) {
  static const RuleSet rules(
      {&stability_rules(), &function_rules(), &difference_rules(), &softmax_rules(),
       &cross_entropy_rules(), &fold_rules(), &form_rules(), &collect_rules(), &identity_rules(),
       &logic_rules(), &shape_rules(), &slice_rules(), &index_rules(), &linalg_rules(),
       &reduction_rules()},
      false);
  return rewrite(graph, rules, context, Flatten::all);
}

}  // namespace gnomon
