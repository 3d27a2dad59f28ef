// Large expressions: no recursion over depth, linear time, from building to running.
#include <pthread.h>

#include <cmath>
#include <ctime>
#include <exception>
#include <functional>
#include <vector>

#include "ir/graph/graph.h"
#include "ir/text/text.h"
#include "passes/pipeline.h"
#include "tests/support/robust_support.h"
#include "tests/support/sanitizers.h"

using namespace gnomon;
using namespace robust;
using gnomon::test::part;

namespace {

// Runs `body` on a stack far too small for a frame per node.
void on_small_stack(const std::function<void()>& body) {
  struct Job {
    const std::function<void()>& body;
    std::exception_ptr error;
  } job{body, nullptr};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 256 * 1024);
  pthread_t thread;
  const auto run = [](void* argument) -> void* {
    Job& j = *static_cast<Job*>(argument);
    try {
      j.body();
    } catch (...) {
      j.error = std::current_exception();
    }
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, run, &job) == 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  if (job.error) std::rethrow_exception(job.error);
}

using Build = std::function<Expr(const Expr& x, int n)>;

Expr exp_chain(const Expr& x, int n) {
  Expr y = x;
  for (int i = 0; i < n; ++i) y = exp(y);
  return y;
}

Expr add_chain(const Expr& x, int n) {
  Expr y = x;
  for (int i = 0; i < n; ++i) y = y + x * double(i + 1);
  return y;
}

Expr sine_chain(const Expr& x, int n) {
  Expr y = x;
  for (int i = 0; i < n; ++i) y = sin(y);
  return y;
}

Expr wide_sum(const Expr& x, int n) {
  std::vector<Expr> terms;
  for (int i = 0; i < n; ++i) terms.push_back(maximum(x, double(i) / n));
  return add(terms);
}

// Of the processor, so that other processes do not count.
double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// Seconds from building to freeing, with derivative, passes and text.
double whole_way(const Build& build, int n) {
  const double start = cpu_seconds();
  {
    const Expr x = vector("x");
    const Expr cost = sum(build(x, n));
    const Expr slope = grad(cost, x);
    Context context;
    const std::vector<Expr> inputs = {x}, outputs = {cost, slope};
    const Graph captured = capture(inputs, outputs).graph;
    const Graph optimized = run_passes(captured, context);
    if (print_graph(captured).size() < static_cast<std::size_t>(n)) return -1;
    if (print_graph(optimized).empty()) return -1;
  }
  return cpu_seconds() - start;
}

void check_linear(const Build& build, int small, int large) {
  const std::size_t before = live_nodes();
  on_small_stack([&] {
    whole_way(build, small / 4);  // warms up
    const double a = whole_way(build, small), b = whole_way(build, large);
    MESSAGE("nodes " << small << ": " << a << " s, " << large << ": " << b << " s");
    CHECK(a > 0);
    // A quadratic way would take the square of the ratio.
    CHECK(b < a * 3.5 * large / small + 0.5);
  });
  CHECK(live_nodes() == before);
}

double seconds_to_compile(const Build& build, int n, const std::function<double(double)>& expected,
                          double tolerance) {
  CompileOptions options;
  options.cache = false;
  const double start = cpu_seconds();
  const Expr x = vector("x");
  const Function f = compile({x}, {build(x, n)}, {}, options);
  const double passed = cpu_seconds() - start;
  const std::vector<double> at = {0.1, 0.45, 0.9};
  const std::vector<double> y = f(Array::from(at))[0].to_vector<double>();
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double e = expected(at[i]);
    CHECK(std::abs(y[i] - e) <= tolerance * std::abs(e));
  }
  return passed;
}

}  // namespace

TEST_CASE("a chain of 100000 exp is built, derived, optimised, printed and freed in linear time") {
  check_linear(exp_chain, 25000 / part, 100000 / part);
}

TEST_CASE("a chain of 50000 products and sums likewise") {
  check_linear(add_chain, 12500 / part, 50000 / part);
}

TEST_CASE("a sum of 10000 terms likewise") { check_linear(wide_sum, 2500 / part, 10000 / part); }

TEST_CASE("a chain of 10000 operations compiles and runs") {
  const auto expected = [](int n) {
    return [n](double v) {
      for (int i = 0; i < n; ++i) v = std::sin(v);
      return v;
    };
  };
  const int small = 2500 / part, large = 10000 / part;
  const double a = seconds_to_compile(sine_chain, small, expected(small), 1e-12);
  const double b = seconds_to_compile(sine_chain, large, expected(large), 1e-12);
  MESSAGE("compile " << small << ": " << a << " s, " << large << ": " << b << " s");
  CHECK(b < a * 4 * large / small + 2);
}

TEST_CASE("a sum of 10000 terms compiles and runs") {
  const auto expected = [](int n) {
    return [n](double v) {
      double total = 0;
      for (int i = 0; i < n; ++i) total += std::max(v, double(i) / n);
      return total;
    };
  };
  const int small = 2500 / part, large = 10000 / part;
  const double a = seconds_to_compile(wide_sum, small, expected(small), 1e-12);
  const double b = seconds_to_compile(wide_sum, large, expected(large), 1e-12);
  MESSAGE("compile " << small << ": " << a << " s, " << large << ": " << b << " s");
  CHECK(b < a * 4 * large / small + 2);
}

TEST_CASE("a function of 2000 inputs compiles and runs") {
  std::vector<Expr> inputs;
  std::vector<Array> arguments;
  for (int i = 0; i < 2000 / part; ++i) {
    inputs.push_back(scalar("s" + std::to_string(i)));
    arguments.emplace_back(double(i));
  }
  const Function f = compile(inputs, {add(inputs)});
  const double n = 2000 / part;
  CHECK(f(std::span<const Array>(arguments))[0].item<double>() == n * (n - 1) / 2);
}
