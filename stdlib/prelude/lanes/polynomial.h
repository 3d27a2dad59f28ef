// Polynomials by Horner's rule, and the pair of floats that carries what one float cannot.
#pragma once

#include "stdlib/prelude/lanes/lanes.h"

namespace gn {

/// Whether F's elements are float32: picks the coefficients.
template <typename F>
inline constexpr bool is_single = detail::same<element_of<F>, f32>;

/// A constant in the precision of F, in all lanes.
template <typename F>
GN_FN F constant(f64 value) {
  return splat<F>(static_cast<element_of<F>>(value));
}

namespace detail {
/// A sum of two floats that is nearer to a result than one float can be.
template <typename F>
struct TwoFloats {
  F high;
  F low;
};

template <typename F>
GN_FN F horner_step(F, F sum) {
  return sum;
}

template <typename F, typename... Lower>
GN_FN F horner_step(F x, F sum, f64 next, Lower... lower) {
  return horner_step(x, fma(sum, x, constant<F>(next)), lower...);
}
}  // namespace detail

/// The polynomial in x with these coefficients, the highest power first; one fma a step.
template <typename F, typename... Lower>
GN_FN F horner(F x, f64 highest, Lower... lower) {
  return detail::horner_step(x, constant<F>(highest), static_cast<f64>(lower)...);
}

namespace detail {
template <typename F>
GN_FN F even_odd_step(F x, F, F odd, F even) {
  return fma(odd, x, even);
}

template <typename F, typename... Lower>
GN_FN F even_odd_step(F x, F square, F other, F one, f64 next, Lower... lower) {
  return even_odd_step(x, square, one, fma(other, square, constant<F>(next)), lower...);
}
}  // namespace detail

/// The same polynomial as two of half the length in the square of x, which is given: as many steps,
/// but half as many that wait for each other.
template <typename F, typename... Lower>
GN_FN F even_odd(F x, F square, f64 highest, f64 second, Lower... lower) {
  return detail::even_odd_step(x, square, constant<F>(highest), constant<F>(second),
                               static_cast<f64>(lower)...);
}

}  // namespace gn
