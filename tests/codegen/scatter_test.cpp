// Writes whose places are data: in order, whatever the length, and the first wrong index is told.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Around the lanes of a vector and the blocks of places.
constexpr std::int64_t lengths[] = {0, 1, 7, 15, 16, 17, 63, 255, 256, 257, 300, 1000};
constexpr std::int64_t rows = 13;

Array places(Samples& samples, Extents shape, std::int64_t extent) {
  Array a = samples.small(DType::int64, shape);
  for (std::int64_t k = 0; k < a.size(); ++k)
    a.data<std::int64_t>()[k] = samples.below(2 * extent) - extent;  // from the end, too
  return a;
}

std::int64_t place(const Array& at, std::int64_t k, std::int64_t extent) {
  const std::int64_t i = at.data<std::int64_t>()[k];
  return i < 0 ? i + extent : i;
}

}  // namespace

TEST_CASE("scattered writes keep their order at every length") {
  const Expr x = vector("x"), v = vector("v"), i = vector("i", int64), c = vector("c", int32);
  const Function f = compile({x, c, i, v}, {{"set", set_at(x, {i}, v * 2.0)},
                                            {"add", inc_at(x, {i}, v / 3.0)},
                                            {"one", inc_at(x, {i}, 0.1)},
                                            {"count", inc_at(c, {i}, 1)}});
  Samples samples(1);
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    const Array base = samples.small(DType::float64, {rows}), from = places(samples, {n}, rows);
    const Array old = samples.small(DType::int32, {rows}), by = samples.small(DType::float64, {n});
    Array set = base.copy(), add = base.copy(), one = base.copy(), count = old.copy();
    for (std::int64_t k = 0; k < n; ++k) {
      const std::int64_t at = place(from, k, rows);
      set.data<double>()[at] = by.data<double>()[k] * 2.0;
      add.data<double>()[at] += by.data<double>()[k] / 3.0;
      one.data<double>()[at] += 0.1;
      count.data<std::int32_t>()[at] += 1;
    }
    const Results found = f(base, old, from, by);
    CHECK(difference(found["set"], set, 0) == "");
    CHECK(difference(found["add"], add, 0) == "");
    CHECK(difference(found["one"], one, 0) == "");
    CHECK(difference(found["count"], count, 0) == "");
  }
}

TEST_CASE("places of two indices, and index arrays of two axes") {
  const Expr x = matrix("x", float32), i = matrix("i", int64), j = vector("j", int64);
  const Function f = compile({x, i, j}, {inc_at(x, {i, j}, cast(i, float32) + 0.5F)});
  Samples samples(2);
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    const Array base = samples.small(DType::float32, {rows, 5});
    const Array down = places(samples, {3, n}, rows), along = places(samples, {n}, 5);
    Array wanted = base.copy();
    for (std::int64_t k = 0; k < 3 * n; ++k)
      wanted.data<float>()[place(down, k, rows) * 5 + place(along, k % n, 5)] +=
          static_cast<float>(down.data<std::int64_t>()[k]) + 0.5F;
    CHECK(difference(f(base, down, along)[0], wanted, 0) == "");
  }
}

TEST_CASE("counting is the same for any number of threads") {
  const Expr x = vector("x"), i = cast(x * 1000.0, int64);
  const Function f =
      compile({x}, {{"counts", inc_at(full({1000}, Expr(Array(std::int64_t{0}))), {i}, 1)},
                    {"bytes", inc_at(full({1000}, Expr(Array(std::uint8_t{250}))), {i}, i % 7)}});
  Samples samples(3);
  const int before = pool().threads();
  // Below 32768 there is one part.
  for (const std::int64_t n : {32767, 32769, 300'001}) {
    Array values = samples.small(DType::float64, {n});
    std::vector<std::int64_t> counts(1000);
    std::vector<std::uint8_t> bytes(1000, 250);
    for (std::int64_t k = 0; k < n; ++k) {
      const double value = values.data<double>()[k] = samples.uniform(0, 1);
      const auto at = static_cast<std::size_t>(value * 1000.0);
      ++counts[at];
      bytes[at] = static_cast<std::uint8_t>(bytes[at] + at % 7);
    }
    for (const int threads : {1, 2, 3, 16}) {
      set_threads(threads);
      const Results found = f(values);
      CHECK(found["counts"].to_vector<std::int64_t>() == counts);
      CHECK(found["bytes"].to_vector<std::uint8_t>() == bytes);
    }
  }
  set_threads(before);
}

TEST_CASE("many elements go to a place that is known") {
  const Expr x = vector("x"), count = vector("c", int64), m = matrix("m");
  const Expr two = count * 0 + 2;  // a constant, once it is simplified
  const Expr none = full({5}, Expr(Array(std::int64_t{0})));
  const Expr zeros = full({5, 3}, Expr(Array(0.0)));
  const Function f = compile({x, count, m}, {{"sum", inc_at(none, {two}, count)},
                                             {"float", inc_at(zeros, {two, 1}, x)},
                                             {"last", set_at(none, {two}, count)},
                                             {"most", maximum_at(none, {two}, count)},
                                             {"rows", inc_at(zeros, {two}, m)}});
  for (const std::int64_t n : lengths) {
    CAPTURE(n);
    Array values = Array::empty(DType::float64, {n}), counts = Array::empty(DType::int64, {n});
    Array rows = Array::empty(DType::float64, {n, 3});
    std::int64_t sum = 0, last = 0, most = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      last = counts.data<std::int64_t>()[i] = i % 50;
      sum += last, most = std::max(most, last);
      values.data<double>()[i] = static_cast<double>(last);
      for (std::int64_t j = 0; j < 3; ++j)
        rows.data<double>()[3 * i + j] = static_cast<double>(last + j);
    }
    const Results found = f(values, counts, rows);
    CHECK(found["sum"].to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0, sum, 0, 0});
    CHECK(found["last"].to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0, last, 0, 0});
    CHECK(found["most"].to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 0, most, 0, 0});
    CHECK(found["float"].to_vector<double>()[7] == static_cast<double>(sum));
    for (std::int64_t j = 0; j < 3; ++j)
      CHECK(found["rows"].to_vector<double>()[static_cast<std::size_t>(6 + j)] ==
            static_cast<double>(sum + j * n));
  }
}

TEST_CASE("scattered extremes keep NaN and the signs of zeros") {
  const auto check_extremes = [&]<class T>(T) {
    const DType dtype = dtype_of<T>;
    const Expr x = vector("x", dtype), v = vector("v", dtype), i = vector("i", int64);
    const Function f =
        compile({x, i, v}, {{"most", maximum_at(x, {i}, v)}, {"least", minimum_at(x, {i}, v)}});
    std::vector<T> values{T(0), T(3), T(-2), T(3), T(0), T(1)};
    if constexpr (std::is_floating_point_v<T>) {
      values.insert(values.end(), {T(-0.0), std::numeric_limits<T>::infinity(),
                                   -std::numeric_limits<T>::infinity(), T(0), T(-0.0)});
      values.push_back(std::numeric_limits<T>::quiet_NaN());
    }
    const auto by_two = [](T a, T b, bool greatest) -> T {
      if (a != a || b != b) return static_cast<T>(a + b);
      if (a == b && std::signbit(double(a)) != std::signbit(double(b)))
        return std::signbit(double(a)) == greatest ? b : a;
      return (greatest ? a < b : b < a) ? b : a;
    };
    Samples samples(8);
    for (const std::int64_t n : {1, 30, 300}) {
      CAPTURE(n);
      const auto some = [&](std::int64_t count) {
        Array a = Array::empty(dtype, {count});
        for (std::int64_t k = 0; k < count; ++k)
          a.data<T>()[k] = values[static_cast<std::size_t>(
              samples.below(static_cast<std::int64_t>(values.size())))];
        return a;
      };
      // Some places get no NaN, or it would be all that is left.
      const Array base = some(2 * rows), at = places(samples, {n}, 2 * rows), by = some(n);
      Array most = base.copy(), least = base.copy();
      for (std::int64_t k = 0; k < n; ++k) {
        T &m = most.data<T>()[place(at, k, 2 * rows)], &l = least.data<T>()[place(at, k, 2 * rows)];
        m = by_two(m, by.data<T>()[k], true), l = by_two(l, by.data<T>()[k], false);
      }
      const Results found = f(base, at, by);
      for (const auto& [name, wanted] : {std::pair{"most", most}, std::pair{"least", least}}) {
        const Array result = found[name];
        CHECK(difference(result, wanted, 0) == "");
        for (std::int64_t k = 0; k < 2 * rows; ++k)
          if (const T w = wanted.template data<T>()[k]; w == w)
            CHECK(std::signbit(double(result.template data<T>()[k])) == std::signbit(double(w)));
      }
    }
  };
  check_extremes(double{}), check_extremes(float{});
  check_extremes(std::int64_t{}), check_extremes(std::uint8_t{});
}

TEST_CASE("of several wrong indices the first is reported") {
  const Expr c = vector("c", int64), i = vector("i", int64);
  const Function f = compile({c, i}, {inc_at(c, {i}, 1)});
  const Array counts = Array::from<std::int64_t>({0, 0, 0});
  for (const std::int64_t n : {1, 20, 256, 700, 200'000})
    for (const std::int64_t first : {std::int64_t{0}, n / 2, n - 1}) {
      CAPTURE(n);
      CAPTURE(first);
      Array at = Array::from(std::vector<std::int64_t>(static_cast<std::size_t>(n)));
      for (std::int64_t k = first; k < n; ++k) at.data<std::int64_t>()[k] = k == first ? -4 : 3;
      const std::string told = fmt::format(
          "index -4 is out of range for axis 0 with extent 3 of c: i64[c.0] "
          "(position {})",
          first);
      CHECK_THROWS_WITH_AS(f(counts, at), doctest::Contains(told.c_str()), ValueError);
    }
}
