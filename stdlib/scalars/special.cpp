// Elementary and special functions of one real number, and arctan2.
#include <cmath>
#include <numbers>

#include "stdlib/ops.h"
#include "stdlib/prelude/elementary/cbrt.h"
#include "stdlib/prelude/elementary/exp.h"
#include "stdlib/prelude/elementary/hyperbolic.h"
#include "stdlib/prelude/elementary/inverse_trig.h"
#include "stdlib/prelude/elementary/log.h"
#include "stdlib/prelude/elementary/log1mexp.h"
#include "stdlib/prelude/elementary/sigmoid.h"
#include "stdlib/prelude/elementary/trig.h"
#include "stdlib/prelude/special/erf.h"
#include "stdlib/prelude/special/gamma.h"
#include "stdlib/prelude/special/gamma_function.h"
#include "stdlib/prelude/special/inverse_erf.h"
#include "stdlib/prelude/special/normal.h"
#include "stdlib/prelude/special/zeta.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {
constexpr double two_by_sqrt_pi = 2 * std::numbers::inv_sqrtpi;
constexpr double half_sqrt_pi = 0.5 / std::numbers::inv_sqrtpi;
constexpr double sqrt_half = std::numbers::sqrt2 / 2;

// 2 x erfcx(x) - 2 / sqrt(pi), which cancels for large x: there the derivative of the asymptotic
// series (Abramowitz and Stegun 7.1.23), whose first term left out is 1e-17 of the sum at 50.
Exprs erfcx_partials(const Partials& p) {
  const Expr& x = p.x[0];
  const Expr t = 0.5 / gnomon::square(x);
  const Expr series = 1 - t * (3 - t * (15 - t * (105 - t * (945 - t * 10395))));
  return {where(x > 50, -two_by_sqrt_pi * t * series, 2 * x * p.y - two_by_sqrt_pi)};
}
}  // namespace

// Exponentials, logarithms, the cube root.

constinit const Op op::exp{.name = "exp",
                           .doc = "e raised to x.",
                           .type = elementwise_float_type,
                           .promotion = Promotion::inexact,
                           .traits = {Trait::increasing, Trait::non_negative},
                           .scalar = {"gn::exp", "exp.h", "", GNOMON_HOST(floats, 1, exp), 15},
                           .partials = [](const Partials& p) { return Exprs{p.y}; },
                           .ulp = {2, 2}};

constinit const Op op::exp2{
    .name = "exp2",
    .doc = "2 raised to x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::non_negative},
    .scalar = {"gn::exp2", "exp.h", "", GNOMON_HOST(floats, 1, exp2), 14},
    .partials = [](const Partials& p) { return Exprs{std::numbers::ln2 * p.y}; },
    .ulp = {2, 2}};

constinit const Op op::expm1{
    .name = "expm1",
    .doc = "exp(x) - 1, accurate for small x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero},
    .scalar = {"gn::expm1", "exp.h", "", GNOMON_HOST(floats, 1, expm1), 20},
    .partials = [](const Partials& p) { return Exprs{gnomon::exp(p.x[0])}; },
    .ulp = {2, 2}};

constinit const Op op::log{.name = "log",
                           .doc = "Natural logarithm; -inf at 0, NaN below.",
                           .type = elementwise_float_type,
                           .promotion = Promotion::inexact,
                           .traits = {Trait::increasing},
                           .scalar = {"gn::log", "log.h", "", GNOMON_HOST(floats, 1, log), 18},
                           .partials = [](const Partials& p) { return Exprs{1 / p.x[0]}; },
                           .domain = {0, inf},
                           .ulp = {2, 2}};

constinit const Op op::log2{
    .name = "log2",
    .doc = "Logarithm to base 2; -inf at 0, NaN below.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing},
    .scalar = {"gn::log2", "log.h", "", GNOMON_HOST(floats, 1, log2), 20},
    .partials = [](const Partials& p) { return Exprs{std::numbers::log2e / p.x[0]}; },
    .domain = {0, inf},
    .ulp = {2, 2}};

constinit const Op op::log10{
    .name = "log10",
    .doc = "Logarithm to base 10; -inf at 0, NaN below.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing},
    .scalar = {"gn::log10", "log.h", "", GNOMON_HOST(floats, 1, log10), 20},
    .partials = [](const Partials& p) { return Exprs{std::numbers::log10e / p.x[0]}; },
    .domain = {0, inf},
    .ulp = {2, 2}};

constinit const Op op::log1p{
    .name = "log1p",
    .doc = "Natural logarithm of 1 + x, accurate for small x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero},
    .scalar = {"gn::log1p", "log.h", "", GNOMON_HOST(floats, 1, log1p), 22},
    .partials = [](const Partials& p) { return Exprs{1 / (1 + p.x[0])}; },
    .domain = {-1, inf},
    .ulp = {2, 2}};

constinit const Op op::cbrt{
    .name = "cbrt",
    .doc = "Real cube root, of negative numbers too.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::cbrt", "cbrt.h", "", GNOMON_HOST(floats, 1, cbrt), 30},
    .partials = [](const Partials& p) { return Exprs{1 / (3 * gnomon::square(p.y))}; },
    .ulp = {1, 1}};

// Trigonometric functions and their inverses.

constinit const Op op::sin{.name = "sin",
                           .doc = "Sine of x radians, accurate for every x.",
                           .type = elementwise_float_type,
                           .promotion = Promotion::inexact,
                           .traits = {Trait::preserves_zero, Trait::odd},
                           .scalar = {"gn::sin", "trig.h", "", GNOMON_HOST(floats, 1, sin), 20},
                           .partials = [](const Partials& p) { return Exprs{gnomon::cos(p.x[0])}; },
                           .ulp = {2, 2}};

constinit const Op op::cos{
    .name = "cos",
    .doc = "Cosine of x radians, accurate for every x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::even},
    .scalar = {"gn::cos", "trig.h", "", GNOMON_HOST(floats, 1, cos), 20},
    .partials = [](const Partials& p) { return Exprs{-gnomon::sin(p.x[0])}; },
    .ulp = {2, 2}};

constinit const Op op::tan{
    .name = "tan",
    .doc = "Tangent of x radians, accurate for every x.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::tan", "trig.h", "", GNOMON_HOST(floats, 1, tan), 28},
    .partials = [](const Partials& p) { return Exprs{1 + gnomon::square(p.y)}; },
    .ulp = {2, 2}};

constinit const Op op::arcsin{
    .name = "arcsin",
    .doc = "Inverse sine in [-pi/2, pi/2]; NaN outside [-1, 1].",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::arcsin", "inverse_trig.h", "", GNOMON_HOST(floats, 1, arcsin), 20},
    .partials = [](const Partials& p) { return Exprs{gnomon::rsqrt((1 - p.x[0]) * (1 + p.x[0]))}; },
    .domain = {-1, 1},
    .ulp = {3, 3}};

constinit const Op op::arccos{
    .name = "arccos",
    .doc = "Inverse cosine in [0, pi]; NaN outside [-1, 1].",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::arccos", "inverse_trig.h", "", GNOMON_HOST(floats, 1, arccos), 20},
    .partials =
        [](const Partials& p) { return Exprs{-gnomon::rsqrt((1 - p.x[0]) * (1 + p.x[0]))}; },
    .domain = {-1, 1},
    .ulp = {3, 3}};

constinit const Op op::arctan{
    .name = "arctan",
    .doc = "Inverse tangent in [-pi/2, pi/2].",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::arctan", "inverse_trig.h", "", GNOMON_HOST(floats, 1, arctan), 20},
    .partials = [](const Partials& p) { return Exprs{1 / (1 + gnomon::square(p.x[0]))}; },
    .ulp = {3, 3}};

// Hyperbolic functions and their inverses.

constinit const Op op::sinh{
    .name = "sinh",
    .doc = "Hyperbolic sine.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::sinh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, sinh), 25},
    .partials = [](const Partials& p) { return Exprs{gnomon::cosh(p.x[0])}; },
    .ulp = {3, 3}};

constinit const Op op::cosh{
    .name = "cosh",
    .doc = "Hyperbolic cosine.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::even, Trait::non_negative},
    .scalar = {"gn::cosh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, cosh), 22},
    .partials = [](const Partials& p) { return Exprs{gnomon::sinh(p.x[0])}; },
    .ulp = {3, 3}};

constinit const Op op::tanh{
    .name = "tanh",
    .doc = "Hyperbolic tangent.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::tanh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, tanh), 22},
    .partials = [](const Partials& p) { return Exprs{1 - gnomon::square(p.y)}; },
    .ulp = {3, 3}};

constinit const Op op::arcsinh{
    .name = "arcsinh",
    .doc = "Inverse hyperbolic sine.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::arcsinh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, arcsinh), 28},
    .partials =
        [](const Partials& p) {
          const Expr& x = p.x[0];
          if (is_complex(x.dtype())) return Exprs{gnomon::rsqrt(1 + gnomon::square(x))};
          return Exprs{1 / gnomon::hypot(1, x)};
        },
    .ulp = {3, 3}};

constinit const Op op::arccosh{
    .name = "arccosh",
    .doc = "Inverse hyperbolic cosine; NaN below 1.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::non_negative},
    .scalar = {"gn::arccosh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, arccosh), 28},
    .partials =
        [](const Partials& p) {
          const Expr below = p.x[0] - 1, above = p.x[0] + 1;
          // One root of the product would have another branch cut.
          if (is_complex(below.dtype())) return Exprs{gnomon::rsqrt(below) * gnomon::rsqrt(above)};
          return Exprs{gnomon::rsqrt(below * above)};
        },
    .domain = {1, inf},
    .ulp = {3, 3}};

constinit const Op op::arctanh{
    .name = "arctanh",
    .doc = "Inverse hyperbolic tangent; infinite at -1 and 1, NaN outside.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::arctanh", "hyperbolic.h", "", GNOMON_HOST(floats, 1, arctanh), 26},
    .partials = [](const Partials& p) { return Exprs{1 / ((1 - p.x[0]) * (1 + p.x[0]))}; },
    .domain = {-1, 1},
    .ulp = {3, 3}};

// Error function, gamma function, logistic functions.

constinit const Op op::erf{
    .name = "erf",
    .doc = "Error function.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::erf", "erf.h", "", GNOMON_HOST(floats, 1, erf), 25},
    .partials =
        [](const Partials& p) {
          return Exprs{two_by_sqrt_pi * gnomon::exp(-gnomon::square(p.x[0]))};
        },
    .ulp = {3, 3}};

constinit const Op op::erfc{
    .name = "erfc",
    .doc = "Complementary error function 1 - erf(x), accurate in the tail.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::erfc", "erf.h", "", GNOMON_HOST(floats, 1, erfc), 35},
    .partials =
        [](const Partials& p) {
          return Exprs{-two_by_sqrt_pi * gnomon::exp(-gnomon::square(p.x[0]))};
        },
    .ulp = {4, 4}};

constinit const Op op::erfcx{
    .name = "erfcx",
    .doc = "exp(x^2) erfc(x), which does not underflow on the right.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::erfcx", "erf.h", "", GNOMON_HOST(floats, 1, erfcx), 45},
    .partials = erfcx_partials,
    .ulp = {4, 4}};

constinit const Op op::erfinv{
    .name = "erfinv",
    .doc = "Inverse of erf; infinite at -1 and 1, NaN outside.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::preserves_zero, Trait::odd},
    .scalar = {"gn::erfinv", "inverse_erf.h", "", GNOMON_HOST(floats, 1, erfinv), 70},
    .partials =
        [](const Partials& p) { return Exprs{half_sqrt_pi * gnomon::exp(gnomon::square(p.y))}; },
    .domain = {-1, 1},
    .ulp = {3, 3}};

constinit const Op op::erfcinv{
    .name = "erfcinv",
    .doc = "Inverse of erfc, accurate in the tail; infinite at 0 and 2, NaN outside.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::erfcinv", "inverse_erf.h", "", GNOMON_HOST(floats, 1, erfcinv), 70},
    .partials =
        [](const Partials& p) { return Exprs{-half_sqrt_pi * gnomon::exp(gnomon::square(p.y))}; },
    .domain = {0, 2},
    .ulp = {4, 4}};

constinit const Op op::ndtr{
    .name = "ndtr",
    .doc = "Standard normal distribution function, accurate in the tail.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::non_negative},
    .scalar = {"gn::ndtr", "normal.h", "", GNOMON_HOST(floats, 1, ndtr), 45},
    .partials =
        [](const Partials& p) {
          return Exprs{(0.5 * sqrt_half * two_by_sqrt_pi) *
                       gnomon::exp(-0.5 * gnomon::square(p.x[0]))};
        },
    .ulp = {4, 4}};

constinit const Op op::log_ndtr{
    .name = "log_ndtr",
    .doc = "Logarithm of the standard normal distribution function, accurate in both tails.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing},
    .scalar = {"gn::log_ndtr", "normal.h", "", GNOMON_HOST(floats, 1, log_ndtr), 90},
    .partials =
        [](const Partials& p) {
          // The density over ndtr, left of 0 without exp(-x^2 / 2) in both; right of it erfcx
          // overflows.
          const Expr left = gnomon::less(p.x[0], 0);
          const Expr below = gnomon::where(left, p.x[0], 0), above = gnomon::where(left, 0, p.x[0]);
          return Exprs{
              gnomon::where(left, (sqrt_half * two_by_sqrt_pi) / gnomon::erfcx(-sqrt_half * below),
                            (0.5 * sqrt_half * two_by_sqrt_pi) *
                                gnomon::exp(-0.5 * gnomon::square(above)) / gnomon::ndtr(above))};
        },
    .ulp = {4, 4}};

constinit const Op op::ndtri{
    .name = "ndtri",
    .doc = "Inverse of ndtr, the standard normal quantile; infinite at 0 and 1, NaN outside.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing},
    .scalar = {"gn::ndtri", "normal.h", "", GNOMON_HOST(floats, 1, ndtri), 75},
    .partials =
        [](const Partials& p) {
          // sqrt(2 pi)
          return Exprs{(half_sqrt_pi * 2 * std::numbers::sqrt2) *
                       gnomon::exp(0.5 * gnomon::square(p.y))};
        },
    .domain = {0, 1},
    .ulp = {4, 4}};

constinit const Op op::ndtri_exp{
    .name = "ndtri_exp",
    .doc = "ndtri(exp(x)), accurate for every x < 0; infinite at 0, NaN above.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing},
    .scalar = {"gn::ndtri_exp", "normal.h", "", GNOMON_HOST(floats, 1, ndtri_exp), 160},
    .partials =
        [](const Partials& p) {
          // The inverse of that of log_ndtr, in its two forms.
          const Expr left = gnomon::less(p.y, 0);
          const Expr below = gnomon::where(left, p.y, 0), above = gnomon::where(left, 0, p.y);
          constexpr double sqrt_half_pi = half_sqrt_pi * std::numbers::sqrt2;
          return Exprs{gnomon::where(
              left, sqrt_half_pi * gnomon::erfcx(-sqrt_half * below),
              (2 * sqrt_half_pi) * gnomon::exp(p.x[0] + 0.5 * gnomon::square(above)))};
        },
    .domain = {-inf, 0},
    .ulp = {4, 4}};

constinit const Op op::gamma{
    .name = "gamma",
    .doc = "Gamma function; infinite at 0, NaN at -1, -2, ...",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::gamma", "gamma_function.h", "", GNOMON_HOST(floats, 1, gamma), 120},
    .partials = [](const Partials& p) { return Exprs{p.y * gnomon::digamma(p.x[0])}; },
    .ulp = {4, 4}};

constinit const Op op::gammaln{
    .name = "gammaln",
    .doc =
        "Logarithm of |gamma(x)|; +inf at 0, -1, -2, ... Near a zero below 0 the error is "
        "absolute.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::gammaln", "gamma.h", "", GNOMON_HOST(floats, 1, gammaln), 50},
    .partials = [](const Partials& p) { return Exprs{gnomon::digamma(p.x[0])}; },
    .domain = {0, inf},
    .ulp = {4, 4}};

constinit const Op op::digamma{
    .name = "digamma",
    .doc = "Derivative of gammaln. Near a zero the error is absolute.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::digamma", "gamma.h", "", GNOMON_HOST(floats, 1, digamma), 45},
    .partials = [](const Partials& p) { return Exprs{gnomon::trigamma(p.x[0])}; },
    .domain = {0, inf},
    .ulp = {4, 4}};

constinit const Op op::trigamma{
    .name = "trigamma",
    .doc = "Derivative of digamma.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::trigamma", "gamma.h", "", GNOMON_HOST(floats, 1, trigamma), 45},
    .partials = [](const Partials& p) { return Exprs{-2 * gnomon::zeta(3, p.x[0])}; },
    .domain = {0, inf},
    .ulp = {4, 4}};

constinit const Op op::zeta{
    .name = "zeta",
    .doc =
        "Hurwitz zeta function, the sum over k >= 0 of (y + k)^-x. Infinite at x = 1 and y = 0, "
        "-1, "
        "-2, ...; NaN for x < 1, and left of 0 for an x that is not whole. The derivative by x is "
        "NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::zeta", "zeta.h", "", GNOMON_HOST(floats, 2, zeta), 600},
    .partials =
        [](const Partials& p) {
          const Expr& s = p.x[0];
          return Exprs{gnomon::constant(std::nan(""), p.y.dtype()),
                       -s * gnomon::zeta(s + 1, p.x[1])};
        },
    .domain = {1, 120},
    .second_domain = {0, inf},
    .ulp = {1, 8}};

constinit const Op op::sigmoid{
    .name = "sigmoid",
    .doc = "Logistic function 1 / (1 + exp(-x)), without overflow on the way.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::non_negative},
    .scalar = {"gn::sigmoid", "sigmoid.h", "", GNOMON_HOST(floats, 1, sigmoid), 20},
    .partials = [](const Partials& p) { return Exprs{p.y * (1 - p.y)}; },
    .ulp = {3, 3}};

constinit const Op op::softplus{
    .name = "softplus",
    .doc = "log(1 + exp(x)), without overflow on the way.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::increasing, Trait::non_negative},
    .scalar = {"gn::softplus", "sigmoid.h", "", GNOMON_HOST(floats, 1, softplus), 35},
    .partials = [](const Partials& p) { return Exprs{gnomon::sigmoid(p.x[0])}; },
    .ulp = {3, 3}};

constinit const Op op::log1mexp{
    .name = "log1mexp",
    .doc = "log(1 - exp(x)), accurate for every x; -inf at 0, NaN above.",
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::log1mexp", "log1mexp.h", "", GNOMON_HOST(floats, 1, log1mexp), 80},
    .partials = [](const Partials& p) { return Exprs{-1 / gnomon::expm1(-p.x[0])}; },
    .domain = {-inf, 0},
    .ulp = {4, 4}};

constinit const Op op::logaddexp{
    .name = "logaddexp",
    .doc = "log(exp(x) + exp(y)), without overflow on the way. Near a zero the error is absolute.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::commutative},
    .scalar = {"gn::logaddexp", "sigmoid.h", "", GNOMON_HOST(floats, 2, logaddexp), 42},
    .partials =
        [](const Partials& p) {
          return Exprs{gnomon::sigmoid(p.x[0] - p.x[1]), gnomon::sigmoid(p.x[1] - p.x[0])};
        },
    .domain = {0, inf},
    .ulp = {2, 2}};

constinit const Op op::arctan2{
    .name = "arctan2",
    .doc =
        "Angle of the point (second, first operand) in [-pi, pi], with C's signs of zero. "
        "Derivatives NaN at the origin.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::arctan2", "inverse_trig.h", "", GNOMON_HOST(floats, 2, arctan2), 28},
    .partials =
        [](const Partials& p) {
          const Expr r = gnomon::hypot(p.x[0], p.x[1]);
          return Exprs{p.x[1] / r / r, -p.x[0] / r / r};
        },
    .ulp = {3, 3}};

}  // namespace gnomon
