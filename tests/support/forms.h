// Differences that a rule knows, and the ways in which they come to stand in an expression.
#pragma once

#include <string_view>
#include <vector>

#include "tests/support/corpus.h"

namespace gnomon::test {

/// f - g, over x and y.
struct Form {
  std::string_view name;
  Expr (*f)(const Expr& x, const Expr& y);
  Expr (*g)(const Expr& x, const Expr& y);
  SampledRange x, y = {1, 2};
  /// Whether squares of f and g are in range, and f and g no constants.
  bool has_powers = false;
};

/// What is made of f and g; z and w are further inputs.
struct Way {
  std::string_view name;
  Expr (*of)(const Expr& f, const Expr& g, const Expr& z, const Expr& w);
  bool needs_powers = false;
};

#define GNOMON_PART(expression)                                 \
  [](const Expr& x, [[maybe_unused]] const Expr& y) -> Expr {   \
    [[maybe_unused]] const Expr one = constant(1.0, x.dtype()); \
    return expression;                                          \
  }
#define GNOMON_WAY(expression)                                     \
  [](const Expr& f, const Expr& g, [[maybe_unused]] const Expr& z, \
     [[maybe_unused]] const Expr& w) -> Expr { return expression; }

inline const std::vector<Form>& forms() {
#define E GNOMON_PART
  constexpr SampledRange wide = {0x1p-100, 0x1p100, true}, above = {0x1p-100, 0x1p100};
  static const std::vector<Form> list = {
      {"sqrt(x + 1) - sqrt(x)", E(sqrt(x + 1)), E(sqrt(x)), above, {1, 2}, true},
      {"cbrt(x + 1) - cbrt(x)", E(cbrt(x + 1)), E(cbrt(x)), above, {1, 2}, true},
      {"1/sqrt(x) - 1/sqrt(x + 1)", E(1 / sqrt(x)), E(1 / sqrt(x + 1)), above, {1, 2}, true},
      {"1/sqrt(1 - x^2) - 1", E(1 / sqrt(1 - square(x))), E(one), {0x1p-300, 0.8, true}},
      {"sqrt(x^2 + 1) - x", E(sqrt(square(x) + 1)), E(x), above},
      {"hypot(x, y) - x", E(hypot(x, y)), E(x), above, above},
      {"log(x + 1) - log(x)", E(log(x + 1)), E(log(x)), {0x1p-30, 0x1p100}, {1, 2}, true},
      {"log(1 + x) - log(1 - x)", E(log(1 + x)), E(log(1 - x)), within(0.9), {1, 2}, true},
      {"(x + 1) log(x + 1) - x log(x)", E((x + 1) * log(x + 1)), E(x * log(x)), above},
      {"sin(x + y) - sin(x)", E(sin(x + y)), E(sin(x)), within(1), up_to(0.25)},
      {"cos(x + y) - cos(x)", E(cos(x + y)), E(cos(x)), {0.25, 1}, up_to(0.25), true},
      {"tan(x + y) - tan(x)", E(tan(x + y)), E(tan(x)), within(1), up_to(0.25)},
      {"exp(x + y) - exp(x)", E(exp(x + y)), E(exp(x)), within(300), {0x1p-900, 300}, true},
      {"exp(x) - exp(-x)", E(exp(x)), E(exp(-x)), within(300)},
      {"exp(x) - 1", E(exp(x)), E(one), within(700)},
      {"1 - exp(x)", E(one), E(exp(x)), within(700)},
      {"arctan(x + 1) - arctan(x)", E(arctan(x + 1)), E(arctan(x)), wide},
      {"(x + 1)^2.5 - x^2.5", E(power(x + 1, 2.5)), E(power(x, 2.5)), above, {1, 2}, true},
      {"1/(x + 1) - 1/x", E(1 / (x + 1)), E(1 / x), wide, {1, 2}, true},
      {"1/(x + 1)^2 - 1/x^2", E(1 / square(x + 1)), E(1 / square(x)), above},
      {"1/(x + 1)^3 - 1/x^3", E(1 / power(x + 1, 3)), E(1 / power(x, 3)), above},
      {"x (x + y) - x^2", E(x * (x + y)), E(x * x), wide, wide},
      {"lgamma(x + 1) - lgamma(x)", E(gammaln(x + 1)), E(gammaln(x)), {4, 0x1p100}, {1, 2}, true},
      {"1/log(x) - 1/log(x + 1)", E(1 / log(x)), E(1 / log(x + 1)), {4, 0x1p100}, {1, 2}, true},
      {"1 - cos(x)", E(one), E(cos(x)), {0x1p-300, 3, true}},
      {"cosh(x) - 1", E(cosh(x)), E(one), {0x1p-300, 700, true}},
      {"1 - cosh(x)", E(one), E(cosh(x)), {0x1p-300, 700, true}},
      {"1/cos(x) - 1", E(1 / cos(x)), E(one), {0x1p-300, 1.5, true}},
      {"tan(x) - sin(x)", E(tan(x)), E(sin(x)), within(1.5)},
      {"1 - erf(x)", E(one), E(erf(x)), {0x1p-100, 20}},
      {"1 - tanh(x)", E(one), E(tanh(x)), {0x1p-100, 300}},
      {"1 - sigmoid(x)", E(one), E(sigmoid(x)), {0x1p-100, 300}},
      {"1 - cos(x)^2", E(one), E(square(cos(x))), {0x1p-300, 1.5, true}},
      {"cosh(x)^2 - 1", E(square(cosh(x))), E(one), {0x1p-300, 300, true}},
      {"softplus(x) - x", E(softplus(x)), E(x), {0x1p-100, 300}},
  };
#undef E
  return list;
}

inline const std::vector<Way>& ways() {
#define W GNOMON_WAY
  static const std::vector<Way> list = {
      {"f - g", W(f - g)},
      {"g - f", W(g - f)},
      {"3 f - 3 g", W(3 * f - 3 * g)},
      {"-0.3 f + 0.3 g", W(-0.3 * f + 0.3 * g)},
      {"f / 2 - g / 2", W(f / 2 - g / 2)},
      {"z f - z g", W(z * f - z * g)},
      {"g (2 z) - 2 (f z)", W(g * (2 * z) - 2 * (f * z))},
      {"f / z - g / z", W(f / z - g / z)},
      {"3 f / z - 3 g / z", W(3 * f / z - 3 * g / z)},
      {"w + (f - g)", W(w + (f - g))},
      {"w + (3 f - 3 g)", W(w + (3 * f - 3 * g))},
      {"(f - g)^2", W(square(f - g))},
      {"1 / (2 f - 2 g)", W(1 / (2 * f - 2 * g))},
      {"f^2 - g^2", W(square(f) - square(g)), true},
      {"z f^2 - z g^2", W(z * square(f) - z * square(g)), true},
  };
#undef W
  return list;
}
#undef GNOMON_PART
#undef GNOMON_WAY

}  // namespace gnomon::test
