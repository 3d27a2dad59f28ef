// compile(): capture, look into the cache, else optimize, lower, emit and build; then load.
#include "frontend/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "codegen/toolchain/target.h"
#include "frontend/debugging/inspection.h"
#include "frontend/dump.h"
#include "frontend/function_devices.h"
#include "frontend/function_store.h"
#include "frontend/lower_function.h"
#include "frontend/profiled.h"
#include "ir/graph/leaf.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "runtime/linalg/blas.h"
#include "runtime/log.h"
#include "runtime/options.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

// Names and measures the stages of a compilation, and the parts of a stage.
class Stopwatch {
 public:
  void stage(const char* name) {
    const Time now = std::chrono::steady_clock::now();
    text_ += fmt::format("{:<10} {:8.3f} ms\n", name,
                         std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
    if (std::string_view(name) != "build") part(what_it_does(name));
  }
  void part(const char* name) {
    const Time now = std::chrono::steady_clock::now();
    stages_.push_back({name, nanoseconds(last_part_), nanoseconds(now)});
    last_part_ = now;
  }
  const std::string& text() const { return text_; }
  const std::vector<CompileStage>& stages() const { return stages_; }

 private:
  using Time = std::chrono::steady_clock::time_point;

  static std::int64_t nanoseconds(Time t) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(t.time_since_epoch()).count();
  }
  // Traces are for people who do not know the names of the stages' functions.
  static const char* what_it_does(std::string_view name) {
    if (name == "optimize") return "rewrite";
    if (name == "lower") return "fuse";
    return name == "emit" ? "print" : name.data();
  }

  Time last_ = std::chrono::steady_clock::now(), last_part_ = last_;
  std::string text_;
  std::vector<CompileStage> stages_;
};

void check_names(const std::vector<Output>& outputs) {
  std::unordered_set<std::string_view> names;
  for (const Output& o : outputs)
    if (!o.name.empty() && !names.insert(o.name).second)
      throw ValueError(
          fmt::format("compile: expected distinct names of outputs, found {} twice", o.name));
}

// An artifact and the texts of the stages it went through.
struct Made {
  Artifact artifact;
  StageTexts texts;
};

// The stages that a stored function goes without.
Made make(const Closed& closed, const CompileOptions& options, const Target& target,
          const std::optional<MemoryBudget>& budget, const std::string& key, Stopwatch& watch) {
  const auto folder = dump_folder_of(options.name, key);
  const LoweredFunction lowered = lower_function(closed, options, target, budget, folder,
                                                 [&](const char* stage) { watch.stage(stage); });
  std::vector<Unit> units =
      emit(lowered.module, options.name.empty() ? "compiled by Gnomon" : options.name);
  watch.stage("emit");
  StageTexts texts{print_graph(lowered.graph), lowered.module.text(), text(units),
                   lowered.rewrites};
  if (folder) dump(*folder, closed.graph, texts);
  BuildOptions how;
  how.cpu = target.cpu;
  how.opt_level = options.opt_level;
  how.device = target.device;
  how.device_compiler = options.device_compiler;
  how.stage = [&](const char* part) { watch.part(part); };
  Artifact artifact =
      build_artifact(std::move(units), signature_of(lowered.module), closed.constants, how);
  watch.stage("build");
  return {std::move(artifact), std::move(texts)};
}

// What calls have to see to, beside running the code.
void set_watches(Program& program, const CompileOptions& options) {
  program.keeps_old_values = keeps_old_values(program.captured, options);
  program.logs_calls = logs(LogSubject::call) || logs(LogSubject::memory);
  program.is_plain = !program.profiled && !program.keeps_old_values && !program.logs_calls &&
                     program.devices.empty();
  if (program.keeps_old_values)
    for (SharedUse& use : program.shared) use.in_place = false;
}

// "f: from the cache; capture 0.1 ms, find 0.2 ms; 3 kernels, 1 product; 2 threads; OpenBLAS ...".
std::string compile_log(const Program& program) {
  std::string stages;
  std::string_view timings = program.timings;
  while (!timings.empty()) {
    const std::size_t end = std::min(timings.find('\n'), timings.size());
    const std::string_view line = timings.substr(0, end);
    timings.remove_prefix(std::min(end + 1, timings.size()));
    const std::size_t gap = line.find(' '), number = line.find_first_not_of(' ', gap);
    if (gap == std::string_view::npos || number == std::string_view::npos) continue;
    stages += fmt::format("{}{} {}", stages.empty() ? "" : ", ", line.substr(0, gap),
                          line.substr(number));
  }
  std::string text =
      fmt::format("{}: {}; {}; kernels {}, products {}; threads {}", name_for_log(program.options),
                  program.was_cached ? "from the cache" : "compiled", stages,
                  program.signature.kernels, program.signature.products, program.most_threads());
  if (program.signature.products > 0 && program.devices.empty())
    text += fmt::format("; BLAS {}", blas_description());
  return text;
}

Function compile_timed(const Closed& closed, CompileOptions options, Stopwatch& watch) {
  if (options.device.empty()) options.device = device_of_variables(closed);
  options.profile = options.profile || profiles_all();
  if (options.changes) options.cache = false;
  const Target target = target_of(options, closed.graph);
  const std::optional<MemoryBudget> budget = memory_budget_of(options, closed);
  const FunctionStore store(closed, options, budget, target);
  std::shared_ptr<Program> program = store.find(closed);
  const bool was_cached = program != nullptr;
  watch.stage("find");
  if (!was_cached) {
    Made made = make(closed, options, target, budget, store.key(), watch);
    program = load(store.open(made.artifact.object), closed);
    program->texts = std::move(made.texts);
  }
  program->was_cached = was_cached;
  program->options = options;
  program->options.givens.clear();
  program->services = services(options.threads);
  load_device_code(*program, options, target.devices);
  watch.stage("load");
  program->timings = watch.text();
  if (options.profile) program->profiled = begin_profile(*program, watch.stages());
  if (options.nan_guard || options.check)
    program->inspection = std::make_shared<const Inspection>(closed, options);
  set_watches(*program, options);
  if (logs(LogSubject::compile)) log(LogSubject::compile, compile_log(*program));
  return Function(std::move(program));
}

}  // namespace

Function compile(const ExprList& inputs, OutputList outputs, std::vector<Update> updates,
                 CompileOptions options, std::source_location at) {
  const CallPlace call("", at);
  Stopwatch watch;
  check_options(options, inputs.size());
  check_names(outputs);
  const Closed closed = close_function({inputs.begin(), inputs.end()},
                                       resolve(std::move(outputs), std::move(updates), options));
  watch.stage("capture");
  return compile_timed(closed, options, watch);
}

Function compile_closed(const Closed& closed, const CompileOptions& options) {
  Stopwatch watch;
  check_options(options, closed.arguments);
  return compile_timed(closed, options, watch);
}

}  // namespace gnomon
