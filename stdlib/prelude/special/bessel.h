// The Bessel functions of both kinds, of orders 0 and 1. Up to 8 polynomials in the square, with
// the first two zeros of J as factors; from there Hankel's form sqrt(2 / (pi x)) (P cos - Q sin)
// with P and x Q as polynomials in 1 / x^2 (DLMF 10.17.3, 10.17.4). Near other zeros the errors are
// relative to the envelope sqrt(2 / (pi x)).
#pragma once

#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// J0(x), or J1(x) / x, without its first two zeros, for u = x^2 / 32 - 1, |x| <= 8.
template <int order, typename D>
GN_FN D bessel_near(D u) {
  if constexpr (order == 0) {
    return horner(u, 0x1.52536590aa214p-62, -0x1.a320cf38c14e9p-57, 0x1.cca455bd6545fp-52,
                  -0x1.c0361dd36a506p-47, 0x1.7df1c9fd70203p-42, -0x1.1a4d978efbcfep-37,
                  0x1.65ec7d3753659p-33, -0x1.801f7f338767cp-29, 0x1.577f683baf7a5p-25,
                  -0x1.f633ea85eada8p-22, 0x1.250f53798032fp-18, -0x1.08db6a2de263fp-15,
                  0x1.6409a6fd7b18ap-13, -0x1.5059ea69f58a4p-11, 0x1.99e65104a68d3p-10,
                  -0x1.15d87e4b8d5b1p-9, 0x1.2bc29174dd587p-10);
  } else {
    return horner(u, 0x1.1d74dbec07b54p-67, -0x1.7554f6f0d8d38p-62, 0x1.b2a6ac4068bbdp-57,
                  -0x1.c1795045f0208p-52, 0x1.98ae519b44434p-47, -0x1.43c20c0d86af9p-42,
                  0x1.ba3fb2eea14fcp-38, -0x1.0137e01b67e15p-33, 0x1.f62979d67045bp-30,
                  -0x1.941a826757654p-26, 0x1.06438a6958c31p-22, -0x1.0af8bb9889ba1p-19,
                  0x1.9ac7788fbda1dp-17, -0x1.c5a7fc38dd1d3p-15, 0x1.4c9bd11c0aa3bp-13,
                  -0x1.1adb1329ed86fp-12, 0x1.98ec1eee7c01ap-13);
  }
}

/// Y0(x) - 2 / pi log(x) J0(x), or (Y1(x) + 2 / (pi x)) / x - 2 / pi log(x) J1(x) / x.
template <int order, typename D>
GN_FN D second_bessel_near(D u) {
  if constexpr (order == 0) {
    return horner(u, -0x1.7af77ef3e26dbp-51, 0x1.ccd0becf27796p-46, -0x1.effd1aa69fdbfp-41,
                  0x1.d7ca8824f3c32p-36, -0x1.88011ab9784ecp-31, 0x1.1998aadbcc14fp-26,
                  -0x1.5995ab1ecea19p-22, 0x1.651b8eda0096p-18, -0x1.31537c5ccd77ep-14,
                  0x1.a6a8c6c9838dap-11, -0x1.cc706012361fcp-8, 0x1.7bd6bf2ce921ap-5,
                  -0x1.c06cc647f6aa5p-3, 0x1.5827981135a27p-1, -0x1.13da2b14a486ep0,
                  0x1.272bb3b608b42p-3, 0x1.a5a81d661f788p0, -0x1.a828bfbfdc936p-1,
                  -0x1.876cb72f1c7ebp-2);
  } else {
    return horner(u, -0x1.489bbc9c889c2p-56, 0x1.a7116c218520cp-51, -0x1.e411a9816696fp-46,
                  0x1.eb6369538e163p-41, -0x1.b5d40ea73d2f9p-36, 0x1.532f686d70a8fp-31,
                  -0x1.c3f1d8ed81411p-27, 0x1.ff34fc77196bap-23, -0x1.e35169de5c772p-19,
                  0x1.76c164b8551ecp-15, -0x1.d1604f9ccacf4p-12, 0x1.c097bb98fdbc4p-9,
                  -0x1.4198f92a31f2bp-6, 0x1.41bb6917b15dbp-4, -0x1.923952d7c42a6p-3,
                  0x1.e16d7a1d07b7p-3, 0x1.7edab31507d03p-6, -0x1.f26fddceafd0ep-3,
                  0x1.21d516f81acf6p-4);
  }
}

/// P for w = 1 / x^2, x >= 8.
template <int order, typename D>
GN_FN D hankel_even(D w) {
  if constexpr (order == 0) {
    return horner(w, 0x1.7b99a336a6a86p28, -0x1.48838809c87ap25, 0x1.156c5d4d55d45p21,
                  -0x1.4866e4e39b21ap16, 0x1.5f1d056b42f31p11, -0x1.b3d3e74850c5cp6,
                  0x1.8488514267ae9p2, -0x1.251e21cd9d4c3p-1, 0x1.cb5ffe7938884p-4,
                  -0x1.1fffffffd9bb6p-4, 0x1.fffffffffffffp-1);
  } else {
    return horner(w, -0x1.964af88a454a5p28, 0x1.601ad1a11d7f1p25, -0x1.2a158a1995a4fp21,
                  0x1.62820513cec02p16, -0x1.7e5a1f2ce39d9p11, 0x1.e1e21b3a223b6p6,
                  -0x1.b859e8566b557p2, 0x1.5a69852228e9ep-1, -0x1.274fff30149fp-3,
                  0x1.dfffffffd7461p-4, 0x1.0000000000001p0);
  }
}

/// x Q for w = 1 / x^2, x >= 8.
template <int order, typename D>
GN_FN D hankel_odd(D w) {
  if constexpr (order == 0) {
    return horner(w, 0x1.af40b6ebf34d7p36, -0x1.804e6b8054f1bp33, 0x1.4423e81496505p29,
                  -0x1.6690c4ea1b34dp24, 0x1.3c1c5bc82401ap19, -0x1.0ded60d32666bp14,
                  0x1.11d21fa4010afp9, -0x1.85f0d72c32901p4, 0x1.ba4b6de0e2356p0,
                  -0x1.d11dfe7bdf639p-3, 0x1.2bffffffc03aap-4, -0x1.ffffffffffff2p-4);
  } else {
    return horner(w, -0x1.ca70468c21daap36, 0x1.98e0721ade8b8p33, -0x1.59581db84b64p29,
                  0x1.7ef4ce710c925p24, -0x1.531eb837518efp19, 0x1.23e165e3ac238p14,
                  -0x1.2bf81a28d41b5p9, 0x1.b3d3352c7c62dp4, -0x1.fe571f3b2aa87p0,
                  0x1.1c3cff32a9e62p-2, -0x1.a3ffffffbc84ep-4, 0x1.7fffffffffffcp-2);
  }
}

/// J and Y of x >= 8.
template <typename D>
struct BesselPair {
  D first;
  D second;
};

template <int order, typename D>
GN_FN BesselPair<D> bessel_far(D x) {
  const D finite = select(x < infinity<D>(), x, constant<D>(8));
  const D u = constant<D>(1) / finite;
  const D w = u * u;
  const D p = hankel_even<order>(w);
  const D q = u * hankel_odd<order>(w);
  // The angle is x - pi/4, or x - 3 pi/4: its functions times sqrt(2).
  const D s = sin(finite);
  const D c = cos(finite);
  const D cosine = order == 0 ? c + s : s - c;
  const D sine = order == 0 ? s - c : -(s + c);
  const D size = constant<D>(0x1.20dd750429b6dp-1) / sqrt(x);
  return {size * fma(p, cosine, -(q * sine)), size * fma(p, sine, q * cosine)};
}

/// J(x) for 0 <= x <= 8.
template <int order, typename D>
GN_FN D bessel_of_small(D x, D u) {
  const D a = constant<D>(order == 0 ? 0x1.33d152e971b40p1 : 0x1.ea75575af6f09p1);
  const D a_rest = constant<D>(order == 0 ? -0x1.0f539d7da258ep-53 : -0x1.60155a9d1b256p-53);
  const D b = constant<D>(order == 0 ? 0x1.6148f5b2c2e45p2 : 0x1.c0ff5f3b47250p2);
  const D b_rest = constant<D>(order == 0 ? 0x1.75054cd60a517p-54 : -0x1.b226d9d243827p-54);
  const D first = ((x - a) - a_rest) * (x + a);
  const D second = ((x - b) - b_rest) * (x + b);
  const D value = first * second * bessel_near<order>(u);
  return order == 0 ? value : value * x;
}

template <int order, typename D>
GN_FN D wide_bessel(D x) {
  const D a = abs(x);
  const auto far = a > constant<D>(8);
  const D held = select(far, constant<D>(8), a);
  const D near =
      bessel_of_small<order>(held, fma(held, held * constant<D>(0x1p-5), constant<D>(-1)));
  const D v =
      any(far) ? select(far, bessel_far<order>(select(far, a, constant<D>(9))).first, near) : near;
  const D turned = order == 1 ? select(bit_cast<int_of<D>>(x) < int_of<D>(0), -v, v) : v;
  return select(x == x, turned, x);
}

template <int order, typename D>
GN_FN D wide_second_bessel(D x) {
  const auto far = x > constant<D>(8);
  const D held = select(far, constant<D>(8), x);
  const D u = fma(held, held * constant<D>(0x1p-5), constant<D>(-1));
  const D two_by_pi = constant<D>(0x1.45f306dc9c883p-1);
  const D j = bessel_of_small<order>(held, u);
  const D smooth = second_bessel_near<order>(u);
  const D logarithm = two_by_pi * log(held);
  D near = fma(logarithm, j, smooth);
  if constexpr (order == 1) near = fma(logarithm, j, fma(held, smooth, -(two_by_pi / held)));
  near = select(held == constant<D>(0), -infinity<D>(), near);
  if (!any(far)) return near;
  return select(far, bessel_far<order>(select(far, x, constant<D>(9))).second, near);
}

template <int order, typename F>
GN_FN F bessel(F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return plain_cast<F>(wide_bessel<order>(plain_cast<D>(x)));
  } else {
    return wide_bessel<order>(x);
  }
}

template <int order, typename F>
GN_FN F second_bessel(F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return plain_cast<F>(wide_second_bessel<order>(plain_cast<D>(x)));
  } else {
    return wide_second_bessel<order>(x);
  }
}

}  // namespace detail

/// J0(x).
template <typename F>
GN_FN F j0(F x) {
  return detail::bessel<0>(x);
}

/// J1(x).
template <typename F>
GN_FN F j1(F x) {
  return detail::bessel<1>(x);
}

/// Y0(x): -infinity at 0, NaN below.
template <typename F>
GN_FN F y0(F x) {
  return detail::second_bessel<0>(x);
}

/// Y1(x): -infinity at 0, NaN below.
template <typename F>
GN_FN F y1(F x) {
  return detail::second_bessel<1>(x);
}

}  // namespace gn
