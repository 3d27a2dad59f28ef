// The incomplete gamma and beta functions with their inverses, the beta function, Owen's T.
#include <numbers>

#include "stdlib/ops.h"
#include "stdlib/prelude/special/beta.h"
#include "stdlib/prelude/special/incomplete_gamma.h"
#include "stdlib/prelude/special/incomplete_inverse.h"
#include "stdlib/prelude/special/owens_t.h"
#include "stdlib/scalars/scalar.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// (a - 1) * logarithm, and 0 for a = 1 also where the logarithm is infinite.
Expr power_term(const Expr& a, const Expr& logarithm) {
  return where(equal(a, 1), 0, (a - 1) * logarithm);
}

// The logarithm of the density of a gamma, of a beta variable.
Expr log_gamma_density(const Expr& a, const Expr& x) {
  return power_term(a, log(x)) - x - gammaln(a);
}

Expr log_beta_density(const Expr& a, const Expr& b, const Expr& x) {
  return power_term(a, log(x)) + power_term(b, log1p(-x)) - betaln(a, b);
}

Exprs owens_t_partials(const Partials& p) {
  const Expr &h = p.x[0], &a = p.x[1];
  const double density = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  const double half_turn = 0.5 * std::numbers::inv_pi;
  const Expr by_h =
      (-0.5 * density) * exp(-0.5 * square(h)) * erf(a * h * (std::numbers::sqrt2 / 2));
  const Expr slope = 1 + square(a);
  return {by_h, half_turn * exp(-0.5 * square(h) * slope) / slope};
}

}  // namespace

constinit const Op op::betaln{
    .name = "betaln",
    .doc =
        "Logarithm of the beta function gamma(x) gamma(y) / gamma(x + y), for x, y >= 0; NaN "
        "below. "
        "Near a zero the error is absolute.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::commutative},
    .scalar = {"gn::betaln", "beta.h", "", GNOMON_HOST(floats, 2, betaln), 250},
    .partials =
        [](const Partials& p) {
          const Expr sum = gnomon::digamma(p.x[0] + p.x[1]);
          return Exprs{gnomon::digamma(p.x[0]) - sum, gnomon::digamma(p.x[1]) - sum};
        },
    .domain = {0, inf}};

constinit const Op op::gammainc{
    .name = "gammainc",
    .doc =
        "Regularised lower incomplete gamma function P(x, y): the probability of a gamma variable "
        "of "
        "shape x below y. NaN for x < 0 or y < 0; the derivative by x is NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::gammainc", "incomplete_gamma.h", "", GNOMON_HOST(floats, 2, gammainc), 1500},
    .partials =
        [](const Partials& p) {
          return Exprs{unknown_partial(p), gnomon::exp(log_gamma_density(p.x[0], p.x[1]))};
        },
    .domain = {0, inf},
    .ulp = {1, 4096}};

constinit const Op op::gammaincc{
    .name = "gammaincc",
    .doc =
        "Regularised upper incomplete gamma function 1 - P(x, y), accurate where it is tiny. NaN "
        "for "
        "x < 0 or y < 0; the derivative by x is NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::gammaincc", "incomplete_gamma.h", "", GNOMON_HOST(floats, 2, gammaincc), 1500},
    .partials =
        [](const Partials& p) {
          return Exprs{unknown_partial(p), -gnomon::exp(log_gamma_density(p.x[0], p.x[1]))};
        },
    .domain = {0, inf},
    .ulp = {1, 4096}};

constinit const Op op::gammaincinv{.name = "gammaincinv",
                                   .doc =
                                       "The quantile of the gamma variable of shape x: the z with "
                                       "gammainc(x, z) = y. NaN for x < 0 "
                                       "and outside 0 <= y <= 1; the derivative by x is NaN.",
                                   .operands = 2,
                                   .type = elementwise_float_type,
                                   .promotion = Promotion::inexact,
                                   .traits = {Trait::non_negative},
                                   .scalar = {"gn::gammaincinv", "incomplete_inverse.h", "",
                                              GNOMON_HOST(floats, 2, gammaincinv), 9000},
                                   .partials =
                                       [](const Partials& p) {
                                         return Exprs{unknown_partial(p),
                                                      gnomon::exp(-log_gamma_density(p.x[0], p.y))};
                                       },
                                   .domain = {0, inf},
                                   .second_domain = {0, 1},
                                   .ulp = {1, 4096}};

constinit const Op op::gammainccinv{
    .name = "gammainccinv",
    .doc =
        "The z with gammaincc(x, z) = y, accurate for tiny y. NaN for x < 0 and outside 0 <= y <= "
        "1; "
        "the derivative by x is NaN.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::gammainccinv", "incomplete_inverse.h", "", GNOMON_HOST(floats, 2, gammainccinv),
               9000},
    .partials =
        [](const Partials& p) {
          return Exprs{unknown_partial(p), -gnomon::exp(-log_gamma_density(p.x[0], p.y))};
        },
    .domain = {0, inf},
    .second_domain = {0, 1},
    .ulp = {1, 4096}};

constinit const Op op::betainc{
    .name = "betainc",
    .doc =
        "Regularised incomplete beta function: the probability of a beta variable with parameters "
        "x "
        "and y below z. NaN for x < 0, y < 0 and outside 0 <= z <= 1; the derivatives by x and y "
        "are "
        "NaN.",
    .operands = 3,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::betainc", "beta.h", "", GNOMON_HOST(floats, 3, betainc), 1500},
    .partials =
        [](const Partials& p) {
          return Exprs{unknown_partial(p), unknown_partial(p),
                       gnomon::exp(log_beta_density(p.x[0], p.x[1], p.x[2]))};
        },
    .domain = {0, inf},
    .ulp = {1, 4096}};

constinit const Op op::betaincinv{
    .name = "betaincinv",
    .doc =
        "The quantile of the beta variable with parameters x and y: the t with betainc(x, y, t) = "
        "z. "
        "NaN for x < 0, y < 0 and outside 0 <= z <= 1; the derivatives by x and y are NaN.",
    .operands = 3,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .traits = {Trait::non_negative},
    .scalar = {"gn::betaincinv", "incomplete_inverse.h", "", GNOMON_HOST(floats, 3, betaincinv),
               9000},
    .partials =
        [](const Partials& p) {
          return Exprs{unknown_partial(p), unknown_partial(p),
                       gnomon::exp(-log_beta_density(p.x[0], p.x[1], p.y))};
        },
    .domain = {0, inf},
    .ulp = {1, 4096}};

constinit const Op op::owens_t{
    .name = "owens_t",
    .doc =
        "Owen's T function: the probability that one standard normal variable is beyond x and "
        "another "
        "between 0 and y times the first.",
    .operands = 2,
    .type = elementwise_float_type,
    .promotion = Promotion::inexact,
    .scalar = {"gn::owens_t", "owens_t.h", "", GNOMON_HOST(floats, 2, owens_t), 700},
    .partials = owens_t_partials,
    .ulp = {1, 16}};

}  // namespace gnomon
