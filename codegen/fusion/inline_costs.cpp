// Depth, cost and size of values that are computed where they are used.
#include "codegen/fusion/inline_costs.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace gnomon {

namespace {

constexpr int costly = 8;                // additions from which computing twice is worth avoiding
constexpr int costly_elsewhere = 40;     // the same when the price is a trip through memory
constexpr int cost_of_read = 8;          // of one more array as large as the value, in additions
constexpr std::size_t most_sources = 8;  // arrays that are told apart
constexpr int deepest = 120;             // operations in a row of one kernel
constexpr int most_inlined = 300;        // operations that one value may take into its kernel
constexpr int most_counted = 1 << 20;    // sums stop here: operands that are shared count each time

}  // namespace

void InlineCosts::note_at_hand(const Node& node) { depth_[&node] = cost_[&node] = 0; }

// Clang's time grows faster than the size of a function, so what one value takes in is bounded:
// beyond it the largest operands go to memory.
std::optional<Value> InlineCosts::measure(const Node& node) {
  std::vector<Value> inlined;
  int size = 1;
  for (const Value& x : node.operands()) {
    const auto known = size_.find(x.get());
    const bool memory = known == size_.end() || fusion_.is_stored(x);
    size = std::min(most_counted, size + (memory ? 1 : known->second));
    if (!memory) inlined.push_back(storage_of(x));
  }
  if (size > most_inlined) size = distinct_inlined(node);
  if (size > most_inlined && !inlined.empty())
    return *std::max_element(inlined.begin(), inlined.end(), [&](const Value& a, const Value& b) {
      return size_.at(a.get()) < size_.at(b.get());
    });
  size_[&node] = size;
  depth_[&node] = depth_with_operands(node);
  cost_[&node] = cost_with_operands(node);
  sources_[&node] = sources_with_operands(node);
  return std::nullopt;
}

// Operations of `node` and what it inlines, each once; stops counting soon after the bound.
int InlineCosts::distinct_inlined(const Node& node) const {
  std::unordered_set<const Node*> seen{&node};
  std::vector<const Node*> open{&node};
  while (!open.empty() && seen.size() <= most_inlined) {
    const Node* at = open.back();
    open.pop_back();
    for (const Value& x : at->operands())
      if (seen.insert(x.get()).second && size_.contains(x.get()) && !fusion_.is_stored(x))
        open.push_back(x.get());
  }
  return static_cast<int>(seen.size());
}

int InlineCosts::depth_with_operands(const Node& node) const {
  int depth = 0;
  for (const Value& x : node.operands())
    if (!fusion_.stored.contains(x)) depth = std::max(depth, depth_.at(x.get()));
  return depth + 1;
}

int InlineCosts::cost_with_operands(const Node& node) const {
  int cost = node.op().is_elementwise() ? node.op().scalar.cost : 0;
  for (const Value& x : node.operands())
    if (!fusion_.stored.contains(x)) cost = std::min(most_counted, cost + cost_.at(x.get()));
  if (is_short_column(node))
    cost = std::min(most_counted, cost * static_cast<int>(reduced_extent(node).constant()));
  return cost;
}

std::vector<Value> InlineCosts::sources_with_operands(const Node& node) const {
  std::vector<Value> sources;
  const auto add = [&](const Value& v) {
    if (sources.size() < most_sources && std::ranges::find(sources, v) == sources.end())
      sources.push_back(v);
  };
  for (const Value& x : node.operands()) {
    const auto known = sources_.find(x.get());
    if (known == sources_.end() || fusion_.is_stored(x)) {
      if (x.rank() != 0) add(storage_of(x));
    } else {
      for (const Value& v : known->second) add(v);
    }
  }
  return sources;
}

// Whether an array is as large as one of that shape, and not read again and again for it.
bool has_elements_of(const Shape& source, const Shape& shape) {
  if (source.size() < shape.size()) return false;
  for (std::size_t i = 1; i <= shape.size(); ++i)
    if (source[source.size() - i].is(1) && !shape[shape.size() - i].is(1)) return false;
  return true;
}

bool InlineCosts::is_too_deep(const Node& node) const { return depth_.at(&node) > deepest; }

bool InlineCosts::is_costly(const Value& v) const {
  return v.op().is_elementwise() && cost_.at(v.get()) >= costly;
}

// Additions, and the reads of arrays beside one.
int InlineCosts::cost_with_reads(const Value& v) const {
  const auto known = sources_.find(v.get());
  std::ptrdiff_t reads = 0;
  if (known != sources_.end())
    reads = std::ranges::count_if(
        known->second, [&](const Value& s) { return has_elements_of(s.shape(), v.shape()); });
  const int beside_one = static_cast<int>(std::max<std::ptrdiff_t>(0, reads - 1));
  return cost_.at(v.get()) + cost_of_read * beside_one;
}

bool InlineCosts::is_costly_elsewhere(const Value& v) const {
  return cost_with_reads(v) >= costly_elsewhere;
}

bool InlineCosts::is_costly_to_look_up(const Value& v) const {
  return v.op().is_elementwise() && cost_with_reads(v) >= costly;
}

int InlineCosts::cost_of(const Node& node) const {
  const auto known = cost_.find(&node);
  return known == cost_.end() ? 1 : known->second;
}

}  // namespace gnomon
