// Variates that take rejection, from Philox's blocks: each try of an element has a block of its
// own, so lanes do not depend on their neighbours. Lanes that are done wait for the others.
#pragma once

#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/prelude/lanes/polynomial.h"
#include "stdlib/prelude/random/philox.h"
#include "stdlib/prelude/special/inverse_erf.h"

namespace gn {

namespace detail {

constexpr int most_tries = 255;  // each is taken with a probability of more than 1/2

/// What the tries of an element are made from. `position` is below 2^48 but for its highest byte,
/// which tells apart the parts of a draw; the number of the try comes between.
template <typename U>
struct Tries {
  U key, counter, position;
  /// The bits of try number `n`: two words of 64 bits.
  GN_FN void take(int n, U& first, U& second) const {
    const auto x = philox(key, counter, static_cast<U>(position + U(static_cast<u64>(n) << 48)));
    first = x.a | (x.b << U(32));
    second = x.c | (x.d << U(32));
  }
};

/// A multiple of 2^-53 between 0 and 1, neither of them.
template <typename D, typename U>
GN_FN D open_uniform(U bits) {
  const auto whole = plain_cast<D>(bit_cast<with_element<U, i64>>(static_cast<U>(bits >> U(12))));
  return (whole + D(0.5)) * D(0x1p-52);
}

/// A standard normal variable by inversion of each tail; the lowest bit decides which.
template <typename D, typename U>
GN_FN D normal_variate(U bits) {
  const auto whole = plain_cast<D>(bit_cast<with_element<U, i64>>(static_cast<U>(bits >> U(1))));
  const D y = erfcinv((whole + D(0.5)) * D(0x1p-63)) * D(0x1.6a09e667f3bcdp0);
  return select(to_mask((bits & U(1)) != U(0)), y, -y);
}

/// log k! - ((k + 1/2) log(k + 1) - (k + 1) + log(2 pi) / 2), for whole k >= 0.
template <typename D>
GN_FN D factorial_rest(D k) {
  const D r = D(1) / (k + D(1));
  const D series = r * horner(r * r, 0x1.b951e2b18ff23p-11, -0x1.3813813813814p-11,
                              0x1.a01a01a01a01ap-11, -0x1.6c16c16c16c17p-9, 0x1.5555555555555p-4);
  D value = select(to_mask(k < D(0.5)), D(0x1.4c071bcda0a5bp-4), series);
  value = select(to_mask(k == D(1)), D(0x1.52a9b923ea649p-5), value);
  value = select(to_mask(k == D(2)), D(0x1.c579a268d80b3p-6), value);
  return select(to_mask(k == D(3)), D(0x1.54a2662fd78a9p-6), value);
}

/// log k! for whole k >= 0.
template <typename D>
GN_FN D log_factorial(D k) {
  const D next = k + D(1);
  return fma(k + D(0.5), log(next), D(0x1.d67f1c864beb5p-1) + factorial_rest(k)) - next;
}

}  // namespace detail

/// A uniform integer below `range`, without bias (Lemire 2019, "Fast random integer generation in
/// an interval"); any 64 bits for a range of 0.
template <typename U>
GN_FN U random_below(U key, U counter, U position, U range) {
  using detail::low_word;
  const U initial = philox64(key, counter, position);
  U bits = initial;
  U high = U(0);
  const U low_range = low_word(range), high_range = range >> U(32);
  // 2^64 mod range is what a product's low half must reach.
  const auto bounded = to_mask(range != U(0));
  auto open = bounded;
  for (int n = 1;; ++n) {
    const U a = low_word(bits), b = bits >> U(32);
    const U p = a * low_range, q = b * low_range, r = a * high_range;
    const U middle = (p >> U(32)) + low_word(q) + low_word(r);
    const U product = b * high_range + (q >> U(32)) + (r >> U(32)) + (middle >> U(32));
    high = select(open, product, high);
    const U low = bits * range;
    open = both(open, to_mask(low < range));
    if (!any(open)) break;
    const U least =
        detail::floored_division(static_cast<U>(U(0) - range), select(bounded, range, U(1)))
            .remainder;
    open = both(open, to_mask(low < least));
    if (!any(open) || n > detail::most_tries) break;
    U other;
    detail::Tries<U>{key, counter, position}.take(n, bits, other);
  }
  return select(bounded, high, initial);
}

/// A gamma variable of shape >= 1 (Marsaglia, Tsang 2000, "A simple method for generating gamma
/// variables").
template <typename U, typename D>
GN_FN D random_gamma(U key, U counter, U position, D shape) {
  const D d = shape - D(0x1.5555555555555p-2);
  const D c = D(1) / sqrt(D(9) * d);
  D result = shape;
  auto open = to_mask((shape >= D(1)) & (shape < infinity<D>()));
  result = select(to_mask(shape >= D(1)), result, quiet_nan<D>());
  for (int n = 0; any(open) && n <= detail::most_tries; ++n) {
    U first, second;
    detail::Tries<U>{key, counter, position}.take(n, first, second);
    const D z = detail::normal_variate<D>(first);
    const D u = detail::open_uniform<D>(second);
    const D t = fma(c, z, D(1));
    const D v = t * t * t;
    const auto inside = to_mask(t > D(0));
    const D bound = fma(D(0.5) * z, z, d * (D(1) - v + log(select(inside, v, D(1)))));
    const auto taken = both(both(open, inside), to_mask(log(u) < bound));
    result = select(taken, d * v, result);
    open = both(open, logical_not(taken));
  }
  return result;
}

namespace detail {

/// Poisson of a mean below 10: the first k whose distribution function reaches u.
template <typename D, typename M>
GN_FN D small_poisson(M wanted, D mean, D u) {
  D k = D(0);
  D p = exp(-mean);
  auto open = both(wanted, to_mask(u > p));
  for (int n = 1; any(open) && n < 128; ++n) {
    u = select(open, u - p, u);
    k = select(open, D(static_cast<f64>(n)), k);
    p = p * (mean * D(1.0 / static_cast<f64>(n)));
    open = both(open, to_mask(u > p));
  }
  return k;
}

}  // namespace detail

/// A Poisson variable, whole: by search below a mean of 10, from there by transformed rejection
/// (Hoermann 1993, "The transformed rejection method for generating Poisson random variables",
/// PTRS). NaN unless 0 <= mean < inf.
template <typename U, typename D>
GN_FN D random_poisson(U key, U counter, U position, D mean) {
  const detail::Tries<U> tries{key, counter, position};
  U first, second;
  tries.take(0, first, second);
  const auto valid = to_mask((mean >= D(0)) & (mean < infinity<D>()));
  auto open = both(valid, to_mask(mean >= D(10)));
  const auto few = both(valid, to_mask(mean < D(10)));
  D result = select(valid, D(0), quiet_nan<D>());
  if (any(few))
    result = select(
        few, detail::small_poisson(few, select(few, mean, D(1)), detail::open_uniform<D>(first)),
        result);
  if (!any(open)) return result;
  const D m = select(open, mean, D(10));
  const D root = sqrt(m);
  const D b = fma(D(2.53), root, D(0.931));
  const D a = fma(D(0.02483), b, D(-0.059));
  const D inverse_alpha = D(1.1239) + D(1.1328) / (b - D(3.4));
  const D quick = D(0.9277) - D(3.6224) / (b - D(2));
  for (int n = 0; any(open) && n <= detail::most_tries; ++n) {
    if (n > 0) tries.take(n, first, second);
    const D u = detail::open_uniform<D>(first) - D(0.5);
    const D v = detail::open_uniform<D>(second);
    const D us = D(0.5) - abs(u);
    const D k = floor((D(2) * a / us + b) * u + m + D(0.43));
    auto taken = to_mask((us >= D(0.07)) & (v <= quick));
    const auto possible = to_mask((k >= D(0)) & ((us >= D(0.013)) | (v <= us)));
    const D next = select(possible, k, D(0)) + D(1);
    // log of v against that of the density, by Stirling's formula: no large terms cancel.
    const D left = log(v * inverse_alpha / (a / (us * us) + b));
    const D right = (next - m) - (next - D(0.5)) * log1p((next - m) / m) - D(0.5) * log(m) -
                    D(0x1.d67f1c864beb5p-1) - detail::factorial_rest(next - D(1));
    taken = either(taken, both(possible, to_mask(left <= right)));
    taken = both(taken, open);
    result = select(taken, k, result);
    open = both(open, logical_not(taken));
  }
  return result;
}

/// A binomial variable, whole: by search for n min(p, 1 - p) < 10, from there by transformed
/// rejection (Hoermann 1993, "The generation of binomial random variates", BTRS). NaN unless
/// n >= 0 and 0 <= p <= 1.
template <typename U, typename D>
GN_FN D random_binomial(U key, U counter, U position, D count, D probability) {
  const detail::Tries<U> tries{key, counter, position};
  U first, second;
  tries.take(0, first, second);
  const auto upper = to_mask(probability > D(0.5));
  const D p = select(upper, D(1) - probability, probability);
  const D mean = count * p;
  const auto valid = to_mask((count >= D(0)) & (count < infinity<D>()) & (p >= D(0)));
  auto open = both(valid, to_mask(mean >= D(10)));
  const auto few = both(valid, to_mask(mean < D(10)));
  D result = select(valid, D(0), quiet_nan<D>());
  if (any(few)) {
    const D s = select(few, p, D(0));
    const D size = select(few, count, D(0));
    const D odds = s / (D(1) - s);
    D u = detail::open_uniform<D>(first);
    D mass = exp(size * log1p(-s));
    D k = D(0);
    auto more = both(few, to_mask(u > mass));
    for (int n = 1; any(more) && n < 128; ++n) {
      const D at = D(static_cast<f64>(n));
      u = u - mass;
      more = both(more, to_mask(at <= size));
      k = select(more, at, k);
      mass = mass * (odds * (size - at + D(1)) * D(1.0 / static_cast<f64>(n)));
      more = both(more, to_mask(u > mass));
    }
    result = select(few, k, result);
  }
  if (any(open)) {
    const D n = select(open, count, D(20));
    const D s = select(open, p, D(0.5));
    const D q = D(1) - s;
    const D deviation = sqrt(n * s * q);
    const D b = fma(D(2.53), deviation, D(1.15));
    const D a = D(-0.0873) + D(0.0248) * b + D(0.01) * s;
    const D c = fma(n, s, D(0.5));
    const D quick = D(0.92) - D(4.2) / b;
    const D alpha = (D(2.83) + D(5.1) / b) * deviation;
    const D odds = s / q;
    const D mode = floor((n + D(1)) * s);
    const D at_mode = (mode + D(0.5)) * log((mode + D(1)) / (odds * (n - mode + D(1)))) +
                      detail::factorial_rest(mode) + detail::factorial_rest(n - mode);
    for (int i = 0; any(open) && i <= detail::most_tries; ++i) {
      if (i > 0) tries.take(i, first, second);
      const D u = detail::open_uniform<D>(first) - D(0.5);
      const D v = detail::open_uniform<D>(second);
      const D us = D(0.5) - abs(u);
      const D k = floor((D(2) * a / us + b) * u + c);
      auto taken = to_mask((us >= D(0.07)) & (v <= quick));
      const auto possible = to_mask((k >= D(0)) & (k <= n));
      const D x = select(possible, k, mode);
      const D left = log(v * alpha / (a / (us * us) + b));
      const D right = at_mode + (n + D(1)) * log((n - mode + D(1)) / (n - x + D(1))) +
                      (x + D(0.5)) * log(odds * (n - x + D(1)) / (x + D(1))) -
                      detail::factorial_rest(x) - detail::factorial_rest(n - x);
      taken = either(taken, both(possible, to_mask(left <= right)));
      taken = both(taken, open);
      result = select(taken, k, result);
      open = both(open, logical_not(taken));
    }
  }
  return select(upper, count - result, result);
}

/// How many of `sample` things drawn from `good` and `bad` ones are good, whole: one by one for
/// fewer than ten, else by the ratio of uniforms (Stadlober 1989, HRUA). NaN where the sample is
/// larger than all, or one is negative.
template <typename U, typename D>
GN_FN D random_hypergeometric(U key, U counter, U position, D good, D bad, D sample) {
  const detail::Tries<U> tries{key, counter, position};
  const D total = good + bad;
  const auto valid = to_mask((good >= D(0)) & (bad >= D(0)) & (sample >= D(0)) & (sample <= total));
  const D others = total - sample;
  const D m = select(to_mask(others < sample), others, sample);
  const auto few = both(valid, to_mask(m < D(10)));
  auto open = both(valid, to_mask(m >= D(10)));
  D count = select(valid, D(0), quiet_nan<D>());
  U first, second;
  if (any(few)) {
    D left = select(few, good, D(0)), all = select(few, total, D(1));
    D taken = D(0);
    for (int i = 0; i < 10; ++i) {
      const auto drawn = both(few, to_mask(D(static_cast<f64>(i)) < m));
      tries.take(i, first, second);
      const auto hit = both(drawn, to_mask(detail::open_uniform<D>(first) * all < left));
      taken = select(hit, taken + D(1), taken);
      left = select(hit, left - D(1), left);
      all = select(drawn, all - D(1), all);
    }
    count = select(few, taken, count);
  }
  if (any(open)) {
    const D g = select(open, good, D(20)), b = select(open, bad, D(20));
    const D s = select(open, m, D(10)), n = g + b;
    const auto swapped = to_mask(g > b);
    const D least = select(swapped, b, g), most = select(swapped, g, b);
    const D share = least / n;
    const D center = fma(s, share, D(0.5));
    const D deviation = sqrt((n - s) * s * share * (D(1) - share) / (n - D(1)) + D(0.5));
    const D width = fma(D(1.7155277699214135), deviation, D(0.8989161620588988));
    const D mode = floor((s + D(1)) * (least + D(1)) / (n + D(2)));
    const auto weight = [&](D x) {
      return detail::log_factorial(x) + detail::log_factorial(least - x) +
             detail::log_factorial(s - x) + detail::log_factorial(most - s + x);
    };
    const D at_mode = weight(mode);
    const D last = select(to_mask(s < least), s, least) + D(1);
    const D far = floor(fma(D(16), deviation, center));
    const D end = select(to_mask(far < last), far, last);
    D chosen = mode;
    for (int i = 0; any(open) && i <= detail::most_tries; ++i) {
      tries.take(i, first, second);
      const D x = detail::open_uniform<D>(first), y = detail::open_uniform<D>(second);
      const D w = center + width * (y - D(0.5)) / x;
      const auto possible = to_mask((w >= D(0)) & (w < end));
      const D z = select(possible, floor(w), mode);
      const D ratio = at_mode - weight(z);
      const auto taken = both(both(open, possible), to_mask(D(2) * log(x) <= ratio));
      chosen = select(taken, z, chosen);
      open = both(open, logical_not(taken));
    }
    const D z = select(swapped, s - chosen, chosen);
    count = select(both(valid, to_mask(m >= D(10))), z, count);
  }
  // Of those that are left when more than half are drawn.
  return select(to_mask(others < sample), good - count, count);
}

/// A von Mises variable around 0, in [-pi, pi] (Best, Fisher 1979, "Efficient simulation of the von
/// Mises distribution"). NaN unless concentration >= 0.
template <typename U, typename D>
GN_FN D random_vonmises(U key, U counter, U position, D concentration) {
  const detail::Tries<U> tries{key, counter, position};
  const D pi = D(0x1.921fb54442d18p1);
  U first, second;
  tries.take(0, first, second);
  const D kappa = concentration;
  const auto valid = to_mask(kappa >= D(0));
  const D flat = pi * (D(2) * detail::open_uniform<D>(first) - D(1));
  // Below, the density is flat to the last bit; above, it is normal to the last bit.
  const auto tiny = to_mask(kappa < D(1e-8));
  const auto huge = to_mask(kappa > D(1e6));
  const D wide = detail::normal_variate<D>(second) / sqrt(select(huge, kappa, D(1)));
  D result = select(tiny, flat, select(huge, clip(wide, -pi, pi), quiet_nan<D>()));
  auto open = both(valid, logical_not(either(tiny, huge)));
  if (!any(open)) return select(valid, result, quiet_nan<D>());
  const D k = select(open, kappa, D(1));
  const D root = D(1) + sqrt(fma(D(4) * k, k, D(1)));
  const D rho = (root - sqrt(D(2) * root)) / (D(2) * k);
  const D s = select(to_mask(k < D(1e-5)), D(1) / k + k, (D(1) + rho * rho) / (D(2) * rho));
  for (int n = 0; any(open) && n <= detail::most_tries; ++n) {
    if (n > 0) tries.take(n, first, second);
    // The angle's sign is the lowest bit, which the uniform number does not use.
    const D z = cos(pi * detail::open_uniform<D>(first));
    const D w = (D(1) + s * z) / (s + z);
    const D y = k * (s - w);
    const D v = detail::open_uniform<D>(second);
    auto taken =
        either(to_mask(y * (D(2) - y) - v >= D(0)), to_mask(log(y / v) + D(1) - y >= D(0)));
    taken = both(taken, open);
    const D angle = arccos(clip(w, D(-1), D(1)));
    result = select(taken, select(to_mask((first & U(1)) != U(0)), angle, -angle), result);
    open = both(open, logical_not(taken));
  }
  return select(valid, result, quiet_nan<D>());
}

/// A Zipf variable of an exponent > 1, whole (Devroye 1986, "Non-uniform random variate
/// generation", X.6.1). NaN for other exponents.
template <typename U, typename D>
GN_FN D random_zipf(U key, U counter, U position, D exponent) {
  const detail::Tries<U> tries{key, counter, position};
  auto open = to_mask(exponent > D(1));
  D result = select(open, D(1), quiet_nan<D>());
  // From here on 2^-(a - 1) is below the distance of numbers near 1.
  open = both(open, to_mask(exponent < D(1025)));
  const D a = select(open, exponent, D(2)) - D(1);
  const D b = exp2(a);
  const D least = exp2(D(-63) * a);  // of the numbers whose powers are below 2^63
  for (int n = 0; any(open) && n <= detail::most_tries; ++n) {
    U first, second;
    tries.take(n, first, second);
    const D part = detail::open_uniform<D>(first);
    const D u = fma(part, least, D(1) - part);
    const D v = detail::open_uniform<D>(second);
    const D x = floor(exp(-log(u) / a));
    const auto possible = to_mask((x >= D(1)) & (x < D(0x1p63)));
    const D y = select(possible, x, D(1));
    const D t = exp(a * log1p(D(1) / y));
    auto taken = to_mask(v * y * (t - D(1)) / (b - D(1)) <= t / b);
    taken = both(both(taken, possible), open);
    result = select(taken, x, result);
    open = both(open, logical_not(taken));
  }
  return result;
}

}  // namespace gn
