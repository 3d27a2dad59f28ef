// Solvers: equations, minima and differential equations as loops of one compiled function.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "ir/graph/expr.h"

/// Equations, minima and differential equations. Unknowns are lists of arrays of one float dtype.
/// What a function returns in their place has their dtype and shapes: TypeError or ValueError.
/// Derivatives of the solutions of equations and of minima, by all that the functions use, are
/// those of implicit functions: they do not run through the steps, and hold as far as the solution
/// does. That by the start is 0. ValueError: an option out of its range.
namespace gnomon::solvers {

/// Arrays from arrays. A solver calls it with expressions, a few times for all steps;
/// it may use any others.
using Function = std::function<std::vector<Expr>(std::span<const Expr>)>;

/// How far `cg`, `bicgstab` and `gmres` go.
struct LinearOptions {
  /// Done when the norm of b - a(x) is at most max(rtol * norm of b, atol).
  double rtol = 1e-5, atol = 0;
  /// The most steps (of gmres: restarts); 10 times the number of unknowns if there is none.
  std::optional<std::int64_t> maxiter = {};
  /// Steps of gmres before it starts again; it keeps as many vectors.
  std::int64_t restart = 20;
  /// Where to begin; zeros if it is empty.
  std::vector<Expr> x0 = {};
  /// About the inverse of a.
  Function preconditioner = {};
};
/// What `cg`, `bicgstab` and `gmres` find.
struct LinearSolution {
  std::vector<Expr> x;  ///< of the shapes of b
  /// int64 scalar: 0 if it is as good as the options ask, else the number of steps.
  Expr info;
};
/// x with a(x) = b for a symmetric positive definite linear function: conjugate gradients (Hestenes
/// and Stiefel 1952). The preconditioner is symmetric and positive definite too.
LinearSolution cg(const Function& a, const ExprList& b, const LinearOptions& options = {});
/// x with a(x) = b for any linear function: stabilised biconjugate gradients (van der Vorst 1992).
LinearSolution bicgstab(const Function& a, const ExprList& b, const LinearOptions& options = {});
/// x with a(x) = b for any linear function: the smallest residual in the space of the steps since
/// the last restart (Saad and Schultz 1986).
LinearSolution gmres(const Function& a, const ExprList& b, const LinearOptions& options = {});

/// How far `root` and `fixed_point` go.
struct RootOptions {
  /// Done when a step changes the unknowns by at most tol times their norm; the root of the
  /// rounding unit of their dtype if there is none.
  std::optional<double> tol = {};
  std::int64_t maxiter = 500;  ///< the most steps
};
/// What `root` and `fixed_point` find.
struct Root {
  std::vector<Expr> x;  ///< of the shapes of x0
  Expr success;         ///< bool scalar: whether it came that far, to a root
  Expr iterations;      ///< int64 scalar: how many steps it took
};
/// x with f(x) = 0, as many equations as unknowns: Levenberg and Marquardt's steps with the whole
/// Jacobian, which become Newton's near the solution.
Root root(const Function& f, const ExprList& x0, const RootOptions& options = {});
/// x with f(x) = x: by steps x = f(x), which converge if f brings points closer together. With
/// `accelerate` each second one is extrapolated (Steffensen), element by element.
Root fixed_point(const Function& f, const ExprList& x0, const RootOptions& options = {},
                 bool accelerate = true);

/// How far `minimize` goes.
struct MinimizeOptions {
  /// Done when no element of the gradient is larger.
  double gtol = 1e-5;
  /// The most steps; 200 times the number of unknowns if there is none.
  std::optional<std::int64_t> maxiter = {};
};
/// What `minimize` finds.
struct Minimum {
  std::vector<Expr> x;    ///< of the shapes of x0
  Expr fun;               ///< the value there
  std::vector<Expr> jac;  ///< the gradient there
  Expr success;           ///< bool scalar: whether the gradient is that small
  Expr iterations;        ///< int64 scalar: how many steps it took
};
/// A local minimum of a float scalar: Broyden, Fletcher, Goldfarb and Shanno's approximation of the
/// inverse Hessian, with steps that meet Wolfe's weak conditions.
Minimum minimize(const std::function<Expr(std::span<const Expr>)>& f, const ExprList& x0,
                 const MinimizeOptions& options = {});

/// How the derivative of a solution is computed.
enum class OdeGradient {
  steps,   ///< through the steps that were made: exact for them, keeps what it reads of all
  adjoint  ///< by an equation that runs backwards: keeps the rows, as exact as the tolerances
};
/// How `odeint` goes.
struct OdeOptions {
  /// A step is taken if the root of the mean of (error / (atol + rtol |y|))^2 is at most 1.
  double rtol = 1.49012e-8, atol = 1.49012e-8;
  /// The most steps from one time to the next: ValueError of the call.
  std::int64_t mxstep = 100000;
  OdeGradient gradient = OdeGradient::steps;  ///< how derivatives are computed
};
/// dy/dt of the state y at the time t, a scalar of its dtype.
using OdeFunction = std::function<std::vector<Expr>(std::span<const Expr> y, const Expr& t)>;
/// The solution of dy/dt = f(y, t) with y(t[0]) = y0 at the times t, a vector that rises or falls
/// (ValueError of the call: it does both): for each array of the state its values, along a new
/// first axis. Dormand and Prince's method of order 5 with steps of their own and interpolation of
/// order 4 (Hairer, Norsett and Wanner 1993).
std::vector<Expr> odeint(const OdeFunction& f, const ExprList& y0, const Expr& t,
                         const OdeOptions& options = {});

/// A function of the state and the time, a number, whose zeros are looked for.
struct OdeEvent {
  std::function<Expr(std::span<const Expr> y, const Expr& t)> function;  ///< a scalar
  /// Positive: zeros where it rises only; negative: where it falls only.
  double direction = 0;
  /// The solution ends at the zero of this number, counted from 1. 0: at none.
  std::int64_t terminal = 0;
};
/// The steps of `solve_ivp`.
enum class OdeMethod {
  rk45,  ///< Dormand and Prince's of order 5
  rk23   ///< Bogacki and Shampine's of order 3
};
/// How `solve_ivp` goes.
struct IvpOptions {
  OdeMethod method = OdeMethod::rk45;  ///< how steps are made
  /// A step is taken if the root of the mean of (error / (atol + rtol |y|))^2 is less than 1. rtol
  /// is not less than 100 rounding units. atol is a scalar, or arrays like the state; 1e-6 if
  /// empty.
  double rtol = 1e-3;
  std::vector<Expr> atol = {};
  /// Lengths of the first step, which is chosen if there is none, and of the longest.
  std::optional<double> first_step = {};
  double max_step = std::numeric_limits<double>::infinity();
  /// The most steps; status says if there are more.
  std::int64_t max_steps = 10000;
  /// Where the solution is asked for, a vector that goes from the start to the end; if there is
  /// none: at the ends of the steps.
  std::optional<Expr> times = {};
  std::vector<OdeEvent> events = {};  ///< zeros to be found
};
/// A solution between the ends of its steps: polynomials in the part of a step that has passed.
/// Outside of them, that of the step beside.
struct DenseOutput {
  Expr count, ends, starts;           ///< of the steps: how many; the ends, and what is behind them
  std::vector<std::vector<Expr>> by;  ///< the factors of the powers, for the arrays of the state

  /// The state at any array of times, whose axes come first. The derivative by them is that of the
  /// polynomials, less exact by an order than the solution.
  std::vector<Expr> operator()(const Expr& t) const;
};
/// What `solve_ivp` finds.
struct IvpSolution {
  /// States at several times.
  struct Rows {
    Expr t;               ///< times
    std::vector<Expr> y;  ///< the state at each, along a new first axis
  };
  Rows rows;                 ///< at `IvpOptions::times`, or at the ends of the steps
  std::vector<Rows> events;  ///< the zeros of each event
  DenseOutput dense;         ///< the state at any time
  Expr status;  ///< int64 scalar: 0 at the end, 1 at a zero that ends it, -1 if a step would be too
                ///< short or there are too many; then `rows` are NaN at the times behind
  Expr nfev;    ///< int64 scalar: how often f is computed until the steps are found
};
/// The solution of dy/dt = f(y, t) with y(from) = y0 until `to`, before or behind it, as SciPy's
/// function of that name has it, with the same steps. Each event has at most one zero in a step,
/// which is found on the polynomial to four rounding units.
///
/// Derivatives go through the steps that were made, taking their lengths as given; the one by a
/// time of the rows is f. Zeros are implicit functions of all that f and the event use. The steps
/// are made twice: first to find their lengths, then with what is kept of them.
///
/// ValueError of the call: times outside or in another order, a first step longer than the span.
IvpSolution solve_ivp(const OdeFunction& f, const Expr& from, const Expr& to, const ExprList& y0,
                      const IvpOptions& options = {});

}  // namespace gnomon::solvers
