// Graph -> Module: fused nests become kernels, the other nodes steps, values buffers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "codegen/fusion/fuse.h"
#include "codegen/kernels/lower_nest.h"
#include "codegen/kernels/lower_product.h"
#include "codegen/module/cache_lines.h"
#include "codegen/module/module.h"
#include "codegen/text/failure_text.h"
#include "ir/graph/leaf.h"
#include "passes/engine/trace.h"
#include "runtime/error.h"
#include "runtime/options.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr int most_statements = 96;  // of a kernel with several nests

// Whether kernels are checked before anything is made of them.
#ifdef NDEBUG
const bool verifies = environment("GNOMON_VERIFY").has_value();
#else
constexpr bool verifies = true;
#endif

class Lowerer : public Storage {
 public:
  Lowerer(const Graph& graph, const Target& target, std::span<const Node* const> order)
      : graph_(graph), target_(target), order_(order), names_(names_of(graph)) {}

  Module run(std::span<const int> donated) {
    add_parameters();
    read_given(0, module_.steps);
    lower_graph(graph_, module_.steps);
    if (!late_checks_.empty())
      throw InternalError("lower: no step makes the check: " +
                          module_.failures[late_checks_[0].number - 1].text);
    add_outputs();
    std::vector<int> updates;
    for (const Result& r : graph_.results) updates.push_back(r.updates);
    find_in_place(module_, updates, donated);
    group_side_by_side(module_, target_.machine.work_of_piece);
    find_lives(module_);
    if (verifies) verify_order(module_);
    return std::move(module_);
  }

  int buffer_of(const Value& of) override {
    const Value v = last_write(of);
    if (const auto known = buffers_.find(v); known != buffers_.end()) return known->second;
    Buffer b;
    b.dtype = v.dtype();
    b.shape = v.shape();
    if (v.is(op::constant)) {
      b.role = Buffer::Role::constant;
      b.value = v.node().attribute("value").array().contiguous();
      b.name = "constant";
    } else if (const auto out = output_of_.find(v); out != output_of_.end()) {
      b.role = Buffer::Role::output;
      b.number = out->second;
      b.name = graph_.results[out->second].name;
    } else {
      b.name = v.op().name;
    }
    return buffers_[v] = add_buffer(std::move(b));
  }

  int partial_of(const Node& node, std::uint32_t field) override {
    const auto [known, fresh] = partials_.try_emplace({&node, field}, -1);
    if (fresh)
      known->second =
          temporary(node.type(field).dtype, element_count(partial_shape(node)), "partial");
    return known->second;
  }

  int temporary(DType t, const Dim& elements, const std::string& name) override {
    Buffer b;
    b.name = name;
    b.dtype = t;
    b.shape = {elements};
    return add_buffer(std::move(b));
  }

  std::string name_of(int buffer) const override { return module_.buffers[buffer].name; }

  std::string text_of(const Value& v) const override { return expression_text(v, 5, names_); }

  int check_number(const Node& node) override {
    const auto [known, fresh] = check_numbers_.try_emplace(&node, 0);
    if (fresh) known->second = add_failure(failure_text(node), &node);
    return known->second;
  }

 private:
  // --- the signature ---

  void add_parameters() {
    for (std::size_t i = 0; i < graph_.parameters.size(); ++i) {
      const Parameter& p = graph_.parameters[i];
      Buffer b;
      b.role = Buffer::Role::parameter;
      b.number = static_cast<int>(i);
      b.name = p.name;
      b.dtype = p.type.dtype;
      b.shape = p.type.shape;
      parameter_buffers_.push_back(add_buffer(std::move(b)));
      for (const Dim& d : p.type.shape) add_extent(d, i);
    }
    module_.parameters = static_cast<int>(graph_.parameters.size());
    for (const EntryCheck& check : graph_.checks) {
      PlanCheck c{check.left, check.right};
      note_dimensions(c.left), note_dimensions(c.right);
      c.number = add_failure({check.message, {}}, nullptr);
      module_.failures.back().entry_check = static_cast<int>(&check - graph_.checks.data());
      (module_.is_late({c.left, c.right}) ? late_checks_ : module_.plan_checks)
          .push_back(std::move(c));
    }
    for (const Node* node : graph_.topological_order()) {
      if (&node->op() == &op::param)
        buffers_[Value(node, 0)] = parameter_buffers_[node->attribute("index").integer()];
      for (const Type& t : node->types()) note_dimensions(t.shape);
    }
  }

  // The first axis whose extent is just a symbol defines it; any other is checked.
  void add_extent(const Dim& d, std::size_t parameter) {
    const int position = module_.extents++;
    const AtomRef atom = d.atom();
    if (atom && atom->kind == Atom::Kind::symbol && !slot_of(*atom)) {
      add_slot(atom, position);
      return;
    }
    PlanCheck c{0, d};
    c.extent = position;
    c.number = add_failure({"call: expected {of}", {}}, nullptr);
    module_.failures.back().parameter = static_cast<int>(parameter);
    module_.failures.back().of = static_cast<int>(parameter);
    module_.plan_checks.push_back(std::move(c));
  }

  std::optional<int> slot_of(const Atom& atom) const {
    const auto [first, last] = slots_.equal_range(atom.hash);
    for (auto at = first; at != last; ++at)
      if (*module_.dimensions[at->second].atom == atom) return at->second;
    return std::nullopt;
  }

  int add_slot(const AtomRef& atom, int extent) {
    DimensionSlot slot{atom, {}, extent};
    const bool named = atom->kind == Atom::Kind::symbol && atom->number < graph_.symbols.size();
    slot.name =
        named ? graph_.symbols[atom->number] : fmt::format("v{}", module_.dimensions.size());
    module_.dimensions.push_back(std::move(slot));
    const int number = static_cast<int>(module_.dimensions.size()) - 1;
    slots_.emplace(atom->hash, number);
    return number;
  }

  void note_dimensions(const Shape& shape) {
    for (const Dim& d : shape) note_dimensions(d);
  }

  // Values of scalar parameters are known at entry; those of computed scalars when they are stored.
  void note_dimensions(const Dim& d) {
    if (d.is_constant()) return;
    d.for_each_atom([&](const AtomRef& atom) {
      if (slot_of(*atom)) return;
      if (atom->kind == Atom::Kind::symbol)
        throw InternalError("lower: no parameter gives the dimension " + atom->name);
      const Value& scalar = *atom->scalar;
      if (scalar.is(op::param)) {
        add_slot(atom, module_.extents + static_cast<int>(module_.extent_parameters.size()));
        module_.extent_parameters.push_back(
            static_cast<int>(scalar.node().attribute("index").integer()));
        return;
      }
      late_[storage_of(scalar)].push_back(add_slot(atom, -1));
    });
  }

  // Late dimensions from `first` on that stand in memory which is there from the start.
  void read_given(std::size_t first, std::vector<Step>& steps) {
    for (std::size_t d = first; d < module_.dimensions.size(); ++d) {
      if (module_.dimensions[d].extent != -1) continue;
      const Value s = storage_of(*module_.dimensions[d].atom->scalar);
      if ((is_memory(s) || s.is(op::constant)) && !known_.contains(static_cast<int>(d)))
        read_dimension(s, steps);
    }
  }

  void add_outputs() {
    module_.outputs.assign(graph_.outputs.size(), -1);
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const Value s = storage_of(graph_.outputs[i]);
      if (const auto own = output_of_.find(s);
          own != output_of_.end() && own->second == static_cast<int>(i)) {
        module_.outputs[i] = buffer_of(s);
        module_.buffers[module_.outputs[i]].shape = graph_.outputs[i].shape();
        continue;
      }
      Buffer b;
      b.role = Buffer::Role::output;
      b.number = static_cast<int>(i);
      b.name = graph_.results[i].name;
      b.dtype = s.dtype();
      b.shape = graph_.outputs[i].shape();
      module_.outputs[i] = add_buffer(std::move(b));
      flush(module_.steps);
      module_.steps.push_back({CopyStep{buffer_of(s), module_.outputs[i]}});
    }
  }

  int add_buffer(Buffer b) {
    const bool late = module_.is_late(b.shape);
    if (late && b.role == Buffer::Role::workspace) b.role = Buffer::Role::late;
    module_.buffers.push_back(std::move(b));
    const int id = static_cast<int>(module_.buffers.size()) - 1;
    if (late && steps_) to_allocate_.push_back(id);
    return id;
  }

  int add_failure(FailureText failure, const Node* node) {
    for (const Origin& o : graph_.origins_of(node)) failure.captured.push_back(o.line);
    module_.failures.push_back(std::move(failure));
    return static_cast<int>(module_.failures.size());
  }

  // --- the body ---

  void lower_graph(const Graph& graph, std::vector<Step>& steps) {
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const Value s = storage_of(graph.outputs[i]);
      // The caller gives memory for known extents, the call makes that for late ones.
      if (module_.is_late(s.shape()) != module_.is_late(graph.outputs[i].shape())) continue;
      if (!is_leaf(s.op()) && !s.is(op::constant)) output_of_.try_emplace(s, static_cast<int>(i));
    }
    const Fusion fusion = fuse(graph, Nodes::own, order_);
    continued_ = fusion.continued;
    lower_fusion(fusion, steps);
  }

  void lower_fusion(const Fusion& fusion, std::vector<Step>& steps) {
    fusion_ = &fusion;
    steps_ = &steps;
    for (const FusedItem& item : fusion.items) {
      if (item.step) {
        flush(steps);
        lower_step(*item.step, steps);
      } else {
        add_nest(fusion.nests[item.nest], steps);
      }
    }
    flush(steps);
  }

  // The call chooses between kernels for rows that are short and for others.
  void add_choice(const Nest& nest, std::vector<ExtentRange> where, std::vector<Step>& steps) {
    flush(steps);
    ChoiceStep choice{std::move(where), {}, {}};
    for (std::vector<Step>* way : {&choice.few, &choice.many}) {
      KernelLowering kernel(fmt::format("k{}", module_.kernels.size()), *fusion_, *this, target_);
      way == &choice.few ? kernel.add_short_rows(nest) : kernel.add(nest);
      add_guards(kernel, *way);
      add_kernel(kernel.finish(), kernel.buffers(), *way);
      std::get<KernelStep>(way->back().what).serial_work = kernel.serial_work();
    }
    allocate(steps);
    steps.push_back({std::move(choice)});
  }

  void add_nest(const Nest& nest, std::vector<Step>& steps) {
    if (auto where = short_rows(nest, target_); !where.empty())
      return add_choice(nest, std::move(where), steps);
    int statements = kernel_ ? static_cast<int>(kernel_->statement_count()) : 0;
    for (const Member& m : nest.members) statements += m.statements;
    // Kernels compile at once: two that are long are better apart.
    const Node* base_of = nest.box_written();
    const bool boxes = base_of && base_of == last_box_of_;
    const bool may = boxes || (!base_of && !last_box_of_ && (last_small_ || nest.is_small()));
    const bool together = kernel_ && may && statements <= most_statements;
    if (!together) flush(steps);
    if (!kernel_)
      kernel_ = std::make_unique<KernelLowering>(fmt::format("k{}", module_.kernels.size()),
                                                 *fusion_, *this, target_);
    kernel_->add(nest);
    last_small_ = nest.is_small();
    last_box_of_ = base_of;
    for (const Member& m : nest.members)
      if (m.kind == Member::Kind::store && late_.contains(m.value)) {
        flush(steps);
        read_dimension(m.value, steps);
      }
  }

  void flush(std::vector<Step>& steps) {
    allocate(steps);
    if (!kernel_) return;
    add_guards(*kernel_, steps);
    add_kernel(kernel_->finish(), kernel_->buffers(), steps);
    std::get<KernelStep>(steps.back().what).serial_work = kernel_->serial_work();
    kernel_.reset();
  }

  // No index into an axis without elements is safe to load: if there is one, the call ends before.
  void add_guards(const KernelLowering& kernel, std::vector<Step>& steps) {
    for (const IndexedAxis& axis : kernel.indexed()) {
      const Dim failing = axis.is_failing();
      if (!failing.is(0))
        steps.push_back(
            {ExtentCheckStep{failing, 0, add_failure(failure_of_none(*axis.node), axis.node)}});
    }
  }

  void add_kernel(Kernel kernel, std::vector<int> buffers, std::vector<Step>& steps) {
    KernelStep step{static_cast<int>(module_.kernels.size()), std::move(buffers)};
    if (verifies) verify(kernel);
    Dim scratch = 0;
    for (const BufferParam& b : kernel.buffers)
      if (b.per_worker) scratch = scratch + bytes_in_lines(b.elements, b.dtype);
    module_.bytes_per_worker = max(module_.bytes_per_worker, scratch);
    module_.kernels.push_back(std::move(kernel));
    steps.push_back({std::move(step)});
  }

  void allocate(std::vector<Step>& steps) {
    for (const int b : to_allocate_) steps.push_back({AllocateStep{b}});
    to_allocate_.clear();
  }

  void read_dimension(const Value& scalar, std::vector<Step>& steps) {
    for (const int slot : late_.at(scalar)) {
      steps.push_back({DimensionStep{slot, buffer_of(scalar)}});
      known_.insert(slot);
    }
    std::erase_if(late_checks_, [&](const PlanCheck& c) {
      if (!is_known(c.left) || !is_known(c.right)) return false;
      steps.push_back({ExtentCheckStep{c.left, c.right, c.number}});
      return true;
    });
  }

  // Whether all late extents in `d` have been computed.
  bool is_known(const Dim& d) const {
    bool known = true;
    if (!d.is_constant())
      d.for_each_atom([&](const AtomRef& atom) {
        const int slot = *slot_of(*atom);
        known = known && (module_.dimensions[slot].extent != -1 || known_.contains(slot));
      });
    return known;
  }

  // The write in whose memory a value is in the end. Chains are long: a look-up shortens its own.
  Value last_write(const Value& v) {
    auto on = continued_.find(v);
    if (on == continued_.end()) return v;
    for (auto next = continued_.find(on->second); next != continued_.end();
         next = continued_.find(on->second)) {
      on->second = next->second;
      on = next;
    }
    return on->second;
  }

  int stored_buffer(const Value& v) { return buffer_of(storage_of(v)); }

  void lower_step(const Node& node, std::vector<Step>& steps) {
    switch (node.op().step) {
      case StepKind::product: lower_product(node, steps); break;
      case StepKind::loop: lower_loop(node, steps); break;
      case StepKind::print:
        alias(node, steps);
        module_.messages.push_back(node.attribute("message").string());
        steps.push_back({PrintStep{stored_buffer(node.input(0)),
                                   static_cast<int>(module_.messages.size()) - 1}});
        break;
      case StepKind::check:
        alias(node, steps);
        steps.push_back({CheckStep{stored_buffer(node.input(1)), check_number(node)}});
        if (node.operands().size() > 2) {
          auto& check = std::get<CheckStep>(steps.back().what);
          check.value = stored_buffer(node.input(2)), check.bound = stored_buffer(node.input(3));
        }
        break;
      default: {
        ServiceStep call = service_call(node);
        allocate(steps);
        steps.push_back({std::move(call)});
      }
    }
    for (std::uint32_t k = 0; k < node.output_count(); ++k)
      if (late_.contains(Value(&node, k))) read_dimension(Value(&node, k), steps);
  }

  // The node is its first operand, in memory of its own only if it is a result.
  void alias(const Node& node, std::vector<Step>& steps) {
    const Value v(&node, 0);
    const int from = stored_buffer(node.input(0));
    if (!output_of_.contains(v)) {
      buffers_[v] = from;
      return;
    }
    const int to = buffer_of(v);
    allocate(steps);
    steps.push_back({CopyStep{from, to}});
  }

  // The call of a service that does a node, with its buffers and the number of its check.
  ServiceStep service_call(const Node& node) {
    if (!service_of(node.op().step))
      throw InternalError("lower: no step for " + std::string(node.op().name));
    ServiceStep s = service_step(node);
    for (std::size_t i = 0; i < s.in.size(); ++i) s.in[i] = stored_buffer(node.input(i));
    for (std::uint32_t k = 0; k < s.out.size(); ++k) s.out[k] = buffer_of(Value(&node, k));
    if (s.service->reports) s.check = check_number(node);
    return s;
  }

  void lower_product(const Node& node, std::vector<Step>& steps) {
    ServiceStep call = service_call(node);
    const int out = call.out[0];
    const Product p = product_of(node);
    const int addend = call.adds ? stored_buffer(node.input(2)) : -1;
    const ProductChoice choice = choose(p, target_);
    std::vector<Step> by_kernel, by_library;
    if (choice.way != ProductChoice::Way::library) {
      ProductKernel made =
          gnomon::lower_product(fmt::format("k{}", module_.kernels.size()), p,
                                {call.in[0], call.in[1], out, addend}, choice, *this, target_);
      made.kernel.comment = name_of(out) + " = " + text_of(Value(&node, 0)) + "\n";
      add_kernel(std::move(made.kernel), std::move(made.buffers), by_kernel);
      std::get<KernelStep>(by_kernel.back().what).addend = addend;
    }
    if (call.adds) by_library.push_back({CopyStep{addend, out}});
    by_library.push_back({std::move(call)});
    allocate(steps);
    const auto append = [&](std::vector<Step>& list) {
      std::move(list.begin(), list.end(), std::back_inserter(steps));
    };
    switch (choice.way) {
      case ProductChoice::Way::kernel: return append(by_kernel);
      case ProductChoice::Way::library: return append(by_library);
      case ProductChoice::Way::by_extent:
        steps.push_back({ChoiceStep{choice.where, std::move(by_kernel), std::move(by_library)}});
    }
  }

  // The body becomes steps over placeholders for its index and states.
  void lower_loop(const Node& node, std::vector<Step>& steps) {
    const Graph& body = *node.attribute("body").body();
    const auto states = static_cast<std::size_t>(node.attribute("states").integer());
    const bool trace = node.attribute("trace").flag();
    LoopStep loop;
    loop.count = stored_buffer(node.input(0));
    std::vector<Value> arguments;
    const auto placeholder = [&](const Type& t, int buffer) {
      const Value v = tensor("state", t.dtype, t.shape).value();
      buffers_[v] = buffer;
      arguments.push_back(v);
    };
    const auto memory = [&](const Type& t) {
      Buffer b;
      b.dtype = t.dtype;
      b.shape = t.shape;
      return add_buffer(std::move(b));
    };
    loop.index = memory({DType::int64, {}});
    placeholder({DType::int64, {}}, loop.index);
    for (std::size_t s = 0; s < states; ++s) {
      const Type& t = node.input(1 + s).type();
      loop.initial.push_back(stored_buffer(node.input(1 + s)));
      loop.current.push_back(memory(t));
      loop.next.push_back(memory(t));
      placeholder(t, loop.current.back());
      loop.result.push_back(buffer_of(Value(&node, static_cast<std::uint32_t>(s))));
      loop.traces.push_back(trace ? buffer_of(Value(&node, static_cast<std::uint32_t>(states + s)))
                                  : -1);
    }
    for (std::size_t i = 1 + states; i < node.operands().size(); ++i)
      arguments.push_back(node.input(i));
    Graph inner;
    inner.outputs = inline_body(body, arguments);
    inner.origins = graph_.origins;
    allocate(steps);
    lower_body(inner, loop);
    steps.push_back({std::move(loop)});
  }

  void lower_body(const Graph& inner, LoopStep& loop) {
    const std::size_t first = module_.dimensions.size();
    for (const Node* n : inner.topological_order())
      for (const Type& t : n->types()) note_dimensions(t.shape);
    read_given(first, loop.body);
    const Fusion* outer_fusion = fusion_;
    const auto outer_continued = std::exchange(continued_, {});
    std::vector<Step>* outer_steps = steps_;
    // A state's new value is made in its buffer where it is made by the body itself, else copied.
    for (std::size_t s = 0; s < inner.outputs.size(); ++s) {
      const Value v = storage_of(inner.outputs[s]);
      if (!is_leaf(v.op()) && !v.is(op::constant) && !buffers_.contains(v))
        buffers_[v] = loop.next[s];
    }
    const Fusion fusion = fuse(inner, Nodes::shared);
    lower_fusion(fusion, loop.body);
    for (std::size_t s = 0; s < inner.outputs.size(); ++s) {
      const int at = stored_buffer(inner.outputs[s]);
      if (at != loop.next[s]) loop.body.push_back({CopyStep{at, loop.next[s]}});
    }
    fusion_ = outer_fusion;
    continued_ = outer_continued;
    steps_ = outer_steps;
  }

  const Graph& graph_;
  const Target& target_;
  std::span<const Node* const> order_;
  ParameterNames names_;
  Module module_;
  std::unordered_multimap<std::size_t, int> slots_;  // of dimensions, by the hash of their atoms
  std::unordered_map<Value, int> buffers_, output_of_;
  std::unordered_map<Value, std::vector<int>> late_;  // slots of dimensions, by where they stand
  std::unordered_map<Value, Value> continued_;        // by the write that goes on in its memory
  std::map<std::pair<const Node*, std::uint32_t>, int> partials_;  // by node and field
  std::unordered_map<const Node*, int> check_numbers_;
  std::vector<int> parameter_buffers_, to_allocate_;
  std::vector<PlanCheck> late_checks_;  // not tested yet
  std::unordered_set<int> known_;       // late dimensions that have been read
  const Fusion* fusion_ = nullptr;
  std::vector<Step>* steps_ = nullptr;
  std::unique_ptr<KernelLowering> kernel_;
  bool last_small_ = false;
  const Node* last_box_of_ = nullptr;
};

}  // namespace

Module lower(const Graph& graph, const Target& target, std::span<const int> donated,
             std::span<const Node* const> order) {
  return Lowerer(graph, target, order).run(donated);
}

}  // namespace gnomon
