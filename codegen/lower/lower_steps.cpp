// The steps of a node: a call of a service, or what its kind asks for.
#include "codegen/lower/lower_steps.h"

#include <fmt/format.h>

#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "codegen/fusion/product_operands.h"
#include "codegen/kernels/lower_product.h"
#include "codegen/lower/lower_kernels.h"
#include "codegen/lower/lower_regions.h"
#include "codegen/module/accesses.h"
#include "ir/op/forms.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

// The node is its first operand, in memory of its own only if it is a result.
void add_alias(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const Value v(&node, 0);
  const int from = l.buffers.buffer_behind(node.input(0));
  if (!l.buffers.output_of(v)) return l.buffers.place(v, from);
  const int to = l.buffers.buffer_of(v);
  l.buffers.allocate(steps);
  steps.push_back({CopyStep{from, to}});
}

void add_print(const Node& node, Lowering& l, std::vector<Step>& steps) {
  add_alias(node, l, steps);
  const int shown = l.buffers.buffer_behind(node.input(0));
  if (node.operands().size() > 1) {
    const auto dtype = static_cast<DType>(node.attribute("dtype").integer());
    steps.push_back({PrintStep{shown, -1, l.buffers.buffer_behind(node.input(1)),
                               l.buffers.buffer_behind(node.input(2)), dtype}});
    return;
  }
  l.module.messages.push_back(node.attribute("message").string());
  const int message = static_cast<int>(l.module.messages.size()) - 1;
  steps.push_back({PrintStep{shown, message}});
}

void add_check(const Node& node, Lowering& l, std::vector<Step>& steps) {
  add_alias(node, l, steps);
  const int condition = l.buffers.buffer_behind(node.input(1));
  CheckStep check{condition, l.failures.number_of(node)};
  if (node.operands().size() > 2) {
    check.value = l.buffers.buffer_behind(node.input(2));
    check.bound = l.buffers.buffer_behind(node.input(3));
  }
  steps.push_back({check});
}

// The call of a service that does a node, with its buffers and the number of its check.
ServiceStep service_call(const Node& node, Lowering& l) {
  if (!service_of(node.op().step))
    throw InternalError("lower: no step for " + std::string(node.op().name));
  ServiceStep s = service_step(node);
  for (std::size_t i = 0; i < s.in.size(); ++i) {
    s.in[i] = l.buffers.buffer_behind(read_by_step(node, i, l.target.calls_library));
  }
  // Where a part of an operand lies may be told by other extents than the part has.
  for (const std::vector<Argument>& together : s.arguments)
    for (const Argument& argument : together) {
      if (const auto* d = std::get_if<Dim>(&argument.value)) l.dimensions.note(*d);
      if (const auto* o = std::get_if<Argument::Operand>(&argument.value))
        l.dimensions.note(o->offset);
    }
  for (std::uint32_t k = 0; k < s.out.size(); ++k) s.out[k] = l.buffers.buffer_of(Value(&node, k));
  if (node.op().step == StepKind::routine) {
    const bool transforms = is_fourier(routine_form(node).kind);
    const Target& target = l.target_for(l.asked_of(node));
    if (!(transforms ? target.has_transforms : target.has_matrices)) s.device_entry = {};
  }
  if (s.service->reports && !op_of_routine(node.op()).routine.failure.empty())
    s.check = l.failures.number_of(node);
  return s;
}

void add_service(const Node& node, Lowering& l, std::vector<Step>& steps) {
  ServiceStep call = service_call(node, l);
  const bool is_of_device = !l.target.device.empty() && !call.device_entry.empty();
  if (!l.target.has_runtime && !is_of_device) call.memory = l.buffers.memory_of(call);
  l.buffers.allocate(steps);
  steps.push_back({std::move(call)});
}

void record_product(const Node& node, const Product& p, const ProductChoice& choice,
                    const Lowering& l) {
  std::string reason = fmt::format("{}; it is [{}, {}] by [{}, {}]", choice.reason, p.m.text(),
                                   p.k.text(), p.k.text(), p.n.text());
  for (std::size_t i = 0; i < choice.where.size(); ++i) {
    const ExtentRange& range = choice.where[i];
    reason += fmt::format("{} {} is {} to {}", i == 0 ? ", a kernel where" : " and",
                          range.extent.text(), range.least, range.most);
  }
  l.recording.add("lower", "call of a library", choice.way != ProductChoice::Way::kernel,
                  Value(&node, 0), std::move(reason));
}

void add_product(const Node& node, Lowering& l, std::vector<Step>& steps) {
  ServiceStep call = service_call(node, l);
  const int out = call.out[0];
  const Product p = product_of(node);
  const int addend = call.adds ? l.buffers.buffer_behind(node.input(2)) : -1;
  const Target& target = l.target_for(l.asked_of(node));
  const ProductChoice choice = choose(p, target);
  if (l.recording) record_product(node, p, choice, l);
  const Dim multiply_adds = p.batch * p.m * p.n * p.k;
  std::vector<Step> by_kernel, by_library;
  if (choice.way != ProductChoice::Way::library) {
    ProductKernel made =
        lower_product(fmt::format("k{}", l.module.kernels.size()), p,
                      {call.in[0], call.in[1], out, addend}, choice, l.buffers, target);
    made.kernel.comment =
        l.buffers.name_of(out) + " = " + l.buffers.text_of(Value(&node, 0)) + "\n";
    add_kernel(std::move(made.kernel), std::move(made.buffers), l.module, by_kernel).addend =
        addend;
    by_kernel.back().multiply_adds = multiply_adds;
  }
  if (!l.target.has_runtime && choice.way != ProductChoice::Way::kernel)
    call.memory = l.buffers.memory_of(call);
  if (call.adds) by_library.push_back({CopyStep{addend, out}});
  by_library.push_back({std::move(call)});
  by_library.back().multiply_adds = multiply_adds;
  l.buffers.allocate(steps);
  const auto append = [&](std::vector<Step>& list) {
    std::move(list.begin(), list.end(), std::back_inserter(steps));
  };
  switch (choice.way) {
    case ProductChoice::Way::kernel: return append(by_kernel);
    case ProductChoice::Way::library: return append(by_library);
    case ProductChoice::Way::by_extent:
      steps.push_back({ChoiceStep{.where = choice.where,
                                  .then = std::move(by_kernel),
                                  .otherwise = std::move(by_library)}});
  }
}

// Those of a body that come from nodes of their own have them already.
void note_nodes(std::span<Step> steps, const std::vector<std::uint32_t>& nodes) {
  for (Step& step : steps) {
    if (step.nodes.empty()) step.nodes = nodes;
    for_each_inner(step, [&](std::vector<Step>& inner) { note_nodes(inner, nodes); });
  }
}

// Where the ways of a product run.
void note_asked(std::span<Step> steps, int asked) {
  for (Step& step : steps) {
    step.asked = asked;
    for_each_inner(step, [&](std::vector<Step>& inner) { note_asked(inner, asked); });
  }
}

}  // namespace

void lower_step(const Node& node, Lowering& l, std::vector<Step>& steps) {
  const std::size_t first = steps.size();
  switch (node.op().step) {
    case StepKind::product: add_product(node, l, steps); break;
    case StepKind::loop: lower_loop(node, l, steps); break;
    case StepKind::branch: lower_branch(node, l, steps); break;
    case StepKind::transfer: add_alias(node, l, steps); break;
    case StepKind::print: add_print(node, l, steps); break;
    case StepKind::check: add_check(node, l, steps); break;
    default: add_service(node, l, steps);
  }
  for (std::uint32_t k = 0; k < node.output_count(); ++k)
    if (const Value v(&node, k); l.dimensions.is_extent(v)) l.dimensions.read(v, steps);
  std::vector<std::uint32_t> nodes;
  add_positions(l.graph, node, nodes);
  note_nodes(std::span(steps).subspan(first), without_repeats(std::move(nodes)));
  if (l.devices && regions_of(node).empty())
    note_asked(std::span(steps).subspan(first), l.devices->of(node));
}

}  // namespace gnomon
