// Fusion: one pass over the graph in order, placing each root into the latest nest that takes it.
//
// A value is computed where it is used unless something forces it into memory: it is an output, a
// step reads it, it is costly and would be computed again, or it is too deep. What a root needs is
// found by building its kernel for trial: the accesses say which nests it can share.
#include "codegen/fusion/fuse.h"

#include <optional>

#include "codegen/fusion/body_order.h"
#include "codegen/fusion/fusion_recording.h"
#include "codegen/fusion/inline_costs.h"
#include "codegen/fusion/node_devices.h"
#include "codegen/fusion/placement.h"
#include "codegen/fusion/trial_build.h"
#include "codegen/fusion/uses.h"
#include "ir/graph/leaf.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

class Fuser {
 public:
  Fuser(const Graph& graph, std::span<const Node* const> order, const Recording& recording,
        bool calls_library, NodeDevices* devices, std::span<const Value> required = {},
        std::span<const Value> given = {})
      : order_(order),
        devices_(devices),
        uses_(uses_of(graph, order, required, calls_library)),
        recorded_(recording, graph) {
    for (const Value& v : given)
      for (const Value& in_memory : {v, storage_of(v)}) {
        fusion_.given.insert(in_memory);
        fusion_.stored.insert(in_memory);
      }
  }

  Fusion run() {
    for (const Node* node : order_) place(*node);
    recorded_.note_computed_again(fusion_, costs_);
    return std::move(fusion_);
  }

 private:
  using Kind = Member::Kind;

  void place(const Node& node) {
    const Op& o = node.op();
    if (is_leaf(o) || &o == &op::constant) return costs_.note_at_hand(node);
    if (o.step != StepKind::none)
      placement_.append_step(node);
    else if (o.write)
      place_write(node);
    else if (is_row_reduction(node))
      place_row(node);
    else if (is_column_reduction(node) && !uses_.taken_along.contains(Value(&node, 0)))
      place_column(node);
    else
      return place_inlined(node);
    costs_.note_at_hand(node);
  }

  void place_row(const Node& node) {
    place_in_nest({Kind::row, Value(&node, 0)}, node.input(0).shape());
    for (std::uint32_t k = 0; k < node.output_count(); ++k)
      if (const Value v(&node, k); uses_.required.contains(v)) store(v, InMemory::required);
  }

  void place_column(const Node& node) {
    if (is_blocked_column(node)) {
      const Shape& shape = node.input(0).shape();
      const bool rows = shape.size() == 2 && node.attribute("axes").ints()[0] == 0;
      place_in_nest({rows ? Kind::column : Kind::partial, Value(&node, 0)},
                    rows ? shape : partial_shape(node));
    }
    for (std::uint32_t k = 0; k < node.output_count(); ++k)
      if (const Value v(&node, k); uses_.count.contains(v)) store(v, InMemory::column);
  }

  // What is computed where it is used, unless it goes to memory.
  void place_inlined(const Node& node) {
    while (const std::optional<Value> operand = costs_.measure(node))
      store(*operand, InMemory::large);
    for (std::uint32_t k = 0; k < node.output_count(); ++k) {
      const Value v(&node, k);
      if (uses_.required.contains(v))
        store(v, InMemory::required);
      else if (costs_.is_too_deep(node))
        store(v, InMemory::deep);
      else if (uses_.scattered_again.contains(v) && costs_.is_costly_elsewhere(v))
        store(v, InMemory::in_two_loops);
    }
  }

  // What is written over comes first, then each write, in order. The result of another write that
  // nothing else needs is gone on with; else the elements that stay are copied.
  void place_write(const Node& node) {
    const WriteRule& rule = node.op().write;
    const Value written(&node, 0);
    const bool goes_on = goes_on_with_base(node);
    std::vector<Box> boxes;
    if (goes_on)
      fusion_.continued.emplace(node.input(rule.base), written);
    else
      boxes = boxes_of_base(node);
    const bool whole = boxes.size() == 1 && boxes[0].count == node.type().shape;
    for (const Box& box : boxes) write(Member(written, box), box.count);
    const int last = rule.every ? static_cast<int>(node.operands().size()) - 1 : rule.first;
    for (int i = rule.first; i <= last; ++i) {
      Member m{Kind::write, written, i};
      m.onto = rule.combine && !whole && !goes_on;
      write(std::move(m), domain_of_written(node, i));
    }
    placement_.note_stored(node);
  }

  bool goes_on_with_base(const Node& node) const {
    const int base = node.op().write.base;
    if (base < 0) return false;
    const Value x = node.input(static_cast<std::size_t>(base));
    return x.op().write && uses_.count.at(x) == 1 && !fusion_.given.contains(x);
  }

  // Where it runs.
  void ask(Member& m) const {
    if (devices_ != nullptr) m.asked = devices_->of(m.value.node());
  }

  void write(Member m, const Shape& domain) {
    ask(m);
    Trial trial = settle(m, domain);
    if (!m.row_values.empty()) {
      for (const Value& r : std::vector(m.row_values)) store(r, InMemory::rows);
      trial = settle(m, domain);
    }
    const auto n = placement_.nest_for(m, domain, trial.roots);
    recorded_.note_placed(placement_, m, domain, trial.roots, n);
    if (n) return placement_.add(*n, std::move(m));
    placement_.append_nest(std::move(m), domain);
  }

  void store(const Value& v, InMemory why) {
    if (!fusion_.stored.contains(v)) recorded_.note_in_memory(v, why);
    place_in_nest({Kind::store, v}, v.shape());
  }

  void place_in_nest(Member m, const Shape& domain) {
    if (m.kind == Kind::store && fusion_.stored.contains(m.value)) return;
    ask(m);
    Trial trial = settle(m, domain);
    if (m.kind == Kind::store && is_row_reduction(m.value.node())) {
      // Its own nest has the result at hand, however far back it stands.
      const int home = placement_.nest_of_row(m.value.node());
      return placement_.add(home, std::move(m));
    }
    std::optional<int> n = placement_.nest_for(m, domain, trial.roots);
    // A nest of its own cannot see row results that no memory holds.
    while (!n && !m.row_values.empty()) {
      const Value r = m.row_values.front();
      const Value operand = m.value.input(0);
      const bool row_of_home = is_row_shaped(operand.shape(), r.input(0).shape());
      const bool whole = m.kind != Kind::store && row_of_home && operand != r;
      store(whole ? storage_of(operand) : r, InMemory::rows);
      trial = settle(m, domain);
      n = placement_.nest_for(m, domain, trial.roots);
    }
    recorded_.note_placed(placement_, m, domain, trial.roots, n);
    if (n) return placement_.add(*n, std::move(m));
    placement_.append_nest(std::move(m), domain);
  }

  // Builds the member for trial until all that must be in memory first is there.
  Trial settle(Member& m, const Shape& domain) {
    for (;;) {
      Trial trial = build_for_trial(m, domain, placement_, costs_);
      if (!trial.promote) return trial;
      store(*trial.promote, trial.why);
    }
  }

  const std::span<const Node* const> order_;
  NodeDevices* const devices_;
  const Uses uses_;
  Fusion fusion_;
  Placement placement_{fusion_};  // fills all of it but `continued`
  InlineCosts costs_{fusion_};
  FusionRecording recorded_;
};

}  // namespace

Fusion fuse(const Graph& graph, bool calls_library, std::span<const Node* const> order,
            const Recording& recording, NodeDevices* devices) {
  return Fuser(graph, order.empty() ? graph.topological_order() : order, recording, calls_library,
               devices)
      .run();
}

Fusion fuse_body(const Graph& body, bool calls_library, std::span<const Value> given,
                 const Recording& recording, NodeDevices* devices) {
  const BodyOrder order = order_of_body(body, given);
  return Fuser(body, order.nodes, recording, calls_library, devices, order.before, given).run();
}

}  // namespace gnomon
