// Reductions without NaN: each element that is one counts as what changes nothing.
#include "stdlib/reductions/nans.h"

#include <limits>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double highest = std::numeric_limits<double>::infinity();

bool may_have_nan(const Expr& x) { return is_inexact(x.dtype()); }

// The elements, and another number in the place of each NaN.
Expr with_number(const Expr& x, double number) {
  return may_have_nan(x) ? where(isnan(x), number, x) : x;
}

// How many elements are no NaN, of x's dtype or the float64 of integers.
Expr count_of_numbers(const Expr& x, const Axes& axes, Keepdims keep) {
  const DType t = is_complex(x.dtype()) ? real(x).dtype() : x.dtype();
  return sum(indicator(logical_not(isnan(x)), t), axes, keep);
}

template <class Extreme>
Expr extreme_of_numbers(const Expr& x, double worst, const Axes& axes, Keepdims keep,
                        const Extreme& extreme) {
  if (!is_float(x.dtype())) return extreme(x, axes, keep);
  return where(all(isnan(x), axes, keep), nan, extreme(with_number(x, worst), axes, keep));
}

// Some element of each line is a number.
Expr with_some_number(const Expr& x, double worst, const Axes& axes, const char* what) {
  if (!is_float(x.dtype())) return x;
  const Expr has_one = logical_not(all(isnan(x), axes, keepdims));
  return with_number(check(x, has_one, std::string(what) + ": all elements are NaN"), worst);
}

// A number stays a number, of no dtype.
Arg part_of_percents(const Arg& q) {
  if (q.is_weak())
    if (const std::optional<double> known = constant_value(q.value()))
      return Arg(Arg(*known / 100), q.origin());
  return Arg(divide(q, 100));
}

}  // namespace

Expr nansum(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("nansum", x.origin());
  return sum(with_number(Expr(x.value()), 0), axes, keep);
}

Expr nanprod(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("nanprod", x.origin());
  return prod(with_number(Expr(x.value()), 1), axes, keep);
}

Expr nanmean(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("nanmean", x.origin());
  const Expr v = as_floats(x);
  return sum(with_number(v, 0), axes, keep) / count_of_numbers(v, axes, keep);
}

Expr nanmax(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("nanmax", x.origin());
  return extreme_of_numbers(Expr(x.value()), -highest, axes, keep,
                            [](const auto&... of) { return max(of...); });
}

Expr nanmin(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("nanmin", x.origin());
  return extreme_of_numbers(Expr(x.value()), highest, axes, keep,
                            [](const auto&... of) { return min(of...); });
}

Expr nanargmax(const Arg& x, const Axes& axis, Keepdims keep) {
  const CallScope call("nanargmax", x.origin());
  return argmax(with_some_number(Expr(x.value()), -highest, axis, "nanargmax"), axis, keep);
}

Expr nanargmin(const Arg& x, const Axes& axis, Keepdims keep) {
  const CallScope call("nanargmin", x.origin());
  return argmin(with_some_number(Expr(x.value()), highest, axis, "nanargmin"), axis, keep);
}

Expr nanvar(const Arg& x, const Axes& axes, double correction, Keepdims keep) {
  const CallScope call("nanvar", x.origin());
  const Expr v = as_floats(x);
  const Expr distance = absolute(where(isnan(v), 0, v - nanmean(v, axes, keepdims)));
  const Expr count = count_of_numbers(v, axes, keep) - correction;
  return where(greater(count, 0), sum(square(distance), axes, keep) / count, nan);
}

Expr nanstd(const Arg& x, const Axes& axes, double correction, Keepdims keep) {
  const CallScope call("nanstd", x.origin());
  const Expr squared = nanvar(x, axes, correction, keep);
  return where(greater(squared, 0), sqrt(squared), squared);  // its slope is 0 at 0
}

Expr nancumsum(const Arg& x, std::int64_t axis) {
  const CallScope call("nancumsum", x.origin());
  return cumsum(with_number(Expr(x.value()), 0), axis);
}

Expr nancumprod(const Arg& x, std::int64_t axis) {
  const CallScope call("nancumprod", x.origin());
  return cumprod(with_number(Expr(x.value()), 1), axis);
}

Expr nanquantile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis) {
  const CallScope call("nanquantile", x.origin());
  Expr line = axis ? as_floats(x) : ravel(as_floats(x));
  const std::int64_t at = axis ? normalize_axis(*axis, line.rank(), "nanquantile") : 0;
  // There is an element to take, which does not count.
  Shape one = line.shape();
  one[static_cast<std::size_t>(at)] = 1;
  line = concatenate({line, full(one, constant(nan, line.dtype()))}, at);
  Expr part(q.as(line.dtype()));
  if (part.rank() != 0) throw ValueError("nanquantile: expected one part, found " + describe(part));
  part = check(cast(part, line.dtype()), logical_and(greater_equal(part, 0), less_equal(part, 1)),
               "nanquantile: expected a part from 0 to 1");
  const Expr count = sum(logical_not(isnan(line)), at, keepdims);
  const Expr last = maximum(count - 1, 0);
  const Expr place = cast(last, line.dtype()) * part, low = floor(place);
  const Expr first = cast(low, DType::int64), ordered = sort(line, at);
  const Expr below = take_along_axis(ordered, first, at);
  const Expr above = take_along_axis(ordered, minimum(first + 1, last), at);
  const Expr share = place - low, step = above - below;
  const Expr between = where(share < 0.5, below + step * share, above - step * (1 - share));
  return squeeze(where(equal(above, below), below, between), at);
}

Expr nanmedian(const Arg& x, std::optional<std::int64_t> axis) {
  const CallScope call("nanmedian", x.origin());
  return nanquantile(x, 0.5, axis);
}

Expr percentile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis,
                Interpolation method) {
  const CallScope call("percentile", x.origin());
  return quantile(x, part_of_percents(q), axis, method);
}

Expr nanpercentile(const Arg& x, const Arg& q, std::optional<std::int64_t> axis) {
  const CallScope call("nanpercentile", x.origin());
  return nanquantile(x, part_of_percents(q), axis);
}

Expr count_nonzero(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("count_nonzero", x.origin());
  return sum(cast(not_equal(x, 0), DType::int64), axes, keep);
}

}  // namespace gnomon
