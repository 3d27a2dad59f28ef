// gnomon explain: what becomes of a function in a file on its way to kernels, and why.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontend/compile.h"
#include "frontend/explanation.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "tools/gnomon/cache_text.h"
#include "tools/gnomon/command.h"
#include "tools/gnomon/given_values.h"
#include "tools/gnomon/saved_function.h"

namespace gnomon {

namespace {

struct ExplainArguments {
  std::string model, stage;
  ExplanationFilter filter;
  std::vector<std::string> ranges, extents;
  int points = 100;
  std::uint64_t seed = 1;
  bool accuracy = false, json = false;
};

// What the last pass of the name made.
void print_stage(const Explanation& explanation, const std::string& asked, bool json) {
  const auto stages = explanation.stages();
  std::vector<std::string> names;
  const Graph* found = nullptr;
  for (const auto& [name, graph] : stages) {
    if (name == asked) found = &graph;
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  if (found == nullptr)
    throw ValueError(
        fmt::format("explain: expected a stage that has a graph of its own ({}), found {}",
                    fmt::join(names, ", "), asked));
  const std::string text = print_graph(*found);
  if (json)
    fmt::print("{}\n", object_text({{"stage", asked}, {"graph", text}}));
  else
    fmt::print("{}", text);
}

int run(const ExplainArguments& arguments) {
  const CapturedFunction function = captured_in("explain", arguments.model);
  Explanation explanation = explain_closed(function.closed, function.graph.options);
  if (!arguments.stage.empty()) {
    print_stage(explanation, arguments.stage, arguments.json);
    return done;
  }
  explanation = explanation.only(arguments.filter);
  if (arguments.accuracy) {
    ExplanationSampling sampling{{}, {}, arguments.points, arguments.seed};
    for (const std::string& text : arguments.ranges) {
      const auto [name, value] = name_and_value("explain", text, "--range NAME=LOW:HIGH");
      sampling.ranges.emplace_back(name, range_of("explain", name, value));
    }
    for (const std::string& text : arguments.extents) {
      const auto [name, value] = name_and_value("explain", text, "--extent NAME=NUMBER");
      sampling.extents.emplace_back(name, extent_of("explain", name, value));
    }
    explanation = explanation.with_accuracy(sampling);
  }
  if (arguments.json)
    fmt::print("{}\n", explanation.json());
  else
    fmt::print("{}", explanation.text());
  return done;
}

}  // namespace

void add_explain(CommandLine& line) {
  static constexpr CommandExample examples[] = {
      {"gnomon explain model.gn", "tells each rewrite, each decision and the steps that run"},
      {"gnomon explain model.gn --line model.py:12", "what became of a line"},
      {"gnomon explain model.gn --rule softplus --accuracy --range x=-40:40",
       "what a rule did, and the bits that it saves"},
      {"gnomon explain model.gn --stage simplify", "prints the graph that a pass made"},
  };
  const auto arguments = std::make_shared<ExplainArguments>();
  CLI::App& command = line.add(
      line.app, "explain",
      "tells what becomes of a function in a file, and why\n"
      "Each rewrite with its rule, its lines and its cost; what the compiler decided of loops, "
      "memory and products, with its reasons; the steps that run. Nothing is compiled.",
      examples);
  add_model(command, arguments->model);
  command
      .add_option("--line", arguments->filter.line, "only what is about a line: model.py:12, 12")
      ->type_name("LINE");
  command
      .add_option("--node", arguments->filter.node,
                  "only what is about a node: %3, an operation, an input, a variable or a result")
      ->type_name("NODE");
  command.add_option("--rule", arguments->filter.rule, "only what a rule did")->type_name("RULE");
  command.add_option("--pass", arguments->filter.pass, "only what a pass did or decided")
      ->type_name("PASS");
  CLI::Option* const accuracy = command.add_flag(
      "--accuracy", arguments->accuracy, "tells the bits that are lost before and after rewrites");
  command
      .add_option("--range", arguments->ranges,
                  "draws an input from a range for --accuracy: x=-40:40")
      ->needs(accuracy)
      ->type_name("NAME=RANGE");
  command
      .add_option("--extent", arguments->extents,
                  "an extent of inputs for --accuracy: n=100; 3 for others")
      ->needs(accuracy)
      ->type_name("NAME=NUMBER");
  command.add_option("--samples", arguments->points, "how often inputs are drawn (100)")
      ->needs(accuracy)
      ->check(fault_of_count)
      ->type_name("COUNT");
  command.add_option("--seed", arguments->seed, "of the random numbers (1)")
      ->needs(accuracy)
      ->type_name("NUMBER");
  CLI::Option* const stage =
      command
          .add_option("--stage", arguments->stage,
                      "prints the graph that a pass made, or the captured one, and nothing else")
          ->type_name("PASS");
  stage->excludes(accuracy);
  add_json(command, arguments->json);
  line.runs(command, [arguments] { return run(*arguments); });
}

}  // namespace gnomon
