// Owen's T function.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/special/normal.h"

namespace gn {
namespace detail {

/// T(h, a) for h >= 0 and 0 <= a <= 1: exp(-h^2 / 2) / (2 pi) times the integral of
/// exp(-(h x)^2 / 2) / (1 + x^2) from 0 to a, by Gauss and Legendre's formula with 24 points.
template <typename D>
GN_FN D owens_t_inside(D h, D a) {
  constexpr f64 nodes[] = {0x1.0660853eda2e8p-4, 0x1.8769542b94f8dp-3, 0x1.429a8c588e91p-2,
                           0x1.bc345d81e24b5p-2, 0x1.17417bac4d72bp-1, 0x1.4bd2ee5fa1086p-1,
                           0x1.7af18edb9ddd6p-1, 0x1.a3d74ce0d37p-1,   0x1.c5d841864d0f5p-1,
                           0x1.e06585a70aa4dp-1, 0x1.f30f9f0cbf876p-1, 0x1.fd892de691982p-1};
  constexpr f64 weights[] = {0x1.060475e763736p-3, 0x1.01b7117cf8bd8p-3, 0x1.f25cbce1d1ff6p-4,
                             0x1.d91c78acb1b2dp-4, 0x1.b8177ba4a68dcp-4, 0x1.8fd8936444b16p-4,
                             0x1.6108ef504463ap-4, 0x1.2c6d5c2eff064p-4, 0x1.e5c6255d25edap-5,
                             0x1.6ab884f57c979p-5, 0x1.d375514486f1dp-6, 0x1.9465bd3112202p-7};
  const D one = constant<D>(1);
  const D half = constant<D>(0.5);
  // Beyond 8.5 / h nothing is left of the first factor.
  const D end = constant<D>(8.5);
  const D radius = half * select(a * h > end, end / h, a);
  const D rate = -half * h * h;
  D sum = constant<D>(0);
  for (int i = 11; i >= 0; --i) {
    const D near = fma(radius, constant<D>(-nodes[i]), radius);
    const D far = fma(radius, constant<D>(nodes[i]), radius);
    const D first = exp(rate * near * near) / fma(near, near, one);
    const D second = exp(rate * far * far) / fma(far, far, one);
    sum = fma(constant<D>(weights[i]), first + second, sum);
  }
  const D square = h * h;
  const D density = exp(-half * square);
  const D exact = fma(density, -half * fma(h, h, -square), density);
  return select(density > constant<D>(0), exact * radius * sum, constant<D>(0)) *
         constant<D>(0x1.45f306dc9c883p-3);  // 1 / (2 pi)
}

template <typename D>
GN_FN D wide_owens_t(D signed_h, D signed_a) {
  const D zero = constant<D>(0);
  const D one = constant<D>(1);
  const D limit = constant<D>(1e150);  // whose square is finite
  const D magnitude = abs(signed_h);
  const D h = select(magnitude < limit, magnitude, limit);
  const D a = abs(signed_a);
  const auto steep = a > one;
  const D product = select(h == zero, zero, h * a);
  const D held = select(product < limit, product, limit);
  const D inside = owens_t_inside(select(steep, held, h), select(steep, one / a, a));
  // T(h, a) + T(a h, 1 / a) = (u + v) / 2 - u v for the probabilities u beyond h and v beyond a h.
  const D u = ndtr(-h);
  const D v = ndtr(-held);
  const D outside = (constant<D>(0.5) * (u + v) - u * v) - inside;
  const D t = copysign(select(steep, outside, inside), signed_a);
  const D sum = signed_h + signed_a;
  const auto known = to_mask((signed_h == signed_h) & (signed_a == signed_a));
  return select(known, t, sum);
}

}  // namespace detail

/// T(h, a): the probability that a standard normal variable is beyond h and another between 0 and a
/// times the first.
template <typename F>
GN_FN F owens_t(F h, F a) {
  if constexpr (is_single<F>) {
    using D = with_element<F, f64>;
    return detail::plain_cast<F>(
        detail::wide_owens_t(detail::plain_cast<D>(h), detail::plain_cast<D>(a)));
  } else {
    return detail::wide_owens_t(h, a);
  }
}

}  // namespace gn
