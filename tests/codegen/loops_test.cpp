// Loops: what their steps do and what is done once before, values and gradients against plain C++.
#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/module/accesses.h"
#include "ir/graph/leaf.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/arrays/selection.h"
#include "stdlib/lines/sorting.h"
#include "tests/support/compiled_support.h"
#include "tests/support/module_support.h"
#include "tests/support/passes_support.h"
#include "tests/support/prints_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

using States = std::span<const Expr>;
using List = std::vector<Expr>;

// Steps by the number of loops around them.
struct Depth {
  int loops = 0, kernels = 0, services = 0, prints = 0, checks = 0;
};

void count(const std::vector<Step>& steps, std::size_t depth, std::vector<Depth>& depths) {
  if (depths.size() <= depth) depths.resize(depth + 1);
  for (const Step& step : steps) {
    const bool loop = std::holds_alternative<LoopStep>(step.what);
    depths[depth].loops += loop;
    depths[depth].kernels += std::holds_alternative<KernelStep>(step.what);
    depths[depth].services += std::holds_alternative<ServiceStep>(step.what);
    depths[depth].prints += std::holds_alternative<PrintStep>(step.what);
    depths[depth].checks += std::holds_alternative<CheckStep>(step.what);
    for_each_inner(step, [&](const std::vector<Step>& inner) {
      count(inner, loop ? depth + 1 : depth, depths);
    });
  }
}

// Of at least three levels, so that tests can ask for any.
std::vector<Depth> depths_of(const Module& module) {
  std::vector<Depth> depths(3);
  count(module.steps, 0, depths);
  return depths;
}

// Whether a step inside some loop touches the parameter of this name.
bool loops_touch(const Module& module, const std::string& name) {
  bool found = false;
  const std::function<void(const std::vector<Step>&, bool)> walk = [&](const auto& steps,
                                                                       bool in_loop) {
    for (const Step& step : steps) {
      for (const BufferUse& use : accesses(module, step)) {
        const Buffer& b = module.buffers[static_cast<std::size_t>(use.buffer)];
        found = found || (in_loop && b.role == Buffer::Role::parameter && b.name == name);
      }
      const bool loop = std::holds_alternative<LoopStep>(step.what);
      for_each_inner(step, [&](const std::vector<Step>& inner) { walk(inner, in_loop || loop); });
    }
  };
  walk(module.steps, false);
  return found;
}

// Of the last loop that is in no other.
std::size_t states_of_last(const Module& module) {
  std::size_t states = 0;
  for (const Step& step : module.steps)
    if (const auto* l = std::get_if<LoopStep>(&step.what)) states = l->current.size();
  return states;
}

Expr loop(const Expr& count, const Expr& x,
          const std::function<Expr(const Expr&, const Expr&)>& f) {
  const Expr initial[] = {x};
  return fori(count, initial, [&](const Expr& i, States s) { return List{f(i, s[0])}; })[0];
}

struct Logistic {
  double x, by_x, by_rate;
};

// x after n steps of x -> rate x (1 - x), with its derivatives by the first x and by the rate.
Logistic logistic(double x, double rate, std::int64_t n) {
  Logistic at{x, 1, 0};
  for (std::int64_t k = 0; k < n; ++k) {
    const double slope = rate * (1 - 2 * at.x);
    at = {rate * at.x * (1 - at.x), slope * at.by_x, slope * at.by_rate + at.x * (1 - at.x)};
  }
  return at;
}

bool is_close(double got, double wanted) {
  return std::fabs(got - wanted) <= 1e-9 * (1 + std::fabs(wanted));
}

}  // namespace

TEST_CASE("what a body captures is computed once, before the loop") {
  const Expr x = vector("x"), s = vector("s"), n = scalar("n", int64);
  const Expr m = tensor("m", float64, {x.dim(0), s.dim(0)});
  const std::pair<std::string, Expr> captured[] = {{"function", sum(exp(x))},
                                                   {"sum", sum(x * 2.0)},
                                                   {"largest", max(x)},
                                                   {"sum over rows", sum(exp(m), 0)},
                                                   {"sums of rows", sum(sum(exp(m), 1) * x)},
                                                   {"product", matmul(x, m)},
                                                   {"sort", sort(x)(0) + sort(x)(-1)},
                                                   {"softmax", max(softmax(x))},
                                                   {"place", cast(argmax(x), float64)}};
  for (const auto& [name, value] : captured) {
    CAPTURE(name);
    const Module module = module_of(
        {loop(n, s, [&](const Expr&, const Expr& state) { return state * 0.5 + value; })});
    CHECK(!loops_touch(module, "x"));
    CHECK(!loops_touch(module, "m"));
    const std::vector<Depth> depths = depths_of(module);
    CHECK(depths[0].loops == 1);
    CHECK(depths[0].kernels + depths[0].services >= 1);
    CHECK(depths[1].kernels == 1);
    CHECK(depths[1].services == 0);
  }
}

TEST_CASE("what costs no memory is computed where it is used") {
  const Expr s = vector("s"), y = vector("y", int64), n = scalar("n", int64);
  const Expr zeros = y * 0;  // a number by the end of the first pass
  const Expr range = arange(s.dim(0), float64);
  const Module module =
      module_of({loop(n, s, [&](const Expr&, const Expr& state) { return state * range; }),
                 loop(n, y, [&](const Expr&, const Expr& state) { return state * 3 + zeros; })});
  CHECK(depths_of(module)[0].loops == 2);
  CHECK(depths_of(module)[0].kernels == 0);
}

TEST_CASE("the body of a loop is memory to a loop inside") {
  const Expr x = vector("x"), s = tensor("s", float64, {x.dim(0)}), n = scalar("n", int64);
  const Expr last = loop(n, s, [&](const Expr& i, const Expr& outer) {
    const Expr of_step = sort(outer * x);
    return loop(i + 1, outer, [&](const Expr& k, const Expr& inner) {
      return inner * 0.5 + of_step + sort(x) * cast(k + i, float64);
    });
  });
  const std::vector<Depth> depths = depths_of(module_of({last}));
  CHECK(depths[0].loops == 1);
  CHECK(depths[1].loops == 1);
  CHECK(depths[0].services == 1);
  CHECK(depths[1].services == 1);
  CHECK(depths[2].services == 0);
  Batch batch("nested");
  batch.inputs = {x, s, n};
  batch.add("last", last, 1e-12);
  batch.add("by x", grad(sum(last), {x})[0], 1e-10);
  batch.compile();
  Samples random(1);
  for (const std::int64_t steps : {0, 1, 4})
    batch.check_with({random.small(float64, {5}), random.small(float64, {5}), Array(steps)});
}

TEST_CASE("an index that cannot leave its axis is not checked") {
  const auto checks = [](const Expr& y) {
    const Module module = module_of(List{y});
    std::size_t found = 0;
    for (const Kernel& kernel : module.kernels)
      found += std::ranges::count_if(kernel.body,
                                     [](const Statement& s) { return s.code == Code::check; });
    return found;
  };
  const Expr x = vector("x"), ten = tensor("ten", float64, {10}), a = matrix("a");
  const Expr n = extent(x.dim(0)), k = scalar("k", int64), zero = constant(0.0, float64);
  const auto added = [&](const Expr& times, const std::function<Expr(const Expr&)>& term) {
    return loop(times, zero, [&](const Expr& i, const Expr& s) { return s + term(i); });
  };
  const List safe = {
      added(n, [&](const Expr& i) { return x(i) * x(n - 1 - i) + x(-1 - i); }),
      added(n - 2, [&](const Expr& i) { return x(i + 2) - x(i + 1 - 1); }),
      added(extent(3), [&](const Expr& i) { return ten(3 * i + 3) + ten(9 - i); }),
      added(extent(a.dim(0)),
            [&](const Expr& i) {
              return added(extent(a.dim(1) - 1),
                           [&](const Expr& j) { return a(i, j + 1) * a(i, j); });
            }),
      sum(x(arange(n - 1) + 1)),
  };
  const List unsafe = {
      added(n, [&](const Expr& i) { return x(i + 1); }),
      added(k, [&](const Expr& i) { return x(i); }),
      added(n, [&](const Expr& i) { return ten(i) * x(i); }),
      added(extent(4), [&](const Expr& i) { return ten(3 * i + 1); }),
      added(n, [&](const Expr& i) { return x(i + (std::int64_t(1) << 62)); }),
      added(n, [&](const Expr& i) { return x(i + k); }),
  };
  for (const Expr& y : safe) CHECK(checks(y) == 0);
  for (const Expr& y : unsafe) CHECK(checks(y) > 0);
  Samples samples(11);
  for (const int extent : {1, 2, 9, 10, 30})
    for (const int steps : {0, 1, 10, 40})
      for (const bool is_safe : {true, false}) {
        Batch batch("indices");
        batch.inputs = {x, ten, a, k};
        if (is_safe)
          for (const Expr& y : safe) batch.add("safe", y, 1e-14);
        else
          batch.add("unsafe", unsafe[static_cast<std::size_t>(extent + steps) % 6], 1e-14);
        batch.check_with({samples.small(float64, {extent}), samples.small(float64, {10}),
                          samples.small(float64, {3, extent}), Array(std::int64_t(steps))});
      }
}

TEST_CASE("captured prints and checks happen once") {
  const Expr x = vector("x"), s = vector("s"), n = scalar("n", int64);
  const Expr shown = print(sum(x), "sum");
  const Expr tested = check(max(x), max(x) > 0, "x must be positive somewhere");
  const Expr last =
      loop(n, s, [&](const Expr&, const Expr& state) { return state * shown + tested; });
  const std::vector<Depth> depths = depths_of(module_of({last}));
  CHECK(depths[0].prints == 1);
  CHECK(depths[0].checks == 1);
  CHECK(depths[1].prints == 0);
  CHECK(depths[1].checks == 0);
  const Expr every = loop(n, s, [&](const Expr&, const Expr& state) {
    return state + print(max(state), "state") + shown;
  });
  const Function f = compile({x, s, n}, {last, every});
  const Array values = Array::from({1.0, 2.0, 3.0});
  Prints prints;
  f(values, values, std::int64_t{4});
  CHECK(std::ranges::count_if(prints.texts, [](const std::string& text) {
          return text.find("sum") != std::string::npos;
        }) == 1);
  CHECK(prints.texts.size() == 5);
}

TEST_CASE("a gradient runs each loop once") {
  const Expr x = scalar("x"), rate = scalar("rate");
  for (const std::int64_t steps : {1, 2, 50, 100'000}) {
    CAPTURE(steps);
    const Expr last = loop(Expr(Array(steps)), x, [&](const Expr&, const Expr& state) {
      return rate * state * (1.0 - state);
    });
    const std::vector<Expr> gradient = grad(last, {x, rate});
    if (steps > 2) {
      for (const bool with_value : {false, true}) {
        const std::vector<Depth> depths =
            depths_of(module_of(with_value ? List{gradient[0], last, gradient[1]} : gradient));
        CHECK(depths[0].loops == 2);
        CHECK(depths[1].loops == 0);
      }
    }
    const Function f = compile({x, rate}, {last, gradient[0], gradient[1]});
    const Results got = f(0.3, 3.2);
    const Logistic wanted = logistic(0.3, 3.2, steps);
    CHECK(is_close(got[0].item<double>(), wanted.x));
    CHECK(is_close(got[1].item<double>(), wanted.by_x));
    CHECK(is_close(got[2].item<double>(), wanted.by_rate));
  }
}

TEST_CASE("loops that only differ in what they keep are one, one behind the other too") {
  const Expr x = vector("x"), n = scalar("n", int64);
  for (const Expr& steps : {n, Expr(extent_value(x.dim(0)))}) {
    const auto behind = [&](const Expr& from) {
      return loop(steps, from, [&](const Expr&, const Expr& s) { return sin(s) * x(0); });
    };
    const Expr last = sum(behind(behind(x)));
    const Expr slope = grad(last, x);
    CHECK(depths_of(module_of({last, slope}))[0].loops == 4);
    Batch batch("joined");
    batch.inputs = {x, n};
    batch.add("value", last + cast(n, float64), 1e-12);
    batch.add("gradient", slope, 1e-12);
    Samples random(6);
    for (const std::int64_t count : {-3, 0, 1, 4})
      batch.check_with({random.small(float64, {5}), Array(count)});
  }
  // Not those whose bodies or operands differ.
  const auto other = [&](double factor, const Expr& from) {
    return loop(n, from, [&](const Expr&, const Expr& s) { return sin(s) * factor; });
  };
  const Expr slope = grad(sum(other(0.5, x)), x);
  CHECK(depths_of(module_of({other(0.5, x), slope}))[0].loops == 2);
  CHECK(depths_of(module_of({other(0.25, x), slope}))[0].loops == 3);
  CHECK(depths_of(module_of({other(0.5, x + 1.0), slope}))[0].loops == 3);
}

TEST_CASE("a gradient through loops inside each other runs none of them inside a third") {
  const Expr x = scalar("x"), w = scalar("w");
  const auto last_of = [&](const Expr& from, const Expr& weight) {
    return loop(Expr(Array(std::int64_t{3})), from, [&](const Expr& i, const Expr& outer) {
      const Expr bias = sin(outer * weight);
      return loop(Expr(Array(std::int64_t{4})), outer, [&](const Expr& k, const Expr& inner) {
        return inner * 0.5 + bias * cast(k + i, float64);
      });
    });
  };
  const Expr last = last_of(x, w);
  const std::vector<Expr> gradient = grad(last, {x, w});
  CHECK(depths_of(module_of(gradient)).size() == 3);
  const Function f = compile({x, w}, {last, gradient[0], gradient[1]});
  const auto plain = [](double at, double weight) {
    for (int i = 0; i < 3; ++i) {
      const double bias = std::sin(at * weight);
      for (int k = 0; k < 4; ++k) at = at * 0.5 + bias * (k + i);
    }
    return at;
  };
  const double at = 0.7, weight = 0.4, h = 1e-5;
  const Results got = f(at, weight);
  CHECK(is_close(got[0].item<double>(), plain(at, weight)));
  const double by_x = (plain(at + h, weight) - plain(at - h, weight)) / (2 * h);
  const double by_w = (plain(at, weight + h) - plain(at, weight - h)) / (2 * h);
  CHECK(got[1].item<double>() == doctest::Approx(by_x).epsilon(1e-6));
  CHECK(got[2].item<double>() == doctest::Approx(by_w).epsilon(1e-6));
}

TEST_CASE("a gradient carries the cotangents that are asked for") {
  const Expr x = scalar("x"), p = scalar("p"), w = vector("w"), n = scalar("n", int64);
  const Expr initial[] = {x, p};
  const auto last = fori(n, initial, [&](const Expr&, States s) {
    return List{s[0] * sin(s[1]) + sum(tanh(w * s[0])), s[1] * 0.9 + 0.1};
  });
  const auto carried = [&](const std::vector<Expr>& wrt) {
    return states_of_last(module_of(grad(last[0], wrt)));
  };
  CHECK(carried({x}) == 1);
  CHECK(carried({w}) == 2);
  CHECK(carried({p}) == 2);
  CHECK(carried({x, w}) == 2);
  CHECK(carried({p, w}) == 3);
  // The same numbers, whatever else is asked for.
  const std::vector<Expr> all = grad(last[0], {x, p, w});
  const Function f = compile(
      {x, p, w, n}, {grad(last[0], x), grad(last[0], p), grad(last[0], w), all[0], all[1], all[2]});
  const Results got = f(0.4, 0.7, Array::from({0.3, -0.2, 0.5}), std::int64_t{5});
  for (std::size_t k = 0; k < 3; ++k) CHECK(difference(got[k], got[k + 3], 1e-12) == "");
}

TEST_CASE("extents that the call computes are known to bodies") {
  const Expr x = vector("x"), n = scalar("n", int64);
  const Expr chosen = extract(x > 0.0, x);
  const Expr total = sum(cast(x > 0.0, int64)) + 1;
  const Expr outputs[] = {
      loop(n, chosen, [&](const Expr&, const Expr& s) { return s * 0.5 + chosen; }),
      loop(n, sum(x), [&](const Expr&, const Expr& s) { return s * 0.5 + sum(chosen * s); }),
      loop(n, sum(x),
           [&](const Expr&, const Expr& s) {
             return s * 0.5 + sum(cast(arange(total), float64) * s);
           }),
      loop(n, sum(x), [&](const Expr&, const Expr& s) {
        return loop(n, s, [&](const Expr& k, const Expr& inner) {
          return inner * 0.5 + sum(cast(arange(total + 1), float64) * inner) / 100.0 +
                 cast(k, float64);
        });
      })};
  Batch batch("late");
  batch.inputs = {x, n};
  for (const Expr& e : outputs) batch.add("out", e, 1e-10);
  batch.compile();
  Samples random(2);
  for (const std::int64_t steps : {0, 1, 3})
    for (const std::int64_t size : {1, 9})
      batch.check_with({random.small(float64, {size}), Array(steps)});
}

TEST_CASE("writes of a body go on in one memory, and leave what they captured alone") {
  const Expr x = vector("x"), s = tensor("s", float64, {x.dim(0)}), n = scalar("n", int64);
  const Expr base = set_at(sin(x), {0}, 2.0);
  const Expr last = loop(n, s, [&](const Expr&, const Expr& state) {
    return set_at(inc_at(base, {1}, state(0)), {2}, state(1)) + state * 0.5;
  });
  const Expr chain = loop(n, s, [&](const Expr& i, const Expr& state) {
    return set_at(inc_at(set_at(state, {0}, cast(i, float64)), {1}, 1.0), {2}, 3.0);
  });
  Batch batch("writes");
  batch.inputs = {x, s, n};
  batch.add("last", last + base, 1e-12);
  batch.add("chain", chain, 1e-12);
  batch.compile();
  Samples random(3);
  for (const std::int64_t steps : {0, 1, 2, 5})
    batch.check_with({random.small(float64, {6}), random.small(float64, {6}), Array(steps)});
}

TEST_CASE("what is written over a variable is not what a loop still reads") {
  const SharedVariable w = shared(Array::from({1.0, 2.0, 3.0}), "w");
  const Expr n = scalar("n", int64);
  const Expr root = sqrt(w);
  const Expr last =
      loop(n, w * 2.0, [&](const Expr&, const Expr& s) { return s * 0.5 + root + w; });
  const Function f = compile({n}, {last}, {{w, root * 2.0 + w}});
  std::vector<double> weights = {1, 2, 3};
  for (const std::int64_t steps : {3, 0, 5}) {
    const std::vector<double> got = f(steps)[0].to_vector<double>();
    for (std::size_t k = 0; k < weights.size(); ++k) {
      double s = weights[k] * 2;
      for (std::int64_t i = 0; i < steps; ++i) s = s * 0.5 + std::sqrt(weights[k]) + weights[k];
      CHECK(is_close(got[k], s));
      weights[k] = std::sqrt(weights[k]) * 2 + weights[k];
    }
  }
}

TEST_CASE("loops in calls and behind checkpoints read what is around them") {
  const Expr x = vector("x"), y = tensor("y", float64, {x.dim(0)});
  const Expr inputs[] = {x, y};
  const Expr weights = softmax(x);
  const Expr outputs[] = {loop(Expr(Array(std::int64_t{3})), y, [&](const Expr&, const Expr& s) {
    return tanh(s * weights) + sum(weights * y);
  })};
  for (const bool recompute : {false, true}) {
    CAPTURE(recompute);
    OpFromGraphOptions options;
    options.recompute = recompute;
    const Expr called = OpFromGraph(inputs, outputs, options)(inputs)[0];
    Batch batch("calls");
    batch.inputs = {x, y};
    batch.add("value", called, 1e-12);
    for (const Expr& e : grad(sum(square(called)), {x, y})) batch.add("gradient", e, 1e-11);
    Samples random(4);
    batch.check_with({random.small(float64, {7}), random.small(float64, {7})});
  }
}

TEST_CASE("numbers of other kinds are captured too") {
  for (const DType t : {DType::complex128, DType::float16}) {
    CAPTURE(name_of(t));
    const Expr x = vector("x", t), s = tensor("s", t, {x.dim(0)});
    const Module module =
        module_of({loop(Expr(Array(std::int64_t{50})), s, [&](const Expr&, const Expr& state) {
          return state * 0.5 + sum(exp(x));
        })});
    CHECK(!loops_touch(module, "x"));
    CHECK(depths_of(module)[0].loops == 1);
  }
}
