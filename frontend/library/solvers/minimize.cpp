// Minima of scalars: BFGS.
#include <fmt/format.h>

#include <limits>

#include "frontend/library/solvers/implicit.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/ops.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

// 0 where there are no unknowns.
Expr largest(const Expr& g) {
  const Expr sizes = abs(g);
  if (g.dim(0).is_constant() && !(g.dim(0) == Dim(0))) return max(sizes);
  return max(concatenate({zeros({1}, g.dtype()), sizes}));
}

// The point that a line search ends at, its gradient and value, and whether it meets Wolfe's weak
// conditions: the value falls by 1e-4 of what the slope promises, and 0.9 of the slope is gone.
// Bisection, which doubles the length while it is too short (Lewis and Overton 2013).
struct Reached {
  Expr x, gradient, value, is_met;
};

Reached search_line(const Problem& f, const Expr& x, const Expr& value, const Expr& slope,
                    const Expr& direction, const Expr& length) {
  const Expr zero = slope * 0.0, never(Array(false)), none(Array(std::int64_t{0}));
  const Expr infinity = zero + std::numeric_limits<double>::infinity();
  const Expr blur = abs(value) * (10 * rounding_unit(x.dtype()));
  const Exprs initial = {zero, infinity, length, x, x * 0.0, value, never, none};
  const Exprs last = while_loop(
      initial, [](States now) { return bitwise_not(now[6]) & (now[7] < 60); },
      [&](States now) {
        const Expr &low = now[0], &high = now[1], &t = now[2], there = x + t * direction;
        const Exprs found = f(there);
        const Expr falls = found[1] <= value + 1e-4 * t * slope + blur;
        const Expr is_met = falls & (dot(found[0], direction) >= 0.9 * slope);
        const Expr from = where(falls, t, low), to = where(falls, high, t);
        const Expr next = where(to < infinity, (from + to) * 0.5, t * 2.0);
        return Exprs{from, to, next, there, found[0], found[1], is_met, now[7] + 1};
      });
  return {last[3], last[4], last[5], last[6]};
}

// The approximation h of the inverse Hessian after a step s that changed the gradient by y.
Expr updated(const Expr& h, const Expr& s, const Expr& y, const Expr& is_first) {
  const Expr sy = dot(s, y), yy = dot(y, y), is_convex = sy > 0, one = sy * 0.0 + 1.0;
  const Expr inverse = one / where(is_convex, sy, one);
  const Expr scaled = where(is_first & is_convex, h * (sy / where(is_convex, yy, one)), h);
  const Expr image = dot(scaled, y), mixed = outer(s, image);
  const Expr next = scaled - (mixed + transpose(mixed)) * inverse +
                    outer(s, s) * (inverse * (dot(y, image) * inverse + 1.0));
  return where(is_convex, next, h);
}

// The minimum, whether its gradient is small, and the number of steps.
Exprs find_minimum(const Problem& f, const Expr& start, double gtol, const Expr& most) {
  const Exprs first = f(start);
  const Expr one = first[1] * 0.0 + 1.0;
  const Exprs initial = {start,    largest(first[0]) <= gtol,        first[0],
                         first[1], eye(start.dim(0), start.dtype()), one > 0};
  const Exprs last = search(initial, most, [&](States now) {
    const Expr &x = now[0], &g = now[2], &value = now[3], &h = now[4], &is_first = now[5];
    const Expr newton = -dot(h, g), falls = dot(newton, g) < 0;
    const Expr direction = where(falls, newton, -g), slope = dot(direction, g);
    const Expr size = largest(g);
    const Expr length = where(is_first, minimum(one, one / where(size > 0, size, one)), one);
    const Reached to = search_line(f, x, value, slope, direction, length);
    const Expr is_over = bitwise_not(to.is_met) | (largest(to.gradient) <= gtol);
    return Exprs{where(to.is_met, to.x, x),
                 is_over,
                 where(to.is_met, to.gradient, g),
                 where(to.is_met, to.value, value),
                 updated(h, to.x - x, to.gradient - g, is_first),
                 one < 0};
  });
  return {last[0], largest(last[2]) <= gtol, last.back()};
}

}  // namespace

Minimum minimize(const std::function<Expr(std::span<const Expr>)>& f, const ExprList& x0,
                 const MinimizeOptions& options) {
  const CallPlace call("minimize", x0.origin());
  if (!(options.gtol >= 0))
    throw ValueError(
        fmt::format("minimize: expected gtol to be 0 or more, found {}", options.gtol));
  const Packing packing("minimize", x0);
  const auto own = with_own_lines(f);
  const auto value_at = [&](const Expr& y) {
    const Expr value = own(packing.unpack(y));
    if (value.dtype() != packing.dtype() || value.rank() != 0)
      throw TypeError(fmt::format("minimize: expected a scalar of type {}, found {}",
                                  short_name_of(packing.dtype()), describe(value.value())));
    return value;
  };
  const Problem problem = [&](const Expr& y) {
    const Expr value = value_at(y);
    return Exprs{grad(value, std::vector<Expr>{y})[0], value};
  };
  const Method method{[&](const Problem& of, const Expr& start) {
                        const Expr most = options.maxiter ? Expr(Array(*options.maxiter))
                                                          : extent(start.dim(0)) * 200;
                        return find_minimum(of, start, options.gtol, most);
                      },
                      [](const Problem&, const Expr&, const VectorFunction& a, const Expr& b,
                         bool) { return solve_densely(a, b); }};
  const Exprs found = solve_implicitly("minimize", problem, packing.pack(x0), method);
  const Exprs there = problem(found[0]);
  return {packing.unpack(found[0]), there[1], packing.unpack(there[0]), found[1], found[2]};
}

}  // namespace gnomon::solvers
