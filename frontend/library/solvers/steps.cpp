// Finding the steps of a solution, as SciPy does, and making them again.
#include "frontend/library/solvers/steps.h"

#include <limits>

#include "stdlib/arrays/creation.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::solvers {

namespace {

using Exprs = std::vector<Expr>;
using States = std::span<const Expr>;

Expr truth(bool value) { return Expr(Array(value)); }

// A step from a point, whose error is small enough, unless it would be too short.
struct Taken {
  Expr t, y, slope, length;  // its end, and what to try next
  Expr is_taken, attempts;
  Polynomial by;  // if there are events
};

Taken take_step(const Ivp& p, const Expr& t, const Expr& y, const Expr& slope, const Expr& length) {
  const Expr one = t * 0.0 + 1.0;
  const Expr least =
      abs(nextafter(t, p.direction * (one * std::numeric_limits<double>::infinity())) - t) * 10.0;
  const Expr first = where(length > p.longest, p.longest, maximum(length, least));
  Exprs initial = {first, truth(false), truth(false), number(0), t, y, slope};
  if (!p.events.empty()) initial.resize(initial.size() + p.method.powers, zeros_like(y));
  const auto goes_on = [&](States s) { return bitwise_not(s[1]) & (s[0] >= least); };
  const Exprs last = while_loop(initial, goes_on, [&](States s) {
    const Expr wanted = t + p.direction * s[0];
    const Expr end = where(p.is_before(p.to, wanted), p.to, wanted), h = end - t;
    const Step to = step_from(p.method, p.f, y, slope, t, h);
    const Expr size = p.tol.size(to.error, y, to.y), is_taken = size < 1.0;
    const Expr factor = 0.9 * power(size, -1.0 / p.method.error_order);
    const Expr longer = minimum(factor, where(s[2], one, one * 10.0));
    const Expr shorter = where(isnan(size), 0.2, maximum(factor, 0.2));
    Exprs after = {abs(h) * where(is_taken, longer, shorter),
                   is_taken,
                   truth(true),
                   s[3] + 1,
                   end,
                   to.y,
                   to.slope};
    if (!p.events.empty()) after.insert(after.end(), to.by.begin() + 1, to.by.end());
    return after;
  });
  Taken taken{where(last[1], last[4], t), last[5], last[6], last[0], last[1], last[3], {y}};
  taken.by.insert(taken.by.end(), last.begin() + 7, last.end());
  return taken;
}

// The zeros in a step, those among them that come before an end, and whether that is the end.
struct Crossings {
  Exprs values, zeros, counts;
  Expr stop, is_stopped;
};

Crossings cross(const Ivp& p, const Taken& to, const Expr& t, States before, States counts) {
  Crossings found;
  const Segment segment{t, where(to.t == t, t * 0.0 + 1.0, to.t - t), to.by};
  const Expr none = t * 0.0 + std::numeric_limits<double>::quiet_NaN();
  Exprs marks;
  found.stop = p.to, found.is_stopped = truth(false);
  for (std::size_t k = 0; k < p.events.size(); ++k) {
    const Event& event = p.events[k];
    const Expr after = event.at(to.y, to.t);
    const auto at = [&](const Expr& time) {
      return event.at(value_at(segment.by, (time - segment.start) / segment.length), time);
    };
    const Expr is_any = to.is_taken & is_crossed(event, before[k], after);
    const Expr zero = zero_between(at, t, before[k], to.t, after, is_any);
    found.values.push_back(after);
    found.zeros.push_back(where(is_any, zero, none));
    found.counts.push_back(counts[k] + cast(is_any, DType::int64));
    if (event.terminal == 0) continue;
    const Expr ends = is_any & (found.counts[k] >= event.terminal);
    const Expr is_first = ends & (bitwise_not(found.is_stopped) | p.is_before(zero, found.stop));
    found.stop = where(is_first, zero, found.stop);
    found.is_stopped = found.is_stopped | ends;
  }
  for (std::size_t k = 0; k < p.events.size(); ++k) {
    const Expr is_late = found.is_stopped & p.is_before(found.stop, found.zeros[k]);
    found.zeros[k] = where(is_late, none, found.zeros[k]);
    found.counts[k] = found.counts[k] - cast(is_late, DType::int64);
  }
  return found;
}

}  // namespace

Found find_steps(const Ivp& p, const Expr& y0, const Expr& slope) {
  const std::size_t events = p.events.size();
  Exprs initial = {p.from, y0, slope, p.first_length, number(0), truth(false), truth(false), p.to};
  const std::size_t own = initial.size();
  for (const Event& event : p.events) initial.push_back(event.at(y0, p.from));
  initial.resize(initial.size() + events, number(0));
  const WhileStep step = [&](const Expr&, States s) {
    const Taken to = take_step(p, s[0], s[1], s[2], s[3]);
    const Crossings crossed =
        cross(p, to, s[0], s.subspan(own, events), s.subspan(own + events, events));
    const Expr is_failed = bitwise_not(to.is_taken);
    const Expr is_over = is_failed | crossed.is_stopped | bitwise_not(p.is_before(to.t, p.to));
    Exprs after = {
        bitwise_not(is_over), to.t,        to.y, to.slope, to.length, s[4] + to.attempts, is_failed,
        crossed.is_stopped,   crossed.stop};
    for (const Exprs& list : {crossed.values, crossed.counts, Exprs{to.t}, crossed.zeros})
      after.insert(after.end(), list.begin(), list.end());
    return after;
  };
  const WhileResults loop = while_loop(truth(true), initial, step, Arg(p.most));
  Found found{loop.steps,
              stop_gradient(loop.rows_and_zeros[0]),
              {},
              {},
              loop.states[5],
              loop.states[6],
              stop_gradient(loop.states[7]),
              loop.states[4]};
  for (std::size_t k = 0; k < events; ++k) {
    found.zeros.push_back(stop_gradient(loop.rows_and_zeros[1 + k]));
    found.counts.push_back(loop.states[own + events + k]);
  }
  return found;
}

Segment Made::segment(const Expr& k) const {
  const Expr start = starts(Index(k)), length = stop_gradient(ends(Index(k)) - start);
  Segment found{start, where(length == 0, length * 0.0 + 1.0, length), {}};
  for (const Expr& rows : by) found.by.push_back(rows(Index(k)));
  return found;
}

Made make_steps(const Ivp& p, const Expr& y0, const Expr& slope, const Found& found) {
  const Expr moved = p.from - stop_gradient(p.from);
  const Exprs initial = {p.from, y0, slope};
  Exprs rows = scan(found.steps, initial, [&](const Expr& i, States s) {
    const Expr end = found.ends(Index(i)) + moved;
    const Step to = step_from(p.method, p.f, s[1], s[2], s[0], stop_gradient(end - s[0]));
    Exprs after = {end, to.y, to.slope, s[0]};
    after.insert(after.end(), to.by.begin(), to.by.end());
    return after;
  });
  const Expr good = found.steps - cast(found.is_failed, DType::int64);
  return {maximum(good, 1), found.ends, rows[3], {rows.begin() + 4, rows.end()}, rows[0], rows[1]};
}

// A search bit by bit, as a batch has many lists of ends.
Expr steps_at(const Expr& ends, const Expr& count, const Expr& direction, const Expr& times) {
  const Expr ordered = direction * stop_gradient(times);
  const Expr all = cast(extent(ends.dim(0)), DType::float64);
  const Expr most = cast(exp2(floor(log2(all))), DType::int64);
  const Exprs found = while_loop(
      Exprs{broadcast_to(number(0), times.shape()), most}, [](States s) { return s[1] > 0; },
      [&](States s) {
        const Expr next = s[0] + s[1], is_inside = next <= count;
        const Expr end = ends(Index(where(is_inside, next, 1) - 1));
        return Exprs{where(is_inside & (direction * end < ordered), next, s[0]),
                     right_shift(s[1], 1)};
      });
  return minimum(found[0], count - 1);
}

}  // namespace gnomon::solvers
