// Expressions that lose digits as they are written in textbooks of numerical analysis.
#pragma once

#include <string_view>
#include <vector>

#include "frontend/sampling.h"
#include "stdlib/ops.h"

namespace gnomon::test {

inline constexpr SampledRange positive{}, whole{0x1p-1022, 0x1.fffffffffffffp1023, true};
inline constexpr SampledRange up_to(double high) { return {0x1p-1022, high, false}; }
inline constexpr SampledRange within(double high) { return {0x1p-1022, high, true}; }

struct Formula {
  std::string_view name, source;
  Expr (*build)(const Expr& x, const Expr& y, const Expr& z);
  std::vector<SampledRange> domains;
};

// Sources: Hamming, Numerical Methods for Scientists and Engineers (1987), chapter 3 and its
// problems; Goldberg, What Every Computer Scientist Should Know (1991); Higham, Accuracy and
// Stability of Numerical Algorithms (2002), and forms of its examples; Kahan, Branch Cuts (1987);
// Maechler, log(1 - exp(-a)) (2012); Blanchard, Higham and Higham, log-sum-exp and softmax (2021);
// definitions and identities of the DLMF, which are not meant to be computed as they stand.
#define GNOMON_FORMULA(expression)                                                            \
  [](const Expr& x, [[maybe_unused]] const Expr& y, [[maybe_unused]] const Expr& z) -> Expr { \
    return expression;                                                                        \
  }

inline const std::vector<Formula>& corpus() {
#define F GNOMON_FORMULA
  static const std::vector<Formula> list = {
      {"sqrt(x + 1) - sqrt(x)", "Hamming", F(sqrt(x + 1) - sqrt(x)), {positive}},
      {"sqrt(x + 1/x) - sqrt(x - 1/x)",
       "Hamming",
       F(sqrt(x + 1 / x) - sqrt(x - 1 / x)),
       {{1, 0x1.fffffffffffffp1023}}},
      {"cbrt(x + 1) - cbrt(x)", "Hamming", F(cbrt(x + 1) - cbrt(x)), {whole}},
      {"1/sqrt(x) - 1/sqrt(x + 1)", "Hamming", F(1 / sqrt(x) - 1 / sqrt(x + 1)), {positive}},
      {"1/(x + 1) - 1/x", "Hamming", F(1 / (x + 1) - 1 / x), {whole}},
      {"1/(x + 1) - 2/x + 1/(x - 1)", "Hamming", F(1 / (x + 1) - 2 / x + 1 / (x - 1)), {whole}},
      {"1/(1 - x) - 1/(1 + x)", "Higham", F(1 / (1 - x) - 1 / (1 + x)), {within(0.75)}},
      {"log(x + 1) - log(x)", "Hamming", F(log(x + 1) - log(x)), {positive}},
      {"log(1 + x) - log(1 - x)", "Hamming", F(log(1 + x) - log(1 - x)), {within(0.999)}},
      {"(x + 1) log(x + 1) - x log(x) - 1",
       "Hamming",
       F((x + 1) * log(x + 1) - x * log(x) - 1),
       {positive}},
      {"arctan(x + 1) - arctan(x)", "Hamming", F(arctan(x + 1) - arctan(x)), {whole}},
      {"arctan(x) - arctan(y)", "Higham", F(arctan(x) - arctan(y)), {whole, whole}},
      {"sin(x + y) - sin(x)", "Hamming", F(sin(x + y) - sin(x)), {within(1), up_to(0.25)}},
      {"cos(x + y) - cos(x)", "Hamming", F(cos(x + y) - cos(x)), {{0.25, 1.0}, up_to(0.25)}},
      {"tan(x + y) - tan(x)", "Hamming", F(tan(x + y) - tan(x)), {within(1), up_to(0.25)}},
      {"(1 - cos(x)) / x^2", "Hamming", F((1 - cos(x)) / square(x)), {within(3)}},
      {"(1 - cos(x)) / sin(x)", "Hamming", F((1 - cos(x)) / sin(x)), {within(3)}},
      {"1 - cos(x)", "Higham", F(1 - cos(x)), {within(3)}},
      {"1 - cos(x)^2", "DLMF 4.21", F(1 - square(cos(x))), {within(3)}},
      {"1/cos(x) - 1", "DLMF 4.21", F(1 / cos(x) - 1), {within(1.5)}},
      {"tan(x) - sin(x)", "DLMF 4.21", F(tan(x) - sin(x)), {within(1.5)}},
      {"cos(x)^2 - sin(x)^2", "DLMF 4.21", F(square(cos(x)) - square(sin(x))), {within(100)}},
      {"1/x - cot(x)", "Hamming", F(1 / x - 1 / tan(x)), {within(3)}},
      {"(x - sin(x)) / (x - tan(x))", "Hamming", F((x - sin(x)) / (x - tan(x))), {within(1.5)}},
      {"exp(x) - 1", "Hamming", F(exp(x) - 1), {within(1e8)}},
      {"exp(x) - 2 + exp(-x)", "Hamming", F(exp(x) - 2 + exp(-x)), {within(700)}},
      {"sqrt((exp(2x) - 1) / (exp(x) - 1))",
       "Hamming",
       F(sqrt((exp(2 * x) - 1) / (exp(x) - 1))),
       {within(350)}},
      {"z (exp((x + y) z) - 1) / ((exp(x z) - 1) (exp(y z) - 1))",
       "Hamming",
       F(z * (exp((x + y) * z) - 1) / ((exp(x * z) - 1) * (exp(y * z) - 1))),
       {{0x1p-10, 8}, {0x1p-10, 8}, {0x1p-300, 0.125}}},
      {"exp(x y) - 1", "Hamming", F(exp(x * y) - 1), {within(20), within(30)}},
      {"(exp(x) - 1) / x", "Hamming", F((exp(x) - 1) / x), {within(1e8)}},
      {"(exp(x) - 1) / log(exp(x))", "Higham", F((exp(x) - 1) / log(exp(x))), {within(700)}},
      {"1 / (exp(x) - 1)", "DLMF 4.28", F(1 / (exp(x) - 1)), {within(1e8)}},
      {"log((1 - x) / (1 + x))", "Hamming", F(log((1 - x) / (1 + x))), {within(0.999)}},
      {"log(1 - x) / log(1 + x)", "Hamming", F(log(1 - x) / log(1 + x)), {within(0.999)}},
      {"log(1 + x)", "Higham", F(log(1 + x)), {{0x1p-1022, 0x1p1023}}},
      {"quadratic formula, +",
       "Hamming",
       F((-y + sqrt(square(y) - 4 * x * z)) / (2 * x)),
       {{0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}}},
      {"quadratic formula, -",
       "Hamming",
       F((-y - sqrt(square(y) - 4 * x * z)) / (2 * x)),
       {{0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}}},
      {"quadratic formula by b / 2, +",
       "Hamming",
       F((-y + sqrt(square(y) - x * z)) / x),
       {{0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}}},
      {"quadratic formula by b / 2, -",
       "Hamming",
       F((-y - sqrt(square(y) - x * z)) / x),
       {{0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}, {0x1p-200, 0x1p200, true}}},
      {"sqrt(x^2 + 1) - x", "Higham", F(sqrt(square(x) + 1) - x), {within(0x1p511)}},
      {"x - sqrt(x^2 - 1)", "Higham", F(x - sqrt(square(x) - 1)), {{1, 0x1p511}}},
      {"sqrt(1 + x) - 1", "Higham", F(sqrt(1 + x) - 1), {positive}},
      {"sqrt(1 + x) - sqrt(1 - x)", "Higham", F(sqrt(1 + x) - sqrt(1 - x)), {within(1)}},
      {"1/sqrt(1 - x^2) - 1", "Higham", F(1 / sqrt(1 - square(x)) - 1), {within(0.875)}},
      {"sqrt(x^2 + y^2)", "Higham", F(sqrt(square(x) + square(y))), {whole, whole}},
      {"sqrt(x^2 + y^2) - x", "Kahan", F(sqrt(square(x) + square(y)) - x), {whole, whole}},
      {"sqrt((sqrt(x^2 + y^2) + x) / 2)",
       "Kahan",
       F(sqrt((sqrt(square(x) + square(y)) + x) / 2)),
       {whole, whole}},
      {"x^2 - y^2",
       "Goldberg",
       F(square(x) - square(y)),
       {{0x1p-500, 0x1p500, true}, {0x1p-500, 0x1p500, true}}},
      {"sqrt(x^2 - y^2)", "Goldberg", F(sqrt(square(x) - square(y))), {{1, 2}, {0.5, 1}}},
      {"(x + y)^2 - x^2",
       "Goldberg",
       F(square(x + y) - square(x)),
       {{0x1p-400, 0x1p400, true}, {0x1p-400, 0x1p400, true}}},
      {"(x + 1) - 1", "Goldberg", F((x + 1) - 1), {whole}},
      {"x (y + 1) - x y",
       "Goldberg",
       F(x * (y + 1) - x * y),
       {{0x1p-400, 0x1p400, true}, {0x1p-400, 0x1p400, true}}},
      {"((1 + x/y)^y - 1) / (x/y)",
       "Goldberg",
       F((power(1 + x / y, y) - 1) / (x / y)),
       {{0.01, 0.1}, {12, 0x1p20}}},
      {"log(x + sqrt(x^2 + 1))", "DLMF 4.37", F(log(x + sqrt(square(x) + 1))), {within(0x1p511)}},
      {"log(x + sqrt(x^2 - 1))", "DLMF 4.37", F(log(x + sqrt(square(x) - 1))), {{1, 0x1p511}}},
      {"log((1 + x) / (1 - x)) / 2", "DLMF 4.37", F(log((1 + x) / (1 - x)) / 2), {within(0.999)}},
      {"(exp(x) - exp(-x)) / 2", "DLMF 4.28", F((exp(x) - exp(-x)) / 2), {within(700)}},
      {"(exp(x) - exp(-x)) / (exp(x) + exp(-x))",
       "DLMF 4.28",
       F((exp(x) - exp(-x)) / (exp(x) + exp(-x))),
       {within(1e8)}},
      {"(exp(x) - 1) / (exp(x) + 1)", "DLMF 4.28", F((exp(x) - 1) / (exp(x) + 1)), {within(1e8)}},
      {"cosh(x) - 1", "DLMF 4.28", F(cosh(x) - 1), {within(700)}},
      {"cosh(x) - sinh(x)", "DLMF 4.28", F(cosh(x) - sinh(x)), {within(700)}},
      {"cosh(x)^2 - sinh(x)^2", "DLMF 4.28", F(square(cosh(x)) - square(sinh(x))), {within(300)}},
      {"log(cosh(x))", "DLMF 4.28", F(log(cosh(x))), {within(1e8)}},
      {"log(1 + exp(x))", "Maechler", F(log(1 + exp(x))), {within(1e8)}},
      {"log(1 - exp(-x))", "Maechler", F(log(1 - exp(-x))), {up_to(1500)}},
      {"1 - exp(-x)", "Maechler", F(1 - exp(-x)), {within(1e8)}},
      {"log(exp(x) + exp(y))",
       "Blanchard, Higham and Higham",
       F(log(exp(x) + exp(y))),
       {within(2000), within(2000)}},
      {"1 / (1 + exp(-x))", "Blanchard, Higham and Higham", F(1 / (1 + exp(-x))), {within(1e8)}},
      {"log(1 / (1 + exp(-x)))",
       "Blanchard, Higham and Higham",
       F(log(1 / (1 + exp(-x)))),
       {within(1500)}},
      {"1 - 1 / (1 + exp(-x))",
       "Blanchard, Higham and Higham",
       F(1 - 1 / (1 + exp(-x))),
       {within(1e8)}},
      {"exp(x) / (1 + exp(x))",
       "Blanchard, Higham and Higham",
       F(exp(x) / (1 + exp(x))),
       {within(1e8)}},
      {"exp(y log(x))", "Higham", F(exp(y * log(x))), {{0x1p-100, 0x1p100}, within(7)}},
      {"log(x^10)", "Higham", F(log(power(x, 10))), {positive}},
      {"sqrt(exp(x))", "Higham", F(sqrt(exp(x))), {within(1400)}},
      {"1 - erf(x)", "DLMF 7", F(1 - erf(x)), {whole}},
      {"exp(x^2) erfc(x)", "DLMF 7", F(exp(square(x)) * erfc(x)), {{0x1p-1022, 0x1p500}}},
      {"log(erfc(-x / sqrt(2)) / 2)",
       "DLMF 7",
       F(log(0.5 * erfc(-x / 1.4142135623730951))),
       {within(1e5)}},
      {"lgamma(x + 1) - lgamma(x)", "DLMF 5.5", F(gammaln(x + 1) - gammaln(x)), {up_to(0x1p900)}},
      {"digamma(x + 1) - digamma(x)", "DLMF 5.5", F(digamma(x + 1) - digamma(x)), {up_to(0x1p900)}},
      {"arccos(1 - x)", "Kahan", F(arccos(1 - x)), {up_to(2)}},
      {"sin(arccos(x))", "Kahan", F(sin(arccos(x))), {within(1)}},
  };
#undef F
  return list;
}
#undef GNOMON_FORMULA

}  // namespace gnomon::test
