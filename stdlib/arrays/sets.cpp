// Sets as sorted vectors, in which others' elements are searched.
#include "stdlib/arrays/sets.h"

#include <fmt/format.h>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"

namespace gnomon {

namespace {

Expr those_in(const Expr& x, const Expr& set) { return compress(isin(x, set), x); }
Expr those_not_in(const Expr& x, const Expr& set) { return compress(logical_not(isin(x, set)), x); }

}  // namespace

Expr isin(const Arg& x, const Arg& set) {
  const CallScope call("isin", x.origin());
  const auto [v, among] = promoted(x, set);
  const Expr sorted = sort(ravel(among));
  const Expr behind = searchsorted(sorted, v, Side::right), before = searchsorted(sorted, v);
  const Expr found = not_equal(behind, before);
  return is_inexact(v.dtype()) ? logical_and(found, equal(v, v)) : found;  // NaN is in no set
}

Expr union1d(const Arg& a, const Arg& b) {
  const CallScope call("union1d", a.origin());
  return unique_values(concatenate({ravel(a), ravel(b)}));
}

Expr intersect1d(const Arg& a, const Arg& b) {
  const CallScope call("intersect1d", a.origin());
  return those_in(unique_values(a), Expr(b.value()));
}

Expr setdiff1d(const Arg& a, const Arg& b) {
  const CallScope call("setdiff1d", a.origin());
  return those_not_in(unique_values(a), Expr(b.value()));
}

Expr setxor1d(const Arg& a, const Arg& b) {
  const CallScope call("setxor1d", a.origin());
  const Expr x = unique_values(a), y = unique_values(b);
  return sort(concatenate({those_not_in(x, y), those_not_in(y, x)}));
}

std::pair<Expr, Expr> unique_inverse(const Arg& x) {
  const CallScope call("unique_inverse", x.origin());
  const Unique found = unique(x);
  return {found.values, found.inverse};
}

Expr trim_zeros(const Arg& x) {
  const CallScope call("trim_zeros", x.origin());
  const Expr v(x.value());
  if (v.rank() != 1)
    throw ValueError(fmt::format("trim_zeros: expected a vector, found {}", describe(v)));
  const Expr seen = cast(not_equal(v, 0), DType::int64);
  const Expr from_front = cummax(seen), from_back = cummax(seen, 0, Direction::backward);
  return compress(logical_and(greater(from_front, 0), greater(from_back, 0)), v);
}

}  // namespace gnomon
