// Slices with steps and interleaved arrays: the same elements as by the reference evaluator.
#include <doctest/doctest.h>

#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr DType strided_dtypes[] = {DType::bool_, DType::int8, DType::uint16, DType::int32,
                                    DType::int64, float32,     float64};

}  // namespace

TEST_CASE("every second to fifth element, of every dtype and of rows of every length") {
  Samples samples(11);
  for (const DType t : strided_dtypes) {
    Batch batch("strided");
    const Expr x = batch.input("x", samples.any(t, {3, 67}));
    batch.add("second", x(all_of, range(1, 60, 2)));
    batch.add("third", x(all_of, from(2, 3)));
    batch.add("fourth of rows", x(from(0, 2), from(0, 4)));
    batch.add("fifth", x(all_of, from(3, 5)));
    batch.add("backwards", x(all_of, from(-1, -2)));
    batch.add("pairs", where(equal(x(all_of, range(0, 50, 2)), x(all_of, range(1, 51, 2))),
                             x(all_of, range(0, 50, 2)), x(all_of, range(2, 52, 2))));
    CHECK(batch.check());
    for (const std::int64_t n : {52, 60, 64, 66, 100})
      CHECK(batch.check_with({samples.any(t, {4, n})}));
  }
}

TEST_CASE("lanes that are equally far apart, read and written in either direction") {
  Samples samples(13);
  for (const DType t : strided_dtypes) {
    Batch batch("apart");
    const Expr x = batch.input("x", samples.any(t, {3, 131}));
    const Expr y = batch.input("y", samples.any(t, {131, 3}));
    for (const std::int64_t step : {-7, -4, -3, -2, -1, 5, 6, 64}) {
      const Range every{{}, {}, step};
      const Expr part = x(all_of, every);
      batch.add("read", part);
      batch.add("turned", where(equal(part, part), x(all_of, range(0, part.dim(1))), part));
      batch.add("written", set_at(x, {all_of, every}, x(0, range(0, part.dim(1)))));
    }
    batch.add("column", where(equal(y(all_of, 1), y(all_of, 2)), x(0), x(1)));
    batch.add("columns", set_at(y, {all_of, 1}, x(2)));
    CHECK(batch.check());
    for (const std::int64_t n : {1, 2, 7, 8, 16, 33, 64, 65, 300})
      CHECK(batch.check_with({samples.any(t, {3, n}), samples.any(t, {n, 3})}));
  }
}

TEST_CASE("interleaved arrays of every dtype, in blocks of every size") {
  Samples samples(12);
  for (const DType t : strided_dtypes) {
    Batch batch("interleaved");
    const Expr x = batch.input("x", samples.any(t, {2, 3, 21}));
    const Expr a = where(equal(x, x), x, x);
    const std::vector<Expr> two = {a, x}, three = {x, a, x}, four = {x, a, a, x};
    batch.add("pairs", interleave(two, {2}));
    batch.add("rows", interleave(two, {2, 1}));
    batch.add("three", interleave(three, {3}));
    batch.add("blocks", interleave(four, {2, 2}));
    batch.add("four", interleave(four, {4}));
    const std::vector<Expr> five = {x, x, a, a, x};
    batch.add("five", interleave(five, {5}));
    CHECK(batch.check());
    for (const std::int64_t n : {0, 1, 2, 15, 16, 17, 33})
      CHECK(batch.check_with({samples.any(t, {1, 2, n})}));
  }
}

TEST_CASE("stores that cover each element in turn are made together") {
  const Expr x = tensor("x", float32, {8, 40});
  const std::vector<Expr> parts = {exp(x), x * 2};
  CompileOptions anew;  // what comes from the cache has no source
  anew.cache = false;
  const Function f = compile({x}, {interleave(parts, {2})}, {}, anew);
  CHECK(f.source().find("gn::write_interleaved(") != std::string::npos);
  CHECK(f.source().find("gn::write_apart") == std::string::npos);
  const std::vector<Expr> rows = {x(all_of, from(0, 2)) + x(all_of, from(1, 2))};
  const Function g = compile({x}, {rows[0]}, {}, anew);
  CHECK(g.source().find("gn::read_every<2") != std::string::npos);
  CHECK(g.source().find("gn::read_at") == std::string::npos);
  const Function h = compile({x}, {x(all_of, from(-1, -1)) + x(all_of, from(0, 1))}, {}, anew);
  CHECK(h.source().find("gn::read_every<-1") != std::string::npos);
  const Expr column = vector("v", float32);
  const Function k = compile({x, column}, {x(all_of, 7) + column}, {}, anew);
  CHECK(k.source().find("gn::read_apart") != std::string::npos);
  CHECK(k.source().find("gn::read_at") == std::string::npos);
}
