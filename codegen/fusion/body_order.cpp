// The order of a loop's body: what reads a state comes before what is written over it.
#include "codegen/fusion/body_order.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "codegen/fusion/fuse.h"
#include "ir/graph/leaf.h"
#include "stdlib/control/body.h"

namespace gnomon {

namespace {

using Nodes = std::unordered_set<const Node*>;
using Places = std::unordered_map<const Node*, std::size_t>;

Places places_in(std::span<const Node* const> nodes) {
  Places places;
  for (std::size_t i = 0; i < nodes.size(); ++i) places.emplace(nodes[i], i);
  return places;
}

// Elements of a value that a node writes over with the next version of it.
struct Write {
  Value version;
  const Node* node;
};

// A larger slice may be most of an array: it is as well written to a second memory, from the first.
bool is_small(const Value& v) {
  const Dim count = element_count(v.shape());
  return count.is_constant() && count.constant() <= 64;
}

Value base_of(const Value& v);

// The operand that a body's output is made of by writes; null if there is none.
Value operand_of(const Node& node, const Region& region, std::size_t output) {
  Value at = storage_of(node.attribute(region.body).body()->outputs[output]);
  while (at && !is_leaf(at.op())) at = base_of(at);
  if (!at || &at.op() != &op::param) return {};
  const Region::Parameter& parameter = region.parameters[param_index(at.node())];
  return parameter.operand ? node.input(*parameter.operand) : Value();
}

// What `v` is made of by a write of elements, by steps of a loop or in a branch; else null.
Value base_of(const Value& v) {
  const Node& node = v.node();
  if (const WriteRule& rule = v.op().write) {
    const bool is_wide = rule.slice && !is_small(node.input(static_cast<std::size_t>(rule.first)));
    if (rule.base < 0 || is_wide) return {};
    return storage_of(node.input(static_cast<std::size_t>(rule.base)));
  }
  for (const Region& region : regions_of(node)) {
    const auto result = std::ranges::find(region.results, std::size_t{v.index()});
    if (result == region.results.end()) continue;
    const auto output = static_cast<std::size_t>(result - region.results.begin());
    Value base;
    if (region.count) {
      const auto state = std::ranges::find(region.parameters, output, &Region::Parameter::next);
      base = node.input(*state->operand);
    } else {
      base = operand_of(node, region, output);
    }
    if (base) return storage_of(base);
  }
  return {};
}

// The writes, from last to first, that make an output of a state; none if it is no state's. Values
// that are `given` are in memory.
std::vector<Write> writes_behind(const Value& output,
                                 const std::unordered_set<Value, ValueHash>& given) {
  std::vector<Write> writes;
  Value at = storage_of(output);
  while (at && !is_leaf(at.op()) && !given.contains(at)) {
    const Value base = base_of(at);
    if (base) writes.push_back({base, at.get()});
    at = base;
  }
  if (!at || !is_leaf(at.op())) writes.clear();
  return writes;
}

// What must come before what, where values do not say so.
class Order {
 public:
  Order(std::span<const Node* const> nodes, std::span<const Write> writes)
      : nodes_(nodes), waiting_(nodes.size()) {
    const Places place = places_in(nodes);
    const auto is_before = [&](const Node* first, std::size_t i) {
      if (const auto at = place.find(first); at != place.end()) waiting_[i].push_back(at->second);
    };
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (const Value& x : nodes[i]->inputs()) is_before(x.get(), i);
    needed_ = waiting_;
    for (const Write& write : writes) {
      const auto at = place.find(write.node);
      if (at == place.end()) continue;
      std::unordered_set<Value, ValueHash> results;
      for (std::uint32_t k = 0; k < write.node->output_count(); ++k)
        results.insert(Value(write.node, k));
      const Nodes later = dependents(nodes, results);
      for (const Node* node : nodes)
        if (node != write.node && !later.contains(node) && reads(*node, write.version))
          is_before(node, at->second);
    }
  }

  // As it was, but for writes, which wait for those who read what they write over.
  std::vector<const Node*> run() {
    std::vector<const Node*> order;
    std::vector<bool> done(nodes_.size());
    const auto next_of = [&](const std::vector<std::vector<std::size_t>>& waits) {
      for (std::size_t i = first_; i < nodes_.size(); ++i)
        if (!done[i] && std::ranges::all_of(waits[i], [&](std::size_t j) { return done[j]; }))
          return i;
      return nodes_.size();
    };
    while (order.size() < nodes_.size()) {
      std::size_t i = next_of(waiting_);
      if (i == nodes_.size()) i = next_of(needed_);  // two writes wait for each other's readers
      done[i] = true;
      order.push_back(nodes_[i]);
      while (first_ < nodes_.size() && done[first_]) ++first_;
    }
    return order;
  }

 private:
  static bool reads(const Node& node, const Value& version) {
    return std::ranges::any_of(node.inputs(),
                               [&](const Value& x) { return storage_of(x) == version; });
  }

  std::span<const Node* const> nodes_;
  std::vector<std::vector<std::size_t>> waiting_, needed_;  // by node: those that come before it
  std::size_t first_ = 0;                                   // none before it is left
};

// What is made of a version before the next one is written, and is needed from then on.
std::vector<Value> kept_over(const Write& write, std::span<const Node* const> order,
                             const Places& places) {
  const auto at = places.find(write.node);
  if (at == places.end()) return {};
  const Nodes readers = dependents(order, {write.version});
  std::vector<Value> kept;
  for (const Node* node : order.subspan(at->second))
    for (const Value& x : node->inputs())
      if (readers.contains(x.get()) && places.at(x.get()) < at->second) kept.push_back(x);
  return kept;
}

}  // namespace

BodyOrder order_of_body(const Graph& body, std::span<const Value> given) {
  const std::vector<const Node*> order = body.topological_order(given);
  std::unordered_set<Value, ValueHash> storage;
  for (const Value& v : given) storage.insert(storage_of(v));
  std::vector<Write> writes;
  for (const Value& output : body.outputs)
    std::ranges::copy(writes_behind(output, storage), std::back_inserter(writes));
  if (writes.empty()) return {order, {}};
  BodyOrder found{Order(order, writes).run(), {}};
  const Places places = places_in(found.nodes);
  std::unordered_set<Value, ValueHash> before;
  for (const Write& write : writes)
    for (const Value& v : kept_over(write, found.nodes, places))
      if (before.insert(v).second) found.before.push_back(v);
  return found;
}

}  // namespace gnomon
