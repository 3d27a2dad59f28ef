// Saves and loads functions: what `compile` takes, by way of a file.
#include "frontend/files/function_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "frontend/close_function.h"
#include "frontend/files/graph_file.h"
#include "runtime/error.h"

namespace gnomon {

namespace {

[[noreturn]] void reject(const std::string& path, std::string_view what) {
  throw ValueError(fmt::format("load: {}: {}", path, what));
}

void check_path(const char* who, const std::string& path) {
  if (!path.ends_with(".gn"))
    throw ValueError(fmt::format("{}: expected a path that ends with .gn, found {}", who, path));
}

// How Python hands the results back.
Structure structure_of(const std::vector<Output>& outputs) {
  if (outputs.empty()) return Structure::none;
  if (std::ranges::none_of(outputs, &std::string::empty, &Output::name)) return Structure::dict;
  return outputs.size() == 1 ? Structure::one : Structure::list;
}

// Those of the file where `chosen` has the defaults.
CompileOptions joined(CompileOptions chosen, const CompileOptions& saved) {
  const CompileOptions defaults;
#define GNOMON_TAKE(type, name, value, decides, check, doc) \
  if (Decides::decides == Decides::result && chosen.name == defaults.name) chosen.name = saved.name;
  GNOMON_COMPILE_OPTIONS(GNOMON_TAKE)
#undef GNOMON_TAKE
  if (chosen.name.empty()) chosen.name = saved.name;
  if (chosen.donated.empty()) chosen.donated = saved.donated;
  return chosen;
}

}  // namespace

void save_function(const std::string& path, std::vector<Expr> inputs, std::vector<Output> outputs,
                   std::vector<Update> updates, const CompileOptions& options,
                   ValuesFormat values) {
  check_path("save", path);
  check_options(options, inputs.size());
  SavedGraph graph;
  for (Expr& input : inputs) graph.inputs.push_back({std::move(input)});
  Resolved function = resolve(std::move(outputs), std::move(updates), options);
  graph.outputs = std::move(function.outputs);
  graph.updates = std::move(function.updates);
  graph.structure = structure_of(graph.outputs);
  graph.options = options;
  write_graph(path, graph, values);
}

Function load_function(const std::string& path, CompileOptions options,
                       std::optional<std::int64_t> most_bytes) {
  check_path("load", path);
  SavedGraph graph = read_graph(path, most_bytes);
  if (!graph.is_function)
    reject(path, "expected a function, found expressions, which read_graph reads");
  options = joined(std::move(options), graph.options);
  options.default_updates = false;  // those that there were are among the updates
  try {
    return compile(inputs_of(graph), std::move(graph.outputs), std::move(graph.updates),
                   std::move(options));
  } catch (const TypeError& error) {
    reject(path, error.what());
  } catch (const ValueError& error) {
    reject(path, error.what());
  }
}

}  // namespace gnomon
