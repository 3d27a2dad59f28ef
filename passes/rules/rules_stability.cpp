// Rules of stability: the same mathematics without cancellation or overflow on the way.
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

const Pattern x = variable(0), y = variable(1), z = variable(2), t = variable(3);

bool first_is_non_negative(const Match& m) { return is_non_negative(m[0].value()); }
bool opposite(const Match& m) { return are_opposite(m[x].value(), m[t].value()); }
// The factors are such that the terms never cancel: there neither side has any digits.
Expr cross_entropy_example(DType type, double sign, bool swapped) {
  const Expr a = tensor("a", type, {Dim(7)}), u = tensor("u", type, {Dim(7)});
  const Expr first = minimum(u, 0) / sigmoid(-a), second = maximum(u, 0) * (1 + exp(-a));
  const Expr terms = sign > 0 ? first + second : swapped ? second - first : first - second;
  return terms * sigmoid(a) * sigmoid(-a);
}
Expr prod_example(DType t) { return log(prod(1 + cosh(tensor("x", t, {Dim(4), Dim(5)})), 1)); }

RuleGroup make() {
  return {"stability",
          "The same mathematics without cancellation or overflow on the way.",
          {
              rule("softplus", Promise::accurate, log(1 + exp(x)), softplus(x)),
              rule("log1p_exp", Promise::accurate, log1p(exp(x)), softplus(x)),
              rule("log1p", Promise::accurate, log(1 + x), log1p(x)),
              rule("expm1", Promise::accurate, exp(x) - 1, expm1(x)).across(),
              rule("exp_expm1", Promise::accurate, 1 + expm1(x), exp(x)).across(),
              rule("exp_log1p", Promise::finite, exp(log1p(x)), 1 + x).except("x < -1"),
              rule("sigmoid", Promise::accurate, 1 / (1 + exp(-x)), sigmoid(x)),
              rule("sigmoid_negative", Promise::accurate, 1 / (1 + exp(x)), sigmoid(-x)),
              rule("sigmoid_exp", Promise::finite, exp(x) / (1 + exp(x)), sigmoid(x))
                  .except("x where exp(x) overflows"),
              rule("times_sigmoid", Promise::finite, y / (1 + exp(-x)), y * sigmoid(x))
                  .except("results near the ends of the range"),
              rule("times_sigmoid_negative", Promise::finite, y / (1 + exp(x)), y * sigmoid(-x))
                  .except("results near the ends of the range"),
              rule("one_plus_tanh", Promise::accurate, 1 + tanh(x), 2 * sigmoid(2 * x)).across(),
              rule("one_minus_tanh", Promise::accurate, 1 - tanh(x), 2 * sigmoid(-2 * x)).across(),
              rule("tanh_of_sigmoid", Promise::accurate, 2 * sigmoid(x) - 1, tanh(0.5 * x)),
              rule("one_minus_sigmoid", Promise::accurate, 1 - sigmoid(x), sigmoid(-x)).across(),
              rule("exp_sigmoid", Promise::accurate, exp(t) * sigmoid(x), sigmoid(t))
                  .across()
                  .when(opposite, "t = -x")
                  .tested_on([](DType type) {
                    const Expr a = tensor("a", type, {Dim(7)});
                    return exp(-a) * sigmoid(a);
                  }),
              rule("exp_square_sigmoid", Promise::accurate, exp(t) * square(sigmoid(x)),
                   sigmoid(x) * sigmoid(t))
                  .across()
                  .when(opposite, "t = -x")
                  .tested_on([](DType type) {
                    const Expr a = tensor("a", type, {Dim(7)});
                    return exp(-a) * square(sigmoid(a));
                  }),
              // What the derivatives of y log(p) and (1 - y) log(1 - p) become, p a sigmoid.
              rule("cross_entropy", Promise::finite,
                   (y / sigmoid(t) - z * (1 + exp(t))) * sigmoid(x) * sigmoid(t),
                   y * sigmoid(x) - z * sigmoid(t))
                  .when(opposite, "t = -x; not where a product leaves the range")
                  .tested_on([](DType type) { return cross_entropy_example(type, -1, false); }),
              rule("cross_entropy_sum", Promise::finite,
                   (y / sigmoid(t) + z * (1 + exp(t))) * sigmoid(x) * sigmoid(t),
                   y * sigmoid(x) + z * sigmoid(t))
                  .when(opposite, "t = -x; not where a product leaves the range")
                  .tested_on([](DType type) { return cross_entropy_example(type, 1, false); }),
              rule("cross_entropy_negative", Promise::finite,
                   (z * (1 + exp(t)) - y / sigmoid(t)) * sigmoid(x) * sigmoid(t),
                   z * sigmoid(t) - y * sigmoid(x))
                  .when(opposite, "t = -x; not where a product leaves the range")
                  .tested_on([](DType type) { return cross_entropy_example(type, -1, true); }),
              rule("cross_entropy_quotients", Promise::finite,
                   (y / sigmoid(t) - z / sigmoid(x)) * sigmoid(x) * sigmoid(t),
                   y * sigmoid(x) - z * sigmoid(t))
                  .when(opposite, "t = -x; not where a product leaves the range")
                  .tested_on([](DType type) {
                    const Expr a = tensor("a", type, {Dim(7)}), u = tensor("u", type, {Dim(7)}),
                               v = tensor("v", type, {Dim(7)});
                    return (u / sigmoid(-a) - v / sigmoid(a)) * sigmoid(a) * sigmoid(-a);
                  }),
              rule("log_sigmoid", Promise::accurate, log(sigmoid(x)), -softplus(-x)),
              rule("log1p_negative_sigmoid", Promise::accurate, log1p(-sigmoid(x)), -softplus(x)),
              rule("softplus_minus", Promise::accurate, softplus(x) - x, softplus(-x)),
              rule("minus_softplus", Promise::accurate, x - softplus(x), -softplus(-x)),
              rule("logaddexp", Promise::accurate, log(exp(x) + exp(y)), logaddexp(x, y)),
              rule("logsumexp", Promise::accurate, log(sum(exp(x))), logsumexp(x)),
              rule("log_of_prod", Promise::finite, log(prod(x)), sum(log(x)))
                  .when(first_is_non_negative, "x >= 0; not near a product of 1")
                  .tested_on(prod_example),
              rule("log_sqrt", Promise::accurate, log(sqrt(x)), 0.5 * log(x)),
              rule("log_square", Promise::accurate, log(square(x)), 2 * log(absolute(x))),
              rule("log_reciprocal", Promise::accurate, log(reciprocal(x)), -log(x)),
              rule("erfc", Promise::accurate, 1 - erf(x), erfc(x)).across(),
              rule("erfc_negative", Promise::accurate, 1 + erf(x), erfc(-x)).across(),
              rule("minus_erfc", Promise::accurate, erf(x) - 1, -erfc(x)).across(),
              rule("erf", Promise::accurate, 1 - erfc(x), erf(x)),
              rule("hypot", Promise::accurate, sqrt(square(x) + square(y)), hypot(x, y)),
              // A difference of exponentials is a sinh by now (see exp_difference).
              rule("tanh", Promise::accurate, (2 * sinh(x)) / (exp(x) + exp(-x)), tanh(x))
                  .tested_on([](DType type) {
                    const Expr a = tensor("a", type, {Dim(7)});
                    return (exp(a) - exp(-a)) / (exp(a) + exp(-a));
                  }),
              rule("cosh", Promise::accurate, 0.5 * (exp(x) + exp(-x)), cosh(x)),
              rule("versine", Promise::accurate, 1 - cos(x), 2 * square(sin(0.5 * x))).across(),
              rule("pythagoras", Promise::finite, square(sin(x)) + square(cos(x)), Pattern(1))
                  .except("inf, NaN"),
          }};
}

}  // namespace

const RuleGroup& stability_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
