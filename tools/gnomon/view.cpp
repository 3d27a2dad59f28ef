// gnomon view: a page that shows the stages of a function.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "frontend/files/file.h"
#include "frontend/view/page.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/given_values.h"
#include "tools/gnomon/saved_function.h"

namespace gnomon {

namespace {

struct ViewArguments {
  std::string model, output;
  std::vector<std::string> values;
};

int run(const ViewArguments& arguments) {
  const CapturedFunction function = captured_in("view", arguments.model);
  ViewOptions options;
  options.name = std::filesystem::path(arguments.model).stem().string();
  std::vector<Array> shared;
  if (!arguments.values.empty()) {
    options.has_values = true;
    options.arguments = given_values("view", function.graph, arguments.values);
    for (std::size_t i = 0; i < options.arguments.size(); ++i)
      if (!options.arguments[i].defined())
        throw ValueError(fmt::format("view: expected a value for each input, found none for {}",
                                     name_of(function.graph.inputs[i])));
    for (const Value& leaf : function.closed.shared) shared.push_back(shared_of(leaf).get());
  }
  const std::string page = view_page(function.closed, function.graph.options, options, shared);
  OutputFile file(arguments.output);
  file.write(page);
  file.finish();
  return done;
}

}  // namespace

void add_view(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon view model.gn -o model.html", "writes a page to open in a browser"},
      {"gnomon view model.gn x=x.npy -o model.html", "shows the ranges of all values, too"},
  };
  const auto arguments = std::make_shared<ViewArguments>();
  CLI::App& command = line.add(
      line.app, "view",
      "writes a page that shows how a function is compiled\n"
      "The page has the graph as it was captured, after each pass that changed it, and as "
      "kernels. It is one file and needs no network. With a value for each input it also has the "
      "least and the greatest element of each value.",
      examples);
  add_model(command, arguments->model);
  command.add_option("NAME=VALUE", arguments->values, "values of inputs: a file or a number")
      ->type_name("FILE");
  command.add_option("-o,--output", arguments->output, "the file to write")
      ->required()
      ->type_name("FILE");
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
