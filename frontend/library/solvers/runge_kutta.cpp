// Explicit Runge-Kutta pairs. The formulas are those of Hairer, Norsett and Wanner, Solving
// Ordinary Differential Equations I, 1993, with the coefficients of the polynomials of SciPy.
#include "frontend/library/solvers/runge_kutta.h"

#include <limits>

#include "frontend/library/solvers/implicit.h"
#include "ir/graph/leaf.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::solvers {

constinit const Tableau dormand_prince{
    .stages = 7,
    .powers = 4,
    .error_order = 5,
    .nodes = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1},
    .weights = {{},
                {1. / 5},
                {3. / 40, 9. / 40},
                {44. / 45, -56. / 15, 32. / 9},
                {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
                {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
                {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84}},
    .errors = {-71. / 57600, 0, 71. / 16695, -71. / 1920, 17253. / 339200, -22. / 525, 1. / 40},
    .dense = {
        {1, -8048581381. / 2820520608, 8663915743. / 2820520608, -12715105075. / 11282082432},
        {},
        {0, 131558114200. / 32700410799, -68118460800. / 10900136933, 87487479700. / 32700410799},
        {0, -1754552775. / 470086768, 14199869525. / 1410260304, -10690763975. / 1880347072},
        {0, 127303824393. / 49829197408, -318862633887. / 49829197408,
         701980252875. / 199316789632},
        {0, -282668133. / 205662961, 2019193451. / 616988883, -1453857185. / 822651844},
        {0, 40617522. / 29380423, -110615467. / 29380423, 69997945. / 29380423}}};

constinit const Tableau bogacki_shampine{
    .stages = 4,
    .powers = 3,
    .error_order = 3,
    .nodes = {0, 1. / 2, 3. / 4, 1},
    .weights = {{}, {1. / 2}, {0, 3. / 4}, {2. / 9, 1. / 3, 4. / 9}},
    .errors = {5. / 72, -1. / 12, -1. / 9, 1. / 8},
    .dense = {{1, -4. / 3, 5. / 9}, {0, 1, -2. / 3}, {0, 4. / 3, -8. / 9}, {0, -1, 1}}};

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

template <class Factor>
Expr combined(const Exprs& k, const Factor& factor) {
  Expr total;
  for (std::size_t i = 0; i < k.size(); ++i) {
    const double by = factor(i);
    if (by == 0) continue;
    const Expr term = by == 1 ? k[i] : k[i] * by;
    total = total.defined() ? total + term : term;
  }
  return total;
}

}  // namespace

Expr value_at(const Polynomial& by, const Expr& part) {
  Expr value = by.back();
  for (std::size_t k = by.size() - 1; k-- > 0;) value = by[k] + part * value;
  return value;
}

Expr slope_at(const Polynomial& by, const Expr& part) {
  Expr slope = by.back() * static_cast<double>(by.size() - 1);
  for (std::size_t k = by.size() - 1; k-- > 1;)
    slope = by[k] * static_cast<double>(k) + part * slope;
  return slope;
}

Step step_from(const Tableau& method, const Slope& f, const Expr& y, const Expr& slope,
               const Expr& t, const Expr& h) {
  Exprs k = {slope};
  Step step;
  for (int stage = 1; stage < method.stages; ++stage) {
    step.y = y + h * combined(k, [&](std::size_t i) { return method.weights[stage][i]; });
    k.push_back(f(step.y, t + h * method.nodes[stage]));
  }
  step.slope = k.back();
  step.error = h * combined(k, [&](std::size_t i) { return method.errors[i]; });
  step.by = {y};
  for (int power = 0; power < method.powers; ++power)
    step.by.push_back(h * combined(k, [&](std::size_t i) { return method.dense[i][power]; }));
  return step;
}

Expr Tolerances::size(const Expr& error, const Expr& a, const Expr& b) const {
  const Expr scale = absolute + relative * maximum(abs(a), abs(b));
  const Expr count = cast(maximum(extent(error.dim(0)), 1), error.dtype());
  return sqrt(sum(square(error / scale)) / count);
}

Expr first_length(const Tableau& method, const Slope& f, const Expr& y, const Expr& slope,
                  const Expr& t, const Expr& direction, const Expr& most, const Tolerances& tol) {
  const Expr one = t * 0.0 + 1.0, size = tol.size(y, y, y), speed = tol.size(slope, y, y);
  const Expr is_slow = (size < 1e-5) | (speed < 1e-5);
  const Expr euler =
      minimum(where(is_slow, 1e-6, 0.01 * size / where(speed > 0, speed, one)), most);
  const Expr moved = y + direction * euler * slope;
  const Expr bend = tol.size(f(moved, t + direction * euler) - slope, y, y) / euler;
  const Expr fastest = maximum(speed, bend);
  const Expr other =
      where(fastest <= 1e-15, maximum(1e-6, euler * 1e-3),
            power(0.01 / where(fastest > 0, fastest, one), 1.0 / method.error_order));
  return minimum(minimum(100.0 * euler, other), most);
}

Expr with_slopes(const Slope& f, const Expr& p, const Expr& v, const Expr& s, const Expr& t) {
  const Exprs one = {tensor("p", p.dtype(), {p.dim(1)}), scalar("t", t.dtype())};
  const Isolated isolated([&](States x) { return Exprs{f(x[0], x[1])}; }, one);
  Exprs arguments = {p, v, s, t};
  arguments.insert(arguments.end(), isolated.captured().begin(), isolated.captured().end());
  // What f(p, t) has more than v.
  const auto gaps = [&](States x, States found) {
    const Function slope = isolated.with(x.subspan(4));
    const Expr rows = scan(extent(found[0].dim(0)), {}, Sequences{{found[0], x[3]}, false},
                           [&](const Expr&, States, States at) { return slope(at); })[0];
    return rows - x[1];
  };
  const auto backwards = [&](States x, States found, States given) {
    Exprs cotangents(4 + floats_of(x.subspan(4)).size());
    cotangents[0] = given[0];
    cotangents[2] = sum(given[0] * gaps(x, found), 1);
    return cotangents;
  };
  const auto forwards = [&](States x, States found, States given) {
    return Exprs{given[0] + expand_dims(given[2], 1) * gaps(x, found)};
  };
  const Exprs inputs = inputs_like(arguments);
  return OpFromGraph(inputs, States(inputs).first(1),
                     {backwards, forwards, false, "values at times"})(arguments)[0];
}

}  // namespace gnomon::solvers
