// gnomon run: calls a function in a file with values from files and from the command line.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct RunArguments {
  std::string model, output;
  std::vector<std::string> values;
};

std::string name_of(const SavedInput& input) {
  return input.name.empty() ? leaf_name(input.value.value()) : input.name;
}

// A number of the command line as a value of a scalar input.
Array number_of(const std::string& name, const std::string& text, DType dtype) {
  const char* const end = text.data() + text.size();
  const auto read = [&](auto value) {
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc() || stop != end)
      throw ValueError(fmt::format(
          "run: expected a file .npy or .npz, or a number, for {}, found {}", name, text));
    return value;
  };
  if (dtype == DType::bool_ && (text == "true" || text == "false"))
    return Array::scalar(text == "true");
  return is_integer(dtype) ? Arg(read(std::int64_t{})).array(dtype) : Arg(read(0.0)).array(dtype);
}

// "x.npy", "values.npz" with an array of the input's name, or a number.
Array value_of(const SavedInput& input, const std::string& text) {
  const std::filesystem::path path = text;
  const std::string name = name_of(input), extension = path.extension().string();
  if (extension == ".npy") return load_array(path);
  if (extension == ".npz" || extension == ".safetensors")
    return array_named(load_values(path), name);
  return number_of(name, text, input.value.dtype());
}

// The arguments in the order of the inputs.
std::vector<Array> values_of(const SavedGraph& graph, const std::vector<std::string>& given) {
  std::vector<std::string> names;
  for (const SavedInput& input : graph.inputs) names.push_back(name_of(input));
  std::vector<Array> values(names.size());
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    const auto at = std::ranges::find(names, text.substr(0, equals));
    if (equals == std::string::npos || at == names.end())
      throw ValueError(fmt::format(
          "run: expected NAME=VALUE with one of {}, found {}",
          names.empty() ? "no names" : fmt::format("{}", fmt::join(names, ", ")), text));
    const auto i = static_cast<std::size_t>(at - names.begin());
    values[i] = value_of(graph.inputs[i], text.substr(equals + 1));
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) values[i] = graph.inputs[i].default_value;
    if (!values[i].defined())
      throw ValueError(
          fmt::format("run: no value is given for {}", describe(graph.inputs[i].value.value())));
  }
  return values;
}

std::string result_name(const SavedGraph& graph, std::size_t i) {
  const std::string& name = graph.outputs[i].name;
  return !name.empty() ? name : graph.outputs.size() == 1 ? "result" : fmt::format("result{}", i);
}

void write(const std::string& path, const SavedGraph& graph, const Results& results) {
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
  const Results results = function(values);
  progress.clear();
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
  command.add_option("MODEL", arguments->model, "the file of a function")
      ->required()
      ->type_name("FILE");
  command.add_option("NAME=VALUE", arguments->values, "values of inputs: a file or a number")
      ->type_name("FILE");
  command
      .add_option("-o,--output", arguments->output,
                  "writes the results to a file .npy, .npz or .safetensors")
      ->type_name("FILE");
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
