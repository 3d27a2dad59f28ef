// multiply_at, divide_at, minimum_at, maximum_at: equal indices combine, in order, and so do their
// derivatives.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "passes/derivatives/gradient.h"
#include "stdlib/complex/complex.h"
#include "tests/support/compiled_support.h"
#include "tests/support/derivative_support.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Ints = std::vector<std::int64_t>;

// Numbers that compiled functions do not know beforehand.
Expr given(const Array& values) { return barrier(Expr(values)); }
Expr given_ints(const Ints& values) { return given(Array::from(values)); }
Expr given_doubles(const Numbers& values) { return given(Array::from(values)); }

// As written, and compiled.
std::vector<Array> evaluated_and_compiled(const Expr& e) {
  const Expr outputs[] = {e};
  return {evaluate(capture({}, outputs).graph, {})[0], compile({}, {e})()[0]};
}

template <class T>
void check_values(const Expr& e, const std::vector<T>& wanted) {
  for (const Array& found : evaluated_and_compiled(e))
    CHECK(difference(found, Array::from(wanted), 0) == "");
}

// The writes and what they do with one element.
struct Combination {
  const char* name;
  Expr (*write)(const Arg&, std::span<const Index>, const Arg&);
  double (*combine)(double, double);
};
constexpr Combination writing_combinations[] = {
    {"multiply", multiply_at, [](double a, double b) { return a * b; }},
    {"divide", divide_at, [](double a, double b) { return a / b; }},
    {"minimum", minimum_at, [](double a, double b) { return std::min(a, b); }},
    {"maximum", maximum_at, [](double a, double b) { return std::max(a, b); }},
};

Expr written(const Combination& c, const Expr& x, const Index& at, const Expr& v) {
  return c.write(x, std::span(&at, 1), v);
}

}  // namespace

TEST_CASE("equal indices combine in order, at every length") {
  constexpr std::int64_t rows = 13;
  const Expr x = vector("x"), v = vector("v"), i = vector("i", int32);
  for (const Combination& c : writing_combinations) {
    CAPTURE(c.name);
    const Function f = compile({x, i, v}, {{"whole", written(c, x, i, v * 2.0)},
                                           {"one", written(c, x, i, constant(0.75, float64))},
                                           {"twice", written(c, written(c, x, i, v), i, v)}});
    Samples samples(1);
    // Around the lanes of a vector and the blocks of places.
    for (const std::int64_t n : {0, 1, 7, 15, 16, 17, 63, 255, 256, 257, 300, 1000}) {
      CAPTURE(n);
      const Array base = samples.small(float64, {rows}), by = samples.small(float64, {n});
      Array at = samples.small(int32, {n});
      for (std::int64_t k = 0; k < n; ++k)
        at.data<std::int32_t>()[k] = static_cast<std::int32_t>(samples.below(2 * rows) - rows);
      Array whole = base.copy(), one = base.copy(), twice = base.copy();
      const auto combine = [&](Array& to, double (*value)(double)) {
        for (std::int64_t k = 0; k < n; ++k) {
          const std::int32_t place = at.data<std::int32_t>()[k];
          double& y = to.data<double>()[place < 0 ? place + rows : place];
          y = c.combine(y, value(by.data<double>()[k]));
        }
      };
      combine(whole, [](double value) { return value * 2.0; });
      combine(one, [](double) { return 0.75; });
      combine(twice, [](double value) { return value; });
      combine(twice, [](double value) { return value; });
      const Results found = f(base, at, by);
      CHECK(difference(found["whole"], whole, 0) == "");
      CHECK(difference(found["one"], one, 0) == "");
      CHECK(difference(found["twice"], twice, 0) == "");
    }
  }
}

TEST_CASE("several index arrays, slices beside them, and values that broadcast") {
  Batch batch("combined");
  Samples random(7);
  const auto places = [&](std::int64_t n, std::int64_t extent) {
    Array a = random.small(int64, {n});
    for (std::int64_t k = 0; k < n; ++k)
      a.data<std::int64_t>()[k] = random.below(2 * extent) - extent;
    return a;
  };
  const Expr x = batch.input("x", random.small(float64, {6, 20, 8}));
  const Expr y = batch.input("y", random.small(float32, {6, 8}));
  const Expr i = batch.input("i", places(40, 6));
  const Expr j = batch.input("j", places(40, 8), {i.dim(0)});
  const Expr one = batch.input("one", Array(std::int64_t{-2}));
  const Expr v = batch.input("v", random.small(float64, {40}), {i.dim(0)});
  for (const Combination& c : writing_combinations) {
    const auto add = [&](const char* name, const Expr& base, std::vector<Index> items,
                         const Arg& value) {
      batch.add(std::string(c.name) + " " + name, c.write(base, items, value));
    };
    add("pairs", y, {i, j}, cast(v, float32));
    add("rows", y, {i}, 0.5F);
    add("rows by columns", y, {i}, expand_dims(cast(v, float32), 1));
    add("columns", x, {all_of, all_of, j}, v);
    add("apart", x, {i, all_of, j}, expand_dims(v, 1));
    add("one", x, {one, all_of, one}, 1.5);
    add("beside slices", x, {i, range(2, 17, 3), until(4)}, reshape(v, {40, 1, 1}));
    add("a grid", x, {expand_dims(i, 1), j}, expand_dims(v, 0)(until(1)));
    add("a slice", x, {range(1, 5), -1}, 2.0);
    add("steps", x, {Range{{}, {}, -2}}, x(0));
    add("all", y, {}, 1.25F);
    add("a mask", y, {y > 0}, 0.5F);
    add("after an increment", inc_at(y, {i}, 1.0F), {j(range(0, 6)) % 6}, 0.25F);
  }
  const auto down = std::vector<Index>{one, all_of, one};
  batch.add("bools multiplied", multiply_at(x > 0, down, x(0, all_of, 0) < 1));
  batch.add("bools raised", maximum_at(x > 0, down, x(0, all_of, 0) < 1));
  batch.add("bools added", inc_at(x > 0, down, x(0, all_of, 0) < 1));
  batch.check();
}

TEST_CASE("dtypes as the elementwise functions take them") {
  const Expr i = given_ints({0, 0, -1, 0});
  const Expr small = given(Array::from(std::vector<std::int8_t>{100, 7, -128}));
  const auto bytes = [](std::vector<std::int8_t> list) { return given(Array::from(list)); };
  check_values<std::int8_t>(multiply_at(small, {i}, bytes({2, 3, -1, 1})), {88, 7, -128});
  check_values<std::int8_t>(minimum_at(small, {i}, bytes({101, 99, 5, -3})), {-3, 7, -128});
  check_values<std::int8_t>(maximum_at(small, {i}, bytes({101, 99, 5, -3})), {101, 7, 5});
  const Expr bools = given(Array::from<bool>({true, false, false}));
  const Expr by = given(Array::from<bool>({true, false, true, true}));
  check_values<bool>(multiply_at(bools, {i}, by), {false, false, false});
  check_values<bool>(minimum_at(bools, {i}, by), {false, false, false});
  check_values<bool>(maximum_at(bools, {i}, by), {true, false, true});
  // In float32: 2049 would be no float16.
  const Expr halves = cast(given_doubles({1.5, 683}), float16);
  const Expr product =
      multiply_at(halves, {given_ints({0, 1, 0})}, cast(given_doubles({1.5, 3, 3}), float16));
  check_values<double>(cast(product, float64), {6.75, 2049});
}

TEST_CASE("NaN and infinities as in the elementwise functions") {
  const Expr x = given_doubles({1, not_a_number, infinite, -infinite});
  const Expr i = given_ints({0, 1, 2, 3, 0}), v = given_doubles({not_a_number, 2, 3, 4, 5});
  check_values<double>(maximum_at(x, {i}, v), {not_a_number, not_a_number, infinite, 4});
  check_values<double>(minimum_at(x, {i}, v), {not_a_number, not_a_number, 3, -infinite});
  check_values<double>(
      divide_at(given_doubles({1, 0, 6}), {given_ints({0, 1, 2, 2})}, given_doubles({0, 0, 3, 4})),
      {infinite, not_a_number, 0.5});
}

TEST_CASE("no indices leave everything as it is") {
  const Expr x = vector("x"), i = vector("i", int64), v = vector("v");
  for (const Combination& c : writing_combinations) {
    const Function f = compile({x, i, v}, {written(c, x, i, v)});
    const Array base = Array::from({1.0, 2.0}), none = Array::empty(int64, {0});
    CHECK(f(base, none, Array::empty(float64, {0}))[0].to_vector<double>() == Numbers{1, 2});
    CHECK(f(Array::empty(float64, {0}), none, Array::empty(float64, {0}))[0].size() == 0);
  }
}

TEST_CASE("what cannot be combined is refused") {
  const Expr x = vector("x"), i = vector("i", int64), k = vector("k", int32);
  const Function f = compile({x, i}, {maximum_at(x, {i}, 0.0)});
  CHECK_THROWS_WITH_AS(
      f(Array::from({1.0, 2.0}), Array::from(Ints{1, -3})),
      doctest::Contains("maximum_index: index -3 is out of range for axis 0 with extent 2"),
      ValueError);
  CHECK_THROWS_WITH_AS(
      evaluate(
          capture({}, std::array{minimum_at(given_doubles({1}), {given_ints({1})}, 0.0)}).graph,
          {}),
      doctest::Contains("minimum_index: index 1 is out of range"), ValueError);
  CHECK_THROWS_WITH_AS(divide_at(k, {i}, 2),
                       doctest::Contains("divide_at: expected floats, found k: i32[k.0]"),
                       TypeError);
  CHECK_THROWS_WITH_AS(divide_at(k, {0}, 2), doctest::Contains("divide_at: expected floats"),
                       TypeError);
  CHECK_THROWS_WITH_AS(multiply_at(k, {i}, x(i)),
                       doctest::Contains("multiply_at: expected values that int32 can hold, found"),
                       TypeError);
  CHECK_THROWS_AS(multiply_at(k, {i}, 0.5), TypeError);
  const Expr z = tensor("z", complex128, {3});
  CHECK_THROWS_WITH_AS(multiply_at(z, {i}, z(i)),
                       doctest::Contains("multiply_at: expected real numbers, found"), TypeError);
  CHECK_NOTHROW(multiply_at(z, {range(0, 2)}, z(0)));
}

TEST_CASE("ties share the derivative, of x and of all equal indices alike") {
  const Expr x = tensor("x", float64, {3}), v = tensor("v", float64, {4});
  const Expr weights = given_doubles({2, 3, 5}), i = given_ints({0, 0, 1, -1});
  const Point point = Point().with(x, {4, 1, 7}).with(v, {4, 4, 1, 6});
  const auto [dx, dv] = grad(sum(maximum_at(x, {i}, v) * weights), x, v);
  CHECK(close(value_at(point, dx), {2.0 / 3, 1.5, 5}, 1e-15));
  CHECK(close(value_at(point, dv), {2.0 / 3, 2.0 / 3, 1.5, 0}, 1e-15));
  const auto [low_x, low_v] = grad(sum(minimum_at(x, {i}, v) * weights), x, v);
  CHECK(close(value_at(point, low_x), {2.0 / 3, 1.5, 0}, 1e-15));
  CHECK(close(value_at(point, low_v), {2.0 / 3, 2.0 / 3, 1.5, 5}, 1e-15));
}

TEST_CASE("products have the right first and second derivatives where factors are zero") {
  const Expr x = tensor("x", float64, {2}), v = tensor("v", float64, {4});
  const Expr y = multiply_at(x, {given_ints({1, 0, 1, -1})}, v);
  const Expr cost = sum(y * scattered_like(y, 0.3));
  const Expr inputs[] = {x, v};
  const std::vector<Expr> slopes = grad(cost, inputs, {Disconnected::zero});
  for (const Numbers& factors : {Numbers{2, 3, 5, 7}, Numbers{0, 3, 5, 7}, Numbers{0, 0, 5, 0},
                                 Numbers{0, 0, 0, 0}, Numbers{-1, 0, 1, 0}}) {
    for (const Numbers& base : {Numbers{2, 3}, Numbers{0, 3}, Numbers{2, 0}, Numbers{0, 0}}) {
      CAPTURE(factors[0]);
      CAPTURE(base[1]);
      const Point point = Point().with(x, base).with(v, factors);
      for (std::size_t k = 0; k < 2; ++k) {
        CHECK(close(value_at(point, slopes[k]), differences(point, cost, k), 1e-9));
        const Expr along = sum(slopes[k] * scattered_like(slopes[k], 0.1));
        const std::vector<Expr> second = grad(along, inputs, {Disconnected::zero});
        for (std::size_t m = 0; m < 2; ++m)
          CHECK(close(value_at(point, second[m]), differences(point, along, m), 1e-9));
      }
    }
  }
}

TEST_CASE("a branch not taken gives no NaN through what is combined") {
  const Expr x = tensor("x", float64, {4});
  const Point point = Point().with(x, {-1, 0, 4, infinite});
  for (const Combination& c : writing_combinations) {
    CAPTURE(c.name);
    const Expr y = written(c, sqrt(x), given_ints({0, 1, 2, 3}), log(x));
    const Expr taken = (x > 1) & isfinite(x);
    const Numbers inside = value_at(Point().with(x, {4, 4, 4, 4}), grad(sum(y), x));
    CHECK(close(value_at(point, grad(sum(where(taken, y, 0)), x)), {0, 0, inside[2], 0}, 1e-15));
  }
}
