// The order of a loop's body: what reads a state comes before what is written over it.
#include "codegen/fusion/body_order.h"

#include <unordered_map>
#include <unordered_set>

#include "codegen/fusion/fuse.h"
#include "ir/graph/leaf.h"
#include "stdlib/control/body.h"

namespace gnomon {

namespace {

using Values = std::unordered_set<Value, ValueHash>;

// States that are written over, and the results of the writes.
struct Overwritten {
  Values states, results;
};

// The state whose elements `v` writes, through other writes that nothing else needs; else null. A
// slice may be most of the state: it is as well written to a second memory, from the first. `given`
// is in memory, as storage.
Value written_state(const Value& v, const Values& given,
                    const std::unordered_map<const Node*, int>& users, Values& results) {
  Values chain;
  Value at = storage_of(v);
  for (; at.op().write && !given.contains(at);
       at = storage_of(at.input(static_cast<std::size_t>(at.op().write.base)))) {
    const WriteRule& rule = at.op().write;
    if (rule.base < 0 || rule.slice || (at != storage_of(v) && users.at(at.get()) > 1)) return {};
    chain.insert(at);
  }
  if (chain.empty() || !is_leaf(at.op())) return {};
  results.merge(chain);
  return at;
}

Overwritten overwritten_in(const Graph& body, const Values& given,
                           std::span<const Node* const> order) {
  std::unordered_map<const Node*, int> users;
  for (const Node* node : order)
    for (const Value& x : node->inputs()) ++users[x.get()];
  Overwritten found;
  for (const Value& output : body.outputs)
    if (const Value state = written_state(output, given, users, found.results))
      found.states.insert(state);
  return found;
}

}  // namespace

BodyOrder order_of_body(const Graph& body, std::span<const Value> given) {
  std::vector<const Node*> order = body.topological_order(given);
  Values storage;
  for (const Value& v : given) storage.insert(storage_of(v));
  const Overwritten overwritten = overwritten_in(body, storage, order);
  if (overwritten.states.empty()) return {std::move(order), {}};
  std::unordered_set<const Node*> late = dependents(order, overwritten.results);
  for (const Value& v : overwritten.results) late.insert(v.get());
  const std::unordered_set<const Node*> readers = dependents(order, overwritten.states);
  BodyOrder found;
  for (const bool is_late : {false, true})
    for (const Node* node : order)
      if (late.contains(node) == is_late) found.nodes.push_back(node);
  for (const Node* node : late)
    for (const Value& x : node->inputs())
      if (readers.contains(x.get()) && !late.contains(x.get())) found.before.push_back(x);
  return found;
}

}  // namespace gnomon
