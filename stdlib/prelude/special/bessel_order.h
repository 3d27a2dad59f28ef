// The modified Bessel functions of any real order, scaled. Integrals by the trapezoidal rule,
// which converges as fast as the integrand decays: for K its own (DLMF 10.32.9), for I that along
// the line through the saddle point of its contour (DLMF 10.32.12). Where I has no narrow saddle:
// its series.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/gamma.h"

namespace gn {
namespace detail {

/// exp(x) K(v, x) for v >= 0 and finite x > 0: the integral over t >= 0 of
/// exp(-x (cosh t - 1)) cosh(v t).
template <typename D>
GN_FN D scaled_second_modified(D v, D x) {
  const D one = constant<D>(1);
  const D half = constant<D>(0.5);
  const D width = sqrt(sqrt(fma(v, v, x * x)));
  const D narrow = constant<D>(0.65) / width;
  const D step = select(narrow < constant<D>(0.15), narrow, constant<D>(0.15));
  // The largest term is near the zero of v - x sinh t.
  const D peak = arcsinh(v / x);
  D sum = half;
  D t = constant<D>(0);
  D n = t;
  D open = one;  // 0 in the lanes that are done
  for (int count = 0; count < 20000; ++count) {
    n = n + one;
    t = n * step;
    const D s = sinh(half * t);
    const D fall = constant<D>(2) * x * s * s;
    const D term = half * (exp(v * t - fall) + exp(-v * t - fall));
    sum = select(open > constant<D>(0), sum + term, sum);
    const auto done = to_mask((t > peak) & (term <= constant<D>(0x1p-56) * sum));
    open = select(done, constant<D>(0), open);
    if (!any(open > constant<D>(0))) break;
  }
  return step * sum;
}

/// exp(-x) I(v, x) by its series (DLMF 10.25.2), for v^2 + x^2 < 400.
template <typename D>
GN_FN D modified_by_series(D v, D x) {
  const D half = constant<D>(0.5) * x;
  const D square = half * half;
  D term = constant<D>(1);
  D sum = term;
  for (int k = 1; k <= 60; ++k) {
    term = term * (square / (constant<D>(k) * (v + constant<D>(k))));
    sum = sum + term;
  }
  const D power = select(v == constant<D>(0), v, v * log(half));
  return sum * exp(power - gammaln_of_positive(v + constant<D>(1)) - x);
}

/// exp(-x) I(v, x) along the saddle, for v^2 + x^2 >= 400.
template <typename D>
GN_FN D modified_by_saddle(D v, D x) {
  const D one = constant<D>(1);
  const D half = constant<D>(0.5);
  const D width = sqrt(fma(v, v, x * x));
  const D step = constant<D>(0.65) / sqrt(width);
  D sum = half;
  // The terms fall as exp(-width (1 - cos)), to nothing after 20 steps, or at half a turn.
  for (int n = 1; n <= 20; ++n) {
    const D t = constant<D>(n) * step;
    const D s = sin(half * t);
    const D fall = constant<D>(2) * width * s * s;
    const D z = t * t;
    // sin t - t
    const D near = t * z *
                   horner(z, 0x1.952c77030ad4ap-49, -0x1.ae7f3e733b81fp-41, 0x1.6124613a86d09p-33,
                          -0x1.ae64567f544e4p-26, 0x1.71de3a556c734p-19, -0x1.a01a01a01a01ap-13,
                          0x1.1111111111111p-7, -0x1.5555555555555p-3);
    const D lag = select(t < one, near, sin(t) - t);
    const D term = exp(-fall) * cos(v * lag);
    sum = select(t < constant<D>(0x1.921fb54442d18p1), sum + term, sum);
  }
  // exp(width - x - v arcsinh(v / x)), with width - x = v (v / (width + x)).
  const D power = v * (v / (width + x) - arcsinh(v / x));
  return exp(power) * step * sum * constant<D>(0x1.45f306dc9c883p-2);
}

/// exp(-x) I(v, x) for v >= 0 and finite x > 0.
template <typename D>
GN_FN D scaled_first_modified(D v, D x) {
  const auto wide = fma(v, v, x * x) >= constant<D>(400);
  const D far =
      modified_by_saddle(select(wide, v, constant<D>(0)), select(wide, x, constant<D>(20)));
  const D near =
      modified_by_series(select(wide, constant<D>(0), v), select(wide, constant<D>(1), x));
  return select(wide, far, near);
}

template <typename D>
GN_FN D wide_kve(D order, D x) {
  const D zero = constant<D>(0);
  const D v = abs(order);
  const auto inside = to_mask((x > zero) & (x < infinity<D>()) & (v < infinity<D>()));
  const D value =
      scaled_second_modified(select(inside, v, zero), select(inside, x, constant<D>(1)));
  const D edge = select(x == infinity<D>(), zero, infinity<D>());
  const auto known = to_mask((x >= zero) & (v == v));
  return select(inside, value, select(known, edge, quiet_nan<D>()));
}

template <typename D>
GN_FN D wide_ive(D order, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D half = constant<D>(0.5);
  const D v = abs(order);
  const D a = abs(x);
  const auto inside = to_mask((a > zero) & (a < infinity<D>()) & (v < infinity<D>()));
  const D safe_v = select(inside, v, zero);
  const D safe_x = select(inside, a, one);
  D value = scaled_first_modified(safe_v, safe_x);
  const D r = order - rint(order);
  const auto whole = r == zero;
  const D pair = v * half;
  const auto even = floor(pair) == pair;
  const auto turned = select(whole, zero, select(order < zero, one, zero)) > zero;
  if (any(turned)) {
    // I(-v, x) = I(v, x) + 2 / pi sin(v pi) K(v, x) (DLMF 10.27.2)
    const D n = rint(v);
    const D sine = sine_of_half_turns(v - n);
    const D turns = n * half;
    const D signed_sine = select(floor(turns) == turns, sine, -sine);
    const D more = scaled_second_modified(safe_v, safe_x) * exp(constant<D>(-2) * safe_x);
    value = select(turned, fma(signed_sine, more + more, value), value);
  }
  const D at_zero = select(v == zero, one, select(turned, infinity<D>(), zero));
  const D edge = select(a == zero, at_zero, zero);
  D v_of_x = select(inside, value, edge);
  // Left of 0 whole orders only: even or odd functions.
  const D left = select(whole, select(even, v_of_x, -v_of_x), quiet_nan<D>());
  v_of_x = select(x < zero, left, v_of_x);
  return select(to_mask((x == x) & (v == v)), v_of_x, quiet_nan<D>());
}

}  // namespace detail

/// exp(-|x|) I(v, x) for a real order v; NaN for x < 0 where v is not whole.
template <typename F>
GN_FN F ive(F v, F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(
        detail::wide_ive(detail::plain_cast<D>(v), detail::plain_cast<D>(x)));
  } else {
    return detail::wide_ive(v, x);
  }
}

/// exp(x) K(v, x) for a real order v: infinite at x = 0, NaN below.
template <typename F>
GN_FN F kve(F v, F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(
        detail::wide_kve(detail::plain_cast<D>(v), detail::plain_cast<D>(x)));
  } else {
    return detail::wide_kve(v, x);
  }
}

}  // namespace gn
