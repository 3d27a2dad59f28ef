// Elementwise functions that are expressions of operations: parts of numbers, comparisons within a
// tolerance, and NumPy's further names. Operands broadcast.
#pragma once

#include <limits>
#include <utility>

#include "stdlib/ops.h"

namespace gnomon {

/// Whether NaN is close to NaN.
enum class EqualNan : bool { no, yes };
/// Whether |a - b| <= atol + rtol |b|; infinities are close to themselves, NaN if `nan` says so.
Expr isclose(const Arg& a, const Arg& b, double rtol = 1e-5, double atol = 1e-8,
             EqualNan nan = EqualNan::no);
/// Whether all elements are close.
Expr allclose(const Arg& a, const Arg& b, double rtol = 1e-5, double atol = 1e-8,
              EqualNan nan = EqualNan::no);
/// Whether two arrays have one shape and equal elements.
Expr array_equal(const Arg& a, const Arg& b);
/// Whether all elements of two arrays that broadcast are equal.
Expr array_equiv(const Arg& a, const Arg& b);

/// What `nan_to_num` puts in the place of NaN, inf and -inf.
struct Replacements {
  double nan = 0;                                            ///< for NaN
  double posinf = std::numeric_limits<double>::infinity();   ///< for inf; itself: the largest
  double neginf = -std::numeric_limits<double>::infinity();  ///< for -inf; itself: the smallest
};
/// x with NaN, inf and -inf replaced: by 0 and the largest and smallest finite numbers of the dtype
/// unless others are given. Of complex numbers either part.
Expr nan_to_num(const Arg& x, const Replacements& by = {});
/// Whether x is inf, or -inf.
Expr isposinf(const Arg& x);
Expr isneginf(const Arg& x);
/// Whether the imaginary part is 0, or is not.
Expr isreal(const Arg& x);
Expr iscomplex(const Arg& x);

/// The larger, or smaller, of two; the number if one is NaN.
Expr fmax(const Arg& a, const Arg& b);
Expr fmin(const Arg& a, const Arg& b);
/// a - b trunc(a / b), with the sign of a; of integers 0 where b is 0.
Expr fmod(const Arg& a, const Arg& b);
/// floor_divide(a, b) and remainder(a, b).
std::pair<Expr, Expr> divmod(const Arg& a, const Arg& b);
/// 0 where x < 0, `at_zero` where it is 0, 1 where it is greater, NaN where it is NaN.
Expr heaviside(const Arg& x, const Arg& at_zero);
/// sin(pi x) / (pi x), and 1 at 0; to the last digits also near whole numbers.
Expr sinc(const Arg& x);
/// Degrees of an angle in radians, radians of one in degrees.
Expr rad2deg(const Arg& x);
Expr deg2rad(const Arg& x);
/// a^b in float64 or complex128.
Expr float_power(const Arg& a, const Arg& b);
/// log2(2^a + 2^b), without overflow.
Expr logaddexp2(const Arg& a, const Arg& b);

/// The nearest multiple of 10^-decimals, half to even: `round` for 0.
Expr around(const Arg& x, int decimals = 0);
/// The nearest integer, half to even, as a float; of complex numbers of both parts.
Expr rint(const Arg& x);
/// The part behind the point and the part before it, both with the sign of x.
std::pair<Expr, Expr> modf(const Arg& x);
/// The mantissa, of a magnitude in [0.5, 1), and the exponent (int32) with x = m 2^e; 0 of 0,
/// infinities and NaN.
std::pair<Expr, Expr> frexp(const Arg& x);
/// x 2^e for integers e, without an overflow in between. TypeError for other e.
Expr ldexp(const Arg& x, const Arg& e);
/// The distance from x to the next number of the dtype away from 0, with the sign of x.
Expr spacing(const Arg& x);
/// How many bits of |x| are 1: uint8. TypeError for floats and bools.
Expr bitwise_count(const Arg& x);
/// Eight elements of a vector, 0 or not, as the bits of a uint8, the first as the highest; zeros
/// fill the last. And the bits of a vector of uint8 as eight elements each (uint8). TypeError for
/// another dtype there.
Expr packbits(const Arg& x);
Expr unpackbits(const Arg& x);
/// x with multiples of the period added along an axis, so that neighbours are no more than half of
/// it apart.
Expr unwrap(const Arg& x, std::int64_t axis = -1, double period = 6.283185307179586);

/// x itself.
Expr positive(const Arg& x);
/// The functions under the other names that NumPy and the Array API have for them.
inline Expr acos(const Arg& x) { return arccos(x); }
inline Expr acosh(const Arg& x) { return arccosh(x); }
inline Expr asin(const Arg& x) { return arcsin(x); }
inline Expr asinh(const Arg& x) { return arcsinh(x); }
inline Expr atan(const Arg& x) { return arctan(x); }
inline Expr atanh(const Arg& x) { return arctanh(x); }
inline Expr atan2(const Arg& y, const Arg& x) { return arctan2(y, x); }
inline Expr fabs(const Arg& x) { return absolute(x); }
inline Expr fix(const Arg& x) { return trunc(x); }
inline Expr degrees(const Arg& x) { return rad2deg(x); }
inline Expr radians(const Arg& x) { return deg2rad(x); }
inline Expr conjugate(const Arg& x) { return conj(x); }
inline Expr invert(const Arg& x) { return bitwise_not(x); }
inline Expr bitwise_invert(const Arg& x) { return bitwise_not(x); }
inline Expr mod(const Arg& a, const Arg& b) { return remainder(a, b); }
inline Expr true_divide(const Arg& a, const Arg& b) { return divide(a, b); }
inline Expr bitwise_left_shift(const Arg& a, const Arg& b) { return left_shift(a, b); }
inline Expr bitwise_right_shift(const Arg& a, const Arg& b) { return right_shift(a, b); }
inline Expr amax(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no) {
  return max(x, axes, keep);
}
inline Expr amin(const Arg& x, const Axes& axes = {}, Keepdims keep = Keepdims::no) {
  return min(x, axes, keep);
}

}  // namespace gnomon
