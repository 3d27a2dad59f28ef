// Passes over loops: what they leave out, what they take outside, what they make at once.
#include <vector>

#include "passes/derivatives/gradient.h"
#include "stdlib/arrays/arrays.h"
#include "tests/support/compiled_support.h"
#include "tests/support/passes_support.h"
#include "tests/support/prints_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

Graph rewritten(const List& outputs, RewriteLevel level = RewriteLevel::all) {
  Context context = checked_context(level);
  return run_passes(close(outputs), context);
}

std::vector<const Node*> loops_of(const Graph& graph) {
  std::vector<const Node*> loops;
  for (const Node* node : graph.topological_order())
    if (node->op().step == StepKind::loop) loops.push_back(node);
  return loops;
}

// The only loop, which lives as long as the graph.
const Node& only_loop(const Graph& graph) {
  const std::vector<const Node*> loops = loops_of(graph);
  REQUIRE(loops.size() == 1);
  return *loops[0];
}
const Graph& body_of_only(const Graph& graph) { return *only_loop(graph).attribute("body").body(); }
std::int64_t states_of_only(const Graph& graph) {
  return only_loop(graph).attribute("states").integer();
}
std::size_t rows_of_only(const Graph& graph) {
  return body_of_only(graph).outputs.size() - static_cast<std::size_t>(states_of_only(graph));
}

int products_in(const Graph& graph) {
  return static_cast<int>(count_of(graph, op::dot) + count_of(graph, op::gemm));
}

// A recurrent network over a sequence of open length: what it reads, and its last state.
struct Recurrent {
  Expr x, w, u, h, last;
};
Recurrent recurrent(DType t, const LoopOptions& options = {}) {
  const Expr x = tensor("x", t, {Dim::symbol("t"), Dim(24), Dim(32)});
  const Expr w = tensor("w", t, {Dim(32), Dim(40)}), u = tensor("u", t, {Dim(40), Dim(40)});
  const Expr h = tensor("h", t, {Dim(24), Dim(40)});
  const auto step = [&](const Expr&, States s, States at) {
    return List{tanh(matmul(at[0], w) + matmul(s[0], u))};
  };
  const Expr n(extent_value(x.dim(0)));
  return {x, w, u, h, scan(n, List{h}, Sequences{{x}, false}, step, options)[0]};
}

}  // namespace

TEST_CASE("states and rows that nobody needs are left out, those they need alone too") {
  const Expr x = vector("x"), y = vector("y"), n = scalar("n", int64);
  const auto step = [](const Expr&, States s) {
    return List{sin(s[0]), s[1] + s[0], s[2] * s[1], s[0] * 2.0, s[1]};
  };
  const List found = scan(n, List{x, y, y}, step);
  CHECK(states_of_only(rewritten({found[2]})) == 3);
  CHECK(states_of_only(rewritten({found[1]})) == 2);
  CHECK(states_of_only(rewritten({found[0]})) == 1);
  CHECK(rows_of_only(rewritten({found[0]})) == 0);
  CHECK(states_of_only(rewritten({found[3]})) == 1);
  CHECK(rows_of_only(rewritten({found[3]})) == 1);
  CHECK(states_of_only(rewritten({found[4], found[1]})) == 2);
}

TEST_CASE("what only another loop captures is needed as far as that needs it") {
  const Expr x = vector("x"), n = scalar("n", int64);
  const List first =
      fori(n, List{x, x * 2.0}, [](const Expr&, States s) { return List{sin(s[0]), cos(s[1])}; });
  const List second = fori(n, List{x, x * 3.0}, [&](const Expr&, States s) {
    return List{s[0] * first[0], s[1] * first[1]};
  });
  const Graph graph = rewritten({second[0]});
  for (const Node* loop : loops_of(graph)) CHECK(loop->attribute("states").integer() == 1);
  CHECK(loops_of(graph).size() == 2);
}

TEST_CASE("states that stay, and states that are another one, are none") {
  const Expr x = vector("x"), y = vector("y"), n = scalar("n", int64);
  const List stays =
      fori(n, List{x, y}, [](const Expr&, States s) { return List{s[0] * s[1], s[1]}; });
  CHECK(states_of_only(rewritten({stays[0], stays[1]})) == 1);
  const List twice = fori(n, List{x, x, y}, [](const Expr&, States s) {
    return List{s[0] * s[2] + s[1], s[1] * s[2] + s[0], sin(s[2])};
  });
  CHECK(states_of_only(rewritten({twice[0], twice[1], twice[2]})) == 2);
  // Those that begin as one and part are two.
  const List apart = fori(n, List{x, x, x}, [](const Expr&, States s) {
    return List{sin(s[0]), sin(s[1]), cos(s[2])};
  });
  CHECK(states_of_only(rewritten(apart)) == 2);
  Batch batch("alike");
  batch.inputs = {x, y, n};
  for (const List& list : {stays, twice, apart})
    for (const Expr& e : list) batch.add("state", e, 1e-14);
  Samples random(3);
  for (const std::int64_t steps : {0, 1, 3})
    batch.check_with({random.small(float64, {4}), random.small(float64, {4}), Array(steps)});
}

TEST_CASE("a loop that ends by a condition keeps what ends it") {
  const Expr x = scalar("x"), y = vector("y");
  const List found = while_loop(
      List{x, y}, [](States s) { return less(s[0], 10.0); },
      [](States s) { return List{s[0] * 2.0 + 1.0, sin(s[1])}; });
  CHECK(states_of_only(rewritten({found[0]})) == 3);
  CHECK(states_of_only(rewritten({found[1]})) == 4);
  Batch batch("conditional");
  batch.inputs = {x, y};
  for (const Expr& e : found) batch.add("state", e, 1e-14);
  batch.add("one", found[0] + 1.0);
  batch.check_with({Array(0.5), Array::from<double>({1.0, 2.0})});
}

TEST_CASE("work that is the same in every step is taken out of the loop, once rewriting shows it") {
  const Expr x = vector("x"), y = vector("y"), n = scalar("n", int64);
  // (s + y) - s is y for rules only.
  const Expr last = fori(n, List{x}, [&](const Expr&, States s) {
    return List{s[0] * exp(abs((s[0] + y) - s[0]))};
  })[0];
  const Graph graph = rewritten({last});
  CHECK(count_of(body_of_only(graph), op::exp) == 0);
  CHECK(count_of(graph, op::exp) == 1);
}

TEST_CASE("of rows whose last ones are read alone only these are kept") {
  const Expr x = vector("x"), n = scalar("n", int64);
  const auto step = [](const Expr&, States s) { return List{sin(s[0]), s[0] * 2.0, sum(s[0])}; };
  const List found = scan(n, List{x}, step);
  const Graph one = rewritten({found[1](-1)});
  CHECK(rows_of_only(one) == 0);
  CHECK(states_of_only(one) == 2);
  // Of numbers some more.
  const Graph some = rewritten({found[2](-1) + found[2](-3)});
  CHECK(rows_of_only(some) == 0);
  CHECK(states_of_only(some) == 4);
  CHECK(rows_of_only(rewritten({found[2](-1) + found[2](-9)})) == 1);
  CHECK(rows_of_only(rewritten({found[2](-1) + found[2](0)})) == 1);
  Batch batch("last rows");
  batch.inputs = {x, n};
  batch.add("one", found[1](-1), 1e-14);
  batch.add("some", found[2](-1) + found[2](-3), 1e-14);
  Samples random(4);
  for (const std::int64_t steps : {0, 2, 3, 5})
    batch.check_with({random.small(float64, {4}), Array(steps)});
}

TEST_CASE("a loop of which the first rows are read alone makes no more steps") {
  const Expr x = vector("x");
  const List found = scan(100, List{x}, [](const Expr&, States s) {
    return List{sin(s[0]), print(sum(s[0]), "step")};
  });
  Batch batch("first rows");
  batch.inputs = {x};
  batch.add("first", found[1](range(0, 2)), 1e-14);
  batch.add("second", found[1](1), 1e-14);
  batch.compile();
  Samples random(4);
  const Array given = random.small(float64, {4});
  Prints prints;
  (*batch.function)(std::vector<Array>{given});
  CHECK(prints.texts.size() == 2);
  batch.check_with({given});
}

TEST_CASE("loops over the same steps are one where they share states or read each other's") {
  const Expr x = matrix("x"), h = tensor("h", float64, {x.dim(1)});
  const Expr n = Expr(extent_value(x.dim(0)));
  const auto step = [](const Expr&, States s, States at) {
    return List{sin(s[0]) + at[0], s[0] * at[0]};
  };
  const List first = scan(n, List{h}, Sequences{{x}, false}, step);
  // It reads what the first one makes in the same step.
  const List second = scan(n, List{h * 2.0}, Sequences{{first[1]}, false}, step);
  const Graph graph = rewritten({second[0], first[0]});
  CHECK(rows_of_only(graph) == 0);
  CHECK(states_of_only(graph) == 2);
  // It reads what the first one makes in other steps.
  const List reversed = scan(n, List{h * 2.0}, Sequences{{first[1]}, true}, step);
  CHECK(loops_of(rewritten({reversed[0]})).size() == 2);
  // It begins with what the first one ends with.
  const List after = scan(n, List{first[0]}, Sequences{{x}, false}, step);
  CHECK(loops_of(rewritten({after[0], first[0]})).size() == 2);
  // Both have one state in common, and one of their own.
  const Expr m = scalar("m", int64);
  const auto with = [&](double factor) {
    return fori(m, List{h, h * factor},
                [&](const Expr&, States s) { return List{sin(s[0]), s[1] * s[0] + factor}; });
  };
  const List two = with(2.0), three = with(3.0);
  CHECK(states_of_only(rewritten({two[1], three[1]})) == 3);
  Batch batch("joined");
  batch.inputs = {x, h, m};
  for (const Expr& e : {second[0], second[1], first[0], reversed[0], after[0], two[1], three[1]})
    batch.add("joined", e, 1e-13);
  Samples random(9);
  for (const std::int64_t steps : {0, 1, 4})
    batch.check_with({random.small(float64, {steps, 3}), random.small(float64, {3}), Array(steps)});
}

TEST_CASE("products with the elements of a sequence are one before the loop") {
  const auto [x, w, u, h, last] = recurrent(float32);
  const Graph graph = rewritten({last});
  CHECK(products_in(graph) == 1);
  CHECK(products_in(body_of_only(graph)) == 1);
  // At level exact every product keeps its order of additions.
  const Graph exact = rewritten({last}, RewriteLevel::exact);
  CHECK(products_in(exact) == 0);
  CHECK(products_in(body_of_only(exact)) == 2);
  Batch batch("products before");
  batch.inputs = {x, w, u, h};
  const List gradients = grad(sum(square(last)), std::vector<Expr>{x, w, u, h});
  batch.add("last", last, 2e-5);
  for (const Expr& g : gradients) batch.add("gradient", g, 2e-3);
  Samples random(5);
  for (const std::int64_t steps : {0, 1, 6}) {
    std::vector<Array> given;
    for (const Expr& e : batch.inputs) {
      std::vector<std::int64_t> shape;
      for (const Dim& d : e.shape()) shape.push_back(d.is_constant() ? d.constant() : steps);
      Array a = random.small(float32, shape);
      for (std::int64_t i = 0; i < a.size(); ++i) a.data<float>()[i] *= 0.05f;
      given.push_back(a);
    }
    batch.check_with(given);
  }
}

TEST_CASE("a gradient by a matrix is one product behind the loop, and no product is made twice") {
  const auto [x, w, u, h, last] = recurrent(float64);
  const Expr cost = sum(square(last));
  const Graph graph = rewritten({cost, grad(cost, w), grad(cost, u)});
  // x w before, and of both gradients behind; h u forwards, dy u^T backwards.
  CHECK(products_in(graph) == 3);
  const std::vector<const Node*> loops = loops_of(graph);
  REQUIRE(loops.size() == 2);
  for (const Node* loop : loops) CHECK(products_in(*loop->attribute("body").body()) == 1);
}

TEST_CASE("no product is made of all steps of a loop with checkpoints") {
  const auto [x, w, u, h, last] = recurrent(float64, {.checkpoints = 5});
  const Graph graph = rewritten({last, grad(sum(square(last)), w), grad(sum(square(last)), u)});
  CHECK(products_in(graph) == 0);
}

TEST_CASE("what checks and prints in a step stays there") {
  const Expr x = tensor("x", float64, {Dim::symbol("t"), Dim(24), Dim(32)});
  const Expr w = tensor("w", float64, {Dim(32), Dim(40)}),
             h = tensor("h", float64, {Dim(24), Dim(40)});
  const auto step = [&](const Expr&, States s, States at) {
    return List{s[0] + tanh(matmul(check(at[0], less(at[0], 1e9), "large"), w))};
  };
  const Expr last = scan(Expr(extent_value(x.dim(0))), List{h}, Sequences{{x}, false}, step)[0];
  const Graph graph = rewritten({last});
  CHECK(products_in(graph) == 0);
  CHECK(products_in(body_of_only(graph)) == 1);
}

TEST_CASE("a gradient keeps what an inner loop made, and does not run it again") {
  const Expr x = scalar("x"), a = scalar("a");
  const auto inner = [&](const Expr&, States s) { return List{s[0] * (1.0 - a * s[0]) + 0.01}; };
  const auto outer = [&](const Expr&, States s) { return List{fori(7, s, inner)[0] * 1.5}; };
  const Expr last = fori(5, List{x}, outer)[0];
  const List both = grad(last, List{x, a});
  const Graph graph = rewritten({last, both[0], both[1]});
  const std::vector<const Node*> loops = loops_of(graph);
  REQUIRE(loops.size() == 2);
  for (const Node* loop : loops) CHECK(loops_of(*loop->attribute("body").body()).size() == 1);
  Batch batch("nested");
  batch.inputs = {x, a};
  for (const Expr& e : {last, grad(last, x), grad(last, a), grad(grad(last, x), a)})
    batch.add("nested", e, 1e-11);
  batch.check_with({Array(0.7), Array(0.3)});
}

TEST_CASE("loops are as they are once they have been rewritten") {
  const Expr x = tensor("x", float64, {Dim::symbol("t"), Dim(24), Dim(32)});
  const Expr w = tensor("w", float64, {Dim(32), Dim(32)});
  const Expr last = scan(Expr(extent_value(x.dim(0))), List{x(0)}, Sequences{{x}, false},
                         [&](const Expr&, States s, States at) {
                           return List{tanh(matmul(at[0], w) + matmul(s[0], w))};
                         })[0];
  const Graph graph = rewritten({sum(last), grad(sum(last), w)});
  Context context = checked_context();
  CHECK(run_passes(graph, context).outputs == graph.outputs);
}
