// The pass pipeline: the order, the levels, products, bodies, and the shapes of results.
#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "ir/op/representation.h"
#include "runtime/error.h"
#include "tests/support/folder_support.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

std::size_t position(std::string_view name) {
  const std::span<const Pass> passes = all_passes();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    if (passes[i].name == name) return i;
  }
  return passes.size();
}

Expr matrix_of(const char* name, int rows, int columns) {
  return tensor(name, DType::float32, {Dim(rows), Dim(columns)});
}

}  // namespace

TEST_CASE("the order of the passes respects its reasons") {
  for (const PassOrder& order : pass_order_reasons()) {
    CAPTURE(order.first);
    CAPTURE(order.then);
    CHECK(!order.reason.empty());
    REQUIRE(position(order.first) < all_passes().size());
    REQUIRE(position(order.then) < all_passes().size());
    CHECK(position(order.first) < position(order.then));
  }
}

TEST_CASE("names of passes are unique") {
  std::set<std::string_view> names;
  for (const Pass& pass : all_passes()) CHECK(names.insert(pass.name).second);
}

TEST_CASE("level none only does what code generation needs") {
  const Expr x = tensor("x", DType::float64, {Dim(4), Dim(6)});
  const Graph graph = run_passes(log(1 + exp(x)) + softmax(x, 1), RewriteLevel::none);
  CHECK(count_of(graph, op::softplus) == 0);
  CHECK(count_of(graph, op::softmax) == 0);
  CHECK(count_of(graph, op::multiply_add) == 0);
}

TEST_CASE("level exact keeps sums in the order of the user") {
  const Expr x = vector("x"), y = vector("y"), z = vector("z");
  const Graph graph = run_passes(x + (y + z), RewriteLevel::exact);
  CHECK(graph.outputs[0].node().operands().size() == 2);
  CHECK(run_passes(x + y + z, RewriteLevel::exact).outputs[0] !=
        run_passes(x + (y + z), RewriteLevel::exact).outputs[0]);
}

TEST_CASE("products take transposes, scales and addends along") {
  const Expr a = matrix_of("a", 50, 30), b = matrix_of("b", 50, 40), c = matrix_of("c", 30, 40);
  const Graph graph = run_passes(2 * matmul(transpose(a), b) - 0.5 * c);
  const Value& out = graph.outputs[0];
  REQUIRE(out.is(op::gemm));
  CHECK(out.node().operands().size() == 3);
  CHECK(out.node().attribute("trans_a").flag());
  CHECK_FALSE(out.node().attribute("trans_b").flag());
  CHECK(out.node().attribute("alpha").real() == 2);
  CHECK(out.node().attribute("beta").real() == -0.5);
  CHECK(count_of(graph, op::transpose) == 0);
}

TEST_CASE("a bias row is not an addend of the product") {
  const Expr a = matrix_of("a", 50, 30), b = matrix_of("b", 30, 40);
  const Graph graph = run_passes(matmul(a, b) + tensor("bias", DType::float32, {Dim(40)}));
  CHECK(graph.outputs[0].is(op::add));
}

TEST_CASE("a product of products is left alone") {
  const Expr a = matrix_of("a", 40, 40);
  const Graph graph = run_passes(matmul(matmul(a, a), a));
  CHECK(count_of(graph, op::dot) == 2);
}

TEST_CASE("products of integers become sums") {
  const Expr a = tensor("a", DType::int32, {Dim(2), Dim(3)});
  const Expr b = tensor("b", DType::int32, {Dim(3), Dim(2)});
  const Graph graph = run_passes(matmul(a, b), RewriteLevel::none);
  CHECK(count_of(graph, op::dot) == 0);
  CHECK(count_of(graph, op::sum) == 1);
}

TEST_CASE("a product used twice is not contracted") {
  const Expr x = vector("x"), y = vector("y"), z = vector("z");
  const Expr product = x * y;
  Context context = checked_context();
  const Graph graph = run_passes(close({product + z, exp(product)}), context);
  CHECK(count_of(graph, op::multiply_add) == 0);
  CHECK(count_of(run_passes(x * y + z), op::multiply_add) == 1);
  CHECK(count_of(run_passes(x * y + z, RewriteLevel::exact), op::multiply_add) == 0);
}

TEST_CASE("a product is not contracted beside another one, which may be as large") {
  const Expr x = vector("x"), y = vector("y"), z = vector("z");
  CHECK(count_of(run_passes(x * y - z * z), op::multiply_add) == 0);
  CHECK(count_of(run_passes(x * y + exp(z)), op::multiply_add) == 0);
  CHECK(count_of(run_passes(exp(x) * 4 + exp(z)), op::multiply_add) == 1);
  CHECK(count_of(run_passes(exp(x) * 4 + exp(z) * 2), op::multiply_add) == 0);
  CHECK(count_of(run_passes(x * y + z(range(0, 3))(range(0, 3))), op::multiply_add) == 1);
  CHECK(count_of(run_passes(x * y - x * z, RewriteLevel::fast), op::multiply_add) == 0);
  CHECK(count_of(run_passes(x * y + exp(z), RewriteLevel::fast), op::multiply_add) == 1);
  CHECK(count_of(run_passes(3 + x * (y + x * z)), op::multiply_add) == 2);
}

TEST_CASE("sums over an outer axis of three take products unrounded") {
  const Expr x = tensor("x", DType::float64, {Dim(2), Dim(3), Dim(4)});
  const Expr product = x * exp(x);
  CHECK(count_of(run_passes(sum(product, 1)), op::multiply_add) == 1);
  CHECK(count_of(run_passes(sum(square(x), 0)), op::multiply_add) == 1);
  CHECK(count_of(run_passes(sum(product, 2)), op::multiply_add) == 0);
  CHECK(count_of(run_passes(sum(product, 1), RewriteLevel::exact), op::multiply_add) == 0);
  const auto with = [&](const Expr& other) {
    Context context = checked_context();
    return count_of(run_passes(close({sum(product, 1), other}), context), op::multiply_add);
  };
  CHECK(with(sum(product, 0)) == 1);
  CHECK(with(sin(product)) == 0);
}

TEST_CASE("the scale of one user of a product is not the product's") {
  const Expr a = matrix_of("a", 50, 30), b = matrix_of("b", 50, 40);
  const Expr product = matmul(transpose(a), b);
  Context context = checked_context();
  const Graph graph = run_passes(close({exp(product), sin(0.5 * product)}), context);
  CHECK(count_of(graph, op::gemm) == 1);
}

TEST_CASE("reductions over axes apart are split") {
  const Expr x = tensor("x", DType::float64, {Dim(2), Dim(3), Dim(4)});
  const Graph graph = run_passes(sum(exp(x), Axes(IntList{0, 2})));
  CHECK(count_of(graph, op::sum) == 2);
}

TEST_CASE("calls are opened") {
  const Expr x = vector("x"), y = vector("y");
  const OpFromGraph f(std::vector<Expr>{x}, std::vector<Expr>{log(1 + exp(x))});
  const Graph graph = run_passes(f(std::vector<Expr>{y * 2})[0]);
  CHECK(count_of(graph, op::call) == 0);
  CHECK(count_of(graph, op::softplus) == 1);
}

TEST_CASE("passes run in bodies of loops") {
  const Expr x = tensor("x", DType::float64, {Dim(4)});
  const std::vector<Expr> initial = {x};
  const std::vector<Expr> states =
      fori(10, initial, [](const Expr&, std::span<const Expr> s) -> std::vector<Expr> {
        return {log(1 + exp(s[0]))};
      });
  const Graph graph = run_passes(states[0]);
  const Body* body = nullptr;
  for (const Node* node : graph.topological_order()) {
    for (const Attribute& attribute : node->attributes()) {
      if (attribute.kind() == Attribute::Kind::body) body = &attribute.body();
    }
  }
  REQUIRE(body != nullptr);
  CHECK(count_of(**body, op::softplus) == 1);
  CHECK(count_of(**body, op::log) == 0);
}

TEST_CASE("symbolic extents survive every pass") {
  const Expr x = matrix("x"), w = matrix("w");
  const Expr loss = mean(square(softmax(matmul(x, w), 1) - 0.5));
  const Graph graph = run_passes(loss);
  CHECK(graph.outputs[0].rank() == 0);
  CHECK(graph.checks.size() == close({loss}).checks.size());
}

TEST_CASE("entry checks outlive the operations that asked for them") {
  const Expr x = vector("x"), y = vector("y");
  const Expr zero = (x + y) * 0;
  CHECK(run_passes(zero).checks.size() == close({zero}).checks.size());
}

TEST_CASE("halves and complex numbers get their representation by passes that leave records") {
  const Expr z = tensor("z", DType::complex64, {Dim(3)}), h = tensor("h", DType::float16, {Dim(3)});
  const Graph before = close({z * z, h + h});
  Context context = checked_context(RewriteLevel::none);
  const Graph after = run_passes(before, context);
  REQUIRE(context.trace.passes.size() > 2);
  CHECK(context.trace.passes[0].name == "widen_halves");
  CHECK(context.trace.passes[1].name == "split_complex");
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(after.parameters[i].type == native_type(before.parameters[i].type));
    CHECK(after.outputs[i].type() == native_type(before.outputs[i].type()));
    CHECK(after.outputs[i].type() != before.outputs[i].type());
  }
}

TEST_CASE("graphs of plain numbers leave no records of representation") {
  Context context = checked_context();
  run_passes(close({vector("x") + 1}), context);
  CHECK(context.trace.passes.at(0).name == "open");
}

TEST_CASE("an error in a pass names the pass") {
  Context context;
  const Graph graph = close({vector("x") + 1});
  CHECK_THROWS_AS(run_pass("no_such_pass", graph, context), InternalError);
}

TEST_CASE("passes that change the graph are dumped") {
  const Folder folder;
  Context context;
  context.options.dump_folder = folder.path.string();
  const Expr x = vector("x");
  run_passes(close({log(1 + exp(x))}), context);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path)) {
    CHECK(entry.path().extension() == ".gn");
    ++files;
  }
  CHECK(files > 0);
}
