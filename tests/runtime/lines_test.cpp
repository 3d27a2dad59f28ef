// Routines along an axis: running sums, sorts, searches and selections against the reference
// evaluator, special values, thread counts and large arrays.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "passes/derivatives/gradient.h"
#include "runtime/threads.h"
#include "stdlib/arrays/along_axis.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/lines/running.h"
#include "stdlib/lines/sorting.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
const DType all_types[] = {bool_,  int8,   int16,  int32,   int64,  uint8,
                           uint16, uint32, uint64, float32, float64};

template <class T>
std::vector<T> elements(const Array& a) {
  const Array packed = a.contiguous();
  return std::vector<T>(packed.data<T>(), packed.data<T>() + packed.size());
}

Array value_of(const Expr& e) {
  const std::vector<Expr> inputs;
  const Function f = compile(inputs, {Output("y", e)});
  return f(std::vector<Array>{})[0];
}

Expr expr_of_list(std::vector<double> values) { return Expr(Array::from(values)); }

}  // namespace

TEST_CASE("running results of every dtype, along every axis, both ways") {
  Samples random(7);
  for (const DType t : all_types) {
    Batch batch(fmt::format("running_{}", name_of(t)));
    const Expr x = batch.input("x", random.small(t, {3, 4, 5}));
    const double error = t == float32 ? 1e-4 : t == float64 ? 1e-12 : 0;
    for (const Direction way : {Direction::forward, Direction::backward}) {
      for (const int axis : {0, 1, 2}) {
        batch.add("cumsum", cumsum(x, axis, way), error);
        batch.add("cumprod", cumprod(x, axis, way), error);
        batch.add("cummax", cummax(x, axis, way));
        batch.add("cummin", cummin(x, axis, way));
        if (t != bool_) batch.add("recurrence", linear_recurrence(x, x, axis, way), error);
      }
    }
    batch.add("of a sum", cumsum(x + x, 1) + 1, error);
    batch.compile();
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {3, 4, 5}, {1, 1, 1}, {0, 2, 3}, {2, 0, 3}, {2, 3, 0}, {17, 9, 3}})
      batch.check_with({random.small(t, {m, n, k})});
    if (!is_float(t)) batch.check_with({random.any(t, {2, 3, 700})});
  }
}

TEST_CASE("long running sums keep the accuracy of their chunks, for any number of threads") {
  const Expr x = vector("x");
  const std::vector<Expr> inputs = {x};
  const Function f =
      compile(inputs, {Output("y", cumsum(x)), Output("z", cumsum(x, 0, Direction::backward)),
                       Output("m", cummax(x))});
  Samples random(3);
  for (const std::int64_t n : {255, 256, 257, 2048, 2049, 100'003}) {
    const Array a = random.small(float64, {n});
    const int threads = pool().threads();
    set_threads(1);
    const Results one = f(std::vector<Array>{a});
    const std::vector<double> v = elements<double>(a);
    const std::vector<double> y = elements<double>(one[0]), z = elements<double>(one[1]);
    long double sum = 0;
    double worst = 0;
    for (std::size_t i = 0; i < v.size(); ++i) {
      sum += v[i];
      worst = std::max(worst, std::fabs(y[i] - static_cast<double>(sum)));
    }
    sum = 0;
    for (std::size_t i = v.size(); i-- > 0;) {
      sum += v[i];
      worst = std::max(worst, std::fabs(z[i] - static_cast<double>(sum)));
    }
    CHECK(worst < 1e-9);
    for (const int count : {2, 16}) {
      set_threads(count);
      const Results more = f(std::vector<Array>{a});
      for (std::size_t k = 0; k < 3; ++k) CHECK(difference(more[k], one[k], 0) == "");
    }
    set_threads(threads);
  }
}

TEST_CASE("NaN, infinities and negative zero run on") {
  const double inf = std::numeric_limits<double>::infinity();
  const auto sums = elements<double>(value_of(cumsum(expr_of_list({-0.0, 1, inf, -inf, 2}))));
  CHECK((std::signbit(sums[0]) && sums[1] == 1 && sums[2] == inf && std::isnan(sums[4])));
  const auto tops = elements<double>(value_of(cummax(expr_of_list({1, 3, no_number, 5, -inf}))));
  CHECK((tops[0] == 1 && tops[1] == 3 && std::isnan(tops[2]) && std::isnan(tops[4])));
}

TEST_CASE("the derivatives of a running product are right at zeros") {
  const Expr x = vector("x");
  const Expr w = expr_of_list({1, 10, 100, 1000});
  const std::vector<Expr> inputs = {x};
  const Function f = compile(inputs, {Output("g", grad(sum(cumprod(x) * w), x))});
  // y = (a, ab, abc, abcd) at (2, 0, 3, 0).
  CHECK(elements<double>(f(std::vector<Array>{Array::from(std::vector<double>{2, 0, 3, 0})})[0]) ==
        std::vector<double>{1, 620, 0, 0});
}

TEST_CASE("sorts of every dtype, along every axis, both ways") {
  Samples random(11);
  for (const DType t : all_types) {
    Batch batch(fmt::format("sorts_{}", name_of(t)));
    const Expr x = batch.input("x", random.small(t, {3, 4, 5}));
    for (const Order order : {Order::ascending, Order::descending}) {
      for (const int axis : {0, 1, 2}) {
        batch.add("sort", sort(x, axis, order), 1e-300);  // of zeros the sign may differ
        batch.add("argsort", argsort(x, axis, order));
        batch.add("argtopk", argtopk(x, 1, axis, order));
      }
    }
    batch.add("topk", topk(x, 1, 0));
    batch.compile();
    for (const auto& [m, n, k] : std::vector<std::array<std::int64_t, 3>>{
             {3, 4, 5}, {1, 1, 1}, {17, 9, 3}, {2, 3, 1200}, {2, 1500, 9}})
      batch.check_with({random.any(t, {m, n, k})});
  }
}

TEST_CASE("sorts of nothing, and more than there are") {
  const Expr x = matrix("x");
  const std::vector<Expr> inputs = {x};
  const Function f = compile(inputs, {Output("s", sort(x)), Output("a", argsort(x, 0))});
  CHECK(f(std::vector<Array>{Array::empty(float64, Extents{2, 0})})[0].describe() ==
        Array::empty(float64, Extents{2, 0}).describe());
  const Function g = compile(inputs, {Output("k", argtopk(x, 3))});
  CHECK_THROWS_AS(g(std::vector<Array>{Array::empty(float64, Extents{2, 2})}), ValueError);
  CHECK_THROWS_AS(argtopk(expr_of_list({1, 2}), 3), ValueError);
}

TEST_CASE("a sort of a million elements is the standard library's, for any number of threads") {
  Samples random(5);
  for (const DType t : {float64, float32, int32}) {
    const Expr x = vector("x", t);
    const std::vector<Expr> inputs = {x};
    const Function f = compile(
        inputs, {Output("s", sort(x)), Output("a", argsort(x)), Output("k", topk(x, 1000))});
    const Array a = random.small(t, {1'000'003});
    with_type(t, [&]<class T>(T) {
      const std::vector<T> v = elements<T>(a);
      std::vector<T> sorted = v;
      std::sort(sorted.begin(), sorted.end());
      std::vector<std::int64_t> places(v.size());
      std::iota(places.begin(), places.end(), 0);
      std::stable_sort(places.begin(), places.end(), [&](std::int64_t i, std::int64_t j) {
        return v[static_cast<std::size_t>(i)] < v[static_cast<std::size_t>(j)];
      });
      const int threads = pool().threads();
      for (const int count : {1, 2, 16}) {
        set_threads(count);
        const Results found = f(std::vector<Array>{a});
        CHECK(elements<T>(found[0]) == sorted);
        CHECK(elements<std::int64_t>(found[1]) == places);
        const std::vector<T> top = elements<T>(found[2]);
        CHECK(std::equal(top.begin(), top.end(), sorted.rbegin()));
      }
      set_threads(threads);
    });
  }
}

TEST_CASE("searches") {
  Samples random(13);
  for (const DType t : {int8, uint64, float32, float64}) {
    Batch batch(fmt::format("searches_{}", name_of(t)));
    const Expr line = batch.input("line", random.any(t, {9}));
    const Expr x = batch.input("x", random.any(t, {4, 7}));
    batch.add("left", searchsorted(sort(line), x));
    batch.add("right", searchsorted(sort(line), x, Side::right));
    batch.compile();
    for (const std::int64_t n : {9, 1, 0, 100})
      batch.check_with({random.any(t, {n}), random.any(t, {3, n})});
  }
}

TEST_CASE("selections by masks, whose extents the call computes") {
  Samples random(17);
  Batch batch("selections");
  const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
  const Expr x = batch.input("x", random.small(float64, {4, 5}), {m, n});
  const Expr v = batch.input("v", random.small(float64, {5}), {n});
  const Expr mask = x > 1;
  batch.add("selected", x(mask), 1e-15);
  batch.add("sum", sum(exp(x(mask))), 1e-12);
  batch.add("columns", x(ellipsis, v > 0));
  batch.add("rows", x(cumsum(x, 1)(all_of, 0) > 0));
  batch.add("flat", flatnonzero(mask));
  batch.add("rows of indices", argwhere(mask));
  batch.add("set", set_at(x, {mask}, 7));
  batch.add("increased", inc_at(x, {mask}, x(mask)), 1e-15);
  batch.add("compress", compress(v > 0, x, 1));
  batch.add("extract", extract(mask, x));
  batch.add("gradient", grad(sum(square(x(mask))), x), 1e-15);
  const Unique found = unique(floor(x));
  batch.add("values", found.values), batch.add("places", found.indices);
  batch.add("inverse", found.inverse), batch.add("counts", found.counts);
  batch.add("unique_values", unique_values(floor(x)));
  batch.add("unique_counts", unique_counts(floor(x)).second);
  batch.compile();
  for (const auto& [a, b] :
       std::vector<std::array<std::int64_t, 2>>{{4, 5}, {1, 1}, {0, 3}, {3, 0}, {300, 301}})
    batch.check_with({random.small(float64, {a, b}), random.small(float64, {b})});
}

TEST_CASE("a mask must have the extents of what it selects from") {
  const Expr x = tensor("x", float64, {4});
  CHECK_THROWS_AS(x(tensor("m", bool_, {5})), ValueError);
  const Expr y = vector("y"), mask = vector("mask", bool_);
  const std::vector<Expr> inputs = {y, mask};
  const Function f = compile(inputs, {Output("s", y(mask))});
  const Array three = Array::from(std::vector<double>{1, 2, 3});
  CHECK_THROWS_AS(f(std::vector<Array>{three, Array::empty(bool_, Extents{2})}), ValueError);
}

TEST_CASE("quantiles as NumPy's, and their derivatives") {
  // np.quantile([3, 1, 4, 1, 5, 9, 2, 6], [0.1, 0.5, 0.93])
  const Expr x = expr_of_list({3, 1, 4, 1, 5, 9, 2, 6});
  const auto q = elements<double>(value_of(quantile(x, expr_of_list({0.1, 0.5, 0.93}))));
  CHECK((q[0] == 1.0 && q[1] == 3.5 && q[2] == doctest::Approx(7.53)));
  CHECK(elements<double>(value_of(quantile(x, 0.3, 0, Interpolation::lower)))[0] == 2);
  CHECK(elements<double>(value_of(quantile(x, 0.3, 0, Interpolation::higher)))[0] == 3);
  CHECK(elements<double>(value_of(quantile(x, 0.3, 0, Interpolation::midpoint)))[0] == 2.5);
  CHECK(std::isnan(elements<double>(value_of(median(expr_of_list({1, no_number, 2}))))[0]));
  const Expr y = vector("y");
  const std::vector<Expr> inputs = {y};
  const Function f = compile(inputs, {Output("g", grad(median(y), y))});
  CHECK(elements<double>(f(std::vector<Array>{Array::from(std::vector<double>{4, 1, 3, 9})})[0]) ==
        std::vector<double>{0.5, 0, 0.5, 0});
}

TEST_CASE("counts") {
  const Expr x = Expr(Array::from(std::vector<std::int64_t>{1, 4, 1, 0}));
  CHECK(elements<std::int64_t>(value_of(bincount(x, 6))) ==
        std::vector<std::int64_t>{1, 2, 0, 0, 1, 0});
  CHECK(elements<double>(value_of(bincount(x, 5, expr_of_list({1, 2, 4, 8})))) ==
        std::vector<double>{8, 5, 0, 0, 2});
  // np.histogram([1, 2, 1, 4, 4.5], [0, 1, 2, 4])[0]
  CHECK(elements<std::int64_t>(
            value_of(histogram(expr_of_list({1, 2, 1, 4, 4.5}), expr_of_list({0, 1, 2, 4})))) ==
        std::vector<std::int64_t>{0, 2, 2});
  const Expr keys[] = {expr_of_list({3, 1, 2, 1}), expr_of_list({0, 1, 0, 0})};
  CHECK(elements<std::int64_t>(value_of(lexsort(keys))) == std::vector<std::int64_t>{3, 2, 0, 1});
}
