// Finds the loops whose elements go through time each by itself.
#include "passes/loops/recurrence.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "ir/graph/leaf.h"
#include "runtime/arrays/dtype.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t most_in_registers = 64;  // elements of a state
constexpr std::size_t most_nodes = 1000;        // of a body that is one kernel
constexpr int cost_of_lookup = 8;               // in additions

using ValueSet = std::unordered_set<Value, ValueHash>;

bool is_write(const Node& node) {
  return &node.op() == &op::set_index || &node.op() == &op::inc_index;
}

// Whether a node reads or writes elements of its first operand at indices that are scalars.
bool is_at_scalars(const Node& node) {
  if (&node.op() != &op::index && !is_write(node)) return false;
  const std::size_t first = is_write(node) ? 2 : 1;
  return std::ranges::all_of(node.operands().subspan(first),
                             [](const Value& v) { return v.rank() == 0; });
}

// Whether a node looks up an element of its first operand for each of the others. What is in memory
// is looked up: a kernel would compute other elements of it again and again.
bool is_lookup(const Node& node) {
  if (&node.op() != &op::index || is_at_scalars(node)) return false;
  const Value& table = node.input(0);
  return (table.is(op::param) || table.is(op::constant)) &&
         node.operands().size() - 1 == static_cast<std::size_t>(table.rank());
}

// Whether one element is told by elements of the operands.
bool has_elements(const Node& node) {
  const Op& o = node.op();
  if (is_leaf(o) || &o == &op::constant || o.is_elementwise() || is_at_scalars(node)) return true;
  if (is_lookup(node)) return true;
  if (&o == &op::barrier) return node.operands().size() == 1;
  return o.element != nullptr && &o != &op::index && o.step == StepKind::none &&
         !o.has(Trait::never_fold);
}

// For each axis of a part of a state the axis of the state that it is, or `fixed`.
constexpr std::int64_t fixed = -1;

IntList whole(const Value& state) {
  IntList axes(static_cast<std::size_t>(state.rank()));
  std::iota(axes.begin(), axes.end(), 0);
  return axes;
}

void drop(IntList& from, IntList axes) {
  std::ranges::sort(axes, std::greater<>());
  for (const std::int64_t a : axes) from.erase(from.begin() + a);
}

// The same of a part of it that a node reads; nothing if it reads anything else.
std::optional<IntList> axes_of_part(const Node& node, IntList axes) {
  if (&node.op() == &op::index && is_at_scalars(node)) {
    drop(axes, node.attribute("axes").ints());
    return axes;
  }
  if (&node.op() == &op::squeeze) {
    drop(axes, node.attribute("axes").ints());
    return axes;
  }
  if (&node.op() != &op::slice) return std::nullopt;
  const Shape &count = node.attribute("count").dims(), &extents = node.input(0).shape();
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const bool is_whole = node.attribute("start").dims()[a].is(0) && count[a] == extents[a] &&
                          node.attribute("step").dims()[a].is(1);
    if (!is_whole && !count[a].is(1)) return std::nullopt;
    if (!is_whole) axes[a] = fixed;
  }
  return axes;
}

class Finder {
 public:
  Finder(const Node& loop, const Region& region)
      : loop_(loop), region_(region), body_(body_of(loop, region)) {}

  RecurrenceSearch find() {
    order_ = body_.topological_order();
    if (order_.size() > most_nodes) return {{}, "its body is too long for one kernel"};
    if (!body_.checked_scalars().empty()) return {{}, "its steps check extents they compute"};
    note_uses();
    if (!find_states())
      return {{},
              "it has no array as a state, or its states are not alike: each is to have one "
              "element for each, or is read and written at an index that is a number"};
    const Dim count = element_count(found_.elements);
    const bool is_small = count.is_constant() && count.constant() <= most_in_registers;
    if (found_.elements.empty()) return {{}, "its states have no element for each"};
    if (is_small) return {{}, "its states are so small that registers hold all of them"};
    if (!fits()) return {{}, "an element needs others, or a step does what is no arithmetic"};
    find_turned();
    found_.nodes = static_cast<int>(order_.size());
    return {std::move(found_)};
  }

 private:
  struct Use {
    const Node* node;
    std::size_t operand;
  };

  bool is_result(const Value& v) const {
    return std::ranges::find(body_.outputs, v) != body_.outputs.end();
  }

  void note_uses() {
    for (const Node* node : order_)
      for (std::size_t k = 0; k < node->inputs().size(); ++k)
        uses_[node->inputs()[k]].push_back({node, k});
  }

  // The states, and the elements they have in the body and around it.
  bool find_states() {
    std::vector<const Node*> params(region_.parameters.size());
    for (const Node* node : order_)
      if (&node->op() == &op::param) params[param_index(*node)] = node;
    std::vector<Shape> unread;
    for (std::size_t i = 0; i < params.size(); ++i) {
      const Region::Parameter& p = region_.parameters[i];
      if (!p.operand || p.is_captured()) continue;
      const Value& around = loop_.input(*p.operand);
      if (around.rank() == 0) continue;
      if (params[i] == nullptr) {
        unread.push_back(around.shape());
        continue;
      }
      const Value state(params[i], 0);
      states_.insert(state);
      const std::optional<IntList> axes = axes_of_elements(state);
      if (!axes || has_computed_extents(around)) return false;
      Shape inside, outside;
      for (const std::int64_t a : *axes) {
        inside.push_back(state.shape()[static_cast<std::size_t>(a)]);
        outside.push_back(around.shape()[static_cast<std::size_t>(a)]);
      }
      if (axes->empty() || axes->back() != state.rank() - 1) found_.is_along_time = true;
      if (states_.size() == 1) elements_ = inside, found_.elements = outside;
      if (inside != elements_ || outside != found_.elements) return false;
    }
    const auto fits = [&](const Shape& shape) { return shape == found_.elements; };
    return !states_.empty() && std::ranges::all_of(unread, fits);
  }

  // The axes of a state that are those of the elements: of the state itself where a step reads all
  // of it, else of each part that a step reads or writes. Nothing if these differ.
  std::optional<IntList> axes_of_elements(const Value& state) {
    std::optional<IntList> found;
    const auto agree = [&](const IntList& axes) {
      if (!found) found = axes;
      return *found == axes && std::ranges::find(axes, fixed) == axes.end();
    };
    parts_.emplace(state, whole(state));
    std::vector<Value> open = {state};
    while (!open.empty()) {
      const Value v = open.back();
      open.pop_back();
      const IntList axes = parts_.at(v);
      if (is_result(v) && !agree(axes)) return std::nullopt;
      for (const auto& [node, operand] : uses_of(v)) {
        if (is_write(*node) && operand == 0 && v == state) {
          IntList written = axes;
          drop(written, node->attribute("axes").ints());
          if (!is_at_scalars(*node) || !agree(written)) return std::nullopt;
        } else if (const auto part = operand == 0 ? axes_of_part(*node, axes) : std::nullopt) {
          if (parts_.emplace(Value(node, 0), *part).second) open.emplace_back(node, 0);
        } else if (!agree(axes)) {
          return std::nullopt;
        }
      }
    }
    return found;
  }

  std::span<const Use> uses_of(const Value& v) const {
    const auto known = uses_.find(v);
    return known == uses_.end() ? std::span<const Use>() : known->second;
  }

  bool fits() {
    dependent_ = dependents(order_, states_);
    for (const Node* node : order_) {
      if (!has_elements(*node) || !node->extent_inputs().empty()) return false;
      if (is_write(*node) ? !writes_state(*node)
                          : dependent_.contains(node) && !keeps_elements(*node))
        return false;
      if (node->op().is_elementwise()) found_.cost += node->op().scalar.cost;
      if (is_lookup(*node)) found_.cost += cost_of_lookup;
      if (node->type().rank() == 0) continue;
      found_.operations += node->op().is_elementwise() ? 1 : 0;
      found_.widest = std::max(found_.widest, static_cast<int>(size_of(node->type().dtype)));
    }
    for (std::size_t k = 0; k < body_.outputs.size(); ++k)
      if (!fits_output(k)) return false;
    return true;
  }

  bool depends(const Value& v) const {
    return states_.contains(v) || dependent_.contains(&v.node());
  }
  bool has_own_shape(const Value& v) const { return v.shape() == elements_; }

  // Whether the elements of what depends on states are those of the states at the same place.
  bool keeps_elements(const Node& node) const {
    if (parts_.contains(Value(&node, 0))) return &node.op() != &op::index || is_of_parts(node);
    if (is_lookup(node) && depends(node.input(0))) return false;
    const Op& o = node.op();
    const bool is_same =
        o.is_elementwise() || &o == &op::cast || &o == &op::barrier || is_lookup(node);
    return node.type().shape == elements_ && is_same &&
           std::ranges::all_of(node.operands(),
                               [&](const Value& v) { return !depends(v) || has_own_shape(v); });
  }

  // Of indices that are the same for all elements.
  bool is_of_parts(const Node& node) const {
    const std::size_t first = is_write(node) ? 2 : 1;
    return std::ranges::none_of(node.operands().subspan(first),
                                [&](const Value& v) { return depends(v); });
  }

  // Whether a node writes an element for each into a state, which nobody reads any more.
  bool writes_state(const Node& node) const {
    const Value result(&node, 0);
    const std::size_t uses = uses_of(result).size() + (is_result(result) ? 1 : 0);
    const Value& base = node.input(0);
    if (uses != 1 || !is_of_parts(node) || !has_own_shape(node.input(1))) return false;
    return is_write(base.node()) || states_.contains(base);
  }

  // States are what the outputs with results are the next values of. No scalar depends on elements.
  bool fits_output(std::size_t k) const {
    Value v = body_.outputs[k];
    if (!is_write(v.node())) return has_own_shape(v) || v.rank() == 0;
    while (is_write(v.node())) v = v.input(0);
    if (k >= region_.results.size() || !v.is(op::param)) return false;
    const Region::Parameter& p = region_.parameters[param_index(v.node())];
    return p.next && *p.next == k;
  }

  // What is behind a transpose and read along time alone is read where it is.
  void find_turned() {
    found_.turned.resize(loop_.operands().size());
    for (const Node* node : order_) {
      const bool reads =
          &node->op() == &op::index && is_at_scalars(*node) && node->input(0).is(op::param);
      if (!reads || node->input(0).rank() < 2) continue;
      const bool is_state = states_.contains(node->input(0));
      if (!is_state && node->attribute("axes").ints().back() == node->input(0).rank() - 1)
        found_.is_along_time = found_.reads_rows = true;
      const Region::Parameter& p = region_.parameters[param_index(node->input(0).node())];
      if (!p.is_captured() || !is_turned(node->input(0), loop_.input(*p.operand))) continue;
      found_.turned[*p.operand] = found_.is_along_time = found_.reads_rows = true;
    }
  }
  bool is_turned(const Value& inside, const Value& around) const {
    if (!around.is(op::transpose)) return false;
    const bool is_last_first = around.node().attribute("axes").ints()[0] == around.rank() - 1;
    return is_last_first && !is_result(inside) &&
           std::ranges::all_of(uses_of(inside), [](const Use& use) {
             return use.operand == 0 && &use.node->op() == &op::index &&
                    use.node->attribute("axes").ints() == IntList{0};
           });
  }

  const Node& loop_;
  const Region& region_;
  const Graph& body_;
  std::vector<const Node*> order_;
  std::unordered_map<Value, std::vector<Use>, ValueHash> uses_;
  ValueSet states_;                                      // in the body
  std::unordered_map<Value, IntList, ValueHash> parts_;  // of states: see axes_of_part
  Shape elements_;
  std::unordered_set<const Node*> dependent_;
  Recurrence found_;
};

}  // namespace

std::optional<Recurrence> recurrence_of(const Node& node) {
  return std::move(search_recurrence(node).found);
}

RecurrenceSearch search_recurrence(const Node& node) {
  constexpr std::string_view none = "it makes steps until a condition ends it";
  if (&node.op() != &op::fori) return {{}, none};
  const std::vector<Region> regions = regions_of(node);
  if (regions.size() != 1 || !regions[0].count || regions[0].while_state) return {{}, none};
  return Finder(node, regions[0]).find();
}

}  // namespace gnomon
