// Dimensions: normal forms, simplification, evaluation.
#include <doctest/doctest.h>

#include <random>

#include "ir/dimension/dimension.h"
#include "ir/dimension/solve.h"
#include "ir/graph/expr.h"
#include "ir/graph/leaf.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

using namespace gnomon;

namespace {

const Dim n = Dim::symbol("n"), m = Dim::symbol("m"), k = Dim::symbol("k");

}  // namespace

TEST_CASE("equal polynomials have one normal form") {
  CHECK((n + m) * (n - m) == n * n - m * m);
  CHECK((n + 1) * (n + 1) == n * n + 2 * n + 1);
  CHECK(n - n == Dim(0));
  CHECK((n + m) * k == k * m + n * k);
  CHECK((n + m).hash() == (m + n).hash());
  CHECK(!(n == m));
  CHECK(!(Dim::symbol("n") == n));
}

TEST_CASE("dimensions print as polynomials") {
  CHECK(Dim(3).text() == "3");
  CHECK(n.text() == "n");
  CHECK((2 * n + m).text() == "2*n + m");
  CHECK((n * m - 2 * n - 1).text() == "n*m - 2*n - 1");
  CHECK(floor_div(n, 2).text() == "floor(n / 2)");
  CHECK(floor_div(n + 1, 2).text() == "floor((n + 1) / 2)");
  CHECK(mod(n, 2).text() == "mod(n, 2)");
  CHECK((-n).text() == "-n");
}

TEST_CASE("quotients and remainders simplify") {
  CHECK(floor_div(Dim(-7), 2) == Dim(-4));
  CHECK(mod(Dim(-7), 2) == Dim(1));
  CHECK(floor_div(4 * n + 6, 2) == 2 * n + 3);
  CHECK(floor_div(5 * n, 2) == 2 * n + floor_div(n, 2));
  CHECK(floor_div(floor_div(n, 2), 3) == floor_div(n, 6));
  CHECK(floor_div(2 * n, 4) == floor_div(n, 2));
  CHECK(mod(2 * n, 4) == 2 * mod(n, 2));
  CHECK(mod(mod(n, 6), 3) == mod(n, 3));
  CHECK(mod(4 * n + 7, 4) == Dim(3));
  CHECK(floor_div(mod(n, 4), 4) == Dim(0));
  CHECK(floor_div(n * m, m) == n);
  CHECK(floor_div((n + 1) * (m + 2), m + 2) == n + 1);
  CHECK(mod(n * m, n) == Dim(0));
  CHECK_THROWS_AS(floor_div(n, 0), ValueError);
  CHECK_THROWS_AS(mod(n, 0), ValueError);
}

TEST_CASE("minima and maxima use that extents are at least 0") {
  CHECK(max(n, 0) == n);
  CHECK(min(n, 0) == Dim(0));
  CHECK(min(n, n + 1) == n);
  CHECK(max(n, n + m) == n + m);
  CHECK(min(n, m) == min(m, n));
  // Slicing off the first element many times keeps one maximum.
  Dim d = n;
  for (int i = 0; i < 1000; ++i) d = max(0, d - 1);
  CHECK(d == max(0, n - 1000));
}

TEST_CASE("overflow of an extent is an error") {
  const Dim big = std::int64_t{1} << 62;
  CHECK_THROWS_AS(big * 4, ValueError);
  CHECK_THROWS_AS(big + big, ValueError);
}

TEST_CASE("simplification keeps the value") {
  std::mt19937 random(7);
  const std::vector<Dim> symbols = {n, m, k};
  for (int round = 0; round < 2000; ++round) {
    const auto pick = [&](int count) {
      return static_cast<int>(random() % static_cast<unsigned>(count));
    };
    // A random expression, computed both as a dimension and as a number.
    const std::int64_t values[] = {pick(9), pick(9), pick(9)};
    std::vector<std::pair<Dim, std::int64_t>> made;
    for (int i = 0; i < 3; ++i) made.emplace_back(symbols[static_cast<std::size_t>(i)], values[i]);
    for (int step = 0; step < 6; ++step) {
      const auto [a, x] = made[random() % made.size()];
      const auto [b, y] = made[random() % made.size()];
      const std::int64_t c = pick(7) - 3;
      const auto floored = [](std::int64_t p, std::int64_t q) {
        return p / q - (p % q != 0 && (p < 0) != (q < 0));
      };
      switch (pick(7)) {
        case 0: made.emplace_back(a + b, x + y); break;
        case 1: made.emplace_back(a - b, x - y); break;
        case 2: made.emplace_back(a * c + b, x * c + y); break;
        case 3:
          if (c != 0) made.emplace_back(floor_div(a, c), floored(x, c));
          break;
        case 4:
          if (c != 0) made.emplace_back(mod(a, c), x - c * floored(x, c));
          break;
        case 5: made.emplace_back(min(a, b + c), std::min(x, y + c)); break;
        default: made.emplace_back(max(a + c, b), std::max(x + c, y)); break;
      }
    }
    for (const auto& [d, want] : made) {
      const std::int64_t got = d.evaluate([&](const Atom& atom) {
        for (std::size_t i = 0; i < 3; ++i)
          if (*symbols[i].atom() == atom) return values[i];
        return std::int64_t{-1};
      });
      CAPTURE(d.text());
      REQUIRE(got == want);
    }
  }
}

TEST_CASE("the value of a scalar sees through constants, extents and sums") {
  CHECK(Dim::value(constant(std::int64_t{5}, DType::int64)) == Dim(5));
  CHECK(Dim::value(extent(n)) == n);
  CHECK(Dim::value((extent(n) + 1) * extent(m) - 2) == (n + 1) * m - 2);
  const Expr i = scalar("i", DType::int64);
  CHECK(Dim::value(i + 1) - Dim::value(i) == Dim(1));
  CHECK(extent_value(Dim::value(i)) == i.value());
  CHECK(Dim::value(i).text() == "i");
  CHECK_THROWS_AS(Dim::value(scalar("x")), TypeError);
  CHECK_THROWS_AS(Dim::value(vector("x", DType::int64)), TypeError);
}

TEST_CASE("substitution rebuilds quotients") {
  const Dim d = floor_div(n + m, 2);
  const Dim replaced = d.substitute([&](const Atom& atom) -> Dim {
    return atom == *n.atom() ? 2 * k : atom == *m.atom() ? Dim(4) : Dim(0);
  });
  CHECK(replaced == k + 2);
}

TEST_CASE("equalities are solved with one representative for each class") {
  DimSolver solver;
  using Outcome = DimSolver::Outcome;
  CHECK(solver.equate(n, m) == Outcome::learned);
  CHECK(solver.equate(m, k) == Outcome::learned);
  CHECK(solver.equate(k, n) == Outcome::known);
  CHECK(solver.resolve(n + m + k) == 3 * n);
  CHECK(solver.equate(k, 4) == Outcome::learned);
  CHECK(solver.resolve(m) == Dim(4));
  CHECK(solver.equate(n, 5) == Outcome::contradiction);
  const Dim p = Dim::symbol("p"), q = Dim::symbol("q");
  CHECK(solver.equate(q, p - 1) == Outcome::learned);
  CHECK(solver.resolve(q) == p - 1);
}

TEST_CASE("a long chain of equalities is solved without recursion") {
  std::vector<Dim> symbols;
  for (int i = 0; i < 100000; ++i) symbols.push_back(Dim::symbol("s"));
  DimSolver solver;
  for (std::size_t i = symbols.size() - 1; i > 0; --i) solver.equate(symbols[i - 1], symbols[i]);
  CHECK(solver.resolve(symbols.back()) == symbols.front());
}
