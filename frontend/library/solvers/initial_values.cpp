// Solutions of differential equations from a time to another, with steps, events and dense output
// as SciPy has them. The steps are found first, without derivatives: their ends and the zeros of
// events, a row for each. Then they are made once more, a known number of them: what has
// derivatives, rows as long as that, and nothing of the attempts that failed.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>

#include "frontend/library/solvers/implicit.h"
#include "frontend/library/solvers/solvers.h"
#include "frontend/library/solvers/steps.h"
#include "runtime/error.h"
#include "stdlib/arrays/creation.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

// The end of the solution: at the time asked for, at a zero, or behind the last step that could be
// made.
struct End {
  Expr t, y;
};

End end_of(const Ivp& p, const Found& found, const Made& made) {
  const Expr last = found.steps - 1;
  const Segment segment = made.segment(last);
  Expr zero = p.to;
  for (std::size_t k = 0; k < p.events.size(); ++k) {
    if (p.events[k].terminal == 0) continue;
    const Expr at = found.zeros[k](Index(last)), is_it = found.is_stopped & (at == found.stop);
    const Expr time = time_of(p.events[k], p.f, segment, where(is_it, at, segment.start));
    zero = where(is_it, time, zero);
  }
  const Expr there = where(p.is_before(made.t, p.to), made.t, p.to);
  const Expr t = where(found.is_stopped, zero, where(found.is_failed, segment.start, there));
  const Expr part = (zero - segment.start) / segment.length;
  const Expr y = where(found.is_stopped, value_at(segment.by, part),
                       where(found.is_failed, segment.by[0], made.y));
  const Expr slope =
      where(found.is_stopped, slope_at(segment.by, part) / segment.length, zeros_like(y));
  const Expr since = t - where(found.is_stopped, segment.start, made.t);
  const auto row = [](const Expr& x) { return expand_dims(x, 0); };
  return {t, with_slopes(p.f, row(y), row(slope), row(since), row(t))(0)};
}

// Rows of times and values, as many as are counted; NaN behind those where others have more.
using Rows = std::pair<Expr, Expr>;

Rows rows_of(const Expr& count, const std::function<End(const Expr& k)>& at) {
  const Exprs rows = scan(count, {}, [&](const Expr& k, States) {
    const End here = at(k);
    const Expr none = here.t * 0.0 + std::numeric_limits<double>::quiet_NaN();
    return Exprs{where(k < count, here.t, none), where(k < count, here.y, none)};
  });
  return {rows[0], rows[1]};
}

Rows at_steps(const Found& found, const Made& made, const End& end) {
  const Expr last = found.steps - cast(found.is_failed, DType::int64);
  return rows_of(last + 1, [&](const Expr& k) {
    const Expr step = minimum(k, found.steps - 1);
    return End{where(k < last, made.starts(Index(step)), end.t),
               where(k < last, made.by[0](Index(step)), end.y)};
  });
}

Rows at_zeros(const Ivp& p, const Found& found, const Made& made, std::size_t event) {
  const Expr &zeros = found.zeros[event], last = found.steps - 1;
  const Exprs rows = scan(found.counts[event], Exprs{number(-1)}, [&](const Expr& i, States s) {
    const Expr k = while_loop(
        Exprs{minimum(s[0] + 1, last)},
        [&](States at) { return (at[0] < last) & isnan(zeros(Index(at[0]))); },
        [](States at) { return Exprs{at[0] + 1}; })[0];
    const Segment segment = made.segment(k);
    const Expr zero = zeros(Index(k)), is_one = (i < found.counts[event]) & isfinite(zero);
    const Expr t = time_of(p.events[event], p.f, segment, where(is_one, zero, segment.start));
    const Expr none = p.from * 0.0 + std::numeric_limits<double>::quiet_NaN();
    return Exprs{k, where(is_one, t, none), where(is_one, value_in(segment, p.f, t), none)};
  });
  return {rows[1], rows[2]};
}

Rows at_times(const Ivp& p, const Made& made, const End& end, const Expr& times) {
  const Segment segment = made.segment(steps_at(made.ends, made.count, p.direction, times));
  const Expr since = times - segment.start, part = expand_dims(since / segment.length, 1);
  const Expr slope = slope_at(segment.by, part) / expand_dims(segment.length, 1);
  const Expr y = with_slopes(p.f, value_at(segment.by, part), slope, since, times);
  const Expr is_reached = bitwise_not(p.is_before(end.t, times));
  const bool ends = std::ranges::any_of(p.events, [](const Event& e) { return e.terminal > 0; });
  if (ends)
    return rows_of(sum(cast(is_reached, DType::int64)),
                   [&](const Expr& k) { return End{times(Index(k)), y(Index(k))}; });
  const Expr none = end.t * 0.0 + std::numeric_limits<double>::quiet_NaN();
  return {times, where(expand_dims(is_reached, 1), y, none)};
}

// ------------------------------------------------------------------------------------ the problem

// The same with one run of the function, whatever the number of its uses.
Slope run_once(const Slope& f, const Expr& y, const Expr& t) {
  const Exprs like = {y, t};
  const auto isolated =
      std::make_shared<Isolated>([&](States x) { return Exprs{f(x[0], x[1])}; }, like);
  return [isolated](const Expr& at, const Expr& time) {
    return isolated->with(isolated->captured())(Exprs{at, time})[0];
  };
}

void check_options(const IvpOptions& options) {
  if (!(options.rtol >= 0))
    throw ValueError(
        fmt::format("solve_ivp: expected rtol to be 0 or more, found {}", options.rtol));
  if (!(options.max_step > 0))
    throw ValueError(
        fmt::format("solve_ivp: expected max_step to be positive, found {}", options.max_step));
  if (options.first_step && !(*options.first_step > 0))
    throw ValueError(fmt::format("solve_ivp: expected first_step to be positive, found {}",
                                 *options.first_step));
  if (options.max_steps < 1)
    throw ValueError(
        fmt::format("solve_ivp: expected max_steps to be positive, found {}", options.max_steps));
  for (const OdeEvent& event : options.events)
    if (event.terminal < 0)
      throw ValueError(fmt::format(
          "solve_ivp: expected the zero of an event that ends to be 1 or more, or 0 for none, "
          "found {}",
          event.terminal));
}

Expr time_of_type(const Expr& t, DType type, const char* what) {
  if (t.rank() != 0 || !(is_float(t.dtype()) || is_integer(t.dtype())))
    throw TypeError(
        fmt::format("solve_ivp: expected a number as {}, found {}", what, describe(t.value())));
  return cast(t, type);
}

Slope event_of(const OdeEvent& event, const Packing& packing) {
  return [&](const Expr& y, const Expr& t) {
    const Expr value = with_own_lines(event.function)(packing.unpack(y), t);
    if (value.rank() != 0 || !(is_float(value.dtype()) || is_integer(value.dtype())))
      throw TypeError(fmt::format("solve_ivp: expected a number from an event, found {}",
                                  describe(value.value())));
    return cast(value, packing.dtype());
  };
}

// One for all elements, or for each.
Expr absolute_of(const IvpOptions& options, const Packing& packing) {
  if (options.atol.empty()) return constant(1e-6, packing.dtype());
  Exprs list;
  for (const Expr& x : options.atol) list.push_back(cast(x, packing.dtype()));
  const Expr tol = list.size() == 1 && list[0].rank() == 0 ? list[0] : packing.pack(list);
  return stop_gradient(
      check(tol, all(tol >= 0), "solve_ivp: expected atol to be 0 or more, found less"));
}

Ivp problem_of(const OdeFunction& f, const Expr& from, const Expr& to, const Expr& start,
               const Packing& packing, const IvpOptions& options) {
  const DType type = packing.dtype();
  const Expr t0 = time_of_type(from, type, "the start"), t1 = time_of_type(to, type, "the end");
  const Slope slope = [&](const Expr& y, const Expr& t) {
    return packing.pack(with_own_lines(f)(packing.unpack(y), t));
  };
  Ivp p{options.method == OdeMethod::rk23 ? bogacki_shampine : dormand_prince,
        run_once(slope, start, t0),
        {},
        {std::max(options.rtol, 100 * rounding_unit(type)), absolute_of(options, packing)},
        t0,
        t1,
        stop_gradient(where(t1 < t0, t0 * 0.0 - 1.0, t0 * 0.0 + 1.0)),
        {},
        constant(options.max_step, type),
        number(options.max_steps)};
  for (const OdeEvent& event : options.events)
    p.events.push_back(
        {run_once(event_of(event, packing), start, t0), event.direction, event.terminal});
  return p;
}

Expr first_of(const Ivp& p, const Expr& y, const Expr& slope, const IvpOptions& options) {
  const Expr span = abs(p.to - p.from);
  if (!options.first_step)
    return first_length(p.method, p.f, y, slope, p.from, p.direction, minimum(span, p.longest),
                        p.tol);
  const Expr first = constant(*options.first_step, y.dtype());
  return check(first, first <= span, "solve_ivp: expected first_step within the span");
}

// The times, with a check that they go from one end to the other.
Expr checked_times(const Ivp& p, const Expr& given) {
  if (given.rank() != 1 || !(is_float(given.dtype()) || is_integer(given.dtype())))
    throw TypeError(
        fmt::format("solve_ivp: expected a vector of times, found {}", describe(given.value())));
  const Expr times = cast(given, p.from.dtype());
  const Expr is_inside = bitwise_not(p.is_before(times, p.from) | p.is_before(p.to, times));
  const Expr inside =
      check(times, all(is_inside), "solve_ivp: expected times within the span, found others");
  const Expr steps = (times(Range(1, {})) - times(Range(0, -1))) * p.direction;
  return check(inside, all(steps > 0),
               "solve_ivp: expected times that go from the start to the end, found others");
}

}  // namespace

std::vector<Expr> DenseOutput::operator()(const Expr& t) const {
  const Expr from = starts(0), last = ends(Index(count - 1));
  const Expr direction = where(last < from, from * 0.0 - 1.0, from * 0.0 + 1.0);
  const Expr times = cast(t, starts.dtype()), step = steps_at(ends, count, direction, times);
  const Expr start = starts(Index(step)), length = stop_gradient(ends(Index(step)) - start);
  const Expr part = (times - start) / where(length == 0, length * 0.0 + 1.0, length);
  Exprs values;
  for (std::size_t leaf = 0; leaf < by[0].size(); ++leaf) {
    Polynomial here;
    for (const Exprs& factors : by) here.push_back(factors[leaf](Index(step)));
    Expr aligned = part;
    while (aligned.rank() < here[0].rank()) aligned = expand_dims(aligned, aligned.rank());
    values.push_back(value_at(here, aligned));
  }
  return values;
}

IvpSolution solve_ivp(const OdeFunction& f, const Expr& from, const Expr& to, const ExprList& y0,
                      const IvpOptions& options) {
  const CallPlace call("solve_ivp", y0.origin());
  check_options(options);
  const Packing packing("solve_ivp", y0);
  const Expr start = packing.pack(y0);
  Ivp p = problem_of(f, from, to, start, packing, options);
  const Expr slope = p.f(start, p.from);
  p.first_length = first_of(p, start, slope, options);
  const Found found = find_steps(p, start, slope);
  const Made made = make_steps(p, start, slope, found);
  const End end = end_of(p, found, made);
  const auto [t, y] = options.times ? at_times(p, made, end, checked_times(p, *options.times))
                                    : at_steps(found, made, end);
  const Expr is_short = found.is_failed | p.is_before(made.t, p.to);
  IvpSolution solution{{t, packing.unpack(y)},
                       {},
                       {made.count, made.ends, made.starts, {}},
                       where(found.is_stopped, number(1), where(is_short, number(-1), number(0))),
                       found.attempts * (p.method.stages - 1) + (options.first_step ? 1 : 2)};
  for (const Expr& factor : made.by) solution.dense.by.push_back(packing.unpack(factor));
  for (std::size_t k = 0; k < p.events.size(); ++k) {
    const auto [zeros, there] = at_zeros(p, found, made, k);
    solution.events.push_back({zeros, packing.unpack(there)});
  }
  return solution;
}

}  // namespace gnomon::solvers
