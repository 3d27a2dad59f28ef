// Inverses of the incomplete gamma and beta functions: Newton's method on the logarithm of the
// smaller tail as a function of log x, or of log(x / (1 - x)). That is concave, so that from any
// point the steps reach the side of the root from which they close in on it; a bracket guards the
// first.
#pragma once

#include "stdlib/prelude/special/beta.h"
#include "stdlib/prelude/special/incomplete_gamma.h"
#include "stdlib/prelude/special/normal.h"

namespace gn {
namespace detail {

/// A root between two positive bounds, on the way by Newton's method in log x.
template <typename D>
struct Bracket {
  D low;
  D high;
  D x;
  D open;  // 0 in the lanes that are done

  /// Moves x by the step `change` of log x; `excess` > 0 says that the root is below x. Whether
  /// some lane has to go on.
  GN_FN bool step(D excess, D change) {
    const D zero = constant<D>(0);
    low = select(excess < zero, x, low);
    high = select(excess > zero, x, high);
    const D next = x * exp(change);
    const auto inside = to_mask((next > low) & (next < high));
    const D moved = select(inside, next, sqrt(low) * sqrt(high));
    const D target = select(excess == zero, x, moved);
    const auto far = abs(target - x) > constant<D>(0x1p-44) * x;
    x = select(open > zero, target, x);
    open = select(far, open, zero);
    return any(open > zero);
  }
};

/// The x with P(a, x) = p where `lower`, with Q(a, x) = p elsewhere, for 0 < p <= 1/2.
template <typename M, typename D>
GN_FN D solve_incomplete_gamma(M lower, D a, D p) {
  const D one = constant<D>(1);
  const D two = constant<D>(2);
  const D least = constant<D>(0x1p-1022);
  // P(a, x) <= x^a / gamma(a + 1), and Q(a, a + sqrt(2 a l) + l) <= exp(-l).
  const D log_p = log(p);
  const D below = select(lower, p, one - p);
  const D near = exp((log(below) + gammaln_of_next(a)) / a);
  const D l = select(lower, constant<D>(0x1.62e42fefa39efp-1), -log_p);
  const D bound = a + sqrt(two * a * l) + l;
  // For larger a the cube of a normal variable (Wilson and Hilferty 1931).
  const D quantile = ndtri(p);
  const D z = select(lower, quantile, -quantile);
  const D ninth = one / (constant<D>(9) * a);
  const D root = one - ninth + z * sqrt(ninth);
  const D cube = a * root * root * root;
  const D start = select(near < constant<D>(0.5), near, bound);
  const auto normal = to_mask((a > one) & (cube > near) & (cube < bound));
  Bracket<D> bracket{select(near * constant<D>(0.999) > least, near * constant<D>(0.999), least),
                     bound * constant<D>(1.001), select(normal, cube, start), one};
  bracket.x = select(bracket.x > least, bracket.x, least);
  for (int step = 0; step < 100; ++step) {
    const TwoTails<D> tails = incomplete_gamma(a, bracket.x);
    const D tail = select(lower, tails.lower, tails.upper);
    const D excess = log(tail) - log_p;
    const D change = excess * tail / (a * gamma_density(a, bracket.x));
    if (!bracket.step(select(lower, excess, -excess), select(lower, -change, change))) break;
  }
  return select(near < least, near, bracket.x);
}

template <bool lower, typename D>
GN_FN D wide_gamma_quantile(D a, D p) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const auto inside = to_mask((a > zero) & (a < infinity<D>()) & (p > zero) & (p < one));
  const D shape = select(inside, a, one);
  const D share = select(inside, p, constant<D>(0.5));
  const auto upper_half = share > constant<D>(0.5);
  const D least = select(upper_half, one - share, share);
  const auto from_left =
      select(upper_half, constant<D>(lower ? -1 : 1), constant<D>(lower ? 1 : -1)) > zero;
  const D x = solve_incomplete_gamma(from_left, shape, least);
  const D first = lower ? zero : infinity<D>();
  const D last = lower ? infinity<D>() : zero;
  const D edge = select(p == zero, first, select(p == one, last, select(a == zero, zero, a)));
  const auto defined = to_mask((a >= zero) & (p >= zero) & (p <= one));
  return select(inside, x, select(defined, edge, quiet_nan<D>()));
}

/// The odds x / (1 - x) with I(x; a, b) = y for 0 < y <= 1/2.
template <typename D>
GN_FN D solve_betainc(D a, D b, D y) {
  const D one = constant<D>(1);
  const D log_y = log(y);
  // x^a / (a B(a, b)) is P near 0; the mean stands for the middle.
  const D near = exp((log_y + log(a) + wide_betaln(a, b)) / a);
  const D mean = a / (a + b);
  const D x = select(near < mean, near, mean);
  const D least = constant<D>(0x1p-1022);
  const D held = select(x > least, select(x < one, x, constant<D>(0x1.fffffffffffffp-1)), least);
  Bracket<D> bracket{least, constant<D>(0x1p1000), held / (one - held), one};
  for (int step = 0; step < 100; ++step) {
    const D odds = bracket.x;
    const D low = odds / (one + odds);
    const D high = one / (one + odds);
    const D tail = beta_below(a, b, low, high);
    const D excess = log(tail) - log_y;
    const D change = -excess * tail / beta_density(a, b, low, high);
    if (!bracket.step(excess, change)) break;
  }
  return select(near < least, near, bracket.x);
}

template <typename D>
GN_FN D wide_beta_quantile(D a, D b, D y) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D inf = infinity<D>();
  const auto inside =
      to_mask((a > zero) & (b > zero) & (a < inf) & (b < inf) & (y > zero) & (y < one));
  const D p = select(inside, a, one);
  const D q = select(inside, b, one);
  const D share = select(inside, y, constant<D>(0.5));
  const auto mirrored = share > constant<D>(0.5);
  const D odds = solve_betainc(select(mirrored, q, p), select(mirrored, p, q),
                               select(mirrored, one - share, share));
  const D x = select(mirrored, one, odds) / (one + odds);
  const auto defined = to_mask((a >= zero) & (b >= zero) & ((y == zero) | (y == one)));
  return select(inside, x, select(defined, y, quiet_nan<D>()));
}

template <bool lower, typename F>
GN_FN F gamma_quantile(F a, F p) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return plain_cast<F>(wide_gamma_quantile<lower>(plain_cast<D>(a), plain_cast<D>(p)));
  } else {
    return wide_gamma_quantile<lower>(a, p);
  }
}

}  // namespace detail

/// The x with gammainc(a, x) = p; NaN outside 0 <= p <= 1.
template <typename F>
GN_FN F gammaincinv(F a, F p) {
  return detail::gamma_quantile<true>(a, p);
}

/// The x with gammaincc(a, x) = q; NaN outside 0 <= q <= 1.
template <typename F>
GN_FN F gammainccinv(F a, F q) {
  return detail::gamma_quantile<false>(a, q);
}

/// The x with betainc(a, b, x) = y; NaN outside 0 <= y <= 1.
template <typename F>
GN_FN F betaincinv(F a, F b, F y) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(detail::wide_beta_quantile(
        detail::plain_cast<D>(a), detail::plain_cast<D>(b), detail::plain_cast<D>(y)));
  } else {
    return detail::wide_beta_quantile(a, b, y);
  }
}

}  // namespace gn
