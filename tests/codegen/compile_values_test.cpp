// Compiled functions against the reference evaluator and NumPy's values: shapes, views, indexing,
// products, loops, updates, and what a call may be given.
#include <chrono>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "passes/derivatives/gradient.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

constexpr double value_accuracy = 1e-12;

std::string thrown(const Function& f, std::vector<Array> arguments) {
  try {
    f(arguments);
  } catch (const ValueError& e) {
    return e.what();
  }
  return "nothing";
}

// The least time of some calls with an array of one number, in nanoseconds.
double time_of(const Function& f, double number, DType t) {
  Array x = Array::empty(t, {5000});
  with_type(
      t, [&]<class T>(T) { std::fill_n(static_cast<T*>(x.data()), 5000, static_cast<T>(number)); });
  double least = std::numeric_limits<double>::infinity();
  for (int call = 0; call < 40; ++call) {
    const auto start = std::chrono::steady_clock::now();
    f({x});
    const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

}  // namespace

TEST_CASE("functions take no longer where their results round to 0") {
  if (std::getenv("GNOMON_DEVICE") != nullptr) return;  // processors of the host are meant
  for (const DType t : {float32, float64}) {
    const Expr x = tensor("x", t, {Dim::symbol("n")});
    const std::pair<const char*, Expr> functions[] = {
        {"exp", exp(x)},           {"exp2", exp2(x)},      {"sigmoid", sigmoid(x)},
        {"softplus", softplus(x)}, {"power", pow(2.5, x)}, {"erfc", erfc(-x)},
        {"ndtr", ndtr(x)},         {"square", exp(-x * x)}};
    for (const auto& [name, y] : functions) {
      const Function f = compile({x}, {y});
      const double near = time_of(f, -1.5, t);
      INFO(name << " of " << name_of(t) << " takes " << near << " ns near 0");
      for (const double far : {-1e3, -1e9, -std::numeric_limits<double>::infinity()})
        CHECK(time_of(f, far, t) < 5 * near);
    }
  }
}

TEST_CASE("powers with whole exponents are products that lose nothing") {
  Samples samples(31);
  for (const DType t : {float32, float64}) {
    Batch batch("whole powers");
    const Expr x = batch.input("x", samples.any(t, {70}));
    for (const double n : {-64, -12, -6, -3, 6, 7, 12, 63, 64, 65, 1000})
      batch.add("power", pow(x, n), t == float32 ? 1e-7 : 4e-16);
    CHECK(batch.check());
    CHECK(batch.function->source().find("gn::whole_power<-12>(") != std::string::npos);
    CHECK(batch.function->source().find("gn::whole_power<65>(") == std::string::npos);
  }
}

TEST_CASE("rows, columns and whole arrays of every length around the vector widths") {
  Samples random(21);
  Batch batch("lengths");
  const Expr x = batch.input("x", random.small(float64, {3, 5}));
  const Expr v = batch.input("v", random.small(float64, {5}), {x.dim(1)});
  const Expr f = batch.input("f", random.small(float32, {5}));
  batch.add("fused", exp(x) * v + sin(v), value_accuracy);
  batch.add("rows", sum(x * v, 1), value_accuracy);
  batch.add("centered", x - mean(x, 1, keepdims), value_accuracy);
  batch.add("columns", sum(x, 0), value_accuracy);
  batch.add("both", sum(x * x) + sum(v), 1e-11);
  batch.add("softmax", softmax(x), value_accuracy);
  batch.add("softmax of columns", softmax(x, 0), value_accuracy);
  batch.add("logsumexp", logsumexp(x, 1), value_accuracy);
  batch.add("argmax", argmax(x, 1));
  batch.add("argmin", argmin(v));
  batch.add("max of columns", max(x, 0));
  batch.add("norm", f / sqrt(sum(f * f)), 1e-5);
  batch.add("flip", f(Range{{}, {}, -1}));
  batch.add("sum f", sum(f), 1e-5);
  batch.compile();
  for (const std::int64_t n : {1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 129, 513})
    for (const std::int64_t m : {1, 3, 70})
      batch.check_with(
          {random.small(float64, {m, n}), random.small(float64, {n}), random.small(float32, {n})});
  for (const std::int64_t n : {8191, 8192, 8193, 20000})
    batch.check_with(
        {random.small(float64, {2, n}), random.small(float64, {n}), random.small(float32, {n})});
  batch.check_with({random.small(float64, {8193, 2}), random.small(float64, {2}),
                    random.small(float32, {70001})});
}

TEST_CASE("literal extents") {
  Samples random(22);
  for (const std::int64_t n : {1, 5, 16, 65, 8193}) {
    Batch batch(fmt::format("literal_{}", n));
    const Expr x = batch.input("x", random.small(float64, {3, n}), {3, n});
    const Expr y = batch.input("y", random.small(float64, {n, 2}), {n, 2});
    batch.add("fused", exp(x) + 1, value_accuracy);
    batch.add("rows", sum(x, 1), 1e-11);
    batch.add("columns", sum(y, 0), 1e-11);
    batch.add("softmax", softmax(x), value_accuracy);
    batch.add("argmax", argmax(y, 0));
    batch.add("product", matmul(x, y), 1e-11);
    batch.add("transposed", transpose(x) * y(all_of, from(1)), value_accuracy);
    batch.add("all", sum(x) * max(y), 1e-10);
    batch.check();
  }
}

TEST_CASE("ranks 0 to 5 and axes anywhere") {
  Samples random(23);
  for (int rank = 0; rank <= 5; ++rank) {
    Batch batch(fmt::format("rank_{}", rank));
    const std::vector<std::int64_t> all = {3, 2, 4, 5, 3};
    const std::vector<std::int64_t> shape(all.end() - rank, all.end());
    const Expr x = batch.input("x", random.small(float64, shape));
    batch.add("fused", x * 2 + exp(x), value_accuracy);
    batch.add("sum", sum(x), value_accuracy);
    batch.add("transpose", transpose(x) + 1, value_accuracy);
    batch.add("flat", reshape(x, {-1}) * 3);
    for (int axis = 0; axis < rank; ++axis) {
      batch.add(fmt::format("sum {}", axis), sum(exp(x), axis), value_accuracy);
      batch.add(fmt::format("mean kept {}", axis), x - mean(x, axis, keepdims), value_accuracy);
      batch.add(fmt::format("max {}", axis), max(x, axis));
      batch.add(fmt::format("softmax {}", axis), softmax(x, axis), value_accuracy);
      batch.add(fmt::format("expand {}", axis), expand_dims(x, axis) - 1);
      batch.add(fmt::format("both {}", axis), concatenate({x, x * 2, x}, axis));
      batch.add(fmt::format("stack {}", axis), stack({x, -x}, axis));
    }
    if (rank >= 3) {
      batch.add("two", sum(x, {0, rank - 1}), value_accuracy);
      batch.add("turned", transpose(sum(exp(x), 1)), value_accuracy);
    }
    batch.check();
  }
}

TEST_CASE("views as arguments: transposed, strided, reversed, broadcast, unaligned") {
  Samples random(24);
  Batch batch("views");
  const Expr x = batch.input("x", random.small(float32, {4, 6}));
  const Expr y = batch.input("y", random.small(float64, {6}), {x.dim(1)});
  batch.add("fused", x * y + 1, value_accuracy);
  batch.add("rows", sum(x, 1), 1e-5);
  batch.add("columns", sum(x * y, 0), value_accuracy);
  batch.add("product", matmul(cast(x, float64), y), value_accuracy);
  batch.compile();
  const Array a = random.small(float32, {9, 14}), b = random.small(float64, {40});
  batch.check_with({a.transpose(), b.slice(0, 3, 12)});
  batch.check_with({a.slice(0, 8, 0, -2), b.slice(0, 1, 29, 2)});
  batch.check_with({a.slice(1, 1, 14, 3).slice(0, 0, 9, 4), b.slice(0, 39, 4, -7)});
  double number = 2.5;
  batch.check_with({a, Array::borrow(&number, float64, {14}, {0}, nullptr)});
  std::vector<float> values(70);
  std::iota(values.begin(), values.end(), 0.0f);
  batch.check_with({Array::borrow(values.data() + 1, float32, {5, 13}), b.slice(0, 1, 14)});
}

TEST_CASE("nothing at all: extents 0 everywhere") {
  Samples random(25);
  Batch batch("empty");
  const Expr x = batch.input("x", random.small(float64, {0, 3}));
  const Expr y = batch.input("y", random.small(float64, {3, 0}), {x.dim(1), Dim::symbol("k")});
  batch.add("fused", exp(x) + 1);
  batch.add("sum", sum(x));
  batch.add("rows", sum(x, 1));
  batch.add("columns", sum(x, 0));
  batch.add("prod", prod(x, 0));
  batch.add("any", any(x > 0, 1));
  batch.add("all", all(x > 0));
  batch.add("logsumexp", logsumexp(x, 0));
  batch.add("softmax", softmax(x, 1));
  batch.add("product", matmul(x, y), value_accuracy);
  batch.add("inner", matmul(transpose(x), x), value_accuracy);
  batch.add("turned", transpose(x));
  batch.add("flat", reshape(x, {-1}));
  batch.add("joined", concatenate({x, x}, 0));
  batch.add("flipped", x(Range{{}, {}, -1}));
  batch.add("written", inc_at(x, {all_of, until(0)}, 1.0));
  batch.compile();
  for (const std::int64_t n : {0, 2})
    for (const std::int64_t m : {0, 3})
      for (const std::int64_t k : {0, 4})
        batch.check_with({random.small(float64, {n, m}), random.small(float64, {m, k})});
  const Function f = compile({x}, {max(x), argmin(x, 0)});
  CHECK(thrown(f, {random.small(float64, {0, 2})}).find("max") != std::string::npos);
}

TEST_CASE("slices with symbolic, negative and far bounds") {
  Samples random(26);
  Batch batch("slices");
  const Expr x = batch.input("x", random.small(float64, {7, 9}));
  const Dim n = x.dim(0), m = x.dim(1);
  const Expr k = batch.input("k", Array(std::int64_t{2}), {});
  const Dim at = Dim::value(k.value());
  const std::pair<const char*, Expr> parts[] = {
      {"row", x(1)},
      {"last", x(-1)},
      {"element", x(2, -3)},
      {"tail", x(from(-2))},
      {"head", x(until(-2), until(3))},
      {"step", x(range(1, 6, 2), from(1, 3))},
      {"down", x(Range{{}, {}, -2}, Range{5, {}, -1})},
      {"all but", x(until(n - 3), from(m - 2))},
      {"half", x(until(floor_div(n, 2)))},
      {"far", x(from(100), until(200))},
      {"new", x(newaxis, all_of, newaxis, 3)},
      {"dots", x(ellipsis, 1)},
      {"value", x(at)},
      {"from value", x(from(at), until(at + 1))},
  };
  for (const auto& [name, part] : parts) {
    batch.add(name, part);
    batch.add(std::string(name) + " used", exp(part) + 1, value_accuracy);
    batch.add(std::string(name) + " summed", sum(part), value_accuracy);
  }
  batch.add("set", set_at(x, {range(1, 3), from(-2)}, 7.0));
  batch.add("set row", set_at(x, {-1}, x(0) * 2));
  batch.add("set down", set_at(x, {Range{{}, {}, -1}, 0}, x(all_of, 1)));
  batch.add("inc", inc_at(x, {all_of, range(0, 6, 2)}, 0.5));
  batch.add("inc twice", inc_at(inc_at(x, {1}, 1.0), {all_of, 1}, x(all_of, 0)));
  batch.add("value row set", set_at(x, {at}, 0.0));
  batch.compile();
  for (const auto& [rows, columns, value] :
       std::vector<std::array<std::int64_t, 3>>{{7, 9, 2}, {6, 6, -1}, {20, 30, 4}, {65, 17, -6}})
    batch.check_with({random.small(float64, {rows, columns}), Array(value)});
}

TEST_CASE("slices whose sign only the call knows follow Python") {
  const Expr x = vector("x", int64), k = scalar("k", int64);
  const Dim at = Dim::value(k.value());
  const Function f = compile({x, k}, {x(from(at)), x(until(at)), x(at)});
  const Array values = Array::from(std::vector<std::int64_t>{0, 1, 2, 3, 4});
  using Ints = std::vector<std::int64_t>;
  const Results a = f(values, std::int64_t{-2});
  CHECK(a[0].to_vector<std::int64_t>() == Ints{3, 4});
  CHECK(a[1].to_vector<std::int64_t>() == Ints{0, 1, 2});
  CHECK(a[2].item<std::int64_t>() == 3);
  const Results b = f(values, std::int64_t{1});
  CHECK(b[0].to_vector<std::int64_t>() == Ints{1, 2, 3, 4});
  CHECK(b[1].to_vector<std::int64_t>() == Ints{0});
  CHECK(thrown(f, {values, Array(std::int64_t{5})}) != "nothing");
  CHECK(thrown(f, {values, Array(std::int64_t{-6})}) != "nothing");
}

TEST_CASE("integer arrays as indices, negative ones and duplicates") {
  Samples random(27);
  Batch batch("gathers");
  const auto indices = [&](std::vector<std::int64_t> shape, std::int64_t low, std::int64_t high) {
    Array a = Array::empty(int64, shape);
    for (std::int64_t i = 0; i < a.size(); ++i)
      a.data<std::int64_t>()[i] = low + random.below(high - low);
    return a;
  };
  const Expr x = batch.input("x", random.small(float64, {6, 8}));
  const Expr i = batch.input("i", indices({40}, -6, 6));
  const Expr j = batch.input("j", indices({40}, -8, 8), {i.dim(0)});
  const Expr g = batch.input("g", indices({3, 5}, -6, 6));
  const Expr v = batch.input("v", random.small(float64, {40}), {i.dim(0)});
  const Expr one = batch.input("one", indices({}, -6, 6));
  const Expr small = batch.input("small", Array::from(std::vector<std::int8_t>{3, -1, 0, 7}), {4});
  batch.add("take", take(x, i));
  batch.add("take last", take(x, j, 1));
  batch.add("take grid", exp(take(x, g)), value_accuracy);
  batch.add("pairs", x(i, j));
  batch.add("apart", x(i, newaxis, j) * 2);
  batch.add("one", x(one));
  batch.add("one of one", x(one, one) + 1);
  batch.add("sliced", x(i, from(1, 2)));
  batch.add("rows of sums", sum(take(x, i), 1), value_accuracy);
  batch.add("sums of rows", take(sum(x, 1), i), value_accuracy);
  batch.add("small index", take(v, small));
  batch.add("set pairs", set_at(x, {i, j}, v));
  batch.add("inc pairs", inc_at(x, {i, j}, v), value_accuracy);
  batch.add("inc rows", inc_at(x, {i}, 1.0), value_accuracy);
  batch.add("inc rows by columns", inc_at(x, {i}, expand_dims(v, 1)), value_accuracy);
  batch.add("set columns", set_at(x, {all_of, j}, expand_dims(x(all_of, 0), 1)));
  batch.add("inc one", inc_at(x, {one, one}, 5.0), value_accuracy);
  batch.add("counts", inc_at(full({6}, Expr(Array(std::int64_t{0}))), {i}, 1));
  batch.add("gradient", grad(sum(square(x(i, j)) * v), x), value_accuracy);
  batch.check();
  const Function f = compile({x, i}, {take(x, i)});
  const Array xs = random.small(float64, {6, 8});
  const std::string text = thrown(f, {xs, Array::from(std::vector<std::int64_t>{0, 5, 6, 1})});
  CHECK(text.find("index 6 is out of range for axis 0 with extent 6") != std::string::npos);
  CHECK(thrown(f, {xs, Array::from(std::vector<std::int64_t>{-7})}).find("index -7") !=
        std::string::npos);
  const Function inc = compile({x, i, j, v}, {inc_at(x, {i, j}, v)});
  CHECK(thrown(inc, {xs, Array::from(std::vector<std::int64_t>{0, 3}),
                     Array::from(std::vector<std::int64_t>{8, 0}), random.small(float64, {2})})
            .find("index 8 is out of range for extent 8") != std::string::npos);
}

TEST_CASE("any text may name an input, an output or a function") {
  const char* names[] = {
      "product", "shape", "last",    "top", "d",     "i",         "j",     "i_lo",       "i64x16",
      "boolx8",  "int",   "wchar_t", "gn",  "call",  "__x",       "_LP64", "constant",   "1",
      "a b",     "x\ny",  "live",    "out", "in",    "gnomon_k0", "f64",   "constant_0", "buffers",
      "",        "x",     "x",       "exp", "GN_FN", "k",         "best",  "caf\xc3\xa9"};
  Batch batch("of\nseveral */ lines \"\\");
  Samples random(28);
  const Dim n = Dim::symbol("dims"), m = Dim::symbol("plan");
  for (const char* name : names) {
    const Expr x = batch.input(name, random.small(float64, {3, 5}), {n, m});
    batch.add(name, matmul(transpose(check(x, x < 100, "too large")), exp(x)), value_accuracy);
    batch.add(std::string(name) + "_", argmax(x, 0));
    batch.add(name, x(from(Dim::value(argmin(x(0)).value()))));
  }
  batch.check();
}

TEST_CASE("reductions of one number, and literal extents of 0") {
  Samples random(29);
  for (const RewriteLevel level : {RewriteLevel::none, RewriteLevel::exact, RewriteLevel::all}) {
    Batch batch("numbers");
    batch.options.rewrites = level;
    const Expr x = batch.input("x", random.small(float64, {}), {});
    const Expr z = batch.input("z", random.small(float64, {0, 3}), {0, Dim::symbol("z")});
    batch.add("sum", sum(x));
    batch.add("prod", prod(x * 2));
    batch.add("max", max(x));
    batch.add("argmax", argmax(x));
    batch.add("mean", mean(x));
    batch.add("any", any(x));
    batch.add("logsumexp", logsumexp(x), value_accuracy);
    batch.add("nothing", exp(z) + 1);
    batch.add("no rows", sum(z, 1));
    batch.add("no columns", sum(z, 0));
    batch.add("turned", sum(transpose(z) * 2, 0));
    batch.check();
  }
}
