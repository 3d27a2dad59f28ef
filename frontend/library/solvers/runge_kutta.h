// Explicit Runge-Kutta pairs: a step, its error, and the polynomial that joins its ends.
#pragma once

#include <functional>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon::solvers {

/// dy/dt of a vector at a time, a scalar of its dtype.
using Slope = std::function<Expr(const Expr& y, const Expr& t)>;

/// The coefficients of a pair whose last stage is at the end of the step, so that it is the first
/// one of the next step.
struct Tableau {
  static constexpr int most = 7;
  int stages, powers;
  int error_order;             // the error of a step is proportional to its length to this power
  double nodes[most];          // times of the stages, as parts of the step
  double weights[most][most];  // of the stages before each one
  double errors[most];         // of the stages in the estimate of the error
  double dense[most][most];    // of the stages in the powers, from 1 on, of the part of the step
};
/// Orders 5 and 4, joined by order 4 (Dormand and Prince 1980, Shampine 1986).
extern const Tableau dormand_prince;
/// Orders 3 and 2, joined by order 3 (Bogacki and Shampine 1989).
extern const Tableau bogacki_shampine;

/// What is told of y between the ends of a step, of rows [..., n] of many steps too: the state at
/// its start, then the factors of the powers of the part of it that has passed.
using Polynomial = std::vector<Expr>;
Expr value_at(const Polynomial& by, const Expr& part);
/// The derivative by the part.
Expr slope_at(const Polynomial& by, const Expr& part);

/// A step of length h from y at the time t, where the slope is known.
struct Step {
  Expr y, slope, error;
  Polynomial by;
};
Step step_from(const Tableau& method, const Slope& f, const Expr& y, const Expr& slope,
               const Expr& t, const Expr& h);

struct Tolerances {
  double relative;
  Expr absolute;  // a scalar, or one for each element

  /// The root of the mean of (error / (absolute + relative |y|))^2, the larger |y| of two; 0 of
  /// none. Above 1: the step was too long.
  Expr size(const Expr& error, const Expr& a, const Expr& b) const;
};

/// A length for the first step: one of Euler's that changes y by a hundredth, or one that the
/// second derivative, as a difference, allows (Hairer, Norsett and Wanner 1993), at most `most`.
Expr first_length(const Tableau& method, const Slope& f, const Expr& y, const Expr& slope,
                  const Expr& t, const Expr& direction, const Expr& most, const Tolerances& tol);

/// Values p [m, n] of solutions at m times t, of which their polynomials say that they change by
/// v with the time s since the step began: the same with the derivative f(p, t) by s. It is that of
/// the solution, where v is less exact by an order.
Expr with_slopes(const Slope& f, const Expr& p, const Expr& v, const Expr& s, const Expr& t);

}  // namespace gnomon::solvers
