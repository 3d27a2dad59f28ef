// Compiled steps: products, loops, calls, updates, checks, results that are inputs, thread counts.
#include <numeric>

#include "passes/derivatives/gradient.h"
#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double step_accuracy = 1e-12;

}  // namespace

TEST_CASE("products of every rank, transposed, with vectors, batched, scaled") {
  Samples random(31);
  for (const DType t : {float64, float32, int64, int32}) {
    Batch batch(fmt::format("products_{}", name_of(t)));
    const double error = t == float32 ? 1e-4 : 1e-11;
    const Dim m = Dim::symbol("m"), k = Dim::symbol("k"), n = Dim::symbol("n");
    const Expr a = batch.input("a", random.small(t, {5, 7}), {m, k});
    const Expr b = batch.input("b", random.small(t, {7, 3}), {k, n});
    const Expr c = batch.input("c", random.small(t, {5, 3}), {m, n});
    const Expr u = batch.input("u", random.small(t, {7}), {k});
    const Expr p = batch.input("p", random.small(t, {2, 5, 7}), {2, m, k});
    const Expr q = batch.input("q", random.small(t, {2, 7, 3}), {2, k, n});
    batch.add("ab", matmul(a, b), error);
    batch.add("aat", matmul(a, transpose(a)), error);
    batch.add("ata", matmul(transpose(a), a), error);
    batch.add("btat", matmul(transpose(b), transpose(a)), error);
    batch.add("matrix by vector", matmul(a, u), error);
    batch.add("vector by matrix", matmul(u, b), error);
    batch.add("transposed by vector", matmul(transpose(b), u), error);
    batch.add("inner", matmul(u, u), error);
    batch.add("outer", outer(u, u), error);
    batch.add("plus", matmul(a, b) * 2 + c, error);
    batch.add("minus", c - matmul(a, b), error);
    batch.add("batched", matmul(p, q), error);
    batch.add("shared operand", matmul(p, b), error);
    batch.add("batched by vector", matmul(p, u), error);
    batch.add("tensordot", tensordot(p, q, {0, 2}, {0, 1}), error);
    batch.add("dot", dot(a, b), error);
    batch.add("chain", matmul(matmul(a, b), transpose(c)), error * 100);
    batch.add("of sums", matmul(a + a, b * 3), error);
    batch.add("rows of product", sum(matmul(a, b), 1), error);
    if (is_float(t)) {
      batch.add("tanh", tanh(matmul(a, b) + c(0)), error);
      batch.add("gradient", grad(sum(square(matmul(a, b))), a), error * 100);
    }
    batch.compile();
    for (const auto& [x, y, z] : std::vector<std::array<std::int64_t, 3>>{
             {5, 7, 3}, {1, 1, 1}, {1, 8, 1}, {17, 1, 9}, {64, 33, 65}, {3, 0, 2}})
      batch.check_with({random.small(t, {x, y}), random.small(t, {y, z}), random.small(t, {x, z}),
                        random.small(t, {y}), random.small(t, {2, x, y}),
                        random.small(t, {2, y, z})});
  }
}

TEST_CASE("sums of products over three axes become matrix products") {
  Samples random(35);
  const Dim m = Dim::symbol("m"), k = Dim::symbol("k"), n = Dim::symbol("n");
  Batch batch("contractions");
  const Expr a = batch.input("a", random.small(float64, {5, 7}), {m, k});
  const Expr b = batch.input("b", random.small(float64, {7, 3}), {k, n});
  batch.add("middle", sum(expand_dims(a, 2) * expand_dims(b, 0), 1), 1e-12);
  batch.add("implicit axis", sum(expand_dims(a, 2) * b, 1), 1e-12);
  batch.add("last", sum(expand_dims(a, 1) * expand_dims(transpose(b), 0), 2), 1e-12);
  batch.add("first", sum(expand_dims(transpose(a), 2) * expand_dims(b, 1), 0), 1e-12);
  batch.add("reversed", sum(expand_dims(b, 0) * expand_dims(a, 2), 1), 1e-12);
  batch.check();
  CHECK(batch.function->products() >= 1);
  CHECK(batch.function->kernels() == 0);  // nothing but products
}

TEST_CASE("loops, nested and of any length, and gradients through them") {
  Samples random(32);
  Batch batch("loops");
  const Expr x = batch.input("x", random.small(float64, {4}));
  const Expr n = batch.input("n", Array(std::int64_t{3}), {});
  const Expr a = batch.input("a", random.small(float64, {4, 4}), {x.dim(0), x.dim(0)});
  using States = std::span<const Expr>;
  using List = std::vector<Expr>;
  const Expr initial[] = {x};
  const Expr two[] = {x, x * 2};
  const auto power = [&](Expr, States s) { return List{matmul(a, s[0]) * 0.25}; };
  const Expr last = fori(n, initial, power)[0];
  batch.add("power", last, 1e-10);
  batch.add("literal", fori(5, initial, power)[0], 1e-10);
  batch.add("index",
            fori(n, initial, [](Expr i, States s) { return List{s[0] + cast(i, float64)}; })[0]);
  const auto pair =
      fori(n, two, [&](Expr i, States s) { return List{s[1], s[0] + sin(x) * cast(i, float64)}; });
  batch.add("swapped 0", pair[0], step_accuracy);
  batch.add("swapped 1", pair[1], step_accuracy);
  batch.add("nested",
            fori(2, initial,
                 [&](Expr i, States outer_states) {
                   return fori(i + 1, outer_states, [&](Expr k, States s) {
                     return List{s[0] * 0.5 + cast(k + i, float64)};
                   });
                 })[0],
            step_accuracy);
  batch.add("unchanged", fori(n, two, [](Expr, States s) { return List{s[0], s[1] + 1}; })[0]);
  batch.add("constant state",
            fori(n, initial, [](Expr, States s) { return List{s[0] * 0 + 1}; })[0]);
  batch.add("element written", fori(x.dim(0), initial, [](Expr i, States s) {
              return List{set_at(s[0], {i}, s[0](i) * 2)};
            })[0]);
  const auto gradients = grad(sum(square(last)), {x, a});
  batch.add("dx", gradients[0], 1e-10);
  batch.add("da", gradients[1], 1e-10);
  batch.add("after", exp(-square(last)) + x, 1e-10);
  batch.compile();
  for (const std::int64_t count : {0, 1, 2, 3, 6})
    for (const std::int64_t size : {1, 4, 17})
      batch.check_with(
          {random.small(float64, {size}), Array(count), random.small(float64, {size, size})});
}

TEST_CASE("loops whose bodies find that extents are equal") {
  Samples random(36);
  Batch batch("equal extents");
  const Expr x = batch.input("x", random.small(float64, {4}));
  const Expr y = batch.input("y", random.small(float64, {4}));
  const Expr table[] = {full({y.dim(0), x.dim(0)}, constant(0.0, float64))};
  const auto row = [&](Expr i, std::span<const Expr> s) {
    return std::vector<Expr>{set_at(s[0], {i}, x * (y + cast(i, float64) * 1))};
  };
  const Expr rows = fori(extent(y.dim(0)), table, row)[0];
  batch.add("rows", rows);
  batch.add("gradient", grad(sum(square(rows)), {x})[0], 1e-12);
  batch.check();
}

TEST_CASE("extents that are values") {
  Samples random(33);
  Batch batch("late");
  const Expr n = batch.input("n", Array(std::int64_t{3}), {});
  const Expr x = batch.input("x", random.small(int64, {5}));
  batch.add("arange", arange(n));
  batch.add("used", sin(cast(arange(n), float64) * 0.5), step_accuracy);
  batch.add("sum", sum(arange(n * 2)));
  batch.add("by data", arange(max(abs(x))) + 1);
  batch.add("rewritten", arange(cast(maximum(ceil(cast(n, float64) / 0.75), 0.0) * 1, int64)));
  batch.add("grid", expand_dims(arange(n), 1) * arange(n + 1));
  batch.add("table", full({Dim::value((n + 2).value()), 3}, 1.5));
  batch.add("counts",
            inc_at(full({Dim::value((max(abs(x)) + 1).value())}, Expr(Array(0.0))), {abs(x)}, 1.0));
  // Rows of four, cut to n: memory of a late extent, a result of a known one.
  const Dim first = Dim::value(n.value()), rows = Dim::value(floor_divide(n + 3, 4).value());
  const Expr flat = reshape(expand_dims(sqrt(cast(arange(rows * 4), float64)), 0), {-1});
  batch.add("cut", reshape(flat(until(first)), {first}));
  batch.add("cut rows", reshape(flat(until(first)) * 2, {first, 1}));
  batch.compile();
  for (const std::int64_t count : {0, 1, 4, 33})
    batch.check_with({Array(count), random.small(int64, {5 + count})});
  CHECK_THROWS_AS((*batch.function)(std::int64_t{-1}, random.small(int64, {3})), ValueError);
}

TEST_CASE("results that are inputs, constants, each other, or nothing new") {
  Samples random(34);
  Batch batch("results");
  const Expr x = batch.input("x", random.small(float32, {4, 3}));
  const Expr unused = batch.input("unused", random.small(bool_, {2}));
  const Array large = random.small(float64, {300}), little = random.small(int16, {3});
  const Expr y = exp(x);
  batch.add("itself", x);
  batch.add("again", x);
  batch.add("value", y, 1e-6);
  batch.add("value again", y, 1e-6);
  batch.add("flat", reshape(x, {-1}));
  batch.add("flat value", reshape(y, {-1}), 1e-6);
  batch.add("large", Expr(large));
  batch.add("large used", Expr(large) * 2 + 1, step_accuracy);
  batch.add("little", Expr(little));
  batch.add("number", constant(2.5, float64));
  batch.add("size", extent(x.dim(0) * x.dim(1) + 1));
  batch.add("kept", barrier(x, 1) - barrier(x, 2));
  batch.add("stopped", stop_gradient(x) * 2);
  const Expr arguments[] = {x, Expr(Array(2.0f))};
  const Expr f = matrix("f", float32), s = scalar("s", float32);
  const Expr inner[] = {f, s}, outer_values[] = {tanh(f) * s, sum(f)};
  const auto called = OpFromGraph(inner, outer_values)(arguments);
  batch.add("called", called[0], 1e-6);
  batch.add("called sum", called[1], 1e-5);
  batch.check();
  const Array a = random.small(float32, {2, 2}), copy = a.copy();
  const Results r = (*batch.function)(a, random.small(bool_, {0}));
  CHECK(r[0].data() != std::as_const(a).data());
  CHECK(r[0].data() != r[1].data());
  CHECK(same_bits(a, copy));
}

TEST_CASE("updates read the old values and appear together") {
  const SharedVariable a = shared(Array::from({1.0, 2.0, 3.0}), "a");
  const SharedVariable b = shared(Array::from({10.0, 20.0, 30.0}), "b");
  const Expr x = scalar("x");
  const Function f = compile({x}, {a + b, sum(a)}, {{a, b * x}, {b, a + 1}});
  const Results r = f(2.0);
  using Doubles = std::vector<double>;
  CHECK(r[0].to_vector<double>() == Doubles{11, 22, 33});
  CHECK(r[1].item<double>() == 6);
  CHECK(a.get().to_vector<double>() == Doubles{20, 40, 60});
  CHECK(b.get().to_vector<double>() == Doubles{2, 3, 4});
  const Function swap = compile({}, {}, {{a, b}, {b, a}});
  swap();
  CHECK(a.get().to_vector<double>() == Doubles{2, 3, 4});
  CHECK(b.get().to_vector<double>() == Doubles{20, 40, 60});
  const Function checked = compile({x}, {}, {{a, check(a * x, x > 0, "x must be positive")}});
  CHECK_THROWS_AS(checked(-1.0), ValueError);
  CHECK(a.get().to_vector<double>() == Doubles{2, 3, 4});
  const Function reversed = compile({}, {a}, {{a, a(Range{{}, {}, -1})}});
  CHECK(reversed()[0].to_vector<double>() == Doubles{2, 3, 4});
  CHECK(a.get().to_vector<double>() == Doubles{4, 3, 2});
  const Function shifted = compile({}, {}, {{a, concatenate({a(from(1)), a(until(1))})}});
  shifted();
  CHECK(a.get().to_vector<double>() == Doubles{3, 2, 4});
}

TEST_CASE("any number of threads gives the same bits") {
  Samples random(35);
  const Expr x = matrix("x"), y = vector("y", float32);
  const Expr z = tensor("z", float64, {x.dim(1), Dim(40)});
  const std::vector<Output> outputs = {sum(x),
                                       sum(exp(x), 1),
                                       sum(x * x, 0),
                                       mean(x, 0),
                                       softmax(x),
                                       logsumexp(x),
                                       sum(y),
                                       prod(1 + y * 1e-4f),
                                       argmax(y),
                                       matmul(x, z),
                                       grad(sum(square(matmul(x, z))), z),
                                       max(x, 0)};
  for (const auto& [rows, columns] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{3000, 37}, {5, 40000}}) {
    const std::vector<Array> arguments = {random.small(float64, {rows, columns}),
                                          random.small(float32, {300000}),
                                          random.small(float64, {columns, 40})};
    std::optional<Results> first;
    const int before = pool().threads();
    set_threads(16);
    for (const int threads : {1, 2, 3, 16}) {
      CompileOptions options;
      options.threads = threads;
      const Function f = compile({x, y, z}, outputs, {}, options);
      Results r = f(arguments);
      if (first)
        for (std::size_t i = 0; i < outputs.size(); ++i) {
          CAPTURE(i);
          CAPTURE(threads);
          CHECK(difference(r[i], (*first)[i], 0) == "");
        }
      else
        first = std::move(r);
    }
    set_threads(before);
  }
}

TEST_CASE("an array of indices that counts up is a range") {
  for (const std::int64_t n : {2, 5, 300}) {
    CAPTURE(n);
    Samples random(31);
    const Array logits = random.small(float32, {n, 7});
    std::vector<std::int64_t> numbers(static_cast<std::size_t>(n)), classes(numbers.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    for (std::int64_t& c : classes) c = random.below(7);
    const Expr x = tensor("x", float32, {Dim(n), 7});
    const auto gradient = [&](const std::vector<std::int64_t>& rows) {
      const Expr row(Array::from(rows, {n, 1}));
      const Expr label = expand_dims(Expr(Array::from(classes)), 1);
      const Expr at[] = {row, label};
      const Expr loss = -mean(index(log_softmax(x, 1), {0, 1}, at));
      CompileOptions options;
      options.cache = false;
      return compile({x}, {{"", grad(loss, x)}}, {}, options);
    };
    const Function found = gradient(numbers);
    CHECK(found.graph_text().find("indicator") != std::string::npos);
    std::swap(numbers.front(), numbers.back());
    std::swap(classes.front(), classes.back());
    const Function plain = gradient(numbers);
    CHECK(plain.graph_text().find("inc_index") != std::string::npos);
    CHECK(difference(found(logits)[0], plain(logits)[0], 1e-6) == "");
  }
}
