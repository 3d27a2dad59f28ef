// Reads the files that commands work on, and compares what functions take.
#include "tools/gnomon/saved_function.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "tools/gnomon/program.h"

namespace gnomon {

SavedGraph function_in(const char* command, const std::string& path,
                       std::vector<std::string>* read) {
  std::vector<std::string> files;
  SavedGraph graph;
  if (is_program(path)) {
    graph = traced_program(command, path, files);
  } else {
    graph = read_graph(path);
    files.emplace_back(path);
    if (!graph.values.empty()) files.push_back(graph.values);
  }
  if (read) read->insert(read->end(), files.begin(), files.end());
  if (!graph.is_function)
    throw ValueError(
        fmt::format("{}: expected a function in {}, found expressions", command, path));
  return graph;
}

std::string stem_of(const std::string& path) {
  return is_program(path) ? function_name(path) : std::filesystem::path(path).stem().string();
}

std::string name_of(const SavedInput& input) {
  return input.name.empty() ? leaf_name(input.value.value()) : input.name;
}

std::vector<std::string> input_names(const SavedGraph& graph) {
  std::vector<std::string> names;
  for (const SavedInput& input : graph.inputs) names.push_back(name_of(input));
  return names;
}

std::string result_name(const SavedGraph& graph, std::size_t i) {
  const std::string& name = graph.outputs[i].name;
  return !name.empty() ? name : graph.outputs.size() == 1 ? "result" : fmt::format("result{}", i);
}

CapturedFunction captured_in(const char* command, const std::string& path) {
  CapturedFunction function{path, function_in(command, path), {}};
  const SavedGraph& graph = function.graph;
  function.closed =
      close_function(inputs_of(graph), resolve(graph.outputs, graph.updates, graph.options));
  return function;
}

std::vector<std::size_t> same_inputs(const char* command, const CapturedFunction& one,
                                     const CapturedFunction& other) {
  const std::vector<std::string> names = input_names(one.graph), others = input_names(other.graph);
  // Inputs of one name, or without any, are told apart by their order.
  std::vector<bool> taken(names.size(), false);
  std::vector<std::size_t> positions;
  for (const std::string& name : others) {
    std::size_t at = 0;
    while (at < names.size() && (taken[at] || names[at] != name)) ++at;
    if (at == names.size()) break;
    taken[at] = true;
    positions.push_back(at);
  }
  const auto list = [](const std::vector<std::string>& all) {
    return all.empty() ? std::string("none") : fmt::format("{}", fmt::join(all, ", "));
  };
  if (positions.size() != names.size() || names.size() != others.size())
    throw ValueError(fmt::format("{}: expected the same inputs, found {} of {} and {} of {}",
                                 command, list(names), one.path, list(others), other.path));
  for (std::size_t i = 0; i < others.size(); ++i) {
    const Type& a = one.closed.graph.parameters[positions[i]].type;
    const Type& b = other.closed.graph.parameters[i].type;
    if (a.dtype == b.dtype && a.rank() == b.rank()) continue;
    throw ValueError(fmt::format("{}: expected {} of one {}, found {} in {} and {} in {}", command,
                                 others[i], a.dtype == b.dtype ? "rank" : "dtype", a.text(),
                                 one.path, b.text(), other.path));
  }
  return positions;
}

}  // namespace gnomon
