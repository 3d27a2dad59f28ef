// The Bessel function of the first kind of any real order. Below 2 its series; from there both
// kinds of a low order by an integral along the path of steepest descent (DLMF 10.9.10), and from
// it up by the recurrence (DLMF 10.6.1). Past the turning point, where only the second kind may be
// computed upwards, the first kind follows from it by a sum of positive terms.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/bessel.h"
#include "stdlib/prelude/special/gamma.h"

namespace gn {
namespace detail {

/// Both kinds of two neighbouring orders.
template <typename D>
struct BesselNeighbours {
  BesselPair<D> lower;
  BesselPair<D> upper;
};

template <typename D>
struct SineAndCosine {
  D sine;
  D cosine;
};

/// Of pi t.
template <typename D>
GN_FN SineAndCosine<D> functions_of_half_turns(D t) {
  const D n = rint(t);
  const D r = t - n;
  const D pairs = n * constant<D>(0.5);
  const auto even = floor(pairs) == pairs;
  const D s = constant<D>(0x1.921fb54442d18p1) * sine_of_half_turns(r);
  const D c = cosine_of_half_turns(r);
  return {select(even, s, -s), select(even, c, -c)};
}

/// J(a, x) for 0 < x < 2 by its series (DLMF 10.2.2), where a is no negative whole number.
template <typename D>
GN_FN D bessel_by_series(D a, D x) {
  const D one = constant<D>(1);
  const D half = constant<D>(0.5) * x;
  const D square = -(half * half);
  D term = one;
  D sum = one;
  D open = one;  // 0 in the lanes that are done
  // Beyond -20 no float is so near to a pole of the terms that those past it count.
  for (int k = 1; k <= 40; ++k) {
    const D order = constant<D>(k) + a;
    term = term * (square / (constant<D>(k) * order));
    sum = select(open > constant<D>(0), sum + term, sum);
    const auto tiny = abs(term) <= constant<D>(0x1p-56) * abs(sum);
    open = select(to_mask((order > constant<D>(0)) & tiny), constant<D>(0), open);
    if (!any(open > constant<D>(0))) break;
  }
  // (x / 2)^a / gamma(1 + a), below 0 by reflection (DLMF 5.5.3).
  const auto below = a < constant<D>(0);
  const D v = abs(a);
  const D logarithm = gammaln_of_positive(v + one);
  const D power = a * (log(x) - constant<D>(0x1.62e42fefa39efp-1));
  const D root = exp(constant<D>(0.5) * (power + select(below, logarithm, -logarithm)));
  const D pi_v = constant<D>(0x1.921fb54442d18p1) * select(below, v, one);
  const D factor = select(below, functions_of_half_turns(v).sine / pi_v, one);
  return root * (sum * factor) * root;  // either half of the power may be finite alone
}

/// The orders v and v + 1 for 0 <= v <= 1.5 sqrt(x), x >= 2: the trapezoidal rule along
/// t = u + i arctan(sinh u), where i x cosh t is i x - x sinh u tanh u. For large x the width of
/// that peak asks for the steps, for small x the pole of tanh; measured, they leave 2e-15.
template <typename D>
GN_FN BesselNeighbours<D> bessel_by_descent(D v, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D half = constant<D>(0.5);
  const D narrow = constant<D>(0.4) / sqrt(x);
  const D step = select(narrow < constant<D>(0.1), narrow, constant<D>(0.1));
  // Real and imaginary parts of both sums, whose first terms are (1 + i) / 2.
  D a_real = half, a_imag = half, b_real = half, b_imag = half;
  D open = one;  // 0 in the lanes that are done
  for (int n = 1; n <= 60; ++n) {
    const D u = constant<D>(n) * step;
    const D s = sinh(u);
    const D c = s + exp(-u);  // cosh u
    const D tangent = s / c;
    const D fall = x * s * tangent;
    const D angle = v * arctan(s);
    const D right = exp(fma(v, u, -fall));
    const D left = exp(fma(-v, u, -fall));
    const D even = half * (right + left);
    const D odd = half * (right - left);
    const D sine = sin(angle);
    const D cosine = cos(angle);
    // cosh(v t), sinh(v t), cosh((v + 1) t); cosh t = 1 + i s tanh u, sinh t = tanh u + i s.
    const D c_real = even * cosine, c_imag = odd * sine;
    const D s_real = odd * cosine, s_imag = even * sine;
    const D lag = s * tangent;
    const D n_real = c_real - c_imag * lag + s_real * tangent - s_imag * s;
    const D n_imag = c_imag + c_real * lag + s_real * s + s_imag * tangent;
    // dt = (1 + i / cosh u) du
    const D turn = one / c;
    const auto adds = open > zero;
    a_real = select(adds, a_real + (c_real - turn * c_imag), a_real);
    a_imag = select(adds, a_imag + (c_imag + turn * c_real), a_imag);
    b_real = select(adds, b_real + (n_real - turn * n_imag), b_real);
    b_imag = select(adds, b_imag + (n_imag + turn * n_real), b_imag);
    open = select(right * c <= constant<D>(0x1p-58), zero, open);
    if (!any(open > zero)) break;
  }
  // Times 2 / (pi i) exp(i (x - v pi / 2)), where both angles are reduced exactly.
  const SineAndCosine<D> turned = functions_of_half_turns(half * v);
  const D sine_x = sin(x);
  const D cosine_x = cos(x);
  const D s = sine_x * turned.cosine - cosine_x * turned.sine;
  const D c = cosine_x * turned.cosine + sine_x * turned.sine;
  const D size = step * constant<D>(0x1.45f306dc9c883p-1);
  return {{size * (c * a_imag + s * a_real), size * (s * a_imag - c * a_real)},
          {size * (s * b_imag - c * b_real), -size * (s * b_real + c * b_imag)}};
}

/// J(v, x) where Y(v, x) and Y(v + 1, x) are known, for v > x: J(v) / Y(v) is -2 / (pi x) times the
/// sum over k >= v of 1 / (Y(k) Y(k + 1)), by the Wronskian (DLMF 10.5.2). All terms are positive.
template <typename D>
GN_FN D bessel_past_turning(D v, D two_by_x, D second, D next_second) {
  const D one = constant<D>(1);
  // Over Y(v), so that no product overflows.
  D lower = one;
  D upper = next_second / second;
  D sum = one / upper;
  D k = v;
  for (int count = 0; count < 4096; ++count) {
    k = k + one;
    const D next = fma(k * two_by_x, upper, -lower);
    const D term = one / (upper * next);
    const auto counts = term > constant<D>(0x1p-56) * sum;
    if (!any(counts)) break;
    // The terms fall, so a lane that is done stays as it is while others go on.
    sum = select(counts, sum + term, sum);
    lower = upper;
    upper = next;
  }
  return -(constant<D>(0x1.45f306dc9c883p-2) * two_by_x * sum) / second;
}

/// J and Y of the order v >= 0 for finite x >= 2; NaN where both exceed about 2^20 and x < v^2 / 2.
template <typename D>
GN_FN BesselPair<D> bessel_by_recurrence(D v, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D most = constant<D>(0x1p20);  // steps: 4 ms
  const D excess = ceil(v - constant<D>(1.5) * sqrt(x));
  const D steps = select(excess > zero, excess, zero);
  // From the order x on Y grows: if x <= most, the lane is done soon after that, at the latest.
  const auto reached = to_mask((steps <= most) | (x <= most));
  D left = select(reached, steps, zero);
  D order = select(reached, v - steps, zero);
  const BesselNeighbours<D> start = bessel_by_descent(order, x);
  BesselPair<D> at = start.lower, next = start.upper;
  // 2 / x in two parts: an error that all factors share would be one of the phase.
  const D two_by_x = constant<D>(2) / x;
  const D rest = fma(-two_by_x, x, constant<D>(2)) / x;
  while (true) {
    const auto goes = to_mask((left > zero) & (next.second > -infinity<D>()));
    if (!any(goes)) break;
    order = select(goes, order + one, order);
    left = select(goes, left - one, left);
    const D factor = order * two_by_x;
    const D low = fma(order, two_by_x, -factor) + order * rest;
    const D first = fma(factor, next.first, fma(low, next.first, -at.first));
    const D second = fma(factor, next.second, fma(low, next.second, -at.second));
    at = {select(goes, next.first, at.first), select(goes, next.second, at.second)};
    next = {select(goes, first, next.first), select(goes, second, next.second)};
  }
  const auto overflows = next.second == -infinity<D>();
  at = {select(overflows, zero, at.first), select(overflows, next.second, at.second)};
  const auto past = to_mask((v > x) & (next.second > -infinity<D>()));
  if (any(past)) {
    const D second = select(past, at.second, -one);
    const D above = select(past, next.second, constant<D>(-0x1p60));
    at.first = select(past, bessel_past_turning(v, two_by_x, second, above), at.first);
  }
  return {select(reached, at.first, quiet_nan<D>()), select(reached, at.second, quiet_nan<D>())};
}

template <typename D>
GN_FN D wide_jv(D order, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D two = constant<D>(2);
  const D v = abs(order);
  const D a = abs(x);
  const auto whole = v == rint(v);
  const D part = select(whole, zero, select(order < zero, one, zero));
  const auto mirrored = part > zero;  // to an order below 0 that is not whole
  const SineAndCosine<D> turn = functions_of_half_turns(v);
  const auto finite = to_mask((a < infinity<D>()) & (v < infinity<D>()));
  const auto near = both(finite, to_mask((a > zero) & (a < two)));
  const auto far = both(finite, to_mask(a >= two));
  // The edges: x = 0, and infinite operands.
  const D at_zero = select(mirrored, copysign(infinity<D>(), turn.sine), zero);
  D value = select(a == zero, select(v == zero, one, at_zero), zero);
  if (any(near)) {
    const D signed_v = select(mirrored, -v, v);
    const D series = bessel_by_series(select(near, signed_v, zero), select(near, a, one));
    value = select(near, series, value);
  }
  if (any(far)) {
    const BesselPair<D> at = bessel_by_recurrence(select(far, v, zero), select(far, a, two));
    // DLMF 10.2.3
    const D other = turn.cosine * at.first - turn.sine * at.second;
    value = select(far, select(mirrored, other, at.first), value);
  }
  // J(-n, x) = J(n, -x) = (-1)^n J(n, x) (DLMF 10.4.1); no other order has values left of 0.
  const D pair = v * constant<D>(0.5);
  const D turned = select(floor(pair) == pair, value, -value);
  value = select(to_mask((order < zero) & whole), turned, value);
  const D left = select(floor(pair) == pair, value, -value);
  value = select(x < zero, select(whole, left, quiet_nan<D>()), value);
  return select(to_mask((x == x) & (order > -infinity<D>())), value, quiet_nan<D>());
}

}  // namespace detail

/// J(v, x) for a real order v; NaN for x < 0 where v is not whole.
template <typename F>
GN_FN F jv(F v, F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(
        detail::wide_jv(detail::plain_cast<D>(v), detail::plain_cast<D>(x)));
  } else {
    return detail::wide_jv(v, x);
  }
}

}  // namespace gn
