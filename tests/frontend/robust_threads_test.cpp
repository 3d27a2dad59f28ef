// Many threads: calls and compilations at once, failures in mid-step, forks, bounds on threads.
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <thread>
#include <vector>

#include "runtime/threads.h"
#include "tests/support/robust_support.h"

using namespace gnomon;
using namespace robust;

namespace {

// Longer on request: GNOMON_TEST_SECONDS=10.
double seconds_to_run() {
  const char* text = std::getenv("GNOMON_TEST_SECONDS");
  return text != nullptr ? std::atof(text) : 1.5;
}

Array numbers(std::initializer_list<std::int64_t> shape, int seed, double scale = 1.0) {
  Array a = Array::empty(float64, shape);
  for (std::int64_t i = 0; i < a.size(); ++i)
    a.data<double>()[i] = scale * std::sin(double(i * 7 + seed));
  return a;
}

// Softmax regression whose parameters come with copies of opposite sign, updated in the same step,
// and a count of steps: a reader that sees parts of two steps sees a difference.
struct Regression {
  SharedVariable w, b, minus_w, minus_b, steps, twice;
  Function train, predict;

  explicit Regression(const CompileOptions& options)
      : w(shared(zeros({5, 3}), "w")),
        b(shared(zeros({3}), "b")),
        minus_w(shared(zeros({5, 3}), "minus_w")),
        minus_b(shared(zeros({3}), "minus_b")),
        steps(shared(Array(std::int64_t{0}), "steps")),
        twice(shared(Array(std::int64_t{0}), "twice")) {
    const Expr x = matrix("x"), y = vector("y", int64);
    const Expr p = softmax(dot(x, w) + b);
    const Expr cost = -mean(log(p(arange(y.dim(0)), y)));
    const auto [dw, db] = grad(cost, w, b);
    const Expr new_w = w - dw * 0.1, new_b = b - db * 0.1;
    train = compile({x, y}, {{"cost", cost}},
                    {{w, new_w},
                     {b, new_b},
                     {minus_w, -new_w},
                     {minus_b, -new_b},
                     {steps, floor_divide(twice, 2) + 1},
                     {twice, 2 * steps + 2}},
                    options);
    predict = compile({x},
                      {{"p", p},
                       {"w_apart", max(abs(w + minus_w))},
                       {"b_apart", max(abs(b + minus_b))},
                       {"w_and_b_apart", max(abs(w(0) - b))},
                       {"steps", steps},
                       {"twice", twice}},
                      {}, options);
  }
};

}  // namespace

TEST_CASE("threads that train and predict at once see whole steps only") {
  const Folder f;
  Regression r(cached_in(f.path));
  Array x = numbers({20, 5}, 3);
  for (std::int64_t i = 0; i < 20; ++i) x.data<double>()[i * 5] = 1.0;  // so that w[0] == b
  std::vector<std::int64_t> labels;
  for (std::int64_t i = 0; i < 20; ++i) labels.push_back(i % 3);
  const Array y = Array::from(labels);
  const double first = r.train(x, y)["cost"].item<double>();
  CHECK(std::abs(first - std::log(3.0)) < 1e-12);

  std::atomic<bool> stop{false};
  std::atomic<int> torn{0}, errors{0};
  std::atomic<std::int64_t> trained{1}, predicted{0};
  const auto work = [&](bool trains) {
    std::int64_t last = 0;
    while (!stop) try {
        if (trains) {
          r.train(x, y);
          ++trained;
          continue;
        }
        const Results out = r.predict(x);
        ++predicted;
        const std::int64_t steps = out["steps"].item<std::int64_t>();
        const bool whole = out["w_apart"].item<double>() == 0.0 &&
                           out["b_apart"].item<double>() == 0.0 &&
                           out["w_and_b_apart"].item<double>() < 1e-9 &&
                           out["twice"].item<std::int64_t>() == 2 * steps && steps >= last;
        if (!whole) ++torn;
        last = steps;
      } catch (...) {
        ++errors;
      }
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) threads.emplace_back(work, t % 2 == 0);
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds_to_run()));
  stop = true;
  for (std::thread& t : threads) t.join();
  CHECK(torn == 0);
  CHECK(errors == 0);
  CHECK(predicted > 0);
  CHECK(r.steps.get().item<std::int64_t>() == trained);
  CHECK(r.train(x, y)["cost"].item<double>() < first);
}

TEST_CASE("a step that fails half-way changes nothing") {
  const SharedVariable w = shared(numbers({6}, 1), "w"), b = shared(numbers({2}, 2), "b");
  const Expr i = vector("i", int64), g = vector("g");
  const Function step =
      compile({i, g}, {{"w", sum(w)}}, {{w, w * 2.0 + 1.0}, {b, b + sum(w(i)) * g}});
  const Array old_w = w.get().copy(), old_b = b.get().copy();
  const Array in = Array::from<std::int64_t>({0, 5}), out = Array::from<std::int64_t>({0, 6});
  for (int n = 0; n < 20; ++n) {
    CHECK_THROWS_WITH_AS(step(out, ones({2})), doctest::Contains("6"), ValueError);
    CHECK(same_bits(w.get(), old_w));
    CHECK(same_bits(b.get(), old_b));
  }
  step(in, ones({2}));
  const double added = old_w.data<double>()[0] + old_w.data<double>()[5];
  for (int k = 0; k < 6; ++k)
    CHECK(w.get().data<double>()[k] == old_w.data<double>()[k] * 2.0 + 1.0);
  for (int k = 0; k < 2; ++k)
    CHECK(b.get().data<double>()[k] == doctest::Approx(old_b.data<double>()[k] + added));
}

TEST_CASE("functions, equal and different, compile in many threads at once") {
  const Folder f;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&, t] {
      try {
        for (const int k : {0, 1 + t % 3}) {
          const Expr x = vector("x");
          const Function function =
              compile({x}, {{"y", sum(tanh(x) * double(k + 2))}}, {}, cached_in(f.path));
          const double y = function(Array::from({0.5, -0.25}))["y"].item<double>();
          const double expected = (std::tanh(0.5) + std::tanh(-0.25)) * (k + 2);
          if (std::abs(y - expected) > 1e-14) ++wrong;
        }
      } catch (...) {
        ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a forked child computes, with threads and products of its own") {
  if (under_tsan) return;
  const Expr x = matrix("x");
  const Function f = compile({x}, {{"s", sum(exp(x))}, {"p", dot(x, x)}});
  const Array a = numbers({300, 300}, 5);
  const Results here = f(a);
  const auto same = [&] {
    const Results there = f(a);
    return same_bits(there["s"], here["s"]) && same_bits(there["p"], here["p"]);
  };
  CHECK(in_child(same));
  CHECK(in_child([&] {
    const Expr y = vector("y");
    return compile({y}, {y * 3.5})(ones({2}))[0].to_vector<double>() ==
               std::vector<double>{3.5, 3.5} &&
           same();
  }));
  CHECK(same());
}

TEST_CASE("no call runs more threads than asked, products included") {
  const int before = pool().threads();
  set_threads(3);
  const Expr x = matrix("x");
  const auto make = [&](int threads) {
    CompileOptions options;
    options.threads = threads;
    return compile({x}, {{"s", sum(exp(x), 1)}, {"p", dot(x, x)}}, {}, options);
  };
  const Function any = make(0), one = make(1), two = make(2);
  const Array a = numbers({1200, 1200}, 9, 0.01);
  const auto peak = [&](const Function& f) {
    pool().reset_peak();
    f(a);
    return pool().peak_running();
  };
  CHECK(peak(any) <= 3);
  CHECK(peak(two) <= 2);
  CHECK(peak(one) <= 1);
  // A library with threads of its own would use more processor time than passes.
  const auto used = [] {
    rusage u{};
    ::getrusage(RUSAGE_SELF, &u);
    return double(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * double(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
  };
  const auto start = std::chrono::steady_clock::now();
  const double used_before = used();
  for (int n = 0; n < 3; ++n) one(a);
  const double passed =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  CHECK(used() - used_before < 1.3 * passed + 0.05);
  CHECK(same_bits(any(a)["p"], one(a)["p"]));
  CHECK(same_bits(any(a)["s"], two(a)["s"]));
  set_threads(before);
}

TEST_CASE("the pool may grow after a function was compiled") {
  const int before = pool().threads();
  set_threads(1);
  const Expr x = matrix("x");
  const Function f = compile({x}, {{"y", softmax(sin(x) * exp(x))}});
  const Array a = numbers({4000, 300}, 11);
  const Array alone = f(a)["y"];
  const std::int64_t memory = f.workspace_bytes(std::vector<Array>{a});
  set_threads(8);
  CHECK(f.workspace_bytes(std::vector<Array>{a}) >= memory);
  for (int n = 0; n < 5; ++n) CHECK(same_bits(f(a)["y"], alone));
  set_threads(before);
}
