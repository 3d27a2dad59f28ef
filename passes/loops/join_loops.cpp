// The pass that runs loops as one which do the same and keep different results.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/engine/facts.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

bool keeps_traces(const Node& loop) { return loop.attribute("trace").flag(); }

// c of maximum(c, 0): as often as c says.
Value steps_asked_for(const Value& count) {
  if (!count.is(op::maximum)) return count;
  for (const std::size_t i : {0, 1})
    if (number_of(count.input(i)) == 0.0) return count.input(1 - i);
  return count;
}

// What makes two loops the same: the number of steps, the operands, the body.
using Key = std::pair<const Graph*, std::vector<Value>>;

Key key_of(const Node& loop) {
  std::vector<Value> operands(loop.operands().begin(), loop.operands().end());
  operands[0] = steps_asked_for(operands[0]);
  return {loop.attribute("body").body().get(), std::move(operands)};
}

struct Less {
  bool operator()(const Key& a, const Key& b) const {
    if (a.first != b.first) return a.first < b.first;
    return std::ranges::lexicographical_compare(a.second, b.second, {}, &place, &place);
  }
  static std::pair<const Node*, std::uint32_t> place(const Value& v) {
    return {v.get(), v.index()};
  }
};

// The results of loops without traces by those of loops that are the same, with traces.
std::unordered_map<Value, Value> joined(const Graph& graph) {
  std::vector<const Node*> loops;
  for (const Node* node : graph.topological_order())
    if (&node->op() == &op::fori) loops.push_back(node);
  std::map<Key, const Node*, Less> traced;
  for (const Node* loop : loops)
    if (keeps_traces(*loop)) traced.emplace(key_of(*loop), loop);
  std::unordered_map<Value, Value> found;
  if (traced.empty()) return found;
  for (const Node* loop : loops) {
    if (keeps_traces(*loop)) continue;
    const auto same = traced.find(key_of(*loop));
    if (same == traced.end()) continue;
    for (std::uint32_t k = 0; k < loop->output_count(); ++k)
      found.emplace(Value(loop, k), Value(same->second, k));
  }
  return found;
}

}  // namespace

Graph join_loops(const Graph& graph, Context&) {
  Graph result = graph;
  // Loops whose operands are results of such loops become the same in their turn.
  for (auto found = joined(result); !found.empty(); found = joined(result))
    result = with_outputs(result, substitute(result.outputs, found));
  return result;
}

}  // namespace gnomon
