// gammaln, digamma and trigamma on the whole real line.
//
// Near the middle of the positive axis a polynomial in t = (x - c) / (x + c), which keeps the pole
// at 0 away; a few steps of the recurrence lead there, and from some point on the asymptotic series
// is used. Negative arguments are reflected. Relative accuracy ends near the zeros left of 0: there
// the error is a few ulp of the two terms that cancel.
#pragma once

#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// sin(pi r) / pi for |r| <= 1/2.
template <typename F>
GN_FN F sine_of_half_turns(F r) {
  const F z = r * r;
  F q;
  if constexpr (is_single<F>) {
    q = horner(z, -0x1.205e7ep-9, 0x1.ab922cp-6, -0x1.86a4dcp-3, 0x1.9f9ca4p-1, -0x1.a51a66p0);
  } else {
    q = horner(z, 0x1.078bd88bcfa9bp-22, -0x1.d3eaf2de768d1p-18, 0x1.3746aea332e05p-13,
               -0x1.338169c03abd9p-9, 0x1.ac6805cd0dbafp-6, -0x1.86a8e4720af2p-3,
               0x1.9f9cb402bc439p-1, -0x1.a51a6625307d3p0);
  }
  return fma(r * z, q, r);
}

/// cos(pi r) for |r| <= 1/2, to an absolute error.
template <typename F>
GN_FN F cosine_of_half_turns(F r) {
  const F z = r * r;
  F q;
  if constexpr (is_single<F>) {
    q = horner(z, -0x1.83207cp-6, 0x1.e045dep-3, -0x1.55cb44p0, 0x1.03c1cep2, -0x1.3bd3ccp2);
  } else {
    q = horner(z, -0x1.0aca5e9f3d848p-24, 0x1.1b6f5061e837p-18, -0x1.b6bd0c375da15p-14,
               0x1.f9d2ff653b0cep-10, -0x1.a6d1f17a8019ap-6, 0x1.e1f50686501d4p-3,
               -0x1.55d3c7e3c8669p0, 0x1.03c1f081b5a81p2, -0x1.3bd3cc9be45dep2);
  }
  return fma(z, q, constant<F>(1));
}

/// log gamma(x) / ((x - 1) (x - 2)) for 0.75 <= x <= 2.5 and t = (x - 1.375) / (x + 1.375).
template <typename F>
GN_FN F gammaln_middle(F t) {
  if constexpr (is_single<F>) {
    return horner(t, -0x1.567072p-4, 0x1.2d32c2p-4, -0x1.06db8ep-4, 0x1.f3a7b2p-5, -0x1.864f04p-4,
                  0x1.6060cp-4, -0x1.3c69c4p-3, 0x1.081678p-3, -0x1.cbd9b8p-2, 0x1.013d86p-1);
  } else {
    return horner(
        t, 0x1.54cc71d7308cfp-5, -0x1.58dec6fb2139bp-5, 0x1.8c54336da4e03p-6, -0x1.f03b4737948dap-6,
        0x1.07daf5ea02a0cp-5, -0x1.3632da9170bc5p-5, 0x1.2911215157a87p-5, -0x1.6ae5f7909e516p-5,
        0x1.5bcb7c00ff2c1p-5, -0x1.b96a173bf4b76p-5, 0x1.a2a267396789cp-5, -0x1.1996e5e4273fdp-4,
        0x1.06aee298f6889p-4, -0x1.853272105fdcfp-4, 0x1.5fa9827d969bap-4, -0x1.3c6d0c1c3e7ecp-3,
        0x1.0818788efa4eep-3, -0x1.cbd9b54ed4b2p-2, 0x1.013d8539b9679p-1);
  }
}

/// x (log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2) for w = 1 / x^2, x >= 6.5.
template <typename F>
GN_FN F gammaln_series(F w) {
  if constexpr (is_single<F>) {
    return horner(w, 0x1.9d955cp-11, -0x1.6c2032p-9, 0x1.555556p-4);
  } else {
    return horner(w, -0x1.110907b199d7cp-6, 0x1.838ff5702bc1cp-8, -0x1.f3c8ed9f5a658p-10,
                  0x1.b93e91c8eec4cp-11, -0x1.38135bb0a0e82p-11, 0x1.a01a0178c41a4p-11,
                  -0x1.6c16c16c120ddp-9, 0x1.5555555555555p-4);
  }
}

template <typename F>
GN_FN F gammaln_of_positive(F x) {
  const F one = constant<F>(1);
  const F middle = constant<F>(1.375);
  const auto below = x < constant<F>(0.75);
  const auto large = x > constant<F>(6.5);
  // gamma(x) = product * gamma(y) from above, gamma(y) / x from below.
  F y = select(below, x + one, x);
  F product = one;
  for (int step = 0; step < 4; ++step) {
    const auto above = y > constant<F>(2.5);
    y = select(above, y - one, y);
    product = select(above, product * y, product);
  }
  const F quotient = select(large, one, y - middle) / select(large, x, y + middle);
  const F logarithm = log(select(below, x, select(large, x, product)));
  const F first = select(below, x, y - one);
  const F second = select(below, x - one, y - constant<F>(2));
  const F inner =
      fma(first * second, gammaln_middle(quotient), select(below, -logarithm, logarithm));
  // log(2 pi) / 2 - 1/2 is the constant.
  const F rest =
      fma(quotient, gammaln_series(quotient * quotient), constant<F>(0x1.acfe390c97d69p-2));
  const F outer = fma(x - constant<F>(0.5), logarithm - one, rest);
  return select(large, outer, inner);
}

/// psi(x) / (x - x0) for 0.75 <= x <= 2.5, x0 its zero and t = (x - 1.375) / (x + 1.375).
template <typename F>
GN_FN F digamma_middle(F t) {
  if constexpr (is_single<F>) {
    return horner(t, -0x1.3a2e7ap0, 0x1.388434p0, -0x1.f900fcp-1, 0x1.f0c234p-1, -0x1.01f268p0,
                  0x1.f4e8ecp-1, -0x1.07bc72p0, 0x1.ee9596p-1, -0x1.5a0c4ap0, 0x1.0211b8p0);
  } else {
    return horner(
        t, -0x1.94c7ef1cf3bc3p0, 0x1.8bab71d485836p0, -0x1.c079238335b99p-1, 0x1.c5619a042ea0cp-1,
        -0x1.0280d75241d66p0, 0x1.01351e7c47104p0, -0x1.fe1a407bc20e4p-1, 0x1.fbf8c9501d419p-1,
        -0x1.fef03b19872e6p-1, 0x1.fbd8ee2b3345dp-1, -0x1.ff92fbe07cf35p-1, 0x1.faf2a2a0ce19dp-1,
        -0x1.00690c0b0b1edp0, 0x1.f921411c29bdbp-1, -0x1.01dd63469ee75p0, 0x1.f4b28a72e619fp-1,
        -0x1.07bc6c4e8726bp0, 0x1.ee95dc9a55dfep-1, -0x1.5a0c4a742175fp0, 0x1.0211b8470c9dp0);
  }
}

/// x^2 (log x - 1 / (2 x) - psi(x)) for w = 1 / x^2, x >= 6.5.
template <typename F>
GN_FN F digamma_series(F w) {
  if constexpr (is_single<F>) {
    return horner(w, 0x1.f325cep-9, -0x1.1101fep-7, 0x1.555554p-4);
  } else {
    return horner(w, -0x1.010ff5937f65dp-2, 0x1.3b3c9ee054781p-4, -0x1.57a4dee825749p-6,
                  0x1.f0670943d1dd3p-8, -0x1.1110f17bd2a78p-8, 0x1.041040ec99ac8p-8,
                  -0x1.111111110db53p-7, 0x1.5555555555555p-4);
  }
}

template <typename F>
GN_FN F digamma_of_positive(F x) {
  const F one = constant<F>(1);
  const F middle = constant<F>(1.375);
  const auto below = x < constant<F>(0.75);
  const auto large = x > constant<F>(6.5);
  // psi(x) = psi(y) + num / den.
  F y = select(below, x + one, x);
  F num = select(below, -one, constant<F>(0));
  F den = select(below, x, one);
  for (int step = 0; step < 4; ++step) {
    const auto above = y > constant<F>(2.5);
    y = select(above, y - one, y);
    num = select(above, fma(num, y, den), num);
    den = select(above, den * y, den);
  }
  const F quotient = select(large, one, y - middle) / select(large, x, y + middle);
  // The zero x0 in two parts.
  const F zero_high = constant<F>(is_single<F> ? 0x1.762d86p0 : 0x1.762d86356be3fp0);
  const F zero_low = constant<F>(is_single<F> ? 0x1.ab5f2p-27 : 0x1.b86a722197829p-54);
  const F inner = fma((y - zero_high) - zero_low, digamma_middle(quotient), num / den);
  const F series = fma(quotient, digamma_series(quotient * quotient), constant<F>(0.5));
  const F outer = fma(-quotient, series, log(x));
  return select(large, outer, inner);
}

/// x psi'(x) for 1 <= x <= 4 and t = (x - 2) / (x + 2).
template <typename F>
GN_FN F trigamma_middle(F t) {
  if constexpr (is_single<F>) {
    return horner(t, 0x1.825b68p0, -0x1.60c9e8p0, 0x1.d40fa2p-1, -0x1.e670ep-1, 0x1.fd5becp-1,
                  -0x1.f3267cp-1, 0x1.e11136p-1, -0x1.c2627cp-1, 0x1.916d94p-1, -0x1.4e6ce2p-1,
                  0x1.4a34ccp0);
  } else {
    return horner(
        t, -0x1.eddb1e9985c12p0, 0x1.e0b0b23d0af7ep0, -0x1.6e3b1baeb69abp-1, 0x1.7d973c34ba1dfp-1,
        -0x1.0bfa7ae779c49p0, 0x1.0a0ef505b545cp0, -0x1.fd96db6405f6ep-1, 0x1.fe1ffc316968cp-1,
        -0x1.001313aaccd08p0, 0x1.000bae44cfc85p0, -0x1.fff18137893d5p-1, 0x1.ffdc702da79cfp-1,
        -0x1.ffa4486b813b3p-1, 0x1.ff1059c83d63ep-1, -0x1.fd9b59a1b5888p-1, 0x1.fa10872e1ba18p-1,
        -0x1.f1f9af1c40a87p-1, 0x1.e1306bf35959dp-1, -0x1.c268ad5d5ed75p-1, 0x1.916d14e78282dp-1,
        -0x1.4e6cd8b68859p-1, 0x1.4a34cc4a60fa6p0);
  }
}

/// x^3 (psi'(x) - 1 / x - 1 / (2 x^2)) for w = 1 / x^2, x >= 4.
template <typename F>
GN_FN F trigamma_series(F w) {
  if constexpr (is_single<F>) {
    return horner(w, 0x1.59fe2ap-6, -0x1.10937ep-5, 0x1.55553ap-3);
  } else {
    return horner(w, 0x1.0bf4bb4b50ffap3, -0x1.e73652c1c8205p1, 0x1.01ac1a5fd6f4cp0,
                  -0x1.fc0288074d5c5p-3, 0x1.35e5c90a01acp-4, -0x1.110eb92fd2cebp-5,
                  0x1.86185aa31920ep-6, -0x1.1111110f1a726p-5, 0x1.5555555555498p-3);
  }
}

template <typename F>
GN_FN F trigamma_of_positive(F x) {
  const F one = constant<F>(1);
  const F two = constant<F>(2);
  const auto below = x < one;
  const auto large = x > constant<F>(4);
  // psi'(x) = psi'(y) + 1 / x^2 from below.
  const F y = select(below, x + one, x);
  const F quotient = select(large, one, y - two) / select(large, x, y + two);
  const F inverse = one / x;
  const F more = select(below, inverse * inverse, constant<F>(0));
  const F inner = trigamma_middle(quotient) / y + more;
  const F square = quotient * quotient;
  const F series = fma(quotient, trigamma_series(square), constant<F>(0.5));
  const F outer = fma(square, series, quotient);
  return select(large, outer, inner);
}

}  // namespace detail

/// log |gamma(x)|: +infinity at 0, -1, -2 ... and at both infinities.
template <typename F>
GN_FN F gammaln(F x) {
  const auto negative = x < constant<F>(0);
  const F right = detail::gammaln_of_positive(select(negative, constant<F>(1) - x, x));
  if (!any(negative)) return right;
  // gamma(x) gamma(1 - x) = pi / sin(pi x)
  const F sine = abs(detail::sine_of_half_turns(x - rint(x)));
  const F left = select(sine == constant<F>(0), infinity<F>(), -(log(sine) + right));
  return select(negative, select(x == -infinity<F>(), infinity<F>(), left), right);
}

/// The derivative of gammaln; NaN at -1, -2 ..., -infinity at +0 and +infinity at -0.
template <typename F>
GN_FN F digamma(F x) {
  const auto negative = x < constant<F>(0);
  const F right = detail::digamma_of_positive(select(negative, constant<F>(1) - x, x));
  if (!any(negative)) return right;
  // psi(x) = psi(1 - x) - pi cot(pi x)
  const F r = x - rint(x);
  const F left = right - detail::cosine_of_half_turns(r) / detail::sine_of_half_turns(r);
  return select(negative, select(r == constant<F>(0), quiet_nan<F>(), left), right);
}

/// The derivative of digamma; +infinity at 0, -1, -2 ...
template <typename F>
GN_FN F trigamma(F x) {
  const auto negative = x < constant<F>(0);
  const F right = detail::trigamma_of_positive(select(negative, constant<F>(1) - x, x));
  if (!any(negative)) return right;
  // psi'(x) + psi'(1 - x) = (pi / sin(pi x))^2
  const F inverse = constant<F>(1) / detail::sine_of_half_turns(x - rint(x));
  return select(negative, fma(inverse, inverse, -right), right);
}

}  // namespace gn
