// gnomon build: functions in files as libraries for programs in C and C++.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "codegen/toolchain/target.h"
#include "frontend/export/export_library.h"
#include "frontend/files/file.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct BuildArguments {
  std::vector<std::string> models;
  std::string output, depfile, wheel_version = ExportOptions().wheel_version;
  std::vector<std::string> kinds = {"a"}, targets = {"native"}, gradients;
  int opt_level = 2;
  bool json = false;
};

// The inputs and variables that the results of a function need, by their names.
std::vector<std::pair<std::string, Expr>> named_leaves(const SavedGraph& graph) {
  std::vector<Value> roots;
  for (const Output& output : graph.outputs) roots.push_back(output.value.value());
  std::vector<std::pair<std::string, Expr>> leaves;
  for (const Node* node : topological_order(roots))
    if (is_leaf(node->op())) leaves.emplace_back(leaf_name(Value(node, 0)), Expr(Value(node, 0)));
  return leaves;
}

// The first result of a function and its derivatives.
LibraryFunction gradient_of(const SavedGraph& graph, const std::string& path,
                            const std::string& name, const std::vector<std::string>& wanted) {
  if (graph.outputs.empty() || graph.outputs[0].value.rank() != 0)
    throw ValueError(
        fmt::format("build: expected a scalar as the first result of {} for --grad, "
                    "found {}",
                    path,
                    graph.outputs.empty() ? std::string("no result")
                                          : describe(graph.outputs[0].value.value())));
  const auto leaves = named_leaves(graph);
  std::vector<Expr> of;
  for (const std::string& w : wanted) {
    const auto at = std::ranges::find(leaves, w, &std::pair<std::string, Expr>::first);
    if (at == leaves.end()) {
      std::vector<std::string> names;
      for (const auto& leaf : leaves) names.push_back(leaf.first);
      throw ValueError(
          fmt::format("build: expected one of {} for --grad, found {}", fmt::join(names, ", "), w));
    }
    of.push_back(at->second);
  }
  std::vector<Output> outputs = {graph.outputs[0]};
  if (outputs[0].name.empty()) outputs[0].name = "value";
  const std::vector<Expr> slopes = grad(graph.outputs[0].value, of);
  for (std::size_t i = 0; i < of.size(); ++i) outputs.emplace_back("d_" + wanted[i], slopes[i]);
  return {name, inputs_of(graph), std::move(outputs), {}, graph.options};
}

// A path as a rule of make spells it.
std::string in_rule(const std::filesystem::path& path) {
  std::string text;
  for (const char c : path.string()) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

// Tells make and its like what the library was made of.
void write_rule(const std::string& file, const std::vector<std::filesystem::path>& made,
                const std::vector<std::filesystem::path>& read) {
  const auto spelled = [](const std::vector<std::filesystem::path>& paths) {
    std::vector<std::string> texts;
    for (const auto& path : paths) texts.push_back(in_rule(path));
    return texts;
  };
  OutputFile rule(file);
  rule.write(fmt::format("{}: {}\n", fmt::join(spelled(made), " "), fmt::join(spelled(read), " ")));
  rule.finish();
}

int run(const BuildArguments& arguments) {
  Progress progress;
  const std::filesystem::path output = arguments.output;
  const std::string name = output.filename().string();
  std::vector<LibraryFunction> functions;
  std::vector<std::filesystem::path> read;
  const bool one = arguments.models.size() == 1;
  for (const std::string& path : arguments.models) {
    progress.show(fmt::format("reading {}", path));
    const SavedGraph graph = function_in("build", path);
    read.emplace_back(path);
    if (!graph.values.empty()) read.push_back(graph.values);
    const std::string stem = one ? "" : std::filesystem::path(path).stem().string();
    functions.emplace_back(stem, inputs_of(graph), graph.outputs, graph.updates, graph.options);
    if (!arguments.gradients.empty())
      functions.push_back(
          gradient_of(graph, path, one ? "grad" : stem + "_grad", arguments.gradients));
  }
  progress.show(fmt::format("compiling {}", name));
  ExportOptions options;
  options.targets = arguments.targets;
  options.opt_level = arguments.opt_level;
  options.wheel_version = arguments.wheel_version;
  options.ask_for(arguments.kinds);
  const auto paths = write_library(export_library(name, functions, options), output.parent_path(),
                                   arguments.kinds);
  if (!arguments.depfile.empty()) write_rule(arguments.depfile, paths, read);
  progress.clear();
  auto files = nlohmann::ordered_json::array();
  for (const auto& path : paths) files.push_back(path.string());
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"files", files}}).dump(2));
    return done;
  }
  for (const auto& path : paths) fmt::print("{}\n", path.string());
  return done;
}

}  // namespace

void add_build(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon build model.gn -o model", "writes model.h and libmodel.a for this processor"},
      {"gnomon build model.gn -o model --grad w,b --emit a,so",
       "adds model_grad_run, with the derivatives of the first result"},
      {"gnomon build predict.gn train.gn -o net --target x86-64,x86-64-v3,x86-64-v4",
       "two functions with one state, with code for three levels of processors"},
      {"gnomon build model.gn -o model --emit whl --target x86-64-v2,x86-64-v3",
       "a package for Python that needs NumPy alone"},
      {"gnomon build model.gn -o model --target aarch64,aarch64+sve256",
       "code for another architecture"},
  };
  const auto arguments = std::make_shared<BuildArguments>();
  CLI::App& command =
      line.add(line.app, "build",
               "writes a library of functions for programs without Gnomon\n"
               "A header for C and C++, and an object that needs the C library alone. Each file "
               "is one that gn.save or save_function wrote; its name is that of the function, "
               "unless it is the only one.",
               examples);
  command.add_option("MODEL", arguments->models, "files of functions")
      ->required()
      ->type_name("FILE");
  command.add_option("-o,--output", arguments->output, "the library, without an extension")
      ->required()
      ->type_name("FILE");
  std::vector<std::string> kinds;
  for (const std::string_view kind : library_kinds()) kinds.emplace_back(kind);
  command.add_option("--emit", arguments->kinds, "kinds of files beside the header")
      ->delimiter(',')
      ->check(CLI::IsMember(kinds))
      ->capture_default_str();
  command
      .add_option("--target", arguments->targets,
                  "native, LLVM's name of a processor, or levels of an architecture: " +
                      processor_level_names())
      ->delimiter(',')
      ->capture_default_str();
  command
      .add_option("--grad", arguments->gradients,
                  "adds the derivatives of the first result by these inputs or variables")
      ->delimiter(',');
  command
      .add_option("--depfile", arguments->depfile,
                  "writes a rule of make that names the files that were read")
      ->type_name("FILE");
  command.add_option("--wheel-version", arguments->wheel_version, "of the package of Python")
      ->type_name("VERSION")
      ->capture_default_str();
  command.add_option("--opt-level", arguments->opt_level, "of Clang")
      ->check(CLI::Range(0, 3))
      ->capture_default_str();
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
