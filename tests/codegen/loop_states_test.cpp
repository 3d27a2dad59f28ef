// States of loops: which need one memory only, that a step costs what it writes, values and
// gradients.
#include <algorithm>
#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "stdlib/arrays/arrays.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

// How many states of the loops among the steps have one memory, and how many have two.
struct Memories {
  int one = 0, two = 0;
  bool operator==(const Memories&) const = default;
};

void count(const std::vector<Step>& steps, Memories& found) {
  for (const Step& step : steps) {
    if (const auto* loop = std::get_if<LoopStep>(&step.what))
      for (std::size_t k = 0; k < loop->current.size(); ++k)
        ++(loop->current[k] == loop->next[k] ? found.one : found.two);
    for_each_inner(step, [&](const std::vector<Step>& inner) { count(inner, found); });
  }
}

Memories memories_of(const List& outputs) {
  Memories found;
  count(module_of(outputs).steps, found);
  return found;
}

// A loop of two states: vectors of at least three elements, or matrices of as many rows.
struct Case {
  std::string name;
  std::function<List(const Expr& i, const Expr& a, const Expr& b)> step;
  Memories memories;
  bool matrices = false;
};

const std::vector<Case>& cases() {
  const auto next = [](const Expr& i, const Expr& a) { return (i + 1) % a.dim(0); };
  static const std::vector<Case> all = {
      {"every element by itself",
       [](const Expr&, const Expr& a, const Expr& b) { return List{a * 0.5, sin(b)}; },
       {2, 0}},
      {"an element from the one before",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         return List{set_at(a, {Index(next(i, a))}, a(i % 3) * 0.5), b * 0.5};
       },
       {2, 0}},
      {"a row from the one before",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         return List{set_at(a, {Index(next(i, a))}, a(i % 3) * 0.5 + b(0)), b * 0.5};
       },
       {2, 0},
       true},
      {"a part of a column from the rest of the matrix",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const Index rows(from(1)), here(i % 3), other((i + 1) % 3);
         const Expr rest = a(rows, here) - a(0, here) * a(rows, other);
         return List{set_at(a, {rows, here}, rest), b * 0.5};
       },
       {2, 0},
       true},
      {"the same row twice",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const Index row(i % 3);
         const Expr once = set_at(a, {row}, a(row) - a(next(i, a)) * b(0));
         return List{set_at(once, {row}, once(row) * 0.5), b * 0.5};
       },
       {2, 0},
       true},
      {"an element of all",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         return List{set_at(a, {Index(i % 3)}, sum(a * b)), b * 0.5};
       },
       {2, 0}},
      {"two writes, and what was there before",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const Expr first = inc_at(a, {Index(i % 3)}, a(2) * b(0));
         return List{set_at(first, {Index(next(i, a))}, a(0) + a(1)), b + a(i % 3)};
       },
       {2, 0}},
      {"each writes what it reads of the other",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         return List{set_at(a, {Index(i % 3)}, b(1) * 0.5), set_at(b, {Index(i % 3)}, a(1) * 0.5)};
       },
       {2, 0}},
      {"old and new elements read after the write",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const Expr written = set_at(a, {Index(i % 3)}, b(0));
         return List{written, b * 0.5 + (written(i % 3) - a(i % 3))};
       },
       {2, 0}},
      {"an element under a condition",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const auto then = [&] { return List{set_at(a, {Index(i % 3)}, sum(a * b))}; };
         return List{cond(a(0) > b(0), then, [&] { return List{a}; })[0], b * 0.5};
       },
       {2, 0}},
      {"two rows exchanged under a condition, then the rest of the matrix by rows and columns",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         const Expr other = i % 2 + 1;
         const auto then = [&] {
           const Expr row = a(0);
           return List{set_at(set_at(a, {Index(0)}, a(other)), {Index(other)}, row)};
         };
         const Expr swapped = cond(a(0, 0) < a(other, 0), then, [&] { return List{a}; })[0];
         const Index rest(from(1));
         const Expr column = swapped(rest, 0) / (2.0 + square(swapped(0, 0)));
         const Expr divided = set_at(swapped, {rest, Index(0)}, column);
         const Expr update = expand_dims(divided(rest, 0), 1) * expand_dims(divided(0, rest), 0);
         return List{set_at(divided, {rest, rest}, divided(rest, rest) - update), b * 0.5};
       },
       {2, 0},
       true},
      {"a part from its neighbours, then another part from itself",
       [](const Expr&, const Expr& a, const Expr& b) {
         const Index first(until(-1)), last(from(1));
         const Expr once = set_at(a, {first}, a(first) + 0.5 * a(last));
         return List{set_at(once, {last}, once(last) * 0.5), b * 0.5};
       },
       {1, 1}},
      {"a block from another one",
       [=](const Expr&, const Expr& a, const Expr& b) {
         const Index first(until(2)), last(from(-2));
         return List{set_at(a, {first, first}, a(last, last) * 0.5), b * 0.5};
       },
       {1, 1},
       true},
      {"they change places",
       [](const Expr&, const Expr& a, const Expr& b) { return List{b, a}; },
       {2, 0}},
      {"they change places with a sum of both",
       [](const Expr&, const Expr& a, const Expr& b) { return List{b, a + sum(b)}; },
       {1, 1}},
      {"the one before is kept",
       [=](const Expr& i, const Expr& a, const Expr& b) {
         return List{set_at(a, {Index(i % 3)}, b(1)), a * 1.0};
       },
       {1, 1}},
      {"backwards",
       [](const Expr&, const Expr& a, const Expr& b) { return List{flip(a) * 0.5, b * 0.5}; },
       {1, 1}},
      {"neighbours",
       [](const Expr&, const Expr& a, const Expr& b) {
         return List{set_at(a, {range(1, -1)}, (a(from(2)) + a(until(-2))) * 0.5), b * 0.5};
       },
       {1, 1}},
      {"a product",
       [](const Expr&, const Expr& a, const Expr& b) {
         return List{a * 0.5, matmul(b, transpose(a)) % 3.0};
       },
       {1, 1},
       true},
  };
  return all;
}

}  // namespace

TEST_CASE("a state whose old elements nobody needs has one memory") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Shape shape(c.matrices ? 2 : 1, Dim::symbol("m"));
    const Expr a = tensor("a", float64, shape), b = tensor("b", float64, shape);
    const Expr n = scalar("n", int64);
    const List last =
        fori(n, List{a, b}, [&](const Expr& i, States s) { return c.step(i, s[0], s[1]); });
    const Memories found = memories_of(last);
    CHECK(found.one == c.memories.one);
    CHECK(found.two == c.memories.two);
  }
}

TEST_CASE("a step that writes an element copies no others, of a small array neither") {
  const Expr n = scalar("n", int64), a = tensor("a", float64, {Dim(20), Dim(30)});
  const Expr last = fori(n, List{a}, [&](const Expr& i, States s) {
    const Expr k = i % 19;
    return List{set_at(s[0], {Index(k + 1), Index(k)}, s[0](k, k) + s[0](k, 0) * 0.5)};
  })[0];
  const Module module = module_of({last});
  for (const Step& step : first_loop(module).body) {
    CHECK(!std::holds_alternative<CopyStep>(step.what));
    if (const auto* call = std::get_if<KernelStep>(&step.what))
      for (const Statement& each : module.kernels[call->kernel].body)
        CHECK(each.code != Code::loop);
  }
  Batch batch("elements of a small array");
  batch.inputs = {n, a};
  batch.add("last", last, 1e-14);
  Samples random(12);
  for (const std::int64_t steps : {0, 1, 40})
    batch.check_with({Array(steps), random.small(float64, {20, 30})});
}

TEST_CASE("an element that the step before wrote is not read back") {
  const Expr x = vector("x"), n = scalar("n", int64), j = scalar("j", int64);
  const Expr m = matrix("m");
  const auto loop = [&](const Expr& count, const Expr& from, const LoopBody& step) {
    return fori(count, List{from}, step)[0];
  };
  const Expr size(extent_value(x.dim(0)));
  const Expr running = loop(size - 1, x, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i + 1)}, s[0](i + 1) + sin(s[0](i)) * 0.5)};
  });
  const Expr backwards = loop(size - 1, x, [&](const Expr& i, States s) {
    const Expr at = size - 2 - i;
    return List{set_at(s[0], {Index(at)}, s[0](at) * 0.5 + s[0](at + 1))};
  });
  const Expr one = loop(n, x, [&](const Expr&, States s) {
    return List{set_at(s[0], {Index(j)}, cos(s[0](j)) + s[0](1))};
  });
  const Expr wrapped = loop(size, x, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i)}, s[0](i) * 0.5 + s[0](i - 1))};
  });
  const Expr row = loop(Expr(extent_value(m.dim(1))) - 1, m, [&](const Expr& i, States s) {
    return List{set_at(s[0], {Index(j), Index(i + 1)}, s[0](j, i) * 0.5 + s[0](j - 1, i + 1))};
  });
  // These read what a step has written earlier, or elsewhere.
  const Expr earlier = loop(size - 2, x, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i + 2)}, s[0](i) * 0.5 + s[0](i + 2))};
  });
  const Expr added = loop(size - 1, x, [](const Expr& i, States s) {
    return List{inc_at(s[0], {Index(i + 1)}, s[0](i) * 0.5)};
  });
  const Expr chosen = loop(n, x, [&](const Expr& i, States s) {
    return List{set_at(s[0], {Index(j)}, s[0](i % 3) * 0.5 + s[0](j))};
  });
  const auto states_of_loop = [](const Expr& y) {
    return first_loop(module_of({y})).current.size();
  };
  for (const Expr& y : {running, backwards, one, wrapped, row, chosen})
    CHECK(states_of_loop(y) == 2);
  for (const Expr& y : {earlier, added}) CHECK(states_of_loop(y) == 1);
  Batch batch("elements");
  batch.inputs = {x, n, j, m};
  for (const Expr& y : {running, backwards, one, wrapped, row, earlier, added, chosen}) {
    batch.add("last", y, 1e-12);
    batch.add("slope", grad(sum(sin(y)), y.rank() == 2 ? m : x), 1e-11);
  }
  Samples random(4);
  for (const std::int64_t steps : {0, 1, 2, 5})
    for (const std::int64_t length : {3, 4, 17})
      batch.check_with({random.small(float64, {length}), Array(steps), Array(std::int64_t{1}),
                        random.small(float64, {2, length})});
}

TEST_CASE("a loop without steps reads no element") {
  const Expr x = vector("x"), size(extent_value(x.dim(0)));
  const Expr last = fori(size - 1, List{x}, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i + 1)}, s[0](i + 1) + s[0](i))};
  })[0];
  const Function f = compile({x}, {last}, {}, uncached());
  CHECK_NOTHROW(f(Array::empty(float64, {0})));
  CHECK_NOTHROW(f(Array::empty(float64, {1})));
}

TEST_CASE("borders that no step changes are copied once") {
  const Expr u = matrix("u"), v = tensor("v", float64, u.shape()), n = scalar("n", int64);
  const auto inside = [](const Expr& x) { return x(range(1, -1), range(1, -1)); };
  const auto sides = [](const Expr& x) {
    return x(until(-2), range(1, -1)) + x(from(2), range(1, -1)) + x(range(1, -1), until(-2)) +
           x(range(1, -1), from(2));
  };
  const auto relaxed = [&](const Expr& x) {
    return set_at(x, {range(1, -1), range(1, -1)}, sides(x) * 0.25);
  };
  const List heat = fori(n, List{u}, [&](const Expr&, States s) { return List{relaxed(s[0])}; });
  const List wave = fori(n, List{u, v}, [&](const Expr&, States s) {
    const Expr next = sides(s[0]) * 0.5 - inside(s[1]);
    return List{set_at(s[1], {range(1, -1), range(1, -1)}, next), s[0]};
  });
  // The first row is written, too, in two ways; then a row that the steps choose.
  const List rows = fori(n, List{u}, [&](const Expr&, States s) {
    return List{set_at(relaxed(s[0]), {Index(0)}, s[0](1) * 0.5)};
  });
  const List changing = fori(n, List{u}, [&](const Expr& i, States s) {
    return List{set_at(relaxed(s[0]), {Index(i % 3)}, s[0](1) * 0.5)};
  });
  const Module module = module_of(heat);
  const LoopStep& loop = first_loop(module);
  CHECK(loop.begun_twice == std::vector<int>{0});
  CHECK(loop.body.size() == 1);
  Batch batch("borders");
  batch.inputs = {n, u, v};
  for (const List& all : {heat, wave, rows, changing})
    for (const Expr& y : all) {
      batch.add("last", y, 1e-12);
      batch.add("slope", grad(sum(sin(y)), u), 1e-11);
    }
  Samples random(4);
  for (const std::int64_t steps : {0, 1, 2, 3, 6})
    for (const auto& [p, q] : {std::pair(3, 3), std::pair(4, 9), std::pair(12, 11)})
      batch.check_with(
          {Array(steps), random.small(float64, {p, q}), random.small(float64, {p, q})});
}

TEST_CASE("a loop goes on in the memory of what it begins with") {
  const Expr x = vector("x"), n = scalar("n", int64), start = exp(x), other = sin(x);
  const LoopBody step = [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i % s[0].dim(0))}, s[0](0) * 0.5 + i)};
  };
  // The buffers of vectors, but for parameters and the parts of sums.
  const auto vectors_of = [&](const List& outputs) {
    int vectors = 0;
    const Module module = module_of(outputs);
    for (const int b : module.workspace) {
      const Buffer& buffer = module.buffers[static_cast<std::size_t>(b)];
      vectors += buffer.shape.size() == 1 && buffer.name != "partial";
    }
    return vectors;
  };
  const auto loop = [&](const Expr& from) { return fori(n, List{from}, step)[0]; };
  const Expr once = loop(start), twice = loop(once), again = sum(loop(start) * start);
  CHECK(vectors_of({sum(twice)}) == 1);
  // What is read behind the loop, or is no one's to write over, is copied.
  CHECK(vectors_of({again}) == 2);
  CHECK(vectors_of({sum(loop(x))}) == 1);
  CHECK(vectors_of({sum(loop(start)), sum(loop(other))}) == 2);
  // A loop inside another one whose first value is made in each step.
  const Expr inside =
      fori(n, List{x}, [&](const Expr&, States s) { return List{s[0] + loop(cos(s[0]))}; })[0];
  Batch batch("memory");
  batch.inputs = {n, x};
  for (const Expr& y : {once, twice, again, loop(x) + x, loop(start) + loop(other), inside})
    batch.add("value", y, 1e-12);
  batch.add("gradient", grad(sum(inside) + again + sum(twice), x), 1e-10);
  Samples random(5);
  for (const std::int64_t steps : {0, 1, 2, 7})
    batch.check_with({Array(steps), random.small(float64, {3})});
}

TEST_CASE("rows of steps are made in their places") {
  const Expr x = matrix("x"), h = tensor("h", float64, {x.dim(1)});
  const List found = scan(Expr(extent_value(x.dim(0))), List{h}, [&](const Expr& i, States s) {
    return List{s[0] * 0.5 + x(i), sin(s[0])};
  });
  const Module module = module_of({found[0], found[1]});
  const LoopStep& loop = first_loop(module);
  REQUIRE(loop.rows.size() == 1);
  for (const Step& step : loop.body) CHECK(!std::holds_alternative<CopyStep>(step.what));
  Batch batch("rows");
  batch.inputs = {x, h};
  batch.add("last", found[0], 1e-14);
  batch.add("rows", found[1], 1e-14);
  Samples random(8);
  for (const std::int64_t steps : {0, 1, 4})
    batch.check_with({random.small(float64, {steps, 3}), random.small(float64, {3})});
}

TEST_CASE("a gradient keeps the states that it reads, once") {
  const Expr x = vector("x"), y = vector("y"), n = scalar("n", int64);
  const auto rows_of = [](const List& outputs) {
    const Module module = module_of(outputs);
    std::size_t rows = 0;
    for (const Step& step : module.steps)
      if (const auto* loop = std::get_if<LoopStep>(&step.what)) rows += loop->rows.size();
    return rows;
  };
  // Of two states one enters its step as a factor only.
  const List last =
      fori(n, List{x, y}, [&](const Expr&, States s) { return List{sin(s[0]), s[1] + s[0]}; });
  const Expr cost = sum(last[0]) + sum(last[1]);
  CHECK(rows_of({grad(cost, x)}) == 1);
  CHECK(rows_of({cost, grad(cost, x), grad(cost, y)}) == 1);
  // A loop that keeps the state itself has it for its gradient.
  const List kept = scan(n, List{x}, [&](const Expr&, States s) { return List{sin(s[0]), s[0]}; });
  CHECK(rows_of({grad(sum(kept[1]), x)}) == 1);
  CHECK(rows_of({kept[1], grad(sum(kept[1]), x)}) == 1);
}

TEST_CASE("a gradient keeps elements of a state of which a step reads no others") {
  const Expr x = vector("x"), n = scalar("n", int64);
  const auto row_ranks = [](const List& outputs) {
    const Module module = module_of(outputs);
    std::vector<int> ranks;
    for (const Step& step : module.steps)
      if (const auto* loop = std::get_if<LoopStep>(&step.what))
        for (const LoopStep::Row& row : loop->rows)
          ranks.push_back(static_cast<int>(module.buffers[row.one].shape.size()));
    return ranks;
  };
  const auto written = [&](const std::function<Expr(const Expr&, const Expr&)>& value) {
    return sum(fori(n, List{x}, [&](const Expr& i, States s) {
      return List{set_at(s[0], {Index(i + 1)}, value(s[0], i))};
    })[0]);
  };
  const Expr one = written([](const Expr& s, const Expr& i) { return sin(s(i)); });
  CHECK(row_ranks({one, grad(one, x)}) == std::vector<int>{0});
  const Expr all = written([](const Expr& s, const Expr& i) { return sin(s(i)) * sum(s * s); });
  const std::vector<int> ranks = row_ranks({all, grad(all, x)});
  CHECK(std::ranges::count(ranks, 1) == 1);
  Batch batch("elements kept");
  batch.inputs = {x, n};
  for (const Expr& e : {one, grad(one, x), all, grad(all, x), sum(square(grad(one, x)))})
    batch.add("value", e, 1e-11);
  Samples random(6);
  for (const std::int64_t steps : {0, 1, 4})
    batch.check_with({random.small(float64, {5}), Array(steps)});
}

TEST_CASE("rows have extents that are known before the loop") {
  const Expr n = scalar("n", int64), m = scalar("m", int64);
  CHECK_THROWS_AS(
      scan(n, List{m}, [](const Expr&, States s) { return List{s[0] + 1, arange(s[0])}; }),
      TypeError);
  CHECK_THROWS_AS(scan(n, List{m}, [](const Expr&, States) { return List{}; }), TypeError);
  const List found =
      scan(n, List{m}, [&](const Expr& i, States s) { return List{s[0] + i, arange(m) * i}; });
  Batch batch("rows of a computed extent");
  batch.inputs = {n, m};
  for (const Expr& e : found) batch.add("found", e);
  for (const std::int64_t steps : {0, 3}) batch.check_with({Array(steps), Array(std::int64_t{4})});
}

TEST_CASE("states in one memory have the values, gradients and batches of the reference") {
  for (const DType t : {DType::float64, DType::float16})
    for (const Case& c : cases()) {
      CAPTURE(c.name);
      CAPTURE(name_of(t));
      Batch batch(c.name);
      const Shape shape(c.matrices ? 2 : 1, Dim::symbol("m"));
      const Expr a = tensor("a", float64, shape), b = tensor("b", float64, shape);
      const Expr n = scalar("n", int64);
      batch.inputs = {a, b, n};
      const List last = fori(n, List{cast(a, t), cast(b, t)}, [&](const Expr& i, States s) {
        const List found = c.step(i, s[0], s[1]);
        return List{cast(found[0], t), cast(found[1], t)};
      });
      const double tolerance = t == DType::float64 ? 1e-11 : 2e-2;
      for (const Expr& e : last) batch.add("state", cast(e, float64), tolerance);
      Samples random(5);
      const Extents one = c.matrices ? Extents{3, 3} : Extents{3};
      const Extents two = c.matrices ? Extents{2, 3, 3} : Extents{2, 3};
      if (t == DType::float64) {
        const List slopes = grad(sum(square(last[0])) + sum(last[1] * last[0]), {a, b});
        for (const Expr& e : slopes) batch.add("gradient", e, tolerance);
        const Expr loss = sum(square(slopes[0])) + sum(slopes[1]);
        for (const Expr& e : grad(loss, {a, b})) batch.add("second", e, tolerance);
        Shape many = shape;
        many.insert(many.begin(), Dim(2));
        const List examples = {tensor("more_a", t, many), tensor("more_b", t, many)};
        batch.inputs.insert(batch.inputs.end(), examples.begin(), examples.end());
        const List single = {last[0], last[1], slopes[0], slopes[1]};
        for (const Expr& e : vectorize(single, List{a, b}, examples))
          batch.add("batch", e, tolerance);
      }
      for (const std::int64_t steps : {0, 1, 2, 5}) {
        std::vector<Array> values = {random.small(float64, one), random.small(float64, one),
                                     Array(steps)};
        if (t == DType::float64)
          for (int k = 0; k < 2; ++k) values.push_back(random.small(float64, two));
        batch.check_with(std::move(values));
      }
    }
}

TEST_CASE("steps that allocate share one memory, which grows") {
  const Expr n = scalar("n", int64), x = vector("x");
  const auto inner = [&](const Expr& i, const Expr& s) {
    return fori((i * 5) % 7, List{s}, [](const Expr&, States t) { return List{sin(t[0]) * 1.3}; });
  };
  const Expr last = fori(n, List{x}, [&](const Expr& i, States s) { return inner(i, s[0]); })[0];
  Batch batch("memory that grows");
  batch.inputs = {n, x};
  for (const Expr& e : grad(sum(square(last)), {x})) batch.add("gradient", e, 1e-11);
  Samples random(9);
  for (const std::int64_t steps : {0, 1, 2, 7, 20})
    batch.check_with({Array(steps), random.small(float64, {3})});
  const Function f = compile({n, x}, {grad(sum(square(last)), x)}, {}, uncached());
  CHECK(f.source().find(".at_least(call, ") != std::string::npos);
}

TEST_CASE("a loop takes time linear in its steps, whatever the size of what they read and write") {
  const Expr x = vector("x"), rate = scalar("rate");
  const Expr length(extent_value(x.dim(0)));
  const auto last = [&](const Expr& from, const Expr& initial, const auto& step) {
    return fori(from, List{initial},
                [&](const Expr& i, States s) { return List{step(i, s[0])}; })[0];
  };
  const Expr summed = last(length, rate * 0.0,
                           [&](const Expr& i, const Expr& s) { return s * rate + x(i) * rate; });
  const Expr written = last(length - 1, x, [&](const Expr& i, const Expr& s) {
    return set_at(s, {Index(i + 1)}, s(i) * rate);
  });
  const Expr nested = last(length / 64, rate * 0.0, [&](const Expr& i, const Expr& s) {
    return last(Expr(Array(std::int64_t{64})), s,
                [&](const Expr& k, const Expr& inner) { return inner * rate + x(i * 64 + k); });
  });
  const std::pair<std::string, Expr> loops[] = {
      {"elements read, by them", grad(summed, x)},
      {"elements read, by a number", grad(summed, rate)},
      {"elements written", written},
      {"elements read in a loop of a loop", grad(nested, x)}};
  for (const auto& [name, e] : loops) {
    CAPTURE(name);
    const Function f = compile({x, rate}, {e});
    const auto seconds = [&](std::int64_t n) {
      const Array values = Array::from(std::vector<double>(static_cast<std::size_t>(n), 1.0));
      double best = 1e9;
      for (int run = 0; run < 7; ++run) {
        const auto start = std::chrono::steady_clock::now();
        f(values, 0.5);
        const auto end = std::chrono::steady_clock::now();
        best = std::min(best, std::chrono::duration<double>(end - start).count());
      }
      return best;
    };
    // Three tries, as other programs run too; a quadratic takes four times the time.
    double growth = 9;
    for (int attempt = 0; attempt < 3 && growth > 2.2; ++attempt)
      growth = std::min(growth, seconds(65536) / seconds(32768));
    CHECK(growth <= 2.2);
  }
}
