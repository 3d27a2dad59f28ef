// Solvers: solutions against exact ones, and derivatives as those of implicit functions.
#include "frontend/library/solvers/solvers.h"

#include <cmath>
#include <string>
#include <vector>

#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using List = std::vector<Expr>;
using States = std::span<const Expr>;
using Solver = solvers::LinearSolution (*)(const solvers::Function&, const ExprList&,
                                           const solvers::LinearOptions&);

double value_of(const Results& results, std::size_t k = 0) {
  return results[k].contiguous().data<double>()[0];
}

}  // namespace

TEST_CASE("linear systems by steps, and their gradients, are those of factors") {
  const std::pair<std::string, Solver> all[] = {
      {"cg", solvers::cg}, {"bicgstab", solvers::bicgstab}, {"gmres", solvers::gmres}};
  for (const auto& [name, solver] : all) {
    CAPTURE(name);
    const Expr a = matrix("a"), b = vector("b"), shift = scalar("shift");
    const Expr full = matmul(transpose(a), a) + shift * eye(a.dim(1));
    const solvers::Function product = [&](States v) {
      return List{dot(transpose(a), dot(a, v[0])) + shift * v[0]};
    };
    solvers::LinearOptions options;
    options.rtol = 1e-14;
    const solvers::LinearSolution found = solver(product, List{b}, options);
    const Expr exact = solve(full, b);
    std::vector<Output> outputs = {found.x[0] - exact, found.info};
    const List slopes = grad(sum(square(found.x[0])), {a, b, shift});
    const List wanted = grad(sum(square(exact)), {a, b, shift});
    for (std::size_t k = 0; k < slopes.size(); ++k) outputs.emplace_back(slopes[k] - wanted[k]);
    const Function f = compile({a, b, shift}, outputs);
    Samples random(21);
    for (const std::int64_t n : {1, 2, 7}) {
      const Results results = f(random.small(float64, {n + 1, n}), random.small(float64, {n}), 2.0);
      CHECK(results[1].contiguous().data<std::int64_t>()[0] == 0);
      for (const std::size_t k : {0, 2, 3, 4}) {
        const Array gap = results[k].contiguous();
        for (std::int64_t i = 0; i < gap.size(); ++i)
          CHECK(std::fabs(gap.data<double>()[i]) < 1e-10);
      }
    }
  }
}

TEST_CASE("roots, fixed points and minima are implicit functions") {
  const Expr a = scalar("a");
  const List one = {Expr(1.0)};
  const Expr root =
      solvers::root([&](States x) { return List{x[0] * x[0] * x[0] + a * x[0] - 1.0}; }, one).x[0];
  const Expr fixed = solvers::fixed_point([&](States x) { return List{cos(a * x[0])}; }, one).x[0];
  const solvers::Minimum least =
      solvers::minimize([&](States x) { return square(square(x[0]) - a) + x[0]; }, one);
  const Function f = compile({a}, {root, grad(root, a), fixed, grad(fixed, a), least.x[0],
                                   grad(least.x[0], a), least.fun, grad(least.fun, a)});
  const Results at = f(1.5), after = f(1.5 + 1e-6), before = f(1.5 - 1e-6);
  const double r = value_of(at), c = value_of(at, 2);
  CHECK(std::fabs(r * r * r + 1.5 * r - 1) < 1e-14);
  CHECK(std::fabs(std::cos(1.5 * c) - c) < 1e-14);
  for (const std::size_t k : {0, 2, 4, 6}) {
    const double difference = (value_of(after, k) - value_of(before, k)) / 2e-6;
    CHECK(std::fabs(difference - value_of(at, k + 1)) < 1e-5);
  }
}

TEST_CASE("differential equations have the solution and both gradients") {
  const Expr a = scalar("a"), times = vector("times");
  const solvers::OdeFunction decay = [&](States y, const Expr& t) { return List{-a * t * y[0]}; };
  std::vector<Output> outputs;
  for (const auto way : {solvers::OdeGradient::steps, solvers::OdeGradient::adjoint}) {
    const Expr y = solvers::odeint(decay, List{Expr(3.0)}, times, {1e-10, 1e-10, 1000, way})[0];
    outputs.emplace_back(y(-1));
    outputs.emplace_back(grad(y(-1), a));
  }
  const Function f = compile({a, times}, outputs);
  const Results found = f(0.5, Array::from(std::vector<double>{0, 1, 2}));
  for (const std::size_t k : {0, 2}) {
    CHECK(std::fabs(value_of(found, k) - 3 * std::exp(-1.0)) < 1e-8);
    CHECK(std::fabs(value_of(found, k + 1) + 6 * std::exp(-1.0)) < 1e-7);
  }
  CHECK_THROWS_AS(solvers::odeint(decay, List{a}, a), TypeError);
  CHECK_THROWS_AS(solvers::odeint(decay, List{a}, times, {-1, 0}), ValueError);
  CHECK_THROWS_AS(solvers::odeint(decay, List{a}, times, {.mxstep = 0}), ValueError);
}

TEST_CASE("the zero of an event is an implicit function, and ends the solution") {
  const Expr rate = scalar("rate"), level = scalar("level"), times = vector("times");
  const solvers::OdeFunction growth = [&](States y, const Expr&) { return List{rate * y[0]}; };
  solvers::IvpOptions options{.rtol = 1e-10, .atol = {Expr(1e-10)}};
  options.events = {{[&](States y, const Expr&) { return y[0] - level; }, 1, 1}};
  const auto solve = [&](double until) {
    return solvers::solve_ivp(growth, Expr(0.0), Expr(until), List{Expr(1.0)}, options);
  };
  const solvers::IvpSolution found = solve(9), back = solve(-2);
  const Expr end = found.rows.t(-1);
  options.times = times;
  const solvers::IvpSolution at_times = solve(9);
  const Function f = compile(
      {rate, level, times}, {end, grad(end, rate), grad(end, level), found.events[0].t(0),
                             found.events[0].y[0](0), found.status, back.status, back.rows.y[0](-1),
                             found.dense(Expr(1.0))[0], sum(at_times.rows.y[0])});
  const Results at = f(0.5, 3.0, Array::from(std::vector<double>{0, 1, 2, 3}));
  const double zero = std::log(3.0) / 0.5;
  const double wanted[] = {zero, -zero / 0.5, 1 / (0.5 * 3), zero, 3};
  for (std::size_t k = 0; k < 5; ++k) CHECK(std::fabs(value_of(at, k) - wanted[k]) < 1e-8);
  CHECK(at[5].contiguous().data<std::int64_t>()[0] == 1);
  CHECK(at[6].contiguous().data<std::int64_t>()[0] == 0);
  CHECK(std::fabs(value_of(at, 7) - std::exp(-1.0)) < 1e-8);
  CHECK(std::fabs(value_of(at, 8) - std::exp(0.5)) < 1e-8);
  // The time 3 is behind the end.
  CHECK(std::fabs(value_of(at, 9) - (1 + std::exp(0.5) + std::exp(1.0))) < 1e-8);
  CHECK_THROWS_AS(solvers::solve_ivp(growth, Expr(0.0), times, List{rate}), TypeError);
  CHECK_THROWS_AS(solvers::solve_ivp(growth, Expr(0.0), Expr(1.0), List{rate}, {.max_step = 0}),
                  ValueError);
}

TEST_CASE("unknowns have one float dtype, and functions keep their shapes") {
  const Expr x = vector("x"), n = vector("n", int64);
  const solvers::Function same = [](States v) { return List(v.begin(), v.end()); };
  const solvers::Function shorter = [](States) { return List{}; };
  CHECK_THROWS_AS(solvers::root(same, List{n}), TypeError);
  CHECK_THROWS_AS(solvers::root(same, List{x, cast(x, float32)}), TypeError);
  CHECK_THROWS_AS(solvers::root(same, List{}), TypeError);
  CHECK_THROWS_AS(solvers::root(shorter, List{x}), TypeError);
  CHECK_THROWS_AS(solvers::cg(shorter, List{x}), TypeError);
  CHECK_THROWS_AS(solvers::minimize([](States v) { return v[0]; }, List{x}), TypeError);
  CHECK_THROWS_AS(solvers::cg(same, List{x}, {.rtol = -1}), ValueError);
  CHECK_THROWS_AS(solvers::gmres(same, List{x}, {.restart = 0}), ValueError);
}
