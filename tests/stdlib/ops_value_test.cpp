// Values of the ops: indexing, shapes, reductions, products and loops against NumPy's results.
#include <cmath>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include "ir/graph/graph.h"
#include "ir/reference/evaluate.h"
#include "runtime/error.h"
#include "stdlib/ops.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Ints = std::vector<std::int64_t>;
using Doubles = std::vector<double>;

Array reference_value(const Expr& e) {
  const Expr outputs[] = {e};
  return evaluate(capture({}, outputs).graph, {})[0];
}

Ints int_values(const Expr& e) { return reference_value(e).to_vector<std::int64_t>(); }
Doubles double_values(const Expr& e) { return reference_value(e).to_vector<double>(); }

Expr array_constant(Ints values, std::vector<std::int64_t> shape) {
  return Expr(Array::from(values, shape));
}
Expr array_constant(Doubles values, std::vector<std::int64_t> shape) {
  return Expr(Array::from(values, shape));
}

// numpy.arange(24).reshape(2, 3, 4)
Expr cube() { return reshape(arange(Dim(24)), {2, 3, 4}); }

}  // namespace

TEST_CASE("indexing follows NumPy") {
  const Expr x = cube();
  const Expr i = array_constant(Ints{1, 0}, {2}), j = array_constant(Ints{0, 2, 1, 1}, {2, 2});
  struct Row {
    Expr part;
    Shape shape;
    Ints values;
  };
  const Row rows[] = {
      {x(1), {3, 4}, {12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23}},
      {x(-1, ellipsis, 2), {3}, {14, 18, 22}},
      {x(all_of, newaxis, from(1)),
       {2, 1, 2, 4},
       {4, 5, 6, 7, 8, 9, 10, 11, 16, 17, 18, 19, 20, 21, 22, 23}},
      {x(0, Range{{}, {}, -1}, Range{{}, {}, 2}), {3, 2}, {8, 10, 4, 6, 0, 2}},
      {x(all_of, i), {2, 2, 4}, {4, 5, 6, 7, 0, 1, 2, 3, 16, 17, 18, 19, 12, 13, 14, 15}},
      {x(i, all_of, i), {2, 3}, {13, 17, 21, 0, 4, 8}},
      {x(all_of, i, i), {2, 2}, {5, 0, 17, 12}},
      {x(all_of, i, newaxis, i), {2, 2, 1}, {5, 17, 0, 12}},
      {x(1, all_of, j), {2, 2, 3}, {12, 16, 20, 14, 18, 22, 13, 17, 21, 13, 17, 21}},
      {x(ellipsis, j), {2, 3, 2, 2}, {0,  2,  1,  1,  4,  6,  5,  5,  8,  10, 9,  9,
                                      12, 14, 13, 13, 16, 18, 17, 17, 20, 22, 21, 21}},
      {x(all_of, from(-2), until(-1)), {2, 2, 3}, {4, 5, 6, 8, 9, 10, 16, 17, 18, 20, 21, 22}},
      {x(all_of, from(5)), {2, 0, 4}, {}},
      {x(all_of, range(2, 0, -1), -1), {2, 2}, {11, 7, 23, 19}},
      {x(newaxis, 1, newaxis, ellipsis, range(1, 3)), {1, 1, 3, 2}, {13, 14, 17, 18, 21, 22}},
  };
  for (const Row& row : rows) {
    CAPTURE(text(row.part.shape()));
    CHECK(row.part.shape() == row.shape);
    CHECK(int_values(row.part) == row.values);
  }
}

TEST_CASE("an index that only the call knows is counted and checked there") {
  const Expr x = arange(Dim(5));
  const Expr k = array_constant(Ints{-2}, {});
  CHECK(int_values(x(barrier(k))) == Ints{3});
  CHECK_THROWS_AS(int_values(x(barrier(k * 4))), ValueError);
  CHECK(int_values(take(x, array_constant(Ints{4, -5, 1}, {3}))) == Ints{4, 0, 1});
}

TEST_CASE("writes follow NumPy") {
  const Expr x = cube(), i = array_constant(Ints{1, 0}, {2});
  CHECK(int_values(
            set_at(x, {all_of, from(1), Range{{}, {}, 2}}, array_constant(Ints{100, 200}, {2}))) ==
        Ints{0,  1,  2,  3,  100, 5,  200, 7,  100, 9,  200, 11,
             12, 13, 14, 15, 100, 17, 200, 19, 100, 21, 200, 23});
  CHECK(int_values(set_at(x, {1, i, range(1, 3)}, -1)) ==
        Ints{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -1, -1, 15, 16, -1, -1, 19, 20, 21, 22, 23});
  CHECK(int_values(inc_at(x, {all_of, array_constant(Ints{0, 2, 0}, {3})}, 10)) ==
        Ints{20, 21, 22, 23, 4,  5,  6,  7,  18, 19, 20, 21,
             32, 33, 34, 35, 16, 17, 18, 19, 30, 31, 32, 33});
  CHECK(int_values(inc_at(arange(Dim(4)), {1}, 5)) == Ints{0, 6, 2, 3});
  CHECK(int_values(set_at(arange(Dim(4)), {array_constant(Ints{2, 2}, {2})},
                          array_constant(Ints{7, 8}, {2}))) == Ints{0, 1, 8, 3});
}

TEST_CASE("shapes move elements in row-major order") {
  const Expr x = cube();
  Ints counted(24);
  for (int k = 0; k < 24; ++k) counted[static_cast<std::size_t>(k)] = k;
  CHECK(int_values(reshape(x, {4, 1, 6})) == counted);
  CHECK(int_values(reshape(x, {3, 8})(1, 2)) == Ints{10});
  CHECK(int_values(transpose(x, {2, 0, 1})(1, 1)) == Ints{13, 17, 21});
  CHECK(int_values(concatenate({x(0), x(1, until(1))}, 0)(from(2))) ==
        Ints{8, 9, 10, 11, 12, 13, 14, 15});
  CHECK(int_values(stack({arange(Dim(2)), arange(Dim(2)) + 5}, 1)) == Ints{0, 5, 1, 6});
  CHECK(int_values(broadcast_to(arange(Dim(2)), {2, 2})) == Ints{0, 1, 0, 1});
  CHECK(double_values(eye(2)) == Doubles{1, 0, 0, 1});
}

TEST_CASE("reductions") {
  const Expr x = cube();
  CHECK(int_values(sum(x, {0, 2})) == Ints{60, 92, 124});
  CHECK(int_values(prod(x(all_of, all_of, range(1, 3)), 2)) == Ints{2, 30, 90, 182, 306, 462});
  CHECK(int_values(max(x, 1)) == Ints{8, 9, 10, 11, 20, 21, 22, 23});
  CHECK(int_values(min(x)) == Ints{0});
  CHECK(int_values(argmax(-x, {1, 2})) == Ints{0, 0});
  CHECK(int_values(argmax(x, {0, 2})) == Ints{7, 7, 7});
  CHECK(int_values(argmin(array_constant(Ints{3, 1, 1}, {3}))) == Ints{1});
  CHECK(double_values(mean(x, 2)) == Doubles{1.5, 5.5, 9.5, 13.5, 17.5, 21.5});
  CHECK(reference_value(any(greater(x, 22))).item<bool>());
  CHECK_FALSE(reference_value(all(greater(x, 0))).item<bool>());
}

TEST_CASE("NaN wins extrema, and its place is their index") {
  const Expr x = array_constant(Doubles{1, std::nan(""), 3, std::nan("")}, {4});
  CHECK(std::isnan(reference_value(max(x)).item<double>()));
  CHECK(std::isnan(reference_value(minimum(x(1), 0)).item<double>()));
  CHECK(int_values(argmax(x)) == Ints{1});
  CHECK(int_values(argmin(x)) == Ints{1});
}

TEST_CASE("sums of nothing, and logsumexp at infinities") {
  const Expr none = array_constant(Doubles{}, {0});
  CHECK(double_values(sum(none)) == Doubles{0});
  CHECK(double_values(prod(none)) == Doubles{1});
  const double big = 1000;
  CHECK(double_values(logsumexp(array_constant(Doubles{big, big}, {2})))[0] ==
        doctest::Approx(big + std::log(2.0)).epsilon(1e-15));
  CHECK(double_values(logsumexp(array_constant(Doubles{-infinite, -infinite}, {2}))) ==
        Doubles{-infinite});
  CHECK(double_values(logsumexp(array_constant(Doubles{0, infinite}, {2}))) == Doubles{infinite});
}

TEST_CASE("softmax and its logarithm do not overflow") {
  const Expr x = array_constant(Doubles{1000, 1000, -1000, 0}, {2, 2});
  CHECK(double_values(softmax(x)) == Doubles{0.5, 0.5, 0, 1});
  const Doubles logs = double_values(log_softmax(x));
  CHECK(logs[0] == doctest::Approx(-std::log(2.0)));
  CHECK(logs[2] == doctest::Approx(-1000.0));
  CHECK(logs[3] == 0);
}

TEST_CASE("products") {
  const Expr a = reshape(arange(Dim(6), DType::float64), {2, 3});
  const Expr b = reshape(arange(Dim(12), DType::float64), {3, 4});
  const Doubles ab{20, 23, 26, 29, 56, 68, 80, 92};
  CHECK(double_values(dot(a, b)) == ab);
  CHECK(double_values(dot(a, a(0))) == Doubles{5, 14});
  CHECK(double_values(dot(a(1), b)) == Doubles{56, 68, 80, 92});
  CHECK(double_values(dot(a(0), a(1))) == Doubles{14});
  CHECK(double_values(matmul(stack({a, a}), b)(1)) == ab);
  CHECK(double_values(matmul(stack({a, a}), stack({b, b}))(1)) == ab);
  CHECK(double_values(tensordot(a, b, {1}, {0})) == ab);
  CHECK(double_values(tensordot(a, a, {0, 1}, {0, 1})) == Doubles{55});
  CHECK(double_values(outer(a(0), a(0))) == Doubles{0, 0, 0, 0, 1, 2, 0, 2, 4});
  CHECK(int_values(dot(cast(a, DType::int64), cast(b, DType::int64))) ==
        Ints{20, 23, 26, 29, 56, 68, 80, 92});
}

TEST_CASE("loops and functions") {
  const Expr one[] = {array_constant(Doubles{1, 2}, {2})};
  const Expr rate = array_constant(Doubles{3}, {});
  const auto grow = [&](Expr i, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * rate + cast(i, DType::float64)};
  };
  CHECK(double_values(fori(3, one, grow)[0]) == Doubles{27 + 3 + 2, 54 + 3 + 2});
  CHECK(double_values(fori(0, one, grow)[0]) == Doubles{1, 2});
  const Expr x = gnomon::vector("x"), y = gnomon::vector("y");
  const Expr inputs[] = {x, y}, outputs[] = {x * y, x + y * rate};
  const OpFromGraph f(inputs, outputs);
  const Expr arguments[] = {one[0], one[0] + 1};
  CHECK(double_values(f(arguments)[0]) == Doubles{2, 6});
  CHECK(double_values(f(arguments)[1]) == Doubles{7, 11});
}

TEST_CASE("integers wrap, divide by zero to zero, and keep Python's signs") {
  const Expr a = array_constant(Ints{7, -7, 7, -7, 5}, {5}),
             b = array_constant(Ints{2, 2, -2, -2, 0}, {5});
  CHECK(int_values(floor_divide(a, b)) == Ints{3, -4, -4, 3, 0});
  CHECK(int_values(remainder(a, b)) == Ints{1, 1, -1, -1, 0});
  CHECK(int_values(absolute(a)) == Ints{7, 7, 7, 7, 5});
  const std::int64_t big = std::numeric_limits<std::int64_t>::max();
  CHECK(int_values(array_constant(Ints{big}, {1}) + 1) ==
        Ints{std::numeric_limits<std::int64_t>::min()});
  CHECK(int_values(floor(array_constant(Ints{big}, {1}))) == Ints{big});
  CHECK(double_values(floor_divide(array_constant(Doubles{7.5, -7.5}, {2}), 2.0)) ==
        Doubles{3, -4});
  CHECK(double_values(clip(array_constant(Doubles{-1, 0.5, 9}, {3}), 0.0, 1.0)) ==
        Doubles{0, 0.5, 1});
}

namespace {

// The value of `e`, a function of the vector `x` and the int64 scalar `k`.
struct Call {
  Expr x = gnomon::vector("x");
  Expr k = gnomon::scalar("k", DType::int64);

  Doubles operator()(const Expr& e, const Doubles& values, std::int64_t number = 0) const {
    const Expr inputs[] = {x, k}, outputs[] = {e};
    const Array arguments[] = {Array::from(values), Array::scalar(number)};
    return evaluate(capture(inputs, outputs).graph, arguments)[0].to_vector<double>();
  }
};

}  // namespace

TEST_CASE("slices of extents that only the call knows follow Python") {
  const Call call;
  const Expr& x = call.x;
  const Dim n = x.dim(0), k = Dim::value(call.k);
  CHECK(call(x(from(1)) - x(until(-1)), {1, 4, 9}) == Doubles{3, 5});
  CHECK(call(x(from(1)) - x(until(-1)), {1}).empty());
  CHECK(call(x(from(1)), {}).empty());
  CHECK(call(x(from(-2)), {7}) == Doubles{7});
  CHECK(call(x(range(1, n - 1)), {1, 2, 3, 4}) == Doubles{2, 3});
  CHECK(call(x(Range{{}, {}, -1}), {1, 2, 3}) == Doubles{3, 2, 1});
  CHECK(call(x(Range{{}, {}, 2}), {1, 2, 3}) == Doubles{1, 3});
  CHECK(call(x(Range{-1, 0, -2}), {1, 2, 3, 4}) == Doubles{4, 2});
  CHECK(call(x(-1), {1, 2}) == Doubles{2});
  CHECK_THROWS_AS(call(x(-1), {}), ValueError);
  CHECK_THROWS_AS(call(x(2), {1, 2}), ValueError);
  CHECK(call(x(until(k)), {1, 2, 3}, 2) == Doubles{1, 2});
  CHECK(call(x(until(k)), {1, 2, 3}, -1) == Doubles{1, 2});
  CHECK(call(x(from(k)), {1, 2, 3}, -1) == Doubles{3});
  CHECK(call(x(until(k)), {1, 2, 3}, 9) == Doubles{1, 2, 3});
  CHECK(call(x(call.k), {1, 2, 3}, -3) == Doubles{1});
  CHECK_THROWS_AS(call(x(call.k), {1, 2, 3}, 3), ValueError);
}

TEST_CASE("an extremum of nothing is an error, a logsumexp is not") {
  const Call call;
  CHECK_THROWS_AS(call(max(call.x), {}), ValueError);
  CHECK_THROWS_AS(call(cast(argmin(call.x), DType::float64), {}), ValueError);
  CHECK(call(max(call.x), {3, 4}) == Doubles{4});
  CHECK(call(logsumexp(call.x), {}) == Doubles{-infinite});
  CHECK(std::isnan(call(mean(call.x), {})[0]));
}

TEST_CASE("reshapes of symbolic extents") {
  const Call call;
  const Expr pairs = reshape(call.x, {-1, 2});
  CHECK(call(sum(pairs, 0), {1, 2, 3, 4}) == Doubles{4, 6});
  CHECK_THROWS_AS(call(sum(pairs, 0), {1, 2, 3}), ValueError);
  const Expr table = call.x * expand_dims(call.x, 1);
  CHECK(call(reshape(transpose(expand_dims(table, 0), {1, 0, 2}), {-1}), {2, 3}) ==
        Doubles{4, 6, 6, 9});
}

TEST_CASE("loops and ranges whose count only the call knows") {
  const Call call;
  const Expr first[] = {call.x};
  const std::vector<Expr> y = fori(
      call.k, first, [](Expr, std::span<const Expr> s) { return std::vector<Expr>{s[0] * 2}; });
  CHECK(call(y[0], {1, 3}, 3) == Doubles{8, 24});
  CHECK(call(y[0], {1, 3}, 0) == Doubles{1, 3});
  CHECK(call(sum(arange(call.k, DType::float64)), {}, 4) == Doubles{6});
  CHECK_THROWS_AS(call(sum(arange(call.k, DType::float64)), {}, -1), ValueError);
}
