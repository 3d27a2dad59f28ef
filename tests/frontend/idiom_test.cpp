// What C++ programmers expect of a library: operators, lists, streams, and errors that begin with
// the function they called and end with their line.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <functional>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

#include "frontend/gnomon.h"
#include "frontend/mdspan.h"

using namespace gnomon;

namespace {

std::string shown(const auto& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

double number(const Function& f, double x) { return f(x)[0].item<double>(); }

using States = std::span<const Expr>;

/// A call that fails, and how its message begins.
struct Failing {
  std::string begins;
  std::function<void()> call;
  int line;
};
#define FAILS(begins, expression)                            \
  Failing {                                                  \
    begins, [&] { static_cast<void>(expression); }, __LINE__ \
  }

}  // namespace

TEST_CASE("compound assignment makes the handle refer to a new expression") {
  const Expr x = scalar("x");
  Expr y = x;
  y += 1.0;
  y *= 2;
  y -= x;
  y /= 4.0f;
  CHECK(number(compile({x}, {y}), 3.0) == (2 * (3.0 + 1) - 3.0) / 4);
  CHECK(same(x, x));
  Expr sum = +x;
  CHECK(same(sum, x));
  sum += sum;
  CHECK(number(compile({x}, {sum}), 3.0) == 6.0);
  Expr rest = x;
  rest %= 2.0;
  CHECK(number(compile({x}, {rest}), 5.0) == 1.0);
  Comparison mask = x > 0;
  mask &= x < 2;
  mask |= x > 10;
  CHECK(compile({x}, {mask})(11.0)[0].item<bool>());
  CHECK_FALSE(compile({x}, {mask})(3.0)[0].item<bool>());
  Expr bits = scalar("n", int64);
  const Expr n = bits;
  bits ^= 5;
  CHECK(compile({n}, {bits})(std::int64_t{3})[0].item<std::int64_t>() == 6);
}

TEST_CASE("functions of a number are constants") {
  const Expr e = gnomon::exp(1.0), p = gnomon::power(2.0, 3.0), w = gnomon::where(true, 1.0, 2.0);
  const Results found = compile({}, {e, p, w})();
  CHECK(found[0].item<double>() == doctest::Approx(2.718281828459045));
  CHECK(found[1].item<double>() == 8.0);
  CHECK(found[2].item<double>() == 1.0);
}

TEST_CASE("a list of expressions may be any range") {
  const Expr x = vector("x"), y = vector("y");
  const std::vector<Expr> list{x, y};
  const std::array<Expr, 2> two{x, y};
  const std::vector<SharedVariable> variables{shared(zeros({2}), "v"), shared(zeros({2}), "w")};
  const std::vector<Value> values{x.value(), y.value()};
  CHECK(stack({x, y}).rank() == 2);
  CHECK(same(stack(list), stack({x, y})));
  CHECK(same(stack(two), stack({x, y})));
  CHECK(same(stack(States(list)), stack({x, y})));
  CHECK(same(stack(values), stack({x, y})));
  CHECK(stack(variables).dim(0).is(2));
  const auto doubled = list | std::views::transform([](const Expr& e) { return e * 2.0; });
  CHECK(same(concatenate(doubled), concatenate({x * 2.0, y * 2.0})));
  const Expr cost = gnomon::sum(x * x) + gnomon::sum(y);
  CHECK(grad(cost, list).size() == 2);
  CHECK(grad(cost, {x, y}).size() == 2);
  const auto [dx, dy] = grad(cost, x, y);
  CHECK(same(dx, grad(cost, two)[0]));
  CHECK(same(dy, grad(cost, {x, y})[1]));
  const Expr last =
      fori(4, {x}, [](const Expr&, States s) { return std::vector<Expr>{s[0] * 2.0}; })[0];
  const Array found = compile({x}, {last})(Array::from<double>({1, 2}))[0];
  CHECK(found.to_vector<double>() == std::vector{16.0, 32.0});
  const std::vector<Expr> tangents = jvp({cost}, {x, y}, {x, Expr()});
  CHECK(tangents.size() == 1);
}

TEST_CASE("inputs and outputs may be any range of expressions") {
  const Expr x = scalar("x"), y = scalar("y");
  const std::vector<Expr> inputs = {x, y}, outputs = {x + y, x * y};
  const std::array<Expr, 2> both{x - y, x / y};
  const std::span<const Expr> some(outputs);
  CHECK(compile(inputs, outputs)(3.0, 2.0)[1].item<double>() == 6);
  CHECK(compile(std::array{x, y}, both)(3.0, 2.0)[1].item<double>() == 1.5);
  CHECK(compile(some.first(0), {constant(1.0, float64)})()[0].item<double>() == 1);
  CHECK(compile({x, y}, some)(3.0, 2.0).size() == 2);
  CHECK(compile({x, y}, grad(x * y, {x, y}))(3.0, 2.0)[0].item<double>() == 2);
  const std::vector<Output> named = {{"sum", x + y}};
  CHECK(compile({x, y}, named)(3.0, 2.0)["sum"].item<double>() == 5);
}

TEST_CASE("arguments may be numbers that lie side by side") {
  const Expr x = vector("x"), n = vector("n", int64), b = vector("b", bool_);
  const Function f = compile({x, n, b}, {where(b, x * n, -x)});
  const std::vector<double> xs = {1, 2, 3};
  const std::array<std::int64_t, 3> ns = {4, 5, 6};
  const bool bs[] = {true, false, true};
  CHECK(f(xs, ns, bs)[0].to_vector<double>() == std::vector<double>{4, -2, 18});
  const std::span<const double> some(xs);
  const Function sum_of = compile({x}, {sum(x)});
  CHECK(sum_of(some.first(2))[0].item<double>() == 3);
  CHECK(sum_of(std::vector<double>())[0].item<double>() == 0);
  // They are copied: a result that is an argument keeps its numbers.
  const Function same = compile({x}, {x});
  std::vector<double> mine = {1, 2};
  const Array kept = same(mine)[0];
  mine[0] = 7;
  CHECK(kept.to_vector<double>() == std::vector<double>{1, 2});
  CHECK_THROWS_WITH_AS(sum_of(std::vector<float>{1}), doctest::Contains("found f32[1]"), TypeError);
}

TEST_CASE("results are bound by name") {
  const Expr x = vector("x");
  const Function f = compile({x}, {x + 1.0, gnomon::sum(x)});
  const Array ones = Array::from<double>({1, 1, 1});
  const auto [next, total] = f(ones).take<2>();
  CHECK(next.to_vector<double>() == std::vector{2.0, 2.0, 2.0});
  CHECK(total.item<double>() == 3.0);
  CHECK_THROWS_AS(f(ones).take<3>(), ValueError);
  enum { of_next, of_total };
  CHECK(f(ones)[of_total].item<double>() == 3.0);
  CHECK_THROWS_WITH_AS(f(ones)[-1], doctest::Contains("found number -1 ["), IndexError);
}

TEST_CASE("calls take any number of arrays and numbers") {
  std::vector<Expr> inputs;
  for (int i = 0; i < 7; ++i) inputs.push_back(scalar(fmt::format("x{}", i), float32));
  const Function f = compile(inputs, {add(inputs)});
  CHECK(f(1, 2.0, 3.0f, Array(4.0f), 5, 6, 7)[0].item<float>() == 28.0f);
  const Function first = compile({inputs[0]}, {inputs[0] * 2});
  CHECK(first(Array(2.0f))[0].item<float>() == 4.0f);
  CHECK(first(std::vector<Array>{Array(2.0f)})[0].item<float>() == 4.0f);
  const Function three = compile({inputs[0], inputs[1], inputs[2]}, {inputs[0] - inputs[2]});
  CHECK(three(1, 2, 3)[0].item<float>() == -2.0f);
  CHECK(compile({}, {arange(Dim(3))})()[0].to_vector<std::int64_t>().size() == 3);
}

TEST_CASE("streams show expressions, arrays and functions") {
  const Expr x = vector("x"), a = scalar("a", float32);
  CHECK(shown(exp(x) * 2.0) == "(exp(x) * 2)");
  CHECK(shown(Expr()) == "no expression");
  CHECK(shown(Array::from<double>({1, 2.5})) == "[1.  2.5]");
  CHECK(shown(Array()) == "no array");
  const Function f = compile({x, a}, {x + 1.0, a});
  CHECK(shown(f) == "x: f64[x.0], a: f32 -> f64[x.0], f32");
  CHECK(shown(Function()) == "no function");
  CHECK(shown(f(Array::from<double>({1}), 2)) == "[2.]\n2.0");
  CHECK(shown(x.dim(0)) == "x.0");
  CHECK(shown(x.type()) == "f64[x.0]");
  CHECK(shown(float32) == "float32");
  CHECK(shown(shared(zeros({2}), "w")) == "w");
}

TEST_CASE("errors begin with the function that was called and end with the line of the call") {
  const Expr x = matrix("x"), v = vector("v", float32);
  const Expr c = tensor("c", float64, {Dim(3), Dim(4)}), d = tensor("d", float64, {Dim(2), Dim(5)});
  const Function f = compile({x}, {x + 1.0}), g = compile({c}, {c + 1.0});
  const SharedVariable w = shared(zeros({3}), "w");
  using List = std::vector<Expr>;
  using View = ElementView<double, 2>;
  const auto nothing = [](const Expr&, States) { return List(); };
  const auto only_sum = [](const Expr&, States s) { return List{gnomon::sum(s[0])}; };
  const auto no_scan = [](const Expr&, States, States) { return List(); };
  const auto is_small = [](States s) { return gnomon::sum(s[0]) < 3.0; };
  const auto first_of = [](States s) { return Expr(s[0]); };
  const auto none = [](States) { return List(); };
  const auto same_states = [](States s) { return List(s.begin(), s.end()); };
  const auto branch = [&] { return List{c}; };
  const std::vector<Failing> all = {
      FAILS("sum: expected an axis from -2 to 1, found 5", sum(x, 5)),
      FAILS("mean: expected an axis", mean(x, 5)),
      FAILS("argmax: expected an axis", argmax(c, 9)),
      FAILS("logsumexp: expected an axis", logsumexp(c, 9)),
      FAILS("softmax: expected an axis", softmax(c, 7)),
      FAILS("sort: expected an axis", sort(c, 7)),
      FAILS("cumsum: expected an axis", cumsum(c, 7)),
      FAILS("flip: expected an axis", flip(c, IntList{7})),
      FAILS("stack: expected equal dtypes and extents", stack({x, v})),
      FAILS("concatenate: expected equal dtypes and extents", concatenate({c, d})),
      FAILS("einsum: 'l' of the result", einsum("ij,jk->ikl", {x, x})),
      FAILS("matmul: inner sizes differ", matmul(c, c)),
      FAILS("tensordot: extents differ", tensordot(c, c, {0}, {1})),
      FAILS("add: extents differ", c + d),
      FAILS("where: extents differ", where(c > 0, c, d)),
      FAILS("reshape: expected 25 elements", reshape(c, {5, 5})),
      FAILS("transpose: expected a permutation", transpose(c, {0, 0})),
      FAILS("expand_dims: expected an axis", expand_dims(c, 9)),
      FAILS("squeeze: expected extent 1", squeeze(c, 0)),
      FAILS("broadcast_to: expected an operand", broadcast_to(c, {2, 2})),
      FAILS("take: expected a value of int64", take(c, 1.5)),
      FAILS("index: expected at most 2 indices", c(1, 2, 3)),
      FAILS("index: index 7 is out of range", c(7)),
      FAILS("normal: expected a state", random::normal(x, {3})),
      FAILS("add: extents differ", add({c, d})),
      FAILS("pinv: expected", pinv(v(0))),
      FAILS("add: expected a value of int8", tensor("b", int8, {Dim(2)}) + 300),
      FAILS("cholesky: expected square matrices", cholesky(v)),
      FAILS("solve: expected square matrices", solve(c, c)),
      FAILS("conv: expected two operands", conv(c, c)),
      FAILS("grad: the cost must be a float scalar", grad(c, c)),
      FAILS("grad: the cost must be a float scalar", grad(c, {c})),
      FAILS("vjp: expected", vjp({c}, {c}, {})),
      FAILS("function: x: f64[x.0, x.1] is needed", compile({}, {x})),
      FAILS("function: x: f64[x.0, x.1] is an input twice", compile({x, x}, {x})),
      FAILS("call: argument 0: expected x: f64[x.0, x.1], found f64[3]", f(zeros({3}))),
      FAILS("call: expected 1 arguments, found 0", f()),
      FAILS("call: expected 1 arguments, found 2", f(1.0, 2.0)),
      FAILS("call: expected c: f64[3, 4]; found c: f64[3, 3]", g(zeros({3, 3}))),
      FAILS("call: expected 1 arguments", f(std::vector<Array>(3, zeros({2, 2})))),
      // Functions that are made of others, and those that call the user's.
      FAILS("median: expected an axis", median(c, 7)),
      FAILS("full: expected at most 1 axes", full({3}, c)),
      FAILS("trace: expected matrices", trace(v)),
      FAILS("lstsq: expected", lstsq(v(0), v)),
      FAILS("glu: expected equal parts", nn::glu(tensor("odd", float64, {Dim(3)}))),
      FAILS("quantile: expected parts", quantile(c, 2.0)),
      FAILS("hstack: expected arrays", hstack({})),
      FAILS("fori: expected 1 states from the body, found 0", fori(3, {c}, nothing)),
      FAILS("fori: expected state 0 to stay", fori(3, {c}, only_sum)),
      FAILS("scan: expected 1 states and more", scan(3, {c}, Sequences{}, no_scan)),
      FAILS("while_loop: expected 1 states", while_loop({c}, is_small, none)),
      FAILS("while_loop: expected state 0 to be a scalar of type bool",
            while_loop({c}, first_of, same_states)),
      FAILS("cond: expected a bool scalar", cond(c, branch, branch)),
      FAILS("sgd: the cost must be a float scalar", optim::sgd(c, {w})),
      FAILS("adam: expected values that the result depends on", optim::adam(sum(c), {w})),
      FAILS("root: expected an array like f64[3, 4]",
            solvers::root([](States s) { return List{gnomon::sum(s[0])}; }, {c})),
      FAILS("cg: expected unknowns", solvers::cg(none, {})),
      // What takes no expression, or is asked of arrays and results.
      FAILS("arange: expected an integer scalar", arange(v)),
      FAILS("eye: expected an extent, found -1", eye(Dim(-1))),
      FAILS("choice: expected no more choices",
            random::choice(random::state(1), 3, 5, random::Replace::no)),
      FAILS("glorot_normal: expected two axes", init::glorot_normal(random::state(1), {3})),
      FAILS("shared: expected f64[3] for w", SharedVariable(w).set(zeros({2, 2}))),
      FAILS("call: expected one of 1 outputs, found number 1", g(zeros({3, 4}))[1]),
      FAILS("call: expected the name of an output, found y", g(zeros({3, 4}))["y"]),
      FAILS("call: expected 2 outputs, found 1", g(zeros({3, 4})).take<2>()),
      FAILS("array: expected 4 values", Array::from<double>({1, 2, 3}, {2, 2})),
      FAILS("array: expected elements of float32", zeros({3}).to_vector<float>()),
      FAILS("item: expected an array of one element", zeros({3}).item<double>()),
      FAILS("reshape: expected a shape of 3 elements", zeros({3}).reshape({2, 2})),
      FAILS("slice: expected an axis", zeros({3}).slice(1, 0, 1)),
      FAILS("transpose: expected 1 axes", zeros({3}).transpose({0, 1})),
      FAILS("assign: expected f64[3]", zeros({3}).assign(zeros({2}))),
      FAILS("view: expected 2 axes, found f64[3]", View(zeros({3}))),
  };
  for (const Failing& failing : all) {
    CAPTURE(failing.begins);
    std::string found;
    try {
      failing.call();
    } catch (const Error& error) {
      found = error.what();
    }
    CAPTURE(found);
    CHECK(found.starts_with(failing.begins));
    CHECK(found.ends_with(fmt::format("[idiom_test.cpp:{}]", failing.line)));
  }
}

TEST_CASE("functions of the user's keep their own lines inside of loops") {
  const Expr x = tensor("x", float64, {Dim(3)});
  std::string found;
  try {
    fori(3, {x}, [](const Expr&, States s) {
      return std::vector<Expr>{s[0] + tensor("y", float64, {Dim(2)})};
    });
  } catch (const Error& error) {
    found = error.what();
  }
  CHECK(found.ends_with(fmt::format("[idiom_test.cpp:{}]", __LINE__ - 5)));
  solvers::IvpOptions options;
  options.events = {{[](States y, const Expr&) { return y[0] + tensor("z", float64, {Dim(2)}); }}};
  try {
    solvers::solve_ivp([](States y, const Expr&) { return std::vector<Expr>{-y[0]}; }, Array(0.0),
                       Array(1.0), {x}, options);
  } catch (const Error& error) {
    found = error.what();
  }
  CHECK(found.starts_with("add: extents differ"));
  CHECK(found.ends_with(fmt::format("[idiom_test.cpp:{}]", __LINE__ - 8)));
}
