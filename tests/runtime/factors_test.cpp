// Factors of matrices, determinants, inverses of any rank and functions of matrices: compiled
// against the reference, identities, failures, threads.
#include <cmath>
#include <limits>

#include "passes/derivatives/gradient.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"
#include "tests/support/matrix_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Expr turned(const Expr& x) {
  IntList axes{1, 0};
  if (x.rank() == 3) axes = {0, 2, 1};
  return transpose(x, axes);
}

Expr scaled_columns(const Expr& x, const Expr& s) { return x * expand_dims(s, -2); }

Array values_of(const Expr& e) { return compile({}, {e})(std::vector<Array>{})[0]; }

Expr matrix_of(std::vector<double> values, std::int64_t rows, std::int64_t columns) {
  return Expr(Array::from(values).reshape({rows, columns}));
}

double largest_element(const Expr& e) { return values_of(max(absolute(e))).item<double>(); }

}  // namespace

TEST_CASE("factors of matrices of any shape agree with the reference") {
  for (const DType t : {float64, float32}) {
    Samples random(5);
    gnomon::test::Batch batch(fmt::format("factors_{}", name_of(t)));
    const double error = t == float32 ? 3e-4 : 1e-11;
    const Dim b = Dim::symbol("b"), m = Dim::symbol("m"), n = Dim::symbol("n");
    const Expr a = batch.input("a", random.small(t, {3, 4, 5}), {b, m, n});
    for (const Factors size : {Factors::reduced, Factors::complete}) {
      const Qr f = qr(a, size);
      batch.add("q", f.q, error);
      batch.add("r", f.r, error);
      const Svd s = svd(a, size);
      batch.add("s", s.s, error);
      const Expr u = s.u(ellipsis, until(min(m, n))), vh = s.vh(all_of, until(min(m, n)));
      batch.add("u s vh", matmul(scaled_columns(u, s.s), vh), error);
      batch.add("u^T u", matmul(turned(s.u), s.u), error);
      batch.add("vh vh^T", matmul(s.vh, turned(s.vh)), error);
    }
    batch.add("svdvals", svdvals(a), error);
    const LuFactor f = lu_factor(a);
    batch.add("lu", f.lu, error);
    batch.add("pivots", f.pivots);
    batch.add("rows", f.rows);
    batch.add("pinv", pinv(a), error * 100);
    batch.add("rank", matrix_rank(a));
    batch.add("gradient of qr", grad(sum(exp(qr(a).r * 0.1)), a), error * 1000);
    batch.add("gradient of singular values", grad(sum(exp(svdvals(a) * 0.1)), a), error * 10);
    batch.add("gradient of pinv", grad(sum(exp(pinv(a) * 0.1)), a), error * 1e4);
    batch.compile();
    for (const auto& [items, rows, columns] : std::vector<std::array<std::int64_t, 3>>{
             {3, 4, 5}, {2, 5, 4}, {1, 1, 1}, {1, 13, 6}, {2, 0, 3}, {2, 3, 0}, {0, 2, 2}})
      batch.check_with({random.small(t, {items, rows, columns})});
  }
}

TEST_CASE("factors and functions of square matrices agree with the reference") {
  for (const DType t : {float64, float32}) {
    Samples random(7);
    gnomon::test::Batch batch(fmt::format("square_factors_{}", name_of(t)));
    const double error = t == float32 ? 1e-4 : 1e-11;
    const Dim b = Dim::symbol("b"), n = Dim::symbol("n"), k = Dim::symbol("k");
    const Expr a = batch.input("a", regular(random, t, 3, 4), {b, n, n});
    const Expr c = batch.input("c", regular(random, t, 3, 2), {b, k, k});
    const Expr d = batch.input("d", random.small(t, {3, 4, 2}), {b, n, k});
    const Eigh f = eigh(a);
    batch.add("eigenvalues", f.values, error);
    batch.add("v w v^T", matmul(scaled_columns(f.vectors, f.values), turned(f.vectors)), error);
    batch.add("v^T v", matmul(turned(f.vectors), f.vectors), error);
    batch.add("eigvalsh", eigvalsh(a), error);
    batch.add("det", det(a * 0.1), error);
    batch.add("sign", slogdet(-a).sign);
    batch.add("log|det|", slogdet(-a).logabsdet, error);
    batch.add("cofactors", apply(op::cofactors, {a * 0.1}), error);
    batch.add("inv", inv(a), error);
    batch.add("symmetric pinv", pinv(a, {.hermitian = true}), error);
    batch.add("symmetric rank", matrix_rank(a, {.hermitian = true}));
    batch.add("expm", expm(a * 0.05), error);
    batch.add("solve_sylvester", solve_sylvester(a, c, d), error);
    batch.add("gradient of eigenvectors",
              grad(sum(square(matmul(f.vectors * f.vectors, exp(f.values * 0.1)))), a),
              error * 1e3);
    batch.add("gradient of det", grad(sum(det(a * 0.1)), a), error * 10);
    batch.add("gradient of expm", grad(sum(expm(a * 0.05)), a), error * 10);
    batch.compile();
    for (const auto& [items, order, other] : std::vector<std::array<std::int64_t, 3>>{
             {3, 4, 2}, {1, 1, 3}, {2, 9, 1}, {2, 0, 2}, {0, 3, 3}})
      batch.check_with({regular(random, t, items, order), regular(random, t, items, other),
                        random.small(t, {items, order, other})});
  }
}

TEST_CASE("factors multiply to the matrix and have the structure they promise") {
  const Array x = Samples(11).small(float64, {70, 40});
  const Expr a = barrier(Expr(x));
  const Qr f = qr(a);
  CHECK(largest_element(matmul(f.q, f.r) - a) < 1e-13);
  CHECK(largest_element(matmul(turned(f.q), f.q) - eye(40)) < 1e-14);
  const Svd s = svd(a);
  CHECK(largest_element(matmul(scaled_columns(s.u, s.s), s.vh) - a) < 1e-13);
  const Expr square = matmul(turned(a), a);
  const Eigh e = eigh(square);
  CHECK(largest_element(matmul(square, e.vectors) - scaled_columns(e.vectors, e.values)) < 1e-11);
  CHECK(largest_element(e.values(range(1, 40)) - e.values(until(39)) -
                        absolute(e.values(range(1, 40)) - e.values(until(39)))) == 0);
  const Expr p = pinv(a);
  CHECK(largest_element(matmul(p, a) - eye(40)) < 1e-13);
  const LuFactor lu = lu_factor(square);
  const Expr i = expand_dims(arange(40), 1), j = arange(40);
  const Expr lower = where(i > j, lu.lu, cast(equal(i, j), float64));
  CHECK(largest_element(matmul(lower, where(i <= j, lu.lu, 0)) - take(square, lu.rows)) < 1e-11);
}

TEST_CASE("determinants of singular matrices are 0 and have their derivative") {
  // Of rank 2: the cofactors of [[1, 2, 3], [4, 5, 6], [7, 8, 9]] are these integers.
  const Expr a = barrier(matrix_of({1, 2, 3, 4, 5, 6, 7, 8, 9}, 3, 3));
  const Expr wanted = matrix_of({-3, 6, -3, 6, -12, 6, -3, 6, -3}, 3, 3);
  CHECK(largest_element(det(a)) < 1e-14);
  CHECK(largest_element(grad(det(a), a) - wanted) < 1e-13);
  // An exact zero pivot; then rank 1, where all cofactors are 0; then order 1.
  const Expr b = barrier(matrix_of({1, 2, 2, 4}, 2, 2));
  CHECK(values_of(det(b)).item<double>() == 0);
  CHECK(largest_element(grad(det(b), b) - matrix_of({4, -2, -2, 1}, 2, 2)) < 1e-14);
  const Expr c = barrier(matrix_of(std::vector<double>(9, 1.0), 3, 3));
  CHECK(largest_element(grad(det(c), c)) < 1e-14);
  const Expr one = barrier(matrix_of({0}, 1, 1));
  CHECK(values_of(grad(det(one), one)).to_vector<double>() == std::vector<double>{1});
  const SlogDet f = slogdet(b);
  CHECK(values_of(f.sign).item<double>() == 0);
  CHECK(values_of(f.logabsdet).item<double>() == -std::numeric_limits<double>::infinity());
}

TEST_CASE("equal eigenvalues give the derivatives of what does not depend on their basis") {
  const Expr a = barrier(eye(3) * 2.0);
  const Eigh f = eigh(a);
  CHECK(largest_element(grad(sum(f.values * f.values), a) - eye(3) * 4.0) < 1e-14);
  const Svd s = svd(a);
  CHECK(largest_element(grad(sum(s.s), a) - eye(3)) < 1e-14);
  CHECK(largest_element(grad(sum(pinv(a) * eye(3)), a) + eye(3) * 0.25) < 1e-14);
}

TEST_CASE("small singular values do not count") {
  const Expr a = barrier(matrix_of({1, 0, 0, 1e-3, 0, 0}, 3, 2));
  const auto rank_of = [&](double rtol) {
    return values_of(matrix_rank(a, {.rtol = constant(rtol, float64)})).item<std::int64_t>();
  };
  CHECK(values_of(matrix_rank(a)).item<std::int64_t>() == 2);
  CHECK(rank_of(1e-2) == 1);
  CHECK(rank_of(1) == 0);
  CHECK(largest_element(pinv(a, {.rtol = constant(1e-2, float64)}) -
                        matrix_of({1, 0, 0, 0, 0, 0}, 2, 3)) < 1e-15);
  CHECK(largest_element(lstsq(a, matrix_of({1, 2, 3}, 3, 1)) - matrix_of({1, 2000}, 2, 1)) < 1e-12);
}

TEST_CASE("exponentials are those of closed forms, whatever the norm") {
  const double angle = 100;
  const Expr turn = barrier(matrix_of({0, -angle, angle, 0}, 2, 2));
  const Expr wanted =
      matrix_of({std::cos(angle), -std::sin(angle), std::sin(angle), std::cos(angle)}, 2, 2);
  CHECK(largest_element(expm(turn) - wanted) < 1e-12);
  const Expr nilpotent = barrier(matrix_of({0, 1e3, 0, 0}, 2, 2));
  CHECK(largest_element(expm(nilpotent) - matrix_of({1, 1e3, 0, 1}, 2, 2)) < 1e-9);
  CHECK(std::isnan(largest_element(expm(turn * std::numeric_limits<double>::infinity()))));
  // One batch, norms far apart.
  const Expr both = expm(stack({turn, turn * 1e-9}, 0));
  CHECK(largest_element(both(0) - wanted) < 1e-12);
  CHECK(largest_element(both(1) - eye(2) - turn * 1e-9) < 1e-13);
}

TEST_CASE("matrices without factors name the op and the matrix") {
  const Expr a = tensor("a", float64, {Dim::symbol("b"), 2, 2});
  Array x = Array::from(std::vector<double>{1, 0, 0, 1, 1, 0, std::nan(""), 1}).reshape({2, 2, 2});
  const auto says = [&](const Expr& y, const std::string& start) {
    const Function f = compile({a}, {y});
    CHECK(message_of([&] { (void)f(x); }).find(start) == 0);
  };
  for (const Expr& y : {eigh(a).values, eigvalsh(a), svd(a).u, svdvals(a)})
    says(y, fmt::format("{}: the matrix has numbers that are not finite, or the iteration did not "
                        "converge (matrix 1 of the batch)",
                        y.value().op().name));
  says(solve_sylvester(a, a * -1.0, a),
       "solve_sylvester: no solution: a and -b have a common eigenvalue");
}

TEST_CASE("shapes that have no such factors are refused") {
  const Expr wide = tensor("w", float64, {2, 3}), flat = tensor("v", float64, {3});
  CHECK_THROWS_AS((void)eigh(wide), ValueError);
  CHECK_THROWS_AS((void)eigvalsh(wide), ValueError);
  CHECK_THROWS_AS((void)det(wide), ValueError);
  CHECK_THROWS_AS((void)slogdet(wide), ValueError);
  CHECK_THROWS_AS((void)inv(wide), ValueError);
  CHECK_THROWS_AS((void)expm(wide), ValueError);
  CHECK_THROWS_AS((void)pinv(wide, {.hermitian = true}), ValueError);
  CHECK_THROWS_AS((void)solve_sylvester(wide, wide, wide), ValueError);
  for (const auto& f : {qr, +[](const Arg& x, Factors) { return qr(svdvals(x)); }})
    CHECK_THROWS_AS((void)f(flat, Factors::reduced), ValueError);
}

TEST_CASE("factors of a batch have the same bits on any number of threads") {
  Samples random(3);
  const Expr a = tensor("a", float64, {Dim::symbol("m"), 20, 20});
  const std::vector<Output> outputs = {
      qr(a).q, eigh(a).vectors,         svd(a).u, lu_factor(a).lu, det(a),
      expm(a), solve_sylvester(a, a, a)};
  const Array x = regular(random, float64, 60, 20);
  std::vector<Array> first;
  for (const int threads : {1, 2, 5}) {
    CompileOptions options;
    options.threads = threads;
    Results results = compile({a}, outputs, {}, options)(x);
    std::vector<Array> y;
    for (std::size_t i = 0; i < outputs.size(); ++i) y.push_back(results.take(i));
    if (first.empty()) first = y;
    for (std::size_t i = 0; i < y.size(); ++i) CHECK(difference(y[i], first[i], 0) == "");
  }
}
