// Arithmetic: sums, products, quotients, powers, rounding, extrema of two numbers.
#include "stdlib/prelude/lanes/arithmetic.h"
#include "stdlib/ops.h"
#include "stdlib/prelude/elementary/gcd.h"
#include "stdlib/prelude/elementary/power.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// What is computed of floats of 16 bits is float32, whose neighbours are others.
std::vector<Type> neighbour_type(TypeContext& context) {
  if (is_half(context.type(0).dtype))
    context.fail("expected float32 or float64, found " + describe(context.operands[0]));
  return elementwise_float_type(context);
}

Expr one_like(const Expr& x) { return constant(1.0, x.dtype()); }
Expr minus_one_like(const Expr& x) { return constant(-1.0, x.dtype()); }

// Products of all factors but one, for each: prefix times suffix, so k factors cost 3k products.
Exprs products_of_others(const std::vector<Expr>& x) {
  const std::size_t n = x.size();
  Exprs others(n);
  Expr before, after;
  for (std::size_t i = 0; i < n; ++i) {
    others[i] = before;
    before = before.defined() ? before * x[i] : x[i];
  }
  for (std::size_t i = n; i-- > 0;) {
    if (after.defined()) others[i] = others[i].defined() ? others[i] * after : after;
    after = after.defined() ? x[i] * after : x[i];
  }
  return others;
}

// The power rule, with 0 * inf kept out: x^0 and a base of 0 have finite derivatives.
Exprs power_partials(const Partials& p) {
  const Expr &x = p.x[0], &a = p.x[1];
  if (const auto c = constant_value(a)) {
    if (*c == 0) return {Expr(), Expr()};
    if (*c == 1) return {one_like(x), Expr()};
    if (*c == 2) return {2 * x, Expr()};
    return {a * power(x, constant(*c - 1, x.dtype())), Expr()};
  }
  const Expr by_base = where(equal(a, 0), 0, a * power(x, where(equal(a, 0), 1, a - 1)));
  const Expr by_exponent = p.y * log(where(equal(x, 0), 1, x));
  return {by_base, by_exponent};
}

// Ties share the derivative evenly.
Exprs extremum_partials(const Partials& p, const Expr& first_wins) {
  const DType t = p.y.dtype();
  const Expr first = where(equal(p.x[0], p.x[1]), constant(0.5, t), indicator(first_wins, t));
  return {first, 1 - first};
}

Exprs fma_partials(const Partials& p) { return {p.x[1], p.x[0], one_like(p.y)}; }

// The bounds belong to the inner interval; where low > high the result is high.
Exprs clip_partials(const Partials& p) {
  const Expr &x = p.x[0], &low = p.x[1], &high = p.x[2];
  const DType t = p.y.dtype();
  const Expr inside = logical_and(less_equal(low, x), less_equal(x, high));
  const Expr at_low = logical_and(less(x, low), less_equal(low, high));
  const Expr at_high = logical_and(less(high, x), less_equal(low, high));
  return {indicator(inside, t), indicator(at_low, t),
          indicator(logical_or(at_high, less(high, low)), t)};
}

Exprs hypot_partials(const Partials& p) {
  const Expr safe = where(equal(p.y, 0), 1, p.y);
  return {p.x[0] / safe, p.x[1] / safe};
}

// The operand's type, or that of the parts of complex numbers.
std::vector<Type> magnitude_type(TypeContext& context) {
  std::vector<Type> types = numeric_type(context);
  types[0].dtype = part_of(types[0].dtype);
  return types;
}

}  // namespace

constinit const Op op::add{
    .name = "add",
    .doc = "Sum of the operands; integers wrap, bools are joined by or.",
    .operands = -1,
    .at_least = 2,
    .type = elementwise_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative, Trait::associative},
    .scalar = {"gn::add", "arithmetic.h", "+", GNOMON_HOST(all, 2, add), 1},
    .partials = [](const Partials& p) { return Exprs(p.x.size(), one_like(p.y)); },
    .ulp = {0.5, 0.5}};

constinit const Op op::multiply{
    .name = "multiply",
    .doc = "Product of the operands; integers wrap, bools are joined by and.",
    .operands = -1,
    .at_least = 2,
    .type = elementwise_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative, Trait::associative},
    .scalar = {"gn::multiply", "arithmetic.h", "*", GNOMON_HOST(all, 2, multiply), 1},
    .partials = [](const Partials& p) { return products_of_others(p.x); },
    .ulp = {0.5, 0.5}};

constinit const Op op::subtract{
    .name = "subtract",
    .doc = "Difference x - y; integers wrap.",
    .operands = 2,
    .type = numeric_type,
    .promotion = Promotion::common,
    .scalar = {"gn::subtract", "arithmetic.h", "-", GNOMON_HOST(numbers, 2, subtract), 1},
    .partials = [](const Partials& p) { return Exprs{one_like(p.y), minus_one_like(p.y)}; },
    .ulp = {0.5, 0.5}};

constinit const Op op::divide{
    .name = "divide",
    .doc = "Quotient x / y; the true quotient, in float64, for integers.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::divide", "arithmetic.h", "/", GNOMON_HOST(floats, 2, divide), 4},
    .partials = [](const Partials& p) { return Exprs{1 / p.x[1], -p.y / p.x[1]}; },
    .ulp = {0.5, 0.5}};

constinit const Op op::negative{
    .name = "negative",
    .doc = "-x; integers wrap.",
    .type = numeric_type,
    .traits = {Trait::involution, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::negative", "arithmetic.h", "-", GNOMON_HOST(numbers, 1, negative), 1},
    .partials = [](const Partials& p) { return Exprs{minus_one_like(p.y)}; }};

constinit const Op op::absolute{
    .name = "absolute",
    .doc =
        "Magnitude |x|, real for complex x; the most negative integer stays itself. Derivative 0 "
        "at 0.",
    .type = magnitude_type,
    .traits = {Trait::idempotent, Trait::preserves_zero, Trait::even, Trait::non_negative},
    .scalar = {"gn::absolute", "arithmetic.h", "", GNOMON_HOST(numbers, 1, absolute), 1},
    .partials = [](const Partials& p) { return Exprs{gnomon::sign(p.x[0])}; }};

constinit const Op op::sign{
    .name = "sign",
    .doc = "-1, 0 or 1 as x is below, at or above 0, x / |x| for complex x; NaN for NaN.",
    .type = numeric_type,
    .traits = {Trait::idempotent, Trait::preserves_zero, Trait::odd, Trait::increasing,
               Trait::piecewise_constant},
    .scalar = {"gn::sign", "arithmetic.h", "", GNOMON_HOST(numbers, 1, sign), 2},
    .partials = no_partials};

constinit const Op op::square{
    .name = "square",
    .doc = "x * x.",
    .type = numeric_type,
    .traits = {Trait::preserves_zero, Trait::even},
    .scalar = {"gn::square", "arithmetic.h", "", GNOMON_HOST(numbers, 1, square), 1},
    .partials = [](const Partials& p) { return Exprs{2 * p.x[0]}; },
    .ulp = {0.5, 0.5}};

constinit const Op op::sqrt{
    .name = "sqrt",
    .doc = "Square root; NaN below 0.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::non_negative},
    .scalar = {"gn::sqrt", "arithmetic.h", "", GNOMON_HOST(floats, 1, sqrt), 6},
    .partials = [](const Partials& p) { return Exprs{0.5 / p.y}; },
    .domain = {0, inf},
    .ulp = {0.5, 0.5}};

constinit const Op op::rsqrt{
    .name = "rsqrt",
    .doc = "1 / sqrt(x): -inf at -0.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::rsqrt", "arithmetic.h", "", GNOMON_HOST(floats, 1, rsqrt), 10},
    .partials = [](const Partials& p) { return Exprs{-0.5 * p.y / p.x[0]}; },
    .domain = {0, inf},
    .ulp = {1.5, 1.5}};

constinit const Op op::reciprocal{
    .name = "reciprocal",
    .doc = "1 / x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::odd},
    .scalar = {"gn::reciprocal", "arithmetic.h", "", GNOMON_HOST(floats, 1, reciprocal), 4},
    .partials = [](const Partials& p) { return Exprs{-p.y * p.y}; },
    .ulp = {0.5, 0.5}};

constinit const Op op::floor_divide{
    .name = "floor_divide",
    .doc = "floor(x / y); x // 0 is 0 for integers, the infinity or NaN of x / 0 for floats.",
    .operands = 2,
    .type = numeric_type,
    .promotion = Promotion::common,
    .traits = {Trait::piecewise_constant},
    .scalar = {"gn::floor_divide", "arithmetic.h", "", GNOMON_HOST(numbers, 2, floor_divide), 10},
    .partials = no_partials,
    .domain = {-1e6, 1e6},
    .second_domain = {-1e3, 1e3},
    .ulp = {1, 1}};

constinit const Op op::remainder{
    .name = "remainder",
    .doc = "x - y * floor(x / y), with the sign of y; x % 0 is 0 for integers, NaN for floats.",
    .operands = 2,
    .type = numeric_type,
    .promotion = Promotion::common,
    .scalar = {"gn::remainder", "arithmetic.h", "", GNOMON_HOST(numbers, 2, remainder), 12},
    .partials =
        [](const Partials& p) {
          return Exprs{one_like(p.y), -gnomon::floor_divide(p.x[0], p.x[1])};
        },
    .domain = {-1e6, 1e6},
    .second_domain = {-1e3, 1e3},
    .ulp = {0.5, 0.5}};

constinit const Op op::power{
    .name = "power",
    .doc =
        "x raised to y; integers wrap, a negative integer exponent gives 0 but for bases 1, -1. "
        "Derivatives at x = 0: y * 0^(y-1), and 0 by the exponent.",
    .operands = 2,
    .type = numeric_type,
    .promotion = Promotion::common,
    .scalar = {"gn::power", "power.h", "", GNOMON_HOST(numbers, 2, power), 40},
    .partials = power_partials,
    .domain = {0, inf},
    .second_domain = {-100, 100},
    .ulp = {1, 2}};

constinit const Op op::minimum{
    .name = "minimum",
    .doc = "The smaller of two; NaN if one is NaN. Ties share the derivative.",
    .operands = 2,
    .type = elementwise_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::minimum", "arithmetic.h", "", GNOMON_HOST(all, 2, minimum), 1},
    .partials = [](const Partials& p) {
      return extremum_partials(p, gnomon::less(p.x[0], p.x[1]));
    }};

constinit const Op op::maximum{
    .name = "maximum",
    .doc = "The larger of two; NaN if one is NaN. Ties share the derivative.",
    .operands = 2,
    .type = elementwise_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::maximum", "arithmetic.h", "", GNOMON_HOST(all, 2, maximum), 1},
    .partials = [](const Partials& p) {
      return extremum_partials(p, gnomon::greater(p.x[0], p.x[1]));
    }};

constinit const Op op::clip{
    .name = "clip",
    .doc = "x held between low and high; high where low > high. The derivative at a bound is x's.",
    .operands = 3,
    .type = elementwise_type,
    .promotion = Promotion::common,
    .scalar = {"gn::clip", "arithmetic.h", "", GNOMON_HOST(all, 3, clip), 2},
    .partials = clip_partials};

constinit const Op op::fma{
    .name = "fma",
    .doc = "x * y + z with one rounding.",
    .operands = 3,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::fma", "arithmetic.h", "", GNOMON_HOST(floats, 3, fma), 1},
    .partials = fma_partials,
    .ulp = {0.5, 0.5}};

constinit const Op op::multiply_add{
    .name = "multiply_add",
    .doc = "x * y + z: with one rounding, as fma, but two would do.",
    .operands = 3,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::fma", "arithmetic.h", "", GNOMON_HOST(floats, 3, fma), 1},
    .partials = fma_partials,
    .ulp = {0.5, 0.5}};

constinit const Op op::hypot{
    .name = "hypot",
    .doc = "sqrt(x * x + y * y) without overflow on the way. Derivative 0 at the origin.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::commutative, Trait::non_negative},
    .scalar = {"gn::hypot", "power.h", "", GNOMON_HOST(floats, 2, hypot), 12},
    .partials = hypot_partials,
    .ulp = {1.5, 1.5}};

constinit const Op op::copysign{
    .name = "copysign",
    .doc = "Magnitude of x with the sign of y, which may be a zero or NaN. Derivative 0 at x = 0.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::copysign", "primitives.h", "", GNOMON_HOST(floats, 2, copysign), 1},
    .partials = [](const Partials& p) {
      return Exprs{gnomon::sign(p.x[0]) * gnomon::copysign(one_like(p.y), p.x[1]), Expr()};
    }};

constinit const Op op::nextafter{
    .name = "nextafter",
    .doc = "The float next to x on the side of y; y where they are equal. Derivative that of x.",
    .operands = 2,
    .type = neighbour_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::nextafter", "arithmetic.h", "", GNOMON_HOST(floats, 2, nextafter), 4},
    .partials = [](const Partials& p) { return Exprs{one_like(p.y), Expr()}; }};

constinit const Op op::gcd{.name = "gcd",
                           .doc = "Greatest common divisor of integers, not below 0.",
                           .operands = 2,
                           .type = integer_type,
                           .promotion = Promotion::common,
                           .traits = {Trait::commutative},
                           .scalar = {"gn::gcd", "gcd.h", "", GNOMON_HOST(integers, 2, gcd), 100}};

constinit const Op op::lcm{
    .name = "lcm",
    .doc = "Least common multiple of integers, not below 0 unless it wraps; 0 where one is 0.",
    .operands = 2,
    .type = integer_type,
    .promotion = Promotion::common,
    .traits = {Trait::commutative},
    .scalar = {"gn::lcm", "gcd.h", "", GNOMON_HOST(integers, 2, lcm), 110}};

constinit const Op op::floor{
    .name = "floor",
    .doc = "Largest integer not above x, in x's dtype.",
    .type = numeric_type,
    .traits = {Trait::idempotent, Trait::increasing, Trait::preserves_zero,
               Trait::piecewise_constant},
    .scalar = {"gn::floor", "arithmetic.h", "", GNOMON_HOST(numbers, 1, floor), 1},
    .partials = no_partials};

constinit const Op op::ceil{
    .name = "ceil",
    .doc = "Smallest integer not below x, in x's dtype.",
    .type = numeric_type,
    .traits = {Trait::idempotent, Trait::increasing, Trait::preserves_zero,
               Trait::piecewise_constant},
    .scalar = {"gn::ceil", "arithmetic.h", "", GNOMON_HOST(numbers, 1, ceil), 1},
    .partials = no_partials};

constinit const Op op::trunc{
    .name = "trunc",
    .doc = "Integer part of x, in x's dtype.",
    .type = numeric_type,
    .traits = {Trait::idempotent, Trait::increasing, Trait::preserves_zero, Trait::odd,
               Trait::piecewise_constant},
    .scalar = {"gn::trunc", "arithmetic.h", "", GNOMON_HOST(numbers, 1, trunc), 1},
    .partials = no_partials};

constinit const Op op::round{
    .name = "round",
    .doc = "Nearest integer, half to even, in x's dtype.",
    .type = numeric_type,
    .traits = {Trait::idempotent, Trait::increasing, Trait::preserves_zero, Trait::odd,
               Trait::piecewise_constant},
    .scalar = {"gn::round", "arithmetic.h", "", GNOMON_HOST(numbers, 1, round), 1},
    .partials = no_partials};

namespace {
Expr apply_to_all(const Op& op, const ExprList& terms) {
  const CallScope call(op.name, terms.origin());
  if (terms.empty()) throw ValueError(std::string(op.name) + ": expected operands, found none");
  if (terms.size() == 1) return terms[0];
  const std::vector<Arg> args(terms.begin(), terms.end());
  return apply(op, std::span<const Arg>(args));
}
}  // namespace

Expr add(const ExprList& terms) { return apply_to_all(op::add, terms); }
Expr multiply(const ExprList& factors) { return apply_to_all(op::multiply, factors); }

}  // namespace gnomon
