// Parts of numbers and comparisons within a tolerance, as expressions of operations.
#include "stdlib/scalars/numbers.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/axes.h"
#include "stdlib/arrays/parts.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/lines/running.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Expr as_real_floats(const Arg& x, std::string_view what) {
  const Expr v = as_floats(x);
  if (is_complex(v.dtype()))
    throw TypeError(fmt::format("{}: expected real numbers, found {}", what, describe(v)));
  return v;
}

double largest_of(DType t) {
  switch (t) {
    case DType::float16: return 65504;
    case DType::bfloat16: return 0x1.fep127;
    case DType::float32: return static_cast<double>(std::numeric_limits<float>::max());
    default: return std::numeric_limits<double>::max();
  }
}

bool is_wide(const Expr& x) { return x.dtype() == DType::float64; }

}  // namespace

Expr isclose(const Arg& a, const Arg& b, double rtol, double atol, EqualNan nan) {
  const CallScope call("isclose", a.origin());
  auto [x, y] = promoted(a, b);
  x = as_floats(x), y = as_floats(y);
  Expr near = less_equal(absolute(x - y), absolute(y) * rtol + atol);
  near = logical_or(logical_and(near, isfinite(y)), equal(x, y));
  return nan == EqualNan::yes ? logical_or(near, logical_and(isnan(x), isnan(y))) : near;
}

Expr allclose(const Arg& a, const Arg& b, double rtol, double atol, EqualNan nan) {
  const CallScope call("allclose", a.origin());
  return all(isclose(a, b, rtol, atol, nan));
}

Expr array_equal(const Arg& a, const Arg& b) {
  const CallScope call("array_equal", a.origin());
  Expr x(a.value()), y(b.value());
  const Expr no = constant(0.0, DType::bool_);
  if (x.rank() != y.rank()) return no;
  // What both have is compared, and whether that is all.
  Expr alike;
  for (int k = 0; k < x.rank(); ++k) {
    const Dim m = x.dim(k), n = y.dim(k);
    if (m == n) continue;
    if (m.is_constant() && n.is_constant()) return no;
    const Expr same = equal(extent(m), extent(n));
    alike = alike.defined() ? logical_and(alike, same) : same;
    x = part_of_axis(x, k, until(min(m, n)));
    y = part_of_axis(y, k, until(min(m, n)));
  }
  const Expr equals = all(equal(x, y));
  return alike.defined() ? logical_and(alike, equals) : equals;
}

Expr array_equiv(const Arg& a, const Arg& b) {
  const CallScope call("array_equiv", a.origin());
  return all(equal(a, b));
}

Expr nan_to_num(const Arg& x, const Replacements& by) {
  const CallScope call("nan_to_num", x.origin());
  const Expr v(x.value());
  if (is_complex(v.dtype())) return complex(nan_to_num(real(v), by), nan_to_num(imag(v), by));
  if (!is_float(v.dtype())) return v;
  const double largest = largest_of(v.dtype());
  const double above = by.posinf == infinity ? largest : by.posinf;
  const double below = by.neginf == -infinity ? -largest : by.neginf;
  const Expr numbers = where(isnan(v), by.nan, v);
  return where(equal(numbers, infinity), above, where(equal(numbers, -infinity), below, numbers));
}

Expr isposinf(const Arg& x) {
  const CallScope call("isposinf", x.origin());
  return equal(x, infinity);
}

Expr isneginf(const Arg& x) {
  const CallScope call("isneginf", x.origin());
  return equal(x, -infinity);
}

Expr isreal(const Arg& x) {
  const CallScope call("isreal", x.origin());
  return equal(imag(x), 0);
}

Expr iscomplex(const Arg& x) {
  const CallScope call("iscomplex", x.origin());
  return not_equal(imag(x), 0);
}

Expr fmax(const Arg& a, const Arg& b) {
  const CallScope call("fmax", a.origin());
  return where(logical_or(greater(a, b), isnan(b)), a, b);
}

Expr fmin(const Arg& a, const Arg& b) {
  const CallScope call("fmin", a.origin());
  return where(logical_or(less(a, b), isnan(b)), a, b);
}

Expr fmod(const Arg& a, const Arg& b) {
  const CallScope call("fmod", a.origin());
  const auto [x, y] = promoted(a, b);
  if (is_float(x.dtype())) return copysign(remainder(absolute(x), absolute(y)), x);
  const Expr rest = remainder(x, y);
  const Expr has_other_sign = not_equal(less(rest, 0), less(x, 0));
  return where(logical_and(has_other_sign, not_equal(rest, 0)), rest - y, rest);
}

std::pair<Expr, Expr> divmod(const Arg& a, const Arg& b) {
  const CallScope call("divmod", a.origin());
  return {floor_divide(a, b), remainder(a, b)};
}

Expr heaviside(const Arg& x, const Arg& at_zero) {
  const CallScope call("heaviside", x.origin());
  const auto [v, z] = promoted(as_floats(x), at_zero);
  return where(isnan(v), v, where(less(v, 0), 0, where(equal(v, 0), z, 1)));
}

Expr sinc(const Arg& x) {
  const CallScope call("sinc", x.origin());
  const Expr v = as_real_floats(x, "sinc"), whole = round(v);
  const Expr sine = sin((v - whole) * std::numbers::pi);
  const Expr sign = 1.0 - remainder(whole, 2.0) * 2.0;
  const Expr is_zero = equal(v, 0);
  return where(is_zero, 1.0, sign * sine / (where(is_zero, 1.0, v) * std::numbers::pi));
}

Expr rad2deg(const Arg& x) {
  const CallScope call("rad2deg", x.origin());
  return multiply(x, 180 / std::numbers::pi);
}

Expr deg2rad(const Arg& x) {
  const CallScope call("deg2rad", x.origin());
  return multiply(x, std::numbers::pi / 180);
}

Expr float_power(const Arg& a, const Arg& b) {
  const CallScope call("float_power", a.origin());
  const auto [x, y] = promoted(a, b);
  const DType t = is_complex(x.dtype()) ? DType::complex128 : DType::float64;
  return power(cast(x, t), cast(y, t));
}

Expr logaddexp2(const Arg& a, const Arg& b) {
  const CallScope call("logaddexp2", a.origin());
  const auto [x, y] = promoted(a, b);
  return logaddexp(x * std::numbers::ln2, y * std::numbers::ln2) / std::numbers::ln2;
}

Expr around(const Arg& x, int decimals) {
  const CallScope call("around", x.origin());
  const Expr v(x.value());
  if (decimals == 0) return round(v);
  const double scale = std::pow(10.0, std::abs(decimals));
  if (is_inexact(v.dtype()))
    return decimals < 0 ? round(v / scale) * scale : round(v * scale) / scale;
  return decimals > 0 ? v : cast(round(divide(v, scale)) * scale, v.dtype());
}

Expr rint(const Arg& x) {
  const CallScope call("rint", x.origin());
  return round(as_floats(x));
}

std::pair<Expr, Expr> modf(const Arg& x) {
  const CallScope call("modf", x.origin());
  const Expr v = as_real_floats(x, "modf"), whole = trunc(v);
  return {copysign(where(isinf(v), 0, v - whole), v), whole};
}

std::pair<Expr, Expr> frexp(const Arg& x) {
  const CallScope call("frexp", x.origin());
  const Expr v = as_real_floats(x, "frexp");
  const bool wide = is_wide(v);
  const double lift = wide ? 100 : 60;
  const Expr is_plain = logical_and(isfinite(v), not_equal(v, 0));
  Expr size = where(is_plain, absolute(v), 1);
  const Expr is_tiny = less(size, wide ? 1e-300 : 1e-30);
  size = where(is_tiny, size * std::exp2(lift), size);
  // A logarithm that is off by one is mended by what it leaves; two steps do not overflow.
  Expr e = floor(log2(size)) + 1;
  const Expr half = floor(e / 2);
  Expr m = size * exp2(-half) * exp2(half - e);
  const Expr is_over = greater_equal(m, 1), is_under = less(m, 0.5);
  m = where(is_over, m * 0.5, where(is_under, m * 2, m));
  e = e + cast(is_over, v.dtype()) - cast(is_under, v.dtype()) - where(is_tiny, lift, 0.0);
  return {where(is_plain, copysign(m, v), v), cast(where(is_plain, e, 0), DType::int32)};
}

Expr ldexp(const Arg& x, const Arg& e) {
  const CallScope call("ldexp", x.origin());
  Expr y = as_real_floats(x, "ldexp"), rest(e.value());
  if (is_inexact(rest.dtype()))
    throw TypeError(fmt::format("ldexp: expected integers as exponents, found {}", describe(rest)));
  rest = clip(cast(rest, DType::int64), -4000, 4000);
  // Powers that the dtype has, and small ones first, so that a result in its range is exact.
  const int few = is_wide(y) ? 500 : y.dtype() == DType::float16 ? 10 : 60;
  const int many = is_wide(y) ? 900 : y.dtype() == DType::float16 ? 14 : 120;
  for (const int bound : {few, few, many, many}) {
    const Expr part = clip(rest, -bound, bound);
    y = y * exp2(cast(part, y.dtype()));
    rest = rest - part;
  }
  return y;
}

Expr spacing(const Arg& x) {
  const CallScope call("spacing", x.origin());
  const Expr v = as_real_floats(x, "spacing"), size = absolute(v);
  return copysign(nextafter(size, infinity) - size, v);
}

Expr bitwise_count(const Arg& x) {
  const CallScope call("bitwise_count", x.origin());
  const Expr v(x.value());
  if (!is_integer(v.dtype()))
    throw TypeError(fmt::format("bitwise_count: expected integers, found {}", describe(v)));
  const auto number = [](std::uint64_t n) { return constant(n, DType::uint64); };
  Expr bits = cast(is_signed(v.dtype()) ? absolute(v) : v, DType::uint64);
  if (const std::size_t bytes = size_of(v.dtype()); is_signed(v.dtype()) && bytes < 8)
    bits = bits & number((std::uint64_t{1} << (8 * bytes)) - 1);
  // Sums of neighbours: of pairs of bits, of fours, of eights, then of the bytes.
  for (const auto& [width, mask] : {std::pair{std::uint64_t{1}, 0x5555555555555555ull},
                                    std::pair{std::uint64_t{2}, 0x3333333333333333ull},
                                    std::pair{std::uint64_t{4}, 0x0f0f0f0f0f0f0f0full}})
    bits = (bits & number(mask)) + (right_shift(bits, number(width)) & number(mask));
  return cast(right_shift(bits * number(0x0101010101010101ull), number(56)), DType::uint8);
}

Expr packbits(const Arg& x) {
  const CallScope call("packbits", x.origin());
  const Expr line = ravel(x);
  const Dim n = line.dim(0), count = floor_div(n + 7, 8);
  const Expr set = set_at(filled({count * 8}, 0, DType::bool_), {until(n)}, not_equal(line, 0));
  const Expr bits = cast(reshape(set, {count, 8}), DType::uint8);
  return cast(sum(left_shift(bits, cast(7 - arange(Dim(8)), DType::uint8)), 1), DType::uint8);
}

Expr unpackbits(const Arg& x) {
  const CallScope call("unpackbits", x.origin());
  const Expr line = ravel(x);
  if (line.dtype() != DType::uint8)
    throw TypeError(fmt::format("unpackbits: expected uint8, found {}", describe(line)));
  const Expr places = cast(7 - arange(Dim(8)), DType::uint8);
  return ravel(right_shift(expand_dims(line, 1), places) &
               constant(std::uint64_t{1}, DType::uint8));
}

Expr unwrap(const Arg& x, std::int64_t axis, double period) {
  const CallScope call("unwrap", x.origin());
  const Expr v = as_real_floats(x, "unwrap");
  const std::int64_t at = normalize_axis(axis, v.rank(), "unwrap");
  const double half = period / 2;
  const Expr step = diff(v, 1, at);
  Expr moved = remainder(step + half, period) - half;
  moved = where(logical_and(equal(moved, -half), greater(step, 0)), half, moved);
  const Expr change = where(less(absolute(step), half), 0, moved - step);
  return concatenate(
      {part_of_axis(v, at, until(1)), part_of_axis(v, at, from(1)) + cumsum(change, at)}, at);
}

Expr positive(const Arg& x) { return Expr(x.value()); }

}  // namespace gnomon
