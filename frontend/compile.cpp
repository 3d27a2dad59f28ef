// compile(): capture, look into the cache, else optimize, lower, emit and build; then load.
#include "frontend/compile.h"

#include <fmt/format.h>

#include <chrono>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "codegen/fusion/rematerialize.h"
#include "codegen/toolchain/target.h"
#include "frontend/dump.h"
#include "frontend/function_store.h"
#include "ir/graph/leaf.h"
#include "ir/text/text.h"
#include "passes/engine/rule.h"
#include "runtime/error.h"

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
  Target target = options.cpu == "native" ? host_target() : target_named(options.cpu);
  if (options.machine) target.machine = *options.machine;
  return target;
}

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

// The memory budget, with the shapes of all parameters: those of the inputs, of constants, of
// variables.
std::optional<MemoryBudget> budget_of(const CompileOptions& options, const Closed& closed) {
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
class Making {
 public:
  Making(const Closed& closed, const CompileOptions& options, const Target& target,
         const std::optional<MemoryBudget>& budget)
      : closed_(closed), options_(options), target_(target), budget_(budget) {}

  Made run(const std::string& key, Stopwatch& watch) const {
    const auto folder = dump_folder_of(options_.name, key);
    Context context = context_of(folder);
    const Graph optimized = optimize(with_positions(closed_.graph), context);
    watch.stage("optimize");
    MemoryPlan lowered = lower_within_budget(optimized);
    lowered.module = run_module_passes(std::move(lowered.module), target_, context);
    watch.stage("lower");
    std::vector<Unit> units =
        emit(lowered.module, options_.name.empty() ? "compiled by Gnomon" : options_.name);
    watch.stage("emit");
    StageTexts texts{print_graph(lowered.graph), lowered.module.text(), text(units), ""};
    if (context.trace.record_firings) texts.rewrites = context.trace.explain();
    if (folder) dump(*folder, closed_.graph, texts);
    BuildOptions how;
    how.cpu = target_.cpu;
    how.opt_level = options_.opt_level;
    Artifact artifact =
        build_artifact(std::move(units), signature_of(lowered.module), closed_.constants, how);
    watch.stage("build");
    return {std::move(artifact), std::move(texts)};
  }

 private:
  Context context_of(const std::optional<std::filesystem::path>& folder) const {
    Context context;
    context.options.level = options_.rewrites;
    context.options.disabled_rules = rules_named(options_.disabled_rules);
    context.trace.record_firings = options_.explain || folder.has_value();
    if (folder) context.options.dump_folder = folder->string();
    return context;
  }

  MemoryPlan lower_within_budget(const Graph& optimized) const {
    if (budget_) return rematerialize(optimized, target_, options_.donated, *budget_);
    return {optimized, lower(optimized, target_, options_.donated)};
  }

  const Closed& closed_;
  const CompileOptions& options_;
  const Target& target_;
  const std::optional<MemoryBudget>& budget_;
};

Function compile_timed(const Closed& closed, const CompileOptions& options, Stopwatch& watch) {
  const Target target = target_of(options);
  const std::optional<MemoryBudget> budget = budget_of(options, closed);
  const FunctionStore store(closed, options, budget, target);
  std::shared_ptr<Program> program = store.find(closed);
  const bool was_cached = program != nullptr;
  watch.stage("find");
  if (!was_cached) {
    Made made = Making(closed, options, target, budget).run(store.key(), watch);
    program = load(store.open(made.artifact.object), closed);
    program->texts = std::move(made.texts);
  }
  program->was_cached = was_cached;
  program->name = options.name;
  program->threads = options.threads;
  program->services = services(options.threads);
  watch.stage("load");
  program->timings = watch.text();
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
