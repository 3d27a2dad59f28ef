// Builds the expressions of derivatives and batches of a function in a file.
#include "tools/gnomon/derived_functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "runtime/error.h"
#include "tools/gnomon/saved_function.h"

namespace gnomon {

namespace {

// A function that is built. The last inputs are tangents of these values.
struct Built {
  std::string name;
  std::vector<Expr> inputs;
  std::vector<Output> outputs;
  std::vector<Expr> tangents_of = {};
};

bool is_among(const std::vector<Expr>& values, const Expr& x) {
  return std::ranges::any_of(values, [&](const Expr& v) { return v.value() == x.value(); });
}

class Deriving {
 public:
  Deriving(const SavedGraph& graph, const std::string& path) : graph_(graph), path_(path) {
    std::vector<Value> roots;
    for (const Output& output : graph.outputs) roots.push_back(output.value.value());
    for (const SavedInput& input : graph.inputs) leaves_.emplace_back(name_of(input), input.value);
    // The shared variables that the results need.
    for (const Node* node : topological_order(roots)) {
      const Value value(node, 0);
      const auto is_same = [&](const auto& leaf) { return leaf.second.value() == value; };
      if (is_leaf(node->op()) && std::ranges::none_of(leaves_, is_same))
        leaves_.emplace_back(leaf_name(value), Expr(value));
    }
  }

  Built itself() const { return {"", inputs_of(graph_), graph_.outputs}; }

  Built gradient(const std::vector<std::string>& names) const {
    const std::vector<Expr> of = named("--grad", names);
    Built made{"grad", inputs_of(graph_), {cost("--grad")}};
    add_slopes(made, names, grad(made.outputs[0].value, of));
    return made;
  }

  Built tangents(const std::vector<std::string>& names) const {
    const std::vector<Expr> of = named("--jvp", names);
    Built made{"jvp", inputs_of(graph_), graph_.outputs};
    const std::vector<Expr> along = add_tangents(made, names, of);
    std::vector<Expr> results;
    for (const Output& output : graph_.outputs) results.push_back(output.value);
    const std::vector<Expr> found = jvp(results, of, along);
    for (std::size_t i = 0; i < found.size(); ++i) {
      made.outputs[i].name = result_name(graph_, i);
      if (found[i].defined()) made.outputs.emplace_back("t_" + made.outputs[i].name, found[i]);
    }
    if (made.outputs.size() == results.size())
      throw ValueError(fmt::format(
          "build: expected floats among the results of {} for --jvp, found none", path_));
    return made;
  }

  Built hessian(const std::vector<std::string>& names) const {
    const std::vector<Expr> of = named("--hvp", names);
    Built made{"hvp", inputs_of(graph_), {cost("--hvp")}};
    const std::vector<Expr> along = add_tangents(made, names, of);
    const std::vector<Expr> slopes = grad(made.outputs[0].value, of);
    const std::vector<Expr> products = jvp(slopes, of, along);
    add_slopes(made, names, slopes);
    for (std::size_t i = 0; i < names.size(); ++i)
      made.outputs.emplace_back("h_" + names[i], products[i]);
    return made;
  }

  // The function over a batch: what is derived by a mapped input has a tangent for each example.
  Built batch(const Built& of, const std::vector<std::string>& names) const {
    const std::vector<Expr> mapped = named("--vmap", names);
    for (std::size_t i = 0; i < names.size(); ++i)
      if (!is_among(inputs_of(graph_), mapped[i]))
        throw ValueError(
            fmt::format("build: expected inputs of {} for --vmap, found the shared variable {}",
                        path_, names[i]));
    Built made{of.name.empty() ? "vmap" : of.name + "_vmap", {}, of.outputs};
    std::vector<Expr> inputs, examples, outputs;
    const Dim count = Dim::symbol("batch");
    const std::size_t own = of.inputs.size() - of.tangents_of.size();
    for (std::size_t i = 0; i < of.inputs.size(); ++i) {
      const Expr& input = of.inputs[i];
      made.inputs.push_back(input);
      if (!is_among(mapped, i < own ? input : of.tangents_of[i - own])) continue;
      const Type& type = input.value().type();
      Shape shape = type.shape;
      shape.insert(shape.begin(), count);
      inputs.push_back(input);
      examples.push_back(tensor(leaf_name(input.value()), type.dtype, std::move(shape)));
      made.inputs.back() = examples.back();
    }
    for (const Output& output : of.outputs) outputs.push_back(output.value);
    const std::vector<Expr> found = vectorize(outputs, inputs, examples);
    for (std::size_t i = 0; i < found.size(); ++i) made.outputs[i].value = found[i];
    return made;
  }

 private:
  std::vector<Expr> named(const char* option, const std::vector<std::string>& names) const {
    std::vector<Expr> found;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto at = std::ranges::find(leaves_, names[i], &std::pair<std::string, Expr>::first);
      if (at == leaves_.end()) {
        std::vector<std::string> known;
        for (const auto& leaf : leaves_) known.push_back(leaf.first);
        throw ValueError(fmt::format("build: expected one of {} for {}, found {}",
                                     fmt::join(known, ", "), option, names[i]));
      }
      if (std::ranges::count(names.begin(), names.begin() + i, names[i]) > 0)
        throw ValueError(
            fmt::format("build: expected distinct names for {}, found {} twice", option, names[i]));
      found.push_back(at->second);
    }
    return found;
  }

  Output cost(const char* option) const {
    if (graph_.outputs.empty() || graph_.outputs[0].value.rank() != 0)
      throw ValueError(fmt::format(
          "build: expected a scalar as the first result of {} for {}, found {}", path_, option,
          graph_.outputs.empty() ? std::string("no result")
                                 : describe(graph_.outputs[0].value.value())));
    Output first = graph_.outputs[0];
    if (first.name.empty()) first.name = "value";
    return first;
  }

  static void add_slopes(Built& made, const std::vector<std::string>& names,
                         const std::vector<Expr>& slopes) {
    for (std::size_t i = 0; i < names.size(); ++i)
      made.outputs.emplace_back("d_" + names[i], slopes[i]);
  }

  // Inputs for the tangents of values, behind the others.
  static std::vector<Expr> add_tangents(Built& made, const std::vector<std::string>& names,
                                        const std::vector<Expr>& of) {
    std::vector<Expr> along;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Type& type = of[i].value().type();
      along.push_back(tensor("t_" + names[i], type.dtype, type.shape));
    }
    made.inputs.insert(made.inputs.end(), along.begin(), along.end());
    made.tangents_of = of;
    return along;
  }

  const SavedGraph& graph_;
  const std::string& path_;
  std::vector<std::pair<std::string, Expr>> leaves_;
};

}  // namespace

std::vector<LibraryFunction> derived_functions(const SavedGraph& graph, const std::string& path,
                                               const std::string& stem, const Derivatives& wanted) {
  const Deriving deriving(graph, path);
  std::vector<Built> made;
  if (!wanted.grad.empty()) made.push_back(deriving.gradient(wanted.grad));
  if (!wanted.jvp.empty()) made.push_back(deriving.tangents(wanted.jvp));
  if (!wanted.hvp.empty()) made.push_back(deriving.hessian(wanted.hvp));
  if (!wanted.vmap.empty()) {
    std::vector<Built> batches = {deriving.batch(deriving.itself(), wanted.vmap)};
    for (const Built& built : made) batches.push_back(deriving.batch(built, wanted.vmap));
    std::ranges::move(batches, std::back_inserter(made));
  }
  std::vector<LibraryFunction> functions;
  for (Built& built : made)
    functions.emplace_back(stem.empty() ? built.name : stem + "_" + built.name,
                           std::move(built.inputs), std::move(built.outputs), std::vector<Update>(),
                           graph.options);
  return functions;
}

}  // namespace gnomon
