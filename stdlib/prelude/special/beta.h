// The logarithm of the beta function and the incomplete beta function, by its continued fraction
// (DLMF 8.17.22) from the side where that converges fast.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/gamma.h"
#include "stdlib/prelude/special/incomplete_gamma.h"

namespace gn {
namespace detail {

/// log gamma(x) - ((x - 1/2) log x - x + log(2 pi) / 2) for x >= 10.
template <typename D>
GN_FN D stirling_rest(D x) {
  const D inverse = constant<D>(1) / x;
  return inverse * gammaln_series(inverse * inverse);
}

/// log B(p, q) for p, q > 0.
template <typename D>
GN_FN D wide_betaln(D a, D b) {
  const D half = constant<D>(0.5);
  const D ten = constant<D>(10);
  const D p = select(a < b, a, b);
  const D q = select(a < b, b, a);
  const D sum = p + q;
  // Three terms of gammaln; for q >= 10 those of q and p + q as one, for p >= 10 all as one.
  const D large = select(q < ten, ten, q);
  const D largest = select(q < ten, constant<D>(20), sum);
  const D ratio = log1p(p / large);
  const D rest = stirling_rest(large) - stirling_rest(largest);
  const D least = select(p < ten, p, ten);
  const D first = gammaln_of_positive(least);
  const D near = first + gammaln_of_positive(q) - gammaln_of_positive(sum);
  const D middle = first - ((largest - half) * ratio - p) - p * log(large) + rest;
  const D middle_far = select(p < ten, ten, p);
  // (p - 1/2) log(p / (p + q)) - q log(1 + p / q) - log(q) / 2 + log(2 pi) / 2
  const D far = (p - half) * log(middle_far / largest) - q * ratio - half * log(large) +
                (constant<D>(0x1.d67f1c864beb5p-1) + (stirling_rest(middle_far) + rest));
  return select(q < ten, near, select(p < ten, middle, far));
}

/// x^a y^b / B(a, b) for a, b > 0 and x + y = 1.
template <typename D>
GN_FN D beta_density(D a, D b, D x, D y) {
  const D one = constant<D>(1);
  const auto small = to_mask((a < constant<D>(10)) | (b < constant<D>(10)));
  const auto left = x < y;
  const D log_x = select(left, log(x), log1p(-y));
  const D log_y = select(left, log1p(-x), log(y));
  const D near = fma(a, log_x, b * log_y) - wide_betaln(a, b);
  // Around the mean x = a / (a + b), with d = b x - a y: a f(d / a) + b f(-d / b) for
  // f(m) = log(1 + m) - m.
  const D p = select(small, constant<D>(10), a);
  const D q = select(small, constant<D>(10), b);
  const D product = p * y;
  const D d = fma(q, x, -product) - fma(p, y, -product);
  const D up = d / p;
  const D down = -d / q;
  const D first =
      select(abs(up) < constant<D>(0.5), log1p_excess(up), log_x + log((p + q) / p) - up);
  const D second =
      select(abs(down) < constant<D>(0.5), log1p_excess(down), log_y + log((p + q) / q) - down);
  const D rest = stirling_rest(p + q) - (stirling_rest(p) + stirling_rest(q));
  const D far = fma(p, first, fma(q, second, rest));
  // sqrt(a b / (2 pi (a + b)))
  const D size = constant<D>(0x1.9884533d43651p-2) * sqrt(p / (p + q) * q);
  return exp(select(small, near, far)) * select(small, one, size);
}

/// One of Lentz's steps of a continued fraction whose partial denominators are all 1.
template <typename D>
struct LentzFraction {
  D c;
  D d;

  /// The factor that the partial numerator gives.
  GN_FN D step(D numerator) {
    const D one = constant<D>(1);
    const D tiny = constant<D>(0x1p-900);
    d = fma(numerator, d, one);
    d = one / select(abs(d) < tiny, tiny, d);
    c = one + numerator / c;
    c = select(abs(c) < tiny, tiny, c);
    return c * d;
  }
};

/// a I(x; a, b) / density by the continued fraction.
template <typename D>
GN_FN D beta_fraction(D a, D b, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D epsilon = constant<D>(0x1p-52);
  const D sum = a + b;
  LentzFraction<D> fraction{one, one};
  fraction.step(-sum * x / (a + one));
  D value = fraction.d;
  fraction.c = one;
  D m = zero;
  D open = one;  // 0 in the lanes that are done
  for (int step = 0; step < 20000; ++step) {
    m = m + one;
    const D twice = a + m + m;
    const D even = fraction.step(m * (b - m) * x / ((twice - one) * twice));
    const D odd = fraction.step(-((a + m) / twice) * ((sum + m) / (twice + one)) * x);
    value = select(open > zero, value * even * odd, value);
    open = select(abs(odd - one) > epsilon, open, zero);
    if (!any(open > zero)) break;
  }
  return value;
}

/// I(x; a, b) for a, b > 0 and x, y > 0 that add to 1.
template <typename D>
GN_FN D beta_below(D a, D b, D x, D y) {
  const D one = constant<D>(1);
  const auto mirrored = x * (a + b + constant<D>(2)) > a + one;
  const D first = select(mirrored, b, a);
  const D second = select(mirrored, a, b);
  const D from = select(mirrored, y, x);
  const D to = select(mirrored, x, y);
  const D tail = beta_density(first, second, from, to) * beta_fraction(first, second, from) / first;
  return select(mirrored, one - tail, tail);
}

/// The incomplete beta function in float64.
template <typename D>
GN_FN D wide_betainc(D a, D b, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D inf = infinity<D>();
  const auto inside =
      to_mask((a > zero) & (b > zero) & (a < inf) & (b < inf) & (x > zero) & (x < one));
  const D p = select(inside, a, one);
  const D q = select(inside, b, one);
  const D low = select(inside, x, constant<D>(0.5));
  const D v = beta_below(p, q, low, one - low);
  // At a = 0 and b = infinity all the mass is at 0, at b = 0 and a = infinity at 1.
  const auto at_zero = to_mask((a == zero) | (b == inf));
  const auto at_one = to_mask((b == zero) | (a == inf));
  const auto defined = to_mask((a >= zero) & (b >= zero) & (x >= zero) & (x <= one));
  D edge = select(x == zero, zero, select(x == one, one, select(at_zero, one, zero)));
  edge = select(both(at_zero, at_one), quiet_nan<D>(), edge);
  return select(inside, v, select(defined, edge, quiet_nan<D>()));
}

}  // namespace detail

/// log B(a, b) = log(gamma(a) gamma(b) / gamma(a + b)) for a, b >= 0; NaN below.
template <typename F>
GN_FN F betaln(F a, F b) {
  const F zero = constant<F>(0);
  const auto inside = to_mask((a > zero) & (b > zero) & (a < infinity<F>()) & (b < infinity<F>()));
  const F p = select(inside, a, constant<F>(1));
  const F q = select(inside, b, constant<F>(1));
  F v;
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    v = detail::plain_cast<F>(
        detail::wide_betaln(detail::plain_cast<D>(p), detail::plain_cast<D>(q)));
  } else {
    v = detail::wide_betaln(p, q);
  }
  const auto at_zero = (a == zero) | (b == zero);
  const auto at_infinity = (a == infinity<F>()) | (b == infinity<F>());
  const auto nowhere = both(to_mask(at_zero), to_mask(at_infinity));
  const F edge = select(to_mask(at_zero), infinity<F>(), -infinity<F>());
  const auto defined = to_mask((a >= zero) & (b >= zero));
  const F known = select(nowhere, quiet_nan<F>(), select(defined, edge, quiet_nan<F>()));
  return select(inside, v, known);
}

/// The probability of a beta variable with parameters a and b below x; NaN outside 0 <= x <= 1.
template <typename F>
GN_FN F betainc(F a, F b, F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(detail::wide_betainc(
        detail::plain_cast<D>(a), detail::plain_cast<D>(b), detail::plain_cast<D>(x)));
  } else {
    return detail::wide_betainc(a, b, x);
  }
}

}  // namespace gn
