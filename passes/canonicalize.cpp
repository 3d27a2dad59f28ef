// The phases that bring a graph to one form and make it accurate.
#include "passes/pipeline.h"
#include "passes/rewrite.h"
#include "passes/rule.h"

namespace gnomon {
namespace {

RuleSet canonical_set(bool exact_only) {
  return RuleSet(
      {&fold_rules(), &form_rules(), &collect_rules(), &identity_rules(), &logic_rules(),
       &shape_rules(), &slice_rules(), &index_rules(), &linalg_rules(), &reduction_rules()},
      exact_only);
}

}  // namespace

Graph canonicalize(const Graph& graph, Context& context) {
  static const RuleSet all = canonical_set(false), exact = canonical_set(true);
  if (context.options.level != RewriteLevel::all) {
    return rewrite(graph, exact, context, Flatten::left);
  }
  return rewrite(graph, all, context, Flatten::all);
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
