// The pass that runs loops as one which do the same and keep different rows.
#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/engine/facts.h"
#include "passes/loops/substituted.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// c of maximum(c, 0): as often as c says.
Value steps_asked_for(const Value& count) {
  if (!count.is(op::maximum)) return count;
  for (const std::size_t i : {0, 1})
    if (number_of(count.input(i)) == 0.0) return count.input(1 - i);
  return count;
}

// What makes two loops the same: the operands, and how a step makes the next states of them.
std::vector<Value> key_of(const Node& loop) {
  std::vector<Value> key(loop.operands().begin(), loop.operands().end());
  key[0] = steps_asked_for(key[0]);
  const std::vector<Value>& outputs = loop.attribute("body").body()->outputs;
  key.insert(key.end(), outputs.begin(),
             outputs.begin() + static_cast<std::ptrdiff_t>(regions_of(loop)[0].results.size()));
  return key;
}

struct Less {
  bool operator()(const std::vector<Value>& a, const std::vector<Value>& b) const {
    const auto place = [](const Value& v) { return std::pair(v.get(), v.index()); };
    return std::ranges::lexicographical_compare(a, b, {}, place, place);
  }
};

// The body with the rows and the checks of another one that makes the same states.
Body with_rows_of(const Body& body, const Graph& other, std::size_t states) {
  Graph joined = *body;
  for (std::size_t k = states; k < other.outputs.size(); ++k)
    if (std::find(joined.outputs.begin() + static_cast<std::ptrdiff_t>(states),
                  joined.outputs.end(), other.outputs[k]) == joined.outputs.end())
      joined.outputs.push_back(other.outputs[k]);
  joined.results.resize(joined.outputs.size());
  for (const EntryCheck& check : other.checks)
    if (std::ranges::none_of(joined.checks, [&](const EntryCheck& known) {
          return known.left == check.left && known.right == check.right;
        }))
      joined.checks.push_back(check);
  return intern_body(std::move(joined));
}

// What takes the place of the results of loops that are the same as others.
std::unordered_map<Value, Value> joined(const Graph& graph) {
  std::map<std::vector<Value>, std::vector<const Node*>, Less> groups;
  for (const Node* node : graph.topological_order())
    if (&node->op() == &op::fori) groups[key_of(*node)].push_back(node);
  std::unordered_map<Value, Value> found;
  for (const auto& [key, loops] : groups) {
    if (loops.size() < 2) continue;
    const std::size_t states = regions_of(*loops[0])[0].results.size();
    Body body = loops[0]->attribute("body").body();
    for (const Node* loop : loops)
      body = with_rows_of(body, *loop->attribute("body").body(), states);
    // Rows need a count that is an extent, which that of any loop with rows is.
    const auto has_rows = [&](const Node* loop) { return loop->output_count() > states; };
    const auto counted = std::ranges::find_if(loops, has_rows);
    const Node& like = counted == loops.end() ? *loops[0] : **counted;
    Attributes attributes = like.attributes();
    attributes[0] = Attribute(body);
    const Value all = make_node(op::fori, {like.operands().begin(), like.operands().end()},
                                std::move(attributes));
    for (const Node* loop : loops)
      for (std::uint32_t k = 0; k < loop->output_count(); ++k) {
        const Value& output = loop->attribute("body").body()->outputs[k];
        const auto from = body->outputs.begin() + static_cast<std::ptrdiff_t>(states);
        const auto at =
            k < states ? k : std::find(from, body->outputs.end(), output) - body->outputs.begin();
        const Value result(all.get(), static_cast<std::uint32_t>(at));
        if (!(Value(loop, k) == result)) found.emplace(Value(loop, k), result);
      }
  }
  return found;
}

}  // namespace

Graph join_loops(const Graph& graph, Context&) {
  // Loops whose operands are results of such loops become the same in their turn.
  return substituted(graph, joined);
}

}  // namespace gnomon
