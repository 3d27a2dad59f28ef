// Linear algebra with complex matrices, and eigenvalues of general ones: identities that factors
// must have, the reference evaluator, known values, batches, errors, threads.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <numbers>
#include <string>

#include "passes/derivatives/vectorize.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/complex_compiled.h"
#include "tests/support/matrix_support.h"

using namespace gnomon;
using namespace gnomon::test;
using C = std::complex<double>;

namespace {

Expr by_columns(const Expr& x, const Expr& s) { return x * expand_dims(s, -2); }

/// Complex matrices [count, m, n] of numbers within [-2, 2], with `diagonal` added.
Array matrices(DType t, std::int64_t count, std::int64_t m, std::int64_t n, double diagonal = 0) {
  Samples random(static_cast<std::uint64_t>(100 * m + n));
  std::vector<C> z;
  for (std::int64_t k = 0; k < count * m * n; ++k) {
    const bool on_diagonal = k / n % m == k % n;
    z.emplace_back(random.uniform(-2, 2) + (on_diagonal ? diagonal : 0), random.uniform(-2, 2));
  }
  if (t == complex128) return Array::from(z, {count, m, n});
  return Array::from(std::vector<std::complex<float>>(z.begin(), z.end()), {count, m, n});
}

/// Names and expressions that must be 0.
using Zeros = std::vector<std::pair<std::string, Expr>>;

void check_zeros(const Expr& a, const Zeros& zeros, const std::vector<Array>& values,
                 double tolerance) {
  std::vector<Output> outputs;
  for (const auto& [name, zero] : zeros) outputs.emplace_back(absolute(zero));
  const Function f = compile({a}, outputs);
  for (const Array& value : values) {
    const Results got = f(value);
    for (std::size_t k = 0; k < zeros.size(); ++k) {
      INFO(zeros[k].first << " of " << value.describe());
      CHECK(largest(got[k]) <= tolerance);
    }
  }
}

std::vector<C> sorted(std::vector<C> z) {
  std::ranges::sort(
      z, [](C a, C b) { return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag(); });
  return z;
}

}  // namespace

TEST_CASE("factors of complex matrices of any shape are what they must be") {
  for (const DType t : {complex128, complex64}) {
    const Dim b = Dim::symbol("b"), m = Dim::symbol("m"), n = Dim::symbol("n");
    const Expr a = tensor("a", t, {b, m, n});
    Zeros zeros;
    for (const Factors size : {Factors::reduced, Factors::complete}) {
      const Qr f = qr(a, size);
      zeros.emplace_back("q r - a", matmul(f.q, f.r) - a);
      zeros.emplace_back("q^H q - 1", matmul(adjoint_of(f.q), f.q) - eye(f.q.dim(-1), t));
      zeros.emplace_back(
          "r below",
          f.r - where(expand_dims(arange(f.r.dim(-2)), 1) > arange(f.r.dim(-1)), 0, f.r));
      const Svd s = svd(a, size);
      const Expr u = s.u(ellipsis, until(min(m, n))), vh = s.vh(all_of, until(min(m, n)));
      zeros.emplace_back("u s vh - a", matmul(by_columns(u, s.s), vh) - a);
      zeros.emplace_back("u^H u - 1", matmul(adjoint_of(s.u), s.u) - eye(s.u.dim(-1), t));
      zeros.emplace_back("vh vh^H - 1", matmul(s.vh, adjoint_of(s.vh)) - eye(s.vh.dim(-2), t));
      zeros.emplace_back("svdvals - s", svdvals(a) - s.s);
    }
    const Expr p = pinv(a);
    zeros.emplace_back("a p a - a", matmul(matmul(a, p), a) - a);
    zeros.emplace_back("a p - its adjoint", matmul(a, p) - adjoint_of(matmul(a, p)));
    zeros.emplace_back("rank", cast(matrix_rank(a) - extent(min(m, n)), float64));
    CHECK(svdvals(a).dtype() == part_of(t));
    check_zeros(
        a, zeros,
        {matrices(t, 3, 4, 5), matrices(t, 2, 6, 3), matrices(t, 2, 1, 1), matrices(t, 1, 13, 13),
         matrices(t, 2, 0, 3), matrices(t, 2, 3, 0), matrices(t, 0, 2, 2)},
        t == complex64 ? 1e-4 : 1e-12);
  }
}

TEST_CASE("systems and factors of square complex matrices are what they must be") {
  for (const DType t : {complex128, complex64}) {
    const Dim b = Dim::symbol("b"), n = Dim::symbol("n");
    const Expr a = tensor("a", t, {b, n, n}), one = eye(n, t);
    const Expr ah = adjoint_of(a), sum_of = a + ah, positive = matmul(a, ah) + one;
    const Expr row = expand_dims(arange(n), 1), column = arange(n);
    const Expr low = where(row >= column, a, 0), up = where(row <= column, a, 0);
    const Expr l = cholesky(positive);
    const Eigh e = eigh(sum_of);
    const LuFactor f = lu_factor(a);
    const SlogDet d = slogdet(a);
    const Expr x = solve_sylvester(a, ah, sum_of), g = expm(a * 0.1);
    const Expr at = conj(ah),
               lu = matmul(where(row > column, f.lu, 0) + one, where(row <= column, f.lu, 0));
    const Zeros zeros = {
        {"a a^-1 - 1", matmul(a, inv(a)) - one},
        {"a solve(a, b) - b", matmul(a, solve(a, ah)) - ah},
        {"triangular", matmul(low, solve_triangular(a, ah)) - ah},
        {"upper, transposed",
         matmul(conj(adjoint_of(up)), solve_triangular(a, ah, false, true)) - ah},
        {"l l^H - a", matmul(l, adjoint_of(l)) - positive},
        {"l above", where(row < column, l, 0)},
        {"v w v^H - a", matmul(by_columns(e.vectors, e.values), adjoint_of(e.vectors)) - sum_of},
        {"v^H v - 1", matmul(adjoint_of(e.vectors), e.vectors) - one},
        {"eigvalsh - w", eigvalsh(sum_of) - e.values},
        {"lu - a[rows]", lu - matmul(cast(equal(expand_dims(f.rows, -1), arange(n)), t), a)},
        {"det / (sign exp) - 1", det(a) / (d.sign * exp(d.logabsdet)) - 1.0},
        {"det a^H / det a - 1", conj(det(ah)) / det(a) - 1.0},
        {"cofactors",
         matmul(at, apply(op::cofactors, {a})) / expand_dims(expand_dims(det(a), -1), -1) - one},
        {"sylvester", matmul(a, x) + matmul(x, ah) - sum_of},
        {"expm(-a)", matmul(g, expm(a * -0.1)) - one},
        {"pinv", pinv(sum_of, {.rtol = {}, .hermitian = true}) - inv(sum_of)},
    };
    CHECK(d.logabsdet.dtype() == part_of(t));
    check_zeros(a, zeros,
                {matrices(t, 3, 4, 4, 6), matrices(t, 1, 1, 1, 3), matrices(t, 2, 0, 0),
                 matrices(t, 0, 2, 2), matrices(t, 2, 7, 7, 9)},
                t == complex64 ? 2e-1 : 1e-9);
  }
}

TEST_CASE("complex matrices have the factors that the reference evaluator has") {
  const Expr a = tensor("a", complex128, {2, 3, 3}), z = tensor("z", complex128, {2, 4, 3});
  const Expr positive = matmul(a, adjoint_of(a));
  const Qr f = qr(z);
  const Eigh e = eigh(positive);
  const Svd s = svd(z);
  const Eig g = eig(a);
  const auto invariant = [](const Expr& v) { return v(all_of, 0) * conj(v(all_of, 1)); };
  const Expr inputs[] = {a, z};
  const Expr outputs[] = {inv(a),
                          cholesky(positive),
                          f.q,
                          f.r,
                          e.values,
                          invariant(e.vectors),
                          s.s,
                          invariant(s.u),
                          lu_factor(a).lu,
                          cast(lu_factor(a).rows, float64),
                          det(a),
                          slogdet(a).sign,
                          expm(a),
                          solve_sylvester(a, positive, positive),
                          pinv(z),
                          sum(g.values, 1),
                          sum(absolute(g.values), 1),
                          sum(invariant(g.vectors) * g.values, 1),
                          sum(exp(eigvals(real(a))), 1)};
  const Array values[] = {matrices(complex128, 2, 3, 3, 1), matrices(complex128, 2, 4, 3)};
  check_with_reference(inputs, outputs, values, 1e-11);
}

TEST_CASE("singular complex matrices have determinant 0 and the cofactors of the definition") {
  const Expr a = matrix("a", complex128);
  const Function f = compile({a}, {det(a), apply(op::cofactors, {a}), slogdet(a).logabsdet});
  // Rank 1: cofactors of a 2 x 2 matrix are its elements.
  const std::vector<C> x = {{1, 1}, {2, 0}, {0, 2}, {2, 2}};
  const Results got = f(Array::from(x, {2, 2}));
  CHECK(std::abs(got[0].to_vector<C>()[0]) <= 1e-15);
  const std::vector<C> c = got[1].to_vector<C>(), wanted = {x[3], -x[2], -x[1], x[0]};
  for (std::size_t k = 0; k < 4; ++k) CHECK(std::abs(c[k] - wanted[k]) <= 1e-14);
}

TEST_CASE("eigenvalues and vectors of general matrices, of floats and complex") {
  for (const DType t : {float64, float32, complex128, complex64}) {
    const Dim b = Dim::symbol("b"), n = Dim::symbol("n");
    const DType from = complex_of(part_of(t));
    const Expr whole = tensor("a", from, {b, n, n}), a = is_complex(t) ? whole : real(whole);
    const Eig e = eig(a);
    CHECK(e.values.dtype() == from);
    CHECK(e.vectors.dtype() == from);
    const Expr lengths = sum(square(absolute(e.vectors)), -2);
    const Zeros zeros = {
        {"a v - v w", matmul(cast(a, from), e.vectors) - by_columns(e.vectors, e.values)},
        {"lengths", lengths - 1.0},
        {"eigvals", sum(eigvals(a), -1) - sum(e.values, -1)},
        {"trace", sum(where(equal(expand_dims(arange(n), 1), arange(n)), a, 0), {-2, -1}) -
                      sum(e.values, -1)},
        {"det", prod(e.values, -1) / det(cast(a, from)) - 1.0}};
    check_zeros(whole, zeros,
                {matrices(from, 3, 4, 4), matrices(from, 1, 1, 1), matrices(from, 2, 0, 0),
                 matrices(from, 0, 3, 3), matrices(from, 2, 9, 9)},
                part_of(t) == float32 ? 2e-2 : 1e-9);
  }
}

TEST_CASE("eigenvalues that are known") {
  const Expr a = matrix("a", float64);
  const Function f = compile({a}, {eigvals(a), eig(a).values});
  const auto check_values = [&](std::vector<double> x, std::vector<C> wanted, double error) {
    const auto n = static_cast<std::int64_t>(wanted.size());
    for (const Array& y : f(Array::from(x, {n, n}))) {
      const std::vector<C> got = sorted(y.to_vector<C>());
      wanted = sorted(wanted);
      for (std::size_t k = 0; k < wanted.size(); ++k) CHECK(std::abs(got[k] - wanted[k]) <= error);
    }
  };
  check_values({0, -1, 1, 0}, {{0, 1}, {0, -1}}, 1e-15);
  // A cycle: the roots of unity.
  std::vector<C> roots;
  for (int k = 0; k < 5; ++k) roots.push_back(std::polar(1.0, 2 * std::numbers::pi * k / 5));
  check_values({0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0}, roots,
               1e-14);
  // The companion matrix of (x - 1)(x - 2)(x^2 + 4).
  check_values({3, -6, 12, -8, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}, {1, 2, {0, 2}, {0, -2}}, 1e-13);
  // A Jordan block: three equal values, known to the cube root of rounding only.
  check_values({2, 1, 0, 0, 2, 1, 0, 0, 2}, {2, 2, 2}, 1e-4);
}

TEST_CASE("batches of examples with complex matrices") {
  const Expr a = matrix("a", complex128), c = matrix("c", complex128);
  const Expr all =
      tensor("all", complex128, {Dim::symbol("b"), Dim::symbol("n"), Dim::symbol("n")});
  const Expr outputs[] = {inv(a),     solve(c, a), det(a),         eigvals(a), eig(real(a)).values,
                          svdvals(a), expm(a),     slogdet(a).sign};
  const std::vector<Expr> batched = vectorize(outputs, std::span(&a, 1), std::span(&all, 1));
  const Function one = compile({a, c}, outputs);
  const Function many = compile({all, c}, batched);
  const Array values = matrices(complex128, 3, 4, 4, 5), fixed = matrices(complex128, 1, 4, 4, 4);
  const Array side = fixed.reshape({4, 4});
  const Results got = many(values, side);
  const std::vector<C> flat = values.to_vector<C>();
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::vector<C> part(flat.begin() + 16 * i, flat.begin() + 16 * (i + 1));
    const Results wanted = one(Array::from(part, {4, 4}), side);
    for (std::size_t k = 0; k < std::size(outputs); ++k) {
      CAPTURE(k);
      const std::vector<double> x = as_pairs(got[k]).contiguous().to_vector<double>();
      const std::vector<double> y = as_pairs(wanted[k]).to_vector<double>();
      for (std::size_t j = 0; j < y.size(); ++j)
        CHECK(std::abs(x[static_cast<std::size_t>(i) * y.size() + j] - y[j]) <=
              1e-12 * std::max(1.0, std::abs(y[j])));
    }
  }
}

TEST_CASE("complex matrices without a result are errors that tell of the op") {
  const Expr a = matrix("a", complex128), x = matrix("x", float64);
  const auto told = [](const Expr& input, const Expr& output, const Array& value) {
    const Function f = compile({input}, {output});
    return message_of([&] { f(value); });
  };
  const Array zeros = Array::from(std::vector<C>(4, 0), {2, 2});
  CHECK(told(a, inv(a), zeros).starts_with("solve: the matrix is singular: pivot 1 is 0"));
  CHECK(told(a, cholesky(a), zeros).starts_with("cholesky: the matrix is not positive definite"));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Array bad = Array::from(std::vector<C>{{1, nan}, 0, 0, 1}, {2, 2});
  CHECK(told(a, eig(a).values, bad).starts_with("eig: the matrix has numbers that are not finite"));
  CHECK(told(a, svdvals(a), bad).starts_with("svdvals: the matrix has numbers"));
  const Array infinite = Array::from({1.0, HUGE_VAL, 0.0, 1.0}, {2, 2});
  CHECK(told(x, eigvals(x), infinite).starts_with("eigvals: the matrix has numbers"));
  CHECK_THROWS_AS((void)eig(tensor("y", float64, {2, 3})), ValueError);
  CHECK_THROWS_AS((void)eigvals(vector("v", float64)), ValueError);
}

TEST_CASE("routines on complex matrices have the same bits on any number of threads") {
  const Dim b = Dim::symbol("b"), n = Dim::symbol("n");
  const Expr a = tensor("a", complex128, {b, n, n});
  const Expr outputs[] = {inv(a), eig(a).vectors, eigvals(real(a)), svd(a).u, qr(a).q};
  const Array value = matrices(complex128, 40, 12, 12, 5);
  const Array all[] = {value};
  check_bits_of_threads(a, outputs, all);
}
