// Bits that expressions of textbooks lose before and after rewriting, against MPFR.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "frontend/accuracy.h"
#include "tests/accuracy/corpus.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

AccuracyReport report_of(const Formula& formula) {
  const std::vector<Expr> all = {scalar("x"), scalar("y"), scalar("z")};
  AccuracyOptions options;
  options.seed = 7;
  std::vector<Expr> inputs;
  for (std::size_t i = 0; i < formula.domains.size(); ++i) {
    inputs.push_back(all[i]);
    options.ranges.push_back({all[i], formula.domains[i]});
  }
  return accuracy_report(inputs, {formula.build(all[0], all[1], all[2])}, options);
}

constexpr const char* introduction =
    R"(# Accuracy of textbook expressions

Written by the test `accuracy` when `GNOMON_UPDATE_GOLDEN` is set; do not edit. Each expression of
`tests/accuracy/corpus.h` is computed in float64 as it stands and after rewriting, at 400 points
that are spread evenly over all exponents of its domain, and compared with MPFR. A point loses
log2(1 + d) bits, d the distance from the real value in units in the last place, at most 64. The
columns are means over the points whose real value is known: see `accuracy_report` in
`frontend/accuracy.h`. Where it is below or above the range of float64 on the way, neither form has
digits to lose.

| expression | source | bits lost as written | after rewriting |
|---|---|---|---|
)";

}  // namespace

TEST_CASE("rewriting saves the digits of textbook expressions and costs none") {
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
  table += fmt::format("| mean | | {:.2f} | {:.2f} |\n", before / count, after / count);
  const std::string path = GNOMON_SOURCE_DIR "/docs/accuracy.md";
  const std::string page = std::string(introduction) + table;
  if (std::getenv("GNOMON_UPDATE_GOLDEN") != nullptr) std::ofstream(path, std::ios::binary) << page;
  std::ostringstream known;
  known << std::ifstream(path, std::ios::binary).rdbuf();
  CHECK(known.str() == page);
  CHECK(corpus().size() >= 60);
  CHECK(after / count <= 6);
}
