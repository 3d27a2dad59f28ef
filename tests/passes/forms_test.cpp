// A difference that a rule knows is found in whatever way it comes to stand in an expression.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "frontend/accuracy/accuracy.h"
#include "ir/reference/evaluate.h"
#include "passes/derivatives/gradient.h"
#include "tests/support/forms.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

OutputAccuracy accuracy_of(const Form& form, const Way& way) {
  const Expr x = scalar("x"), y = scalar("y"), z = scalar("z"), w = scalar("w");
  AccuracyOptions options;
  options.points = 24;
  options.seed = 3;
  options.ranges = {
      {x, form.x}, {y, form.y}, {z, {0x1p-50, 0x1p50, true}}, {w, {0x1p-950, 0x1p-850}}};
  const Expr expression = way.of(form.f(x, y), form.g(x, y), z, w);
  return accuracy_report({x, y, z, w}, {expression}, options).outputs[0];
}

}  // namespace

TEST_CASE("factors, powers and further terms hide no difference that a rule knows") {
  for (const Form& form : forms()) {
    double plain = 0;
    for (const Way& way : ways()) {
      if (way.needs_powers && !form.has_powers) continue;
      CAPTURE(form.name);
      CAPTURE(way.name);
      const OutputAccuracy loss = accuracy_of(form, way);
      if (&way == &ways().front()) plain = loss.after.mean;
      CHECK(loss.compared >= 15);
      CHECK(plain < 2);
      CHECK(loss.after.mean <= plain + 1);
      CHECK(loss.worsened.bits <= 1);
    }
  }
}

TEST_CASE("derivatives of functions that vanish at 0 over x keep their digits") {
  const Expr x = scalar("x");
  const auto found = [&](const Expr& f, int order, double at) {
    Expr derivative = f;
    for (int i = 0; i < order; ++i) derivative = grad(derivative, x);
    const Array inputs[] = {Array(at)};
    return evaluate(run_passes(derivative), inputs)[0].item<double>();
  };
  // By the first terms of the series; what is left out is below 1e-15 of the value.
  const Expr versine = (1 - cos(x)) / square(x), exprel = (exp(x) - 1) / x;
  CHECK(found(versine, 1, 1e-8) == doctest::Approx(-1e-8 / 12).epsilon(1e-14).scale(0));
  CHECK(found(versine, 2, 1e-8) == doctest::Approx(-1.0 / 12).epsilon(1e-14).scale(0));
  CHECK(found(exprel, 1, -1e-9) == doctest::Approx(0.5 - 1e-9 / 3).epsilon(1e-14).scale(0));
  CHECK(found(exprel, 4, 1e-9) == doctest::Approx(0.2 + 1e-9 / 6).epsilon(1e-14).scale(0));
  CHECK(found(x / (exp(x) - 1), 1, 1e-9) ==
        doctest::Approx(-0.5 + 1e-9 / 6).epsilon(1e-14).scale(0));
  CHECK(found(sin(x) / x, 1, 1e-9) == doctest::Approx(-1e-9 / 3).epsilon(1e-14).scale(0));
  CHECK(found(log(1 - x) / log(1 + x), 1, 1e-9) ==
        doctest::Approx(-1 - 1e-9).epsilon(1e-14).scale(0));
  CHECK(found(1 / x - 1 / tan(x), 1, 1e-9) == doctest::Approx(1.0 / 3).epsilon(1e-14).scale(0));
}

TEST_CASE("the derivative of an expression is that of its stable form, unless it is not wanted") {
  const Expr x = scalar("x"), f = (1 - cos(x)) / square(x);
  const std::vector<Expr> by_rule = grad(f, {x}, {Disconnected::error, {}, true});
  const Array inputs[] = {Array(1e-8)};
  const double exact = -1e-8 / 12;
  CHECK(evaluate(run_passes(by_rule[0]), inputs)[0].item<double>() !=
        doctest::Approx(exact).epsilon(0.1).scale(0));
  CHECK(evaluate(run_passes(grad(f, x)), inputs)[0].item<double>() ==
        doctest::Approx(exact).epsilon(1e-14).scale(0));
  // What cancels in the stable form is no missing influence.
  const Expr one = square(cosh(x)) - square(sinh(x));
  CHECK(constant_value(run_passes(grad(one, x)).outputs[0]) == 0.0);
  // Nothing is rewritten where no rule has anything to say.
  CHECK(grad(square(x) * 3 + x, x).value() ==
        grad(square(x) * 3 + x, {x}, {Disconnected::error, {}, true})[0].value());
}

TEST_CASE("derivatives of logarithms of sums of exponentials overflow no more than these") {
  const Expr x = tensor("x", DType::float64, {Dim(3), Dim(4)});
  std::vector<double> numbers;
  for (int k = 0; k < 12; ++k) numbers.push_back(k % 5 * 400.0 - 900.0);
  const Array inputs[] = {Array::from(numbers).reshape({3, 4})};
  const auto slopes = [&](const Expr& y) {
    return evaluate(run_passes(grad(sum(y * y), x)), inputs)[0];
  };
  for (const Axes& axes : {Axes{0}, Axes{1}, Axes{0, 1}})
    for (const Keepdims keep : {Keepdims::no, Keepdims::yes})
      for (const double scale : {1.0, -2.0}) {
        const Array wanted = slopes(logsumexp(x * scale, axes, keep));
        const Array found = slopes(log(sum(exp(x * scale), axes, keep)));
        for (std::int64_t k = 0; k < 12; ++k) {
          const double value = static_cast<const double*>(found.data())[k];
          const double exact = static_cast<const double*>(wanted.data())[k];
          CHECK(std::isfinite(value));
          CHECK(value == doctest::Approx(exact).epsilon(1e-12));
        }
        const Array mean_found = slopes(log(mean(exp(x * scale), axes, keep)));
        for (std::int64_t k = 0; k < 12; ++k)
          CHECK(std::isfinite(static_cast<const double*>(mean_found.data())[k]));
      }
}
