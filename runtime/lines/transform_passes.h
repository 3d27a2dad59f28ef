// The passes of a Fourier transform of one line (Stockham's), whose real and imaginary parts lie
// apart: vectors of processors take them so.
#pragma once

#include "runtime/float_pair.h"
#include "runtime/lines/roots.h"

namespace gnomon {

/// Real and imaginary parts of complex numbers.
template <class T>
struct Planes {
  T *re, *im;
};

/// The transform of `radix` numbers in place.
template <int radix, class T>
inline void transform_few(FloatPair<T> (&x)[radix]) {
  using C = FloatPair<T>;
  if constexpr (radix == 2) {
    const C a = x[0], b = x[1];
    x[0] = a + b, x[1] = a - b;
  } else if constexpr (radix == 3) {
    constexpr T half_root = T(0.86602540378443864676);
    const C sum = x[1] + x[2], middle = x[0] - T(0.5) * sum;
    const C side = turned_back(half_root * (x[1] - x[2]));
    x[0] = x[0] + sum, x[1] = middle + side, x[2] = middle - side;
  } else if constexpr (radix == 4) {
    const C a = x[0] + x[2], b = x[0] - x[2], c = x[1] + x[3], d = turned_back(x[1] - x[3]);
    x[0] = a + c, x[1] = b + d, x[2] = a - c, x[3] = b - d;
  } else if constexpr (radix == 5) {
    constexpr T c1 = T(0.30901699437494742410), c2 = T(-0.80901699437494742410);
    constexpr T s1 = T(0.95105651629515357212), s2 = T(0.58778525229247312917);
    const C a = x[1] + x[4], b = x[1] - x[4], c = x[2] + x[3], d = x[2] - x[3], first = x[0];
    const C near = first + c1 * a + c2 * c, far = first + c2 * a + c1 * c;
    const C by_near = turned_back(s1 * b + s2 * d), by_far = turned_back(s2 * b - s1 * d);
    x[0] = first + a + c;
    x[1] = near + by_near, x[4] = near - by_near;
    x[2] = far + by_far, x[3] = far - by_far;
  } else {
    static_assert(radix == 8);
    constexpr T half_root = T(0.70710678118654752440);
    C even[4] = {x[0], x[2], x[4], x[6]}, odd[4] = {x[1], x[3], x[5], x[7]};
    transform_few<4>(even), transform_few<4>(odd);
    const C one = odd[1], three = odd[3];
    odd[1] = {half_root * (one.re + one.im), half_root * (one.im - one.re)};
    odd[2] = turned_back(odd[2]);
    odd[3] = {half_root * (three.im - three.re), -(half_root * (three.re + three.im))};
    for (int k = 0; k < 4; ++k) x[k] = even[k] + odd[k], x[k + 4] = even[k] - odd[k];
  }
}

/// What a pass is of: lines of radix * m * s numbers, s of them side by side. Twiddles follow one
/// another, m for each of radix - 1 rows.
template <class T>
struct TransformPass {
  int64_t m, s;
  const T *twiddle_re, *twiddle_im;
};

/// y[q + s (radix p + j)] = w^(j p) * (the transform over k of x[q + s (p + m k)])[j].
template <int radix, class T>
inline void run_pass(const TransformPass<T>& pass, Planes<T> from, Planes<T> to) {
  const int64_t m = pass.m, s = pass.s;
  const T* __restrict__ xr = from.re, * __restrict__ xi = from.im;
  const T* __restrict__ wr = pass.twiddle_re, * __restrict__ wi = pass.twiddle_im;
  T* __restrict__ yr = to.re, * __restrict__ yi = to.im;
  if (s == 1) {
    for (int64_t p = 0; p < m; ++p) {
      FloatPair<T> x[radix];
      for (int k = 0; k < radix; ++k) x[k] = {xr[p + m * k], xi[p + m * k]};
      transform_few<radix>(x);
      yr[radix * p] = x[0].re, yi[radix * p] = x[0].im;
      for (int j = 1; j < radix; ++j) {
        const FloatPair<T> w{wr[(j - 1) * m + p], wi[(j - 1) * m + p]}, y = w * x[j];
        yr[radix * p + j] = y.re, yi[radix * p + j] = y.im;
      }
    }
    return;
  }
  for (int64_t p = 0; p < m; ++p) {
    FloatPair<T> w[radix];
    for (int j = 1; j < radix; ++j) w[j] = {wr[(j - 1) * m + p], wi[(j - 1) * m + p]};
    const int64_t x0 = s * p, y0 = s * radix * p, apart = s * m;
    for (int64_t q = 0; q < s; ++q) {
      FloatPair<T> x[radix];
      for (int k = 0; k < radix; ++k) x[k] = {xr[x0 + apart * k + q], xi[x0 + apart * k + q]};
      transform_few<radix>(x);
      yr[y0 + q] = x[0].re, yi[y0 + q] = x[0].im;
      for (int j = 1; j < radix; ++j) {
        const FloatPair<T> y = w[j] * x[j];
        yr[y0 + s * j + q] = y.re, yi[y0 + s * j + q] = y.im;
      }
    }
  }
}

constexpr int largest_radix = 31;

/// The same for an odd prime that has no text of its own, with its roots behind the twiddles.
template <class T>
inline void run_prime_pass(int radix, const TransformPass<T>& pass, Planes<T> from, Planes<T> to) {
  const int64_t m = pass.m, s = pass.s;
  const int half = radix / 2;
  const T *root_re = pass.twiddle_re + (radix - 1) * m,
          *root_im = pass.twiddle_im + (radix - 1) * m;
  for (int64_t p = 0; p < m; ++p)
    for (int64_t q = 0; q < s; ++q) {
      FloatPair<T> sums[largest_radix / 2 + 1], differences[largest_radix / 2 + 1];
      const int64_t at = q + s * p, apart = s * m, put = q + s * radix * p;
      const FloatPair<T> first{from.re[at], from.im[at]};
      FloatPair<T> all = first;
      for (int k = 1; k <= half; ++k) {
        const int64_t i = at + apart * k, j = at + apart * (radix - k);
        const FloatPair<T> a{from.re[i], from.im[i]}, b{from.re[j], from.im[j]};
        sums[k] = a + b, differences[k] = a - b;
        all = all + sums[k];
      }
      to.re[put] = all.re, to.im[put] = all.im;
      for (int j = 1; j <= half; ++j) {
        FloatPair<T> even = first, odd{0, 0};
        for (int k = 1, at_root = j; k <= half; ++k) {
          even = even + root_re[at_root] * sums[k];
          odd = odd + root_im[at_root] * differences[k];
          at_root += j;
          if (at_root >= radix) at_root -= radix;
        }
        const FloatPair<T> side{-odd.im, odd.re};  // i times it
        const auto write = [&](int row, FloatPair<T> x) {
          const int64_t w = (row - 1) * m + p;
          const FloatPair<T> y = FloatPair<T>{pass.twiddle_re[w], pass.twiddle_im[w]} * x;
          to.re[put + s * row] = y.re, to.im[put + s * row] = y.im;
        };
        write(j, even + side);
        write(radix - j, even - side);
      }
    }
}

template <class T>
inline void run_pass(int radix, const TransformPass<T>& pass, Planes<T> from, Planes<T> to) {
  switch (radix) {
    case 2: return run_pass<2>(pass, from, to);
    case 3: return run_pass<3>(pass, from, to);
    case 4: return run_pass<4>(pass, from, to);
    case 5: return run_pass<5>(pass, from, to);
    case 8: return run_pass<8>(pass, from, to);
    default: return run_prime_pass(radix, pass, from, to);
  }
}

}  // namespace gnomon
