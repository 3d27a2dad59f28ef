// compile(): capture, look into the cache, else optimize, lower, emit and build; then load.
#include "frontend/compile.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "codegen/toolchain/target.h"
#include "frontend/dump.h"
#include "frontend/function_store.h"
#include "frontend/lower_function.h"
#include "frontend/profiled.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "runtime/options.h"

namespace gnomon {

namespace {

// Names and measures the stages of a compilation.
class Stopwatch {
 public:
  void stage(const char* name) {
    const auto now = std::chrono::steady_clock::now();
    text_ += fmt::format("{:<10} {:8.3f} ms\n", name,
                         std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = now;
  }
  const std::string& text() const { return text_; }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::string text_;
};

// The processor, and the constants of the cost model.
Target target_of(const CompileOptions& options) {
  if (!is_of_this_architecture(options.cpu))
    throw ValueError(fmt::format(
        "compile: expected a processor of this machine's architecture as cpu, found {}; "
        "export_library compiles for others",
        options.cpu));
  Target target = options.cpu == "native" ? host_target() : target_named(options.cpu);
  if (options.machine) target.machine = *options.machine;
  return target;
}

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
  Artifact artifact =
      build_artifact(std::move(units), signature_of(lowered.module), closed.constants, how);
  watch.stage("build");
  return {std::move(artifact), std::move(texts)};
}

Function compile_timed(const Closed& closed, CompileOptions options, Stopwatch& watch) {
  options.profile = options.profile || profiles_all();
  const Target target = target_of(options);
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
  watch.stage("load");
  program->timings = watch.text();
  if (options.profile) program->profiled = begin_profile(*program);
  return Function(std::move(program));
}

}  // namespace

Function compile(std::vector<Expr> inputs, std::vector<Output> outputs, std::vector<Update> updates,
                 CompileOptions options) {
  Stopwatch watch;
  check_options(options, inputs.size());
  check_names(outputs);
  const Closed closed =
      close_function(std::move(inputs), resolve(std::move(outputs), std::move(updates), options));
  watch.stage("capture");
  return compile_timed(closed, options, watch);
}

Function compile_closed(const Closed& closed, const CompileOptions& options) {
  Stopwatch watch;
  check_options(options, closed.arguments);
  return compile_timed(closed, options, watch);
}

}  // namespace gnomon
