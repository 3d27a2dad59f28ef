// Complex numbers of services that exported libraries have too, with the layout of std::complex.
#pragma once

#include "runtime/freestanding.h"

namespace gnomon {

template <class T>
struct FloatPair {
  T re, im;
};

template <class T>
constexpr FloatPair<T> operator+(FloatPair<T> a, FloatPair<T> b) {
  return {a.re + b.re, a.im + b.im};
}
template <class T>
constexpr FloatPair<T> operator-(FloatPair<T> a, FloatPair<T> b) {
  return {a.re - b.re, a.im - b.im};
}
template <class T>
constexpr FloatPair<T> operator*(FloatPair<T> a, FloatPair<T> b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class T>
constexpr FloatPair<T> operator*(T a, FloatPair<T> b) {
  return {a * b.re, a * b.im};
}
template <class T>
constexpr FloatPair<T> operator*(FloatPair<T> a, T b) {
  return {a.re * b, a.im * b};
}
template <class T>
constexpr FloatPair<T> operator/(FloatPair<T> a, T b) {
  return {a.re / b, a.im / b};
}
/// By Smith's method: no part overflows unless the quotient does.
template <class T>
constexpr FloatPair<T> operator/(FloatPair<T> a, FloatPair<T> b) {
  const T re = b.re < 0 ? -b.re : b.re, im = b.im < 0 ? -b.im : b.im;
  if (re >= im) {
    const T ratio = b.im / b.re, by = b.re + b.im * ratio;
    return {(a.re + a.im * ratio) / by, (a.im - a.re * ratio) / by};
  }
  const T ratio = b.re / b.im, by = b.re * ratio + b.im;
  return {(a.re * ratio + a.im) / by, (a.im * ratio - a.re) / by};
}
template <class T>
constexpr bool operator==(FloatPair<T> a, FloatPair<T> b) {
  return a.re == b.re && a.im == b.im;
}

/// -i a.
template <class T>
constexpr FloatPair<T> turned_back(FloatPair<T> a) {
  return {a.im, -a.re};
}

/// The float of T and of its complex numbers.
template <class T>
struct PartOf {
  using type = T;
};
template <class T>
struct PartOf<FloatPair<T>> {
  using type = T;
};
template <class T>
using Part = typename PartOf<T>::type;
template <class T>
inline constexpr bool is_pair = !is_same_type<T, Part<T>>;

template <class T>
constexpr Part<T> real_part(const T& x) {
  if constexpr (is_pair<T>)
    return x.re;
  else
    return x;
}

/// A real number as a T.
template <class T>
constexpr T number(Part<T> x) {
  if constexpr (is_pair<T>)
    return {x, 0};
  else
    return x;
}

/// The absolute value.
template <class T>
Part<T> magnitude(const T& x) {
  if constexpr (is_pair<T>) {
    const Part<T> a = magnitude(x.re), b = magnitude(x.im), most = greater(a, b);
    if (most == 0 || a - a != 0 || b - b != 0) return a + b;
    const Part<T> part = lesser(a, b) / most;
    if constexpr (is_same_type<Part<T>, float>)
      return most * __builtin_sqrtf(1 + part * part);
    else
      return most * __builtin_sqrt(1 + part * part);
  } else {
    return x < 0 ? -x : x;
  }
}

}  // namespace gnomon
