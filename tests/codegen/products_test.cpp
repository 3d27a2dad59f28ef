// Matrix products of every shape and transpose, by generated kernels and by the library: values
// against the reference evaluator, bits for any number of threads.
#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

namespace {

using namespace gnomon;
using namespace gnomon::test;

const std::vector<DType> float_dtypes = {float32, float64};

double product_tolerance(DType t) { return t == float32 ? 2e-5 : 1e-13; }

// Every element has the same bits whether 1, 2 or 16 threads compute it.
void check_threads(Batch& batch) {
  const int before = pool().threads();
  set_threads(1);
  const Results one = (*batch.function)(batch.values);
  for (const int threads : {2, 16}) {
    set_threads(threads);
    const Results many = (*batch.function)(batch.values);
    for (std::size_t i = 0; i < batch.outputs.size(); ++i) {
      INFO(batch.outputs[i].name << " by " << threads << " threads");
      CHECK(difference(many[i], one[i], 0) == "");
    }
  }
  set_threads(before);
}

}  // namespace

TEST_CASE("products with a vector read a matrix, or a part of one, where it lies") {
  Samples random(72);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("parts_{}", name_of(t)));
    const double error = 64 * product_tolerance(t);
    const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
    const auto inputs = [&](std::int64_t rows, std::int64_t columns) {
      return std::vector<Array>{random.small(t, {rows, columns}), random.small(t, {rows}),
                                random.small(t, {columns})};
    };
    const auto first = inputs(40, 33);
    const Expr a = batch.input("a", first[0], {m, n}), u = batch.input("u", first[1], {m}),
               v = batch.input("v", first[2], {n});
    batch.add("matrix by vector", matmul(a, v), error);
    batch.add("vector by matrix", matmul(u, a), error);
    batch.add("transposed", matmul(transpose(a), u), error);
    batch.add("some rows", matmul(a(range(2, -1)), v), error);
    batch.add("some rows, transposed", matmul(transpose(a(from(3))), u(from(3))), error);
    batch.add("a part", matmul(a(range(1, -2), range(4, -1)), v(range(4, -1))), error);
    batch.add("vector by a part", matmul(u(range(1, -2)), a(range(1, -2), from(5))), error);
    batch.add("every other row", matmul(a(range(0, m, 2)), v), error);
    batch.add("what is computed", matmul(exp(a), v), error);
    batch.add("added to", u - 0.5 * matmul(a, v), error);
    batch.check_with(first);
    for (const auto& [rows, columns] : {std::pair{8, 9}, {300, 8}, {9, 700}, {2000, 40}})
      batch.check_with(inputs(rows, columns));
    check_threads(batch);
  }
}

TEST_CASE("products with one small side are kernels, whatever the other sides") {
  Samples random(71);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("skinny_{}", name_of(t)));
    const double error = 64 * product_tolerance(t);
    const Dim m = Dim::symbol("m");
    const auto inputs = [&](std::int64_t rows) {
      return std::vector<Array>{random.small(t, {rows, 37}), random.small(t, {rows, 10}),
                                random.small(t, {37, 10}), random.small(t, {10, 37}),
                                random.small(t, {19, rows})};
    };
    const auto first = inputs(20);
    const Expr x = batch.input("x", first[0], {m, 37}), g = batch.input("g", first[1], {m, 10});
    const Expr w = batch.input("w", first[2], {37, 10}), v = batch.input("v", first[3], {10, 37});
    const Expr s = batch.input("s", first[4], {19, m});
    batch.add("few columns", matmul(x, w), error);
    batch.add("few columns, b transposed", matmul(x, transpose(v)), error);
    batch.add("few columns, a transposed", matmul(transpose(x), g), error);
    batch.add("added to", w - 0.5 * matmul(transpose(x), g), error);
    batch.add("scaled", 3 * matmul(x, w) + 2 * g, error);
    batch.add("few rows", matmul(transpose(g), x), error);
    batch.add("few rows, wide", matmul(transpose(w), transpose(x)), error);
    batch.add("both transposed", matmul(transpose(v), transpose(g)), error);
    batch.add("few rows, long", matmul(s, x), error);
    batch.add("short inner axis", matmul(g, v), error);
    batch.add("short inner axis, b transposed", matmul(g, transpose(w)), error);
    batch.add("by itself", matmul(transpose(g), g), error);
    batch.compile();
    CHECK(batch.function->products() == 1);  // packing x would cost more than ten rows gain
    for (const std::int64_t rows : {20, 1, 3, 15, 16, 17, 33, 70, 1030, 0})
      batch.check_with(inputs(rows));
    batch.values = inputs(9000);
    check_threads(batch);
    CHECK(batch.check());
  }
}

TEST_CASE("products of constant extents are kernels where one side is small") {
  Samples random(72);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("constant_products_{}", name_of(t)));
    const double error = 16 * product_tolerance(t);
    const auto input = [&](const char* name, Extents shape) {
      Shape dims;
      for (const std::int64_t d : shape) dims.push_back(d);
      return batch.input(name, random.small(t, shape), dims);
    };
    const Expr a = input("a", {21, 30}), b = input("b", {30, 28}), c = input("c", {21, 28});
    const Expr d = input("d", {40, 21}), six = input("six", {6, 6}), one = input("one", {1, 30});
    const Expr p = input("p", {3, 6, 9}), q = input("q", {3, 9, 24}), r = input("r", {3, 24, 9});
    const Expr long_a = input("long_a", {3, 5000}), long_b = input("long_b", {5000, 12});
    batch.add("plain", matmul(a, b), error);
    batch.add("plus", 2 * matmul(a, b) - c, error);
    batch.add("two tiles", matmul(d, c), error);
    batch.add("small", matmul(matmul(six, six), transpose(six)) + six, 8 * error);
    batch.add("rows", matmul(transpose(six), six), error);
    batch.add("batched", matmul(p, q), error);
    batch.add("batched, b transposed", matmul(p, transpose(r, {0, 2, 1})), error);
    batch.add("batched, a transposed", matmul(transpose(p, {0, 2, 1}), p), error);
    batch.add("long", matmul(long_a, long_b), 64 * error);
    batch.add("row", matmul(one, b) + c(0), error);
    batch.add("column", matmul(a, transpose(one)), error);
    batch.compile();
    CHECK(batch.function->products() == 0);
    CHECK(batch.check());
    check_threads(batch);
  }
}

TEST_CASE("products of one row, of each width of lanes") {
  Samples random(77);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("one_row_{}", name_of(t)));
    const Dim n = Dim::symbol("n");
    constexpr std::array<std::int64_t, 4> depths{2, 9, 17, 32};
    const auto inputs = [&](std::int64_t columns) {
      std::vector<Array> values;
      for (const std::int64_t k : depths) {
        values.push_back(random.small(t, {1, k}));
        values.push_back(random.small(t, {k, columns}));
      }
      return values;
    };
    const std::vector<Array> first = inputs(150);
    for (std::size_t i = 0; i < depths.size(); ++i) {
      const Dim k = depths[i];
      const Expr a = batch.input("a", first[2 * i], {1, k});
      const Expr b = batch.input("b", first[2 * i + 1], {k, n});
      batch.add("row", matmul(a, b), 64 * product_tolerance(t));
      batch.add("twice", matmul(concatenate(std::vector<Expr>{a, 2 * a}, 0), b),
                64 * product_tolerance(t));
    }
    for (const std::int64_t columns : {150, 0, 1, 7, 33, 127, 128, 129})
      batch.check_with(inputs(columns));
  }
}

TEST_CASE("products of an open number of rows are kernels while the rows are few") {
  Samples random(75);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("open_rows_{}", name_of(t)));
    batch.options.cache = false;
    const Dim m = Dim::symbol("m"), n = Dim::symbol("n"), k = Dim::symbol("k");
    const auto inputs = [&](std::int64_t rows, std::int64_t columns, std::int64_t inner) {
      return std::vector<Array>{
          random.small(t, {rows, inner}),    random.small(t, {inner, columns}),
          random.small(t, {rows, columns}),  random.small(t, {inner, rows}),
          random.small(t, {2, rows, inner}), random.small(t, {2, inner, columns}),
          random.small(t, {rows, 40}),       random.small(t, {40, 150})};
    };
    const auto first = inputs(20, 150, 40);
    const Expr x = batch.input("x", first[0], {m, k}), w = batch.input("w", first[1], {k, n});
    const Expr c = batch.input("c", first[2], {m, n}), s = batch.input("s", first[3], {k, m});
    const Expr p = batch.input("p", first[4], {2, m, k}), q = batch.input("q", first[5], {2, k, n});
    const Expr y = batch.input("y", first[6], {m, 40}), v = batch.input("v", first[7], {40, 150});
    const double error = 256 * product_tolerance(t);
    batch.add("plain", matmul(x, w), error);
    batch.add("added to", c - 0.5 * matmul(x, w + 1), error);
    batch.add("a transposed", matmul(transpose(s), w), error);
    batch.add("batched", matmul(p, q), error);
    batch.add("known sides", matmul(y, v), error);
    batch.add("b transposed", matmul(x, transpose(x)), error);
    batch.compile();
    CHECK(batch.function->products() == 5);  // of many rows
    const std::string& source = batch.function->source();
    CHECK(source.find(fmt::format("3 <= m && m <= {}", Machine{}.few_rows)) != std::string::npos);
    for (const std::int64_t rows : {0, 1, 2, 3, 4, 8, 9, 12, 13, 21, 47, 48, 49})
      batch.check_with(inputs(rows, 70, 11));
    for (const auto& [columns, inner] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {1, 1}, {5, 0}, {0, 5}, {33, 1024}, {3, 1025}, {300, 17}})
      batch.check_with(inputs(7, columns, inner));
    batch.values = inputs(23, 1500, 700);
    check_threads(batch);
  }
}

TEST_CASE("elements of a product of few rows are chains of multiply-adds in order") {
  Samples random(76);
  const Expr x = matrix("x"), w = matrix("w");
  CompileOptions options;
  options.cache = false;
  const auto chains = [&](std::int64_t rows) {
    const Array a = random.small(float64, {rows, 90}), b = random.small(float64, {90, 70});
    const Function f = compile({x, w}, {matmul(x, w)}, {}, options);
    const Array got = f(a, b)[0];
    CHECK(f.products() == 1);
    std::int64_t same = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < 70; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < 90; ++l)
          sum = std::fma(a.data<double>()[i * 90 + l], b.data<double>()[l * 70 + j], sum);
        same += sum == got.data<double>()[i * 70 + j];
      }
    return same == rows * 70;
  };
  for (const std::int64_t rows : {3, 20, 48}) CHECK(chains(rows));
  options.machine = Machine{};
  options.machine->few_rows = 0;
  const Function f = compile({x, w}, {matmul(x, w)}, {}, options);
  CHECK(f.kernels() == 0);
  CHECK(f.source().find("} else {") == std::string::npos);
}

TEST_CASE("products with vectors are sums, fused with what is around them, or of the library") {
  Samples random(73);
  for (const DType t : float_dtypes) {
    INFO(name_of(t));
    Batch batch(fmt::format("vectors_{}", name_of(t)));
    const double error = 64 * product_tolerance(t);
    const Dim m = Dim::symbol("m"), n = Dim::symbol("n");
    const auto inputs = [&](std::int64_t rows, std::int64_t columns) {
      return std::vector<Array>{random.small(t, {rows, columns}), random.small(t, {columns}),
                                random.small(t, {rows}), random.small(t, {rows, 1})};
    };
    const auto first = inputs(5, 7);
    const Expr a = batch.input("a", first[0], {m, n}), x = batch.input("x", first[1], {n});
    const Expr y = batch.input("y", first[2], {m}), z = batch.input("z", first[3], {m, 1});
    batch.add("matrix by vector", tanh(matmul(a, x) + y), error);
    batch.add("vector by matrix", tanh(matmul(y, a) + x), error);
    batch.add("transposed", matmul(transpose(a), y) - x, error);
    batch.add("inner", matmul(x, x), error);
    batch.add("outer", a - 0.25 * matmul(z, expand_dims(x, 0)), error);
    batch.add("form", matmul(matmul(y, a), x), 64 * error);
    batch.compile();
    CHECK(batch.function->products() == 3);  // those of a, which is in memory
    for (const auto& [rows, columns] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {5, 7}, {1, 1}, {1, 9}, {17, 1}, {64, 64}, {130, 67}, {0, 3}, {3, 0}})
      batch.check_with(inputs(rows, columns));
    batch.values = inputs(700, 300);
    check_threads(batch);
  }
}

TEST_CASE("products whose sides are unknown or large go to the library") {
  Samples random(74);
  Batch batch("library");
  const Expr a = batch.input("a", random.small(float64, {70, 90}));
  const Expr b = batch.input("b", random.small(float64, {90, 80}));
  batch.add("product", matmul(a, b), 1e-11);
  CHECK(batch.check());
  CHECK(batch.function->products() == 1);
}

TEST_CASE("matrices by their own transposes are symmetric to the bit, for any number of threads") {
  Samples random(74);
  for (const DType t : float_dtypes) {
    Batch batch(fmt::format("own transposes of {}", name_of(t)));
    const double error = 64 * product_tolerance(t);
    const auto m = Dim::symbol("m"), n = Dim::symbol("n");
    const Expr x = batch.input("x", random.small(t, {40, 300}), {m, n});
    const Expr y = batch.input("y", random.small(t, {40, 300}), {m, n});
    const Expr rows = dot(x, transpose(x)), columns = dot(transpose(x), x);
    batch.add("rows", rows, error);
    batch.add("columns", columns, error);
    batch.add("skew", rows - transpose(rows), 0);
    batch.add("of columns", columns - transpose(columns), 0);
    batch.add("added", dot(x, transpose(x)) + dot(y, transpose(x)), 2 * error);
    CHECK(batch.check());
    check_threads(batch);
    for (const auto& [a, b] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {0, 3}, {3, 0}, {300, 7}})
      CHECK(batch.check_with({random.small(t, {a, b}), random.small(t, {a, b})}));
    CHECK(batch.function->source().find("product.symmetric = 1") != std::string::npos);
    // Equal arguments are no reason: bits depend on values alone.
    const Function two = compile({x, y}, {dot(x, transpose(y))});
    const Array a = random.small(t, {60, 200});
    const std::vector<Array> same = {a, a}, equal = {a, a.copy()};
    CHECK(difference(two(same)[0], two(equal)[0], 0) == "");
  }
}

TEST_CASE("a product that overflows or meets NaN says so in the elements concerned alone") {
  Batch batch("special");
  Array a = zeros({18, 40}, float32), b = ones({40, 12}, float32);
  a.data<float>()[3 * 40 + 39] = std::numeric_limits<float>::quiet_NaN();
  a.data<float>()[17 * 40] = std::numeric_limits<float>::infinity();
  b.data<float>()[11] = -0.0f;
  const Expr x = batch.input("a", a), w = batch.input("b", b, {40, 12});
  batch.add("product", matmul(x, w));
  CHECK(batch.check());
  CHECK(batch.function->products() == 0);
}
