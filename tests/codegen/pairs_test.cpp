// Functions of each pair of rows of two matrices: distances, kernels, of open and of known lengths.
#include <cmath>

#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

Expr gaps(const Expr& x, const Expr& y) { return expand_dims(x, 1) - expand_dims(y, 0); }

Array first_rows(const Array& a, std::int64_t rows) {
  Array part = Array::empty(a.dtype(), {rows, a.shape()[1]});
  std::memcpy(part.data(), a.data(), static_cast<std::size_t>(part.size()) * size_of(a.dtype()));
  return part;
}

// Whether the columns of `part` are the first ones of `whole`, bit by bit.
bool has_first_columns(const Array& whole, const Array& part) {
  const std::size_t size = size_of(whole.dtype());
  const auto bytes = [&](const Array& a, std::int64_t row) {
    return static_cast<const char*>(a.data()) + static_cast<std::size_t>(row * a.shape()[1]) * size;
  };
  for (std::int64_t i = 0; i < whole.shape()[0]; ++i)
    if (std::memcmp(bytes(whole, i), bytes(part, i),
                    static_cast<std::size_t>(part.shape()[1]) * size) != 0)
      return false;
  return true;
}

}  // namespace

TEST_CASE("pairs of rows of any length") {
  Samples random(91);
  for (const DType t : {float32, float64}) {
    const auto inputs = [&](std::int64_t n, std::int64_t m, std::int64_t d) {
      return std::vector<Array>{random.small(t, {n, d}), random.small(t, {m, d})};
    };
    Batch batch(fmt::format("pairs_{}", name_of(t)));
    batch.options.cache = false;
    const Dim d = Dim::symbol("d");
    const auto first = inputs(5, 9, 3);
    const Expr x = batch.input("x", first[0], {Dim::symbol("n"), d});
    const Expr y = batch.input("y", first[1], {Dim::symbol("m"), d});
    const double error = 512 * (t == float32 ? 6e-8 : 1.2e-16);
    const Expr squares = sum(square(gaps(x, y)), 2);
    batch.add("distances", sqrt(squares), error);
    batch.add("kernel", exp(-0.03 * squares), error);
    batch.add("farthest", max(absolute(gaps(x, y)), 2), error);
    batch.add("any", any(greater(gaps(x, y), 7), 2));
    batch.add("sums of rows", sum(exp(-0.03 * squares), 1), error);
    batch.compile();
    CHECK(batch.function->source().find(" <= 64 && ") != std::string::npos);
    for (const std::int64_t length : {0, 1, 2, 3, 16, 31, 33, 63, 64, 65, 200})
      batch.check_with(inputs(6, 37, length));
    for (const std::int64_t n : {0, 1, 4, 7})
      for (const std::int64_t m : {0, 1, 7, 8, 15, 16, 17, 40}) batch.check_with(inputs(n, m, 5));
  }
}

TEST_CASE("a sum over a pair of rows has the same bits in lanes along them and across") {
  Samples random(92);
  const int before = pool().threads();
  for (const DType t : {float32, float64}) {
    const Dim n = Dim::symbol("n"), m = Dim::symbol("m"), open = Dim::symbol("d");
    const auto distances = [&](const Dim& d) {
      const Expr x = tensor("x", t, {n, d}), y = tensor("y", t, {m, d});
      return compile({x, y}, {sum(square(gaps(x, y)), 2)});
    };
    const Function f = distances(open);
    for (const std::int64_t d : {2, 7, 16, 40, 64}) {
      const Array x = random.small(t, {50, d}), y = random.small(t, {90, d});
      set_threads(1);
      const Array all = f(std::vector<Array>{x, y})[0];
      set_threads(3);
      CHECK(difference(f(std::vector<Array>{x, y})[0], all, 0) == "");
      CHECK(has_first_columns(all, f(std::vector<Array>{x, first_rows(y, 5)})[0]));
      if (d == 16) CHECK(difference(distances(16)(std::vector<Array>{x, y})[0], all, 0) == "");
    }
  }
  set_threads(before);
}
