// The reference evaluator against values worked out by hand or by the C library.
#include <doctest/doctest.h>

#include <cmath>

#include "ir/graph/leaf.h"
#include "ir/reference/evaluate.h"
#include "ir/reference/generic.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

using Doubles = std::vector<double>;
using Ints = std::vector<std::int64_t>;

Array run(std::vector<Expr> inputs, const Expr& output, std::vector<Array> values) {
  const Expr outputs[] = {output};
  const Graph graph = capture(inputs, outputs).graph;
  verify(graph);
  return evaluate(graph, values)[0];
}

const Array six = Array::from<double>({1, 2, 3, 4, 5, 6}, {2, 3});

}  // namespace

TEST_CASE("elementwise ops broadcast") {
  const Expr x = matrix("x"), y = vector("y");
  CHECK(run({x, y}, x * y + 1, {six, Array::from<double>({1, 10, 100})}).to_vector<double>() ==
        Doubles{2, 21, 301, 5, 51, 601});
  CHECK(run({x}, expand_dims(sum(x, 1), 1) * x, {six}).to_vector<double>() ==
        Doubles{6, 12, 18, 60, 75, 90});
  CHECK(run({x}, where(x > 3, x, 0), {six}).to_vector<double>() == Doubles{0, 0, 0, 4, 5, 6});
}

TEST_CASE("reductions, with axes, kept or not") {
  const Expr x = matrix("x");
  CHECK(run({x}, sum(x), {six}).item<double>() == 21);
  CHECK(run({x}, sum(x, 0), {six}).to_vector<double>() == Doubles{5, 7, 9});
  CHECK(run({x}, prod(x, 1), {six}).to_vector<double>() == Doubles{6, 120});
  const Array kept = run({x}, max(x, 1, keepdims), {six});
  CHECK(kept.describe() == "f64[2, 1]");
  CHECK(kept.to_vector<double>() == Doubles{3, 6});
  CHECK(run({x}, all(x > 0), {six}).item<bool>());
  CHECK(!run({x}, any(x > 6), {six}).item<bool>());
  const Array none = Array::empty(DType::float64, {0, 3});
  CHECK(run({x}, sum(x, 0), {none}).to_vector<double>() == Doubles{0, 0, 0});
  CHECK(run({x}, prod(x, 0), {none}).to_vector<double>() == Doubles{1, 1, 1});
  CHECK_THROWS_AS(run({x}, max(x, 0), {none}), ValueError);
}

TEST_CASE("the first extremum wins, and the first NaN") {
  const Expr x = vector("x");
  const double nan = std::nan("");
  CHECK(run({x}, argmax(x), {Array::from<double>({1, 3, 3, 2})}).item<std::int64_t>() == 1);
  CHECK(run({x}, argmin(x), {Array::from<double>({1, 3, 1, 2})}).item<std::int64_t>() == 0);
  CHECK(run({x}, argmax(x), {Array::from<double>({1, nan, 5, nan})}).item<std::int64_t>() == 1);
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(run({x}, argmax(x), {Array::from<double>({-inf, -inf})}).item<std::int64_t>() == 0);
  CHECK(std::isnan(run({x}, max(x), {Array::from<double>({1, nan, 5})}).item<double>()));
}

TEST_CASE("products of matrices and batches") {
  const Expr a = matrix("a"), b = matrix("b");
  const Array right = Array::from<double>({1, 0, 2, 1, 0, 3}, {3, 2});
  CHECK(run({a, b}, matmul(a, b), {six, right}).to_vector<double>() == Doubles{5, 11, 14, 23});
  const Expr c = tensor3("c");
  const Array batch = Array::from<double>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  CHECK(run({c}, matmul(c, c), {batch}).to_vector<double>() ==
        Doubles{7, 10, 15, 22, 67, 78, 91, 106});
  const Attributes scaled = {true, false, 2.0, 0.5};
  const Expr d = matrix("d");
  const Expr gemm(make_node(op::gemm, {a.value(), b.value(), d.value()}, scaled));
  // 2 * a^T b + d / 2 with a, b 2 x 3 and 2 x 2.
  const Array two = Array::from<double>({1, 2, 3, 4}, {2, 2});
  CHECK(run({a, b, d}, gemm, {six, two, right}).to_vector<double>() ==
        Doubles{26.5, 36, 35, 48.5, 42, 61.5});
}

TEST_CASE("shape ops and indexing") {
  const Expr x = matrix("x");
  CHECK(run({x}, transpose(x), {six}).to_vector<double>() == Doubles{1, 4, 2, 5, 3, 6});
  CHECK(run({x}, x(1, range(0, 3, 2)), {six}).to_vector<double>() == Doubles{4, 6});
  CHECK(run({x}, concatenate({x, x}, 1), {six}).to_vector<double>() ==
        Doubles{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
  const Expr i = vector("i", DType::int64);
  CHECK(run({x, i}, take(x, i, 1), {six, Array::from<std::int64_t>({-1, 0})}).to_vector<double>() ==
        Doubles{3, 1, 6, 4});
  CHECK_THROWS_AS(run({x, i}, take(x, i, 1), {six, Array::from<std::int64_t>({3})}), ValueError);
  CHECK(run({x, i}, inc_at(x, {all_of, i}, 1), {six, Array::from<std::int64_t>({0, 0})})
            .to_vector<double>() == Doubles{3, 2, 3, 6, 5, 6});
}

TEST_CASE("extents computed from values") {
  const Expr n = scalar("n", DType::int64);
  CHECK(run({n}, arange(n) * n, {Array(std::int64_t{4})}).to_vector<std::int64_t>() ==
        Ints{0, 4, 8, 12});
  CHECK_THROWS_AS(run({n}, arange(n), {Array(std::int64_t{-1})}), ValueError);
  const Expr x = vector("x", DType::int64);
  CHECK_THROWS_AS(
      run({n, x}, arange(n) + x, {Array(std::int64_t{2}), Array::from<std::int64_t>({1, 2, 3})}),
      ValueError);
}

TEST_CASE("loops run their bodies") {
  const Expr x = scalar("x"), n = scalar("n", DType::int64);
  const Expr initial[] = {x, x * 0};
  const std::vector<Expr> states =
      fori(n, initial, [&](const Expr& i, std::span<const Expr> s) -> std::vector<Expr> {
        return {s[0] * 2, s[1] + s[0] + cast(i, DType::float64) * x};
      });
  const Expr inputs[] = {x, n};
  const Graph graph = capture(inputs, states).graph;
  verify(graph);
  const Array values[] = {Array(1.0), Array(std::int64_t{4})};
  const std::vector<Array> results = evaluate(graph, values);
  CHECK(results[0].item<double>() == 16);
  CHECK(results[1].item<double>() == 15 + 6);
  const Array none[] = {Array(3.0), Array(std::int64_t{-2})};
  CHECK(evaluate(graph, none)[0].item<double>() == 3);
}

TEST_CASE("reusable functions and composite ops expand") {
  const Expr a = vector("a"), b = vector("b");
  const Expr inputs[] = {a, b}, outputs[] = {a - b};
  const OpFromGraph difference(inputs, outputs);
  const Expr x = vector("x"), y = vector("y"), arguments[] = {y, x};
  CHECK(run({x, y}, difference(arguments)[0],
            {Array::from<double>({1, 2}), Array::from<double>({5, 7})})
            .to_vector<double>() == Doubles{4, 5});
  const Doubles soft =
      run({x}, softmax(x), {Array::from<double>({0, std::log(3.0)})}).to_vector<double>();
  CHECK(soft[0] == doctest::Approx(0.25));
  CHECK(soft[1] == doctest::Approx(0.75));
}

TEST_CASE("calls that do not fit are value errors") {
  const Expr x = vector("x"), y = vector("y");
  const Array two = Array::from<double>({1, 2}), three = Array::from<double>({1, 2, 3});
  CHECK_THROWS_AS(run({x, y}, x + y, {two, three}), ValueError);
  CHECK_THROWS_AS(run({x}, exp(x), {}), ValueError);
  CHECK_THROWS_AS(run({x}, exp(x), {Array::from<float>({1})}), ValueError);
  CHECK_THROWS_AS(run({x}, exp(x), {six}), ValueError);
  CHECK_THROWS_WITH_AS(run({x}, check(x, x > 1, "too small"), {two}), "too small", ValueError);
}

TEST_CASE("casts saturate and send NaN to 0") {
  const Expr x = vector("x");
  const Array values = Array::from<double>({1.9, -1.9, 300, -300, std::nan(""), 1e30});
  CHECK(run({x}, cast(x, DType::int8), {values}).to_vector<std::int8_t>() ==
        std::vector<std::int8_t>{1, -1, 127, -128, 0, 127});
  CHECK(run({x}, cast(x, DType::uint8), {values}).to_vector<std::uint8_t>() ==
        std::vector<std::uint8_t>{1, 0, 255, 0, 0, 255});
  CHECK(run({x}, cast(x, DType::bool_), {Array::from<double>({0, -0.0, 0.1, std::nan("")})})
            .to_vector<bool>() == std::vector<bool>{false, false, true, true});
  const Expr i = vector("i", DType::int64);
  CHECK(run({i}, cast(i, DType::int8), {Array::from<std::int64_t>({257, -129})})
            .to_vector<std::int8_t>() == std::vector<std::int8_t>{1, 127});
}

TEST_CASE("expressions evaluate with given leaves, closed ones without") {
  const Expr x = scalar("x");
  const Value outputs[] = {(x + 1).value()};
  CHECK(evaluate(outputs, {{x.value(), Array(2.0)}})[0].item<double>() == 3);
  CHECK_THROWS_AS(evaluate(outputs, {}), ValueError);
  const Value cut = exp(x).value(), above[] = {(Expr(cut) * 2).value()};
  CHECK(evaluate(above, {{cut, Array(5.0)}})[0].item<double>() == 10);
}

TEST_CASE("the same rules evaluate in other numbers") {
  using Real = long double;
  using Numbers = RealNumbers<Real>;
  const Numbers numbers({{"add", [](std::span<const Real> x) { return x[0] + x[1]; }},
                         {"multiply", [](std::span<const Real> x) { return x[0] * x[1]; }},
                         {"divide", [](std::span<const Real> x) { return x[0] / x[1]; }},
                         {"equal", [](std::span<const Real> x) { return Real(x[0] == x[1]); }},
                         {"exp", [](std::span<const Real> x) { return std::exp(x[0]); }}},
                        [](const Real& x) { return static_cast<double>(x); });
  Evaluator<Numbers> evaluator(numbers);
  const Expr x = vector("x", DType::float32);
  const Expr inputs[] = {x}, outputs[] = {mean(exp(x))};
  const Graph graph = capture(inputs, outputs).graph;
  const auto data = evaluator.from_array(Array::from<float>({0, 1, 2}));
  const auto result = evaluator.run(graph, {&data, 1});
  const Real want = (1 + std::exp(Real(1)) + std::exp(Real(2))) / 3;
  CHECK(std::abs(result[0]->data[0].real - want) < Real(1e-18));
}
