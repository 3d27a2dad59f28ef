// Linear equations by steps that apply the function: cg, bicgstab, gmres.
#include <fmt/format.h>

#include "frontend/library/solvers/implicit.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/statistics.h"
#include "stdlib/type_rules.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

// a(x) = b for vectors; m is about the inverse of a.
struct System {
  VectorFunction a, m;
  Expr b, x0, rtol, atol;
  Expr most;  // steps
  std::int64_t restart;

  Expr limit() const { return maximum(norm(b) * rtol, atol); }
  Expr goes_on(const Expr& r, const Expr& steps) const {
    return (norm(r) > limit()) & (steps < most);
  }
};

struct Steps {
  Expr x, residual, count;
};

using Iterate = Steps (*)(const System&);

// Steps from x, its residual, then `more`, to the same of the next one.
Steps iterate(const System& s, const Exprs& more, const std::function<Exprs(States)>& step) {
  const Expr none(Array(std::int64_t{0}));
  Exprs initial = {none, s.x0, s.b - s.a(s.x0)};
  initial.insert(initial.end(), more.begin(), more.end());
  const Exprs last = while_loop(
      initial, [&](States now) { return s.goes_on(now[2], now[0]); },
      [&](States now) {
        Exprs after = step(now.subspan(1));
        after.insert(after.begin(), now[0] + 1);
        return after;
      });
  return {last[1], last[2], last[0]};
}

Steps cg_steps(const System& s) {
  const Expr r = s.b - s.a(s.x0), z = s.m(r);
  return iterate(s, {z, dot(r, z)}, [&](States now) {
    const Expr &p = now[2], image = s.a(p), &rho = now[3];
    const Expr length = rho / dot(p, image);
    const Expr rest = now[1] - length * image, turned = s.m(rest), next = dot(rest, turned);
    return Exprs{now[0] + length * p, rest, turned + (next / rho) * p, next};
  });
}

Steps bicgstab_steps(const System& s) {
  const Expr shadow = s.b - s.a(s.x0), one = dot(shadow, shadow) * 0.0 + 1.0;
  return iterate(s, {zeros_like(s.b), zeros_like(s.b), one, one, one}, [&](States now) {
    const Expr &r = now[1], &p = now[2], &v = now[3];
    const Expr &rho = now[4], &alpha = now[5], &omega = now[6];
    const Expr next = dot(shadow, r), beta = (next / rho) * (alpha / omega);
    const Expr turn = r + beta * (p - omega * v), towards = s.m(turn), image = s.a(towards);
    const Expr length = next / dot(shadow, image), half = r - length * image;
    const Expr second = s.m(half), t = s.a(second), size = dot(t, t);
    const Expr stable = where(size > 0, dot(t, half) / where(size > 0, size, one), size);
    return Exprs{now[0] + length * towards + stable * second,
                 half - stable * t,
                 turn,
                 image,
                 next,
                 length,
                 stable};
  });
}

// The x with the smallest residual among x0 + m(span of v, a m v, (a m)^2 v, ...).
Expr smallest_residual(const System& s, const Expr& x, const Expr& r) {
  const std::int64_t m = s.restart;
  const Expr zero = norm(r) * 0.0, size = norm(r);
  const Expr basis = set_at(full(Shape{Dim(m + 1), r.dim(0)}, zero), {Index(0)}, r / size);
  const Expr products = full(Shape{Dim(m), Dim(m + 1)}, zero);
  const Exprs built = fori(m, Exprs{basis, products}, [&](const Expr& k, States now) {
    const Expr &v = now[0], image = s.a(s.m(v(k)));
    const Expr once = dot(v, image), rest = image - dot(once, v), again = dot(v, rest);
    const Expr left = rest - dot(again, v), length = norm(left);
    const Expr is_new = length > norm(image) * (10 * rounding_unit(r.dtype()));
    const Expr next = where(is_new, left / where(is_new, length, length * 0.0 + 1.0), zero);
    const Expr kept = set_at(once + again, {Index(k + 1)}, where(is_new, length, zero));
    return Exprs{set_at(v, {Index(k + 1)}, next), set_at(now[1], {Index(k)}, kept)};
  });
  const Qr factors = qr(transpose(built[1]));
  const Expr on_diagonal = sum(factors.r * eye(m, r.dtype()), {1});
  const Expr is_used = abs(on_diagonal) > max(abs(on_diagonal)) * (10 * rounding_unit(r.dtype()));
  const Expr filled = factors.r + diag(where(is_used, zero, zero + 1.0));
  const Expr weights = where(is_used, factors.q(0) * size, zero);
  const Expr found = where(is_used, solve_triangular(filled, weights, false), zero);
  const Expr used =
      slice(built[0], Shape{Dim(0), Dim(0)}, Shape{Dim(m), r.dim(0)}, Shape{Dim(1), Dim(1)});
  return x + s.m(dot(found, used));
}

Steps gmres_steps(const System& s) {
  return iterate(s, {}, [&](States now) {
    const Expr x = smallest_residual(s, now[0], now[1]);
    return Exprs{x, s.b - s.a(x)};
  });
}

// The x of a(x) = b, and 0 or the number of steps, with derivatives that solve such equations too:
// `depth` of them, then those of the steps.
Exprs solve_by(const char* who, Iterate iterate, const System& system, bool is_symmetric,
               int depth) {
  const auto steps_of = [iterate](const System& s) {
    const Steps found = iterate(s);
    const Expr is_near = norm(found.residual) <= s.limit();
    return Exprs{found.x, where(is_near, 0, found.count)};
  };
  if (depth == 0) return steps_of(system);
  const Problem problem = [&](const Expr& y) {
    const Expr image = system.a(y);
    return Exprs{image - system.b, image,       system.m(y), system.b,
                 system.rtol,      system.atol, system.most};
  };
  const auto system_of = [restart = system.restart](const Problem& of, const Expr& x) {
    const VectorFunction a = [&of](const Expr& v) { return of(v)[1]; };
    const VectorFunction m = [&of](const Expr& v) { return of(v)[2]; };
    const Exprs all = of(x);
    return System{a, m, all[3], x, all[4], all[5], all[6], restart};
  };
  Method method;
  method.find = [&](const Problem& of, const Expr& start) {
    return steps_of(system_of(of, start));
  };
  method.solve_linear = [&](const Problem& of, const Expr& solution, const VectorFunction& a,
                            const Expr& b, bool transposed) {
    System other = system_of(of, solution);
    other.a = a;
    if (transposed && !is_symmetric) {
      const Expr turned = of(solution)[2];
      other.m = [turned, solution](const Expr& v) {
        return vjp(States(&turned, 1), States(&solution, 1), States(&v, 1))[0];
      };
    }
    other.b = b;
    other.x0 = zeros_like(b);
    return solve_by(who, iterate, other, is_symmetric, depth - 1)[0];
  };
  return solve_implicitly(who, problem, system.x0, method);
}

LinearSolution solve_linear(const char* who, Iterate iterate, const Function& a, const ExprList& b,
                            const LinearOptions& options, bool is_symmetric) {
  if (!(options.rtol >= 0) || !(options.atol >= 0))
    throw ValueError(fmt::format("{}: expected tolerances of 0 or more, found rtol {} and atol {}",
                                 who, options.rtol, options.atol));
  if (options.restart < 1)
    throw ValueError(
        fmt::format("{}: expected restart to be positive, found {}", who, options.restart));
  const Packing packing(who, b);
  const auto on_vectors = [&packing](const Function& f) -> VectorFunction {
    if (!f) return [](const Expr& v) { return v; };
    return [&packing, &f](const Expr& v) {
      return packing.pack(with_own_lines(f)(packing.unpack(v)));
    };
  };
  const auto number = [&](double x) { return cast(Expr(Array(x)), packing.dtype()); };
  const Expr right = packing.pack(b);
  const Expr most = options.maxiter ? Expr(Array(*options.maxiter)) : extent(packing.size()) * 10;
  const System system{on_vectors(a),
                      on_vectors(options.preconditioner),
                      right,
                      options.x0.empty() ? zeros_like(right) : packing.pack(options.x0),
                      number(options.rtol),
                      number(options.atol),
                      most,
                      options.restart};
  const Exprs found = solve_by(who, iterate, system, is_symmetric, 2);
  return {packing.unpack(found[0]), found[1]};
}

}  // namespace

LinearSolution cg(const Function& a, const ExprList& b, const LinearOptions& options) {
  const CallPlace call("cg", b.origin());
  return solve_linear("cg", cg_steps, a, b, options, true);
}

LinearSolution bicgstab(const Function& a, const ExprList& b, const LinearOptions& options) {
  const CallPlace call("bicgstab", b.origin());
  return solve_linear("bicgstab", bicgstab_steps, a, b, options, false);
}

LinearSolution gmres(const Function& a, const ExprList& b, const LinearOptions& options) {
  const CallPlace call("gmres", b.origin());
  return solve_linear("gmres", gmres_steps, a, b, options, false);
}

}  // namespace gnomon::solvers
