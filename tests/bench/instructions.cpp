// Compiles and calls a fixed list of graphs for AVX2 while callgrind counts: see instructions.py.
//
//   bench_instructions compiler        says what this program was compiled by, and the version of
//                                      Clang that it compiles with
//   bench_instructions fill FOLDER     compiles into the cache in FOLDER, at full speed
//   bench_instructions count FOLDER    under callgrind: two dumps a graph, "build" without the
//                                      C++ compiler, and "call" of what the cache has
//   bench_instructions compile         under callgrind: a dump of some, "compile" by the C++
//                                      compiler alone
#include <fmt/format.h>
#include <gnomon/gnomon.h>
#include <malloc.h>
#include <valgrind/callgrind.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "codegen/lower/lower.h"
#include "codegen/module/module_passes.h"
#include "codegen/text/emit.h"
#include "codegen/toolchain/build.h"
#include "codegen/toolchain/target.h"
#include "ir/graph/graph.h"
#include "passes/pipeline.h"
#include "runtime/threads.h"

namespace {

using namespace gnomon;

constexpr const char* cpu = "x86-64-v3";  // what valgrind can run

// A function and arguments of odd extents, so that tails are counted too. Without arguments: only
// built, because a call would count the matrix library.
struct Entry {
  std::string name;
  std::vector<Expr> inputs;
  std::vector<Output> outputs;
  std::vector<Update> updates;
  std::vector<Array> arguments;
};

template <class T>
Array numbers(Extents shape) {
  std::int64_t n = 1;
  for (const std::int64_t extent : shape) n *= extent;
  std::vector<T> values;
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < n; ++i) {
    state = state * 1664525 + 1013904223;
    values.push_back(static_cast<T>(state >> 8) / static_cast<T>(1 << 22) - 2);
  }
  return Array::from(values, std::move(shape));
}

Expr variance(const Expr& x, int axis) { return mean(square(x - mean(x, axis, keepdims)), axis); }

std::vector<Entry> elementwise() {
  const auto x = vector("x"), y = vector("y");
  const auto f = vector("f", float32);
  const auto t = (1 + x * (0.5 + x * (0.25 + x * 0.125))) / (2 + y * (1 + y * x));
  Expr chain = x;
  for (int i = 0; i < 500; ++i) chain = (i % 3 == 0 ? tanh(chain) : chain) * y + 0.5;
  const Array a = numbers<double>({10007}), b = numbers<double>({10007});
  return {
      {"axpy", {x, y}, {2.5 * x + y}, {}, {a, b}},
      {"small call", {x, y}, {2.5 * x - y}, {}, {numbers<double>({8}), numbers<double>({8})}},
      {"softplus f32", {f}, {log1p(exp(f)) * 2.5f + 1.0f}, {}, {numbers<float>({10007})}},
      {"rational with gradient", {x, y}, {t, grad(sum(t), x)}, {}, {a, b}},
      {"chain of 1000 operations", {x, y}, {chain}, {}, {}},
  };
}

std::vector<Entry> reductions() {
  const auto x = matrix("x");
  const auto f = matrix("f", float32);
  const Array a = numbers<double>({67, 301}), b = numbers<float>({67, 301});
  return {
      {"sum", {x}, {sum(x)}, {}, {a}},
      {"sum of columns", {x}, {sum(x, 0)}, {}, {a}},
      {"sum of rows f32", {f}, {sum(f, 1)}, {}, {b}},
      {"variance of rows", {x}, {variance(x, 1)}, {}, {a}},
      {"variance of columns f32", {f}, {variance(f, 0)}, {}, {b}},
      {"argmax of rows f32", {f}, {argmax(f, 1)}, {}, {b}},
      {"argmax of columns", {x}, {argmax(x, 0)}, {}, {a}},
      {"logsumexp of columns f32", {f}, {logsumexp(f, 0)}, {}, {b}},
      {"softmax f32", {f}, {softmax(f)}, {}, {b}},
      {"softmax f64", {x}, {softmax(x)}, {}, {a}},
      {"layer norm f32",
       {f},
       {(f - mean(f, 1, keepdims)) / sqrt(expand_dims(variance(f, 1), 1) + 1e-5f)},
       {},
       {b}},
  };
}

std::vector<Entry> indices() {
  const auto x = matrix("x"), y = matrix("y");
  const auto inner = range(1, -1);
  const auto sides =
      x(until(-2), inner) + x(from(2), inner) + x(inner, until(-2)) + x(inner, from(2));
  const auto gaps = x(all_of, newaxis, all_of) - y(newaxis, all_of, all_of);
  const auto kernel = sum(exp(-0.5 * sum(square(gaps), 2)));
  const auto rows = vector("rows", int64);
  std::vector<std::int64_t> picks;
  for (std::int64_t i = 0; i < 200; ++i) picks.push_back(i * 31 % 67);
  return {
      {"Laplacian", {x}, {sides - 4.0 * x(inner, inner)}, {}, {numbers<double>({67, 301})}},
      {"Gaussian kernel with gradient",
       {x, y},
       {kernel, grad(kernel, x)},
       {},
       {numbers<double>({41, 5}), numbers<double>({37, 5})}},
      {"rows by index", {x, rows}, {x(rows)}, {}, {numbers<double>({67, 33}), Array::from(picks)}},
  };
}

std::vector<Entry> training() {
  const auto x = matrix("x", float32);
  const auto y = vector("y", int64);
  const auto w = shared(zeros({784, 10}, float32), "w"), b = shared(zeros({10}, float32), "b");
  const auto p = softmax(dot(x, w) + b);
  const auto cost = -mean(log(p)(arange(y.dim(0)), y)) + 1e-4f * sum(square(w));
  const auto [gw, gb] = grad(cost, w, b);
  const auto logits = matrix("logits", float32);
  const auto loss = -mean(log(softmax(logits))(arange(y.dim(0)), y));
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < 203; ++i) labels.push_back(i % 10);
  return {
      {"training step", {x, y}, {cost}, {{w, w - 0.1f * gw}, {b, b - 0.1f * gb}}, {}},
      {"cross-entropy with gradient",
       {logits, y},
       {loss, grad(loss, logits)},
       {},
       {numbers<float>({203, 10}), Array::from(labels)}},
  };
}

std::vector<Entry> all_entries() {
  std::vector<Entry> entries;
  for (auto* make : {elementwise, reductions, indices, training}) {
    for (Entry& e : make()) entries.push_back(std::move(e));
  }
  return entries;
}

CompileOptions options_for(const char* folder) {
  CompileOptions options;
  options.cpu = cpu;
  options.cache_folder = folder;
  options.threads = 1;
  return options;
}

// Counts what `run` does, into a dump with this description. What was freed before is put together
// first: whether that falls into `run` hangs on the names of folders.
void count(const std::string& what, const std::function<void()>& run) {
  malloc_trim(0);
  CALLGRIND_START_INSTRUMENTATION;
  CALLGRIND_ZERO_STATS;
  run();
  CALLGRIND_DUMP_STATS_AT(what.c_str());
  CALLGRIND_STOP_INSTRUMENTATION;
}

// From the expressions to C++.
std::vector<Unit> units_of(const Entry& e) {
  std::vector<Expr> results;
  std::vector<std::string> names;
  for (const Output& o : e.outputs) {
    results.push_back(o.value);
    names.push_back(o.name);
  }
  std::vector<CaptureUpdate> changes;
  for (const Update& u : e.updates) changes.push_back({u.variable.value(), u.value});
  Context context;
  context.options.verify = false;
  const Graph graph = run_passes(capture(e.inputs, results, names, changes).graph, context);
  const Target target = target_named(cpu);
  return emit(run_module_passes(lower(graph, target), target, context), "");
}

// Those whose compilation is counted: a kernel of each kind, as each takes seconds.
const std::set<std::string> compiled = {"small call",         "softmax f32",   "sum of columns",
                                        "argmax of rows f32", "rows by index", "Laplacian"};

// From C++ to the bytes of a shared object.
std::size_t compile_units(const std::vector<Unit>& units) {
  return build_shared_object(units, {.cpu = cpu, .threads = 1}).size();
}

void fill(const char* folder) {
  for (const Entry& e : all_entries()) {
    if (!e.arguments.empty()) compile(e.inputs, e.outputs, e.updates, options_for(folder));
  }
}

void count_all(const char* folder) {
  for (const Entry& e : all_entries()) {
    std::vector<Unit> units;
    count("build " + e.name, [&] { units = units_of(e); });
    if (units.empty()) throw InternalError("no code was emitted for " + e.name);
    if (e.arguments.empty()) continue;
    const Function f = compile(e.inputs, e.outputs, e.updates, options_for(folder));
    if (!f.was_cached()) throw InternalError(e.name + " is not in the cache: fill it first");
    f(std::span<const Array>(e.arguments));  // plans, pages
    count("call " + e.name, [&] { f(std::span<const Array>(e.arguments)); });
  }
}

// Without turns of the instrumentation: each would translate the code of the compiler anew.
void count_compilations() {
  compile_units(units_of(all_entries().front()));  // what is done once: the prelude, tables
  for (const Entry& e : all_entries()) {
    if (!compiled.count(e.name)) continue;
    const std::vector<Unit> units = units_of(e);
    const std::string what = "compile " + e.name;  // is read when the dump is written, later
    CALLGRIND_ZERO_STATS;
    compile_units(units);
    CALLGRIND_DUMP_STATS_AT(what.c_str());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc == 3 ? argv[1] : "";
  if (argc == 2 && std::strcmp(argv[1], "compiler") == 0)
    return std::puts(__VERSION__ "\n" GNOMON_CLANG_VERSION), 0;
  set_threads(1);
  try {
    if (argc == 2 && std::strcmp(argv[1], "compile") == 0) return count_compilations(), 0;
    if (mode == "fill") return fill(argv[2]), 0;
    if (mode == "count") return count_all(argv[2]), 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "usage: bench_instructions fill|count FOLDER, or compile\n");
  return 2;
}
