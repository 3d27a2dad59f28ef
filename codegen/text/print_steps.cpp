// Prints the steps of a module, one after the other.
#include "codegen/text/print_steps.h"

#include <fmt/format.h>

#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>

#include "codegen/cuda/launch.h"
#include "codegen/module/accesses.h"
#include "codegen/module/held_buffers.h"
#include "codegen/module/operations.h"
#include "codegen/module/profiled_steps.h"
#include "codegen/module/traffic.h"
#include "codegen/text/service_text.h"
#include "runtime/abi.h"
#include "runtime/arrays/representation.h"

namespace gnomon {

namespace {

class StepPrinter {
 public:
  StepPrinter(const Module& module, const std::vector<KernelFunction>& kernels,
              const DeviceKernels& launched, HostNames& names)
      : module_(module), kernels_(kernels), launched_(launched), names_(names) {
    for (const ProfiledStep& s : profiled_steps(module))
      numbers_.emplace(s.step, static_cast<int>(numbers_.size()));
    for (const HeldBuffer& b : held_buffers(module))
      held_.emplace(b.buffer, static_cast<int>(held_.size()));
  }

  // The bytes of buffers whose extents are known when the call begins.
  void print_held() {
    for (std::size_t b = 0; b < module_.buffers.size(); ++b)
      if (!module_.is_late(module_.buffers[b].shape)) note_held(static_cast<int>(b));
  }

  void print(const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      step_ = &s;
      std::visit([this](const auto& what) { print(what); }, s.what);
    }
  }

  std::string text() && { return std::move(text_); }

 private:
  void line(const std::string& text) {
    text_.append(2 * indent_, ' ');
    text_ += text;
    text_ += '\n';
  }

  // The lap of the step that is printed ends here, where calls count their steps.
  void end_lap(const Step& step, const std::string& since = "") {
    const auto number = numbers_.find(&step);
    if (number == numbers_.end()) return;
    const Dim bytes = bytes_touched(module_, step);
    const Dim operations = operations_of(module_, step).count;
    const Dim known = names_.knows(operations) ? operations : Dim(0);
    line(fmt::format("laps.end({}, {}, {}{});", number->second, names_.spelled(bytes),
                     names_.spelled(known), since));
  }

  // How many bytes the buffer has, where calls count. A result in the memory of an argument has
  // none of its own.
  void note_held(int buffer) {
    const auto number = held_.find(buffer);
    if (number == held_.end()) return;
    const Buffer& b = module_.buffers[buffer];
    const int over = b.role == Buffer::Role::output ? module_.over[b.number] : -1;
    std::string bytes = names_.bytes(b);
    if (over >= 0)
      bytes = fmt::format("{} == buffers[{}] ? 0 : {}", names_.buffer(buffer), over, bytes);
    line(fmt::format("laps.holds({}, {});", number->second, bytes));
  }

  // What follows stands inside.
  void open(const std::string& text) {
    line(text);
    ++indent_;
  }

  void close(const std::string& text) {
    --indent_;
    line(text);
  }

  void stop_if(const std::string& condition, gnomon_status status) {
    line(fmt::format("if ({}) return {};", condition, static_cast<int>(status)));
  }

  // What failed before on a device is told too: it may be why.
  void stop_if_failed() {
    if (!launched_.has_checks) return stop_if("call.failed()", GNOMON_CHECK_FAILED);
    open("if (call.failed()) {");
    line("services->device_failed(context);");
    line(fmt::format("return {};", static_cast<int>(GNOMON_CHECK_FAILED)));
    close("}");
  }

  void print(const KernelStep& s) {
    if (s.device != of_host) return launch(s);
    const Kernel& kernel = module_.kernels[s.kernel];
    std::string args = "call, dims";
    for (const int b : s.buffers)
      if (b >= 0) args += ", " + names_.buffer(b);
    for (const std::string& number : kernels_[s.kernel].numbers) args += ", " + number;
    const std::string apart =
        s.apart_from < 0
            ? ""
            : fmt::format("if ({} != {}) ", names_.buffer(s.apart_from), names_.buffer(s.apart_to));
    const bool counts = numbers_.contains(step_);
    if (counts) open(apart + "{");
    line(fmt::format("{}{}({});", counts ? "" : apart, kernels_[s.kernel].symbol, args));
    end_lap(*step_);
    if (counts) close("}");
    if (has_checks(kernel)) stop_if_failed();
  }

  // The addresses of its parameters, then the launch.
  void launch(const KernelStep& s) {
    const Kernel& kernel = module_.kernels[s.kernel];
    const DeviceKernels::Launched& launched = launched_.kernels[s.kernel];
    const Launch grid = launch_of(kernel);
    open(s.apart_from < 0 ? "{"
                          : fmt::format("if ({} != {}) {{", names_.buffer(s.apart_from),
                                        names_.buffer(s.apart_to)));
    const std::string most = "services->device_blocks";
    std::string blocks = most;
    if (grid.blocks)
      blocks = grid.blocks->is(1)
                   ? "1"
                   : fmt::format("gn::minimum<i64>({}, {})", names_.spelled(*grid.blocks), most);
    std::string parameters;
    for (const int slot : launched.dimensions)
      parameters += fmt::format("(void*)&{}, ", names_.dimension(static_cast<std::size_t>(slot)));
    for (std::size_t p = 0; p < s.buffers.size(); ++p)
      if (s.buffers[p] >= 0)
        parameters += fmt::format("(void*){}{}, ", kernel.buffers[p].by_value ? "" : "&",
                                  names_.buffer(s.buffers[p]));
    use(s.device);
    line(fmt::format("const i64 blocks = {};", blocks));
    if (has_scratch(kernel)) {
      line(fmt::format("i64 scratch_bytes = {};", names_.spelled(module_.bytes_per_worker)));
      line("void* scratch = services->device_scratch(context, blocks * scratch_bytes);");
      stop_if("!scratch", GNOMON_NO_MEMORY);
      parameters += "&scratch, &scratch_bytes, ";
    }
    if (has_checks(kernel)) {
      line("void* failure = services->device_failure(context);");
      stop_if("!failure", GNOMON_NO_MEMORY);
      parameters += "&failure, ";
    }
    line(fmt::format("void* const parameters[] = {{{}nullptr}};", parameters));
    stop_if(fmt::format("services->device_launch(context, {}, blocks, {}, parameters)",
                        launched.number, grid.threads),
            GNOMON_SERVICE_FAILED);
    wait_for_lap();
    end_lap(*step_);
    close("}");
  }

  // What is timed is done, not queued.
  void wait_for_lap() {
    if (numbers_.contains(step_)) stop_if("services->device_wait(context)", GNOMON_SERVICE_FAILED);
  }

  void print(const ServiceStep& s) {
    const Service& service = *s.service;
    open("{");
    for (const std::string& text : record_text(s, names_, true)) line(text);
    if (s.device != of_host) {
      use(s.device);
      const bool has_kernel = !s.device_kernel.empty();
      const std::string kernel =
          has_kernel ? fmt::format("{}, ", launched_.routines.at(device_kernel_name(s, names_)))
                     : "";
      const std::string check = has_kernel && service.reports
                                    ? fmt::format(", {}, {}", s.check, names_.spelled(s.bound))
                                    : "";
      stop_if(fmt::format("services->{}(context, {}&{}{})", s.device_entry, kernel, service.name,
                          check),
              GNOMON_SERVICE_FAILED);
      wait_for_lap();
      end_lap(*step_);
      return close("}");
    }
    const std::string done =
        s.memory < 0 ? fmt::format("services->{}(context, &{})", service.entry, service.name)
                     : fmt::format("{}(call, {}, {}, {})", service_function(s, names_),
                                   service.name, names_.buffer(s.memory),
                                   module_.buffers[s.memory].role == Buffer::Role::late);
    stop_if(done + " != 0", GNOMON_SERVICE_FAILED);
    end_lap(*step_);
    if (s.check >= 0) {
      line(fmt::format("call.check({0}, {1}.failed >= 0, {1}.failed, {1}.pivot, {2});", s.check,
                       service.name, names_.spelled(s.bound)));
      stop_if_failed();
    }
    close("}");
  }

  // Copies the bytes of buffer `like`.
  void copy(int from, int to, int like) {
    if (to == from) return;
    const std::string &source = names_.buffer(from), &target = names_.buffer(to);
    const std::string bytes = names_.bytes(module_.buffers[like]);
    const int here = device_of(from), there = device_of(to);
    if (here == of_host && there == of_host)
      return line(
          fmt::format("if ({0} != {1}) __builtin_memcpy({0}, {1}, {2});", target, source, bytes));
    use(there == of_host ? here : there);
    if (here != of_host && there != of_host && here != there)
      return stop_if(fmt::format("services->device_copy_from(context, {}, {}, {}, {})", here,
                                 target, source, bytes),
                     GNOMON_SERVICE_FAILED);
    const char* const direction = here == of_host    ? "GNOMON_TO_DEVICE"
                                  : there == of_host ? "GNOMON_TO_HOST"
                                                     : "GNOMON_IN_DEVICE";
    stop_if(fmt::format("{0} != {1} && services->device_copy(context, {0}, {1}, {2}, {3})", target,
                        source, bytes, direction),
            GNOMON_SERVICE_FAILED);
  }

  void print(const CopyStep& s) {
    copy(s.from, s.to, s.to);
    if (device_of(s.to) != of_host) wait_for_lap();
    end_lap(*step_);
  }

  void print(const DimensionStep& s) {
    line(fmt::format("{} = dims[{}] = {}[0];", names_.dimension(s.slot), s.slot,
                     names_.buffer(s.buffer)));
  }

  void print(const ExtentCheckStep& s) {
    const std::string left = names_.spelled(s.left), right = names_.spelled(s.right);
    line(fmt::format("call.check({0}, {1} != {2}, 0, {1}, {2});", s.number, left, right));
    stop_if_failed();
  }

  // The extents of a shape, then a 0: no array is empty.
  std::string extents_of(const Shape& shape) const {
    std::string text;
    for (const Dim& d : shape) text += names_.spelled(d) + ", ";
    return text + "0";
  }

  void print(const AllocateStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    const std::string& name = names_.buffer(s.buffer);
    const std::string t = memory_name(b.dtype);
    if (b.role == Buffer::Role::output) {
      const std::string extents = names_.fresh("shape_" + name);
      line(fmt::format("const i64 {}[] = {{{}}};", extents, extents_of(b.shape)));
      line(fmt::format("{} = ({}*)services->output(context, {}, {});", name, t, b.number, extents));
    } else {
      const auto kept = kept_.find(s.buffer);
      std::string bytes = b.memory_of ? names_.fresh("bytes") : names_.whole_lines(b);
      if (b.memory_of) {
        line(fmt::format("i64 {}[2];", bytes));
        line(memory_text(b, bytes, names_));
        bytes = fmt::format("{0}[0] + {0}[1] * call.services->threads", bytes);
      }
      use(b.device);
      line(fmt::format("{} = ({}*){}({});", name, t,
                       kept != kept_.end() ? kept->second + ".at_least"
                       : b.is_on_device()  ? "services->device_allocate"
                                           : "call.allocate",
                       (kept != kept_.end() ? "call, "
                        : b.is_on_device()  ? "context, "
                                            : "") +
                           bytes));
    }
    stop_if("!" + name, GNOMON_NO_MEMORY);
    note_held(s.buffer);
    end_lap(*step_);
  }

  void print(const CheckStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    const std::string i = names_.fresh("i");
    const auto number = [&](int buffer, const char* none) -> std::string {
      if (buffer < 0) return none;
      const bool one = module_.buffers[buffer].shape.empty();
      return fmt::format("{}[{}]", names_.buffer(buffer), one ? "0" : i);
    };
    line(fmt::format(
        "for (i64 {0} = 0; {0} < {1}; ++{0}) call.check({2}, {3}[{0}] == 0, {0}, {4}, {5});", i,
        names_.spelled(element_count(b.shape)), s.number, names_.buffer(s.buffer),
        number(s.value, "0"), number(s.bound, "1")));
    end_lap(*step_);
    stop_if_failed();
  }

  void print(const PrintStep& s) {
    const Buffer& b = module_.buffers[s.buffer];
    if (s.callback >= 0) return print_breakpoint(s, b);
    open("{");
    line(fmt::format("const i64 shape[] = {{{}}};", extents_of(b.shape)));
    line(fmt::format("services->print(context, {}, {}, {}, shape, {});", s.message,
                     static_cast<int>(b.dtype), b.shape.size(), names_.buffer(s.buffer)));
    end_lap(*step_);
    close("}");
  }

  void print_breakpoint(const PrintStep& s, const Buffer& b) {
    open(fmt::format("if ({}[0]) {{", names_.buffer(s.condition)));
    // A complex number is a pair in memory; the callback gets it as one.
    Shape shape = b.shape;
    if (native_parts(s.dtype) > 1) shape.pop_back();
    line(fmt::format("const i64 shape[] = {{{}}};", extents_of(shape)));
    stop_if(fmt::format("services->breakpoint(context, {}[0], {}, {}, shape, {}) != 0",
                        names_.buffer(s.callback), static_cast<int>(s.dtype), shape.size(),
                        names_.buffer(s.buffer)),
            GNOMON_SERVICE_FAILED);
    end_lap(*step_);
    close("}");
  }

  int device_of(int b) const { return module_.buffers[static_cast<std::size_t>(b)].device; }
  // What is asked of a device next is asked of this one.
  void use(int device) { text_ += use_of_device(module_, device, std::string(2 * indent_, ' ')); }
  bool is_variable(int b) const { return module_.buffers[b].role == Buffer::Role::variable; }

  // The next value of a state is the current one from now on.
  void step_state(int current, int next) {
    const std::string &to = names_.buffer(current), &from = names_.buffer(next);
    if (is_variable(current) || is_variable(next)) return copy(next, current, current);
    if (current != next)
      line(fmt::format("{{ auto* const last = {0}; {0} = {1}; {1} = last; }}", to, from));
  }

  // What the steps of a loop allocate is one memory for all of them.
  void keep_memory(const std::vector<Step>& steps) {
    for (const Step& step : steps) {
      for_each_inner(step, [&](const std::vector<Step>& inner) { keep_memory(inner); });
      const auto* s = std::get_if<AllocateStep>(&step.what);
      if (s == nullptr || module_.buffers[s->buffer].role != Buffer::Role::late) continue;
      if (kept_.contains(s->buffer)) continue;
      const std::string name = names_.fresh("kept_" + names_.buffer(s->buffer));
      kept_.emplace(s->buffer, name);
      line(fmt::format(
          "gn::KeptMemory {}{{{}}};", name,
          device_of(s->buffer) != of_host ? "services->device_allocate" : "services->allocate"));
    }
  }

  // The rows from the one on at which a loop ended are 0.
  void clear_rest(const LoopStep& s, const LoopStep::Row& row, const std::string& from) {
    const std::string &all = names_.buffer(row.all), &count = names_.buffer(s.count);
    const std::string size = names_.spelled(element_count(module_.buffers[row.one].shape));
    const std::string bytes = fmt::format("({}[0] - {}) * {} * sizeof *{}", count, from, size, all);
    use(device_of(row.all));
    if (device_of(row.all) != of_host)
      stop_if(
          fmt::format("services->device_clear(context, {} + {} * {}, {})", all, from, size, bytes),
          GNOMON_SERVICE_FAILED);
    else
      line(fmt::format("__builtin_memset({} + {} * {}, 0, {});", all, from, size, bytes));
  }

  void print(const LoopStep& s) {
    const Step& loop = *step_;
    const bool counts = numbers_.contains(&loop);
    const std::string begun = counts ? names_.fresh("begun") : "";
    if (counts) line(fmt::format("const i64 {} = laps.last;", begun));
    keep_memory(s.body);
    const std::size_t states = s.current.size();
    for (std::size_t k = 0; k < states; ++k) copy(s.initial[k], s.current[k], s.current[k]);
    for (const int k : s.begun_twice)
      copy(s.initial[static_cast<std::size_t>(k)], s.next[static_cast<std::size_t>(k)],
           s.next[static_cast<std::size_t>(k)]);
    const std::string i = names_.fresh("i");
    const std::string count = names_.buffer(s.count) + "[0]";
    std::string goes_on;
    if (s.while_state >= 0)
      goes_on = fmt::format(" && {}[0]",
                            names_.buffer(s.current[static_cast<std::size_t>(s.while_state)]));
    line(fmt::format("i64 {} = 0;", i));
    const auto ask = [&] { stop_if("services->interrupted(context)", GNOMON_INTERRUPTED); };
    // What is asked between steps may change memory, so that states would leave their registers.
    const std::string end = s.is_brief ? names_.fresh(i + "_end") : count;
    if (s.is_brief) {
      open(fmt::format("while ({} < {}{}) {{", i, count, goes_on));
      ask();
      line(fmt::format("const i64 {} = gn::minimum({} + 1024, {});", end, i, count));
    }
    open(fmt::format("for (; {} < {}{}; {} += {}) {{", i, end, goes_on, i, s.at_once));
    if (!s.is_brief) ask();
    line(fmt::format("{}[0] = {};", names_.buffer(s.index), i));
    for (const LoopStep::Row& row : s.rows)
      line(fmt::format("{} = {} + {} * {};", names_.buffer(row.one), names_.buffer(row.all), i,
                       names_.spelled(element_count(module_.buffers[row.one].shape))));
    if (counts) line("laps.begin();");
    print(s.body);
    for (std::size_t k = 0; k < states; ++k) step_state(s.current[k], s.next[k]);
    close("}");
    if (s.is_brief) close("}");
    if (s.while_state >= 0)
      for (const LoopStep::Row& row : s.rows) clear_rest(s, row, i);
    for (std::size_t k = 0; k < states; ++k) copy(s.current[k], s.result[k], s.current[k]);
    end_lap(loop, ", " + begun);
  }

  void print(const SideBySideStep& s) {
    const Step& group = *step_;
    const bool counts = numbers_.contains(&group);
    open("{");
    std::string names, work, shares;
    for (const auto& branch : s.branches) {
      const std::string name = names_.fresh("branch");
      open(fmt::format("const auto {} = [&](const gn::Call& call) -> i32 {{", name));
      if (counts) line("gn::Laps laps(profile);");
      print(branch.steps);
      line("return 0;");
      close("};");
      names += ", " + name;
      work += (work.empty() ? "" : ", ") + names_.spelled(branch.work);
      shares += (shares.empty() ? "" : ", ") + names_.spelled(branch.shares);
    }
    line(fmt::format("const i64 work[] = {{{}}}, shares[] = {{{}}};", work, shares));
    line(fmt::format("if (const i32 status = call.side_by_side(work, shares{})) return status;",
                     names));
    end_lap(group);
    close("}");
  }

  void print(const ChoiceStep& s) {
    std::string where;
    for (const ExtentRange& r : s.where)
      where += fmt::format("{0}{1} <= {2} && {2} <= {3}", where.empty() ? "" : " && ", r.least,
                           names_.spelled(r.extent), r.most);
    if (s.condition >= 0)
      where += (where.empty() ? "" : " && ") + names_.buffer(s.condition) + "[0]";
    open(fmt::format("if ({}) {{", where));
    print(s.then);
    close("} else {");
    ++indent_;
    print(s.otherwise);
    close("}");
  }

  const Module& module_;
  const std::vector<KernelFunction>& kernels_;  // functions
  const DeviceKernels& launched_;
  HostNames& names_;
  std::unordered_map<int, std::string> kept_;     // the memory of what loops allocate
  std::unordered_map<const Step*, int> numbers_;  // of those that calls count
  std::unordered_map<int, int> held_;             // numbers of buffers whose bytes they note
  const Step* step_ = nullptr;                    // that is printed
  std::string text_;
  std::size_t indent_ = 1;
};

}  // namespace

std::string use_of_device(const Module& module, int device, std::string_view indent) {
  if (device == of_host || module.devices.size() == 1) return {};
  return fmt::format("{}services->device_use(context, {});\n", indent, device);
}

std::string print_steps(const Module& module, const std::vector<KernelFunction>& kernels,
                        const DeviceKernels& launched, HostNames& names) {
  StepPrinter printer(module, kernels, launched, names);
  printer.print_held();
  printer.print(module.steps);
  return std::move(printer).text();
}

}  // namespace gnomon
