// The steps of a solution: finding them, and making them again with derivatives.
#pragma once

#include <cstdint>
#include <vector>

#include "frontend/library/solvers/events.h"
#include "frontend/library/solvers/runge_kutta.h"
#include "stdlib/ops.h"

namespace gnomon::solvers {

/// An int64 scalar.
inline Expr number(std::int64_t value) { return Expr(Array(value)); }

/// An equation for a vector from a time to another.
struct Ivp {
  const Tableau& method;
  Slope f;
  std::vector<Event> events;
  Tolerances tol;
  Expr from, to, direction;          // the times, 1 or -1
  Expr first_length, longest, most;  // of steps; how many there are at most

  Expr is_before(const Expr& a, const Expr& b) const { return (b - a) * direction > 0; }
};

/// The steps as they are found: none of it has derivatives.
struct Found {
  Expr steps;                // how many, the one among them that could not be made
  Expr ends;                 // of all steps, with zeros behind them
  std::vector<Expr> zeros;   // of each event the one in each step, or NaN
  std::vector<Expr> counts;  // of those
  Expr is_failed;            // whether a step would have been too short
  Expr is_stopped, stop;     // whether a terminal zero is the end, and that zero
  Expr attempts;
};
/// The attempts, until the end, a terminal zero, a step that would be too short, or the most steps.
Found find_steps(const Ivp& p, const Expr& y0, const Expr& slope);

/// The steps with derivatives. Their lengths are given: the ends move with the start.
struct Made {
  Expr count, ends;  // of the steps, those that could be made; of all, with zeros behind them
  Expr starts;       // of each step
  Polynomial by;     // of each step
  Expr t, y;         // behind the last one

  /// The step of a number.
  Segment segment(const Expr& k) const;
};
/// The same steps, a known number of them.
Made make_steps(const Ivp& p, const Expr& y0, const Expr& slope, const Found& found);

/// Which of the first `count` steps have times [...] in them: those at or behind an end the one
/// beside it.
Expr steps_at(const Expr& ends, const Expr& count, const Expr& direction, const Expr& times);

}  // namespace gnomon::solvers
