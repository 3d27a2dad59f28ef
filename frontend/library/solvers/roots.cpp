// Roots and fixed points.
#include <fmt/format.h>

#include <cmath>

#include "frontend/library/solvers/implicit.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/full_derivatives.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/statistics.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

double default_tolerance(DType t) { return std::sqrt(rounding_unit(t)); }

void check_options(const char* who, const RootOptions& options) {
  if (options.tol && !(*options.tol >= 0))
    throw ValueError(
        fmt::format("{}: expected a tolerance of 0 or more, found {}", who, *options.tol));
  if (options.maxiter < 0)
    throw ValueError(
        fmt::format("{}: expected maxiter to be 0 or more, found {}", who, options.maxiter));
}

// Of the last states of a search: the point, whether it is the one, the number of steps.
Exprs ended(const Exprs& last) { return {last[0], last[2], last.back()}; }

Expr is_small(const Expr& change, const Expr& x, double tol) {
  return norm(change) <= norm(x) * tol;
}

// Steps that solve (J^T J + damping) step = -J^T f; the damping falls while f falls as it should.
Exprs find_root(const Problem& f, const Expr& start, double tol, const Expr& most) {
  const auto size_of = [](const Expr& r) { return dot(r, r); };
  const Expr first = f(start)[0], one = size_of(first) * 0.0 + 1.0;
  const Exprs initial = {start, Expr(Array(false)), Expr(Array(false)), first, one * 1e-3};
  return ended(search(initial, most, [&](States now) {
    const Expr &x = now[0], &r = now[3], &trust = now[4];
    const Expr j = jacobian(f(x)[0], States(&x, 1))[0];
    const Expr product = dot(transpose(j), j), downhill = -dot(transpose(j), r);
    const Expr mean = trace(product) / cast(extent(x.dim(0)), x.dtype());
    const Expr damping = maximum(trust, 100 * rounding_unit(x.dtype())) * mean;
    const Expr safe = where(damping > 0, damping, one);
    const Expr change = solve(product + safe * eye(x.dim(0), x.dtype()), downhill);
    const Expr next = x + change, after = f(next)[0];
    const Expr gained = size_of(r) - size_of(after);
    const Expr promised = dot(change, downhill) + safe * size_of(change);
    const Expr is_better = gained >= promised * 1e-4, is_good = gained >= promised * 0.5;
    // Where f has a least size above 0, small steps take nothing from it.
    const Expr rest = r + dot(j, change), is_near = is_small(change, x, tol);
    const Expr found = (size_of(r) == 0) | (is_near & (size_of(rest) <= 0.25 * size_of(r)));
    return Exprs{where(is_better, next, x), found | (is_near & (trust <= 1.0)), found,
                 where(is_better, after, r), where(is_good, trust * 0.1, trust * 4.0)};
  }));
}

// x = f(x), where the start is no solution; each step is two of them and an extrapolation.
Exprs find_fixed_point(const Problem& f, const Expr& start, double tol, const Expr& most,
                       bool accelerate) {
  const Expr no(Array(false));
  return ended(search(Exprs{start, no, no}, most, [&](States now) {
    const Expr &x = now[0], once = f(x)[1];
    const auto stepped = [&](const Expr& next) {
      const Expr found = is_small(next - x, x, tol);
      return Exprs{next, found, found};
    };
    if (!accelerate) return stepped(once);
    const Expr twice = f(once)[1], bend = twice - once * 2.0 + x, gap = once - x;
    const Expr next =
        where(bend != 0, x - gap * gap / where(bend != 0, bend, x * 0.0 + 1.0), twice);
    return stepped(next);
  }));
}

Root solution_of(const Packing& packing, const Exprs& found) {
  return {packing.unpack(found[0]), found[1], found[2]};
}

}  // namespace

Root root(const Function& f, const ExprList& x0, const RootOptions& options) {
  const CallPlace call("root", x0.origin());
  check_options("root", options);
  const Packing packing("root", x0);
  const auto own = with_own_lines(f);
  const Problem problem = [&](const Expr& y) {
    return Exprs{packing.pack(own(packing.unpack(y)))};
  };
  const double tol = options.tol.value_or(default_tolerance(packing.dtype()));
  const Method method{[&](const Problem& of, const Expr& start) {
                        return find_root(of, start, tol, Expr(Array(options.maxiter)));
                      },
                      [](const Problem&, const Expr&, const VectorFunction& a, const Expr& b,
                         bool) { return solve_densely(a, b); }};
  return solution_of(packing, solve_implicitly("root", problem, packing.pack(x0), method));
}

Root fixed_point(const Function& f, const ExprList& x0, const RootOptions& options,
                 bool accelerate) {
  const CallPlace call("fixed_point", x0.origin());
  check_options("fixed_point", options);
  const Packing packing("fixed_point", x0);
  const auto own = with_own_lines(f);
  const Problem problem = [&](const Expr& y) {
    const Expr image = packing.pack(own(packing.unpack(y)));
    return Exprs{y - image, image};
  };
  const double tol = options.tol.value_or(default_tolerance(packing.dtype()));
  const Method method{
      [&](const Problem& of, const Expr& start) {
        return find_fixed_point(of, start, tol, Expr(Array(options.maxiter)), accelerate);
      },
      [tol](const Problem&, const Expr&, const VectorFunction& a, const Expr& b, bool) {
        const Function linear = [&](States v) { return Exprs{a(v[0])}; };
        return gmres(linear, Exprs{b}, {.rtol = tol * 1e-2}).x[0];
      }};
  return solution_of(packing, solve_implicitly("fixed_point", problem, packing.pack(x0), method));
}

}  // namespace gnomon::solvers
