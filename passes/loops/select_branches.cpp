// The pass that computes both branches of a choice where that costs less than the choice.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/engine/decisions.h"
#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// About what a branch of generated code costs that is predicted badly, in additions, and what keeps
// the numbers of the branches in memory.
constexpr int cost_of_choice = 24;

// What a body costs that only computes single numbers and cannot fail; nothing of others.
std::optional<int> cost_of_scalars(const Body& body) {
  if (!body->checks.empty()) return {};
  int cost = 0;
  for (const Node* node : body->topological_order()) {
    for (std::uint32_t i = 0; i < node->output_count(); ++i)
      if (node->type(i).rank() != 0) return {};
    if (node->operands().empty()) continue;
    if (&node->op() == &op::cond) {
      for (const Attribute& branch : node->attributes()) {
        const std::optional<int> inner = cost_of_scalars(branch.body());
        if (!inner) return {};
        cost += *inner;
      }
    } else if (node->op().is_elementwise() || &node->op() == &op::cast) {
      cost += node->op().scalar.cost;
    } else {
      return {};
    }
  }
  return cost;
}

// What both branches cost together, if they are such bodies.
std::optional<int> cost_of_branches(const Node& choice) {
  int cost = 0;
  for (const Attribute& branch : choice.attributes()) {
    const std::optional<int> one = cost_of_scalars(branch.body());
    if (!one) return {};
    cost += *one;
  }
  return cost;
}

std::string reason_of(std::optional<double> known, std::optional<int> cost) {
  if (known) return fmt::format("the condition is {}", *known != 0 ? "true" : "false");
  if (!cost) return "a branch makes arrays, may fail or is more than arithmetic";
  return fmt::format("both cost {} additions, a choice {}", *cost, cost_of_choice);
}

// What takes the place of the results of choices.
Found selected(const Graph& graph, Decisions* decisions) {
  const Recording recording(decisions, graph);
  Found found;
  for (const Node* node : graph.topological_order()) {
    if (&node->op() != &op::cond) continue;
    const std::optional<double> known = number_of(node->input(0));
    const std::optional<int> cost = known ? std::nullopt : cost_of_branches(*node);
    const bool is_chosen = known || (cost && *cost <= cost_of_choice);
    if (recording)
      recording.add("select_branches", known ? "one branch alone" : "both branches", is_chosen,
                    Value(node, 0), reason_of(known, cost));
    if (!is_chosen) continue;
    const std::vector<Expr> operands(node->operands().begin() + 1, node->operands().end());
    const auto branch = [&](std::size_t k) {
      return apply_body(node->attribute(k).body(), operands);
    };
    std::vector<Expr> results;
    if (known) {
      results = branch(*known != 0 ? 0 : 1);
    } else {
      const std::vector<Expr> then = branch(0), otherwise = branch(1);
      for (std::size_t k = 0; k < then.size(); ++k)
        results.push_back(where(Expr(node->input(0)), then[k], otherwise[k]));
    }
    for (std::uint32_t k = 0; k < node->output_count(); ++k)
      found.emplace(Value(node, k), results[k].value());
  }
  return found;
}

}  // namespace

Graph select_branches(const Graph& graph, Context& context) {
  // Choices inside of branches come out with them.
  return substituted(graph, [&](const Graph& now) { return selected(now, context.decisions); });
}

}  // namespace gnomon
