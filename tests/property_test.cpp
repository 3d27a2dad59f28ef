// Properties of rewriting over random graphs: values and gradients stay, whichever rules are off,
// each pass leaves its own result alone, and so do nearly always all that rewrite together.
//
// GNOMON_PROPERTY_GRAPHS is how many graphs with values, GNOMON_PROPERTY_FROM the first seed; the
// test goes on for GNOMON_PROPERTY_SECONDS at least.
#include <chrono>
#include <cstdlib>
#include <optional>

#include "ir/text.h"
#include "passes/gradient.h"
#include "passes/pipeline.h"
#include "passes/rule.h"
#include "runtime/error.h"
#include "tests/passes_support.h"
#include "tests/random_graphs.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double tolerance = 1e-8;

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* const text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// The batch with the gradients of a scalar made of all its float outputs.
void add_gradients(Batch& batch) {
  Expr cost;
  for (const Output& output : batch.outputs) {
    if (!is_float(output.value.dtype())) continue;
    const Expr term = sum(tanh(output.value * 0.25));
    cost = cost ? cost + term : term;
  }
  if (!cost) return;
  std::vector<Expr> wrt;
  for (const Expr& input : batch.inputs)
    if (is_float(input.dtype())) wrt.push_back(input);
  const std::vector<Expr> gradients = grad(cost, wrt, {Disconnected::zero});
  for (std::size_t i = 0; i < wrt.size(); ++i)
    if (gradients[i]) batch.add("gradient", gradients[i], tolerance);
}

// Nothing for extents that no call could have, such as those of x[2 * n] + y[n].
std::optional<Graph> captured(const Batch& batch) {
  std::vector<Expr> outputs;
  for (const Output& output : batch.outputs) outputs.push_back(output.value);
  try {
    return capture(batch.inputs, outputs).graph;
  } catch (const InternalError&) {
    throw;
  } catch (const Error&) {
    return std::nullopt;
  }
}

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
    const Graph rewritten = optimize(part, context);
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
  return optimize(graph, context);
}

// Each pass leaves its own result alone.
void check_idempotent(std::uint64_t seed, const Graph& graph) {
  Graph current = graph;
  Context context;
  for (const Pass& pass : all_passes()) {
    current = run_pass(pass.name, current, context);
    const Graph again = run_pass(pass.name, current, context);
    for (std::size_t i = 0; i < again.outputs.size(); ++i) {
      if (again.outputs[i] == current.outputs[i]) continue;
      FAIL_CHECK("graph " << seed << ": " << pass.name << " rewrites its own result "
                          << expression_text(current.outputs[i], 6) << " to "
                          << expression_text(again.outputs[i], 6));
      return;
    }
  }
}

// False for a graph that has no value.
bool check_graph(std::uint64_t seed) {
  CAPTURE(seed);
  Batch batch = Grower(seed, 4).grow(4 + static_cast<int>(seed % 16));
  if (!captured(batch)) return false;
  add_gradients(batch);
  const std::optional<Graph> closed = captured(batch);
  if (!closed) return false;
  const Graph& graph = *closed;
  std::vector<Array> wanted;
  try {
    wanted = evaluate(graph, batch.values);
  } catch (const ValueError&) {
    return false;  // extents that these arguments do not have
  }
  for (const std::vector<std::string>& disabled : {std::vector<std::string>{}, some_rules(seed)}) {
    const Graph better = rewritten(graph, disabled);
    const std::vector<Array> found = evaluate(better, batch.values);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const std::string how = difference(found[i], wanted[i], tolerance);
      if (how.empty()) continue;
      FAIL_CHECK("graph " << seed << ", " << batch.outputs[i].name << ", " << disabled.size()
                          << " rules off: " << how << "\n"
                          << smallest_failure(graph, batch.values, disabled));
      return true;
    }
  }
  check_idempotent(seed, graph);
  return true;
}

// What all passes that rewrite make of the graph, before those that split and pair what is left.
Graph rewritten_only(Graph graph) {
  Context context;
  for (const Pass& pass : all_passes()) {
    if (pass.name == "split_reductions") break;
    graph = run_pass(pass.name, graph, context);
  }
  return graph;
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

// A rule of a later pass may bring about what one of an earlier pass is for: rarely.
TEST_CASE("rewriting what was rewritten changes it in less than one of a hundred random graphs") {
  const std::uint64_t count = from_environment("GNOMON_PROPERTY_GRAPHS", 2000);
  std::uint64_t changed = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed) {
    Batch batch = Grower(seed, 4).grow(4 + static_cast<int>(seed % 16));
    if (!captured(batch)) continue;
    add_gradients(batch);
    const std::optional<Graph> graph = captured(batch);
    if (!graph) continue;
    const Graph once = rewritten_only(*graph);
    changed += !(rewritten_only(once).outputs == once.outputs);
  }
  MESSAGE(changed << " of " << count << " graphs");
  CHECK(100 * changed < count);
}
