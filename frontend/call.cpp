// A call of a compiled function: bind, plan, run, commit.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <optional>
#include <set>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "frontend/close_function.h"
#include "frontend/debugging/inspection.h"
#include "frontend/function.h"
#include "frontend/profiled.h"
#include "frontend/program.h"
#include "runtime/arrays/representation.h"
#include "runtime/device/device_array.h"
#include "runtime/device/device_call.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "runtime/memory.h"
#include "runtime/place_text.h"
#include "runtime/plan_layout.h"
#include "runtime/profile.h"
#include "runtime/small_vector.h"
#include "runtime/threads.h"

namespace gnomon {

namespace {

alignas(64) char no_elements[64];

void* address(const Array& a) { return a.size() == 0 ? no_elements : a.address(); }

}  // namespace

namespace {

/// In the place of Watched, for calls that nobody watches, of functions without a device.
struct Untimed {
  void end(CallStage) {}
};
template <class Timer>
constexpr bool is_plain = std::is_same_v<Timer, Untimed>;

/// The memory of a call in the devices of its function.
class DeviceCalls {
 public:
  /// The call on its own device; null: it has none.
  DeviceCall* begin(std::span<const std::shared_ptr<DeviceFunction>> devices) {
    calls_.reserve(devices.size());  // they stay where they are
    for (const auto& device : devices)
      calls_.emplace_back(*device, std::span(calls_.data(), devices.size()));
    return calls_.empty() ? nullptr : calls_.data();
  }

 private:
  std::vector<DeviceCall> calls_;
};

/// What plain calls have in the place of something.
struct Nothing {};

}  // namespace

/// The state of one running call.
struct Call {
  explicit Call(const std::shared_ptr<const Program>& p)
      : program(*p),
        values(p->arguments + p->constants.size() + p->shared.size()),
        buffers(values.size() + p->outputs.size()),
        extents(static_cast<std::size_t>(p->library->info().extents)),
        results(p->results, p) {}

  template <class Timer>
  void bind(std::span<const Array* const> arguments) {
    if (arguments.size() != program.arguments)
      throw TypeError(fmt::format("call: expected {} arguments, found {}", program.arguments,
                                  arguments.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const Type& t = program.captured.parameters[i].type;
      const Array& a = *arguments[i];
      if (!a.defined() || a.dtype() != t.dtype || a.rank() != t.rank()) reject(i, a);
      bind_value<Timer>(i, a);
      if constexpr (!is_plain<Timer>) keeps_results_ = keeps_results_ || a.is_elsewhere();
    }
    for (std::size_t i = 0; i < program.constants.size(); ++i)
      bind_value<Timer>(arguments.size() + i, program.constants[i]);
  }

  /// `value(i)` is that of shared variable i, which must stay.
  template <class Timer, class F>
  void bind_shared(F&& value) {
    const std::size_t first = program.arguments + program.constants.size();
    for (std::size_t i = 0; i < program.shared.size(); ++i) {
      const Array& now = value(i);
      if (now.is_elsewhere())
        bind_elsewhere(first + i, now);
      else
        bind_value<Timer>(first + i, now);
      // A variable that nobody updates stays where it was used last.
      const Array& moved = values[first + i];
      if (moved.defined() && gnomon::device_of(moved) != gnomon::device_of(now) &&
          !program.shared[i].updated)
        program.shared[i].variable.move(now, moved);
    }
  }

  /// The plan of a call with what was bound; ValueError with the failed check.
  const PlanRecord& plan(std::unique_ptr<const PlanRecord>& own) {
    const std::vector<int>& values_needed = program.signature.extent_parameters;
    for (std::size_t i = 0; i < values_needed.size(); ++i)
      extents[filled + i] = *static_cast<const std::int64_t*>(buffers[values_needed[i]]);
    try {
      return program.plan_for(extents, own);
    } catch (const ValueError& e) {
      // The check knows the signature; which shapes came is known here.
      throw_like(e, fmt::format("{}; found {}", e.what(), found()));
    }
  }

  template <class Timer>
  Results run(Transaction* transaction, std::span<const Array* const> arguments,
              std::span<const bool> given, Timer& timer) {
    timer.end(CallStage::arguments);
    std::unique_ptr<const PlanRecord> own;
    const PlanRecord& record = plan(own);
    timer.end(CallStage::plan);
    const std::int64_t* const plan = record.plan.data();
    const std::size_t first = values.size();
    SmallVector<LateOutput, 4> late(program.outputs.size());
    // Outputs, by the device.
    [[maybe_unused]] std::conditional_t<is_plain<Timer>, Nothing, std::vector<Array>> made;
    if constexpr (!is_plain<Timer>) made.resize(program.outputs.size());
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
      const ProgramOutput& o = program.outputs[i];
      if (o.late) {
        late[i].dtype = o.dtype;
        late[i].rank = o.rank;
        if (is_made_on_device<Timer>(i)) late[i].device = &device_of(program.signature.outputs[i]);
        buffers[first + i] = no_elements;
        continue;
      }
      const std::span<const std::int64_t> shape(plan + o.shape_at,
                                                static_cast<std::size_t>(o.rank));
      if constexpr (!is_plain<Timer>)
        if (is_made_on_device<Timer>(i)) {
          const SignatureOutput& output = program.signature.outputs[i];
          made[i] = empty_on(device_of(output), o.dtype, shape, output.name);
          buffers[first + i] = made[i].address();
          continue;
        }
      if (o.updates >= 0)
        buffers[first + i] =
            address(transaction->target(static_cast<std::size_t>(o.updates), shape));
      else if (o.over >= 0 && static_cast<std::size_t>(o.over) < given.size() && given[o.over] &&
               address(*arguments[o.over]) == buffers[o.over])
        buffers[first + i] = address(results.arrays_[i] = *arguments[o.over]);
      else
        buffers[first + i] = address(results.arrays_[i] = Array::of_extents(o.dtype, shape));
    }
    // The pool may grow while the call runs: no more workers than there is memory for.
    const int threads = program.most_threads();
    const std::int64_t bytes = workspace_bytes(record.plan, threads);
    const Workspace workspace(static_cast<std::size_t>(bytes));
    if constexpr (!std::is_same_v<Timer, Untimed>) workspace_ = bytes;
    gnomon_context context(threads, late, program.signature.messages);
    if constexpr (!std::is_same_v<Timer, Untimed>) {
      context.profile = timer.profile();
      context.uses = program.shared;
    }
    [[maybe_unused]] std::conditional_t<is_plain<Timer>, Nothing, DeviceCalls> devices;
    if constexpr (!is_plain<Timer>) context.device = devices.begin(program.devices);
    timer.end(CallStage::outputs);
    const std::int32_t status =
        program.library->run()(&program.services, &context, buffers.data(), plan, workspace.data());
    timer.end(CallStage::run);
    if (status != GNOMON_DONE) explain(status, context);
    if constexpr (!is_plain<Timer>)
      if (!program.devices.empty()) take_from_devices(transaction, made);
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
      const ProgramOutput& o = program.outputs[i];
      if (!o.late) continue;
      if (o.updates >= 0)
        transaction->replace(static_cast<std::size_t>(o.updates), late[i].array);
      else
        results.arrays_[i] =
            is_plain<Timer> || keeps_result(i) ? late[i].array : to_host(late[i].array);
    }
    if constexpr (!is_plain<Timer>)
      for (std::size_t i = 0; i < program.results; ++i) move_result(i);
    return std::move(results);
  }

  /// Bytes of the call's workspace, if it was watched.
  std::int64_t workspace() const { return workspace_; }

 private:
  // Whether the caller gets a result on a device: there are arguments, or the function says so.
  bool keeps_result(std::size_t i) const {
    return keeps_results_ || program.outputs[i].stays.has_value();
  }

  // To where the caller gets it.
  void move_result(std::size_t i) {
    if (!keeps_result(i) || program.devices.empty()) return;
    Array& result = results.arrays_[i];
    const std::optional<DeviceName>& stays = program.outputs[i].stays;
    if (stays && stays->is_host())
      result = to_host(result);
    else
      result = to_device(stays ? Device::open(*stays) : program.devices[0]->device(), result,
                         program.signature.outputs[i].name);
  }

  // What devices made. Results are copied to the host, unless the caller gets arrays there.
  void take_from_devices(Transaction* transaction, std::vector<Array>& made) {
    std::set<Device*> read;
    std::exception_ptr failed;
    const auto attempt = [&](const auto& work) {
      try {
        work();
      } catch (...) {
        if (!failed) failed = std::current_exception();
      }
    };
    for (std::size_t i = 0; i < program.outputs.size(); ++i) {
      if (!made[i].defined()) continue;
      const ProgramOutput& o = program.outputs[i];
      if (o.updates >= 0) {
        transaction->replace(static_cast<std::size_t>(o.updates), std::move(made[i]));
        continue;
      }
      if (keeps_result(i)) {
        results.arrays_[i] = std::move(made[i]);
        continue;
      }
      Device& device = device_of(program.signature.outputs[i]);
      read.insert(&device);
      Array& result = results.arrays_[i] = Array::of_extents(o.dtype, made[i].shape());
      attempt([&] {
        device.download(result.data(), made[i].address(), static_cast<std::size_t>(result.bytes()));
      });
    }
    // What one device copies needs the results' memory, whatever another one says.
    for (Device* const device : read) attempt([&] { device->wait(); });
    if (failed) std::rethrow_exception(failed);
  }

  // Of a function that runs kernels on a device, or an array that is there.
  void bind_elsewhere(std::size_t i, const Array& a) {
    const Device* const there = gnomon::device_of(a);
    const auto is_there = [&](const auto& device) { return &device->device() == there; };
    if (i < program.arguments && there != nullptr &&
        std::ranges::none_of(program.devices, is_there))
      reject_elsewhere(i, a);
    if (const SignatureInput& input = program.signature.inputs[i]; input.device >= 0) {
      values[i] = to_device(device_of(input), a, input.name);
      buffers[i] = values[i].address();
      return add_extents(a);
    }
    const Array here = to_host(a);
    values[i] = is_read_in_place(here) ? here : here.contiguous();
    buffers[i] = address(values[i]);
    add_extents(a);
  }

  void add_extents(const Array& a) {
    for (const std::int64_t n : a.shape()) extents[filled++] = n;
    if (const int parts = native_parts(a.dtype()); parts > 1) extents[filled++] = parts;
  }

  template <class Timer>
  bool is_made_on_device(std::size_t i) const {
    if constexpr (is_plain<Timer>)
      return false;
    else
      return program.signature.outputs[i].device >= 0;
  }

  // Of an input or output that is on one.
  template <class Described>
  Device& device_of(const Described& about) const {
    return program.devices[static_cast<std::size_t>(about.device)]->device();
  }

  template <class Timer>
  void bind_value(std::size_t i, const Array& a) {
    if constexpr (!is_plain<Timer>)
      if (!program.devices.empty()) return bind_elsewhere(i, a);
    if (is_read_in_place(a)) {
      buffers[i] = address(a);
    } else {
      if (a.is_elsewhere()) reject_elsewhere(i, a);
      values[i] = a.contiguous();
      buffers[i] = address(values[i]);
    }
    add_extents(a);
  }

  [[noreturn]] void reject(std::size_t i, const Array& a) const {
    const Parameter& p = program.captured.parameters[i];
    const std::vector<Origin>& made = program.argument_origins[i];
    const std::string text = fmt::format(
        "call: argument {}: expected {}: {}, found {}{}", i, p.name, p.type.text(),
        a.defined() ? a.describe() : "no array", made.empty() ? "" : " [" + made[0].text() + "]");
    if (!a.defined() || a.dtype() != p.type.dtype) throw TypeError(text);
    throw ValueError(text);
  }

  [[noreturn]] void reject_elsewhere(std::size_t i, const Array& a) const {
    std::string devices = program.devices.empty() ? "cpu" : "";
    for (const auto& device : program.devices)
      devices += (devices.empty() ? "" : " or ") + device->device().name().text();
    throw DeviceError(fmt::format(
        "call: argument {}: expected an array on {}, found {}: {} on {}; compile the function for "
        "that device, or copy the array",
        i, devices, program.captured.parameters[i].name, a.describe(),
        gnomon::device_of(a)->name().text()));
  }

  // Names, dtypes and extents of what was bound, with the values that extents are made of.
  std::string found() {
    std::string text;
    bool ones = false;
    const std::vector<int>& values_needed = program.signature.extent_parameters;
    for (std::size_t i = 0, at = 0; i < values.size(); ++i) {
      const Parameter& p = program.captured.parameters[i];
      text += fmt::format("{}{}: {}", i ? ", " : "", p.name, short_name_of(p.type.dtype));
      for (int k = 0; k < p.type.rank(); ++k, ++at) {
        text += fmt::format("{}{}", k ? ", " : "[", extents[at]);
        ones = ones || (extents[at] == 1 && !p.type.shape[k].is(1));
      }
      if (p.type.rank() > 0) text += "]";
      if (native_parts(p.type.dtype) > 1) ++at;
      const auto value = std::find(values_needed.begin(), values_needed.end(), static_cast<int>(i));
      if (value != values_needed.end())
        text += fmt::format(" = {}", extents[filled + (value - values_needed.begin())]);
    }
    // Only an extent declared as 1 is stretched.
    if (ones) text += "; an extent of 1 that is to be repeated must be declared as 1";
    return text;
  }

  [[noreturn]] void explain(std::int32_t status, const gnomon_context& context) const {
    if (context.thrown) std::rethrow_exception(context.thrown);
    if (context.failure().check != 0) program.fail(context.failure());
    if (status == GNOMON_INTERRUPTED) throw Interrupted("call: interrupted");
    const std::string why =
        context.trouble().empty()
            ? (status == GNOMON_NO_MEMORY ? "out of memory" : "a product could not run")
            : context.trouble();
    throw DeviceError("call: " + why);
  }

  const Program& program;
  SmallVector<Array, 8> values;
  SmallVector<void*, 16> buffers;
  SmallVector<std::int64_t, 32> extents;
  std::size_t filled = 0;
  bool keeps_results_ = false;  // on the device
  Results results;
  std::int64_t workspace_;
};

namespace {

// What the call of the user's line returns; errors of the library that name no line name that.
// Those that a callback threw are its own.
template <class Calling>
Results called_at(const Origin& at, const Calling& calling) {
  try {
    return calling();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    const std::type_info& type = typeid(error);
    const bool is_own = type == typeid(ValueError) || type == typeid(TypeError) ||
                        type == typeid(IndexError) || type == typeid(DeviceError);
    if (!is_own || !is_file_of_user(at.file) || ends_with_place(text)) throw;
    throw_like(error, fmt::format("{} [{}]", text, at.text()));
  }
}

}  // namespace

Results Function::operator()(std::span<const Array> arguments, std::source_location at) const {
  SmallVector<const Array*, 8> list(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) list[i] = &arguments[i];
  return called_at({at.file_name(), at.line()}, [&] { return call(list); });
}

Results Function::call_with(std::span<const CallArgument* const> arguments) const {
  return called_at(arguments[0]->origin_, [&] {
    SmallVector<Array, 8> numbers(arguments.size());
    SmallVector<const Array*, 8> list(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const CallArgument& argument = *arguments[i];
      if (argument.number_) numbers[i] = number(i, *argument.number_);
      list[i] = argument.number_ ? &numbers[i] : &argument.array_;
    }
    return call(list);
  });
}

namespace {

template <class Timer>
Results call_timed(const std::shared_ptr<const Program>& program,
                   std::span<const Array* const> arguments, std::span<const bool> given,
                   Timer& timer) {
  Call running(program);
  running.bind<Timer>(arguments);
  if (program->shared.empty()) return running.run(nullptr, arguments, given, timer);
  Transaction transaction(program->shared);
  running.bind_shared<Timer>([&](std::size_t i) -> const Array& { return transaction.value(i); });
  Results results = running.run(&transaction, arguments, given, timer);
  transaction.commit();
  return results;
}

/// Of a call that is watched and perhaps timed.
struct Watched {
  explicit Watched(const Program& program) {
    if (program.profiled) timer.emplace(program.profiled->recorder);
  }
  void end(CallStage stage) {
    if (timer) timer->end(stage);
  }
  gnomon_profile* profile() { return timer ? timer->profile() : nullptr; }

  std::optional<ProfileRecorder::Running> timer;
};

// Values and results of a call, for what looks at them.
void inspect(const Program& program, std::span<const Array* const> arguments,
             const Transaction& transaction, const Results& results) {
  std::vector<Array> inputs, outputs;
  for (const Array* argument : arguments) inputs.push_back(to_host(*argument));
  for (const Array& constant : program.constants) inputs.push_back(to_host(constant));
  for (std::size_t i = 0; i < program.shared.size(); ++i)
    inputs.push_back(to_host(transaction.value(i)));
  for (std::size_t i = 0; i < program.outputs.size(); ++i) {
    const int updates = program.outputs[i].updates;
    outputs.push_back(updates < 0 ? to_host(results[i])
                                  : to_host(transaction.next(static_cast<std::size_t>(updates))));
  }
  program.inspection->look(inputs, outputs, program.most_threads());
}

void log_call(const Program& program, std::span<const Array* const> arguments,
              const Results& results, std::int64_t workspace, double seconds) {
  const std::string_view name = name_for_log(program.options);
  if (logs(LogSubject::call)) {
    std::string given;
    for (std::size_t i = 0; i < arguments.size(); ++i)
      given += fmt::format("{}{}: {}", i == 0 ? "" : ", ", program.captured.parameters[i].name,
                           arguments[i]->describe());
    log(LogSubject::call, fmt::format("{}({}) {:.3f} ms", name, given, 1e3 * seconds));
  }
  if (!logs(LogSubject::memory)) return;
  std::int64_t bytes = 0;
  for (const Array& result : results) bytes += result.bytes();
  log(LogSubject::memory,
      fmt::format("{}: workspace {} bytes, results {} bytes", name, workspace, bytes));
}

// A call that is more than running the code.
Results call_watched(const std::shared_ptr<const Program>& program,
                     std::span<const Array* const> arguments, std::span<const bool> given) {
  const auto begin = std::chrono::steady_clock::now();
  Watched timer(*program);
  Call running(program);
  running.bind<Watched>(arguments);
  Transaction transaction(program->shared);
  running.bind_shared<Watched>([&](std::size_t i) -> const Array& { return transaction.value(i); });
  // What looks at results looks at arguments too, and failed calls leave them as they are.
  Results results = running.run(&transaction, arguments,
                                program->keeps_old_values ? std::span<const bool>() : given, timer);
  if (program->inspection) inspect(*program, arguments, transaction, results);
  transaction.commit();
  timer.end(CallStage::results);
  if (timer.timer) timer.timer->succeed();
  if (program->logs_calls) {
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    log_call(*program, arguments, results, running.workspace(), took.count());
  }
  return results;
}

}  // namespace

Results Function::call(std::span<const Array* const> arguments, std::span<const bool> given) const {
  if (!program().is_plain) return call_watched(program_, arguments, given);
  Untimed timer;
  return call_timed(program_, arguments, given, timer);
}

void Results::reject_count(std::size_t wanted, const std::source_location& at) const {
  const LineScope line(at);
  throw ValueError(fmt::format("call: expected {} outputs, found {}", wanted, size()));
}

std::size_t Results::found(const OutputKey& key) const {
  const LineScope line(key.at_);
  if (!key.name_)
    throw IndexError(
        fmt::format("call: expected one of {} outputs, found number {}", size(), key.number_));
  for (std::size_t i = 0; i < size(); ++i)
    if (program_->captured.results[i].name == *key.name_) return i;
  throw ValueError(fmt::format("call: expected the name of an output, found {}", *key.name_));
}

const Program& Function::program() const {
  if (!program_)
    throw ValueError(
        "function: expected a compiled function, found none: never set, or moved from");
  return *program_;
}

const Program& program_of(const Function& function) { return function.program(); }

Array Function::number(std::size_t i, const Arg& value) const {
  const Program& p = program();
  DType t = value.weak_dtype();
  if (i < p.arguments) {
    const DType wanted = p.captured.parameters[i].type.dtype;
    if (promote_weak(wanted, t) == wanted) t = wanted;
  }
  try {
    return value.array(t);
  } catch (const TypeError& e) {
    throw ValueError(fmt::format("call: argument {}: {}", i, e.what()));
  }
}

bool Function::was_cached() const { return program().was_cached; }
std::string Function::timings() const { return program().timings; }
const std::string& Function::graph_text() const& { return program().texts.graph; }
const std::string& Function::module_text() const& { return program().texts.module; }
const std::string& Function::source() const& { return program().texts.source; }
const std::string& Function::explain() const& { return program().texts.rewrites; }
const std::string& Function::memory_table() const& { return program().signature.memory_table; }
Explanation Function::explanation() const {
  const Program& program = this->program();
  return explain_closed(closed_of(program), program.options);
}
Profile Function::profile() const {
  const Program& program = this->program();
  if (!program.profiled)
    throw ValueError(
        fmt::format("profile: expected a function that was compiled with the option profile, found "
                    "{} without it",
                    program.options.name.empty() ? "one" : program.options.name));
  return Profile({program.profiled});
}

int Function::kernels() const { return program().signature.kernels; }
int Function::products() const { return program().signature.products; }

std::int64_t Function::workspace_bytes(std::span<const Array> arguments) const {
  const Program& program = this->program();
  SmallVector<const Array*, 8> list(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) list[i] = &arguments[i];
  Call call(program_);
  call.bind<Watched>(list);
  std::vector<Array> values;
  for (const SharedUse& s : program.shared) values.push_back(s.variable.get());
  call.bind_shared<Watched>([&](std::size_t i) -> const Array& { return values[i]; });
  std::unique_ptr<const PlanRecord> own;
  const std::vector<std::int64_t>& plan = call.plan(own).plan;
  std::int64_t bytes = gnomon::workspace_bytes(plan, program.most_threads());
  for (std::size_t d = 1; d <= program.devices.size(); ++d) bytes += plan[plan.size() - d];
  return bytes;
}

}  // namespace gnomon
