// Kernels of rows, columns and streams: places of extremes, the order of sums, divisions by one
// number, stores past the caches.
#include <cmath>

#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Of the documented order: blocks of 64 rows, each from 0, then the blocks from 0.
template <class T>
std::vector<T> column_sums(const Array& x) {
  const std::int64_t rows = x.shape()[0], n = x.shape()[1];
  std::vector<T> sums(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t b = 0; b < rows; b += 64) {
      T block = 0;
      for (std::int64_t i = b; i < std::min(b + 64, rows); ++i) block += x.data<T>()[i * n + j];
      sums[static_cast<std::size_t>(j)] += block;
    }
  return sums;
}

// Of x * y[i, j, 0] over axis `axis` of x[i, j, k], each product added in one rounding.
template <class T>
Array outer_products(const Array& x, const Array& y, std::size_t axis) {
  const std::int64_t count = x.shape()[axis], rows = x.shape()[1 - axis], columns = x.shape()[2];
  const std::int64_t step = axis == 0 ? rows : 1;  // rows from term to term
  Array sums = Array::empty(x.dtype(), {rows, columns});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t k = 0; k < columns; ++k) {
      const std::int64_t first = axis == 0 ? r : r * count;
      T total = 0;
      for (std::int64_t b = 0; b < count; b += 64) {
        T block = 0;
        for (std::int64_t i = b; i < std::min(b + 64, count); ++i) {
          const std::int64_t row = first + i * step;
          block = std::fma(x.data<T>()[row * columns + k], y.data<T>()[row], block);
        }
        total += block;
      }
      sums.data<T>()[r * columns + k] = total;
    }
  return sums;
}

}  // namespace

TEST_CASE("places of extremes in rows and columns of any dtype and length") {
  Samples random(41);
  for (const DType t : {DType::float32, DType::float64, DType::int8, DType::uint64, DType::bool_}) {
    Batch batch(fmt::format("places_{}", name_of(t)));
    const Expr x = batch.input("x", random.any(t, {3, 5}));
    for (const int axis : {0, 1}) {
      const auto [most, first_most] = max_and_argmax(x, axis);
      const auto [least, first_least] = min_and_argmin(x, axis);
      const double zeros_of_either_sign = is_float(t) ? 1e-300 : 0;
      batch.add("max", most, zeros_of_either_sign);
      batch.add("argmax", first_most);
      batch.add("min", least, zeros_of_either_sign);
      batch.add("argmin", first_least);
    }
    batch.compile();
    for (const std::int64_t n : {1, 15, 17, 64, 70, 200})
      for (const std::int64_t m : {1, 63, 65, 130}) batch.check_with({random.any(t, {m, n})});
    batch.check_with({random.any(t, {70, 8200})});
    batch.check_with({random.any(t, {9000, 3})});
  }
}

TEST_CASE("the first place counts where nothing beats the start of a search") {
  for (const double number : {-inf, inf, std::nan(""), 0.0}) {
    Batch batch("starts");
    const auto all = [&](Extents shape) {
      Array a = Array::empty(float32, shape);
      std::fill_n(a.data<float>(), a.size(), static_cast<float>(number));
      return a;
    };
    const Expr x = batch.input("x", all({3, 5}));
    for (const int axis : {0, 1}) {
      batch.add("argmax", argmax(x, axis));
      batch.add("argmin", argmin(x, axis));
    }
    for (const std::int64_t n : {1, 16, 65, 8200}) batch.check_with({all({70, n})});
    batch.check_with({all({8200, 7})});
  }
}

TEST_CASE("columns are summed in the documented order, whatever else their kernel does") {
  Samples random(42);
  const Expr x = tensor("x", float32, {Dim::symbol("m"), Dim::symbol("n")});
  const Function alone = compile({x}, {sum(x, 0)});
  const Function more = compile({x}, {sum(x, 0), x * 2, max(x, 0), argmax(x, 0), sum(x * x, 0)});
  for (const std::int64_t n : {1, 10, 64, 100, 8200})
    for (const std::int64_t m : {1, 16, 17, 64, 65, 200}) {
      const Array a = random.small(float32, {m, n});
      const Array wanted = Array::from(column_sums<float>(a));
      CHECK(difference(alone(std::vector<Array>{a})[0], wanted, 0) == "");
      CHECK(difference(more(std::vector<Array>{a})[0], wanted, 0) == "");
    }
}

TEST_CASE("sums over outer axes of three add products in one rounding, in the documented order") {
  Samples random(45);
  const auto check = [&]<class T>(T) {
    const DType t = sizeof(T) == 4 ? float32 : float64;
    for (const Dim& last : {Dim::symbol("k"), Dim(16), Dim(3)}) {
      const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
      const Expr x = tensor("x", t, {m, n, last}), y = tensor("y", t, {m, n});
      const Expr product = x * expand_dims(y, 2);
      const Function f = compile({x, y}, {sum(product, 0), sum(product, 1)});
      const auto try_with = [&](std::int64_t rows, std::int64_t columns, std::int64_t k) {
        const Array a = random.small(t, {rows, columns, k}), b = random.small(t, {rows, columns});
        const Results sums = f(std::vector<Array>{a, b});
        CHECK(difference(sums[0], outer_products<T>(a, b, 0), 0) == "");
        CHECK(difference(sums[1], outer_products<T>(a, b, 1), 0) == "");
      };
      const std::vector<std::int64_t> lengths =
          last.is_constant() ? std::vector{last.constant()} : std::vector<std::int64_t>{1, 9, 40};
      for (const std::int64_t k : lengths)
        for (const auto& [rows, columns] : {std::pair{1, 65}, {66, 5}, {130, 64}, {0, 3}})
          try_with(rows, columns, k);
    }
  };
  check(float{});
  check(double{});
}

TEST_CASE("one thread and several give the same bits in rows and columns") {
  Samples random(43);
  const Expr x = tensor("x", float64, {Dim::symbol("m"), Dim::symbol("n")});
  const Function f = compile({x}, {sum(x, 0), softmax(x), logsumexp(x, 0), argmax(x, 0), sum(x),
                                   argmax(x, 1), mean(square(x - mean(x, 1, keepdims)), 1)});
  const int before = pool().threads();
  const std::vector<std::vector<std::int64_t>> shapes = {{700, 300}, {3, 50000}, {20000, 6}};
  for (const auto& shape : shapes) {
    const Array a = random.small(float64, shape);
    set_threads(1);
    const Results one = f(std::vector<Array>{a});
    set_threads(3);
    const Results three = f(std::vector<Array>{a});
    for (std::size_t i = 0; i < 7; ++i) CHECK(difference(three[i], one[i], 0) == "");
  }
  set_threads(before);
}

TEST_CASE("dividing by one number gives the bits of true division") {
  Samples random(44);
  for (const DType t : {DType::float32, DType::float64}) {
    Batch batch("divisions");
    const Expr x = batch.input("x", random.any(t, {4, 200}));
    const Expr s = batch.input("s", random.any(t, {}), {});
    const Expr r = batch.input("r", random.any(t, {4, 1}), {x.dim(0), 1});
    batch.options.rewrites = RewriteLevel::exact;
    batch.add("by a scalar", x / s);
    batch.add("by a number of each row", x / r);
    batch.compile();
    for (int round = 0; round < 40; ++round)
      batch.check_with({random.any(t, {4, 200}), random.any(t, {}), random.any(t, {4, 1})});
    for (int round = 0; round < 40; ++round)
      batch.check_with({random.small(t, {4, 200}), random.small(t, {}), random.small(t, {4, 1})});
  }
}

TEST_CASE("what is too large for the caches is stored past them") {
  const Expr x = tensor("x", float64, {Dim::symbol("m"), Dim::symbol("n")});
  const Expr below = x - max(x, 1, keepdims);
  CompileOptions options;
  options.cache = false;
  const Function f = compile({x}, {x * 2 + 1, below, cast(below, float32)}, {}, options);
  CHECK(f.source().find("gn::led_loop<") != std::string::npos);
  for (const std::int64_t n : {5, 1000, 1001, 2200001}) {
    const std::int64_t m = 2200000 / n + 1;
    Array a = Array::empty(float64, {m, n});
    for (std::int64_t i = 0; i < a.size(); ++i) a.data<double>()[i] = static_cast<double>(i % n);
    const Results got = f(std::vector<Array>{a});
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      const auto at = static_cast<double>(i % n);
      wrong += got[0].data<double>()[i] != 2 * at + 1;
      wrong += got[1].data<double>()[i] != at - static_cast<double>(n - 1);
      wrong += got[2].data<float>()[i] != static_cast<float>(at - static_cast<double>(n - 1));
    }
    CHECK(wrong == 0);
  }
}
