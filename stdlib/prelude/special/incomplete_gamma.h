// The incomplete gamma functions P and Q. Left of the transition near x = a by the power series of
// P, right of it by the continued fraction of Q (DLMF 8.11.4, 8.9.2), for small a and x by the
// series of 1 - Q (DLMF 8.7.1), and for a >= 20 near the transition by Temme's uniform expansion
// (DLMF 8.12).
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/erf.h"
#include "stdlib/prelude/special/gamma.h"

namespace gn {
namespace detail {

/// log gamma(1 + a) for 0 <= a < 1, to the last digits near 0.
template <typename D>
GN_FN D gammaln_beside_one(D a) {
  const D t = (a - constant<D>(0.375)) / (a + constant<D>(2.375));
  return a * (a - constant<D>(1)) * gammaln_middle(t);
}

/// log gamma(1 + a) for a >= 0.
template <typename D>
GN_FN D gammaln_of_next(D a) {
  const auto small = a < constant<D>(1);
  const D near = gammaln_beside_one(select(small, a, constant<D>(0)));
  return select(small, near, gammaln_of_positive(a + constant<D>(1)));
}

/// log(1 + m) - m for m > -1, without cancellation.
template <typename D>
GN_FN D log1p_excess(D m) {
  // With s = m / (2 + m): log(1 + m) = 2 s + 2 s^3 / 3 + 2 s^5 / 5 + ..., and m - 2 s = m s.
  const auto near = abs(m) < constant<D>(0.5);
  const D held = select(near, m, constant<D>(0));
  const D s = held / (held + constant<D>(2));
  const D z = s * s;
  const D series =
      horner(z, 0x1.31f27c2f06e4fp-3, 0x1.b0d12f69f6aacp-5, 0x1.7a23f3b537c04p-4,
             0x1.835d8b2e10b41p-4, 0x1.af6252db1e353p-4, 0x1.e1de9cf484ac8p-4, 0x1.11112128ca36cp-3,
             0x1.3b13b0d147f9cp-3, 0x1.745d17478ebeep-3, 0x1.c71c71c71818ap-3, 0x1.24924924924bfp-2,
             0x1.999999999999ap-2, 0x1.5555555555555p-1);
  const D inner = s * fma(z, series, -held);
  return select(near, inner, log1p(m) - m);
}

/// x^a exp(-x) / gamma(a + 1) for a, x > 0.
template <typename D>
GN_FN D gamma_density(D a, D x) {
  const auto large = a > constant<D>(16);
  // exp(-a (m - log(1 + m)) - series) / sqrt(2 pi a) with x = a (1 + m)
  const D wide = select(large, a, constant<D>(17));
  const D m = (x - wide) / wide;
  const D inverse = constant<D>(1) / wide;
  const D series = inverse * gammaln_series(inverse * inverse);
  const D excess = select(abs(m) < constant<D>(0.5), log1p_excess(m), log(x / wide) - m);
  const D far = fma(wide, excess, -series);
  const D narrow = select(large, constant<D>(1), a);
  const D near = fma(narrow, log(x), -x) - gammaln_of_next(narrow);
  const D size = constant<D>(0x1.9884533d43651p-2) / sqrt(wide);  // 1 / sqrt(2 pi a)
  return exp(select(large, far, near)) * select(large, size, constant<D>(1));
}

/// P and Q, which add to 1: both to the last digits where they are tiny.
template <typename D>
struct TwoTails {
  D lower;
  D upper;
};

/// P(a, x) / density as the sum of x^n / ((a + 1) ... (a + n)) for x <= a + 1.
template <typename D>
GN_FN D lower_gamma_series(D a, D x) {
  const D epsilon = constant<D>(0x1p-54);
  D term = constant<D>(1);
  D sum = term;
  D n = a;
  for (int step = 0; step < 1000; ++step) {
    n = n + constant<D>(1);
    term = term * (x / n);
    // The terms fall, so a lane that is done stays as it is while others go on.
    const auto counts = term > epsilon * sum;
    if (!any(counts)) break;
    sum = select(counts, sum + term, sum);
  }
  return sum;
}

/// Q(a, x) / (a density) by the continued fraction 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - ...),
/// by Lentz's method.
template <typename D>
GN_FN D upper_gamma_fraction(D a, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D epsilon = constant<D>(0x1p-52);
  const D tiny = constant<D>(0x1p-900);
  D b = x + one - a;
  D c = one / tiny;
  D d = one / b;
  D value = d;
  D n = zero;
  D open = one;  // 0 in the lanes that are done
  for (int step = 0; step < 1000; ++step) {
    n = n + one;
    const D factor = n * (a - n);
    b = b + constant<D>(2);
    d = fma(factor, d, b);
    d = one / select(d == zero, tiny, d);
    c = b + factor / c;
    c = select(c == zero, tiny, c);
    const D change = c * d;
    value = select(open > zero, value * change, value);
    open = select(abs(change - one) > epsilon, open, zero);
    if (!any(open > zero)) break;
  }
  return value;
}

/// Q(a, x) for a < 1 and x < 2: 1 - x^a / gamma(a + 1) (1 + a sum of (-x)^n / (n! (a + n))).
template <typename D>
GN_FN D small_upper_gamma(D a, D x) {
  D term = constant<D>(1);
  D sum = constant<D>(0);
  for (int n = 1; n <= 26; ++n) {
    term = term * (-x / constant<D>(n));
    sum = sum + term / (a + constant<D>(n));
  }
  const D first = expm1(fma(a, log(x), -gammaln_beside_one(a)));
  return -(first + (first + constant<D>(1)) * a * sum);
}

/// The sum of c_k(eta) / a^k of Temme's expansion for a >= 20 and |eta| <= 0.8.
template <typename D>
GN_FN D temme_sum(D a, D eta) {
  const D u = constant<D>(1) / a;
  D sum = horner(eta, -0x1.26e40c84e5907p-16, 0x1.1bc31d306e9eap-15, -0x1.04fce65edfddfp-21,
                 -0x1.d5e13ebdc80f5p-14, 0x1.26fc2d7c5358ap-12, -0x1.5ee828d299a19p-12,
                 0x1.b1d52cf013ec4p-15, 0x1.6916fa28e8e45p-12);
  sum = fma(sum, u,
            horner(eta, 0x1.1773ead0d4074p-18, -0x1.8189a0c52222dp-19, -0x1.38c92c436a5cdp-16,
                   0x1.e232c9e939d2fp-15, -0x1.55c6560dee1c3p-14, 0x1.26751cdfa85edp-21,
                   0x1.1c089fec91af2p-12, -0x1.3675adc6e809ap-11, 0x1.168ef1b0931c8p-11));
  sum = fma(sum, u,
            horner(eta, 0x1.c08ac33553d8bp-22, -0x1.56e54945a5f7fp-22, -0x1.3947d1cfa2f77p-19,
                   0x1.13d942788ed62p-17, -0x1.c7c0bd56b7a86p-17, 0x1.6f1e5b2ebd34ep-24,
                   0x1.1d1d37d290526p-14, -0x1.a200b8230b9edp-13, 0x1.22be8a0c13919p-12,
                   -0x1.24763d0bc737bp-14, -0x1.6128ac5a4fa71p-12));
  sum = fma(sum, u,
            horner(eta, -0x1.cc7d22f0fd3cbp-26, -0x1.6661952d483c6p-23, 0x1.e883c12c4b7f1p-21,
                   -0x1.d39412dd47bb1p-20, -0x1.a25a12392cc58p-28, 0x1.7e3b19d836e0dp-17,
                   -0x1.4ce1f413eda18p-15, 0x1.168e01a787e19p-14, -0x1.88f6407a5a4fep-20,
                   -0x1.39999f698bf57p-12, 0x1.9b0ff68b5f46ap-11, -0x1.c3e0b037d58a6p-11));
  sum = fma(sum, u,
            horner(eta, -0x1.ebca2e89fef15p-27, 0x1.512c8fe5ebb49p-24, -0x1.74b03d1c19a3cp-23,
                   0x1.667d7b11a27c7p-29, 0x1.7e6c0f83d2049p-20, -0x1.7cea580b511afp-18,
                   0x1.73dcc7eea5a7ap-17, -0x1.011578fe1247dp-22, -0x1.3d2a33c190d7cp-14,
                   0x1.18b9b47d36cb2p-12, -0x1.ebfb1894df9ebp-12, 0x1.e13ce474dbbe2p-13,
                   0x1.547d93b34e2b6p-11));
  sum = fma(sum, u,
            horner(eta, 0x1.a0a4d8c4a6f6dp-28, -0x1.1f5e2af5e4a4bp-26, -0x1.79b08c187fb24p-37,
                   0x1.3760f79f5bb69p-23, -0x1.5239b233eeee6p-21, 0x1.7018bd9cc785ep-20,
                   0x1.26469db8079c2p-25, -0x1.ac2b437694e4ap-17, 0x1.bbf43c541fdbap-15,
                   -0x1.c253f59bc1a32p-14, 0x1.0db20b6a842b2p-19, 0x1.948b0fd500ecbp-11,
                   -0x1.5f7268edabab1p-9, 0x1.0ee643b98f59bp-8));
  sum = fma(sum, u,
            horner(eta, 0x1.bd6d60005b20cp-32, -0x1.494ee22af963ep-30, -0x1.26c9e7c6e0786p-39,
                   0x1.a108c147fc376p-27, -0x1.ee386a98e46dbp-25, 0x1.27d97ba71c3f6p-23,
                   0x1.3f8d9222f6f9dp-28, -0x1.b0bc020e18586p-20, 0x1.00a9c9a2aa2fbp-17,
                   -0x1.2fa4b3a4d30bap-16, -0x1.af83412c1a27fp-22, 0x1.af83441b504e1p-13,
                   -0x1.0394f6f09fddcp-10, 0x1.5ac056b00f5c5p-9, -0x1.c71c71c71c70ep-9,
                   -0x1.e573ac901e471p-10));
  return fma(sum, u,
             horner(eta, -0x1.3582b40b5c693p-34, 0x1.641a0973cd019p-35, 0x1.fdfdc58bb489ep-31,
                    -0x1.3231e3f66db44p-28, 0x1.605601ff931fbp-27, 0x1.cff69a4e269d4p-28,
                    -0x1.7b5e3abc4ddeep-23, 0x1.bd6b1a2f7616ap-21, -0x1.f1b237b55b2bep-20,
                    -0x1.25535778d2f5bp-19, 0x1.48c58936423e1p-15, -0x1.76e06ff697703p-13,
                    0x1.71de3a556293dp-12, 0x1.2f684bda21cc3p-10, -0x1.e573ac901e563p-7,
                    0x1.5555555555549p-4, -0x1.5555555555555p-2));
}

/// P and Q for a >= 20 and x between 0.4 a and 2 a.
template <typename D>
GN_FN TwoTails<D> uniform_gamma(D a, D x) {
  const D half = constant<D>(0.5);
  const D m = (x - a) / a;
  const D phi = -log1p_excess(m);  // eta^2 / 2
  const D eta = copysign(sqrt(phi + phi), m);
  const D power = a * phi;
  const D weight = exp(-power);
  const D rest = temme_sum(a, eta) * constant<D>(0x1.9884533d43651p-2) / sqrt(a);
  // The smaller tail, and 1 minus it.
  const D signed_rest = select(m < constant<D>(0), -rest, rest);
  const D tail = weight * fma(half, erfcx_of_positive(sqrt(power)), signed_rest);
  const D other = constant<D>(1) - tail;
  return {select(m < constant<D>(0), tail, other), select(m < constant<D>(0), other, tail)};
}

/// P(a, x) and Q(a, x) for finite a, x > 0.
template <typename D>
GN_FN TwoTails<D> incomplete_gamma(D a, D x) {
  const D one = constant<D>(1);
  const D two = constant<D>(2);
  const D edge = select(a < one, two, a + one);
  const auto balanced = (x > constant<D>(0.4) * a) & (x < two * a);
  // 0: series on the left, 1: fraction on the right, 2: uniform expansion.
  const D region = select(to_mask((a >= constant<D>(20)) & balanced), two,
                          select(x < edge, constant<D>(0), one));
  D lower = constant<D>(0);
  D upper = lower;
  if (any(region < two)) {
    const D density = gamma_density(a, x);
    if (any(region == constant<D>(0))) {
      const auto wanted = region == constant<D>(0);
      lower = density * lower_gamma_series(a, select(wanted, x, constant<D>(0)));
      lower = select(lower < one, lower, one);
      const D small =
          small_upper_gamma(select(a < one, a, constant<D>(0.5)), select(x < two, x, one));
      upper = select(a < one, small, one - lower);
    }
    if (any(region == one)) {
      const auto wanted = region == one;
      const D fraction = upper_gamma_fraction(a, select(wanted, x, edge));
      upper = select(wanted, a * density * fraction, upper);
      lower = select(wanted, one - upper, lower);
    }
  }
  if (any(region == two)) {
    const auto wanted = region == two;
    const TwoTails<D> tails =
        uniform_gamma(select(wanted, a, constant<D>(20)), select(wanted, x, constant<D>(20)));
    lower = select(wanted, tails.lower, lower);
    upper = select(wanted, tails.upper, upper);
  }
  return {lower, upper};
}

/// P where `lower`, else Q, with their values at the edges.
template <bool lower, typename D>
GN_FN D wide_incomplete_gamma(D a, D x) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D inf = infinity<D>();
  const auto inside = to_mask((a > zero) & (a < inf) & (x > zero) & (x < inf));
  const TwoTails<D> tails = incomplete_gamma(select(inside, a, one), select(inside, x, one));
  // All the mass is at 0 for a = 0 and goes to infinity with a.
  const D left = lower ? zero : one;
  const D edge = select(to_mask((x == zero) | (a == inf)), left, one - left);
  const auto nowhere = to_mask(((x == zero) & (a == zero)) | ((x == inf) & (a == inf)));
  const auto outside = to_mask((a >= zero) & (x >= zero));
  const D known = select(nowhere, quiet_nan<D>(), select(outside, edge, quiet_nan<D>()));
  return select(inside, lower ? tails.lower : tails.upper, known);
}

template <bool lower, typename F>
GN_FN F incomplete_gamma_as(F a, F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return plain_cast<F>(wide_incomplete_gamma<lower>(plain_cast<D>(a), plain_cast<D>(x)));
  } else {
    return wide_incomplete_gamma<lower>(a, x);
  }
}

}  // namespace detail

/// P(a, x), the probability of a gamma variable with shape a below x; NaN for a < 0 or x < 0.
template <typename F>
GN_FN F gammainc(F a, F x) {
  return detail::incomplete_gamma_as<true>(a, x);
}

/// Q(a, x) = 1 - P(a, x), accurate where it is tiny.
template <typename F>
GN_FN F gammaincc(F a, F x) {
  return detail::incomplete_gamma_as<false>(a, x);
}

}  // namespace gn
