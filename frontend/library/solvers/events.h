// Zeros of functions of a solution: whether a step crosses one, where, and its derivative.
#pragma once

#include <cstdint>
#include <functional>

#include "frontend/library/solvers/runge_kutta.h"

namespace gnomon::solvers {

/// A function of a vector and the time whose zeros are looked for.
struct Event {
  Slope at;                   // a scalar of the dtype of the vector
  double direction = 0;       // positive: only where it rises, negative: only where it falls
  std::int64_t terminal = 0;  // the zero that ends the integration, counted from 1; 0: none
};

/// Whether a step crosses a zero, as SciPy has it: one at an end of the step counts.
Expr is_crossed(const Event& event, const Expr& before, const Expr& after);

/// A zero of g between a and b, where the values differ in sign or one is 0, to four rounding
/// units, if `is_any`: Chandrupatla's method (1997), which takes inverse quadratic interpolation
/// where that is safe, else bisects.
Expr zero_between(const std::function<Expr(const Expr&)>& g, const Expr& a, const Expr& at_a,
                  const Expr& b, const Expr& at_b, const Expr& is_any);

/// One step of a solution of dy/dt = f(y, t).
struct Segment {
  Expr start, length;
  Polynomial by;
};
/// y at a time inside of the segment, whose derivative by the time is f.
Expr value_in(const Segment& segment, const Slope& f, const Expr& t);
/// The zero of an event, as an implicit function of all that the solution and the event use:
/// dt = -dg / (dg/dt + dg/dy f).
Expr time_of(const Event& event, const Slope& f, const Segment& segment, const Expr& zero);

}  // namespace gnomon::solvers
