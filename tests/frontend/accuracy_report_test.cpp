// Reports of the accuracy of users' functions, against errors that are known.
#include "frontend/accuracy/accuracy.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "frontend/gnomon.h"
#include "frontend/mpfr/real_functions.h"
#include "ir/op/op.h"
#include "runtime/error.h"
#include "tests/support/matrix_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// The error of `found` in bits, by its definition.
double bits_of_error(double found, double exact, int digits) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::log2(1 + std::abs(found - exact) / std::ldexp(1.0, exponent - digits));
}

const RuleEffect& effect_of(const AccuracyReport& report, const std::string& name) {
  const auto found = std::ranges::find(report.rules, name, &RuleEffect::name);
  REQUIRE(found != report.rules.end());
  return *found;
}

}  // namespace

TEST_CASE("digits that cancel are lost as written and kept after rewriting") {
  const Expr x = scalar("x");
  AccuracyOptions options;
  options.ranges = {{x, {1e-300, 1e-20}}};
  // 1 + x is 1: exp(x) - 1 comes out as 0, which has no digit of x.
  const AccuracyReport report =
      accuracy_report({x}, {{"minus", exp(x) - 1}, {"plus", exp(x) + 1}}, options);
  REQUIRE(report.outputs.size() == 2);
  const OutputAccuracy& minus = report.outputs[0];
  CHECK(minus.name == "minus");
  CHECK(minus.compared == 400);
  CHECK(minus.before.mean > 52);
  CHECK(minus.before.worst.found == 0);
  CHECK(minus.before.worst.exact ==
        doctest::Approx(minus.before.worst.inputs[0].item<double>()).epsilon(1e-15));
  CHECK(minus.after.mean < 0.1);
  CHECK(minus.after.worst.bits <= 1);
  CHECK(minus.worsened.bits == 0);
  CHECK(report.outputs[1].before.worst.bits < 1);
  const std::string text = report.text();
  CHECK(text.find("minus\n  as written: ") != std::string::npos);
  CHECK(text.find(" bits: 0 for ") != std::string::npos);
  CHECK(text.find(" at x = ") != std::string::npos);
}

TEST_CASE("the worst point is in the range and has the error that is told") {
  const Expr x = tensor("x", DType::float32, {}), y = tensor("y", DType::float32, {});
  AccuracyOptions options;
  options.ranges = {{x, {1, 2}}, {y, {1, 2, true}}};
  options.rewrites = RewriteLevel::none;
  const AccuracyReport report = accuracy_report({x, y}, {square(x) - square(y)}, options);
  const LostBits& worst = report.outputs[0].before.worst;
  const float a = worst.inputs[0].item<float>(), b = worst.inputs[1].item<float>();
  CHECK((a >= 1 && a <= 2 && std::abs(b) >= 1 && std::abs(b) <= 2));
  CHECK(worst.found == static_cast<double>(a * a - b * b));
  const double exact = static_cast<double>(a) * a - static_cast<double>(b) * b;
  CHECK(worst.exact == exact);
  CHECK(worst.bits == doctest::Approx(bits_of_error(worst.found, exact, 24)));
  CHECK(report.outputs[0].after.mean == report.outputs[0].before.mean);
  CHECK(report.rules.empty());
}

TEST_CASE("samples are spread over all exponents of their range, and both signs") {
  std::set<int> exponents;
  int negative = 0;
  const std::vector<double> values = exact::sampled<double>({.both = true}, 400, 1);
  REQUIRE(values.size() == 400);
  for (const double v : values) {
    exponents.insert(std::ilogb(v) / 32);
    negative += v < 0;
  }
  CHECK(exponents.size() >= 63);
  CHECK((negative > 150 && negative < 250));
  const std::vector<double> few = exact::sampled<double>({-2, -2}, 50, 1);
  CHECK(few == std::vector<double>(50, -2.0));
  const std::vector<float> across = exact::sampled<float>({-1, 2}, 50, 1);
  CHECK(std::ranges::min(across) < 0);
  CHECK(std::ranges::max(across) > 0);
  CHECK((std::ranges::min(across) >= -1 && std::ranges::max(across) <= 2));
}

TEST_CASE("the rules that fired are told with what they save") {
  const Expr x = scalar("x");
  AccuracyOptions options;
  options.ranges = {{x, {1e-300, 1e-20}}};
  const AccuracyReport report = accuracy_report({x}, {exp(x) - 1}, options);
  const OutputAccuracy& output = report.outputs[0];
  const RuleEffect& helped = effect_of(report, "expm1");
  CHECK(helped.fired >= 1);
  CHECK(helped.saved == doctest::Approx(output.before.mean - output.after.mean));
  CHECK(report.rules[0].saved == helped.saved);
  CHECK(report.text().find("expm1 ") != std::string::npos);
  options.disabled_rules = {"expm1", "common_factor"};  // which finds 1 - exp(x)
  const AccuracyReport without = accuracy_report({x}, {exp(x) - 1}, options);
  CHECK(without.outputs[0].after.mean == doctest::Approx(output.before.mean));
  // softplus prepares what softplus_minus finds, which does nothing alone.
  options.disabled_rules = {"common_factor"};
  options.ranges = {{x, {10, 100}}};
  const AccuracyReport chain = accuracy_report({x}, {log(1 + exp(x)) - x}, options);
  CHECK(effect_of(chain, "softplus_minus").saved > 20);
  CHECK(chain.outputs[0].before.mean > 20);
  CHECK(chain.outputs[0].after.mean < 1);
  // logaddexp would save what softplus does.
  options.disabled_rules.clear();
  options.ranges = {{x, {-100, -20}}};
  const AccuracyReport either = accuracy_report({x}, {log(1 + exp(x))}, options);
  CHECK(effect_of(either, "softplus").saved > 20);
}

TEST_CASE("real values that 2400 bits do not tell are left out") {
  const Expr x = scalar("x");
  AccuracyOptions options;
  options.points = 100;
  // From about 1660 on 1 - sigmoid(x) is 0 in 2400 bits, and its logarithm -inf in place of -x.
  options.ranges = {{x, {2000, 1e6}}};
  const Expr y = log(1 - sigmoid(x));
  CHECK(accuracy_report({x}, {y}, options).outputs[0].compared == 0);
  options.ranges = {{x, {1000, 1600}}};
  const AccuracyReport known = accuracy_report({x}, {y}, options);
  CHECK(known.outputs[0].compared == 100);
  CHECK(known.outputs[0].before.mean == 64);
  CHECK(known.outputs[0].after.mean < 1);
  // exp(x) beyond the exponents of MPFR.
  options.ranges = {{x, {1e20, 1e300}}};
  CHECK(accuracy_report({x}, {log(exp(x))}, options).outputs[0].compared == 0);
  CHECK(accuracy_report({x}, {sin(exp(x))}, options).outputs[0].compared == 0);
  CHECK(accuracy_report({x}, {remainder(exp(x), 3)}, options).outputs[0].compared == 0);
  CHECK(accuracy_report({x}, {softplus(x)}, options).outputs[0].after.mean == 0);
}

TEST_CASE("arrays have the extents that are asked for, and errors are counted") {
  const Dim n = Dim::symbol("n");
  const Expr a = tensor("a", float64, {n, n});
  AccuracyOptions options;
  options.points = 20;
  options.ranges = {{a, {1, 2}}};
  options.extents = {{"n", 2}};
  const AccuracyReport report = accuracy_report({a}, {matmul(inv(a), a), sum(a)}, options);
  CHECK(report.refused == 0);
  CHECK(report.outputs[0].name == "output 0");
  CHECK(report.outputs[0].compared == 80);
  CHECK(report.outputs[1].compared == 20);
  CHECK(report.outputs[1].before.worst.bits < 2);
  const Expr refused = check(sum(a), sum(a) > 6, "expected more");
  const AccuracyReport some = accuracy_report({a}, {refused}, options);
  CHECK((some.refused > 0 && some.refused < 20));
  CHECK(some.outputs[0].compared == 20 - some.refused);
  CHECK(some.text().find("points that are an error: ") != std::string::npos);
  options.ranges = {{a, {1, 1}}};
  CHECK_THROWS_WITH_AS((void)accuracy_report({a}, {refused}, options),
                       doctest::Contains("expected more"), ValueError);
}

TEST_CASE("a form that is an error where the function is none has lost all bits") {
  const Expr x = scalar("x");
  AccuracyOptions options;
  options.points = 10;
  options.ranges = {{x, {1e-30, 1e-20}}};
  const AccuracyReport report =
      accuracy_report({x}, {check(x, 1 + x > 1, "expected more")}, options);
  CHECK(report.refused == 0);
  CHECK(report.outputs[0].before.mean == 64);
  CHECK(std::isnan(report.outputs[0].before.worst.found));
}

TEST_CASE("shared variables, integers and loops take part") {
  const SharedVariable w = shared(Array(0.5), "w");
  const Expr x = scalar("x"), k = scalar("k", DType::int64);
  const std::vector<Expr> y = fori(3, std::vector<Expr>{x}, [&](Expr, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * Expr(w) + cast(k, float64)};
  });
  AccuracyOptions options;
  options.points = 50;
  options.ranges = {{x, {1, 4}}, {k, {2, 5}}};
  int calls = 0;
  options.at_point = [&] { ++calls; };
  const AccuracyReport report = accuracy_report({x, k}, {y[0], k * 2}, options);
  CHECK(calls == 50);
  CHECK(report.inputs == std::vector<std::string>{"x", "k"});
  CHECK(report.outputs[0].compared == 50);
  const LostBits& worst = report.outputs[0].before.worst;
  CHECK(worst.bits < 2);
  const double at = worst.inputs[0].item<double>();
  const auto whole = static_cast<double>(worst.inputs[1].item<std::int64_t>());
  CHECK((whole >= 2 && whole <= 5));
  CHECK(worst.exact == doctest::Approx(at / 8 + whole * 1.75).epsilon(1e-15));
  CHECK(report.outputs[1].compared == 0);
}

TEST_CASE("what cannot be reported is refused by name") {
  const Expr x = scalar("x"), y = scalar("y");
  const auto refusal = [&](const Expr& output, const AccuracyOptions& options = {}) {
    return message_of([&] { (void)accuracy_report({x}, {output}, options); });
  };
  CHECK(refusal(exp(x), {.ranges = {{y, {0, 1}}}}) ==
        "accuracy_report: expected an input to give a range, found y: f64");
  CHECK(refusal(exp(x), {.ranges = {{x, {1, 0}}}}) ==
        "accuracy_report: expected a range of x, found 1 to 0");
  CHECK(refusal(exp(x), {.ranges = {{x, {-1, 1, true}}}}) ==
        "accuracy_report: expected a range of x, found -1 to 1 of both signs");
  CHECK(refusal(exp(x), {.extents = {{"n", 2}}}) ==
        "accuracy_report: expected the name of an extent (of ), found \"n\"");
  CHECK(refusal(exp(x), {.points = 0}) == "accuracy_report: expected at least one point, found 0");
  CHECK_THROWS_WITH_AS(
      (void)accuracy_report({x}, {gammainc(x, x)}),
      "accuracy_report: expected operations whose real functions are known, found gammainc",
      TypeError);
  CHECK(refusal(exp(x), {.points = 1 << 28}) ==
        "accuracy_report: expected at most 134217728 numbers of x in all, found 268435456 points "
        "with 1 each");
  const Expr z = tensor("z", DType::complex128, {});
  CHECK_THROWS_WITH_AS((void)accuracy_report({z}, {exp(z)}),
                       "accuracy_report: expected float32 or float64, found param(0): c128",
                       TypeError);
}

TEST_CASE("every operation on floats has its real function, but for those that are listed") {
  // Without a reference over the whole domain, or no function of real numbers at all.
  const std::set<std::string> without = {"gammainc", "gammaincc",  "gammaincinv",  "gammainccinv",
                                         "betainc",  "betaincinv", "ive",          "kve",
                                         "owens_t",  "jv",         "float16_bits", "bfloat16_bits"};
  std::set<std::string> missing;
  for (const Op* op : all_ops()) {
    if (!op->is_elementwise() || op->promotion == Promotion::boolean ||
        op->promotion == Promotion::choice)
      continue;
    const std::vector<Value> floats(static_cast<std::size_t>(op->operands < 0 ? 2 : op->operands),
                                    scalar("x").value());
    try {
      (void)make_node(*op, floats);
    } catch (const TypeError&) {
      continue;  // takes no floats
    }
    if (!exact::real_functions().contains(std::string(op->name)))
      missing.insert(std::string(op->name));
  }
  CHECK(missing == without);
}
