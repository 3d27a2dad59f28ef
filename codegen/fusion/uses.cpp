// Counts the uses of values, and finds those that must be in memory whoever else computes them.
#include "codegen/fusion/uses.h"

#include <algorithm>
#include <ranges>

#include "codegen/fusion/fuse.h"
#include "codegen/fusion/product_operands.h"
#include "ir/graph/leaf.h"
#include "passes/engine/facts.h"
#include "passes/loops/recurrence.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

void require(const Value& v, Uses& uses) {
  const Value s = storage_of(v);
  if (is_computed(s)) uses.required.insert(s);
}

// i + 1 and the like: computed where it is an index, its range is known.
bool is_index_sum(const Node& node, int most_steps = 3) {
  const Op& o = node.op();
  if (&o != &op::add && &o != &op::subtract && &o != &op::multiply) return false;
  const auto is_at_hand = [&](const Value& x) {
    return is_leaf(x.op()) || x.is(op::constant) || x.is(op::extent) ||
           (most_steps > 1 && is_index_sum(x.node(), most_steps - 1));
  };
  return node.type().rank() == 0 && node.type().dtype == DType::int64 &&
         node.operands().size() == 2 && std::ranges::all_of(node.operands(), is_at_hand);
}

// Whether reading an element costs no more than reading what the value is told from: memory of its
// own would only be larger.
bool is_told_from_less(const Node& node) {
  const Op& o = node.op();
  if (is_index_sum(node)) return true;
  if (&o == &op::cast && node.input(0).is(op::arange)) return true;
  return &o == &op::constant || &o == &op::arange || &o == &op::extent || &o == &op::broadcast_to ||
         &o == &op::expand_dims || &o == &op::squeeze || &o == &op::reshape;
}

/// Collects the values that have to be in memory so that others can be read.
class Given {
 public:
  void add(const Value& v) {
    std::vector<Value> open{v};
    while (!open.empty()) {
      const Value x = open.back();
      open.pop_back();
      if (is_memory(x) || !seen_.insert(x).second) continue;
      if (is_told_from_less(x.node()))
        open.insert(open.end(), x.node().inputs().begin(), x.node().inputs().end());
      else
        values_.push_back(x);
    }
  }
  void add_scalars_of(const Dim& d) {
    if (d.is_constant()) return;
    d.for_each_atom([&](const AtomRef& atom) {
      if (atom->kind == Atom::Kind::value) add(*atom->scalar);
    });
  }
  std::vector<Value> take() { return std::move(values_); }

 private:
  std::vector<Value> values_;
  std::unordered_set<Value> seen_;
};

// The operands that are the same in each run of a body.
std::vector<bool> captured_operands(const Node& node) {
  std::vector<bool> captured(node.operands().size());
  for (const Region& region : regions_of(node))
    for (const Region::Parameter& p : region.parameters)
      if (p.is_captured()) captured[*p.operand] = true;
  return captured;
}

// The captured operands whose values are extents inside the body. An extent sees through sums and
// the like, so it may be made of other scalars than the operand.
std::vector<std::size_t> operands_in_extents(const Node& node, const Region& region) {
  const Graph& body = body_of(node, region);
  std::vector<Value> scalars = body.checked_scalars();
  for (const Node* inner : body.topological_order())
    scalars.insert(scalars.end(), inner->extent_inputs().begin(), inner->extent_inputs().end());
  std::vector<std::size_t> found;
  for (const Value& scalar : scalars) {
    if (!scalar.is(op::param)) continue;
    const Region::Parameter& p = region.parameters[param_index(scalar.node())];
    if (p.is_captured()) found.push_back(*p.operand);
  }
  return found;
}

// Whether a write leaves most of what it changes as it is: a row, a column, an element. So does one
// to places that are no runs, which moreover may be the same: what comes later would read what was
// written first.
bool writes_little(const Node& node) {
  const Op& o = node.op();
  if (&o == &op::set_index || &o == &op::inc_index) {
    const auto is_scalar = [](const Value& i) { return i.rank() == 0; };
    const auto is_apart = [&](const Value& i) {
      const std::optional<Run> run = run_of(i);
      return is_scalar(i) || (run && run->step != 0);
    };
    const std::span<const Value> indices = node.operands().subspan(2);
    return std::ranges::all_of(indices, is_scalar) || !std::ranges::all_of(indices, is_apart);
  }
  if (&o != &op::set_slice && &o != &op::inc_slice) return false;
  const Shape &count = node.attribute("count").dims(), &whole = node.input(0).shape();
  for (std::size_t i = 0; i < count.size(); ++i)
    if (count[i].is(1) && !whole[i].is(1)) return true;
  return false;
}

// Reads of what a write changes, for what is written, other than of elements at their own places.
struct ReadsElsewhere {
  bool any = false;
  bool large = false;        // some are of no part with fewer axes
  std::vector<Value> parts;  // rows, columns and elements that are read
};

// Whether a value is a row, a column or an element of `x`, or some of one.
bool is_small_part(const Value& part, const Value& x) {
  if (!part.is(op::slice) && !part.is(op::index)) return false;
  Value whole = part.input(0);
  while (whole.is(op::slice)) whole = whole.input(0);
  if (storage_of(whole) != x) return false;
  if (part.rank() < x.rank()) return true;
  if (part.is(op::index)) return false;
  for (std::size_t i = 0; i < x.shape().size(); ++i)
    if (part.shape()[i].is(1) && !x.shape()[i].is(1)) return true;
  return false;
}

ReadsElsewhere reads_elsewhere(const Node& write) {
  constexpr std::size_t most = 200;
  const Value x = storage_of(write.input(0));
  const bool is_slice = &write.op() == &op::set_slice || &write.op() == &op::inc_slice;
  ReadsElsewhere found;
  std::vector<Value> open{write.input(1)};
  std::unordered_set<Value> seen;
  while (!open.empty() && seen.size() < most) {
    const Value v = open.back();
    open.pop_back();
    if (storage_of(v) == x) {
      found.any = found.large = true;
      continue;
    }
    const bool is_own_place = is_slice && v.is(op::slice) && storage_of(v.input(0)) == x &&
                              v.node().attributes() == write.attributes();
    if (is_own_place || is_memory(v) || v.op().step != StepKind::none || !seen.insert(v).second)
      continue;
    if (is_small_part(v, x)) {
      found.any = true;
      found.parts.push_back(v);
      continue;
    }
    open.insert(open.end(), v.node().operands().begin(), v.node().operands().end());
  }
  found.any = found.any || !open.empty();
  return found;
}

// What a write reads of what it changes is in memory before, so that it may be written over that;
// else all of it would be copied.
void require_reads(const Node& write, Uses& uses) {
  const bool is_little = writes_little(write);
  if (!is_little && &write.op() != &op::set_slice && &write.op() != &op::inc_slice) return;
  if (write.input(1).rank() == 0) return;
  const ReadsElsewhere reads = reads_elsewhere(write);
  if (is_little && reads.any) return require(write.input(1), uses);
  if (reads.large) return;
  for (const Value& part : reads.parts) require(part, uses);
}

// Writes that elements of a value go into, by elementwise operations alone.
struct Scattering {
  const Node* write = nullptr;  // one of them
  bool several = false;
  bool leads_to_one = false;  // some operation with the value goes into one of them
};

void find_scattered_again(std::span<const Node* const> order, Uses& uses) {
  std::unordered_map<Value, Scattering> found;
  const auto note = [&](const Value& v, const Node* write, bool several) {
    Scattering& of = found[v];
    of.several = of.several || several || (of.write != nullptr && of.write != write);
    of.leads_to_one = of.leads_to_one || !several;
    of.write = write;
  };
  for (const Node* node : std::views::reverse(order)) {
    const WriteRule& rule = node->op().write;
    if (rule && !rule.slice) {
      for (std::size_t i = 0; i < node->operands().size(); ++i)
        if (static_cast<int>(i) != rule.base) note(node->input(i), node, false);
    } else if (const auto at = found.find(Value(node, 0));
               at != found.end() && node->op().is_elementwise()) {
      const Scattering of = at->second;
      for (const Value& x : node->operands()) note(x, of.write, of.several);
    }
  }
  for (const auto& [v, of] : found)
    if (of.several && of.leads_to_one) uses.scattered_again.insert(v);
}

void require_operands(const Node& node, bool calls_library, Uses& uses) {
  const std::vector<bool> captured = captured_operands(node);
  for (std::size_t i = 0; i < captured.size(); ++i)
    if (!captured[i]) require(read_by_step(node, i, calls_library), uses);
  for (const Value& v : given_to_bodies(node)) require(v, uses);
}

}  // namespace

std::span<const Value> awaited_by(const Node& node) {
  return &node.op() == &op::barrier ? node.inputs().subspan(1) : node.extent_inputs();
}

Uses uses_of(const Graph& graph, std::span<const Node* const> order,
             std::span<const Value> required, bool calls_library) {
  Uses uses;
  for (const Value& v : required) require(v, uses);
  std::vector<Value> results = graph.outputs;
  const std::vector<Value> checked = graph.checked_scalars();
  results.insert(results.end(), checked.begin(), checked.end());
  for (const Value& v : results) {
    require(v, uses);
    ++uses.count[v];
  }
  for (const Node* node : order) {
    if (node->op().step != StepKind::none) require_operands(*node, calls_library, uses);
    require_reads(*node, uses);
    for (const Value& x : awaited_by(*node)) require(x, uses);
    for (const Value& x : node->inputs()) ++uses.count[x];
    if (is_short_column(*node) && is_short_column(node->input(0).node()))
      uses.taken_along.insert(node->input(0));
  }
  find_scattered_again(order, uses);
  std::erase_if(uses.taken_along,
                [&](const Value& v) { return uses.count.at(v) > 1 || uses.required.contains(v); });
  return uses;
}

std::vector<Value> given_to_bodies(const Node& node) {
  if (node.op().regions == nullptr) return {};
  Given given;
  const std::vector<bool> captured = captured_operands(node);
  const std::optional<Recurrence> recurrence = recurrence_of(node);
  for (std::size_t i = 0; i < captured.size(); ++i) {
    const bool is_turned = recurrence && recurrence->turned[i];
    if (captured[i]) given.add(is_turned ? node.input(i).input(0) : node.input(i));
    for (const Dim& d : node.input(i).shape()) given.add_scalars_of(d);
  }
  for (const Region& region : regions_of(node))
    for (const std::size_t operand : operands_in_extents(node, region))
      given.add_scalars_of(Dim::value(node.input(operand)));
  return given.take();
}

}  // namespace gnomon
