// Memory that lies along another axis than the last: domains in tiles, with blocks that are turned.
#include <doctest/doctest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// A device needs none.
bool has_tiles(const Function& f) {
  const bool found = f.source().find("gn::transpose(") != std::string::npos;
  const bool on_device = std::getenv("GNOMON_DEVICE") != nullptr;
  CHECK(!(found && on_device));
  return found || on_device;
}

Function compile_anew(const std::vector<Expr>& inputs, const Expr& output) {
  CompileOptions options;
  options.cache = false;
  return compile(inputs, {output}, {}, options);
}

}  // namespace

TEST_CASE("transposed operands, whatever their extents") {
  Samples samples(41);
  Batch batch("tiles");
  const Expr x = batch.input("x", samples.small(float64, {40, 70}));
  const Expr y = batch.input("y", samples.small(float64, {70, 40}));
  batch.add("with another", transpose(x) * 2.0 + y);
  batch.add("alone", transpose(y));
  batch.add("twice", exp(transpose(x)) + transpose(x(Range{{}, {}, -1})) + y, 1e-14);
  batch.add("of a part", transpose(x(from(1), range(0, -1))) + y(range(0, -1), from(1)));
  batch.add("with a row", transpose(x) + y(0));
  batch.add("of rows", softmax(transpose(x)) * y, 1e-14);
  batch.add("summed", sum(transpose(x) * y, {1}), 1e-13);
  batch.add("summed along columns", sum(transpose(x) * y, {0}), 1e-13);
  const Expr parts[] = {transpose(x), y};
  batch.add("joined", concatenate(parts, 0));
  batch.add("compared", transpose(x) < y);
  for (const auto& [m, n] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {40, 70}, {1, 1}, {1, 33}, {33, 2}, {15, 17}, {16, 16}, {32, 64}, {31, 97}, {130, 65}})
    batch.check_with({samples.small(float64, {m, n}), samples.small(float64, {n, m})});
}

TEST_CASE("axes in any order") {
  Samples samples(42);
  Batch batch("orders");
  const Expr x = batch.input("x", samples.small(float32, {19, 35, 67}));
  for (const IntList& order :
       std::vector<IntList>{{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}})
    batch.add("order", transpose(x, order) * 0.5f);
  batch.add("both", transpose(x, {2, 1, 0}) + transpose(x(all_of, Range{{}, {}, -1}), {2, 1, 0}));
  batch.check();
  batch.check_with({samples.small(float32, {2, 70, 17})});
  batch.check_with({samples.small(float32, {64, 1, 16})});
}

TEST_CASE("turned blocks of every dtype") {
  Samples samples(43);
  for (const DType t : {DType::bool_, int8, uint16, int32, uint64, float32, float64}) {
    CAPTURE(name_of(t));
    const Array a = samples.any(t, {37, 83});
    const Expr x = matrix("x", t);
    const Function f = compile_anew({x}, transpose(x));
    CHECK(has_tiles(f));
    CHECK(difference(f(a)[0], a.transpose().contiguous(), 0) == "");
  }
}

TEST_CASE("transposed values that use sums of rows of the same shape") {
  Samples samples(44);
  Batch batch("rows in tiles");
  const Expr x = batch.input("x", samples.small(float64, {40, 40}), {40, 40});
  const Expr z = batch.input("z", samples.small(float64, {40, 40}), {40, 40});
  const Expr scaled = x * expand_dims(sum(x + z, {1}), 0);
  batch.add("alone", transpose(scaled), 1e-13);
  batch.add("with another", transpose(scaled) + z, 1e-13);
  batch.add("by its own rows", transpose(x / expand_dims(max(x, 1), 0)) * z, 1e-13);
  batch.add("summed", sum(transpose(scaled) * z, {1}), 1e-12);
  batch.check();
}

TEST_CASE("a tile is used where it pays") {
  const Expr x = matrix("x"), s = tensor("s", float64, {Dim::symbol("n"), 4});
  CHECK(has_tiles(compile_anew({x}, transpose(x) + x)));
  if (std::getenv("GNOMON_DEVICE") == nullptr) {
    CHECK(!has_tiles(compile_anew({x}, x + x)));
    CHECK(!has_tiles(compile_anew({s}, transpose(s))));
  }
  const Function rows = compile_anew({x}, sum(transpose(x) * x, {1}));
  CHECK(has_tiles(rows));
  CHECK(rows.kernels() == 2);
}

TEST_CASE("a loop over few elements reads what was turned before, not a tile in each step") {
  Samples samples(44);
  Batch batch("few");
  const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
  const auto inputs = [&](std::int64_t rows, std::int64_t columns) {
    return std::vector<Array>{samples.small(float64, {3, rows, columns}),
                              samples.small(float32, {20, rows, columns})};
  };
  const std::vector<Array> first = inputs(40, 70);
  const Expr x = batch.input("x", first[0], {3, m, n}), y = batch.input("y", first[1], {20, m, n});
  for (const Expr& v : {x, y}) {
    const Expr turned = transpose(v, {0, 2, 1});
    batch.add("sum", sum(turned, {0}), 1e-5);
    batch.add("sum of a function", sum(exp(turned), {0}), 1e-5);
    batch.add("position", argmax(turned, 0));
    batch.add("both", max(turned, {0}) + transpose(v(0)));
  }
  for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {40, 70}, {1, 1}, {1, 33}, {17, 2}, {32, 64}, {130, 65}})
    batch.check_with(inputs(rows, columns));
  const Function f = compile_anew({x}, sum(transpose(x, {0, 2, 1}), {0}));
  CHECK(has_tiles(f));
  CHECK(f.kernels() == 2);
}

TEST_CASE("axes that are one in all memory are looped over as one") {
  Samples samples(45);
  Batch batch("pictures");
  const Expr x = batch.input("x", samples.small(float32, {3, 20, 7, 9}));
  const Expr scale = batch.input("scale", samples.small(float32, {20}));
  const Expr last = transpose(x, {0, 2, 3, 1}), back = transpose(last, {0, 3, 1, 2});
  const Expr of_channel = expand_dims(expand_dims(scale, 1), 2);
  batch.add("channels last", last * 0.5f);
  batch.add("and scaled", last * scale);
  batch.add("and back", transpose(x, {2, 3, 0, 1}) + 1.0f);
  batch.add("with places along one of them",
            where(arange(x.shape()[3]) % 2 == 0, x, x * of_channel));
  batch.add("with a row of one of them", last + expand_dims(x(0, 0, 0), 1));
  batch.add("turned round along one of them", last(all_of, Range{{}, {}, -1}) * scale);
  batch.add("of a part", last(all_of, from(1), range(0, -1)) * scale);
  batch.add("scaled in place", x * of_channel + of_channel);
  batch.add("of rows", sum(last * scale, {3}), 1e-4);
  batch.add("of both", sum(x * of_channel, {2, 3}), 1e-4);
  for (const Extents& shape : std::vector<Extents>{
           {1, 16, 1, 40}, {2, 33, 40, 1}, {2, 1, 5, 6}, {4, 17, 28, 28}, {1, 70, 3, 65}})
    batch.check_with({samples.small(float32, shape), samples.small(float32, {shape[1]})});
  const Expr y = tensor("y", float32, {Dim::symbol("n"), 64, 7, 7});
  CHECK(has_tiles(compile_anew({y}, transpose(transpose(y, {0, 2, 3, 1}) * 2.0f, {0, 3, 1, 2}) +
                                        y * 2.0f)) == (std::getenv("GNOMON_DEVICE") != nullptr));
  const Expr z = tensor("z", float32, {Dim::symbol("n"), 7, 7, 64});
  CHECK(has_tiles(compile_anew({z}, transpose(z, {0, 3, 1, 2}) * 2.0f)));
}
