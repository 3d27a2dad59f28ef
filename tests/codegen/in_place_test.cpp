// Updates that are written over the old value of their variable, and those that must not be.
#include <doctest/doctest.h>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

const void* memory_of(const SharedVariable& v) {
  const Array value = v.get();
  return value.data();
}

}  // namespace

TEST_CASE("an elementwise update is written over the old value") {
  const auto v = shared(Array::from<double>({1, 2, 3}), "v");
  const Expr x = vector("x");
  const Function step = compile({x}, {}, {{v, v + 2 * x}}, uncached());
  const void* const before = memory_of(v);
  step(Array::from<double>({1, 1, 1}));
  step(Array::from<double>({1, 1, 1}));
  CHECK(memory_of(v) == before);
  CHECK(v.get().to_vector<double>() == std::vector<double>{5, 6, 7});
}

TEST_CASE("a value that somebody holds is not written over") {
  const auto v = shared(Array::from<double>({1, 2, 3}), "v");
  const Function step = compile({}, {}, {{v, v * 2}}, uncached());
  const Array held = v.get();
  step();
  CHECK(held.to_vector<double>() == std::vector<double>{1, 2, 3});
  CHECK(v.get().to_vector<double>() == std::vector<double>{2, 4, 6});
}

TEST_CASE("an update that reads other elements than it writes is right") {
  const auto v = shared(Array::from<double>({1, 2, 3, 4}), "v");
  const Function reverse = compile({}, {sum(v)}, {{v, v(range(3, -5, -1))}}, uncached());
  CHECK(reverse()[0].item<double>() == 10);
  CHECK(v.get().to_vector<double>() == std::vector<double>{4, 3, 2, 1});
  const Function shift = compile({}, {}, {{v, v / sum(v)}}, uncached());
  shift();
  CHECK(v.get().to_vector<double>() == std::vector<double>{0.4, 0.3, 0.2, 0.1});
}

TEST_CASE("variables that take each other's values change at once") {
  const auto a = shared(Array::from<double>({1, 2}), "a"),
             b = shared(Array::from<double>({3, 4}), "b");
  const Function swap = compile({}, {a - b}, {{a, b + 0}, {b, a + 0}}, uncached());
  CHECK(swap()[0].to_vector<double>() == std::vector<double>{-2, -2});
  CHECK(a.get().to_vector<double>() == std::vector<double>{3, 4});
  CHECK(b.get().to_vector<double>() == std::vector<double>{1, 2});
}

TEST_CASE("a product added to its variable is written over it") {
  const auto w = shared(ones({3, 2}, float64), "w");
  const Expr x = matrix("x"), g = matrix("g");
  const Function step = compile({x, g}, {}, {{w, w - 0.5 * dot(transpose(x), g)}}, uncached());
  const void* const before = memory_of(w);
  step(ones({4, 3}, float64), ones({4, 2}, float64));
  CHECK(memory_of(w) == before);
  CHECK(w.get().to_vector<double>() == std::vector<double>(6, -1.0));
}

TEST_CASE("a product of an open number of rows is written over its variable, few or many") {
  for (const std::int64_t rows : {1, 4, 29, 60}) {
    const auto s = shared(ones({rows, 40}, float64), "s", {-1, 40});
    const Expr x = tensor("x", float64, {s.dim(0), Dim::symbol("k")});
    const Expr w = tensor("w", float64, {Dim::symbol("k"), 40});
    const Function step = compile({w}, {}, {{s, s - 0.25 * dot(s + 0, w)}}, uncached());
    const Function add = compile({x, w}, {}, {{s, s + 0.5 * dot(x, w)}}, uncached());
    const void* const before = memory_of(s);
    add(ones({rows, 40}, float64), ones({40, 40}, float64));
    CHECK(memory_of(s) == before);
    CHECK(s.get().to_vector<double>() ==
          std::vector<double>(static_cast<std::size_t>(rows) * 40, 21.0));
    // What the product reads is not what it is written over.
    step(ones({40, 40}, float64));
    CHECK(s.get().to_vector<double>() ==
          std::vector<double>(static_cast<std::size_t>(rows) * 40, 21.0 - 210.0));
  }
}

TEST_CASE("products added to several variables are written over them") {
  const auto u = shared(ones({3, 2}, float64), "u"), v = shared(ones({2, 4}, float64), "v");
  const Expr x = matrix("x"), y = matrix("y");
  const Expr h = dot(x, u), d = y - dot(h, v);
  const Expr by_h = dot(d, transpose(v));
  const Function step = compile(
      {x, y}, {}, {{u, u + 0.5 * dot(transpose(x), by_h)}, {v, v + 0.5 * dot(transpose(h), d)}},
      uncached());
  const void *const first = memory_of(u), *const second = memory_of(v);
  step(ones({1, 3}, float64), ones({1, 4}, float64));
  CHECK(memory_of(u) == first);
  CHECK(memory_of(v) == second);
  // h = 3, d = 1 - 6 = -5, by_h = -20.
  CHECK(u.get().to_vector<double>() == std::vector<double>(6, -9.0));
  CHECK(v.get().to_vector<double>() == std::vector<double>(8, -6.5));
}

TEST_CASE("a call that fails changes nothing, in place or not") {
  const auto v = shared(Array::from<double>({1, 2, 3}), "v"),
             u = shared(Array::from<double>({5}), "u");
  const Expr i = vector("i", int64);
  const Function step = compile({i}, {}, {{u, u + 1}, {v, v + sum(take(v, i))}}, uncached());
  CHECK_THROWS_AS(step(Array::from<std::int64_t>({0, 7})), ValueError);
  CHECK(v.get().to_vector<double>() == std::vector<double>{1, 2, 3});
  CHECK(u.get().to_vector<double>() == std::vector<double>{5});
  step(Array::from<std::int64_t>({0, 1}));
  CHECK(v.get().to_vector<double>() == std::vector<double>{4, 5, 6});
}

TEST_CASE("an output takes the memory of a donated argument") {
  const Expr x = vector("x"), y = vector("y");
  CompileOptions options = uncached();
  options.donated = {0};
  const Function f = compile({x, y}, {x + 2 * y, sum(y)}, {}, options);
  const Array a = Array::from<double>({1, 2, 3}), b = Array::from<double>({1, 1, 1});
  const Array* const arguments[] = {&a, &b};
  const bool given[] = {true, false};
  const Results results = f.call(arguments, given);
  CHECK(results[0].to_vector<double>() == std::vector<double>{3, 4, 5});
  CHECK(std::as_const(results[0]).data() == std::as_const(a).data());
  CHECK(results[1].item<double>() == 3);
  const Results others = f.call(arguments);
  CHECK(std::as_const(others[0]).data() != std::as_const(a).data());
  CHECK(a.to_vector<double>() == std::vector<double>{3, 4, 5});
}

TEST_CASE("a donated argument that is read later is left alone") {
  const Expr x = vector("x");
  CompileOptions options = uncached();
  options.donated = {0};
  const Function f = compile({x}, {x / sum(x), x(range(2, -4, -1))}, {}, options);
  const Array a = Array::from<double>({1, 2, 5});
  const Array* const arguments[] = {&a};
  const bool given[] = {true};
  const Results results = f.call(arguments, given);
  CHECK(results[0].to_vector<double>() == std::vector<double>{0.125, 0.25, 0.625});
  CHECK(results[1].to_vector<double>() == std::vector<double>{5, 2, 1});
}
