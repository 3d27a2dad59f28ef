// Compiling large programs takes time in proportion to their size, whatever their shape.
#include <doctest/doctest.h>
#include <gnomon/gnomon.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/text/emit.h"
#include "codegen/toolchain/target.h"
#include "passes/pipeline.h"
#include "stdlib/prelude/lanes/workspace.h"
#include "tests/support/module_support.h"
#include "tests/support/sanitizers.h"

using namespace gnomon;
using gnomon::test::part;

namespace {

struct Made {
  std::vector<Expr> inputs, outputs;
};

// What it takes up to the compiler's part: counts, and seconds of this thread.
struct Work {
  double size, nodes, statements, bytes, seconds;  // size: nodes of the graph as it came
};

double seconds_of_thread() {
  rusage used;
  getrusage(RUSAGE_THREAD, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Nodes are numbered as they are made.
double nodes_so_far() { return static_cast<double>(scalar("fresh").value().node().number()); }

Work work_of(const Made& made) {
  const double nodes = nodes_so_far(), start = seconds_of_thread();
  Context context;
  context.options.verify = false;
  const Graph captured = capture(made.inputs, made.outputs).graph;
  const Module module = test::module_of(run_passes(captured, context), host_target());
  Work work{};
  for (const Unit& unit : emit(module, "")) work.bytes += static_cast<double>(unit.text.size());
  work.seconds = seconds_of_thread() - start;
  work.nodes = nodes_so_far() - nodes;
  work.size = static_cast<double>(captured.topological_order().size());
  for (const Kernel& kernel : module.kernels) {
    work.statements += static_cast<double>(kernel.body.size());
    CHECK(kernel.body.size() < 2000);  // the compiler's time grows faster than a function
  }
  return work;
}

using Build = std::function<Made(int n)>;

// Four times the size. What is counted may grow by 2.4 with each doubling; the time by more, as a
// small program fits the caches and other processes are in the way: up to eight times as long was
// seen beside another test. A step that is quadratic would take sixteen times as long.
void check_linear(const Build& build, int n) {
  n = std::max(n / part, 20);
  const Work small = work_of(build(n)), large = work_of(build(4 * n));
  const double grown = large.size / small.size, counted = grown * 1.2 * 1.2, timed = grown * 2.2;
  CHECK(large.nodes <= counted * small.nodes);
  CHECK(large.statements <= counted * small.statements);
  CHECK(large.bytes <= counted * small.bytes);
  double least = large.seconds / small.seconds;
  for (int tries = 0; tries < 5 && least > timed; ++tries)
    least = std::min(least, work_of(build(4 * n)).seconds / work_of(build(n)).seconds);
  CHECK(least <= timed);
}

Made with_gradient(std::vector<Expr> inputs, const Expr& cost) {
  std::vector<Expr> outputs = grad(cost, inputs);
  outputs.push_back(cost);
  return {std::move(inputs), std::move(outputs)};
}

Made of_vector(const std::function<Expr(const Expr& x)>& f) {
  const Expr x = vector("x");
  return {{x}, {f(x)}};
}

std::string numbered(const char* name, int i) { return name + std::to_string(i); }

// Many values that use each other again and again.
Expr tangle(const Expr& x, const Expr& y, int n) {
  std::vector<Expr> v = {x, y, x * y};
  unsigned random = 12345;
  const auto one_of_last = [&] {
    random = random * 1664525u + 1013904223u;
    return v[v.size() - 1 - (random >> 8) % std::min<std::size_t>(20, v.size())];
  };
  for (int i = 0; i < n; ++i) {
    const Expr a = one_of_last(), b = one_of_last();
    const int kind = static_cast<int>(random >> 4) % 5;
    v.push_back(kind == 0   ? a + b * 0.5
                : kind == 1 ? sin(a * b)
                : kind == 2 ? tanh(a - b)
                : kind == 3 ? a * b * 0.3
                            : cos(a) + b);
  }
  return v.back() + v[v.size() - 2] + v[v.size() - 3];
}

}  // namespace

TEST_CASE("an unrolled recurrence over scalars, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = vector("x"), w = scalar("w");
        Expr h = w;
        for (int i = 0; i < n; ++i) h = tanh(h * w + x(i));
        return with_gradient({x, w}, h);
      },
      100);
}

TEST_CASE("an unrolled recurrence over vectors, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = matrix("x"), w = matrix("w"), h0 = vector("h0");
        Expr h = h0;
        for (int i = 0; i < n; ++i) h = tanh(dot(w, h) + x(i));
        return with_gradient({x, w, h0}, sum(h * h));
      },
      60);
}

TEST_CASE("a chain of functions compiles in linear time") {
  check_linear(
      [](int n) {
        return of_vector([n](Expr y) {
          for (int i = 0; i < n; ++i) y = sin(y);
          return y;
        });
      },
      500);
}

TEST_CASE("a wide sum, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = vector("x");
        std::vector<Expr> terms;
        for (int i = 0; i < n; ++i) terms.push_back(maximum(x, double(i) / n));
        return with_gradient({x}, sum(add(terms)));
      },
      200);
}

TEST_CASE("a concatenation of many parts compiles in linear time") {
  check_linear(
      [](int n) {
        return of_vector([n](const Expr& x) {
          std::vector<Expr> parts;
          for (int i = 0; i < n; ++i) parts.push_back(x * double(i + 2));
          return concatenate(parts);
        });
      },
      500);
}

TEST_CASE("a stack of many elements, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = vector("x");
        std::vector<Expr> parts;
        for (int i = 0; i < n; ++i) parts.push_back(sin(x(i)) * double(i + 2));
        const Expr y = stack(parts);
        return with_gradient({x}, sum(y * y));
      },
      100);
}

TEST_CASE("many inputs, with the gradient by each, compile in linear time") {
  check_linear(
      [](int n) {
        std::vector<Expr> inputs, sums;
        for (int i = 0; i < n; ++i) {
          inputs.push_back(vector(numbered("x", i)));
          sums.push_back(sum(inputs.back() * double(i + 1)));
        }
        return with_gradient(inputs, square(add(sums)));
      },
      100);
}

TEST_CASE("many scalar inputs that meet in one chain compile in linear time") {
  check_linear(
      [](int n) {
        std::vector<Expr> inputs;
        for (int i = 0; i < n; ++i) inputs.push_back(scalar(numbered("x", i)));
        Expr y = inputs[0];
        for (const Expr& x : inputs) y = y + sin(x) * y;
        return with_gradient(inputs, y * y);
      },
      250);
}

TEST_CASE("many outputs compile in linear time") {
  check_linear(
      [](int n) {
        const Expr x = vector("x");
        Made made{{x}, {}};
        for (int i = 0; i < n; ++i) {
          made.outputs.push_back(sin(x * double(i + 2)));
          made.outputs.push_back(sum(made.outputs.back()));
        }
        return made;
      },
      200);
}

TEST_CASE("a scalar expression full of common parts, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = scalar("x"), y = scalar("y");
        return with_gradient({x, y}, tangle(x, y, n));
      },
      500);
}

TEST_CASE("a chain of matrix products, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = matrix("x"), w = matrix("w");
        Expr h = x;
        for (int i = 0; i < n; ++i) h = tanh(dot(h, w));
        return with_gradient({x, w}, sum(h));
      },
      60);
}

TEST_CASE("layers with weights of their own, with their gradients, compile in linear time") {
  check_linear(
      [](int n) {
        const Expr x = matrix("x");
        std::vector<Expr> inputs = {x};
        Expr h = x;
        for (int i = 0; i < n; ++i) {
          inputs.push_back(matrix(numbered("w", i)));
          inputs.push_back(vector(numbered("b", i)));
          h = tanh(dot(h, inputs.end()[-2]) + inputs.back());
        }
        return with_gradient(inputs, sum(h));
      },
      40);
}

TEST_CASE("code that reads each element by itself, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = tensor("x", float64, Shape{Dim(n)});
        Expr y = square(1 - x(0));
        for (int i = 1; i < n; ++i)
          y = y + 100 * square(x(i) - square(x(i - 1))) + square(1 - x(i));
        return with_gradient({x}, y);
      },
      100);
}

TEST_CASE("code that writes each element by itself, with its gradient, compiles in linear time") {
  check_linear(
      [](int n) {
        const Expr x = vector("x");
        Expr y = x;
        for (int i = 1; i < n; ++i) y = set_at(y, {i}, y(i - 1) * 0.5 + x(i));
        return with_gradient({x}, sum(y));
      },
      100);
}

TEST_CASE("many calls of one function, with their gradient, compile in linear time") {
  check_linear(
      [](int n) {
        const Expr a = vector("a"), b = vector("b");
        const OpFromGraph f(std::vector{a, b}, std::vector{tanh(a * b + 0.5)});
        const Expr x = vector("x"), y = vector("y");
        Expr h = x;
        for (int i = 0; i < n; ++i) h = f(std::vector{h, y})[0];
        return with_gradient({x, y}, sum(h));
      },
      150);
}

TEST_CASE("updates of many variables in place are found in linear time") {
  const auto build = [](int n) {
    std::vector<Buffer> buffers;
    Module module;
    module.parameters = n;
    module.over.assign(static_cast<std::size_t>(n), -1);
    for (int i = 0; i < n; ++i) {
      Buffer old, now;
      old.role = Buffer::Role::parameter, now.role = Buffer::Role::output;
      old.number = now.number = i;
      old.shape = now.shape = Shape{Dim(5)};
      module.buffers.push_back(old), module.buffers.push_back(now);
      module.outputs.push_back(2 * i + 1);
      module.steps.push_back({CopyStep{2 * i, 2 * i + 1}});
      module.updates.push_back(i);
    }
    const double start = seconds_of_thread();
    find_in_place(module, host_target());
    for (int i = 0; i < n; ++i) REQUIRE(module.over[i] == i);
    return seconds_of_thread() - start;
  };
  build(500);
  CHECK(build(20000 / part) < 1);
}

TEST_CASE("thousands of buffers that live at once are placed in no time") {
  const int n = 4000 / part;
  std::vector<std::int64_t> bytes, offsets(static_cast<std::size_t>(n));
  std::vector<std::array<std::int32_t, 2>> lives;
  std::vector<std::int32_t> order(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) {
    bytes.push_back(64 * (1 + i % 7));
    lives.push_back({i, 2 * n - i});
  }
  const double start = seconds_of_thread();
  const std::int64_t all =
      gn::place_buffers(n, bytes.data(), reinterpret_cast<const std::int32_t(*)[2]>(lives.data()),
                        order.data(), offsets.data());
  CHECK(seconds_of_thread() - start < 0.5);
  std::int64_t sum = 0;
  for (const std::int64_t b : bytes) sum += b;
  CHECK(all == sum);
}
