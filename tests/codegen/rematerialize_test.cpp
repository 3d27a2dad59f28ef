// Memory budgets: minimum cuts, workspaces that fit, results with equal bits, effects that stay.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/fusion/minimum_cut.h"
#include "frontend/function.h"
#include "frontend/variable.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "runtime/services.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/networks/layers.h"
#include "stdlib/networks/normalization.h"
#include "stdlib/ops.h"
#include "stdlib/random/random.h"
#include "tests/support/compiled_support.h"
#include "tests/support/folder_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// A deep network: inputs and weights as inputs, its cost and the gradient as outputs.
struct Network {
  std::vector<Expr> inputs;
  std::vector<Output> outputs;
  std::vector<Array> arrays;
  std::vector<std::vector<std::int64_t>> shapes;

  Network(int layers, std::int64_t rows, std::int64_t width,
          const std::function<Expr(const Expr&, const Expr&)>& layer) {
    const Expr x = tensor("x", float64, {Dim::symbol("n"), width});
    Samples samples(7);
    const auto add = [&](const Expr& input, std::vector<std::int64_t> shape) {
      inputs.push_back(input);
      arrays.push_back(Array::empty(float64, shape));
      for (std::int64_t i = 0; i < arrays.back().size(); ++i)
        arrays.back().data<double>()[i] = samples.uniform(-1, 1) / std::sqrt(double(width));
      shapes.push_back(std::move(shape));
    };
    add(x, {rows, width});
    std::vector<Expr> weights;
    Expr h = x;
    for (int k = 0; k < layers; ++k) {
      weights.push_back(tensor("w" + std::to_string(k), float64, {width, width}));
      add(weights.back(), {width, width});
      h = layer(h, weights.back());
    }
    const Expr cost = mean(square(h));
    outputs.emplace_back(cost);
    for (const Expr& g : grad(cost, weights)) outputs.emplace_back(g);
  }

  Function compiled(std::optional<std::int64_t> budget = {}) const {
    CompileOptions options;
    options.cache = false;
    options.memory_budget = budget;
    if (budget) options.memory_shapes = shapes;
    return compile(inputs, outputs, {}, options);
  }
};

Expr tanh_layer(const Expr& x, const Expr& w) { return tanh(matmul(x, w)); }
Expr relu_layer(const Expr& x, const Expr& w) { return maximum(matmul(x, w), 0); }
Expr residual_layer(const Expr& x, const Expr& w) { return x + sin(matmul(tanh(x), w)); }
Expr normalized_layer(const Expr& x, const Expr& w) {
  return x + tanh(matmul(nn::layer_norm(x), w));
}
// Along the outer axis: a sum of exponentials goes with its maximum.
Expr softmax_layer(const Expr& x, const Expr& w) { return softmax(matmul(x, w), 0) * 50; }
Expr sorted_layer(const Expr& x, const Expr& w) { return tanh(sort(matmul(x, w))); }
Expr factor_layer(const Expr& x, const Expr& w) {
  const Expr square = matmul(transpose(w), w) + eye(16);
  return tanh(matmul(x, cholesky(square)));
}
Expr random_layer(const Expr& x, const Expr& w) {
  static int k = 0;
  return nn::dropout(random::fold_in(random::state(3), k++), tanh(matmul(x, w)), 0.3);
}
// What a message says that is needed at least.
std::int64_t least_of(const Network& network) {
  std::string message;
  try {
    network.compiled(0);
  } catch (const ValueError& error) {
    message = error.what();
  }
  const std::string before = "expected at least ";
  const auto at = message.find(before);
  REQUIRE(at != std::string::npos);
  return std::stoll(message.substr(at + before.size()));
}

bool same_result_bits(const Results& a, const Results& b) {
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!difference(a[i], b[i], 0).empty()) return false;
  return true;
}

}  // namespace

TEST_CASE("a minimum cut keeps what is cheaper to keep") {
  // 0 -> 1 -> 2 -> 3: all but 0 are needed, and small work makes 2 and 3 of 1.
  std::vector<CutValue> chain = {{{}, 8, 20, false, false},
                                 {{0}, 3, 20, false, true},
                                 {{1}, 8, 1, false, true},
                                 {{2}, 8, 1, false, true}};
  MinimumCut cut = minimum_cut(chain);
  CHECK(cut.kept == std::vector<int>{1});
  CHECK(cut.again == std::vector<int>{2, 3});
  // What is cheap from the start on: nothing is kept.
  for (CutValue& v : chain) v.again = 1;
  cut = minimum_cut(chain);
  CHECK(cut.kept.empty());
  CHECK(cut.again == std::vector<int>{0, 1, 2, 3});
  // What is fixed is kept, or what is made of it.
  chain[0].fixed = true;
  CHECK(minimum_cut(chain).kept == std::vector<int>{1});
  chain[1].fixed = chain[2].fixed = true;
  CHECK(minimum_cut(chain).kept == std::vector<int>{1, 2});
  // At equal cost nothing is computed again.
  const std::vector<CutValue> equal = {{{}, 0, 5, false, false}, {{0}, 5, 5, false, true}};
  CHECK(minimum_cut(equal).again.empty());
  // Two ways that meet: one value behind both, or both.
  std::vector<CutValue> diamond = {{{}, 5, 100, false, false},
                                   {{0}, 2, 1, false, false},
                                   {{0}, 2, 1, false, false},
                                   {{1, 2}, 9, 0, false, true}};
  CHECK(minimum_cut(diamond).kept == std::vector<int>{1, 2});
  diamond[0].keep = 1;
  CHECK(minimum_cut(diamond).kept == std::vector<int>{0});
}

TEST_CASE("a deep network fits half of its workspace and less, with the same bits") {
  for (const auto layer : {tanh_layer, relu_layer, residual_layer}) {
    const Network network(20, 256, 32, layer);
    const Function plain = network.compiled();
    const std::int64_t whole = plain.workspace_bytes(network.arrays);
    const Results wanted = plain(network.arrays);
    CHECK(plain.memory_table().empty());
    for (const double part : {0.8, 0.5, 0.35}) {
      const auto budget = static_cast<std::int64_t>(part * static_cast<double>(whole));
      CAPTURE(part);
      const Function f = network.compiled(budget);
      CAPTURE(f.memory_table());
      CHECK(f.workspace_bytes(network.arrays) <= budget);
      CHECK(same_result_bits(f(network.arrays), wanted));
    }
  }
}

TEST_CASE("the least workspace of all kinds of layers has the same bits, and less fails") {
  struct Row {
    const char* name;
    Expr (*layer)(const Expr&, const Expr&);
    double most;  // of the workspace
  };
  for (const Row& row : {Row{"tanh", tanh_layer, 0.4}, Row{"normalized", normalized_layer, 0.6},
                         Row{"softmax", softmax_layer, 0.9}, Row{"sorted", sorted_layer, 0.5},
                         Row{"factor", factor_layer, 0.5}, Row{"random", random_layer, 0.5}}) {
    const std::string name = row.name;
    CAPTURE(name);
    const Network network(12, 100, 16, row.layer);
    const Function plain = network.compiled();
    const std::int64_t least = least_of(network);
    const Function f = network.compiled(least);
    CAPTURE(f.memory_table());
    CHECK(f.memory_table().find("computed again: 0 values") == std::string::npos);
    CHECK(static_cast<double>(least) <=
          row.most * static_cast<double>(plain.workspace_bytes(network.arrays)));
    CHECK(same_result_bits(f(network.arrays), plain(network.arrays)));
    CHECK_THROWS_AS(network.compiled(least - 1), ValueError);
  }
}

TEST_CASE("what is printed is printed once, in its order") {
  std::vector<std::string> texts;
  set_print_sink([&](const std::string& text) { texts.push_back(text); });
  int k = 0;
  const Network network(8, 64, 16, [&](const Expr& x, const Expr& w) {
    const Expr h = tanh(matmul(x, w));
    return h + 0.125 * print(mean(h), "layer " + std::to_string(k++));
  });
  const Results wanted = network.compiled()(network.arrays);
  const std::vector<std::string> once = std::exchange(texts, {});
  const Function f = network.compiled(least_of(network));
  CHECK(same_result_bits(f(network.arrays), wanted));
  set_print_sink({});
  CHECK(once.size() == 8);
  CHECK(texts == once);
}

TEST_CASE("a training step changes its variables alike") {
  const std::vector<std::int64_t> shape = {64, 64};
  const auto train = [&](std::optional<std::int64_t> budget) {
    const Expr x = tensor("x", float64, {200, 64});
    Samples samples(5);
    std::vector<SharedVariable> variables;
    std::vector<Expr> weights;
    Expr h = x;
    for (int k = 0; k < 10; ++k) {
      variables.push_back(shared(samples.small(float64, shape), "w" + std::to_string(k)));
      weights.push_back(variables.back());
      h = tanh(matmul(h, weights.back() * 0.1));
    }
    std::vector<Update> updates;
    const std::vector<Expr> slopes = grad(mean(square(h)), weights);
    for (std::size_t k = 0; k < weights.size(); ++k)
      updates.push_back({variables[k], weights[k] - 0.1 * slopes[k]});
    CompileOptions options;
    options.cache = false;
    options.memory_budget = budget;
    const Function f = compile({x}, {Output(mean(square(h)))}, updates, options);
    const Array data = samples.small(float64, {200, 64});
    std::vector<Array> found;
    for (int step = 0; step < 3; ++step) found.push_back(f(data)[0]);
    for (const SharedVariable& v : variables) found.push_back(v.get());
    return std::pair(f.workspace_bytes({{data}}), found);
  };
  const auto [whole, wanted] = train({});
  const auto [part, found] = train(whole * 6 / 10);
  CHECK(part <= whole * 6 / 10);
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(difference(found[i], wanted[i], 0) == "");
}

TEST_CASE("a function from the cache still has its table") {
  const Network network(8, 64, 16, tanh_layer);
  const Folder folder;
  CompileOptions options;
  options.cache_folder = folder.path;
  options.memory_shapes = network.shapes;
  options.memory_budget = network.compiled().workspace_bytes(network.arrays) / 2;
  const Function first = compile(network.inputs, network.outputs, {}, options);
  const Function second = compile(network.inputs, network.outputs, {}, options);
  CHECK(second.was_cached());
  CHECK(second.memory_table() == first.memory_table());
  // Another budget is another function.
  *options.memory_budget *= 2;
  CHECK(!compile(network.inputs, network.outputs, {}, options).was_cached());
}

TEST_CASE("a budget that is met already changes nothing") {
  const Network network(4, 64, 16, tanh_layer);
  const Function plain = network.compiled(), roomy = network.compiled(1 << 30);
  CHECK(plain.module_text() == roomy.module_text());
  CHECK(roomy.memory_table().find("computed again: 0 values") != std::string::npos);
}

TEST_CASE("what a budget is for must be known") {
  const Expr x = vector("x");
  CompileOptions options;
  options.memory_budget = 1000;
  CHECK_THROWS_WITH_AS(compile({x}, {exp(x)}, {}, options), doctest::Contains("open extent in x"),
                       ValueError);
  options.memory_shapes = {{3}, {4}};
  CHECK_THROWS_WITH_AS(compile({x}, {exp(x)}, {}, options), doctest::Contains("shapes of 1 inputs"),
                       ValueError);
  options.memory_shapes = {{3, 4}};
  CHECK_THROWS_WITH_AS(compile({x}, {exp(x)}, {}, options),
                       doctest::Contains("expected a shape of x: f64[x.0], found [3, 4]"),
                       ValueError);
}
