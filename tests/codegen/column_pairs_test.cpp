// Sums of exponentials along outer axes, taken beside the maxima they are shifted by: values, bits,
// special numbers.
#include <algorithm>
#include <limits>
#include <type_traits>

#include "passes/derivatives/gradient.h"
#include "runtime/threads.h"
#include "stdlib/prelude/elementary/exp.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Columns that stay small, and eight with what is special about infinities, NaN and large numbers.
template <class T>
void plant(Array& a, std::int64_t m, std::int64_t n) {
  const T far = std::is_same_v<T, float> ? T(1e30) : T(1e300);
  for (std::int64_t i = 0; i < m; ++i) {
    T* row = a.data<T>() + i * n;
    const T special[] = {-std::numeric_limits<T>::infinity(),
                         i < 70 ? -std::numeric_limits<T>::infinity() : T(-1000),
                         i == m / 2 ? std::numeric_limits<T>::infinity() : T(1000),
                         i == m - 1 ? std::numeric_limits<T>::quiet_NaN() : T(1),
                         i < 64 ? far : T(0),
                         i < 64 ? -far : far,
                         static_cast<T>(i) * T(3),
                         static_cast<T>(m - i) * T(7)};
    for (std::int64_t j = 0; j < std::min<std::int64_t>(n, 8); ++j) row[j] = special[j];
  }
}

// Of the documented order: blocks of 64 rows below their maxima, then the blocks, each scaled.
template <class T>
std::vector<T> sums_below_maximum(const Array& x) {
  const std::int64_t rows = x.shape()[0], n = x.shape()[1];
  std::vector<T> sums(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    const auto at = [&](std::int64_t i) { return x.data<T>()[i * n + j]; };
    T top = at(0);
    for (std::int64_t i = 0; i < rows; ++i) top = std::max(top, at(i));
    T& sum = sums[static_cast<std::size_t>(j)];
    for (std::int64_t b = 0; b < rows; b += 64) {
      const std::int64_t end = std::min(b + 64, rows);
      T highest = at(b), part = 0;
      for (std::int64_t i = b; i < end; ++i) highest = std::max(highest, at(i));
      for (std::int64_t i = b; i < end; ++i) part += gn::exp(at(i) - highest);
      sum += part * gn::exp(highest - top);
    }
  }
  return sums;
}

template <class T>
void check_bits(DType t) {
  Samples random(51);
  const Expr x = tensor("x", t, {Dim::symbol("m"), Dim::symbol("n")});
  const Expr below = sum(exp(x - max(x, 0, keepdims)), 0);
  const Function alone = compile({x}, {below});
  // Rows in the loops of the maximum leave the sum to loops of its own.
  const Function more = compile({x}, {max(x, 0), sum(x, 1), x * 2, argmax(x, 0), below});
  for (const std::int64_t n : {1, 7, 40, 8200})
    for (const std::int64_t m : {1, 64, 65, 200}) {
      const Array a = random.small(t, {m, n});
      const Array wanted = Array::from(sums_below_maximum<T>(a));
      CHECK(difference(alone(std::vector<Array>{a})[0], wanted, 0) == "");
      CHECK(difference(more(std::vector<Array>{a})[4], wanted, 0) == "");
    }
}

}  // namespace

TEST_CASE("exponentials below the maximum of a column, with special numbers") {
  Samples random(50);
  for (const DType t : {DType::float32, DType::float64}) {
    const double tolerance = t == DType::float32 ? 2e-5 : 1e-12;
    Batch batch(fmt::format("columns_{}", name_of(t)));
    const Expr x = batch.input("x", random.small(t, {3, 5}));
    const Expr e = exp(x - max(x, 0, keepdims));
    batch.add("logsumexp", logsumexp(x, 0), tolerance);
    batch.add("softmax", softmax(x, 0), tolerance);
    batch.add("log_softmax", log_softmax(x, 0), tolerance);
    batch.add("by hand", e / sum(e, 0), tolerance);
    batch.add("gradient", grad(sum(logsumexp(x, 0)), x), tolerance);
    for (const std::int64_t n : {1, 8, 17, 70})
      for (const std::int64_t m : {1, 63, 64, 65, 200}) {
        Array a = random.small(t, {m, n});
        batch.check_with({a});
        if (t == DType::float32)
          plant<float>(a, m, n);
        else
          plant<double>(a, m, n);
        batch.check_with({a});
      }
  }
}

TEST_CASE("exponentials below the maximum of an axis between others, or of two") {
  Samples random(52);
  Batch batch("middle");
  const Expr x = batch.input("x", random.small(float64, {2, 70, 3}));
  batch.add("middle", logsumexp(x, 1), 1e-12);
  batch.add("middle, kept", logsumexp(x, 1, keepdims), 1e-12);
  batch.add("first two", logsumexp(x, {0, 1}), 1e-12);
  batch.add("softmax", softmax(x, 1), 1e-12);
  for (const std::int64_t n : {1, 5, 33})
    for (const std::int64_t m : {1, 64, 150}) batch.check_with({random.small(float64, {3, m, n})});
  batch.check_with({random.small(float64, {130, 2, 9})});
}

TEST_CASE("sums beside a maximum have the documented bits, whatever else is computed") {
  check_bits<float>(DType::float32);
  check_bits<double>(DType::float64);
}

TEST_CASE("sums beside a maximum have the same bits on one thread and on several") {
  Samples random(53);
  const Expr x = tensor("x", float32, {Dim::symbol("m"), Dim::symbol("n")});
  const Function f = compile({x}, {logsumexp(x, 0), softmax(x, 0)});
  const int before = pool().threads();
  for (const auto& shape : std::vector<std::vector<std::int64_t>>{{700, 300}, {20000, 6}}) {
    const Array a = random.small(float32, shape);
    set_threads(1);
    const Results one = f(std::vector<Array>{a});
    set_threads(3);
    const Results three = f(std::vector<Array>{a});
    for (std::size_t i = 0; i < 2; ++i) CHECK(difference(three[i], one[i], 0) == "");
  }
  set_threads(before);
}

TEST_CASE("a sum is paired with the maximum of its own axis only, and not by exact rewrites") {
  const Expr x = tensor("x", float64, {Dim::symbol("m"), Dim::symbol("n")});
  const auto is_paired = [&](const Expr& e, RewriteLevel level = RewriteLevel::all) {
    CompileOptions options;
    options.rewrites = level;
    options.cache = false;
    return compile({x}, {e}, {}, options).source().find("sum_with_max") != std::string::npos;
  };
  CHECK(is_paired(logsumexp(x, 0)));
  CHECK(is_paired(sum(exp(x - max(x, 0, keepdims)), 0)));
  CHECK(!is_paired(logsumexp(x, 0), RewriteLevel::exact));
  CHECK(!is_paired(logsumexp(x, 1)));
  CHECK(!is_paired(sum(exp(x - max(x, 1, keepdims)), 0)));
  CHECK(!is_paired(sum(exp(x - barrier(x)), 0)));
}
