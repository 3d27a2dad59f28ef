// Categories, orders and choices: draws of places.
#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "stdlib/random/random_draw.h"

namespace gnomon::random {

namespace {

Expr weights_of(std::string_view name, const Arg& p) {
  const Expr w = cast(p, computing_dtype);
  if (w.rank() < 1)
    throw ValueError(
        fmt::format("{}: expected a vector of weights, found {}", name, describe(w.value())));
  return w;
}

void require_weights(Draw& draw, const Expr& w, const Expr& totals) {
  draw.require(greater_equal(w, 0), "expected weights of at least 0");
  draw.require(logical_and(greater(totals, 0), isfinite(totals)),
               "expected weights with a sum above 0 that is finite");
}

Expr last_along(const Expr& x) {
  const Index at[] = {ellipsis, Index(-1)};
  return index(x, at);
}

}  // namespace

// The number of running sums that are not above u * total. Where rounding makes that the total, it
// is the first category that reaches it.
Expr categorical(const Expr& state, const Shape& shape, const Arg& p, DType dtype) {
  const CallScope call("categorical", p.origin());
  const Expr w = weights_of("categorical", p);
  Draw draw("categorical", state, shape);
  draw.integer_dtype(dtype);
  const Expr sums = cumsum(w, -1), totals = last_along(sums);
  require_weights(draw, w, totals);
  const Expr below = draw.unit(computing_dtype) * totals;
  Expr place, last;
  if (w.rank() == 1) {
    place = searchsorted(sums, below, Side::right);
    last = searchsorted(sums, totals, Side::left);
  } else {
    place = sum(less_equal(sums, expand_dims(below, -1)), -1);
    last = sum(less(sums, expand_dims(totals, -1)), -1);
  }
  return broadcast_to(cast(minimum(place, last), dtype), shape);
}

Expr permutation(const Arg& state, const Dim& n) {
  const CallScope call("permutation", state.origin());
  Draw draw("permutation", Expr(state.value()), {n});
  return argsort(draw.bits64(), 0);
}

Expr shuffle(const Expr& state, const Arg& x, std::int64_t axis) {
  const CallScope call("shuffle", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "shuffle");
  return take(v, permutation(state, v.shape()[static_cast<std::size_t>(at)]), at);
}

Expr permuted(const Expr& state, const Arg& x, std::int64_t axis) {
  const CallScope call("permuted", x.origin());
  const Expr v(x.value());
  const std::int64_t at = normalize_axis(axis, v.rank(), "permuted");
  Draw draw("permuted", state, v.shape());
  return take_along_axis(v, argsort(draw.bits64(), at), at);
}

Expr choice(const Arg& given, const Dim& n, const Dim& count, Replace replace,
            const std::optional<Arg>& p) {
  const CallScope call("choice", given.origin());
  const Expr state(given.value());
  if (!p && replace == Replace::yes) return integers(state, {count}, 0, extent(n));
  Expr order;
  Draw draw("choice", state, {n});
  if (!p) {
    order = argsort(draw.bits64(), 0);
  } else {
    Expr w = weights_of("choice", *p);
    if (w.rank() != 1)
      throw ValueError(
          fmt::format("choice: expected a vector of weights, found {}", describe(w.value())));
    w = shaped(
        w, {n},
        fmt::format("choice: expected a weight for each thing, found {}", describe(w.value())));
    draw.require(greater_equal(w, 0), "expected weights of at least 0");
    // As exact as numbers of their dtype that were made to sum to 1 are.
    const Value* const given = p->strong();
    const bool narrow = given && is_float(given->dtype()) && given->dtype() != computing_dtype;
    draw.require(less_equal(absolute(sum(w) - 1), narrow ? 4e-4 : 1.5e-8),
                 "expected weights that sum to 1");
    if (replace == Replace::yes) return categorical(draw.checked(state), {count}, w);
    require_weights(draw, w, sum(w));
    draw.require(greater_equal(sum(greater(w, 0)), extent(count)),
                 "expected no more choices than there are weights above 0");
    // Waiting times of rates w: the first to come is i with probability w[i] / sum, and of those
    // that are left it is the same again (Efraimidis and Spirakis 2006).
    order = argsort(draw.standard_exponential(computing_dtype) / w, 0);
  }
  order = shaped(order, {max(n, count)}, "choice: expected no more choices than there are things");
  return slice(order, {Dim(0)}, {count}, {Dim(1)});
}

}  // namespace gnomon::random
