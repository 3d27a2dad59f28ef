// Graphs: capture, checks, keys, bodies, substitution, verification.
#include <doctest/doctest.h>

#include <ctime>

#include "ir/graph/graph.h"
#include "ir/graph/leaf.h"
#include "ir/text/dot.h"
#include "ir/text/text.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

Graph verified_graph(std::vector<Expr> inputs, std::vector<Expr> outputs) {
  Graph graph = capture(inputs, outputs).graph;
  verify(graph);
  return graph;
}

std::string error_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

Expr named(std::string name, Shape shape) { return tensor(std::move(name), DType::float32, shape); }

}  // namespace

TEST_CASE("capture renumbers parameters and symbols") {
  const Dim n = Dim::symbol("n");
  const Expr x = named("x", {n, 3}), y = named("y", {n});
  const Graph graph = verified_graph({x, y}, {sum(x, 1) + y});
  REQUIRE(graph.parameters.size() == 2);
  CHECK(graph.parameters[0].type.text() == "f32[n, 3]");
  CHECK(graph.parameters[1].type.shape[0] == Dim::symbol(0, "n"));
  CHECK(graph.symbols == std::vector<std::string>{"n"});
  CHECK(graph.checks.empty());
  CHECK(graph.results[0].name == "out0");
}

TEST_CASE("extents that must agree become one inside and a check at entry") {
  const Expr x = named("x", {Dim::symbol("n")}), y = named("y", {Dim::symbol("m")});
  const Graph graph = verified_graph({x, y}, {x + y});
  REQUIRE(graph.checks.size() == 1);
  CHECK(graph.checks[0].left == Dim::symbol(0, "n"));
  CHECK(graph.checks[0].right == Dim::symbol(1, "m"));
  CHECK(graph.checks[0].message == "add: extents differ: x: f32[n] and y: f32[m]");
  REQUIRE(!graph.checks[0].origins.empty());
  CHECK(graph.checks[0].origins[0].text().starts_with("ir_graph_test.cpp:"));
  CHECK(graph.parameters[1].type.text() == "f32[m]");
  for (const Value& operand : graph.outputs[0].node().operands())
    CHECK(operand.type().text() == "f32[n]");
}

TEST_CASE("a check does not depend on whether its node survives") {
  const Expr x = named("x", {Dim::symbol("n")}), y = named("y", {Dim::symbol("m")});
  const Graph graph = verified_graph({x, y}, {x + y});
  const Graph smaller = with_outputs(graph, {graph.outputs[0].input(0)});
  CHECK(smaller.checks.size() == 1);
}

TEST_CASE("extents equal to constants and polynomials are replaced inside") {
  const Dim n = Dim::symbol("n");
  const Expr x = named("x", {n}), y = named("y", {Dim::symbol("m")});
  const Expr longer = concatenate({x, Expr(Array::from<float>({1, 2}))});
  const Graph graph = verified_graph({x, y}, {longer + y});
  REQUIRE(graph.checks.size() == 1);
  CHECK(graph.checks[0].right == Dim::symbol(1, "m"));
  CHECK(graph.outputs[0].input(1).type().text() == "f32[n + 2]");
  const Graph fixed = verified_graph({x}, {x + Expr(Array::from<float>({1, 2, 3}))});
  CHECK(fixed.checks.size() == 1);
  CHECK(fixed.outputs[0].type().text() == "f32[3]");
  CHECK(fixed.outputs[0].input(0).type().text() == "f32[3]");
  CHECK(fixed.parameters[0].type.text() == "f32[n]");
}

TEST_CASE("contradictions and missing inputs are type errors") {
  const Expr x = named("x", {Dim::symbol("n")});
  const Expr three(Array::from<float>({1, 2, 3})), four(Array::from<float>({1, 2, 3, 4}));
  CHECK(error_of([&] { verified_graph({x}, {x + three, x + four}); }).find("extents differ") !=
        std::string::npos);
  const Expr y = named("y", {2});
  CHECK(error_of([&] {
          verified_graph({x}, {sum(x) + sum(y)});
        }).starts_with("function: y: f32[2] is needed but is not among the inputs"));
  CHECK(error_of([&] { verified_graph({x, x}, {x}); }) == "function: x: f32[n] is an input twice");
  CHECK(error_of([&] { verified_graph({x + 1}, {x}); }).starts_with("function: expected inputs"));
  CHECK(error_of([&] {
          verified_graph({x}, {x + cast(arange(Dim::symbol("q")), DType::float32)});
        }).find("no input determines the extent q") != std::string::npos);
}

TEST_CASE("extents are solved from polynomials in the signature") {
  const Dim n = Dim::symbol("n");
  const Expr x = named("x", {2 * n});
  const Graph graph = verified_graph({x}, {extent(n), x});
  REQUIRE(graph.checks.size() == 1);
  CHECK(graph.symbols.size() == 1);
  CHECK(graph.outputs[0].node().attribute(0).dims()[0] == floor_div(Dim::symbol(0, ""), 2));
  const Dim m = Dim::symbol("m");
  CHECK(error_of([&] {
          verified_graph({named("x", {n * m})}, {extent(n)});
        }).starts_with("function: no input determines the extent"));
}

TEST_CASE("an extent that is the value of an input is checked") {
  const Expr count = scalar("count", DType::int64), x = named("x", {Dim::symbol("n")});
  const Graph graph = verified_graph({count, x}, {x + cast(arange(count), DType::float32)});
  REQUIRE(graph.checks.size() == 2);  // the count is not negative, and it is the extent of x
  CHECK(graph.outputs[0].type().shape[0].is_constant() == false);
  CHECK(graph.topological_order().size() >= 3);
}

TEST_CASE("shared variables become parameters and their updates outputs") {
  const Shared w("w", Array::from<float>({1, 2, 3}), {3});
  const Expr leaf = shared_leaf(w);
  CHECK(same(leaf, shared_leaf(w)));
  const Expr x = named("x", {3});
  const CaptureUpdate update{leaf.value(), (leaf - x).value()};
  const Expr inputs[] = {x}, outputs[] = {sum(leaf * x)};
  const Captured captured = capture(inputs, outputs, {}, {&update, 1});
  verify(captured.graph);
  REQUIRE(captured.shared.size() == 1);
  CHECK(captured.shared[0] == leaf.value());
  CHECK(captured.graph.parameters[1].shared);
  CHECK(captured.graph.results[1].updates == 1);
  const CaptureUpdate twice[] = {update, update};
  CHECK(error_of([&] { capture(inputs, outputs, {}, twice); }).find("updated twice") !=
        std::string::npos);
  const CaptureUpdate wrong{leaf.value(), cast(leaf, DType::float64).value()};
  CHECK(error_of([&] { capture(inputs, outputs, {}, {&wrong, 1}); }).find("with its type") !=
        std::string::npos);
}

TEST_CASE("keys see the mathematics, not pointers, order of creation or names inside") {
  const auto build = [](const std::string& symbol, bool disturb) {
    const Dim n = Dim::symbol(symbol);
    if (disturb) static_cast<void>(Dim::symbol("z"));
    const Expr y = named("y", {n}), x = named("x", {n});
    const Expr b = exp(y), a = exp(x);
    return verified_graph({x, y}, {a * b + 1});
  };
  const Graph first = build("n", false), second = build("k", true);
  CHECK(first.key() == second.key());
  const Expr x = named("x", {Dim::symbol("n")});
  CHECK(verified_graph({x}, {x + 1}).key() != verified_graph({x}, {x + 2}).key());
  CHECK(verified_graph({x}, {exp(x)}).key() != verified_graph({x}, {log(x)}).key());
  const Expr other = named("z", {Dim::symbol("n")});
  CHECK(verified_graph({x}, {exp(x)}).key() != verified_graph({other}, {exp(other)}).key());
}

TEST_CASE("equal bodies are one object") {
  const auto make = [](double step) {
    const Expr x = scalar("x"), y = scalar("y");
    const Value parameters[] = {x, y}, outputs[] = {(x * y + step).value()};
    return make_body(parameters, outputs);
  };
  const Body a = make(1), b = make(1), c = make(2);
  CHECK(a == b);
  CHECK(a != c);
  verify(*a);
}

TEST_CASE("free values are leaves and the extents nothing else determines") {
  const Dim n = Dim::symbol("n");
  const Expr x = named("x", {3}), w = named("w", {3});
  const Value parameters[] = {x};
  const Value outputs[] = {(x + exp(w) + cast(extent(n), DType::float32)).value()};
  const std::vector<Value> free = free_values(parameters, outputs);
  REQUIRE(free.size() == 2);
  CHECK(free[0] == w.value());
  CHECK(free[1] == extent(n).value());
  std::vector<Value> all = {x};
  all.insert(all.end(), free.begin(), free.end());
  const Body body = make_body(all, outputs);
  CHECK(body->parameters.size() == 3);
  CHECK(inline_body(*body, all) == std::vector<Value>{outputs[0]});
}

TEST_CASE("a body applied to other shapes has other types") {
  const Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  const Expr x = named("x", {n}), y = named("y", {n});
  const Value parameters[] = {x, y}, outputs[] = {concatenate({x + y, x}).value()};
  const Body body = make_body(parameters, outputs);
  const Value arguments[] = {named("a", {m}), named("b", {m})};
  const std::vector<Value> inlined = inline_body(*body, arguments);
  CHECK(inlined[0].shape()[0] == 2 * m);
  std::vector<std::pair<Dim, Dim>> pairs;
  TypeContext context{op::call, arguments, {}, &pairs};
  CHECK(body_types(context, *body, arguments, 0)[0].shape[0] == 2 * m);
  CHECK(pairs.empty());
  const Value different[] = {named("a", {m}), named("b", {n})};
  TypeContext other{op::call, different, {}, &pairs};
  body_types(other, *body, different, 0);
  CHECK(pairs.size() == 1);
}

TEST_CASE("extents that must agree inside a body are checked at entry") {
  const Expr x = vector("x"), w = vector("w"), initial[] = {x};
  const std::vector<Expr> states =
      fori(3, initial,
           [&](const Expr&, std::span<const Expr> s) -> std::vector<Expr> { return {s[0] * w}; });
  const Graph graph = verified_graph({x, w}, {states[0]});
  REQUIRE(graph.checks.size() == 1);
  CHECK(graph.checks[0].left == Dim::symbol(0, ""));
  CHECK(graph.checks[0].right == Dim::symbol(1, ""));
}

TEST_CASE("substitution rebuilds what depends on the replaced values only") {
  const Expr x = scalar("x"), y = scalar("y"), z = scalar("z");
  const Expr kept = exp(z), changed = sin(x) * kept;
  const Value outputs[] = {changed, kept};
  const std::vector<Value> result = substitute(outputs, {{x.value(), y.value()}});
  CHECK(result[0] == (sin(y) * kept).value());
  CHECK(result[1] == kept.value());
}

TEST_CASE("the verifier finds foreign leaves and unknown extents") {
  const Expr x = named("x", {Dim::symbol("n")});
  Graph graph = verified_graph({x}, {exp(x)});
  Graph foreign = graph;
  foreign.outputs = {exp(named("y", {2})).value()};
  CHECK_THROWS_AS(verify(foreign), InternalError);
  Graph unnamed = graph;
  unnamed.symbols.clear();
  CHECK_THROWS_AS(verify(unnamed), InternalError);
  Graph short_results = graph;
  short_results.results.clear();
  CHECK_THROWS_AS(verify(short_results), InternalError);
}

TEST_CASE("pictures name parameters and ops") {
  const Expr x = named("x", {Dim::symbol("n")});
  const std::string dot = to_dot(verified_graph({x}, {sum(exp(x))}));
  CHECK(dot.starts_with("digraph gnomon {"));
  CHECK(dot.find("exp") != std::string::npos);
  CHECK(dot.find("f32[n]") != std::string::npos);
}

TEST_CASE("chains of 100,000 nodes take linear time everywhere") {
  const auto seconds = [](int length) {
    const std::clock_t start = std::clock();
    const Expr x = scalar("x");
    Expr y = x, z = x;
    for (int i = 0; i < length; ++i) y = exp(y);
    for (int i = 0; i < length; ++i) z = z + x;
    const Expr inputs[] = {x}, outputs[] = {y, z};
    const Captured captured = capture(inputs, outputs);
    verify(captured.graph);
    CHECK(captured.graph.topological_order().size() == static_cast<std::size_t>(2 * length) + 1);
    CHECK(captured.graph.key() != std::array<std::uint64_t, 2>{});
    const std::string text = print_graph(captured.graph);
    const Graph parsed = parse_graph(text, {find_op, {}});
    CHECK(parsed.key() == captured.graph.key());
    CHECK(to_dot(captured.graph).size() > static_cast<std::size_t>(length));
    const std::vector<Value> moved =
        substitute(captured.graph.outputs, {{make_param(0, x.type()), scalar("w").value()}});
    CHECK(moved.size() == 2);
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  };
  const double half = seconds(50000), whole = seconds(100000);
  // Twice the nodes in clearly less than the four times of a quadratic algorithm.
  CHECK(whole < 3.5 * half + 0.5);
}
