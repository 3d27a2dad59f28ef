// Plans and failures of compiled functions.
#include "frontend/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "frontend/close_function.h"
#include "frontend/failure_message.h"
#include "frontend/function_devices.h"
#include "ir/graph/leaf.h"
#include "ir/op/representation.h"
#include "runtime/device/device_array.h"
#include "runtime/device/device_call.h"
#include "runtime/error.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

constexpr std::size_t most_plans = 64;

std::string filled(std::string text, const Failure& f) {
  const std::pair<const char*, std::int64_t> fields[] = {
      {"{index}", f.index}, {"{value}", f.value}, {"{bound}", f.bound}};
  for (const auto& [field, value] : fields)
    for (std::size_t at; (at = text.find(field)) != std::string::npos;)
      text.replace(at, std::strlen(field), std::to_string(value));
  return text;
}

}  // namespace

const PlanRecord& Program::plan_for(std::span<const std::int64_t> extents,
                                    std::unique_ptr<const PlanRecord>& own) const {
  const auto matches = [&](const PlanRecord& p) {
    return std::equal(extents.begin(), extents.end(), p.extents.begin());
  };
  if (const PlanRecord* last = last_plan.load(std::memory_order_acquire); last && matches(*last))
    return *last;
  const std::lock_guard lock(plans_mutex);
  for (const auto& p : plans)
    if (matches(*p)) {
      last_plan.store(p.get(), std::memory_order_release);
      return *p;
    }
  auto record = std::make_unique<PlanRecord>();
  record->extents.assign(extents.begin(), extents.end());
  record->plan.resize(library->info().plan_size);
  if (const std::int32_t check = library->plan()(record->extents.data(), record->plan.data()))
    fail({check, 0, 0, 0});
  if (plans.size() >= most_plans) {
    own = std::move(record);
    return *own;
  }
  plans.push_back(std::move(record));
  last_plan.store(plans.back().get(), std::memory_order_release);
  return *plans.back();
}

void Program::fail(const Failure& failure) const {
  const std::vector<FailureText>& known = signature.failures;
  if (failure.check < 1 || failure.check > static_cast<std::int32_t>(known.size()))
    throw InternalError(fmt::format("call: unknown check {}", failure.check));
  const FailureMessage message = failure_message(known[static_cast<std::size_t>(failure.check - 1)],
                                                 captured, argument_origins);
  const std::string text = filled(message.text, failure);
  if (message.is_index) throw IndexError(text);
  throw ValueError(text);
}

int Program::most_threads() const {
  const int most = pool().threads();
  return options.threads > 0 ? std::min(options.threads, most) : most;
}

namespace {

ProgramOutput output(const SignatureOutput& o, const Type& type) {
  const Type native = native_type(type);
  if (o.dtype != native.dtype || o.rank != native.rank())
    reject_signature("found an output of another type");
  ProgramOutput made{};
  made.dtype = type.dtype, made.rank = type.rank();
  made.shape_at = o.shape_at, made.late = o.late, made.over = o.over;
  return made;
}

void check_inputs(const Signature& found, const Graph& of) {
  if (found.inputs.size() != of.parameters.size())
    reject_signature(fmt::format("found {} inputs", found.inputs.size()));
  for (std::size_t i = 0; i < found.inputs.size(); ++i) {
    const Type native = native_type(of.parameters[i].type);
    if (found.inputs[i].dtype != native.dtype || found.inputs[i].rank != native.rank())
      reject_signature("found an input of another type");
  }
  for (const int i : found.extent_parameters) {
    const SignatureInput& input = found.inputs[static_cast<std::size_t>(i)];
    if (input.dtype != DType::int64 || input.rank != 0)
      reject_signature("found an extent that is no integer");
  }
}

// What calls give to the code is as much as it reads.
void check_sizes(const gnomon_info_record& info, const Signature& signature) {
  std::size_t extents = signature.extent_parameters.size();
  for (const SignatureInput& input : signature.inputs)
    extents += static_cast<std::size_t>(input.rank);
  const std::size_t buffers = signature.inputs.size() + signature.outputs.size();
  if (!std::cmp_equal(info.extents, extents))
    reject_signature(fmt::format("found code that reads {} extents", info.extents));
  if (!std::cmp_equal(info.buffers, buffers))
    reject_signature(fmt::format("found code that reads {} buffers", info.buffers));
}

}  // namespace

void Program::take_signature(Signature found) {
  const Graph& of = captured;
  check_inputs(found, of);
  if (found.outputs.size() != of.outputs.size())
    reject_signature(fmt::format("found {} outputs", found.outputs.size()));
  std::vector<ProgramOutput> made;
  for (std::size_t i = 0; i < found.outputs.size(); ++i)
    made.push_back(output(found.outputs[i], of.outputs[i].type()));
  for (const FailureText& f : found.failures)
    if (f.entry_check >= static_cast<int>(of.checks.size()))
      reject_signature(fmt::format("found a failure of check {}", f.entry_check));
  outputs = std::move(made);
  signature = std::move(found);
}

Closed closed_of(const Program& program) {
  Closed closed;
  closed.graph = program.captured;
  closed.arguments = program.arguments;
  closed.results = program.results;
  closed.argument_origins = program.argument_origins;
  for (const Array& constant : program.constants) closed.constants.push_back(to_host(constant));
  for (const SharedUse& use : program.shared) closed.shared.push_back(shared_leaf(use.variable));
  return closed;
}

void load_device_code(Program& program, const CompileOptions& options,
                      std::span<const std::string> devices) {
  const auto* record =
      static_cast<const gnomon_device_record*>(program.library->symbol("gnomon_device"));
  for (const std::string& name : devices)
    program.devices.push_back(std::make_shared<DeviceFunction>(
        Device::open(device_named(name)), record, std::string(name_for_log(options))));
  const auto expect_device = [&](int device) {
    if (device >= std::ssize(program.devices))
      reject_signature(fmt::format("found memory of device {}", device));
  };
  for (const SignatureInput& input : program.signature.inputs) expect_device(input.device);
  for (const SignatureOutput& output : program.signature.outputs) expect_device(output.device);
  if (program.devices.empty()) {
    if (record != nullptr) reject_signature("found kernels for a device");
    return;
  }
  add_device_services(program.services, program.devices[0]->device());
  for (std::size_t i = 0; i < program.constants.size(); ++i) {
    const SignatureInput& input = program.signature.inputs[program.arguments + i];
    if (input.device >= 0)
      program.constants[i] =
          to_device(program.devices[static_cast<std::size_t>(input.device)]->device(),
                    program.constants[i], input.name);
  }
  // What the device writes is an array of its own.
  for (SharedUse& use : program.shared) use.in_place = false;
}

std::shared_ptr<Program> load(std::shared_ptr<const Library> library, const Closed& closed) {
  auto program = std::make_shared<Program>();
  program->captured = closed.graph;
  program->arguments = closed.arguments;
  program->argument_origins = closed.argument_origins;
  program->constants = closed.constants;
  program->results = closed.results;
  for (const Value& leaf : closed.shared) program->shared.push_back({shared_of(leaf)});
  const gnomon_info_record& info = library->info();
  program->take_signature(read_signature(info.signature, info.plan_size));
  check_sizes(info, program->signature);
  program->library = std::move(library);
  program->services = services();
  const auto first_shared = static_cast<int>(closed.arguments + closed.constants.size());
  for (std::size_t i = 0; i < program->outputs.size(); ++i) {
    const int parameter = closed.graph.results[i].updates;
    ProgramOutput& output = program->outputs[i];
    if (parameter < 0) output.stays = transferred_to(closed.graph.outputs[i]);
    if (parameter < 0) continue;
    output.updates = parameter - first_shared;
    SharedUse& use = program->shared[static_cast<std::size_t>(output.updates)];
    use.updated = true;
    use.in_place = output.over >= 0;
  }
  return program;
}

}  // namespace gnomon
