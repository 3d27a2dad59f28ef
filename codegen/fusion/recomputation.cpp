// The choice by minimum cuts, segment by segment, and the rewriting of what comes after the peak.
#include "codegen/fusion/recomputation.h"

#include <algorithm>
#include <functional>
#include <set>
#include <unordered_map>
#include <utility>

#include "ir/graph/leaf.h"
#include "passes/engine/origins.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr double additions_of_byte = 0.5;  // that is written and read

using Image = std::function<Value(const Value&)>;

// A node of the images of its operands. Extents stay what they are: the types must be the same.
Value rebuilt(const Node& node, OriginMap& origins, const Image& image) {
  std::vector<Value> inputs;
  for (const Value& x : node.operands()) inputs.push_back(image(x));
  for (const Value& x : node.extent_inputs()) inputs.push_back(x);
  const Value result = rebuild(node, inputs);
  origins.inherit(result, &node);
  return result;
}

// A value that is read from memory, after `before` is there: what a barrier waits for is stored.
Value stored(const Value& x, const Value& before) {
  if (x.node().inputs().empty() && !is_leaf(x.op())) return x;
  const Expr waited[] = {Expr(x), Expr(before)};
  return barrier(Expr(x), 0, waited).value();
}

// What a sum with a maximum beside it is known by (passes/rules/rules_pair.cpp) stays as it is.
std::unordered_set<const Node*> paired(std::span<const Node* const> nodes) {
  std::unordered_set<const Node*> found;
  for (const Node* sum : nodes) {
    if (&sum->op() != &op::sum_with_max) continue;
    const Value &e = sum->input(0), &maximum = sum->input(1);
    found.insert({sum, e.get(), e.input(0).get(), maximum.get(), maximum.input(0).get()});
  }
  return found;
}

Graph with_images(const Graph& graph, const Image& image, const OriginMap& origins) {
  std::vector<Value> outputs;
  for (const Value& v : graph.outputs) outputs.push_back(image(v));
  Graph result = with_outputs(graph, std::move(outputs));
  origins.store(result);
  return result;
}

/// The graph in which what was chosen is computed again.
class RecomputationRewriting {
 public:
  RecomputationRewriting(const Graph& graph, const Schedule& schedule, const Candidates& candidates,
                         const Choice& choice)
      : graph_(graph),
        nodes_(schedule.nodes()),
        early_(candidates.nodes()),
        choice_(choice),
        origins_(graph),
        paired_(paired(schedule.nodes())),
        copies_(choice.segments.size()) {
    for (std::size_t s = 0; s < choice.segments.size(); ++s)
      for (const Node* node : choice.segments[s].dropped) segment_of_.emplace(node, s);
    for (const MemoryUnit& unit : schedule.units()) output_.emplace(unit.node, unit.output);
  }

  Graph run() {
    Value before(early_.back(), output_.at(early_.back()));
    for (const Node* node : std::span(nodes_).subspan(early_.size())) {
      const Value image = rebuilt(*node, origins_, [&](const Value& x) { return late(x, before); });
      late_.emplace(node, image);
      if (const auto unit = output_.find(node); unit != output_.end())
        before = Value(image.get(), unit->second);
    }
    const auto image = [&](const Value& x) {
      const auto known = late_.find(x.get());
      return known == late_.end() ? x : Value(known->second.get(), x.index());
    };
    return with_images(graph_, image, origins_);
  }

 private:
  // A value as a node after the peak sees it; `before` is what is computed just before that node.
  Value late(const Value& x, const Value& before) {
    if (const auto known = late_.find(x.get()); known != late_.end())
      return Value(known->second.get(), x.index());
    const auto segment = segment_of_.find(x.get());
    if (segment == segment_of_.end()) {
      const bool stays = choice_.kept.contains(x.get()) && !output_.contains(x.get()) &&
                         !paired_.contains(x.get());
      return stays ? stored(x, x) : x;
    }
    auto& copies = copies_[segment->second];
    if (copies.empty()) compute_again(segment->second, before);
    return Value(copies.at(x.get()).get(), x.index());
  }

  // The values of a segment anew, from barriers that wait for `before`: so they are others than
  // those of the first pass, and are computed after it.
  void compute_again(std::size_t segment, const Value& before) {
    auto& copies = copies_[segment];
    const auto image = [&](const Value& x) {
      const auto known = copies.find(x.get());
      return known == copies.end() ? stored(x, before) : Value(known->second.get(), x.index());
    };
    for (const Node* node : choice_.segments[segment].again)
      copies.emplace(node, rebuilt(*node, origins_, image));
  }

  const Graph& graph_;
  const std::vector<const Node*>&nodes_, &early_;
  const Choice& choice_;
  OriginMap origins_;
  std::unordered_set<const Node*> paired_;
  std::unordered_map<const Node*, std::uint32_t> output_;  // that is in memory
  std::unordered_map<const Node*, std::size_t> segment_of_;
  std::unordered_map<const Node*, Value> late_;                 // what comes after the peak
  std::vector<std::unordered_map<const Node*, Value>> copies_;  // by segment
};

}  // namespace

Candidates::Candidates(const Schedule& schedule, const Sizes& sizes) {
  if (schedule.peak() < 0) return;
  std::unordered_set<const Node*> units;
  for (const MemoryUnit& unit : schedule.units()) units.insert(unit.node);
  const Node* last = schedule.units()[schedule.peak()].node;
  const std::vector<const Node*>& nodes = schedule.nodes();
  const auto end = std::find(nodes.begin(), nodes.end(), last) + 1;
  nodes_.assign(nodes.begin(), end);
  const auto pairs = paired(nodes);
  std::unordered_map<const Node*, int> place;
  for (const Node* node : nodes_) {
    place.emplace(node, static_cast<int>(place.size()));
    CutValue value;
    for (const Value& x : node->operands()) value.reads.push_back(place.at(x.get()));
    const bool free = node->inputs().empty() && !units.contains(node);
    if (!free) value.keep = schedule.bytes_of(*node);
    const double work = sizes.work_of(*node);
    value.fixed = node->inputs().empty() || work < 0 || has_effects(*node) || pairs.contains(node);
    const std::int64_t bytes = units.contains(node) ? value.keep : 0;
    work_.push_back(work + additions_of_byte * static_cast<double>(bytes));
    beside_.push_back(bytes);
    values_.push_back(std::move(value));
  }
  for (auto at = end; at != nodes.end(); ++at)
    for (const Value& x : (*at)->operands())
      if (const auto known = place.find(x.get()); known != place.end())
        needed_.push_back(known->second);
  std::sort(needed_.begin(), needed_.end());
  needed_.erase(std::unique(needed_.begin(), needed_.end()), needed_.end());
  for (const int i : needed_) total_ += values_[i].keep;
}

Choice Candidates::choose(int count, int chosen, double price) const {
  std::vector<std::vector<int>> segments(count);
  std::int64_t before = 0;
  for (const int i : needed_) {
    segments[static_cast<std::size_t>(before * count / (total_ + 1))].push_back(i);
    before += values_[i].keep;
  }
  Choice choice;
  choice.segments.resize(chosen);
  // From the last one on, so that a segment knows what the next one needs of it.
  for (int s = chosen - 1; s >= 0; --s) {
    if (segments[s].empty()) continue;
    const MinimumCut cut = minimum_cut(costs(segments[s], choice.kept, price));
    for (const int i : cut.kept) choice.kept.insert(nodes_[i]);
    for (const int i : cut.again) {
      choice.segments[s].again.push_back(nodes_[i]);
      if (std::binary_search(segments[s].begin(), segments[s].end(), i))
        choice.segments[s].dropped.push_back(nodes_[i]);
    }
  }
  return choice;
}

// What comes before the segment is in memory beside it when it is computed again.
std::vector<CutValue> Candidates::costs(std::span<const int> segment,
                                        const std::unordered_set<const Node*>& kept,
                                        double price) const {
  const auto end = static_cast<std::size_t>(segment.back()) + 1;
  std::vector<CutValue> values(values_.begin(), values_.begin() + segment.back() + 1);
  for (std::size_t i = 0; i < end; ++i) {
    values[i].again = static_cast<std::int64_t>(price * work_[i]);
    if (static_cast<int>(i) < segment.front()) values[i].again += beside_[i];
    if (kept.contains(nodes_[i])) values[i].keep = 0;
  }
  for (const int i : segment) values[i].needed = true;
  return values;
}

Graph with_recomputation(const Graph& graph, const Schedule& schedule, const Candidates& candidates,
                         const Choice& choice) {
  return RecomputationRewriting(graph, schedule, candidates, choice).run();
}

Graph with_shared_values(const Graph& graph, const Schedule& schedule) {
  std::unordered_set<const Node*> units;
  std::unordered_map<const Node*, int> uses;
  for (const MemoryUnit& unit : schedule.units()) {
    units.insert(unit.node);
    for (const Node* part : unit.parts) ++uses[part];
  }
  const auto pairs = paired(schedule.nodes());
  OriginMap origins(graph);
  std::unordered_map<const Node*, Value> images;
  std::unordered_map<const Node*, std::set<const Node*>> sources;  // in memory; two are enough
  const auto image = [&](const Value& x) { return Value(images.at(x.get()).get(), x.index()); };
  for (const Node* node : schedule.nodes()) {
    Value result = rebuilt(*node, origins, image);
    std::set<const Node*>& own = sources[node];
    for (const Value& x : node->operands())
      for (const Node* source : sources[x.get()])
        if (own.size() < 2) own.insert(source);
    const bool shared = uses[node] > 1 && own.size() > 1 && node->output_count() == 1;
    if (units.contains(node) || is_leaf(node->op()) || shared) own = {node};
    if (shared && !units.contains(node) && !pairs.contains(node)) result = stored(result, result);
    images.emplace(node, std::move(result));
  }
  return with_images(graph, image, origins);
}

}  // namespace gnomon
