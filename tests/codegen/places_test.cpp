// Elements that depend on where they are: masks of diagonals and triangles, grids of indices.
#include <doctest/doctest.h>

#include <cstdlib>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

TEST_CASE("masks and grids over matrices of every extent") {
  Samples samples(51);
  Batch batch("places");
  const Expr x = batch.input("x", samples.small(float64, {9, 21}));
  const Dim rows = x.shape()[0], columns = x.shape()[1];
  const Expr i = expand_dims(arange(rows), 1), j = arange(columns);
  batch.add("triangle", tril(x) * 2.0);
  batch.add("diagonal", fill_diagonal(x * 3.0, 0.5));
  batch.add("one axis", x * cast(i, float64) + cast(j, float64));
  batch.add("grid", i * 100 + j);
  batch.add("row-major", cast(i * columns + j, float64) * x);
  batch.add("stack", stack({triu(x), x}) + cast(j, float64));
  CHECK(batch.check());
  for (const auto& [n, m] : {std::pair<std::int64_t, std::int64_t>{1, 21},
                             {21, 1},
                             {70, 3},
                             {0, 4},
                             {4, 0},
                             {5, 200},
                             {1, 1}})
    CHECK(batch.check_with({samples.small(float64, {n, m})}));
}

TEST_CASE("kernels on the host run along rows where elements depend on places along axes") {
  CompileOptions anew;  // what comes from the cache has no source
  anew.cache = false;
  const auto divides = [&](const Expr& x, const Expr& y) {
    return compile({x}, {y}, {}, anew).source().find("gn::floor_divide(") != std::string::npos;
  };
  const Expr x = tensor("x", float64, {Dim::symbol("rows"), Dim::symbol("columns")});
  const bool on_device = std::getenv("GNOMON_DEVICE") != nullptr;
  CHECK_FALSE(divides(x, x * 2.0));
  CHECK(divides(x, tril(x) * 2.0) == on_device);
  CHECK(divides(x, fill_diagonal(x, 0.0)) == on_device);
  CHECK(divides(x, x * cast(arange(x.shape()[1]), float64)) == on_device);
  // Axes of slices, joined, have elements one after the other too.
  const Expr sums = cumsum(x(Range{2, -2}, Range{3, {}}), 1);
  CHECK_FALSE(divides(x, maximum(expand_dims(sums, 0), expand_dims(exp(sums), 0))));
}

TEST_CASE("indices without sign are not counted from the end, and need no check in large tables") {
  CompileOptions anew;  // what comes from the cache has no source
  anew.cache = false;
  const auto source_of = [&](DType t, const Dim& extent) {
    const Expr table = tensor("table", float64, {extent});
    const Expr i = tensor("i", t, {Dim::symbol("n")});
    const Expr at[] = {i};
    return compile({table, i}, {index(table, {0}, at)}, {}, anew).source();
  };
  const auto has = [](const std::string& source, const char* text) {
    return source.find(text) != std::string::npos;
  };
  const Dim open = Dim::symbol("extent");
  CHECK(has(source_of(DType::int8, open), "less("));
  CHECK_FALSE(has(source_of(DType::uint8, open), "less("));
  CHECK(has(source_of(DType::uint8, open), "check"));
  CHECK_FALSE(has(source_of(DType::uint8, 256), "call.check"));
}
