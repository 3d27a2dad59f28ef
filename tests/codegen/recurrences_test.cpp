// Loops whose elements go through many steps at a time: which they are, their values against the
// reference at the edges of tiles and of blocks of steps, what is read in place, sums behind them.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "codegen/module/accesses.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "passes/loops/recurrence.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/random/random.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

// The loops of a module that make several steps at once, and the others.
struct Loops {
  int recurrences = 0, others = 0;
  bool operator==(const Loops&) const = default;
};

void count(const std::vector<Step>& steps, Loops& found) {
  for (const Step& step : steps) {
    if (const auto* loop = std::get_if<LoopStep>(&step.what))
      ++(loop->at_once > 1 ? found.recurrences : found.others);
    for_each_inner(step, [&](const std::vector<Step>& inner) { count(inner, found); });
  }
}

Loops loops_of(const Module& module) {
  Loops found;
  count(module.steps, found);
  return found;
}
Loops loops_of(const List& outputs) { return loops_of(module_of(outputs)); }

// A step of a loop over vectors a and b of m elements and a table t of five rows of m.
struct Case {
  std::string name;
  bool is_recurrence;
  std::function<List(const Expr& i, const Expr& a, const Expr& b, const Expr& t)> step;
};

Expr row(const Expr& t, const Expr& i) { return t(i % 5); }
Expr table(const std::vector<double>& elements) { return Expr(Array::from<double>(elements)); }

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"elements and rows", true,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{sin(a) * 0.7 + b * 0.1, sin(b) + cast(i, float64) * 1e-3,
                     set_at(t, {Index((i + 1) % 5)}, sin(row(t, i) * a))};
       }},
      {"they change places", true,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{b * 0.5, a + 0.25, inc_at(t, {Index(i % 5)}, a * 0.1)};
       }},
      {"several writes, and what was there before", true,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         const Expr first = inc_at(t, {Index(i % 5)}, sin(row(t, i + 4) * a) * 0.1);
         return List{row(t, i) * 0.25, b + a * 0.1, set_at(first, {Index(i % 3)}, t(1) * 0.5)};
       }},
      {"rows at literal places", true,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{sin(a) * 0.5 + t(0) * 0.1, b + t(3) * 0.1,
                     set_at(t, {Index(i % 5)}, t(2) * 0.5 + a)};
       }},
      {"what is the same in all steps, where elements choose", true,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         const Expr chosen = cast(abs(b) * 2, int64) % 4;
         return List{take(table({0.5, -0.25, 0, 1.5}), chosen) * a,
                     take(table({0.75, 1, 0.5, -0.5}), chosen) + b * 0.5 + cast(i, float64),
                     set_at(t, {Index(i % 5)}, a)};
       }},
      {"a sum of a state", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{a * 0.5 + sum(b) * 1e-3, b * 0.5, set_at(t, {Index(i % 5)}, a)};
       }},
      {"another element", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{flip(a) * 0.5, b * 0.5, set_at(t, {Index(i % 5)}, a)};
       }},
      {"one element for all", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{a * 0.5 + b(i % 3), b * 0.5, set_at(t, {Index(i % 5)}, a)};
       }},
      {"a row of all rows", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         return List{a * 0.5 + sum(t, 0) * 0.1, b * 0.5, set_at(t, {Index(i % 5)}, a)};
       }},
      {"the table after the write", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         const Expr written = set_at(t, {Index(i % 5)}, a * 0.5);
         return List{a * 0.5 + row(written, i + 1), b * 0.5, written};
       }},
      {"rows that data choose", false,
       [](const Expr& i, const Expr& a, const Expr& b, const Expr& t) {
         const Expr chosen = cast(abs(b), int64) % 3;
         return List{take(t(0), chosen) * 0.5, b * 0.5, set_at(t, {Index(i % 5)}, a)};
       }},
  };
  return all;
}

List loop_of(const Case& c, const Expr& n, const Expr& a, const Expr& b, const Expr& t) {
  return scan(n, List{a, b, t}, [&](const Expr& i, States s) {
    List next = c.step(i, s[0], s[1], s[2]);
    next.push_back(next[0] + s[1]);
    return next;
  });
}

}  // namespace

TEST_CASE("elements that do not need each other make many steps at once") {
  const Expr a = vector("a"), b = tensor("b", float64, a.shape()), n = scalar("n", int64);
  const Expr t = tensor("t", float64, {Dim(5), a.dim(0)});
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Loops wanted = c.is_recurrence ? Loops{1, 0} : Loops{0, 1};
    CHECK(loops_of(loop_of(c, n, a, b, t)) == wanted);
  }
}

TEST_CASE("few elements stay in registers, and ends that data decide are those of single steps") {
  const Expr n = scalar("n", int64);
  const auto loop = [&](std::int64_t m) {
    const Expr x = tensor("x", float64, {Dim(m)});
    return fori(n, List{x}, [](const Expr&, States s) { return List{sin(s[0])}; });
  };
  CHECK(loops_of(loop(64)) == Loops{0, 1});
  CHECK(loops_of(loop(65)) == Loops{1, 0});
  const Expr x = vector("x");
  const List last = while_loop(
      List{x}, [](States s) { return sum(s[0]) > 1.0; }, [](States s) { return List{s[0] * 0.5}; });
  CHECK(loops_of(last) == Loops{0, 1});
}

TEST_CASE("loops have the values of the reference at the edges of tiles and of blocks of steps") {
  for (const Case& c : cases()) {
    CAPTURE(c.name);
    const Expr a = vector("a"), b = tensor("b", float64, a.shape()), n = scalar("n", int64);
    const Expr t = tensor("t", float64, {Dim(5), a.dim(0)});
    const List last = loop_of(c, n, a, b, t);
    Batch batch(c.name);
    batch.inputs = {n, a, b, t};
    for (const Expr& x : last) batch.add("last", x, 1e-11);
    const Expr cost = sum(last[0] * last[0]) + sum(sin(last[1])) + sum(last[2]) + sum(last[3]);
    for (const Expr& x : grad(cost, List{a, b, t})) batch.add("gradient", x, 1e-9);
    Samples random(4);
    const auto check = [&](std::int64_t steps, std::int64_t m) {
      CAPTURE(steps);
      CAPTURE(m);
      const auto numbers = [&](Extents shape) { return random.small(float64, shape); };
      batch.check_with({Array(steps), numbers({m}), numbers({m}), numbers({5, m})});
    };
    for (const std::int64_t steps : {0, 1, 63, 64, 65, 130}) check(steps, 5);
    for (const std::int64_t m : {3, 64, 67, 700, 2500}) check(3, m);
  }
}

TEST_CASE("states of every dtype, and of several axes, make many steps at once") {
  for (const DType type : {float32, int64, int32, uint8, bool_}) {
    CAPTURE(name_of(type));
    Batch batch("dtypes");
    const Expr x = batch.input("x", Array::empty(type, {0, 0, 0}));
    const Expr b = tensor("b", type, {x.dim(2)}), n = scalar("n", int64);
    batch.inputs.insert(batch.inputs.end(), {b, n});
    const auto next = [&](const Expr& s) {
      return is_bool(type) ? logical_xor(s, b) : cast(s * 3 - b, type);
    };
    const List last =
        scan(n, List{x}, [&](const Expr&, States s) { return List{next(s[0]), s[0]}; });
    CHECK(loops_of(last).recurrences == 1);
    for (const Expr& y : last) batch.add("last", y, is_float(type) ? 1e-5 : 0);
    Samples random(9);
    for (const auto& [rows, columns] : {std::pair(2, 3), std::pair(1, 40), std::pair(0, 5)})
      batch.check_with({random.small(type, {2, rows, columns}), random.small(type, {columns}),
                        Array(std::int64_t{4})});
  }
}

TEST_CASE("a sequence behind a transpose is read where it is") {
  const Expr x = matrix("x"), h = tensor("h", float64, {x.dim(0)});
  const List last = scan(Expr(extent_value(x.dim(1))), List{h}, [&](const Expr& i, States s) {
    const Expr next = s[0] * 0.5 + transpose(x)(i);
    return List{next, next};
  });
  const Module module = module_of(last);
  CHECK(loops_of(module) == Loops{1, 0});
  for (const Kernel& kernel : module.kernels) CHECK(kernel.comment.find("= transpose") > 1000);
  Batch batch("turned");
  batch.inputs = {x, h};
  for (const Expr& y : last) batch.add("last", y, 1e-14);
  batch.add("gradient", grad(sum(last[1] * last[1]), x), 1e-12);
  Samples random(2);
  for (const std::int64_t m : {0, 1, 130})
    batch.check_with({random.small(float64, {m, 70}), random.small(float64, {m})});
}

TEST_CASE("states that become what is outside of the loop, in steps that are written out") {
  const Expr x = matrix("x"), w = tensor("w", float64, {x.dim(0)}), r = scalar("r");
  const Expr zero = full(w.shape(), Expr(0.0));
  const List begin = {zero, cos(w), exp(r), zero + 3.0};
  const List last = scan(Expr(extent_value(x.dim(1))), begin, [&](const Expr& i, States s) {
    const Expr next = s[0] * 0.5 + x(all_of, i) + sin(s[1]) * exp(s[2]) + sin(s[3]);
    return List{next, w, r, zero, next, s[2] * 2.0};
  });
  CHECK(loops_of(last) == Loops{1, 0});
  Batch batch("outside");
  batch.inputs = {x, w, r};
  for (const Expr& y : last) batch.add("last", y, 1e-12);
  batch.add("slope", grad(sum(last[0]) + sum(last[4] * last[4]), x), 1e-11);
  Samples random(3);
  for (const std::int64_t steps : {0, 1, 2, 3, 4, 5, 8, 67})
    batch.check_with({random.small(float64, {6, steps}), random.small(float64, {6}), Array(0.4)});
}

TEST_CASE("tables that steps write along any of their axes") {
  const Expr x = tensor("x", float64, {Dim::symbol("p"), Dim::symbol("q"), Dim::symbol("r")});
  const Expr n = scalar("n", int64);
  const auto along = [&](int k) {
    return fori(n, List{x}, [&](const Expr& i, States s) {
      std::vector<Index> here(static_cast<std::size_t>(k), Index(all_of)), before = here;
      here.emplace_back(i % 2 + 1), before.emplace_back(i % 2);
      return List{set_at(s[0], here, index(s[0], here) * 0.5 + index(s[0], before))};
    })[0];
  };
  const Expr both = fori(n, List{x}, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i % 3), Index(i % 2)}, s[0](0, i % 3) * 0.5)};
  })[0];
  // An element here is another one there.
  const Expr crossed = fori(n, List{x}, [](const Expr& i, States s) {
    return List{set_at(s[0], {Index(i % 3)}, s[0](all_of, i % 3) * 0.5)};
  })[0];
  Batch batch("tables");
  batch.inputs = {n, x};
  for (const int k : {0, 1, 2}) {
    CHECK(loops_of({along(k)}) == Loops{1, 0});
    batch.add("along", along(k), 1e-12);
    batch.add("gradient", grad(sum(sin(along(k))), x), 1e-11);
  }
  CHECK(loops_of({both}) == Loops{1, 0});
  CHECK(loops_of({crossed}) == Loops{0, 1});
  batch.add("both", both, 1e-12);
  batch.add("crossed", crossed, 1e-12);
  Samples random(3);
  for (const std::int64_t steps : {0, 5, 70})
    batch.check_with({Array(steps), random.small(float64, {3, 3, 3})});
}

TEST_CASE("an index out of range ends the call as it does step by step") {
  const Expr x = matrix("x"), at = tensor("at", int64, {Dim::symbol("n")});
  const Expr last = fori(Expr(extent_value(at.dim(0))), List{x}, [&](const Expr& i, States s) {
    return List{inc_at(s[0], {Index(at(i))}, s[0](at(i) - 1))};
  })[0];
  CHECK(loops_of({last}) == Loops{1, 0});
  const Function f = compile({x, at}, {last}, {}, uncached());
  Samples random(8);
  const Array rows = random.small(float64, {3, 4});
  const auto places = [](std::vector<std::int64_t> v) { return Array::from<std::int64_t>(v); };
  CHECK_NOTHROW(f(rows, places({2, 0, -1, 2})));
  CHECK_THROWS_WITH_AS(f(rows, places({2, 3})),
                       doctest::Contains("index 3 is out of range for axis 0 with extent 3"),
                       IndexError);
  CHECK_THROWS_AS(f(random.small(float64, {0, 4}), places({0})), IndexError);
}

TEST_CASE("states look up elements of tables by all of their axes") {
  const Expr words = matrix("words", int64), first = vector("first", int64);
  const Expr next = matrix("next", int64);
  const Expr last = fori(Expr(extent_value(words.dim(0))), List{first},
                         [&](const Expr& i, States s) { return List{next(s[0], words(i))}; })[0];
  CHECK(loops_of({last}) == Loops{1, 0});
  const Function f = compile({words, first, next}, {last}, {}, uncached());
  const std::int64_t states = 7, letters = 3, steps = 21, n = 1000;
  std::vector<std::int64_t> given, begun, table, wanted;
  for (std::int64_t k = 0; k < steps * n; ++k) given.push_back(k * k % letters);
  for (std::int64_t k = 0; k < n; ++k) begun.push_back(k % states - (k % 2 == 0 ? states : 0));
  for (std::int64_t k = 0; k < states * letters; ++k) table.push_back(k * 5 % states);
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t state = (begun[k] + states) % states;
    for (std::int64_t i = 0; i < steps; ++i) state = table[state * letters + given[i * n + k]];
    wanted.push_back(state);
  }
  const auto call = [&] {
    return f(Array::from<std::int64_t>(given).reshape({steps, n}), Array::from<std::int64_t>(begun),
             Array::from<std::int64_t>(table).reshape({states, letters}))[0];
  };
  CHECK(same_bits(call(), Array::from<std::int64_t>(wanted)));
  table[0] = states;
  CHECK_THROWS_WITH_AS(call(), doctest::Contains("index 7 is out of range"), IndexError);
}

TEST_CASE("scalars have their steps beside elements, and where there are none") {
  const Expr x = vector("x"), t = scalar("t"), n = scalar("n", int64), h = scalar("h");
  const List last = scan(n, List{x, t, sum(arange(1)), x}, [&](const Expr& i, States s) {
    const Expr rate = sin(s[1]) + expand_dims(s[1], 0) * cast(expand_dims(i, 0), float64) * 0.1;
    return List{
        s[0] + h * rate * s[0], s[1] + h, s[2] + i, s[0] * 2.0, s[1] * 2.0, s[0] + s[1], s[2]};
  });
  CHECK(loops_of(last) == Loops{1, 0});
  const Expr m = matrix("m");
  const List rows =
      fori(n, List{m, t}, [&](const Expr&, States s) { return List{s[0] * s[1], s[1] * 0.5}; });
  CHECK(loops_of(rows) == Loops{1, 0});
  // A scalar that depends on elements.
  const List others = fori(n, List{x, t}, [&](const Expr&, States s) {
    return List{s[0] * s[1], cos(s[1]) + max(abs(s[0]))};
  });
  CHECK(loops_of(others) == Loops{0, 1});
  Batch batch("scalars");
  batch.inputs = {x, t, n, h, m};
  for (const List& all : {last, rows}) {
    for (const Expr& y : all) batch.add("last", y, 1e-11);
    for (const Expr& y : grad(sum(sin(all[0])) + all[1], List{t})) batch.add("slope", y, 1e-9);
  }
  Samples random(7);
  for (const std::int64_t steps : {0, 1, 64, 65, 129})
    for (const std::int64_t size : {0, 1, 5, 2100})
      batch.check_with({random.small(float64, {size}), Array(0.3), Array(steps), Array(1e-3),
                        random.small(float64, {3, size})});
  batch.check_with({random.small(float64, {3}), Array(0.3), Array(std::int64_t{3}), Array(1e-3),
                    random.small(float64, {0, 3})});
}

TEST_CASE("draws are those of single steps") {
  const Expr x = vector("x"), n = scalar("n", int64), state = tensor("state", uint64, {Dim(2)});
  const Expr last = fori(n, List{x}, [&](const Expr& i, States s) {
    return List{s[0] * exp(0.1 * random::normal(random::fold_in(state, i), {x.dim(0)}))};
  })[0];
  CHECK(loops_of({last}) == Loops{1, 0});
  Batch batch("draws");
  batch.inputs = {x, n, state};
  batch.add("last", last, 1e-11);
  Samples random(1);
  for (const std::int64_t size : {0, 7, 2100})
    batch.check_with({random.small(float64, {size}), Array(std::int64_t{3}),
                      Array::from<std::uint64_t>({5, 0})});
}

TEST_CASE("what a loop sums over its elements in each step is summed once") {
  const Expr x = vector("x"), r = scalar("r"), n = scalar("n", int64);
  const Expr last = fori(n, List{x}, [&](const Expr&, States s) { return List{sin(s[0]) * r}; })[0];
  const Expr slope = grad(sum(last * last), r);
  CHECK(loops_of({slope}) == Loops{2, 0});
  // What a step reads of the sum stays a sum of the step.
  const List read = fori(n, List{x, r},
                         [](const Expr&, States s) { return List{s[0] * s[1], s[1] + sum(s[0])}; });
  CHECK(loops_of(read) == Loops{0, 1});
  const List kept = scan(n, List{x, r}, [](const Expr&, States s) {
    const Expr next = s[1] + sum(s[0]);
    return List{s[0] * 0.5, next, next};
  });
  CHECK(loops_of(kept) == Loops{0, 1});
  // What a step asks of an extent is still asked.
  const List asking = fori(n, List{r, x}, [&](const Expr& i, States s) {
    const Expr more = cast(arange(Dim::value((i + 3).value())), float64);
    return List{s[0] + sum(s[1]), s[1] * 0.5 + more};
  });
  const Function f = compile({x, r, n}, {asking[0]}, {}, uncached());
  const Array three = Array::from(std::vector<double>{1, 2, 3});
  CHECK_NOTHROW(f(three, 0.5, 1));
  CHECK_THROWS_AS(f(three, 0.5, 2), ValueError);
  const Expr m = matrix("m");
  const List axes = fori(n, List{m, sum(m, 0), mean(m)}, [](const Expr&, States s) {
    return List{s[0] * 0.5, s[1] + sum(s[0], 0), sum(s[0] * s[0]) + s[2] + sum(sin(s[0]))};
  });
  CHECK(loops_of(axes) == Loops{1, 0});
  Batch batch("sums");
  batch.inputs = {x, r, n, m};
  for (const List& all : {List{slope}, read, kept, axes})
    for (const Expr& y : all) batch.add("sum", y, 1e-10);
  batch.add("second", grad(slope, r), 1e-9);
  Samples random(6);
  for (const std::int64_t steps : {0, 1, 3, 66})
    batch.check_with(
        {random.small(float64, {5}), Array(0.1), Array(steps), random.small(float64, {4, 3})});
}
