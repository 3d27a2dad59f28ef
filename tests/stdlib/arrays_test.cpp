// NumPy's arrangements, statistics and einsum as functions over expressions: values of NumPy 2.
#include <array>

#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/einsum.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/reductions/statistics.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct ArrayRow {
  Expr value;
  std::vector<double> expected;
};

// x, v and m are inputs: their extents are known in one test, symbols in the other.
std::vector<ArrayRow> array_rows(const Expr& x, const Expr& v, const Expr& m) {
  return {
      {flip(x), {-1, 5, 0, 2, 1, 3}},
      {flip(x, 1), {2, 1, 3, -1, 5, 0}},
      {roll(x, 2), {1, 2, 3, 5, -1, 0}},
      {roll(x, -1, 0), {0, 5, -1, 3, 1, 2}},
      {rot90(x), {2, -1, 1, 5, 3, 0}},
      {rot90(x, 3), {0, 3, 5, 1, -1, 2}},
      {rot90(x, -2), {-1, 5, 0, 2, 1, 3}},
      {tile(v, {2, 3}), {1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4, 1, 2, 4}},
      {tile(x, {2}), {3, 1, 2, 3, 1, 2, 0, 5, -1, 0, 5, -1}},
      {repeat(x, 2, 0), {3, 1, 2, 3, 1, 2, 0, 5, -1, 0, 5, -1}},
      {split(x, 3, 1)[2], {2, -1}},
      {split_at(v, {1, 2})[2], {4}},
      {pad(x, {{1, 0}, {0, 2}}, PadMode::constant, 7),
       {7, 7, 7, 7, 7, 3, 1, 2, 7, 7, 0, 5, -1, 7, 7}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::edge),
       {3,  3,  3,  3,  3,  1,  2,  2,  2, 2, 2,  2,  0,  0,  0,  0,  0,  5,  -1, -1,
        -1, -1, -1, -1, 0,  0,  0,  0,  0, 5, -1, -1, -1, -1, -1, -1, 0,  0,  0,  0,
        0,  5,  -1, -1, -1, -1, -1, -1, 0, 0, 0,  0,  0,  5,  -1, -1, -1, -1, -1, -1}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::reflect),
       {3, 1, 2,  1, 3, 1, 2,  1, 3, 1, 2, 1, 0, 5, -1, 5, 0, 5, -1, 5,
        0, 5, -1, 5, 3, 1, 2,  1, 3, 1, 2, 1, 3, 1, 2,  1, 0, 5, -1, 5,
        0, 5, -1, 5, 0, 5, -1, 5, 3, 1, 2, 1, 3, 1, 2,  1, 3, 1, 2,  1}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::symmetric),
       {2, 2, 1, 3, 3,  1,  2, 2, 1, 3, 3,  1,  -1, -1, 5, 0, 0, 5, -1, -1,
        5, 0, 0, 5, -1, -1, 5, 0, 0, 5, -1, -1, 5,  0,  0, 5, 2, 2, 1,  3,
        3, 1, 2, 2, 1,  3,  3, 1, 2, 2, 1,  3,  3,  1,  2, 2, 1, 3, 3,  1}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::wrap),
       {2, 3,  1,  2, 3, 1,  2, 3, 1, 2, 3, 1, -1, 0, 5, -1, 0,  5, -1, 0,
        5, -1, 0,  5, 2, 3,  1, 2, 3, 1, 2, 3, 1,  2, 3, 1,  -1, 0, 5,  -1,
        0, 5,  -1, 0, 5, -1, 0, 5, 2, 3, 1, 2, 3,  1, 2, 3,  1,  2, 3,  1}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::maximum),
       {3, 3, 3, 3, 3, 1, 2, 3, 3, 3, 3, 3, 5, 5, 5, 5, 0, 5, -1, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 5,
        2, 5, 5, 5, 5, 5, 5, 5, 5, 5, 3, 5, 2, 5, 5, 5, 5, 5, 5,  5, 5, 5, 3, 5, 2, 5, 5, 5, 5, 5}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::mean),
       {2,
        2,
        2,
        2,
        3,
        1,
        2,
        2,
        2,
        2,
        2,
        2,
        1.3333333333333333,
        1.3333333333333333,
        1.3333333333333333,
        1.3333333333333333,
        0,
        5,
        -1,
        1.3333333333333333,
        1.3333333333333333,
        1.3333333333333333,
        1.3333333333333333,
        1.3333333333333333,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.5,
        3,
        0.5,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.5,
        3,
        0.5,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.5,
        3,
        0.5,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667,
        1.6666666666666667}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::median),
       {2,   2,   2,   2,   3,   1,   2,   2,   2,   2,   2,   2,   0,   0,   0,
        0,   0,   5,   -1,  0,   0,   0,   0,   0,   1.5, 1.5, 1.5, 1.5, 1.5, 3,
        0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 3,   0.5, 1.5, 1.5,
        1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 1.5, 3,   0.5, 1.5, 1.5, 1.5, 1.5, 1.5}},
      {pad(x, {{0, 3}, {4, 5}}, PadMode::minimum),
       {1,  1,  1,  1,  3,  1,  2,  1,  1,  1,  1,  1,  -1, -1, -1, -1, 0,  5,  -1, -1,
        -1, -1, -1, -1, -1, -1, -1, -1, 0,  1,  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
        0,  1,  -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, 0,  1,  -1, -1, -1, -1, -1, -1}},
      {diagonal(m, 1), {1, 6, 11}},
      {diagonal(m, -2), {8}},
      {diag(v, -1), {0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 4, 0}},
      {trace(m), {15}},
      {tril(m, 1), {0, 1, 0, 0, 4, 5, 6, 0, 8, 9, 10, 11}},
      {triu(m), {0, 1, 2, 3, 0, 5, 6, 7, 0, 0, 10, 11}},
      {kron(x, m), {0,  3,  6,  9,  0,  1,  2,  3,  0,  2,  4,  6,  12, 15, 18, 21, 4,   5,
                    6,  7,  8,  10, 12, 14, 24, 27, 30, 33, 8,  9,  10, 11, 16, 18, 20,  22,
                    0,  0,  0,  0,  0,  5,  10, 15, -0, -1, -2, -3, 0,  0,  0,  0,  20,  25,
                    30, 35, -4, -5, -6, -7, 0,  0,  0,  0,  40, 45, 50, 55, -8, -9, -10, -11}},
      {linspace(1, 2, 4), {1, 1.3333333333333333, 1.6666666666666665, 2}},
      {geomspace(1, 100, 3), {1, 10, 100}},
      {var(x), {3.8888888888888893}},
      {var(x, 0, 1), {4.5, 8, 4.5}},
      {stddev(x, 1), {0.81649658092772603, 2.6246692913372702}},
      {ptp(x, 0), {3, 4, 3}},
      {average(x, v, 1), {1.8571428571428572, 0.8571428571428571}},
      {norm(v), {4.5825756949558398}},
      {norm(v, 1), {7}},
      {norm(v, 3), {4.1793391963812319}},
      {norm(v, inf), {4}},
      {norm(x, 0, 0), {1, 2, 2}},
      {cov(x), {1, -2.5, -2.5, 10.333333333333334}},
      {diff(v), {1, 2}},
      {trapezoid(v, 0.5), {2.25}},
      {take_along_axis(x, argsort(x)), {1, 2, 3, -1, 0, 5}},
      {meshgrid(std::vector<Expr>{v, v})[1], {1, 2, 4, 1, 2, 4, 1, 2, 4}},
      {einsum("ij,kj->ik", {x, x}), {14, 3, 3, 26}},
      {einsum("ij,j,kl->il", {x, v, m}), {156, 195, 234, 273, 72, 90, 108, 126}},
      {einsum("ii->i", {kron(v(newaxis), v(all_of, newaxis))}), {1, 4, 16}},
  };
}

void check_array_rows(const Expr& x, const Expr& v, const Expr& m) {
  const std::vector<ArrayRow> all = array_rows(x, v, m);
  std::vector<Output> outputs;
  for (std::size_t i = 0; i < all.size(); ++i)
    outputs.emplace_back("y" + std::to_string(i), all[i].value);
  const Function f = compile({x, v, m}, outputs);
  const Array a =
      Array::from(std::vector<double>{3, 1, 2, 0, 5, -1}, std::vector<std::int64_t>{2, 3});
  const Array b = Array::from(std::vector<double>{1, 2, 4});
  std::vector<double> numbers;
  for (int i = 0; i < 12; ++i) numbers.push_back(i);
  const Array c = Array::from(numbers, std::vector<std::int64_t>{3, 4});
  const Results found = f(std::vector<Array>{a, b, c});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Array y = found[i].contiguous();
    CAPTURE(i);
    CAPTURE(describe(all[i].value));
    REQUIRE(y.size() == static_cast<std::int64_t>(all[i].expected.size()));
    for (std::int64_t k = 0; k < y.size(); ++k)
      CHECK(y.data<double>()[k] == doctest::Approx(all[i].expected[static_cast<std::size_t>(k)]));
  }
}

}  // namespace

TEST_CASE("arrangements and statistics of arrays of known extents are NumPy's") {
  check_array_rows(tensor("x", float64, {2, 3}), tensor("v", float64, {3}),
                   tensor("m", float64, {3, 4}));
}

TEST_CASE("arrangements and statistics of arrays of any extents are NumPy's") {
  const Dim n = Dim::symbol("n");
  check_array_rows(tensor("x", float64, {Dim::symbol("k"), n}), tensor("v", float64, {n}),
                   tensor("m", float64, {n, Dim::symbol("l")}));
}

TEST_CASE("arrangements that cannot be are errors") {
  const Expr x = tensor("x", float64, {2, 3});
  CHECK_THROWS_AS(split(x, 2, 1), ValueError);
  CHECK_THROWS_AS(rot90(x, 1, 0, 0), ValueError);
  CHECK_THROWS_AS(pad(x, {{1, 1}}), ValueError);
  CHECK_THROWS_AS(diag(x), ValueError);
  CHECK_THROWS_AS(einsum("ij->k", {x}), ValueError);
  CHECK_THROWS_AS(einsum("ij,jk", {x}), ValueError);
  CHECK_THROWS_AS(einsum("ij,ij->", {x, tensor("y", float64, {2, 4})}), ValueError);
}

TEST_CASE("a chain of products is joined in the order of least work") {
  const Expr a = tensor("a", float64, {2, 300}), b = tensor("b", float64, {300, 300});
  const Expr v = tensor("v", float64, {300});
  // (a b) b v costs 2 * 300^2 twice; a (b (b v)) costs 300^2 twice.
  const Expr chain = einsum("ij,jk,kl,l->i", {a, b, b, v});
  std::size_t largest = 0;
  for (const Node* node : topological_order(std::array{chain.value()}))
    for (const Type& t : node->types()) {
      const Dim n = element_count(t.shape);
      if (node->op().name == "dot")
        largest = std::max(largest, static_cast<std::size_t>(n.constant()));
    }
  CHECK(largest == 300);
}
