// Bits that expressions of textbooks lose before and after rewriting, against MPFR.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "frontend/accuracy/accuracy.h"
#include "passes/derivatives/gradient.h"
#include "tests/support/corpus.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct Inputs {
  std::vector<Expr> all = {scalar("x"), scalar("y"), scalar("z")}, used;
  AccuracyOptions options;
};

Inputs formula_inputs(const Formula& formula) {
  Inputs inputs;
  inputs.options.seed = 7;
  for (std::size_t i = 0; i < formula.domains.size(); ++i) {
    inputs.used.push_back(inputs.all[i]);
    inputs.options.ranges.push_back({inputs.all[i], formula.domains[i]});
  }
  return inputs;
}

Expr built(const Formula& formula, const Inputs& inputs) {
  return formula.build(inputs.all[0], inputs.all[1], inputs.all[2]);
}

AccuracyReport report_of(const Formula& formula) {
  const Inputs inputs = formula_inputs(formula);
  return accuracy_report(inputs.used, {built(formula, inputs)}, inputs.options);
}

// Derivatives by each input: of the expression as it is written, and of its stable form.
AccuracyReport report_of_derivatives(const Formula& formula, bool as_written) {
  Inputs inputs = formula_inputs(formula);
  inputs.options.points = 200;
  const std::vector<Expr> derivatives =
      grad(built(formula, inputs), inputs.used, {Disconnected::zero, {}, as_written});
  return accuracy_report(inputs.used, {derivatives.begin(), derivatives.end()}, inputs.options);
}

constexpr const char* introduction =
    R"(# Accuracy of textbook expressions

Written by the test `accuracy` when `GNOMON_UPDATE_GOLDEN` is set; do not edit. Each expression of
`tests/support/corpus.h` is computed in float64 as it stands and after rewriting, at 400 points
that are spread evenly over all exponents of its domain, and compared with MPFR. A point loses
log2(1 + d) bits, d the distance from the real value in units in the last place, at most 64. The
columns are means over the points whose real value is known: see `accuracy_report` in
`frontend/accuracy/accuracy.h`. Where it is below or above the range of float64 on the way, neither
form has digits to lose.

| expression | source | bits lost as written | after rewriting |
|---|---|---|---|
)";

constexpr const char* introduction_of_derivatives = R"(
## Derivatives

The same of first derivatives, at 200 points: of the chain rule as it stands, of that after
rewriting, and of what `grad` gives after rewriting: it derives the stable form of the expression.

| derivative | chain rule | after rewriting | `grad` after rewriting |
|---|---|---|---|
)";

std::string table_of_values() {
  std::string table;
  double before = 0, after = 0;
  for (const Formula& formula : corpus()) {
    const AccuracyReport report = report_of(formula);
    const OutputAccuracy& loss = report.outputs[0];
    table += fmt::format("| `{}` | {} | {:.1f} | {:.1f} |\n", formula.name, formula.source,
                         loss.before.mean, loss.after.mean);
    before += loss.before.mean;
    after += loss.after.mean;
    const std::string found = report.text();
    CAPTURE(formula.name);
    CAPTURE(found);
    CHECK(loss.compared > 100);
    CHECK(loss.worsened.bits <= 1);
    CHECK(loss.after.mean <= loss.before.mean + 0.05);
  }
  const auto count = static_cast<double>(corpus().size());
  CHECK(corpus().size() >= 60);
  CHECK(after / count <= 2);
  return table + fmt::format("| mean | | {:.2f} | {:.2f} |\n", before / count, after / count);
}

std::string table_of_derivatives() {
  constexpr double roundings = 0.3;  // where either way of deriving is right
  std::string table;
  double before = 0, between = 0, after = 0;
  int count = 0;
  for (const Formula& formula : corpus()) {
    const AccuracyReport chain = report_of_derivatives(formula, true);
    const AccuracyReport stable = report_of_derivatives(formula, false);
    for (std::size_t k = 0; k < chain.outputs.size(); ++k) {
      const OutputAccuracy &plain = chain.outputs[k], &loss = stable.outputs[k];
      table += fmt::format("| d/d{} `{}` | {:.1f} | {:.1f} | {:.1f} |\n", "xyz"[k], formula.name,
                           plain.before.mean, plain.after.mean, loss.after.mean);
      before += plain.before.mean;
      between += plain.after.mean;
      after += loss.after.mean;
      ++count;
      const std::string found = stable.text();
      CAPTURE(formula.name);
      CAPTURE(found);
      CHECK(loss.compared > 50);
      CHECK(loss.after.mean <= std::min(plain.before.mean, plain.after.mean) + roundings);
    }
  }
  CHECK(after / count <= 1.5);
  return table + fmt::format("| mean | {:.2f} | {:.2f} | {:.2f} |\n", before / count,
                             between / count, after / count);
}

}  // namespace

TEST_CASE("rewriting saves the digits of textbook expressions and of their derivatives") {
  const std::string path = GNOMON_SOURCE_DIR "/docs/accuracy.md";
  const std::string page =
      introduction + table_of_values() + introduction_of_derivatives + table_of_derivatives();
  if (std::getenv("GNOMON_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << page;
  std::ostringstream known;
  known << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK(known.str() == page);
}
