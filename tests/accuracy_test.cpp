// Bits that expressions of textbooks lose before and after rewriting, against MPFR.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <random>
#include <sstream>

#include "ir/evaluate.h"
#include "tests/accuracy/corpus.h"
#include "tests/passes_support.h"
#include "tests/real_functions.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr int points = 400;

std::vector<double> sampled(const SampledRange& domain, std::uint64_t seed) {
  std::vector<double> values = sample<double>(domain.low, domain.high, points, seed);
  std::mt19937_64 random(seed);
  std::shuffle(values.begin(), values.end(), random);
  values.resize(points);
  for (double& v : values)
    if (domain.both && random() % 2 == 0) v = -v;
  return values;
}

Array array_of(const std::vector<double>& values) {
  Array out = Array::empty(DType::float64, {static_cast<std::int64_t>(values.size())});
  std::copy(values.begin(), values.end(), out.data<double>());
  return out;
}

// log2(1 + distance in units in the last place), at most 64: nothing is right.
double bits_lost(double got, const Real& exact) {
  return std::min(64.0, std::log2(1 + ulp_error(got, exact)));
}

using RealData = Evaluator<RealArithmetic>::Data;

class PrecisionRestored {
 public:
  ~PrecisionRestored() { Real::precision = before_; }

 private:
  mpfr_prec_t before_ = Real::precision;
};

// The real values at each point. The exponents of float64 span 2100 bits, which sums may need.
std::vector<Real> exact_values(const Graph& graph, std::span<const Array> inputs) {
  const PrecisionRestored restored;
  Real::precision = 2400;
  const RealArithmetic numbers = real_numbers();
  Evaluator<RealArithmetic> reals(numbers);
  std::vector<RealData> data;
  for (const Array& each : inputs) data.push_back(reals.from_array(each));
  const RealData result = reals.run(graph, data)[0];
  Real::precision = 240;
  std::vector<Real> values;
  for (const auto& each : result->data) values.push_back(each.real);
  return values;
}

struct Loss {
  double before = 0, after = 0;  // means over all points
  double worst = 0;              // the most that a point got worse
  std::string at;
};

Loss measured(const Formula& formula) {
  const Dim n = Dim::symbol("n");
  std::vector<Expr> inputs;
  std::vector<std::vector<double>> values;
  for (std::size_t i = 0; i < 3; ++i) {
    inputs.push_back(tensor(std::string(1, "xyz"[i]), DType::float64, {n}));
    if (i < formula.domains.size()) values.push_back(sampled(formula.domains[i], 7 + i));
  }
  const Expr output = formula.build(inputs[0], inputs[1], inputs[2]);
  inputs.resize(values.size());
  const Graph graph = capture(inputs, {{output}}).graph;
  Context context = checked_context();
  const Graph rewritten = optimize(graph, context);
  std::vector<Array> arrays;
  for (const std::vector<double>& each : values) arrays.push_back(array_of(each));
  const Array before = evaluate(graph, arrays)[0], after = evaluate(rewritten, arrays)[0];
  const std::vector<Real> exact = exact_values(graph, arrays);
  Loss loss;
  int counted = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (mpfr_nan_p(exact[i].get())) continue;
    const double first = bits_lost(before.data<double>()[i], exact[i]);
    const double second = bits_lost(after.data<double>()[i], exact[i]);
    loss.before += first;
    loss.after += second;
    ++counted;
    // Two bits are what a function of the prelude may err by where 0 or 1 were lost by luck.
    if (second <= 2 || second - first <= loss.worst) continue;
    loss.worst = second - first;
    loss.at.clear();
    for (const std::vector<double>& each : values) loss.at += fmt::format(" {}", each[i]);
    loss.at += fmt::format(": {:.1f} to {:.1f} bits", first, second);
  }
  CAPTURE(formula.name);
  CHECK(counted > points / 4);
  loss.before /= counted;
  loss.after /= counted;
  return loss;
}

constexpr const char* introduction =
    R"(# Accuracy of textbook expressions

Written by the test `accuracy` when `GNOMON_UPDATE_GOLDEN` is set; do not edit. Each expression of
`tests/accuracy/corpus.h` is computed in float64 as it stands and after rewriting, at 400 points
that are spread evenly over all exponents of its domain, and compared with MPFR. A point loses
log2(1 + d) bits, d the distance from the real value in units in the last place, at most 64. The
columns are means over the points. Where the real value is below or above the range of float64 on
the way, neither form has digits to lose.

| expression | source | bits lost as written | after rewriting |
|---|---|---|---|
)";

}  // namespace

TEST_CASE("rewriting saves the digits of textbook expressions and costs none") {
  std::string table;
  double before = 0, after = 0;
  for (const Formula& formula : corpus()) {
    const Loss loss = measured(formula);
    table += fmt::format("| `{}` | {} | {:.1f} | {:.1f} |\n", formula.name, formula.source,
                         loss.before, loss.after);
    before += loss.before;
    after += loss.after;
    CAPTURE(formula.name);
    CAPTURE(loss.at);
    CHECK(loss.worst <= 1);
    CHECK(loss.after <= loss.before + 0.05);
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
