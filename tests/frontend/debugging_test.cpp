// Faults that are put into stages are found and named; breakpoints, NaN and the log from C++.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/debugging/comparison.h"
#include "frontend/gnomon.h"
#include "frontend/lower_function.h"
#include "frontend/native_form.h"
#include "passes/engine/rule.h"
#include "runtime/arrays/finite.h"
#include "runtime/error.h"
#include "runtime/log.h"
#include "stdlib/ops.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

template <class E, class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  }
  return "nothing was thrown";
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

CompileOptions checked(StageChanges changes) {
  CompileOptions options = test::uncached();
  options.name = "f";
  options.check = true;
  options.changes = std::make_shared<const StageChanges>(std::move(changes));
  return options;
}

// A rule that takes tanh for sin, as if it had fired in the last pass.
StageChanges wrong_rule() {
  static const Rule rule = [] {
    Rule made;
    made.name = "tanh_is_sin";
    return made;
  }();
  return {.graph =
              [](const Graph& optimized, Context& context) {
                if (context.options.disabled_rules.contains(&rule)) return optimized;
                std::unordered_map<Value, Value> wrong;
                for (const Node* node : optimized.topological_order())
                  if (const Value v(node, 0); v.is(op::tanh))
                    wrong.emplace(v, sin(Expr(v.input(0))).value());
                for (const auto& [before, after] : wrong)
                  if (context.trace.record_firings) {
                    Firing firing;
                    firing.rule = &rule;
                    firing.pass = "simplify";
                    firing.before = before;
                    firing.after = after;
                    firing.names = names_of(optimized);
                    context.trace.firings.push_back(std::move(firing));
                  }
                return with_outputs(optimized, substitute(optimized.outputs, wrong));
              },
          .module = {}};
}

// Kernels that compute one operation by another.
StageChanges wrong_kernel(const Op& right, const Op& wrong) {
  return {.graph = {}, .module = [&right, &wrong](Module& module) {
            for (Kernel& kernel : module.kernels)
              for (Statement& s : kernel.body)
                if (s.op == &right) s.op = &wrong;
          }};
}

const Array three = Array::from({0.5, 1.5, 2.5});

}  // namespace

TEST_CASE("a wrong rewrite is named, with what it did") {
  const Expr x = vector("x");
  const Function f = compile({x}, {sum(tanh(x)) * 2}, {}, checked(wrong_rule()));
  const std::string text = message_of<InternalError>([&] { f(three); });
  CHECK(has(text, "f: check: result 0"));
  CHECK(has(text, "the rewrite tanh_is_sin of the pass simplify makes it so"));
  CHECK(has(text, "tanh(x) -> sin(x)"));
  // Where it makes no difference to the results, nobody is alarmed.
  CHECK_NOTHROW(f(Array::from({0.0, 0.0})));
}

TEST_CASE("a wrong kernel is named by what it computes") {
  const Expr a = matrix("a"), b = matrix("b");
  const Expr product = dot(a + 1, b);
  const Function f =
      compile({a, b}, {exp(product) - 1, tanh(b)}, {}, checked(wrong_kernel(op::tanh, op::sin)));
  const std::string text =
      message_of<InternalError>([&] { f(three.reshape({1, 3}), three.reshape({3, 1})); });
  CHECK(has(text, "f: check: result 1[0, 0]: 0.4794255386042"));
  CHECK(has(text, "the kernel that computes tanh(b) makes it so"));
}

TEST_CASE("faults in loops, updates, float32 and complex numbers are found") {
  const Expr x = vector("x", DType::float32);
  const Expr initial[] = {x};
  const LoopBody body = [](const Expr&, std::span<const Expr> states) {
    return std::vector<Expr>{tanh(states[0]) * 1.5F};
  };
  const Expr looped = fori(3, initial, body)[0];
  const Function f = compile({x}, {looped}, {}, checked(wrong_kernel(op::tanh, op::sin)));
  CHECK(has(message_of<InternalError>([&] { f(Array::from({1.0F, 2.0F})); }), "makes it so"));

  SharedVariable w = shared(Array::from({1.0, 2.0, 3.0}), "w");
  const Expr y = vector("y");
  const Function g = compile({y}, {}, {{w, w + tanh(y)}}, checked(wrong_kernel(op::tanh, op::sin)));
  const std::string text = message_of<InternalError>([&] { g(three); });
  CHECK(has(text, "the new value of w"));
  CHECK(test::difference(w.get(), Array::from({1.0, 2.0, 3.0}), 0).empty());

  const Expr z = vector("z", DType::complex128);
  const Expr parts = abs(z) * tanh(real(z));
  const Function h = compile({z}, {z * cast(parts, DType::complex128)}, {},
                             checked(wrong_kernel(op::tanh, op::sin)));
  CHECK(has(message_of<InternalError>([&] { h(full({2}, 1.5, DType::complex128)); }),
            "f: check: result 0[0]: ("));
}

TEST_CASE("a correct function passes, and gets what it would get without") {
  const Expr x = vector("x");
  CompileOptions options = test::uncached();
  options.check = options.nan_guard = true;
  const Function f = compile({x}, {log(1 + exp(x)), cumsum(x), max(x)}, {}, options);
  const Function plain = compile({x}, {log(1 + exp(x)), cumsum(x), max(x)}, {}, test::uncached());
  const Results found = f(three), wanted = plain(three);
  for (std::size_t i = 0; i < 3; ++i) CHECK(test::difference(found[i], wanted[i], 0).empty());
}

TEST_CASE("how far results may be from what is written") {
  const Expr x = vector("x");
  const auto wrong = [&](const Expr& e, const Array& input, const Array& found) {
    const Expr inputs[] = {x}, outputs[] = {e};
    const Graph native = native_form(capture(inputs, outputs).graph);
    Expectation expectation(native, {input}, {e.dtype()});
    const Array list[] = {found};
    return expectation.first_wrong(list).has_value();
  };
  const Array one = Array::from({1e-9}), large = Array::from({1e16, 1.0});
  CHECK_FALSE(wrong(exp(x) - 1, one, Array::from({1.0000000005e-9})));  // digits that it lost
  CHECK(wrong(exp(x) - 1, one, Array::from({1.1e-9})));
  CHECK(wrong(expm1(x), one, Array::from({1.00000827e-9})));  // which it does not lose
  CHECK(wrong(x + 1, one, Array::from({1.001})));
  CHECK(wrong(x + 1, one, Array::from({1.0, 2.0})));
  CHECK(wrong(x * 1, one, Array::from({not_a_number})));
  CHECK_FALSE(wrong(x * not_a_number, one, Array::from({-not_a_number})));
  CHECK_FALSE(wrong(x * 0, one, Array::from({-0.0})));
  CHECK_FALSE(wrong(sum(x) - 1e16, large, Array::scalar(2.0)));
  CHECK(wrong(sum(x) - 1e16, large, Array::scalar(200.0)));
  CHECK(wrong(cast(x, DType::int64), large, Array::from({std::int64_t{1}, std::int64_t{1}})));
  // Counting with floats is exact, so nothing is left open.
  CHECK(wrong(cast(sum(cast(greater(x, 0), DType::float64)), DType::int64), large,
              Array::scalar(std::int64_t{1})));
}

TEST_CASE("the first NaN is named, and nothing changes") {
  SharedVariable w = shared(Array::from({1.0, 2.0, 3.0}), "w");
  const Expr x = vector("x");
  CompileOptions options = test::uncached();
  options.nan_guard = true;
  const Function f = compile({x}, {sum(sqrt(x - 1))}, {{w, w * x}}, options);
  const std::string text = message_of<FloatingPointError>([&] { f(three); });
  CHECK(has(text, "nan_guard: sqrt gives NaN at [0] [debugging_test.cpp:"));
  CHECK(has(text, "min -0.5, max 1.5, mean 0.5, 0 NaN, 0 infinite, there -0.5"));
  CHECK(test::difference(w.get(), Array::from({1.0, 2.0, 3.0}), 0).empty());
  CHECK_NOTHROW(f(Array::from({1.0, 2.0, 3.0})));
  CHECK(test::difference(w.get(), Array::from({1.0, 4.0, 9.0}), 0).empty());
}

TEST_CASE("numbers that are not finite are found wherever they are") {
  for (const DType t : {DType::float64, DType::float32, DType::float16, DType::bfloat16,
                        DType::complex64, DType::complex128}) {
    for (const std::int64_t n : {1, 7, 8, 64, 100, 400'000}) {
      Array x = zeros({n}, t);
      CHECK(is_all_finite(x, 4));
      const std::int64_t place = n - 1;
      const Array last = x.slice(0, place, n);
      for (const double bad : {not_a_number, inf, -inf}) {
        Array value = full({1}, bad, t);
        std::copy_n(static_cast<const char*>(std::as_const(value).data()), size_of(t),
                    static_cast<char*>(x.data()) + place * static_cast<std::int64_t>(size_of(t)));
        CHECK_FALSE(is_all_finite(x, 4));
        CHECK_FALSE(is_all_finite(x));
      }
    }
    CHECK(is_all_finite(full({9}, t == DType::float16 ? 65504.0 : 3e38, t)));
  }
  CHECK(is_all_finite(full_of_integer({3}, std::int64_t{-1}, DType::int64)));
  CHECK(is_all_finite(zeros({0})));
}

TEST_CASE("breakpoints call, throw and let go") {
  const auto seen = std::make_shared<std::vector<double>>();
  const Expr x = vector("x");
  {
    const auto note = [seen](const Array& value) {
      const double first = value.data<double>()[0];
      if (first > 100) throw std::range_error("too large");
      seen->push_back(first);
    };
    const Expr y = breakpoint(x * 2, note, greater(sum(x), 0));
    const Function f = compile({x}, {y + 1, grad(sum(y * y), x)}, {}, test::uncached());
    CHECK(test::difference(f(three)[0], Array::from({2.0, 4.0, 6.0}), 0).empty());
    f(Array::from({-1.0}));
    CHECK(*seen == std::vector<double>{1});
    CHECK_THROWS_AS(f(Array::from({51.0})), std::range_error);
    std::thread([&] { f(three); }).join();
    CHECK(*seen == std::vector<double>{1, 1});
    CHECK(seen.use_count() > 1);
  }
  CHECK(message_of<ValueError>([&] { breakpoint(x, nullptr); }) ==
        "breakpoint: expected a function as callback, found none");
}

TEST_CASE("the log tells of what was chosen, and only that") {
  std::vector<std::string> lines;
  set_log_sink([&](std::string_view subject, const std::string& text) {
    lines.push_back(std::string(subject) + ": " + text);
  });
  const Expr x = vector("x");
  CompileOptions options = test::uncached();
  options.name = "told";
  set_log("compile,call");
  const Function f = compile({x}, {x * 2}, {}, options);
  f(three);
  set_log("");
  compile({x}, {x * 3}, {}, options)(three);
  set_log_sink({});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].starts_with("compile: told: compiled; capture "));
  CHECK(lines[1].starts_with("call: told(x: f64[3]) "));
  CHECK(message_of<ValueError>([] { set_log("calls"); }) ==
        "set_log: expected subjects among compile, cache, rewrite, call, memory and all, found "
        "\"calls\"");
}
