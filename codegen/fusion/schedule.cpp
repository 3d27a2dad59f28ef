// Units by what fusion stores, and the order that frees memory early.
#include "codegen/fusion/schedule.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "codegen/fusion/fuse.h"

namespace gnomon {

namespace {

// A print or a check, which is the memory of its operand.
bool is_seen(const Node& node) {
  return node.op().step == StepKind::print || node.op().step == StepKind::check;
}
bool is_alias(const Node& node) { return is_seen(node) || node.op().step == StepKind::transfer; }

}  // namespace

bool has_effects(const Node& node) {
  if (is_seen(node)) return true;
  for (const Region& region : regions_of(node))
    for (const Node* inner : body_of(node, region).topological_order())
      if (has_effects(*inner)) return true;
  return false;
}

Schedule::Schedule(const Graph& graph, const Sizes& sizes, bool calls_library) : sizes_(sizes) {
  for (const Value& v : graph.outputs) outputs_.insert(storage_of(v));
  const std::vector<const Node*> order = graph.topological_order();
  for (std::size_t i = 0; i < order.size(); ++i) place_.emplace(order[i], i);
  const Fusion fusion = fuse(graph, calls_library);
  for (const Node* node : order) {
    std::uint32_t output = 0;
    while (output < node->output_count() && !fusion.stored.contains(Value(node, output))) ++output;
    if (output == node->output_count()) continue;
    add(*node);
    units_.back().output = output;
    // What a later write goes on with is in the memory of that one.
    if (fusion.continued.contains(Value(node, 0))) units_.back().bytes = 0;
  }
  users_.resize(units_.size());
  for (std::size_t i = 0; i < units_.size(); ++i)
    for (const int x : units_[i].reads) users_[x].push_back(static_cast<int>(i));
  put_in(frugal_order());
  std::unordered_set<const Node*> done;
  const auto append = [&](std::span<const Node* const> nodes) {
    for (const Node* node : nodes)
      if (done.insert(node).second) nodes_.push_back(node);
  };
  for (const MemoryUnit& unit : units_) append(unit.parts);
  append(order);
}

std::int64_t Schedule::bytes_of(const Node& node) const {
  std::int64_t bytes = 0;
  for (std::uint32_t k = 0; k < node.output_count(); ++k)
    if (!outputs_.contains(Value(&node, k))) bytes += sizes_.bytes_of(node.type(k));
  return bytes;
}

void Schedule::add(const Node& node) {
  MemoryUnit unit;
  unit.node = &node;
  if (!is_alias(node)) unit.bytes = bytes_of(node);
  std::unordered_set<const Node*> seen{&node};
  std::vector<const Node*> open{&node};
  while (!open.empty()) {
    const Node* at = open.back();
    open.pop_back();
    const auto known = index_.find(at);
    if (known == index_.end()) unit.parts.push_back(at);
    if (known != index_.end()) unit.reads.push_back(known->second);
    if (known != index_.end() && !is_alias(*at)) continue;
    for (const Value& x : at->inputs())
      if (seen.insert(x.get()).second) open.push_back(x.get());
  }
  std::sort(unit.parts.begin(), unit.parts.end(),
            [&](const Node* a, const Node* b) { return place_.at(a) < place_.at(b); });
  index_.emplace(&node, static_cast<int>(units_.size()));
  units_.push_back(std::move(unit));
}

std::vector<int> Schedule::frugal_order() const {
  const std::size_t n = units_.size();
  std::vector<int> order;
  std::vector<std::size_t> waiting(n), needed(n);  // reads that are not there, users to come
  std::vector<bool> done(n);
  for (std::size_t i = 0; i < n; ++i)
    waiting[i] = units_[i].reads.size(), needed[i] = users_[i].size();
  const auto is_worthwhile = [&](int i) {
    if (done[i] || waiting[i] > 0 || has_effects(*units_[i].node)) return false;
    std::int64_t freed = -units_[i].bytes;
    for (const int x : units_[i].reads)
      if (needed[x] == 1) freed += units_[x].bytes;
    return freed > 0;
  };
  for (int first = 0; first < static_cast<int>(n); ++first) {
    std::vector<int> open{first};
    while (!open.empty()) {
      const int i = open.back();
      open.pop_back();
      if (i == first ? done[i] : !is_worthwhile(i)) continue;
      done[i] = true;
      order.push_back(i);
      for (const int user : users_[i]) --waiting[user], open.push_back(user);
      for (const int x : units_[i].reads) {
        --needed[x];
        open.insert(open.end(), users_[x].begin(), users_[x].end());
      }
    }
  }
  return order;
}

void Schedule::put_in(std::span<const int> order) {
  std::vector<int> to(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) to[order[i]] = static_cast<int>(i);
  std::vector<MemoryUnit> units;
  std::vector<std::vector<int>> users;
  for (const int i : order) {
    units.push_back(std::move(units_[i]));
    users.push_back(std::move(users_[i]));
    for (int& x : units.back().reads) x = to[x];
    for (int& x : users.back()) x = to[x];
  }
  units_ = std::move(units);
  users_ = std::move(users);
}

int Schedule::peak() const {
  if (units_.empty()) return -1;
  std::vector<std::int64_t> in_use(units_.size() + 1);
  for (std::size_t i = 0; i < units_.size(); ++i) {
    int last = static_cast<int>(i);
    for (const int user : users_[i]) last = std::max(last, user);
    in_use[i] += units_[i].bytes;
    in_use[static_cast<std::size_t>(last) + 1] -= units_[i].bytes;
  }
  std::partial_sum(in_use.begin(), in_use.end(), in_use.begin());
  return static_cast<int>(std::max_element(in_use.begin(), in_use.end()) - in_use.begin());
}

}  // namespace gnomon
