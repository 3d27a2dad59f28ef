// Properties of rewriting over random graphs: values and gradients stay, whichever rules are off,
// and each pass leaves its own result alone, as all passes together do.
//
// GNOMON_PROPERTY_GRAPHS is how many graphs with values, GNOMON_PROPERTY_FROM the first seed; the
// test goes on for GNOMON_PROPERTY_SECONDS at least.
#include <chrono>

#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "runtime/error.h"
#include "tests/support/passes_support.h"
#include "tests/support/random_graphs.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double tolerance = 1e-8;

// The first node, operands first, whose value rewriting changes, as a graph of its own: what a
// reader wants of a failure.
std::string smallest_failure(const Graph& graph, std::span<const Array> inputs,
                             const std::vector<std::string>& disabled) {
  for (const Node* node : graph.topological_order()) {
    if (node->operands().empty()) continue;
    Graph part = graph;
    part.outputs = {Value(node, 0)};
    part.results = {{"value"}};
    Context context;
    context.options.disabled_rules = rules_named(disabled);
    const Graph rewritten = run_passes(part, context);
    const Array before = evaluate(part, inputs)[0], after = evaluate(rewritten, inputs)[0];
    const std::string how = difference(after, before, tolerance);
    if (!how.empty())
      return fmt::format("{}\n{}rewritten to\n{}", how, print_graph(part), print_graph(rewritten));
  }
  return "no node alone";
}

// Rules that may be off, one in three of them.
std::vector<std::string> some_rules(std::uint64_t seed) {
  std::vector<std::string> names;
  Samples random(seed);
  for (const RuleGroup* group : all_rule_groups()) {
    if (is_required(*group)) continue;
    for (const Rule& rule : group->rules)
      if (random.below(3) == 0) names.emplace_back(rule.name);
  }
  return names;
}

Graph rewritten(const Graph& graph, const std::vector<std::string>& disabled) {
  Context context;
  context.options.disabled_rules = rules_named(disabled);
  return run_passes(graph, context);
}

bool check_same(std::uint64_t seed, std::string_view what, const Graph& once, const Graph& twice) {
  for (std::size_t i = 0; i < once.outputs.size(); ++i) {
    if (twice.outputs[i] == once.outputs[i]) continue;
    FAIL_CHECK("graph " << seed << ": " << what << " rewrites its own result "
                        << expression_text(once.outputs[i], 6) << " to "
                        << expression_text(twice.outputs[i], 6));
    return false;
  }
  return true;
}

// Each pass leaves its own result alone, and all together do.
void check_idempotent(std::uint64_t seed, const Graph& graph) {
  Graph current = graph;
  Context context;
  for (const Pass& pass : all_passes()) {
    current = run_pass(pass.name, current, context);
    if (!check_same(seed, pass.name, current, run_pass(pass.name, current, context))) return;
  }
  const Graph better = rewritten(graph, {});
  Context again;
  const Graph twice = run_passes(better, again);
  CAPTURE(again.trace.summary());
  check_same(seed, "the pipeline", better, twice);
}

// False for a graph that has no value.
bool check_graph(std::uint64_t seed) {
  CAPTURE(seed);
  Batch batch = Grower(seed, 4).grow(4 + static_cast<int>(seed % 16));
  if (!has_values(batch)) return false;
  add_gradients(batch, tolerance);
  const Graph graph = captured(batch).value();
  std::vector<Array> wanted;
  try {
    wanted = evaluate(graph, batch.values);
  } catch (const ValueError&) {
    return false;  // matrices that have no derivative there
  }
  for (const std::vector<std::string>& disabled : {std::vector<std::string>{}, some_rules(seed)}) {
    const Graph better = rewritten(graph, disabled);
    const std::vector<Array> found = evaluate(better, batch.values);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string how = difference(found[i], wanted[i], tolerance);
      if (how.empty()) continue;
      if (meets_nan(graph, batch.values)) return false;
      FAIL_CHECK("graph " << seed << ", " << batch.outputs[i].name << ", " << disabled.size()
                          << " rules off: " << how << "\n"
                          << smallest_failure(graph, batch.values, disabled));
      return true;
    }
  }
  check_idempotent(seed, graph);
  return true;
}

}  // namespace

TEST_CASE("rewriting random graphs keeps values and gradients, and is idempotent") {
  const std::uint64_t first = from_environment("GNOMON_PROPERTY_FROM", 1);
  const std::uint64_t count = from_environment("GNOMON_PROPERTY_GRAPHS", 2000);
  const std::chrono::seconds time(from_environment("GNOMON_PROPERTY_SECONDS", 0));
  const auto start = std::chrono::steady_clock::now();
  std::uint64_t seed = first, checked = 0;
  for (; checked < count || std::chrono::steady_clock::now() - start < time; ++seed)
    checked += check_graph(seed);
  const std::uint64_t graphs = seed - first;
  MESSAGE(checked << " of " << graphs << " graphs have values");
  CHECK(2 * checked > graphs);
}
