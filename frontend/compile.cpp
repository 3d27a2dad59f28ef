// compile(): capture, look into the cache, else optimise, lower, emit, build, store; then load.
#include <fmt/format.h>

#include <cctype>
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "codegen/fusion/rematerialize.h"
#include "codegen/module/lower.h"
#include "codegen/module/module_passes.h"
#include "codegen/text/emit.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "frontend/function.h"
#include "frontend/program.h"
#include "ir/graph/leaf.h"
#include "ir/text/text.h"
#include "passes/engine/rule.h"
#include "runtime/cache/cache.h"
#include "runtime/error.h"
#include "runtime/options.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

constexpr std::int64_t largest_constant_by_value = 1024;  // bytes

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

struct Closed {
  Captured captured;
  std::vector<Array> bound;
};

void check_names(const std::vector<Output>& outputs) {
  std::unordered_set<std::string_view> names;
  for (const Output& o : outputs)
    if (!o.name.empty() && !names.insert(o.name).second)
      throw ValueError(
          fmt::format("compile: expected distinct names of outputs, found {} twice", o.name));
}

// 0, 1, 2 and so on, as indices often are: an operation, about which rules know more than about
// elements. Null when the elements are others.
Value as_range(const Array& a) {
  if (a.dtype() != DType::int64 || a.rank() == 0 || a.size() < 2 || !a.is_contiguous()) return {};
  const auto* at = a.data<std::int64_t>();
  for (std::int64_t i = 0; i < a.size(); ++i)
    if (at[i] != i) return {};
  const Expr range = arange(Dim(a.size()));
  return (a.rank() == 1 ? range : reshape(range, Shape(a.shape().begin(), a.shape().end())))
      .value();
}

// Large constants become parameters: the code is the same for any of their values.
Closed close(std::vector<Expr> inputs, const std::vector<Output>& outputs,
             std::vector<Update> updates, const CompileOptions& options) {
  std::vector<Value> values;
  for (const Output& o : outputs) values.push_back(o.value.value());
  for (const Update& u : updates) values.push_back(u.value.value());
  for (const Value& v : values)
    if (!v) throw TypeError("compile: expected expressions as outputs and updates, found none");
  std::unordered_map<Value, Value> replaced;
  for (const Given& g : options.givens) {
    const bool same = g.expression.type().dtype == g.value.type().dtype;
    if (!same || g.expression.rank() != g.value.rank()) {
      const std::string text =
          fmt::format("compile: expected a given value of the dtype and rank of {}, found {}",
                      describe(g.expression.value()), describe(g.value.value()));
      if (!same) throw TypeError(text);
      throw ValueError(text);
    }
    replaced[g.expression.value()] = g.value.value();
  }
  if (!replaced.empty()) values = substitute(values, replaced);
  if (options.default_updates) {
    std::vector<Shared> decided = options.without_default_update;
    for (const Update& u : updates) decided.push_back(u.variable.variable());
    for (auto& [variable, value] : default_updates(values, decided)) {
      values.push_back(value.value());
      updates.push_back({variable, std::move(value)});
    }
  }
  Closed closed;
  replaced.clear();
  for (const Node* node : topological_order(values)) {
    if (&node->op() != &op::constant) continue;
    const Array& a = node->attribute("value").array();
    if (Value range = as_range(a)) {
      replaced[Value(node, 0)] = std::move(range);
      continue;
    }
    if (a.bytes() <= largest_constant_by_value) continue;
    Shape shape(a.shape().begin(), a.shape().end());
    const Expr leaf = tensor(fmt::format("constant_{}", closed.bound.size()), a.dtype(), shape);
    inputs.push_back(leaf);
    closed.bound.push_back(a);
    replaced[Value(node, 0)] = leaf.value();
  }
  if (!replaced.empty()) values = substitute(values, replaced);
  std::vector<Expr> results;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    results.emplace_back(values[i]);
    names.push_back(outputs[i].name);
  }
  std::vector<CaptureUpdate> changes;
  for (std::size_t i = 0; i < updates.size(); ++i)
    changes.push_back({updates[i].variable.value(), values[outputs.size() + i]});
  closed.captured = capture(inputs, results, names, changes);
  return closed;
}

constexpr const char* positions_file = "captured";

// Nodes are known by their position in the captured graph, whatever rewriting makes of them.
Graph with_positions(Graph graph) {
  const auto order = graph.topological_order();
  OriginsByNode positions;
  for (std::size_t i = 0; i < order.size(); ++i)
    positions[order[i]] = {Value(order[i], 0), {{positions_file, static_cast<std::uint32_t>(i)}}};
  graph.origins = std::make_shared<const OriginsByNode>(std::move(positions));
  return graph;
}

// The user's lines in the place of positions.
void tell_lines(std::vector<Firing>& firings, const Graph& captured) {
  const auto order = captured.topological_order();
  for (Firing& firing : firings) {
    std::vector<Origin> lines;
    for (const Origin& place : firing.places) {
      if (place.file != positions_file) {
        lines.push_back(place);  // of a body
        continue;
      }
      const std::span<const Origin> known = captured.origins_of(order[place.line]);
      lines.insert(lines.end(), known.begin(), known.end());
    }
    firing.places = std::move(lines);
  }
}

// The budget with the shapes of all parameters: those of the inputs, of constants, of variables.
std::optional<MemoryBudget> budget_of(const Closed& closed, std::size_t inputs,
                                      const CompileOptions& options) {
  if (!options.memory_budget) return std::nullopt;
  MemoryBudget budget{*options.memory_budget, options.memory_shapes};
  const auto& parameters = closed.captured.graph.parameters;
  if (budget.shapes.empty()) {
    for (std::size_t i = 0; i < inputs; ++i) {
      budget.shapes.emplace_back();
      for (const Dim& d : parameters[i].type.shape) {
        if (!d.is_constant())
          throw ValueError(
              fmt::format("memory_budget: expected memory_shapes, a shape for each input, found an "
                          "open extent in {}: {}",
                          parameters[i].name, parameters[i].type.text()));
        budget.shapes.back().push_back(d.constant());
      }
    }
  }
  if (budget.shapes.size() != inputs)
    throw ValueError(fmt::format("memory_budget: expected shapes of {} inputs, found {}", inputs,
                                 budget.shapes.size()));
  const auto add = [&](const Array& a) {
    budget.shapes.emplace_back(a.shape().begin(), a.shape().end());
  };
  for (const Array& a : closed.bound) add(a);
  for (const Value& leaf : closed.captured.shared) add(shared_of(leaf).get());
  return budget;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream out(path, std::ios::binary);
  out << text;
  if (!out.flush()) throw DeviceError("dump: cannot write " + path.string());
}

// The name of a function as that of a folder: it may be any text, of a loaded file too, and must
// not lead elsewhere.
std::string folder_name(const std::string& name, const std::string& key) {
  std::string folder;
  for (const char c : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       (c == '.' && !folder.empty());
    folder += plain ? c : '_';
  }
  return folder.empty() || folder.size() > 100 ? key.substr(0, 12) : folder;
}

// Where the stages of this compilation are written: a folder of its own in that of GNOMON_DUMP.
std::optional<std::filesystem::path> dump_folder_of(const Program& program,
                                                    const std::string& key) {
  const auto folder = dump_folder();
  if (!folder) return std::nullopt;
  const std::filesystem::path to = std::filesystem::path(*folder) / folder_name(program.name, key);
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (error)
    throw DeviceError(fmt::format("dump: cannot make {}: {}", to.string(), error.message()));
  return to;
}

// The stages as files, for people.
void dump(const std::filesystem::path& to, const Program& program, const Graph& captured) {
  write_file(to / "captured.gn", print_graph(captured));
  write_file(to / "optimized.gn", program.graph_text);
  write_file(to / "module.txt", program.module_text);
  write_file(to / "source.cpp", program.source);
  write_file(to / "rewrites.txt", program.explanation);
}

// Everything from the graph to the bytes of the object.
std::vector<char> build_object(Program& program, const Graph& captured,
                               const CompileOptions& options,
                               const std::optional<MemoryBudget>& budget, const Target& target,
                               const std::string& key, Stopwatch& watch) {
  Context context;
  context.options.level = options.rewrites;
  context.options.disabled_rules = rules_named(options.disabled_rules);
  const auto folder = dump_folder_of(program, key);
  context.trace.record_firings = options.explain || folder.has_value();
  if (folder) context.options.dump_folder = folder->string();
  Graph optimized = optimize(with_positions(captured), context);
  watch.stage("optimize");
  Module module;
  if (budget) {
    MemoryPlan plan = rematerialize(optimized, target, options.donated, *budget);
    optimized = std::move(plan.graph);
    module = std::move(plan.module);
  } else {
    module = lower(optimized, target, options.donated);
  }
  module = run_module_passes(std::move(module), target, context);
  watch.stage("lower");
  std::string comment = options.name.empty() ? "compiled by Gnomon" : options.name;
  const std::vector<Unit> units = emit(module, comment);
  watch.stage("emit");
  program.graph_text = print_graph(optimized);
  program.module_text = module.text();
  for (const Unit& u : units) program.source += fmt::format("// --- {}\n{}\n", u.name, u.text);
  if (context.trace.record_firings) {
    tell_lines(context.trace.firings, captured);
    program.explanation = context.trace.explain();
  }
  if (folder) dump(*folder, program, captured);
  BuildOptions how;
  how.cpu = target.cpu;
  how.opt_level = options.opt_level;
  std::vector<char> object = build_shared_object(units, how);
  watch.stage("build");
  return object;
}

void take_library(Program& program, std::shared_ptr<const Library> library, const Graph& captured) {
  program.read_signature(library->info().signature, library->info().plan_size, captured);
  program.library = std::move(library);
}

// Takes the stored function, if it can be opened and is one of this graph.
void take_stored(Program& program, const Cache& cache, const std::string& key,
                 const std::string& manifest, const Graph& captured) {
  const auto entry = cache.find(key);
  if (!entry) return;
  try {
    if (entry->manifest == manifest)
      return take_library(program, Library::open(entry->file, entry->object), captured);
  } catch (const DeviceError&) {
  }
  cache.remove(key);
}

// Stores a new object and opens it; without a file of its own when the cache is not wanted or not
// to be had, or where nothing can be run from its folder.
std::shared_ptr<const Library> open_new(const Cache* cache, const std::string& key,
                                        const std::string& manifest, std::span<const char> object) {
  if (cache != nullptr) {
    const CacheEntry entry = cache->store(key, manifest, object);
    try {
      if (entry.persistent) return Library::open(entry.file, entry.object);
    } catch (const DeviceError&) {
    }
  }
  return Library::open(object);
}

}  // namespace

Function compile(std::vector<Expr> inputs, std::vector<Output> outputs, std::vector<Update> updates,
                 CompileOptions options) {
  Stopwatch watch;
  check_options(options, inputs.size());
  check_names(outputs);
  const std::size_t arguments = inputs.size();
  std::vector<std::vector<Origin>> origins;
  for (const Expr& input : inputs)
    origins.push_back(input.defined() ? input.value().node().origins() : std::vector<Origin>());
  Closed closed = close(std::move(inputs), outputs, updates, options);
  watch.stage("capture");
  Target target = options.cpu == "native" ? host_target() : target_named(options.cpu);
  if (options.machine) target.machine = *options.machine;
  const Graph& captured = closed.captured.graph;
  const std::optional<MemoryBudget> budget = budget_of(closed, arguments, options);
  const std::string key = cache_key(captured, options, budget, target);
  const Cache cache(options.cache_folder.empty() ? default_cache_folder() : options.cache_folder);
  const std::string manifest =
      nlohmann::json{{"abi", GNOMON_ABI_VERSION}, {"build", build_id()}, {"key", key}}.dump();
  auto program = std::make_shared<Program>();
  program->name = options.name;
  if (options.cache && !options.explain && !dump_folder())
    take_stored(*program, cache, key, manifest, captured);
  program->was_cached = program->library != nullptr;
  watch.stage("find");
  if (!program->library)
    take_library(*program,
                 open_new(options.cache ? &cache : nullptr, key, manifest,
                          build_object(*program, captured, options, budget, target, key, watch)),
                 captured);
  program->captured = std::move(closed.captured.graph);
  program->arguments = arguments;
  program->argument_origins = std::move(origins);
  program->bound = std::move(closed.bound);
  program->results = outputs.size();
  for (const Value& leaf : closed.captured.shared)
    program->shared.push_back({shared_of(leaf), false, false});
  const std::size_t first_shared = arguments + program->bound.size();
  const std::vector<Result>& results = program->captured.results;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const int u = results[i].updates;
    if (u < 0) continue;
    program->outputs[i].updates = u - static_cast<int>(first_shared);
    SharedUse& use = program->shared[static_cast<std::size_t>(program->outputs[i].updates)];
    use.updated = true;
    use.in_place = program->outputs[i].over >= 0;
  }
  program->threads = options.threads;
  program->services = services(options.threads);
  watch.stage("load");
  program->timings = watch.text();
  Function function;
  function.program_ = std::move(program);
  return function;
}

}  // namespace gnomon
