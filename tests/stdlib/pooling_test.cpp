// Pooling: values by hand and by the reference evaluator, special numbers, types and errors.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "passes/derivatives/gradient.h"
#include "tests/support/compiled_support.h"
#include "tests/support/op_texts.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using Numbers = std::vector<double>;

Numbers pooled_value(const Expr& x, const Expr& e, const Numbers& at) {
  const Function f = compile({x}, {e});
  return f(Array::from(at))[0].to_vector<double>();
}

// The same numbers, NaN for NaN.
bool same_numbers(const Numbers& a, const Numbers& b) {
  return difference(Array::from(a), Array::from(b), 0).empty();
}

}  // namespace

TEST_CASE("the gradient of a largest element goes to the first of equals") {
  const Expr x = tensor("x", float64, {6});
  const Expr y = max_pool(x, {3});
  CHECK(same_numbers(pooled_value(x, y, {1, 5, 5, 2, 2, 2}), {5, 2}));
  CHECK(same_numbers(pooled_value(x, grad(sum(y * 3), x), {1, 5, 5, 2, 2, 2}), {0, 3, 0, 3, 0, 0}));
  // Overlapping windows add up.
  const Expr z = max_pool(x, {3}, {1});
  CHECK(same_numbers(pooled_value(x, grad(sum(z), x), {1, 5, 5, 2, 2, 2}), {0, 2, 1, 1, 0, 0}));
}

TEST_CASE("a NaN is the largest of its window, the first of several") {
  const Expr x = tensor("x", float64, {6});
  const Expr y = max_pool(x, {3});
  const Numbers at = {1, not_a_number, not_a_number, -infinite, -infinite, -infinite};
  CHECK(same_numbers(pooled_value(x, y, at), {not_a_number, -infinite}));
  CHECK(same_numbers(pooled_value(x, grad(sum(where(isnan(y), y, y)), x), at), {0, 1, 0, 1, 0, 0}));
}

TEST_CASE("padding is never the largest and counts as 0 in sums") {
  const Expr x = tensor("x", float64, {5});
  CHECK(same_numbers(pooled_value(x, max_pool(x, {3}, {2}, {1}), {-1, -2, -3, -4, -5}),
                     {-1, -2, -4}));
  CHECK(same_numbers(pooled_value(x, sum_pool(x, {3}, {2}, {1}), {-1, -2, -3, -4, -5}),
                     {-3, -9, -9}));
  CHECK(same_numbers(pooled_value(x, avg_pool(x, {3}, {2}, {1}), {-1, -2, -3, -4, -5}),
                     {-1.5, -3, -4.5}));
  CHECK(
      same_numbers(pooled_value(x, grad(sum(max_pool(x, {3}, {2}, {1})), x), {-1, -2, -3, -4, -5}),
                   {1, 1, 0, 1, 0}));
  CHECK(same_numbers(pooled_value(x, sum_pool(x, {2}), {infinite, 1, not_a_number, 2, 9}),
                     {infinite, not_a_number}));
}

TEST_CASE("compiled pools and their derivatives have the reference's values") {
  Samples samples(3);
  Batch batch("pools");
  const Expr x = batch.input("x", samples.small(float32, {2, 3, 20, 37}));
  const Expr d = batch.input("d", samples.small(float64, {2, 9, 7, 40}));
  const auto both_ways = [&](const char* name, const Expr& y, const Expr& of) {
    batch.add(name, y, 1e-6);
    batch.add(name, grad(sum(y * y), of), 1e-6);
  };
  both_ways("max", max_pool(x, {2, 2}), x);
  both_ways("max of relu", max_pool(maximum(x, 0) * 2, {2, 2}), x);
  both_ways("max overlapping", max_pool(x, {3, 3}, {2, 2}, {1}), x);
  both_ways("max uneven", max_pool(d, {3, 2}, {1, 3}, {0, 1, 1, 0}), d);
  both_ways("max of three axes", max_pool(d, {2, 2, 2}), d);
  both_ways("sum", sum_pool(x, {2, 3}), x);
  both_ways("mean", avg_pool(d, {3, 3}, {2, 1}, {1}), d);
  const std::vector<Expr> pooled = {max_pool(x, {2, 2})}, at = {x}, tangents = {x * 3};
  batch.add("tangent", jvp(pooled, at, tangents)[0], 1e-6);
  CHECK(batch.check());
  CHECK(batch.check_with(
      {samples.any(float32, {1, 2, 4, 18}), samples.small(float64, {1, 3, 3, 5})}));
  CHECK(batch.check_with(
      {samples.small(float32, {0, 1, 3, 3}), samples.small(float64, {1, 2, 3, 3})}));
}

TEST_CASE("types of pools and mistakes in them") {
  const Expr x = tensor("x", float32, {2, Dim::symbol("h"), 9});
  CHECK(max_pool(x, {2, 2}).type().text() == "f32[2, floor(h / 2), 4]");
  CHECK(max_pool(x, {3}, {1}, {1}).type().text() == "f32[2, h, 9]");
  CHECK(max_pool(cast(x, DType::int32), {3}).type().text() == "i32[2, h, 3]");
  CHECK(avg_pool(cast(x, DType::int32), {3}).type().text() == "f64[2, h, 3]");
  CHECK(error_of([&] { max_pool(x > 0, {2}); }).starts_with("max_pool: expected numbers, found"));
  CHECK(error_of([&] { max_pool(x, {2, 2, 2, 2}); }) ==
        "max_pool: expected windows over 1 to 3 axes of x: f32[2, h, 9], found 4");
  CHECK(error_of([&] { sum_pool(x, {0}); }) ==
        "sum_pool: expected size of at least 1 for each of 1 spatial axes, found (0)");
  CHECK(error_of([&] { max_pool(x, {10}); }) ==
        "max_pool: expected windows that fit the image, found a window over 10 of 9 elements");
  CHECK(error_of([&] { max_pool(x, {2}, {2}, {2}); }) ==
        "max_pool: expected padding below the window's size 2, found (2, 2)");
  CHECK(error_of([&] { max_pool(x, {2}, {2, 2}); }) ==
        "max_pool: expected stride of at least 1 for each of 1 spatial axes, found (2, 2)");
}
