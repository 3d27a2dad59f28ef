// Factorisations and linear systems: compiled against the reference, failures, threads.
#include <cmath>
#include <limits>
#include <numeric>

#include "passes/derivatives/gradient.h"
#include "runtime/threads.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"
#include "tests/support/matrix_support.h"

using namespace gnomon;
using namespace gnomon::test;

TEST_CASE("cholesky, solve_triangular and solve agree with the reference") {
  for (const DType t : {float64, float32}) {
    Samples random(57);
    gnomon::test::Batch batch(fmt::format("linalg_{}", name_of(t)));
    const double error = t == float32 ? 1e-4 : 1e-11;
    const Dim n = Dim::symbol("n"), k = Dim::symbol("k"), m = Dim::symbol("m");
    const Expr a = batch.input("a", regular(random, t, 3, 5), {m, n, n});
    const Expr b = batch.input("b", random.small(t, {3, 5, 2}), {m, n, k});
    const Expr v = batch.input("v", random.small(t, {5}), {n});
    const Expr square = matmul(a, transpose(a, {0, 2, 1}));
    const Expr factor = cholesky(square);
    batch.add("cholesky", factor, error);
    batch.add("log determinant", sum(log(sum(factor * factor, 2)), 1), error);
    for (const bool lower : {true, false})
      for (const bool transposed : {true, false})
        batch.add(fmt::format("triangular {} {}", lower, transposed),
                  solve_triangular(a, b, lower, transposed), error);
    batch.add("triangular by vector", solve_triangular(a, v), error);
    batch.add("solve", solve(a, b), error);
    batch.add("solve vector", solve(a, v), error);
    batch.add("solve one for all", solve(a(0), b), error);
    batch.add("gradient", grad(sum(exp(factor * 0.01)), a), error * 100);
    batch.add("gradient of solve", grad(sum(solve(a, b) * b), a), error * 100);
    batch.compile();
    for (const auto& [items, order, columns] : std::vector<std::array<std::int64_t, 3>>{
             {3, 5, 2}, {1, 1, 1}, {2, 17, 3}, {1, 40, 1}, {4, 0, 2}, {1, 3, 0}})
      batch.check_with({regular(random, t, items, order), random.small(t, {items, order, columns}),
                        random.small(t, {order})});
  }
}

TEST_CASE("determinants of few rows are exact where their products are") {
  Samples random(58);
  for (const DType t : {float64, float32})
    for (const std::int64_t n : {1, 2, 3, 4}) {
      gnomon::test::Batch batch("few rows");
      const Expr a =
          batch.input("a", random.small(t, {7, n, n}), {Dim::symbol("m"), Dim(n), Dim(n)});
      batch.add("det", det(a), t == float32 ? 1e-4 : 1e-12);
      batch.add("gradient", grad(sum(square(det(a))), a), t == float32 ? 1e-3 : 1e-10);
      CHECK(batch.check());
      for (const std::int64_t items : {0, 1, 70})
        CHECK(batch.check_with({random.small(t, {items, n, n})}));
    }
  const Expr three = tensor("a", float64, {3, 3});
  std::vector<double> numbers(9);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  const Function f = compile({three}, {det(three)});
  CHECK(f(Array::from(numbers).reshape({3, 3}))[0].item<double>() == 0);
}

TEST_CASE("matrices without a result name the op, the matrix and the pivot") {
  const Expr a = tensor("a", float64, {Dim::symbol("m"), 2, 2}), b = tensor("b", float64, {2, 1});
  const auto run = [&](const Expr& y, std::vector<double> values) {
    const Function f = compile({a, b}, {y});
    const Array matrices =
        Array::from(values).reshape({static_cast<std::int64_t>(values.size()) / 4, 2, 2});
    const Array sides = Array::from(std::vector<double>{1, 2}).reshape({2, 1});
    return message_of([&] { (void)f(matrices, sides); });
  };
  const std::vector<double> second = {4, 1, 1, 3, 1, 2, 2, 1};
  CHECK(run(cholesky(a) + sum(b), second)
            .find("cholesky: the matrix is not positive definite (leading minor 2 of 2, matrix 1 "
                  "of the "
                  "batch)") == 0);
  CHECK(run(solve(a, b), {1, 2, 2, 4})
            .find("solve: the matrix is singular: pivot 2 is 0 (matrix 0 of the batch)") == 0);
  CHECK(
      run(solve_triangular(a, b), {1, 2, 2, 0})
          .find("solve_triangular: the matrix is singular: 0 on the diagonal at 2 (matrix 0 of the "
                "batch)") == 0);
  CHECK(run(cholesky(a) + sum(b), {std::nan(""), 0, 0, 1}).find("cholesky: the matrix") == 0);
}

TEST_CASE("shapes that are no systems are refused") {
  const Expr a = tensor("a", float64, {3, 3}), wide = tensor("w", float64, {2, 3});
  CHECK_THROWS_AS((void)cholesky(wide), ValueError);
  CHECK_THROWS_AS((void)cholesky(tensor("v", float64, {3})), ValueError);
  CHECK_THROWS_AS((void)solve(a, wide), ValueError);
  CHECK_THROWS_AS((void)solve(a, constant(1.0, float64)), ValueError);
}

TEST_CASE("batches give the same bits on any number of threads") {
  Samples random(3);
  const Expr a = tensor("a", float64, {Dim::symbol("m"), 24, 24});
  const std::vector<Output> outputs = {cholesky(matmul(a, transpose(a, {0, 2, 1}))),
                                       solve(a, transpose(a, {0, 2, 1}))};
  const Array x = regular(random, float64, 300, 24);
  std::vector<Array> first;
  for (const int threads : {1, 2, 5}) {
    CompileOptions options;
    options.threads = threads;
    Results results = compile({a}, outputs, {}, options)(x);
    const std::vector<Array> y = {results.take(0), results.take(1)};
    if (first.empty()) first = y;
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(difference(y[i], first[i], 0) == "");
  }
}
