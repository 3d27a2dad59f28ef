// log, log2, log10 and log1p: x = 2^k (1 + f) with f between sqrt(1/2) - 1 and sqrt(2) - 1.
#pragma once

#include "lanes.h"
#include "polynomial.h"

namespace gn {

namespace detail {

/// A positive number split as 2^k (1 + f).
template <typename F>
struct LogArgument {
  F k;
  F f;
};

/// Bits of sqrt(1/2): where the significands 1 + f begin.
template <typename F>
GN_FN uint_of<F> lowest_significand() {
  if constexpr (is_single<F>) {
    return uint_of<F>(0x3f3504f3u);
  } else {
    return uint_of<F>(0x3fe6a09e667f3bcdul);
  }
}

/// The bits of x moved so that the exponent field counts from sqrt(1/2).
template <typename F>
GN_FN uint_of<F> centred_bits(F x) {
  using U = uint_of<F>;
  return static_cast<U>(bit_cast<U>(x) + (bit_cast<U>(F(1)) - lowest_significand<F>()));
}

/// The exponent k that goes with centred bits.
template <typename F>
GN_FN int_of<F> centred_exponent(uint_of<F> bits) {
  using I = int_of<F>;
  using Format = format_of<F>;
  return static_cast<I>((bit_cast<I>(bits) >> I(Format::mantissa_bits)) - I(Format::bias));
}

/// The significand 1 + f that goes with centred bits.
template <typename F>
GN_FN F centred_significand(uint_of<F> bits) {
  using U = uint_of<F>;
  const U mantissa = bits & U(static_cast<element_of<U>>(format_of<F>::mantissa_mask));
  return bit_cast<F>(static_cast<U>(mantissa + lowest_significand<F>()));
}

/// Splits x > 0, subnormal or not.
template <typename F>
GN_FN LogArgument<F> split_log_argument(F x) {
  const auto subnormal = x < constant<F>(is_single<F> ? 0x1p-126 : 0x1p-1022);
  const F lifted = x * constant<F>(is_single<F> ? 0x1p23 : 0x1p52);
  const F lift = constant<F>(is_single<F> ? -23.0 : -52.0);
  const uint_of<F> bits = centred_bits(select(subnormal, lifted, x));
  const F k = plain_cast<F>(centred_exponent<F>(bits)) + select(subnormal, lift, F(0));
  return {k, centred_significand<F>(bits) - F(1)};
}

/// log(1 + f) - f for the f of a split argument, plus `extra`, which is tiny.
template <typename F>
GN_FN F log1p_tail(F f, F extra) {
  if constexpr (is_single<F>) {
    const F q = horner(f, -0x1.3e62ap-4, 0x1.05e654p-3, -0x1.0cbbf2p-3, 0x1.22b604p-3,
                       -0x1.547fccp-3, 0x1.99a25ap-3, -0x1.00022ep-2, 0x1.55555p-2, -0x1.fffffep-2);
    return fma(f * f, q, extra);
  } else {
    // s = f / (2 + f): log(1 + f) = f - f^2/2 + s (f^2/2 + R(s^2)).
    const F s = f / (F(2) + f);
    const F z = s * s;
    const F r = z * horner(z, 0x1.2b8f625572efap-3, 0x1.39f9fa4cc2ef4p-3, 0x1.7462d5cbc118fp-3,
                           0x1.c71c6275c2b0bp-3, 0x1.2492492e41ad7p-2, 0x1.99999999950bp-2,
                           0x1.5555555555558p-1);
    const F half_square = F(0.5) * f * f;
    return fma(s, half_square + r, extra) - half_square;
  }
}

/// k ln 2 + log(1 + f).
template <typename F>
GN_FN F natural_log(LogArgument<F> a) {
  if constexpr (is_single<F>) {
    const F low = fma(a.k, constant<F>(-0x1.05c610p-29), a.f);
    return fma(a.k, constant<F>(0x1.62e430p-1), log1p_tail(a.f, low));
  } else {
    const F low = a.k * constant<F>(0x1.ef35793c76730p-45);
    return fma(a.k, constant<F>(0x1.62e42fefa3800p-1), a.f + log1p_tail(a.f, low));
  }
}

/// k * unit + log(1 + f) * slope, each constant in two parts; k * unit_high is exact.
template <typename F>
GN_FN F scaled_log(LogArgument<F> a, F unit_high, F unit_low, F slope_high, F slope_low) {
  const F high = a.f * slope_high;
  const F rounded_off = fma(a.f, slope_high, -high) + a.f * slope_low;
  const F low = fma(log1p_tail(a.f, F(0)), slope_high, fma(a.k, unit_low, rounded_off));
  const F whole = a.k * unit_high;
  const F sum = whole + high;
  return sum + ((high - (sum - whole)) + low);
}

/// The logarithm `value` of x > 0 completed for zero, negative numbers, infinity and NaN.
template <typename F>
GN_FN F complete_log(F x, F value) {
  const F r = select(x < infinity<F>(), value, x);
  return select(x > F(0), r, select(x == F(0), -infinity<F>(), quiet_nan<F>()));
}

/// log(1 + x) + more * ln 2 for x > -1; `more` may be other than 0 only where x is above 2^60.
template <typename F>
GN_FN F log1p_scaled(F x, F more) {
  using I = int_of<F>;
  const uint_of<F> bits = centred_bits(F(1) + x);
  const I k = centred_exponent<F>(bits);
  const F down =
      bit_cast<F>(static_cast<I>((I(format_of<F>::bias) - k) << I(format_of<F>::mantissa_bits)));
  // From the first k on, the 1 no longer counts, and 2^-k would soon be subnormal.
  const F f = select(k > I(is_single<F> ? 30 : 60), centred_significand<F>(bits) - F(1),
                     fma(x, down, down - F(1)));
  return natural_log(LogArgument<F>{plain_cast<F>(k) + more, f});
}

}  // namespace detail

/// The natural logarithm.
template <typename F>
GN_FN F log(F x) {
  return detail::complete_log(x, detail::natural_log(detail::split_log_argument(x)));
}

/// The logarithm to base 2, exact for powers of 2.
template <typename F>
GN_FN F log2(F x) {
  const F low = constant<F>(is_single<F> ? 0x1.4ae0bf85ddf44p-26 : 0x1.777d0ffda0d24p-56);
  const F high = constant<F>(is_single<F> ? 0x1.715476p0 : 0x1.71547652b82fep0);
  const detail::LogArgument<F> a = detail::split_log_argument(x);
  return detail::complete_log(x, detail::scaled_log(a, F(1), F(0), high, low));
}

/// The logarithm to base 10.
template <typename F>
GN_FN F log10(F x) {
  const detail::LogArgument<F> a = detail::split_log_argument(x);
  F value;
  if constexpr (is_single<F>) {
    value = detail::scaled_log(
        a, constant<F>(0x1.3442000000000p-2), constant<F>(-0x1.95ec100000000p-19),
        constant<F>(0x1.bcb7b20000000p-2), constant<F>(-0x1.5b235e0000000p-27));
  } else {
    value =
        detail::scaled_log(a, constant<F>(0x1.34413509f7800p-2), constant<F>(0x1.fef311f12b358p-46),
                           constant<F>(0x1.bcb7b1526e50ep-2), constant<F>(0x1.95355baaafad3p-57));
  }
  return detail::complete_log(x, value);
}

/// log(1 + x), accurate near 0.
template <typename F>
GN_FN F log1p(F x) {
  const F value = detail::log1p_scaled(x, F(0));
  const F r = select(x < infinity<F>(), value, x);
  const F at_or_below = select(x == F(-1), -infinity<F>(), quiet_nan<F>());
  return select(x == F(0), x, select(x > F(-1), r, at_or_below));
}

}  // namespace gn
