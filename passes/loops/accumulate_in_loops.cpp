// The pass that lets a loop add to what its sum is added to in the end, in place of to zeros: a
// gradient by a sequence that loops inside loops read would make a sum of its size in each step.
#include <algorithm>
#include <unordered_map>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/engine/facts.h"
#include "passes/loops/replaced.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

using Uses = std::unordered_map<Value, int>;

Uses uses_in(const std::vector<const Node*>& order, const std::vector<Value>& outputs) {
  Uses uses;
  for (const Node* node : order)
    for (const Value& x : node->inputs()) ++uses[x];
  for (const Value& v : outputs) ++uses[v];
  return uses;
}

bool adds_elements(const Value& v) { return v.is(op::inc_index) || v.is(op::inc_slice); }

// Whether all that a step does with state k is to add to some elements of it.
bool only_adds_elements(const Node& loop, std::size_t k) {
  const Graph& body = *loop.attribute("body").body();
  Value at = body.outputs[k];
  if (!adds_elements(at)) return false;
  const Uses uses = uses_in(body.topological_order(), body.outputs);
  for (; adds_elements(at); at = at.input(0))
    if (uses.at(at) > 1) return false;
  return at.is(op::param) && param_index(at.node()) == 1 + k && uses.at(at) == 1;
}

bool depends_on(std::span<const Value> values, const Node* node) {
  const std::vector<const Node*> order = topological_order(values);
  return std::ranges::find(order, node) != order.end();
}

// A term of a sum that is the last value of a state which a loop adds to, from zeros.
bool is_sum_of_loop(const Value& term, const Uses& uses) {
  if (!term.is(op::fori) || uses.at(term) > 1 ||
      term.index() >= regions_of(term.node())[0].results.size())
    return false;
  return number_of(term.input(1 + term.index())) == 0.0 &&
         only_adds_elements(term.node(), term.index());
}

// The values to be replaced so that one loop begins with what its sum is added to; none if no loop
// can.
Found moved(const Graph& graph) {
  const std::vector<const Node*> order = graph.topological_order();
  const auto is_loop = [](const Node* node) { return &node->op() == &op::fori; };
  if (std::ranges::none_of(order, is_loop)) return {};
  const Uses uses = uses_in(order, graph.outputs);
  for (const Node* sum : order) {
    if (&sum->op() != &op::add) continue;
    for (const Value& term : sum->operands()) {
      if (!is_sum_of_loop(term, uses) || term.shape() != sum->type().shape) continue;
      std::vector<Value> rest(sum->operands().begin(), sum->operands().end());
      rest.erase(std::ranges::find(rest, term));
      if (depends_on(rest, term.get())) continue;
      const Expr begin = rest.size() == 1 ? Expr(rest[0]) : Expr(make_node(op::add, rest));
      std::vector<Value> operands(term.node().operands().begin(), term.node().operands().end());
      operands[1 + term.index()] = broadcast_to(begin, term.shape()).value();
      const Value loop = make_node(op::fori, std::move(operands), term.node().attributes());
      Found found{{Value(sum, 0), Value(loop.get(), term.index())}};
      for (std::uint32_t k = 0; k < term.node().output_count(); ++k)
        found.emplace(Value(term.get(), k), Value(loop.get(), k));
      return found;
    }
  }
  return {};
}

}  // namespace

Graph accumulate_in_loops(const Graph& graph, Context&) { return substituted(graph, moved); }

}  // namespace gnomon
