// Last axes of a few elements: rows as lanes, beside what other axes give, and pools of few.
#include <doctest/doctest.h>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

TEST_CASE("short rows beside values of other axes, of every length") {
  Samples samples(61);
  for (const DType t : {float32, float64, DType::int8, DType::uint16})
    for (const std::int64_t length : {1, 2, 3, 4, 5, 8, 16}) {
      Batch batch("short rows");
      const Expr x = batch.input("x", samples.any(t, {3, 20, length}),
                                 {Dim::symbol("n"), Dim::symbol("m"), Dim(length)});
      const Expr p = batch.input("p", samples.any(t, {20}), {x.dim(1)});
      const Expr r = batch.input("r", samples.any(t, {3}), {x.dim(0)});
      const Expr per_point = reshape(p, {1, x.dim(1), 1}), per_row = reshape(r, {x.dim(0), 1, 1});
      batch.add("points", x * per_point);
      batch.add("rows", maximum(x + per_row, per_point));
      batch.add("norms", max(x * per_point, 2));
      batch.add("places", argmax(x + per_row, 2));
      batch.add("kept", max(x, 2, keepdims) + per_point);
      batch.add("both kept", max(max(x, 2, keepdims), 0, keepdims));
      batch.add("centred", x - max(x, 1, keepdims));
      batch.add("turned", transpose(x, {1, 0, 2}) + reshape(p, {x.dim(1), 1, 1}));
      batch.add("backwards", x(all_of, Range{{}, {}, -1}) + per_row);
      CHECK(batch.check());
      for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                 {0, 5},
                                 {5, 0},
                                 {2, 7},
                                 {4, 16},
                                 {3, 33},
                                 {1, 70}})
        CHECK(batch.check_with(
            {samples.any(t, {n, m, length}), samples.any(t, {m}), samples.any(t, {n})}));
    }
}

TEST_CASE("short rows of constants are numbers of a kernel") {
  Samples samples(63);
  CompileOptions anew;
  anew.cache = false;
  for (const DType t : {DType::int8, DType::int64, float32}) {
    Batch batch("constants");
    const Expr x = batch.input("x", samples.any(t, {3, 20}));
    const Array values = samples.any(t, {4});
    const Expr y = where(less(expand_dims(x, 2), values), values, expand_dims(x, 2));
    batch.add("rows", y);
    CHECK(batch.check());
    for (const std::int64_t n : {1, 64, 100}) CHECK(batch.check_with({samples.any(t, {2, n})}));
    CHECK(compile({x}, {y}, {}, anew).source().find("constant[") == std::string::npos);
  }
}

TEST_CASE("pools of a few rows and columns are one kernel") {
  Samples samples(62);
  Batch batch("pools");
  const Expr x = batch.input("x", samples.small(float64, {2, 6, 8, 3}));
  const Dim n = x.dim(0), h = x.dim(1), w = x.dim(2), c = x.dim(3);
  const Expr windows = reshape(x, {n, floor_div(h, 2), 2, floor_div(w, 2), 2, c});
  batch.add("max", max(windows, {2, 4}));
  batch.add("mean", mean(windows, {2, 4}), 1e-14);
  batch.add("kept", sum(exp(windows), {2, 4}, keepdims), 1e-13);
  batch.add("logsumexp", logsumexp(windows, {2, 4}), 1e-13);
  CHECK(batch.check());
  for (const std::int64_t channels : {1, 4, 17})
    CHECK(batch.check_with({samples.small(float64, {3, 4, 10, channels})}));
  CompileOptions anew;  // what comes from the cache has no description of its own
  anew.cache = false;
  CHECK(compile({x}, {max(windows, {2, 4})}, {}, anew).kernels() == 1);
}
