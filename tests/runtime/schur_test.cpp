// Schur forms, banded systems and Riccati's equations: identities, order of eigenvalues, dense
// systems, derivatives, errors.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <limits>

#include "passes/derivatives/gradient.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"
#include "tests/support/complex_support.h"
#include "tests/support/matrix_support.h"

using namespace gnomon;
using namespace gnomon::test;
using C = std::complex<double>;

namespace {

Expr product_of_three(const Expr& a, const Expr& b, const Expr& c) {
  return matmul(matmul(a, b), c);
}

Array random_array(DType t, std::vector<std::int64_t> shape, std::uint64_t seed) {
  Samples random(seed);
  std::int64_t count = 1;
  for (const std::int64_t n : shape) count *= n;
  std::vector<C> z;
  for (std::int64_t k = 0; k < count; ++k)
    z.emplace_back(random.uniform(-2, 2), random.uniform(-2, 2));
  if (t == complex128) return Array::from(z, shape);
  std::vector<double> x;
  for (const C c : z) x.push_back(c.real());
  return Array::from(x, shape);
}

/// What is below the diagonal, or the one beside it of floats.
Expr below(const Expr& x, std::int64_t distance) {
  const Expr row = expand_dims(arange(x.dim(-2)), 1), column = arange(x.dim(-1));
  return where(row - column > distance, x, 0);
}

}  // namespace

TEST_CASE("Schur forms of floats and of complex numbers are what they must be") {
  for (const DType t : {float64, complex128}) {
    const Dim batch = Dim::symbol("b"), n = Dim::symbol("n");
    const Expr a = tensor("a", t, {batch, n, n}), b = tensor("b", t, {batch, n, n});
    const Schur s = schur(a);
    const Qz g = qz(a, b);
    const std::int64_t distance = is_complex(t) ? 0 : 1;
    const Expr one = eye(n, t), ends = matmul(adjoint_of(g.q), g.q);
    CHECK(g.alpha.dtype() == complex128);
    CHECK(g.beta.dtype() == t);
    const Function f = compile(
        {a, b},
        {absolute(product_of_three(s.z, s.t, adjoint_of(s.z)) - a), absolute(below(s.t, distance)),
         absolute(matmul(adjoint_of(s.z), s.z) - one),
         absolute(product_of_three(g.q, g.s, adjoint_of(g.z)) - a), absolute(below(g.s, distance)),
         absolute(product_of_three(g.q, g.t, adjoint_of(g.z)) - b), absolute(below(g.t, 0)),
         absolute(ends - one), absolute(matmul(adjoint_of(g.z), g.z) - one),
         // det(a) prod(beta) = det(b) prod(alpha)
         absolute(cast(det(a), complex128) * cast(prod(g.beta, -1), complex128) -
                  cast(det(b), complex128) * prod(g.alpha, -1))});
    for (const std::int64_t order : {1, 2, 5, 0}) {
      const Results got =
          f(random_array(t, {3, order, order}, 3), random_array(t, {3, order, order}, 4));
      for (std::size_t k = 0; k < got.size(); ++k) {
        CAPTURE(k);
        CAPTURE(order);
        CHECK(largest(got[k]) <= (k < 9 ? 1e-13 : 1e-8));
      }
    }
  }
}

TEST_CASE("chosen eigenvalues come first") {
  using enum EigenvalueOrder;
  for (const DType t : {float64, complex128})
    for (const EigenvalueOrder order : {left, right, inside, outside}) {
      const Expr a = matrix("a", t), b = matrix("b", t);
      const Schur s = schur(a, order);
      const Qz g = qz(a, b, order);
      const Expr place = arange(a.dim(0));
      const Expr on_diagonal = equal(expand_dims(place, 1), place);
      // The eigenvalues of leading blocks; of floats those of a block by its trace and determinant.
      const Function f =
          compile({a, b}, {eigvals(s.t), cast(sum(where(on_diagonal, s.t, 0), -1), complex128),
                           g.alpha / cast(g.beta, complex128)});
      const Results got = f(random_array(t, {6, 6}, 5), random_array(t, {6, 6}, 6));
      const auto chosen = [&](C z) {
        switch (order) {
          case left: return z.real() < 0;
          case right: return z.real() >= 0;
          case inside: return std::abs(z) <= 1;
          default: return std::abs(z) > 1;
        }
      };
      for (const std::size_t k : {std::size_t{0}, std::size_t{2}}) {
        CAPTURE(k);
        bool ended = false;
        for (const C z : got[k].to_vector<C>()) {
          CHECK_FALSE((ended && chosen(z)));
          ended = ended || !chosen(z);
        }
      }
    }
}

TEST_CASE("banded systems have the solutions of dense ones") {
  for (const DType t : {float64, complex128})
    for (const auto& [below_count, above] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {0, 2}, {2, 0}, {3, 1}, {0, 0}}) {
      const Dim batch = Dim::symbol("b"), n = Dim::symbol("n"), k = Dim::symbol("k");
      const std::int64_t rows = below_count + above + 1;
      const Expr band = tensor("band", t, {batch, rows, n}), b = tensor("b", t, {batch, n, k});
      const Expr row = expand_dims(arange(n), 1), column = arange(n);
      Expr dense = full({batch, n, n}, constant(0.0, t));
      for (std::int64_t d = 0; d < rows; ++d)
        dense = dense + where(equal(row - column, d - above), expand_dims(band(all_of, d), -2), 0);
      const Expr x = solve_banded(below_count, above, band, b);
      const Expr cost = sum(square(absolute(x)));
      const Expr wanted = solve(dense, b), wanted_cost = sum(square(absolute(wanted)));
      const Expr inputs[] = {band, b};
      const std::vector<Expr> found = grad(cost, inputs), right = grad(wanted_cost, inputs);
      const Expr outputs[] = {x, wanted, found[0], right[0], found[1], right[1]};
      const Function f = compile({band, b}, outputs);
      for (const std::int64_t order : {1, 2, 7, 0}) {
        CAPTURE(order);
        CAPTURE(rows);
        Array diagonals = random_array(t, {2, rows, order}, 7);
        const Results got = f(diagonals, random_array(t, {2, order, 3}, 8));
        for (const std::size_t i : {0, 2, 4})
          CHECK(difference(as_pairs(got[i]), as_pairs(got[i + 1]), 1e-7) == "");
      }
      const Expr both[] = {x, found[0]};
      const Array values[] = {random_array(t, {2, rows, 4}, 7), random_array(t, {2, 4, 3}, 8)};
      const std::vector<Array> reference = evaluate_complex(inputs, both, values);
      const Results got = f(values);
      CHECK(difference(as_pairs(got[0]), as_pairs(reference[0]), 1e-9) == "");
      CHECK(difference(as_pairs(got[2]), as_pairs(reference[1]), 1e-7) == "");
    }
}

TEST_CASE("Riccati's equation has its stabilizing solution") {
  for (const DType t : {float64, complex128}) {
    const Dim batch = Dim::symbol("b"), n = Dim::symbol("n"), m = Dim::symbol("m");
    const Expr a = tensor("a", t, {batch, n, n}), b = tensor("b", t, {batch, n, m});
    const Expr q = matmul(a, adjoint_of(a)) + eye(n, t);
    const Expr r = matmul(adjoint_of(b), b) + 0.5 * eye(m, t);
    const Expr x = solve_discrete_are(a, b, q, r), ah = adjoint_of(a), bh = adjoint_of(b);
    const Expr gain = solve(r + product_of_three(bh, x, b), product_of_three(bh, x, a));
    const Expr rest = product_of_three(ah, x, a) - x - matmul(product_of_three(ah, x, b), gain) + q;
    const Expr size = 1.0 + sum(absolute(x), {-2, -1}, keepdims);
    const Function f =
        compile({a, b}, {absolute(rest) / size, absolute(eigvals(a - matmul(b, gain))),
                         absolute(x - adjoint_of(x))});
    for (const auto& [order, inputs] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {3, 2}, {5, 1}, {0, 0}}) {
      CAPTURE(order);
      const Results got =
          f(random_array(t, {2, order, order}, 9), random_array(t, {2, order, inputs}, 10));
      CHECK(largest(got[0]) <= 1e-11);
      CHECK(largest(got[1]) < 1);
      CHECK(largest(got[2]) == 0);
    }
  }
}

TEST_CASE("matrices without a Schur form or solution are errors") {
  const Expr a = matrix("a", float64), b = matrix("b", float64);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array bad = Array::from({1.0, nan, 0.0, 1.0}, {2, 2}), one = Array::from({1.0}, {1, 1});
  const Array zero = Array::from({0.0}, {1, 1}), two = Array::from({2.0}, {1, 1});
  const auto told = [&](const Expr& output, const Array& x, const Array& y) {
    const Function f = compile({a, b}, {output + 0 * sum(a) + 0 * sum(b)});
    return message_of([&] { f(x, y); });
  };
  CHECK(
      told(schur(a).t, bad, bad).starts_with("schur: the matrix has numbers that are not finite"));
  CHECK(told(qz(a, b).s, bad, bad).starts_with("qz: the matrix has numbers that are not finite"));
  const Expr d = tensor("d", float64, {1, 1});
  const Function banded = compile({d, b}, {solve_banded(0, 0, d, b)});
  CHECK(message_of([&] { banded(zero, one); }).starts_with("solve_banded: the matrix is singular"));
  // 2 is not stable, and 0 does not reach it.
  CHECK(told(solve_discrete_are(a, b, a, a), two, zero).starts_with("solve_discrete_are: no stab"));
  CHECK_THROWS_AS((void)solve_banded(1, 1, tensor("x", float64, {2, 4}), b), ValueError);
  CHECK_THROWS_AS((void)solve_banded(-1, 1, a, b), ValueError);
  CHECK_THROWS_AS((void)schur(tensor("x", float64, {2, 3})), ValueError);
  CHECK_THROWS_AS((void)grad(sum(schur(a).t), a), TypeError);
}
