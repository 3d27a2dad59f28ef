// The modified Bessel functions of the first kind, of orders 0 and 1. Up to 12 a polynomial in the
// square, whose terms are all positive (DLMF 10.25.2); from there sqrt(x) exp(-x) I(x) as one in 1
// / x (DLMF 10.40.1).
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// From where the polynomials in 1 / x are used.
template <typename D>
GN_FN D modified_bessel_limit() {
  return constant<D>(12);
}

/// I0(x), or I1(x) / x, for z = x^2 <= 144.
template <int order, typename D>
GN_FN D modified_bessel_near(D z) {
  if constexpr (order == 0) {
    return horner(z, 0x1.2c4e6b042a055p-172, 0x1.783e601b56f6ap-164, 0x1.a7a7a00c610dcp-152,
                  0x1.e614889a0220bp-142, 0x1.43086e7952976p-131, 0x1.698be24ba71c9p-121,
                  0x1.6a0693c2142e5p-111, 0x1.3e2142d686de8p-101, 0x1.e7259e0c27f3ep-92,
                  0x1.4197a34f061a8p-82, 0x1.69ca9d739a9cp-73, 0x1.5601885386e69p-64,
                  0x1.0b31328a770ep-55, 0x1.522a43f641846p-47, 0x1.522a43f656011p-39,
                  0x1.02e85c0898a16p-31, 0x1.23456789abcfbp-24, 0x1.c71c71c71c719p-18,
                  0x1.c71c71c71c71dp-12, 0x1p-6, 0x1p-2, 0x1p0);
  } else {
    return horner(z, 0x1.a60895e49da7p-178, 0x1.4b44b7541943fp-169, 0x1.4b18768ca7fddp-157,
                  0x1.9cb93a68746bp-147, 0x1.1ea1d461b758cp-136, 0x1.546401dc8fdabp-126,
                  0x1.6a01ced92b08p-116, 0x1.53574bacca676p-106, 0x1.165e9365cc77ap-96,
                  0x1.8bce556c3ce76p-87, 0x1.e2637c45fe1b2p-78, 0x1.f17697c7c714fp-69,
                  0x1.ab81ea7679c88p-60, 0x1.2c9758daef627p-51, 0x1.522a43f655065p-43,
                  0x1.27e4fb7789ee7p-35, 0x1.845c8a0ce5133p-28, 0x1.6c16c16c16c16p-21,
                  0x1.c71c71c71c71cp-15, 0x1.5555555555555p-9, 0x1p-4, 0x1p-1);
  }
}

/// sqrt(x) exp(-x) I(x) for u = 1 / x, x >= 12.
template <int order, typename D>
GN_FN D modified_bessel_far(D u) {
  if constexpr (order == 0) {
    return horner(u, 0x1.c862d71854321p32, -0x1.37259443e67a5p32, 0x1.75fde84b76378p30,
                  -0x1.078680ae6f504p28, 0x1.e7fdf7379bc76p24, -0x1.3a4d3866db65cp21,
                  0x1.228c3487bfaacp17, -0x1.85f627cbc716ap12, 0x1.83e02183dd433p7,
                  -0x1.c75ddfb36f316p1, 0x1.2e5a97be65b9cp-2, 0x1.7024d85a031f7p-4,
                  0x1.6e91f7b3d810ap-5, 0x1.debafa1fd6f3cp-6, 0x1.cb94ddb2435b3p-6,
                  0x1.9884533d41e68p-5, 0x1.9884533d43651p-2);
  } else {
    return horner(u, -0x1.ceaebcf65bfeap32, 0x1.3cb31b3749279p32, -0x1.7dd23e0626eafp30,
                  0x1.0dab2ddacbd9bp28, -0x1.f449d194fb77bp24, 0x1.42b227b6936b9p21,
                  -0x1.2aad4570fc33p17, 0x1.91359bb33361fp12, -0x1.8ff2b478f44c8p7,
                  0x1.ca6442b16450dp1, -0x1.5b01d83376997p-2, -0x1.c284e5c6089a4p-4,
                  -0x1.d74b3b601c6f4p-5, -0x1.4f1c8031b925bp-5, -0x1.7efc0e105243ep-5,
                  -0x1.32633e6df2291p-3, 0x1.9884533d4365p-2);
  }
}

/// I(x), or exp(-|x|) I(x), in float64.
template <int order, bool scaled, typename D>
GN_FN D wide_modified_bessel(D x) {
  const D a = abs(x);
  const D limit = modified_bessel_limit<D>();
  const D held = select(a < limit, a, limit);
  // What the square rounds off, times about the logarithmic derivative by the square.
  const D z = held * held;
  const D rest = fma(held, held, -z) / fma(constant<D>(2), held, constant<D>(order == 0 ? 4 : 8));
  D near = modified_bessel_near<order>(z);
  near = fma(near, rest, near);
  if constexpr (order == 1) near = near * held;
  const D u = constant<D>(1) / a;
  D far = modified_bessel_far<order>(select(a < limit, constant<D>(0), u)) / sqrt(a);
  if constexpr (scaled) {
    near = near * exp(-held);
  } else {
    const D end = constant<D>(720);  // the result overflows before
    const ExpArgument<D> e = split_exp_argument(select(a < end, a, end));
    far = select(a < end, scale(far * exp_near_zero(e.r), e.n), infinity<D>());
  }
  const D v = select(a < limit, near, far);
  const D signed_v = order == 1 ? copysign(v, x) : v;
  return select(x == x, signed_v, x);
}

template <int order, bool scaled, typename F>
GN_FN F modified_bessel(F x) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return plain_cast<F>(wide_modified_bessel<order, scaled>(plain_cast<D>(x)));
  } else {
    return wide_modified_bessel<order, scaled>(x);
  }
}

}  // namespace detail

/// I0(x).
template <typename F>
GN_FN F i0(F x) {
  return detail::modified_bessel<0, false>(x);
}

/// exp(-|x|) I0(x).
template <typename F>
GN_FN F i0e(F x) {
  return detail::modified_bessel<0, true>(x);
}

/// I1(x).
template <typename F>
GN_FN F i1(F x) {
  return detail::modified_bessel<1, false>(x);
}

/// exp(-|x|) I1(x).
template <typename F>
GN_FN F i1e(F x) {
  return detail::modified_bessel<1, true>(x);
}

}  // namespace gn
