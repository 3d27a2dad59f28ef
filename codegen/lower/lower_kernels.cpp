// Decides which nests share a kernel, and appends kernels with what has to be tested before them.
#include "codegen/lower/lower_kernels.h"

#include <fmt/format.h>

#include <unordered_set>
#include <utility>

#include "codegen/module/cache_lines.h"
#include "codegen/text/failure_text.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int most_kernel_statements = 96;  // of a kernel with several nests

// Bytes of the scratch that each thread needs for a kernel.
Dim scratch_of(const Kernel& kernel) {
  Dim scratch = 0;
  for (const BufferParam& b : kernel.buffers)
    if (b.per_worker) scratch = scratch + bytes_in_lines(b.elements, b.dtype);
  return scratch;
}

// Whether a scattered write is for a device, with more elements than one block may do in order.
bool wants_places(const Nest& nest, const Target& target) {
  constexpr std::int64_t few = 256;
  if (target.device.empty() || !nest.members[0].scattered_rows) return false;
  const Dim count = element_count(nest.domain);
  return !count.is_constant() || count.constant() > few;
}

// Whether the elements of a scattered write may be combined as they come.
bool is_in_any_order(const Nest& nest) {
  const Member& m = nest.members[0];
  const Op* combine = m.value.op().write.combine;
  return combine != nullptr && !m.onto && is_atomic(*combine, m.value.dtype());
}

}  // namespace

void add_checks_of_none(std::span<const IndexedAxis> indexed, Lowering& l,
                        std::vector<Step>& steps) {
  for (const IndexedAxis& axis : indexed) {
    const Dim failing = axis.is_failing();
    if (failing.is(0)) continue;
    const int number = l.failures.add(failure_of_none(*axis.node), axis.node);
    steps.push_back({ExtentCheckStep{failing, 0, number}});
  }
}

KernelStep& add_kernel(Kernel kernel, std::vector<int> buffers, Module& module,
                       std::vector<Step>& steps) {
  steps.push_back({KernelStep{static_cast<int>(module.kernels.size()), std::move(buffers)}});
  module.bytes_per_worker = max(module.bytes_per_worker, scratch_of(kernel));
  module.kernels.push_back(std::move(kernel));
  return std::get<KernelStep>(steps.back().what);
}

void KernelGathering::add(const Nest& nest) {
  if (nest.asked != asked_) finish();
  asked_ = nest.asked;
  const Target& target = lowering_.target_for(asked_);
  if (wants_places(nest, target))
    return is_in_any_order(nest) ? add_at_once(nest) : add_by_places(nest);
  if (auto where = short_rows(nest, target); !where.empty())
    return add_choice(nest, std::move(where));
  int statements = kernel_ ? static_cast<int>(kernel_->statement_count()) : 0;
  for (const Member& m : nest.members) statements += m.statements;
  // Kernels compile at once: two that are long are better apart.
  const Node* base_of = nest.box_written();
  const bool boxes = base_of && base_of == last_box_of_;
  const bool may = boxes || (!base_of && !last_box_of_ && (last_small_ || nest.is_small()));
  const bool together = kernel_ && may && statements <= most_kernel_statements;
  if (kernel_ && lowering_.recording) record(nest, together, may, statements);
  if (!together) finish();
  if (!kernel_) kernel_ = new_kernel();
  kernel_->add(nest);
  note_nodes_of(nest);
  last_small_ = nest.is_small();
  last_value_ = nest.members.back().value;
  last_box_of_ = base_of;
  for (const Member& m : nest.members)
    if (m.kind == Member::Kind::store && lowering_.dimensions.is_extent(m.value)) {
      finish();
      lowering_.dimensions.read(m.value, steps_);
    }
}

void KernelGathering::record(const Nest& nest, bool together, bool may, int statements) const {
  std::string reason = "one of them is small, and so is the kernel with both";
  if (!may)
    reason = nest.box_written() || last_box_of_
                 ? "a copy of what a write leaves as it is runs by itself"
                 : "both are long, and kernels compile at once";
  else if (!together)
    reason = fmt::format("it would have {} statements, more than {}", statements,
                         most_kernel_statements);
  lowering_.recording.add("lower", "in one kernel", together, nest.members.front().value,
                          std::move(reason), last_value_);
}

void KernelGathering::finish() {
  lowering_.buffers.allocate(steps_);
  if (!kernel_) return;
  add_kernel_of(*kernel_, steps_);
  kernel_.reset();
  nodes_.clear();
}

// What is combined in any order needs no places in order.
void KernelGathering::add_at_once(const Nest& nest) {
  finish();
  note_nodes_of(nest);
  const auto kernel = new_kernel();
  kernel->add_at_once(nest);
  add_kernel_of(*kernel, steps_);
  nodes_.clear();
  lowering_.buffers.allocate(steps_);
}

// A device sorts the places of a scattered write, and then goes through all of them at once.
void KernelGathering::add_by_places(const Nest& nest) {
  finish();
  note_nodes_of(nest);
  const Member& m = nest.members[0];
  OrderedPlaces places;
  places.of_rows = !m.scattered_lanes;
  places.count = element_count(places.of_rows ? nest.row_shape() : nest.domain);
  const auto memory = [&](const char* name) {
    return lowering_.buffers.temporary(DType::int64, places.count, name);
  };
  places.places = memory("places"), places.order = memory("order");
  places.sorted = memory("sorted"), places.ends = memory("ends");
  lowering_.buffers.allocate(steps_);
  const auto add = [&](auto&& nests) {
    const auto kernel = new_kernel();
    nests(*kernel);
    add_kernel_of(*kernel, steps_);
  };
  const auto ask = [&](LineRoutine routine, std::vector<int> in, int out) {
    ServiceStep step = lines_step(m.value.op().name, routine, DType::int64, places.count);
    step.in = std::move(in), step.out = {out};
    steps_.push_back({std::move(step), without_repeats(nodes_)});
    steps_.back().asked = asked_;
  };
  add([&](KernelLowering& k) { k.add_places(nest, places); });
  ask(LineRoutine::argsort, {places.places}, places.order);
  add([&](KernelLowering& k) { k.add_sorted_places(places); });
  ask(LineRoutine::searchsorted, {places.sorted, places.sorted}, places.ends);
  add([&](KernelLowering& k) { k.add_by_places(nest, places); });
  nodes_.clear();
  lowering_.buffers.allocate(steps_);
}

// The call chooses between kernels for rows that are short and for others.
void KernelGathering::add_choice(const Nest& nest, std::vector<ExtentRange> where) {
  finish();
  note_nodes_of(nest);
  ChoiceStep choice;
  choice.where = std::move(where);
  for (std::vector<Step>* way : {&choice.then, &choice.otherwise}) {
    const auto kernel = new_kernel();
    way == &choice.then ? kernel->add_short_rows(nest) : kernel->add(nest);
    add_kernel_of(*kernel, *way);
  }
  nodes_.clear();
  lowering_.buffers.allocate(steps_);
  steps_.push_back({std::move(choice)});
}

// What members need at their own elements, and what is computed once a row or at other elements.
void KernelGathering::note_nodes_of(const Nest& nest) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open;
  const auto note = [&](const Node& node) {
    if (!seen.insert(&node).second) return;
    add_positions(lowering_.graph, node, nodes_);
    open.push_back(&node);
  };
  for (const Member& m : nest.members) {
    note(m.value.node());
    for (const Value& v : m.computed) note(v.node());
  }
  while (!open.empty()) {
    const Node& node = *open.back();
    open.pop_back();
    for (const Value& v : node.inputs())
      if (!is_memory(v) && !v.is(op::constant) && !is_column_reduction(v.node()) &&
          !lowering_.buffers.is_placed(storage_of(v)))
        note(v.node());
  }
}

void KernelGathering::add_kernel_of(KernelLowering& nests, std::vector<Step>& steps) {
  add_checks_of_none(nests.indexed(), lowering_, steps);
  Kernel kernel = nests.finish();
  KernelStep& step = add_kernel(std::move(kernel), nests.buffers(), lowering_.module, steps);
  step.serial_work = nests.serial_work();
  steps.back().nodes = without_repeats(nodes_);
  steps.back().asked = asked_;
}

std::unique_ptr<KernelLowering> KernelGathering::new_kernel() const {
  return std::make_unique<KernelLowering>(fmt::format("k{}", lowering_.module.kernels.size()),
                                          fusion_, lowering_.buffers, lowering_.target_for(asked_));
}

}  // namespace gnomon
