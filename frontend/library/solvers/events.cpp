// Zeros of functions of a solution.
#include "frontend/library/solvers/events.h"

#include "frontend/library/solvers/implicit.h"
#include "stdlib/ops.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

}  // namespace

Expr is_crossed(const Event& event, const Expr& before, const Expr& after) {
  const Expr up = (before <= 0) & (after >= 0), down = (before >= 0) & (after <= 0);
  return event.direction > 0 ? up : event.direction < 0 ? down : up | down;
}

Expr zero_between(const std::function<Expr(const Expr&)>& g, const Expr& a, const Expr& at_a,
                  const Expr& b, const Expr& at_b, const Expr& is_any) {
  const double unit = 4 * rounding_unit(a.dtype());
  const auto tolerance = [&](const Expr& x) { return unit * abs(x) + unit; };
  const auto nearer = [](States s) { return where(abs(s[1]) < abs(s[3]), s[0], s[2]); };
  // The last point and the one on the other side of the zero, with their values; which part of the
  // way to the latter is tried next; how often there was a try.
  const Exprs initial = {a, at_a, b, at_b, a * 0.0 + 0.5, Expr(Array(std::int64_t{0}))};
  const auto goes_on = [&](States s) {
    const Expr is_wide = abs(s[2] - s[0]) > tolerance(nearer(s));
    return is_any & is_wide & (s[1] != 0) & (s[3] != 0) & (s[5] < 200);
  };
  const Exprs last = while_loop(initial, goes_on, [&](States s) {
    const Expr &x1 = s[0], &f1 = s[1], &x2 = s[2], &f2 = s[3];
    const Expr x = x1 + s[4] * (x2 - x1), f = g(x);
    const Expr stays = (f > 0) == (f1 > 0);
    const Expr y2 = where(stays, x2, x1), g2 = where(stays, f2, f1);
    const Expr y3 = where(stays, x1, x2), g3 = where(stays, f1, f2);
    const Expr part = (x - y2) / (y3 - y2), drop = (f - g2) / (g3 - g2);
    const Expr is_safe = (1.0 - sqrt(1.0 - part) < drop) & (drop < sqrt(part));
    const Expr bent =
        f / (f - g2) * (g3 / (g3 - g2)) - (y3 - x) / (y2 - x) * (f / (g3 - f)) * (g2 / (g2 - g3));
    const Expr least = 0.5 * tolerance(where(abs(f) < abs(g2), x, y2)) / abs(y2 - x);
    const Expr next = minimum(maximum(where(is_safe, bent, 0.5), least), 1.0 - least);
    return Exprs{x, f, y2, g2, next, s[5] + 1};
  });
  return nearer(last);
}

Expr value_in(const Segment& segment, const Slope& f, const Expr& t) {
  const Expr since = t - segment.start, part = since / segment.length;
  const Expr slope = slope_at(segment.by, part) / segment.length;
  const auto row = [](const Expr& x) { return expand_dims(x, 0); };
  return with_slopes(f, row(value_at(segment.by, part)), row(slope), row(since), row(t))(0);
}

Expr time_of(const Event& event, const Slope& f, const Segment& segment, const Expr& zero) {
  const Problem problem = [&](const Expr& t) {
    return Exprs{expand_dims(event.at(value_in(segment, f, t(0)), t(0)), 0)};
  };
  const Method method{[](const Problem&, const Expr& start) { return Exprs{start}; },
                      [](const Problem&, const Expr&, const VectorFunction& a, const Expr& b,
                         bool) { return where(b == 0, b, b / a(b * 0.0 + 1.0)); }};
  return solve_implicitly("solve_ivp", problem, expand_dims(zero, 0), method)[0](0);
}

}  // namespace gnomon::solvers
