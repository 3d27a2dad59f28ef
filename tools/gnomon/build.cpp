// gnomon build: functions in files as libraries for programs in C and C++.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>

#include "codegen/toolchain/target.h"
#include "frontend/export/export_library.h"
#include "frontend/files/file.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/derived_functions.h"
#include "tools/gnomon/saved_function.h"
#include "tools/gnomon/terminal.h"

namespace gnomon {

namespace {

struct BuildArguments {
  std::vector<std::string> models;
  std::string output, depfile, weights, wheel_version = ExportOptions().wheel_version;
  std::string gpu = ExportOptions().gpu, device_compiler = ExportOptions().device_compiler;
  std::vector<std::string> kinds = {"a"}, targets = {"native"}, extras;
  Derivatives derivatives;
  int opt_level = 2;
  bool json = false;
};

// A path as a rule of make spells it.
std::string in_rule(const std::string& path) {
  std::string text;
  for (const char c : path) {
    if (c == ' ' || c == '#') text += '\\';
    if (c == '$') text += '$';
    text += c;
  }
  return text;
}

// Tells make and its like what the library was made of.
void write_rule(const std::string& file, const std::vector<std::string>& made,
                const std::vector<std::string>& read) {
  const auto spelled = [](const std::vector<std::string>& paths) {
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
  std::vector<std::string> read;
  const bool one = arguments.models.size() == 1;
  for (const std::string& path : arguments.models) {
    progress.show(fmt::format("reading {}", path));
    const SavedGraph graph = function_in("build", path, &read);
    const std::string stem = one ? "" : stem_of(path);
    functions.emplace_back(stem, inputs_of(graph), graph.outputs, graph.updates, graph.options);
    std::ranges::move(derived_functions(graph, path, stem, arguments.derivatives),
                      std::back_inserter(functions));
  }
  progress.show(fmt::format("compiling {}", name));
  ExportOptions options;
  options.targets = arguments.targets;
  options.opt_level = arguments.opt_level;
  options.wheel_version = arguments.wheel_version;
  options.extras = arguments.extras;
  options.gpu = arguments.gpu;
  options.device_compiler = arguments.device_compiler;
  options.separate_weights = !arguments.weights.empty();
  options.ask_for(arguments.kinds);
  const auto paths = write_library(export_library(name, functions, options), output.parent_path(),
                                   arguments.kinds, arguments.weights);
  if (!arguments.depfile.empty()) write_rule(arguments.depfile, paths, read);
  progress.clear();
  auto files = nlohmann::ordered_json::array();
  for (const auto& path : paths) files.push_back(path);
  if (arguments.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"files", files}}).dump(2));
    return done;
  }
  for (const auto& path : paths) fmt::print("{}\n", path);
  return done;
}

}  // namespace

void add_build(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon build model.gn -o model", "writes model.h and libmodel.a for this processor"},
      {"gnomon build model.gn -o model --grad w,b --emit a,so",
       "adds model_grad_run, with the derivatives of the first result"},
      {"gnomon build \"model.py:loss(x: f64[n, 3], w: f64[3])\" -o loss --grad w",
       "traces a function of a program of Python"},
      {"gnomon build predict.gn train.gn -o net --target x86-64,x86-64-v3,x86-64-v4",
       "two functions with one state, with code for three levels of processors"},
      {"gnomon build model.gn -o model --emit so --weights model.weights",
       "arrays in a file that the program maps or reads"},
      {"gnomon build model.gn -o model --emit whl --target x86-64-v2,x86-64-v3",
       "a package for Python that needs NumPy alone"},
      {"gnomon build model.gn -o model --extras fft,lapack",
       "with code for Fourier transforms, and calls of LAPACK"},
      {"gnomon build model.gn -o model --emit cuda,ptx,json --gpu sm_90",
       "the kernels for GPUs, and how they are launched"},
      {"gnomon build model.gn -o model --target cuda:sm_90",
       "a library that runs on a GPU, for arrays in its memory"},
      {"gnomon build model.gn -o model --target aarch64,aarch64+sve256",
       "code for another architecture"},
  };
  const auto arguments = std::make_shared<BuildArguments>();
  CLI::App& command =
      line.add(line.app, "build",
               "writes a library of functions for programs without Gnomon\n"
               "A header for C and C++, and an object that needs the C library alone. Each file "
               "is one that gn.save or save_function wrote, or a program with a function in it; "
               "its name, or that of the function, begins the names in the library unless it is "
               "the only one.",
               examples);
  command.add_option("MODEL", arguments->models, model_help)->required()->type_name("FILE");
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
                  "native, LLVM's name of a processor, levels of an architecture (" +
                      processor_level_names() + "), or a GPU: cuda:sm_90, sim")
      ->delimiter(',')
      ->capture_default_str();
  const auto add = [&](const char* name, std::vector<std::string>& names, const char* doc) {
    command.add_option(name, names, doc)->delimiter(',');
  };
  add("--grad", arguments->derivatives.grad,
      "adds the derivatives of the first result by these inputs or variables");
  add("--jvp", arguments->derivatives.jvp,
      "adds the tangents of the results, given those of these inputs or variables");
  add("--hvp", arguments->derivatives.hvp,
      "adds the Hessian of the first result by these, times a vector");
  add("--vmap", arguments->derivatives.vmap,
      "adds each function over a batch, the first axis of these inputs");
  command
      .add_option("--weights", arguments->weights,
                  "puts weights and first values of variables into this file: the others are the "
                  "same for any of their values")
      ->type_name("FILE");
  command
      .add_option("--depfile", arguments->depfile,
                  "writes a rule of make that names the files that were read")
      ->type_name("FILE");
  command
      .add_option("--extras", arguments->extras,
                  "what the library may have beside its own code: fft, lapack, blas")
      ->delimiter(',');
  command.add_option("--gpu", arguments->gpu, "the architecture of GPUs that PTX is for")
      ->type_name("ARCH")
      ->capture_default_str();
  command.add_option("--device-compiler", arguments->device_compiler, "that makes PTX")
      ->check(CLI::IsMember({"clang", "nvrtc"}))
      ->capture_default_str();
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
