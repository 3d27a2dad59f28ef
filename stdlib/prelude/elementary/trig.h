// sin, cos and tan, right at any magnitude.
//
// Up to a limit x - n pi/2 is formed with pi/2 in three parts (Cody and Waite); the first step is
// exact because of the fma. Beyond it a function out of line multiplies by as many bits of 2/pi as
// matter (Payne and Hanek). Both give the remainder as a sum of two floats.
#pragma once

#include "stdlib/prelude/lanes/polynomial.h"

namespace gn {
namespace detail {

/// x = quadrant * pi/2 + high + low, |high| <= pi/4 or a little more, low far smaller.
template <typename F>
struct QuarterTurns {
  F high;
  F low;
  int_of<F> quadrant;
};

/// Beyond this magnitude the parts of pi/2 in `reduce_quarter_turns` do not suffice.
template <typename F>
inline constexpr element_of<F> quarter_turn_limit =
    static_cast<element_of<F>>(is_single<F> ? 0x1p16 : 0x1p30);

template <typename F>
GN_FN QuarterTurns<F> reduce_quarter_turns(F x) {
  // Adding `shift` rounds to an integer and leaves it in the low bits.
  constexpr f64 shift = is_single<F> ? 0x1.8p23 : 0x1.8p52;
  constexpr f64 two_over_pi = is_single<F> ? 0x1.45f306p-1 : 0x1.45f306dc9c883p-1;
  constexpr f64 part1 = is_single<F> ? 0x1.921fb6p0 : 0x1.921fb54442d18p0;
  constexpr f64 part2 = is_single<F> ? -0x1.777a5cp-25 : 0x1.1a62633145c07p-54;
  constexpr f64 part3 = is_single<F> ? -0x1.ee59dap-50 : -0x1.f1976b7ed8fbcp-110;
  const F shifted = fma(x, constant<F>(two_over_pi), constant<F>(shift));
  const F n = shifted - constant<F>(shift);
  const F first = fma(-n, constant<F>(part1), x);
  const F high = fma(-n, constant<F>(part2), first);
  // first - n part2 - high without error: first - high alone may need more bits than one F.
  const F step = first - high;
  const F step_rest = (first - step) - high;
  const F rest = fma(-n, constant<F>(part2), step) + step_rest;
  return {high, fma(-n, constant<F>(part3), rest), bit_cast<int_of<F>>(shifted)};
}

/// sin(high + low) for |high| up to about pi/4.
template <typename F>
GN_FN TwoFloats<F> sine_of_sum(F high, F low) {
  const F z = high * high;
  F p;
  if constexpr (is_single<F>) {
    p = horner(z, 0x1.876366p-19, -0x1.a082ecp-13, 0x1.111198p-7, -0x1.555556p-3);
  } else {
    p = horner(z, -0x1.8e3c666598f95p-41, 0x1.60e76cfaf5e42p-33, -0x1.ae63fa284715fp-26,
               0x1.71de3a11860d8p-19, -0x1.a01a019fe9395p-13, 0x1.111111111102p-7,
               -0x1.5555555555555p-3);
  }
  const F t = fma(high * z, p, low);
  const F s = high + t;
  return {s, (high - s) + t};
}

/// cos(high + low) for |high| up to about pi/4.
template <typename F>
GN_FN TwoFloats<F> cosine_of_sum(F high, F low) {
  const F z = high * high;
  F p;
  if constexpr (is_single<F>) {
    p = horner(z, 0x1.9bc4fcp-16, -0x1.6c129ap-10, 0x1.555554p-5);
  } else {
    p = horner(z, -0x1.9071c6449c183p-37, 0x1.1eeb556e767a8p-29, -0x1.27e4fa00a5541p-22,
               0x1.a01a019f36935p-16, -0x1.6c16c16c168c4p-10, 0x1.5555555555555p-5);
  }
  const F half = constant<F>(0.5) * z;
  const F w = constant<F>(1) - half;
  const F t = ((constant<F>(1) - w) - half) + fma(z * z, p, -(high * low));
  const F c = w + t;
  return {c, (w - c) + t};
}

/// The sine of a reduced argument; the cosine is the sine one quadrant on.
template <typename F>
GN_FN F sine_of_reduced(QuarterTurns<F> r) {
  using I = int_of<F>;
  const F s = sine_of_sum(r.high, r.low).high;
  const F c = cosine_of_sum(r.high, r.low).high;
  const F v = select((r.quadrant & I(1)) != I(0), c, s);
  const I sign = (r.quadrant & I(2)) << I(static_cast<int>(sizeof(element_of<F>)) * 8 - 2);
  return bit_cast<F>(bit_cast<I>(v) ^ sign);
}

/// The tangent of a reduced argument: that of high + low, or -1 by it in an odd quadrant.
template <typename F>
GN_FN F tangent_of_reduced(QuarterTurns<F> r) {
  using I = int_of<F>;
  const auto odd = (r.quadrant & I(1)) != I(0);
  if constexpr (is_single<F>) {
    const F z = r.high * r.high;
    const F p = horner(z, 0x1.213e0ep-8, 0x1.8dfa78p-17, 0x1.65232ep-7, 0x1.5c46a0p-6,
                       0x1.bae65ap-5, 0x1.110d52p-3, 0x1.555562p-2);
    // The slope is 1 + tan^2; that 1 + z is a little less does not count beside `low`.
    const F t = fma(r.high * z, p, fma(r.low, z, r.low));
    const F tangent = r.high + t;
    const F rounded_off = (r.high - tangent) + t;
    const F inverse = constant<F>(1) / tangent;
    const F rest = fma(inverse, rounded_off, fma(inverse, tangent, constant<F>(-1)));
    return select(odd, fma(inverse, rest, -inverse), tangent);
  } else {
    const TwoFloats<F> s = sine_of_sum(r.high, r.low);
    const TwoFloats<F> c = cosine_of_sum(r.high, r.low);
    const F num = select(odd, c.high, s.high);
    const F num_low = select(odd, c.low, s.low);
    const F den = select(odd, -s.high, c.high);
    const F den_low = select(odd, -s.low, c.low);
    const F inverse = constant<F>(1) / den;
    const F q = num * inverse;
    const F rest = fma(-q, den, num) + fma(-q, den_low, num_low);
    return fma(rest, inverse, q);
  }
}

/// The fraction and the last two integer bits of |x| * 2/pi for finite |x| >= 2^16, as x reduced.
GN_COLD QuarterTurns<f64> reduce_large(f64 x) {
  // 2/pi, 32 bits a word, the highest first.
  static constexpr u32 two_over_pi[] = {
      0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
      0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu, 0xfe1deb1cu, 0xb129a73eu,
      0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u, 0x835339f4u, 0x9c845f8bu,
      0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu, 0x6d367ecfu, 0x27cb09b7u,
      0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u, 0x8a5292eau, 0x6bfb5fb1u,
      0x1f8d5d08u, 0x56033046u};
  constexpr int words = 7;
  const u64 bits = bit_cast<u64>(x) & 0x7ffffffffffffffful;
  const int exponent = static_cast<int>(bits >> 52) - 1075;  // |x| = mantissa * 2^exponent
  const u64 mantissa = (bits & 0xffffffffffffful) | 0x10000000000000ul;
  // Words whose product with x is a multiple of 4 do not matter.
  const int skipped = exponent >= 2 ? (exponent - 2) / 32 : 0;
  // product = mantissa * the window of words; one more word so that reading 32 bits at an offset
  // stays inside.
  u32 product[words + 3] = {};
  for (int half = 0; half < 2; ++half) {
    const u64 factor = half == 0 ? (mantissa & 0xfffffffful) : (mantissa >> 32);
    u64 carry = 0;
    for (int i = 0; i < words; ++i) {
      carry += factor * two_over_pi[skipped + words - 1 - i] + product[half + i];
      product[half + i] = static_cast<u32>(carry);
      carry >>= 32;
    }
    product[half + words] = static_cast<u32>(carry);
  }
  // Below bit `point` of the product is the fraction. Take the two bits above and 126 below it.
  const int point = 32 * (skipped + words) - exponent;
  const int lowest = point - 126;
  u32 top[4];  // the highest first
  for (int i = 0; i < 4; ++i) {
    const int at = lowest + 32 * (3 - i);
    const u64 pair = product[at / 32] | (static_cast<u64>(product[at / 32 + 1]) << 32);
    top[i] = static_cast<u32>(pair >> (at % 32));
  }
  i64 quadrant = static_cast<i64>(top[0] >> 30);
  top[0] &= 0x3fffffffu;
  // Fractions above a half become negative ones of the next quadrant.
  const bool up = (top[0] >> 29) != 0;
  if (up) {
    quadrant += 1;
    u64 carry = 1;
    for (int i = 3; i >= 0; --i) {
      carry += static_cast<u32>(~top[i]);
      top[i] = static_cast<u32>(carry);
      carry >>= 32;
    }
    top[0] &= 0x3fffffffu;
  }
  const f64 first = static_cast<f64>(top[0]) * 0x1p-30;
  const f64 second = static_cast<f64>(top[1]) * 0x1p-62;
  const f64 third = static_cast<f64>(top[2]) * 0x1p-94 + static_cast<f64>(top[3]) * 0x1p-126;
  const f64 sum = first + second;
  const f64 rest = (second - (sum - first)) + third;
  const f64 turn = sum + rest;
  const f64 turn_low = rest - (turn - sum);
  const f64 half_pi = 0x1.921fb54442d18p0;
  const f64 half_pi_low = 0x1.1a62633145c07p-54;
  const f64 high = turn * half_pi;
  const f64 low = fma(turn, half_pi, -high) + fma(turn, half_pi_low, turn_low * half_pi);
  const bool negative = (x < 0) != up;
  if (x < 0) quadrant = -quadrant;
  return {negative ? -high : high, negative ? -low : low, quadrant};
}

template <typename T>
GN_FN QuarterTurns<T> reduce_large_as(T x) {
  const QuarterTurns<f64> r = reduce_large(static_cast<f64>(x));
  const T high = static_cast<T>(r.high);
  const T low = static_cast<T>((r.high - static_cast<f64>(high)) + r.low);
  return {high, low, static_cast<int_of<T>>(r.quadrant)};
}

template <typename T>
GN_COLD T sine_of_large(T x, int quadrant) {
  if (!(abs(x) < infinity<T>())) return quiet_nan<T>();
  QuarterTurns<T> r = reduce_large_as(x);
  r.quadrant += quadrant;
  return sine_of_reduced(r);
}

template <typename T>
GN_COLD T tangent_of_large(T x) {
  if (!(abs(x) < infinity<T>())) return quiet_nan<T>();
  return tangent_of_reduced(reduce_large_as(x));
}

/// The sine `quadrant` quarter turns on, of a large argument.
struct SineOfLarge {
  int quadrant;
  template <typename T>
  GN_FN T operator()(T x) const {
    return sine_of_large(x, quadrant);
  }
};

struct TangentOfLarge {
  template <typename T>
  GN_FN T operator()(T x) const {
    return tangent_of_large(x);
  }
};

/// Replaces y[i] by large(x[i]) where |x[i]| > limit; out of line, so that kernels stay small.
template <typename T, typename Large>
GN_COLD void replace_beyond(const T* x, T* y, int count, T limit, Large large) {
  for (int i = 0; i < count; ++i) {
    if (abs(x[i]) > limit) y[i] = large(x[i]);
  }
}

/// `fast` where |x| <= limit, large(x) of the scalar elsewhere.
template <typename F, typename Large>
GN_FN F beyond_limit(F x, F fast, element_of<F> limit, Large large) {
  if (__builtin_expect(!any(abs(x) > splat<F>(limit)), 1)) return fast;
  if constexpr (is_scalar<F>) {
    return large(x);
  } else {
    constexpr int width = width_of<F>;
    element_of<F> arguments[width];
    element_of<F> values[width];
    store(arguments, x);
    store(values, fast);
    replace_beyond(arguments, values, width, limit, large);
    return load<F>(values);
  }
}

}  // namespace detail

/// The sine of x radians. An infinity gives NaN.
template <typename F>
GN_FN F sin(F x) {
  const F v = detail::sine_of_reduced(detail::reduce_quarter_turns(x));
  const F fast = select(x == constant<F>(0), x, v);  // keeps -0
  return detail::beyond_limit(x, fast, detail::quarter_turn_limit<F>, detail::SineOfLarge{0});
}

/// The cosine of x radians. An infinity gives NaN.
template <typename F>
GN_FN F cos(F x) {
  detail::QuarterTurns<F> r = detail::reduce_quarter_turns(x);
  r.quadrant = r.quadrant + int_of<F>(1);
  return detail::beyond_limit(x, detail::sine_of_reduced(r), detail::quarter_turn_limit<F>,
                              detail::SineOfLarge{1});
}

/// The tangent of x radians. An infinity gives NaN.
template <typename F>
GN_FN F tan(F x) {
  const F v = detail::tangent_of_reduced(detail::reduce_quarter_turns(x));
  const F fast = select(x == constant<F>(0), x, v);
  return detail::beyond_limit(x, fast, detail::quarter_turn_limit<F>, detail::TangentOfLarge{});
}

}  // namespace gn
