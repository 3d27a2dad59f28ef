// Solutions of differential equations at given times: Dormand and Prince's pair with interpolation,
// gradients through the steps or by the adjoint equation. The formulas are those of Hairer, Norsett
// and Wanner, Solving Ordinary Differential Equations I, 1993.
#include <fmt/format.h>

#include <limits>

#include "frontend/library/solvers/implicit.h"
#include "frontend/library/solvers/runge_kutta.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

struct Limits {
  Tolerances tol;
  std::int64_t most;  // steps from one time to the next
};

// Where the solver stands: behind its last step, from `from` on, which the polynomial tells of.
struct State {
  Expr t, y, slope;       // the end of the step
  Expr step, last_error;  // what to try next, and the size of the last error
  Expr from, length;      // the step
  Polynomial by;

  State() = default;
  explicit State(States list)
      : t(list[0]),
        y(list[1]),
        slope(list[2]),
        step(list[3]),
        last_error(list[4]),
        from(list[5]),
        length(list[6]),
        by(list.begin() + 7, list.begin() + 8 + dormand_prince.powers) {}
  Exprs list() const {
    Exprs all = {t, y, slope, step, last_error, from, length};
    all.insert(all.end(), by.begin(), by.end());
    return all;
  }
};

// The state at the start.
State begin(const Slope& f, const Expr& y, const Expr& t, const Expr& direction,
            const Tolerances& tol) {
  const Expr slope = f(y, t), one = t * 0.0 + 1.0;
  const Expr most = one * std::numeric_limits<double>::infinity();
  const Expr length = first_length(dormand_prince, f, y, slope, t, direction, most, tol);
  State s{};
  s.t = t, s.y = y, s.slope = slope;
  s.step = stop_gradient(direction * length);
  s.last_error = stop_gradient(one * 1e-4);
  s.from = t, s.length = stop_gradient(one);
  s.by = {y};
  for (int k = 0; k < dormand_prince.powers; ++k) s.by.push_back(zeros_like(y));
  return s;
}

// After one attempt: the same with a shorter step, or at the end of it.
State attempt(const Slope& f, const State& s, const Tolerances& tol) {
  const Expr& h = s.step;
  const Step to = step_from(dormand_prince, f, s.y, s.slope, s.t, h);
  const Expr error = stop_gradient(tol.size(to.error, s.y, to.y));
  const Expr is_taken = error <= 1.0;
  const Expr some = maximum(error, 1e-10);
  // A proportional and an integral part: 0.17 = 0.2 - 0.75 * 0.04.
  const Expr longer = 0.9 * power(some, -0.17) * power(s.last_error, 0.04);
  const Expr shorter = where(isfinite(error), 0.9 * power(some, -0.2), 0.2);
  const Expr factor = where(is_taken, clip(longer, 0.2, 10.0), clip(shorter, 0.2, 1.0));
  State next;
  next.t = where(is_taken, s.t + h, s.t);
  next.y = where(is_taken, to.y, s.y);
  next.slope = where(is_taken, to.slope, s.slope);
  next.step = stop_gradient(h * factor);
  next.last_error = where(is_taken, maximum(error, 1e-4), s.last_error);
  next.from = where(is_taken, s.t, s.from);
  next.length = where(is_taken, h, s.length);
  for (std::size_t i = 0; i < to.by.size(); ++i)
    next.by.push_back(where(is_taken, to.by[i], s.by[i]));
  return next;
}

// Attempts until the time is reached.
State advance(const Slope& f, const State& from, const Expr& time, const Expr& direction,
              const Limits& limits) {
  Exprs initial = from.list();
  initial.emplace_back(Array(std::int64_t{0}));
  const auto is_before = [&](States now) { return (time - now[0]) * direction > 0; };
  const Exprs last = while_loop(
      initial, [&](States now) { return is_before(now) & (now.back() < limits.most); },
      [&](States now) {
        Exprs after = attempt(f, State(now), limits.tol).list();
        after.push_back(now.back() + 1);
        return after;
      });
  State reached(last);
  reached.by[0] =
      check(reached.by[0], bitwise_not(is_before(last)),
            fmt::format("odeint: expected to reach each time within {} steps of the one before; is "
                        "the equation stiff, or does the solution end?",
                        limits.most));
  return reached;
}

// All rows but the last one, or from 1 on.
Expr all_but_one(const Expr& x, std::int64_t from) {
  Shape start(x.shape().size(), Dim(0)), count = x.shape();
  start[0] = from, count[0] = count[0] - 1;
  return slice(x, start, count, Shape(count.size(), Dim(1)));
}

// The rows of y at all times.
Expr integrate(const Slope& f, const Expr& y0, const Expr& given, const Limits& limits) {
  const Expr steps = all_but_one(given, 1) - all_but_one(given, 0);
  const Expr times = check(given, all(steps >= 0) | all(steps <= 0),
                           "odeint: expected times that rise or fall, found others");
  const Expr direction = where(times(-1) < times(0), times(0) * 0.0 - 1.0, times(0) * 0.0 + 1.0);
  const State start = begin(f, y0, times(0), direction, limits.tol);
  // Of each time: the value, what the polynomial says of its slope, and the time since its start.
  const Exprs found =
      scan(extent(times.dim(0)), start.list(), Sequences{{times}, false},
           [&](const Expr&, States now, States time) {
             const State reached = advance(f, State(now), time[0], direction, limits);
             const Expr since = time[0] - reached.from, part = since / reached.length;
             Exprs after = reached.list();
             after.insert(after.end(), {value_at(reached.by, part),
                                        slope_at(reached.by, part) / reached.length, since});
             return after;
           });
  const States rows = States(found).last(3);
  return with_slopes(f, rows[0], rows[1], rows[2], times);
}

// Backwards from the last time: the state y, its adjoint a with da/dt = -a df/dy, and for each c
// that f uses the integral of a df/dc. At each time the cotangent of the row enters the adjoint.
class Adjoint {
 public:
  Adjoint(Function f, const Expr& y, Exprs uses, const Limits& limits)
      : f_(std::move(f)), uses_(std::move(uses)), limits_(limits), packing_("odeint", parts(y)) {}

  // Of the start, the times, and what f uses.
  Exprs cotangents(const Expr& y0, const Expr& times, const Expr& rows, const Expr& given) const {
    const Sequences over{
        {all_but_one(rows, 1), all_but_one(given, 1), all_but_one(times, 1), all_but_one(times, 0)},
        true};
    Exprs none;
    for (const Expr& x : parts(y0)) none.push_back(zeros_like(x));
    const Exprs found = scan(extent(times.dim(0)) - 1, States(none).subspan(1), over,
                             [&](const Expr&, States now, States at) { return back(now, at); });
    Exprs result = {found[0] + given(0)};
    const Expr first = -dot(found[0], slope(y0, times(0)));
    result.push_back(concatenate({expand_dims(first, 0), flip(found.back())}));
    for (std::size_t i = 0; i < uses_.size(); ++i)
      result.push_back(cast(found[1 + i], uses_[i].dtype()));
    return result;
  }

 private:
  // Vectors like y, its adjoint and all integrals.
  Exprs parts(const Expr& y) const {
    Exprs list = {y, y};
    for (const Expr& c : uses_) list.push_back(cast(c, y.dtype()));
    return list;
  }
  Expr slope(const Expr& y, const Expr& t) const { return f_(Exprs{y, t})[0]; }

  // From a time to the one before it; then the cotangent of the time.
  Exprs back(States now, States at) const {
    const Expr &y = at[0], &given = at[1], &from = at[2], &to = at[3];
    Exprs all = {y, now[0] + given};
    all.insert(all.end(), now.begin() + 1, now.end());
    const Slope joint = [&](const Expr& z, const Expr& t) {
      const Exprs at_z = packing_.unpack(z);
      const Expr speed = slope(at_z[0], t), against = -at_z[1];
      Exprs by = {at_z[0]};
      by.insert(by.end(), uses_.begin(), uses_.end());
      // The stages before this one, which z is made of, depend on c too.
      Exprs change = vjp(States(&speed, 1), by, States(&against, 1), {Disconnected::zero, {z, t}});
      for (Expr& x : change) x = cast(x, speed.dtype());
      change.insert(change.begin(), speed);
      return packing_.pack(change);
    };
    const Expr rows = integrate(joint, packing_.pack(all), stack({from, to}), limits_);
    Exprs after = packing_.unpack(rows(1));
    after.erase(after.begin());
    after.push_back(dot(given, slope(y, from)));
    return after;
  }

  Function f_;
  Exprs uses_;
  Limits limits_;
  Packing packing_;
};

// The rows, whose derivative is the adjoint's.
Expr integrate_with_adjoint(const Slope& f, const Expr& y0, const Expr& times,
                            const Limits& limits) {
  const Exprs like = {y0, times(0)};
  const Isolated isolated([&](States x) { return Exprs{f(x[0], x[1])}; }, like);
  Exprs arguments = {y0, times};
  arguments.insert(arguments.end(), isolated.captured().begin(), isolated.captured().end());
  const Exprs inputs = inputs_like(arguments);
  const auto backwards = [&](States x, States found, States given) {
    const Adjoint adjoint(isolated.with(x.subspan(2)), x[0], floats_of(x.subspan(2)), limits);
    return adjoint.cotangents(x[0], x[1], found[0], given[0]);
  };
  const Function same = isolated.with(States(inputs).subspan(2));
  const Slope closed = [&](const Expr& y, const Expr& t) { return same(Exprs{y, t})[0]; };
  const Exprs rows = {integrate(closed, inputs[0], inputs[1], limits)};
  return OpFromGraph(inputs, rows, {backwards, {}, false, "odeint"})(arguments)[0];
}

}  // namespace

std::vector<Expr> odeint(const OdeFunction& f, const ExprList& y0, const Expr& t,
                         const OdeOptions& options) {
  const CallPlace call("odeint", y0.origin());
  if (!(options.rtol >= 0) || !(options.atol >= 0) || options.rtol + options.atol <= 0)
    throw ValueError(
        fmt::format("odeint: expected tolerances of 0 or more, one of them positive, found rtol {} "
                    "and atol {}",
                    options.rtol, options.atol));
  if (options.mxstep < 1)
    throw ValueError(
        fmt::format("odeint: expected mxstep to be positive, found {}", options.mxstep));
  if (t.rank() != 1 || !(is_float(t.dtype()) || is_integer(t.dtype())))
    throw TypeError(
        fmt::format("odeint: expected a vector of times, found {}", describe(t.value())));
  const Packing packing("odeint", y0);
  const auto own = with_own_lines(f);
  const Slope slope = [&](const Expr& y, const Expr& time) {
    return packing.pack(own(packing.unpack(y), time));
  };
  const Expr absolute = constant(options.atol, packing.dtype());
  const Limits limits{{options.rtol, absolute}, options.mxstep};
  const Expr start = packing.pack(y0), times = cast(t, packing.dtype());
  const bool by_steps = options.gradient == OdeGradient::steps;
  return packing.unpack(by_steps ? integrate(slope, start, times, limits)
                                 : integrate_with_adjoint(slope, start, times, limits));
}

}  // namespace gnomon::solvers
