// Optimises and lowers a captured function.
#include "frontend/lower_function.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "codegen/lower/lower.h"
#include "codegen/module/accesses.h"
#include "codegen/module/module_passes.h"
#include "codegen/module/service.h"
#include "frontend/function_devices.h"
#include "frontend/places.h"
#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "passes/engine/rule.h"
#include "passes/pipeline.h"
#include "runtime/device/cublas_functions.h"
#include "runtime/device/cufft_functions.h"
#include "runtime/device/device_array.h"
#include "runtime/device/device_library.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// The shapes of arguments whose types say them.
std::vector<std::vector<std::int64_t>> declared_shapes(const Closed& closed) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < closed.arguments; ++i) {
    const Parameter& p = closed.graph.parameters[i];
    shapes.emplace_back();
    for (const Dim& d : p.type.shape) {
      if (!d.is_constant())
        throw ValueError(
            fmt::format("memory_budget: expected memory_shapes, a shape for each input, found an "
                        "open extent in {}: {}",
                        p.name, p.type.text()));
      shapes.back().push_back(d.constant());
    }
  }
  return shapes;
}

// "f: 12 rewrites in 5 passes: log1p 3, fma 2".
std::string rewrites_log(const CompileOptions& options, const Trace& trace) {
  std::vector<std::pair<std::string_view, std::uint64_t>> fired;
  std::uint64_t all = 0;
  for (const auto& [rule, count] : trace.rules) {
    if (count.fired == 0) continue;
    fired.emplace_back(rule->name, count.fired);
    all += count.fired;
  }
  std::ranges::sort(fired, [](const auto& a, const auto& b) {
    return std::pair(b.second, a.first) < std::pair(a.second, b.first);
  });
  std::string text = fmt::format("{}: {} rewrites", name_for_log(options), all);
  for (std::size_t i = 0; i < fired.size(); ++i)
    text += fmt::format("{}{} {}", i == 0 ? ": " : ", ", fired[i].first, fired[i].second);
  return text;
}

// The newest architecture that Clang makes PTX for, of which drivers make code for newer ones.
// NVRTC makes code for its own.
std::string architecture_for(const Device& device, const CompileOptions& options) {
  const std::string& own = device.architecture();
  constexpr std::string_view newest = "sm_90";
  if (!own.starts_with("sm_") || options.device_compiler == "nvrtc") return own;
  return std::stoi(own.substr(3)) > 90 ? std::string(newest) : own;
}

// Of several devices the oldest: newer ones make code of its PTX.
std::string architecture_of_all(std::span<const DeviceName> devices,
                                const CompileOptions& options) {
  std::string oldest;
  for (const DeviceName& name : devices) {
    const std::string one = architecture_for(Device::open(name), options);
    if (!oldest.empty() && one != oldest && options.device_compiler == "nvrtc")
      throw ValueError(fmt::format(
          "compile: expected devices of one architecture with device_compiler=\"nvrtc\", found {} "
          "and {}",
          oldest, one));
    // By their numbers: sm_100 is newer than sm_90.
    if (oldest.empty() || one.size() < oldest.size() ||
        (one.size() == oldest.size() && one < oldest))
      oldest = one;
  }
  return oldest;
}

// Whether the host does work on arrays in a step.
bool is_of_host(const Module& module, const Step& step) {
  if (step.asked == of_host) return false;  // the program wants it so
  if (std::holds_alternative<ServiceStep>(step.what)) return !is_on_device(step);
  const auto* kernel = std::get_if<KernelStep>(&step.what);
  return kernel != nullptr && kernel->device == of_host &&
         std::ranges::any_of(kernel->buffers, [&](int b) {
           return b >= 0 && !element_count(module.buffers[static_cast<std::size_t>(b)].shape).is(1);
         });
}

}  // namespace

const Step* work_of_host(const Module& module, const std::vector<Step>& steps) {
  const Step* found = nullptr;
  for (const Step& step : steps) {
    if (is_of_host(module, step)) return &step;
    for_each_inner(step, [&](const std::vector<Step>& inner) {
      if (found == nullptr) found = work_of_host(module, inner);
    });
    if (found != nullptr) break;
  }
  return found;
}

namespace {

// Or whether it becomes products.
bool has_product(const Node* node) {
  constexpr const Op* ops[] = {&op::expm, &op::pinv, &op::solve_discrete_are, &op::matrix_rank};
  const bool multiplies = node->op().step == StepKind::product && is_inexact(node->type().dtype);
  return multiplies || std::ranges::find(ops, &node->op()) != std::end(ops);
}

// Whether there is a library, and it starts; what is done without it, for the log.
template <class Start>
bool does_start(const Start& start, std::string_view otherwise) {
  try {
    return start();
  } catch (const DeviceError& error) {
    if (logs(LogSubject::compile))
      log(LogSubject::compile, fmt::format("{}; {}", error.what(), otherwise));
    return false;
  }
}

bool is_transform(const Node* node) {
  const Op& op = node->op();
  if (op.step == StepKind::routine) return is_fourier(op.routine.kind);
  return &op == &op::fft || &op == &op::rfft || &op == &op::irfft;
}

// What a library of linear algebra has, or what becomes such.
bool is_of_matrices(const Node* node) {
  const Op& op = node->op();
  constexpr const Op* made_of_routines[] = {
      &op::det, &op::slogdet, &op::pinv, &op::matrix_rank, &op::expm, &op::solve_discrete_are};
  return (op.step == StepKind::routine &&
          matrices_of_device(op.routine.kind) != DeviceMatricesOf::none) ||
         std::ranges::find(made_of_routines, &op) != std::end(made_of_routines);
}

template <class Test>
bool any_node(const Graph& graph, const Test& test) {
  return std::ranges::any_of(nodes_with_bodies(graph), test);
}

}  // namespace

Context context_of(const CompileOptions& options, const Target& target,
                   const std::optional<std::filesystem::path>& folder) {
  Context context;
  context.options.level = options.rewrites;
  // On a device products with vectors are sums, and others may be of halves.
  context.options.calls_library = target.calls_library && target.device.empty();
  context.options.multiplies_halves = target.multiplies_halves;
  context.options.disabled_rules = rules_named(options.disabled_rules);
  context.trace.record_firings = options.explain || folder.has_value();
  if (folder) context.options.dump_folder = folder->string();
  return context;
}

Target target_of(const CompileOptions& options, const Graph& graph) {
  if (!is_of_this_architecture(options.cpu))
    throw ValueError(fmt::format(
        "compile: expected a processor of this machine's architecture as cpu, found {}; "
        "export_library compiles for others",
        options.cpu));
  Target target = options.cpu == "native" ? host_target() : target_named(options.cpu);
  if (options.machine) target.machine = *options.machine;
  const std::vector<DeviceName> devices = devices_of(options, graph);
  if (!devices.empty()) {
    const DeviceName& device = devices[0];
    Device& opened = Device::open(device);
    target.device = architecture_of_all(devices, options);
    for (const DeviceName& name : devices) target.devices.push_back(name.text());
    // Opening a library takes a tenth of a second.
    opened.enter();  // which a forked process may not
    target.calls_library =
        any_node(graph, has_product) &&
        does_start([&] { return opened.products() != nullptr; }, "products are kernels");
    // Those of the host are multiplied as float32.
    target.multiplies_halves = target.calls_library && !any_node(graph, [](const Node* node) {
                                 const auto to = transferred_to(Value(node, 0));
                                 return to && to->is_host();
                               });
    target.has_transforms =
        any_node(graph, is_transform) && device_library<Cufft>(device.is_simulated()).is_there;
    target.has_matrices =
        any_node(graph, is_of_matrices) &&
        does_start([&] { return opened.matrices() != nullptr; }, "linear algebra is the host's");
  }
  return target;
}

std::optional<MemoryBudget> memory_budget_of(const CompileOptions& options, const Closed& closed) {
  if (!options.memory_budget) return std::nullopt;
  MemoryBudget budget{*options.memory_budget, options.memory_shapes};
  if (budget.shapes.empty()) budget.shapes = declared_shapes(closed);
  if (budget.shapes.size() != closed.arguments)
    throw ValueError(fmt::format("memory_budget: expected shapes of {} inputs, found {}",
                                 closed.arguments, budget.shapes.size()));
  const auto add = [&](const Array& a) {
    budget.shapes.emplace_back(a.shape().begin(), a.shape().end());
  };
  for (const Array& a : closed.constants) add(a);
  for (const Value& leaf : closed.shared) add(shared_of(leaf).get());
  return budget;
}

Graph optimized_graph(const Closed& closed, const CompileOptions& options, Context& context) {
  Graph optimized = run_passes(closed.graph, context);
  if (options.changes && options.changes->graph)
    optimized = options.changes->graph(optimized, context);
  return optimized;
}

Graph optimized_graph(const Program& program) {
  const CompileOptions& options = program.options;
  const Target target = target_of(options, program.captured);
  Context context = context_of(options, target, std::nullopt);
  Closed closed;
  closed.graph = with_positions(program.captured);
  closed.arguments = program.arguments;
  for (const Array& constant : program.constants) closed.constants.push_back(to_host(constant));
  Graph optimized = optimized_graph(closed, options, context);
  std::optional<MemoryBudget> budget = memory_budget_of(options, closed);
  if (!budget) return optimized;
  for (const SharedUse& s : program.shared) {
    const std::span<const std::int64_t> shape = s.variable.shape();
    budget->shapes.emplace_back(shape.begin(), shape.end());
  }
  return rematerialize(optimized, target, options.donated, *budget).graph;
}

LoweredFunction lower_function(const Closed& closed, const CompileOptions& options,
                               const Target& target, const std::optional<MemoryBudget>& budget,
                               const std::optional<std::filesystem::path>& folder,
                               const std::function<void(const char*)>& stage,
                               LoweringRecord* record) {
  Context context = context_of(options, target, folder);
  Decisions* const decisions = record == nullptr ? nullptr : &record->decisions;
  if (record != nullptr) {
    context.decisions = decisions;
    context.trace.record_firings = true;
    context.after_pass = [record, &context](std::string_view pass, const Graph&,
                                            const Graph& after) {
      record->stages.emplace_back(pass, after);
      record->firings_until.push_back(context.trace.firings.size());
    };
  }
  Closed known = closed;
  known.graph = with_positions(std::move(known.graph));
  const Graph optimized = optimized_graph(known, options, context);
  stage("optimize");
  if (logs(LogSubject::rewrite)) log(LogSubject::rewrite, rewrites_log(options, context.trace));
  MemoryPlan plan =
      budget ? rematerialize(optimized, target, options.donated, *budget, decisions)
             : MemoryPlan{optimized, lower(optimized, target, options.donated, {}, decisions)};
  if (record != nullptr && budget) {
    record->stages.emplace_back("rematerialize", plan.graph);
    record->firings_until.push_back(context.trace.firings.size());
  }
  LoweredFunction lowered{
      std::move(plan.graph), run_module_passes(std::move(plan.module), target, context), {}};
  if (options.strict_device && lowered.module.is_on_device())
    if (const Step* const step = work_of_host(lowered.module, lowered.module.steps))
      throw ValueError(
          fmt::format("strict_device: expected work of the device, found {} on the host{}",
                      op_of(*step, closed.graph), lines_of(*step, closed.graph)));
  if (options.changes && options.changes->module) options.changes->module(lowered.module);
  lowered.module.profile = options.profile;
  stage("lower");
  lowered.module.decisions = nullptr;
  if (record != nullptr)
    record->trace = std::move(context.trace);
  else if (context.trace.record_firings)
    lowered.rewrites = context.trace.explain();
  return lowered;
}

}  // namespace gnomon
