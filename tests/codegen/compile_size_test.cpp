// What keeps generated code short: functions shared by kernels, bodies that serve all vectors.
#include <doctest/doctest.h>
#include <gnomon/gnomon.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "codegen/text/emit.h"
#include "codegen/toolchain/target.h"
#include "passes/pipeline.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"

using namespace gnomon;

namespace {

std::string source_of(const std::vector<Expr>& inputs, const std::vector<Expr>& outputs,
                      int vector_bytes) {
  Context context;
  const Graph graph = run_passes(capture(inputs, outputs).graph, context);
  std::string text;
  const Target target = target_named("native", vector_bytes);
  for (const Unit& unit : emit(test::module_of(graph, target), "")) text += unit.text;
  return text;
}

int count_parts(const std::string& text, const std::string& part) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++n;
  return n;
}

CompileOptions uncached_for(const char* cpu = "native") {
  CompileOptions options;
  options.cache = false;
  options.cpu = cpu;
  return options;
}

}  // namespace

TEST_CASE("kernels that differ in names only are one function") {
  const Expr x = tensor("x", float32, Shape{1, 40});
  std::vector<Expr> inputs = {x};
  Expr h = x;
  for (int k = 0; k < 4; ++k) {
    inputs.push_back(tensor("weights_" + std::to_string(k), float32, Shape{40, 40}));
    inputs.push_back(tensor("bias_" + std::to_string(k), float32, Shape{40}));
    const std::size_t n = inputs.size();
    h = tanh(dot(h, inputs[n - 2]) + inputs[n - 1]);
  }
  const std::string text = source_of(inputs, {h}, 64);
  CHECK(count_parts(text, "= gn::tanh(") == 1);
  CHECK(count_parts(text, "\nvoid gnomon_k") == 2);  // the product and the rest
}

TEST_CASE("kernels that differ in a constant, an operation or a dtype are not") {
  const Expr x = matrix("x"), y = matrix("y");
  const auto rows = [](const Expr& e) { return sum(e, {1}); };
  const std::string text =
      source_of({x, y}, {rows(exp(x * 2.0)), rows(exp(y * 3.0)), rows(log(dot(x, y)))}, 64);
  CHECK(count_parts(text, "= gn::exp(") == 2);
}

namespace {

// Inputs of one type, and of each a result in a kernel of its own.
struct Apart {
  std::vector<Expr> inputs, outputs;
  template <class F>
  Apart(int count, DType t, const F& result) {
    for (int k = 0; k < count; ++k) {
      inputs.push_back(matrix("x" + std::to_string(k), t));
      outputs.push_back(result(inputs.back(), k));
    }
  }
  int functions() const { return count_parts(source_of(inputs, outputs, 64), "call.parallel("); }
};

}  // namespace

TEST_CASE("four kernels or more that differ in numbers are one function, which is given them") {
  const auto scaled = [](const Expr& x, int k) {
    return sum(exp(x(all_of, from(k + 1)) * (0.3 * (k + 1))), {1});
  };
  const Apart six(6, float64, scaled);
  CHECK(six.functions() == 1);
  CHECK(source_of(six.inputs, six.outputs, 64).find("// and 5 more with other numbers\n") !=
        std::string::npos);
  CHECK(Apart(3, float64, scaled).functions() == 3);
  test::Samples samples(3);
  test::Batch batch("numbers");
  for (int k = 0; k < 6; ++k) {
    for (const DType t : {DType::int8, DType::uint64, float32, float64}) {
      const Expr x = batch.input("x", samples.small(t, {3, 40}));
      batch.add("sum",
                sum(where(greater(x(all_of, from(k)), k), x(all_of, from(k)) * k, x(0, k)), {1}),
                1e-6);
      batch.add("slices", x(all_of, from(k, k + 1)) + x(all_of, range(0, 1)));
      batch.add("blocks", reshape(x(all_of, range(0, 8 * (k / 2 + 1))), {-1, 4}) * (k + 1));
    }
  }
  CHECK(batch.check());
}

TEST_CASE("numbers that decide how a kernel is written stay in it") {
  const auto multiplied = [](const Expr& x, int k) { return x * (3 + 2 * k) + exp(x); };
  CHECK(Apart(5, DType::int32, [&](const Expr& x, int k) {
          return floor_divide(x, 3 + k);
        }).functions() == 5);
  CHECK(Apart(5, float64, multiplied).functions() == 1);
  // A step of two to four elements is a shuffle.
  CHECK(Apart(7, float64, [](const Expr& x, int k) {
          return x(all_of, from(0, 2 + k)) + 1;
        }).functions() == 4);
}

TEST_CASE("a long body serves full vectors and the rest where masks cost nothing") {
  const Expr x = vector("x");
  const Expr y = tanh(exp(x) * 0.5);
  CHECK(count_parts(source_of({x}, {y}, 64), "gn::Parts<8>") == 1);
  CHECK(count_parts(source_of({x}, {y}, 32), "gn::vector_loop<4") == 1);
  CHECK(count_parts(source_of({x}, {y}, 32), "gn::Parts") == 0);
  // Short ones have a body for each.
  CHECK(count_parts(source_of({x}, {x + 1.0}, 64), "gn::vector_loop<8") == 1);
}

TEST_CASE("a known number of elements has the vectors it needs") {
  const Expr few = tensor("few", float64, Shape{5}), many = tensor("many", float64, Shape{64});
  CHECK(count_parts(source_of({few}, {few + 1.0}, 64), "gn::Known<8, 5> live;") == 1);
  CHECK(count_parts(source_of({many}, {many + 1.0}, 64), "gn::Full<8> live;") == 1);
}

TEST_CASE("masked bodies and bodies of their own give the same bits") {
  const Expr x = vector("x");
  const Expr e = exp(x) * tanh(x);
  const std::vector<Output> results = {sum(e), max(e), prod(cos(x)), e};
  const Function native = compile({x}, results, {}, uncached_for());
  const Function narrow = compile({x}, results, {}, uncached_for("x86-64"));
  for (const int n : {0, 1, 7, 8, 9, 63, 64, 65, 130, 8191, 8193, 20000}) {
    CAPTURE(n);
    std::vector<double> values;
    for (int i = 0; i < n; ++i) values.push_back(std::sin(i * 0.7) * (i % 97 == 3 ? 700 : 3));
    const Array at = Array::from(values);
    if (n == 0) {
      CHECK_THROWS_AS(native(at), ValueError);  // nothing has no greatest
      continue;
    }
    const Results a = native(at), b = narrow(at);
    for (std::size_t k = 0; k < results.size(); ++k) {
      const auto p = a[k].to_vector<double>(), q = b[k].to_vector<double>();
      REQUIRE(p.size() == q.size());
      std::size_t differ = 0;
      for (std::size_t i = 0; i < p.size(); ++i)
        differ += std::bit_cast<std::uint64_t>(p[i]) != std::bit_cast<std::uint64_t>(q[i]);
      CAPTURE(k);
      CHECK(differ == 0);
    }
  }
}

TEST_CASE("rows as lanes are read, written and added up under masks") {
  for (const std::int64_t columns : {3, 10}) {
    const Expr x = tensor("x", float64, Shape{Dim::symbol("n"), columns});
    const Expr p = softmax(x);
    const Function f = compile({x}, {p, sum(p, {0})}, {}, uncached_for());
    for (const int n : {1, 7, 8, 9, 64, 71}) {
      CAPTURE(n);
      Array a = Array::empty(float64, {n, columns});
      for (std::int64_t i = 0; i < n * columns; ++i) a.data<double>()[i] = std::cos(i * 1.3);
      const Results r = f(a);
      const auto got = r[0].to_vector<double>(), sums = r[1].to_vector<double>();
      double worst = 0;
      for (std::int64_t c = 0; c < columns; ++c) {
        double total = 0;
        for (int i = 0; i < n; ++i) {
          double all = 0;
          for (std::int64_t k = 0; k < columns; ++k)
            all += std::exp(std::cos((i * columns + k) * 1.3));
          const double wanted = std::exp(std::cos((i * columns + c) * 1.3)) / all;
          worst = std::max(worst, std::abs(got[i * columns + c] - wanted));
          total += wanted;
        }
        worst = std::max(worst, std::abs(sums[c] - total) / n);
      }
      CHECK(worst < 1e-15);
    }
  }
}
