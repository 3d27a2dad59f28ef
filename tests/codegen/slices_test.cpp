// Writes of slices: what they leave, chains of them in one memory, updates over the old value.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

const Range within = range(1, -1);
const Range all_but_first = from(1);
const Range all_but_last = range(0, -1);

/// u with its inside replaced by a sum of neighbours.
Expr stencil(const Expr& u) {
  return set_at(u, {within, within}, u(within, from(2)) + 2 * u(range(0, -2), within));
}

}  // namespace

TEST_CASE("a written slice leaves what is around it, whatever the extents") {
  Samples samples(5);
  Batch batch("slices");
  const Expr x = batch.input("x", samples.small(DType::float64, {5, 9}));
  batch.add("inside", stencil(x));
  batch.add("increased", inc_at(x, {within, all_but_last}, x(within, all_but_first)));
  batch.add("past the end", set_at(x, {from(3), from(2)}, 5.0));
  batch.add("nothing", inc_at(x, {range(2, 2), from(1)}, 5.0));
  batch.add("one row", set_at(x, {0}, x(-1) * 2));
  batch.add("every other", inc_at(x, {Range{{}, {}, 2}, from(1)}, 0.5));
  batch.add("of zeros",
            inc_at(full({x.dim(0), x.dim(1)}, 0.0), {within, within}, x(within, within)));
  batch.add("of an expression", inc_at(exp(x) * 0.5, {all_but_first, within}, 1.0), 1e-14);
  for (const Extents& shape : std::vector<Extents>{
           {5, 9}, {2, 2}, {2, 33}, {19, 3}, {40, 70}, {3, 8}, {8, 1}, {1, 1}, {1, 5}, {2, 0}}) {
    batch.check_with({samples.small(DType::float64, shape)});
  }
}

TEST_CASE("joins of joins are written where they go, without memory for the inner ones") {
  Samples samples(9);
  Batch batch("joins");
  const Expr x = batch.input("x", samples.small(DType::float64, {5, 9}));
  const std::pair<std::int64_t, std::int64_t> widths[] = {{2, 1}, {1, 3}};
  const Expr left = concatenate({x(all_of, from(3)), exp(x(all_of, range(0, 3)))}, 1);
  batch.add("joined", concatenate({left, concatenate({x, left(range(0, 1), all_of)}, 0)}, 0),
            1e-15);
  batch.add("edges", pad(x, widths, PadMode::edge));
  CHECK(batch.check());
  for (const Extents& shape : std::vector<Extents>{{5, 9}, {1, 3}, {2, 70}, {40, 4}})
    CHECK(batch.check_with({samples.small(DType::float64, shape)}));
  const Expr v = matrix("v");
  const Function f = compile({v}, {pad(v * 2, widths, PadMode::edge)}, {}, uncached());
  CHECK(f.module_text().find("buffer b2") == std::string::npos);
}

TEST_CASE("few places of each row are written over a copy of all, in one loop") {
  Samples samples(8);
  Batch batch("few places");
  const Expr x = batch.input("x", samples.small(DType::uint8, {5, 9}));
  batch.add("column", set_at(x, {all_of, 3}, 7));
  batch.add("from the end", inc_at(x, {all_of, -1}, x(all_of, 0)));
  batch.add("three", set_at(x, {all_of, range(1, 4)}, x(all_of, range(0, 3)) * 2));
  batch.add("of an expression", set_at(x * 3, {within, range(2, 4)}, 1));
  for (const Extents& shape :
       std::vector<Extents>{{5, 9}, {200, 4}, {1, 5}, {3, 300}, {0, 6}, {64, 64}})
    CHECK(batch.check_with({samples.small(DType::uint8, shape)}));
  const Expr v = matrix("v");
  const Function f = compile({v}, {set_at(v, {all_of, 3}, 7.0)}, {}, uncached());
  CHECK(f.source().find("i < i_to") == std::string::npos);
}

TEST_CASE("slices of literal shapes, one axis of which has extent 1") {
  Samples samples(6);
  Batch batch("literal slices");
  const Expr x = batch.input("x", samples.small(DType::float32, {1, 6, 1}), {1, 6, 1});
  const Expr v = batch.input("v", samples.small(DType::float32, {1, 2, 1}));
  batch.add("set", set_at(x, {all_of, range(2, 4), all_of}, v));
  batch.add("inc", inc_at(x, {all_of, range(4, 6), all_of}, v));
  batch.check();
}

TEST_CASE("chains of writes go on in one memory") {
  Samples samples(7);
  Batch batch("chain");
  const Expr x = batch.input("x", samples.small(DType::float64, {6, 11}));
  const Expr first = inc_at(x, {all_but_first, all_of}, x(all_but_last) * 3);
  const Expr second = set_at(first, {all_of, from(3)}, 7.0);
  batch.add("chain", inc_at(second, {all_but_last, within}, -x(all_but_first, within)));
  batch.check();
  batch.check_with({samples.small(DType::float64, {2, 3})});
  batch.check_with({samples.small(DType::float64, {33, 50})});
  CHECK(batch.function->module_text().find("buffer b2") == std::string::npos);
}

TEST_CASE("what is written side by side shares loops with values of the same elements") {
  const auto outputs = [](const Expr& x, const Expr& y) {
    const Expr both = exp(x * y);
    return std::vector<Expr>{concatenate({both * x, both * y}, 1), both + 1.0,
                             concatenate({tanh(both), x, both}, 1)};
  };
  const Expr x = tensor("x", float64, {32, 20}), y = tensor("y", float64, {32, 20});
  const std::vector<Expr> all = outputs(x, y);
  CHECK(compile({x, y}, all).kernels() == 1);
  // Gates of a cell: the gradient by one matrix of them all.
  const Expr gates = tensor("gates", float64, {32, 60});
  const auto gate = [&](int k) { return gates(all_of, range(20 * k, 20 * (k + 1))); };
  const Expr cell = sigmoid(gate(0)) * x + tanh(gate(1)) * sigmoid(gate(2));
  const std::vector<Expr> by = grad(sum(square(cell)), {gates, x});
  CHECK(compile({gates, x}, by).kernels() == 1);
  Samples samples(8);
  for (const auto& [rows, columns] :
       std::vector<std::pair<int, int>>{{32, 20}, {1, 20}, {5, 3}, {7, 17}, {0, 4}, {70, 40}}) {
    Batch batch("beside");
    const Extents shape{rows, columns};
    const Expr u = batch.input("u", samples.small(DType::float64, shape));
    const Expr v = batch.input("v", samples.small(DType::float64, shape));
    for (const Expr& output : outputs(u, v)) batch.add("written", output, 1e-14);
    const Expr joined = concatenate({u * 2.0, exp(v)}, 0);
    batch.add("first part", joined, 1e-14);
    batch.add("read again", barrier(joined)(range(0, rows), all_of) * v, 1e-14);
    batch.add("of rows", concatenate({softmax(u, 1), u - v}, 1), 1e-14);
    batch.add("turned", concatenate({transpose(u), transpose(v) * 2.0}, 0));
    batch.check();
  }
}

TEST_CASE("a write that others read too keeps its memory") {
  Samples samples(8);
  Batch batch("read twice");
  const Expr x = batch.input("x", samples.small(DType::float64, {6, 11}));
  const Expr first = set_at(x, {all_but_first}, 2.0);
  const Expr second = inc_at(first, {all_of, all_but_first}, first(all_of, all_but_last));
  batch.add("first", first);
  batch.add("second", second);
  batch.add("sum", sum(set_at(first, {0}, 1.0)), 1e-14);
  batch.check();
}

TEST_CASE("writes in the body of a loop") {
  Samples samples(9);
  Batch batch("loop");
  const Expr x = batch.input("x", samples.small(DType::float64, {6, 11}));
  const std::vector<Expr> states = {x};
  const auto body = [](Expr, std::span<const Expr> s) {
    const Expr u = inc_at(stencil(s[0]), {all_of, 0}, 1.0);
    return std::vector<Expr>{set_at(u, {-1}, s[0](0))};
  };
  batch.add("stepped", fori(Expr(Array(std::int64_t{3})), states, body)[0]);
  batch.check();
}

namespace {

/// The value of f at one or two matrices, by the reference evaluator.
template <class F>
Array reference(F f, const std::vector<Array>& values) {
  const std::vector<Expr> inputs = {matrix("u"), matrix("w")};
  const std::vector<Expr> outputs = {f(inputs[0], inputs[1])};
  return evaluate(capture(inputs, outputs).graph, values)[0];
}

}  // namespace

TEST_CASE("slices of a variable are written over it") {
  Samples samples(10);
  const Array start = samples.small(DType::float64, {70, 80});
  const Array x = samples.small(DType::float64, {70, 80});
  const auto changed = [](const Expr& u, const Expr& a) {
    const Expr first = inc_at(u, {all_of, all_but_first}, a(all_of, all_but_first));
    return set_at(first, {range(2, 60), within}, 0.5);
  };
  const auto v = shared(start, "v");
  const Expr a = matrix("a");
  const Function step = compile({a}, {}, {{v, changed(v, a)}}, uncached());
  step(x);
  const Array once = reference(changed, {start, x});
  CHECK(difference(v.get(), once, 0) == "");
  const void* const before = v.get().data();
  step(x);
  const Array twice = reference(changed, {once, x});
  CHECK(v.get().data() == before);
  CHECK(difference(v.get(), twice, 0) == "");

  const Array held = v.get();
  step(x);
  CHECK(v.get().data() != before);
  CHECK(difference(held, twice, 0) == "");
  CHECK(difference(v.get(), reference(changed, {twice, x}), 0) == "");
}

TEST_CASE("a stencil that is set into its own variable reads old values only") {
  Samples samples(11);
  const Array start = samples.small(DType::float64, {70, 80});
  const auto v = shared(start, "v");
  const Function step = compile({}, {}, {{v, stencil(v)}}, uncached());
  step();
  const auto once = [](const Expr& u, const Expr& w) { return stencil(u) + 0 * w(0, 0); };
  CHECK(difference(v.get(), reference(once, {start, start}), 0) == "");
}
