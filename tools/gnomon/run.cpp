// gnomon run: calls a function in a file with values from files and from the command line.
#include <fmt/format.h>

#include <memory>

#include "runtime/device/device_array.h"
#include "runtime/error.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/given_values.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct RunArguments {
  std::string model, output;
  std::vector<std::string> values;
};

// The arguments in the order of the inputs.
std::vector<Array> values_of(const SavedGraph& graph, const std::vector<std::string>& given) {
  std::vector<Array> values = given_values("run", graph, given);
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) values[i] = graph.inputs[i].default_value;
    if (!values[i].defined())
      throw ValueError(
          fmt::format("run: no value is given for {}", describe(graph.inputs[i].value.value())));
  }
  return values;
}

void write(const std::string& path, const SavedGraph& graph, const std::vector<Array>& results) {
  if (std::filesystem::path(path).extension() == ".npy") {
    if (results.size() != 1)
      throw ValueError(
          fmt::format("run: expected a file .npz or .safetensors for {} results, found "
                      "{}",
                      results.size(), path));
    return save_array(path, results[0]);
  }
  NamedArrays arrays;
  for (std::size_t i = 0; i < results.size(); ++i)
    arrays.emplace_back(result_name(graph, i), results[i]);
  save_values(path, arrays);
}

int run(const RunArguments& arguments) {
  Progress progress;
  progress.show(fmt::format("reading {}", arguments.model));
  const SavedGraph graph = function_in("run", arguments.model);
  const std::vector<Array> values = values_of(graph, arguments.values);
  progress.show(fmt::format("compiling {}", arguments.model));
  const Function function = compile(inputs_of(graph), graph.outputs, graph.updates, graph.options);
  progress.show("computing");
  const Results made = function(values);
  progress.clear();
  const std::vector<Array> results = to_host(std::span(made.begin(), made.size()));
  if (!arguments.output.empty()) {
    write(arguments.output, graph, results);
    return done;
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::string text = results[i].to_string();
    fmt::print("{}:{}{}\n", result_name(graph, i), text.find('\n') == text.npos ? " " : "\n", text);
  }
  return done;
}

}  // namespace

void add_run(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon run model.gn x=x.npy rate=0.1", "prints the results"},
      {"gnomon run model.gn x=batch.npz -o results.npz",
       "takes the array x of an archive, and writes the results by their names"},
  };
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App& command = line.add(
      line.app, "run",
      "calls a function in a file\n"
      "Values come from files of NumPy or safetensors, numbers from the command line; defaults of "
      "the file need not be given. New values of shared variables are not kept.",
      examples);
  add_model(command, arguments->model);
  command.add_option("NAME=VALUE", arguments->values, "values of inputs: a file or a number")
      ->type_name("FILE");
  command
      .add_option("-o,--output", arguments->output,
                  "writes the results to a file .npy, .npz or .safetensors")
      ->type_name("FILE");
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
