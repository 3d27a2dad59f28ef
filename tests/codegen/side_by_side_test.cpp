// Heavy steps that do not need each other run at once: same bits, same errors, memory of their own.
#include <chrono>
#include <string>
#include <vector>

#include "runtime/arrays/shared.h"
#include "runtime/threads.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct ThreadsRestored {
  int before = pool().threads();
  ~ThreadsRestored() { set_threads(before); }
};

// Symmetric, with a large diagonal.
Array definite(Samples& samples, std::int64_t n) {
  Array a = samples.small(DType::float64, {n, n});
  double* p = a.data<double>();
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < i; ++j) p[i * n + j] = p[j * n + i];
    p[i * (n + 1)] = 8.0 * static_cast<double>(n);
  }
  return a;
}

std::size_t count_text(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

}  // namespace

TEST_CASE("two factorisations run at once, if they are large, with the same bits") {
  const ThreadsRestored restored;
  const Expr a = matrix("a"), b = matrix("b");
  // No loop beside them: threads that share one would be counted too.
  const Function f = compile({a, b}, {{"a", cholesky(a)}, {"b", cholesky(b)}}, {}, uncached());
  CHECK(count_text(f.module_text(), "side by side") == 1);
  Samples samples(1);
  for (const std::int64_t n : {1, 20, 200}) {
    const Array x = definite(samples, n), y = definite(samples, 2 * n);
    set_threads(1);
    const Results alone = f(x, y);
    for (const int threads : {2, 3, 16}) {
      set_threads(threads);
      pool().reset_peak();
      // On a busy machine the first thread may do both before another one wakes up: patience.
      const auto start = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - start < std::chrono::seconds(30)) {
        const Results found = f(x, y);
        for (const char* name : {"a", "b"}) CHECK(difference(found[name], alone[name], 0) == "");
        if (n < 200 || pool().peak_running() == 2) break;
      }
      CHECK(pool().peak_running() == (n < 200 ? 0 : 2));
    }
  }
}

TEST_CASE("of two factorisations that fail the first is reported") {
  const ThreadsRestored restored;
  set_threads(2);
  const Expr a = matrix("a"), b = matrix("b");
  const Function f = compile({a, b}, {cholesky(a), cholesky(b)}, {}, uncached());
  REQUIRE(count_text(f.module_text(), "side by side") == 1);
  Samples samples(2);
  const std::int64_t n = 200;
  const Array good = definite(samples, n);
  const auto bad_from = [&](std::int64_t row) {
    Array x = good.copy();
    x.data<double>()[row * (n + 1)] = -1.0;
    return x;
  };
  const auto text = [&](const Array& x, const Array& y) -> std::string {
    try {
      f(x, y);
    } catch (const ValueError& error) {
      return error.what();
    }
    return "nothing";
  };
  set_threads(1);
  const std::string first = text(bad_from(150), bad_from(3)), second = text(good, bad_from(3));
  CHECK(first != second);
  CHECK(first != "nothing");
  CHECK(second != "nothing");
  set_threads(2);
  for (int round = 0; round < 10; ++round) {
    CHECK(text(bad_from(150), bad_from(3)) == first);
    CHECK(text(good, bad_from(3)) == second);
    CHECK(text(good, good) == "nothing");
  }
}

TEST_CASE("steps side by side have memory of their own") {
  const ThreadsRestored restored;
  const Expr x = matrix("x"), y = matrix("y"), i = vector("i", int64);
  const Expr counts = full({100}, Expr(Array(std::int64_t{0})));
  // Products of a few rows are too small for several threads each; so are counts.
  const Expr p = dot(x, y), q = dot(x + 1.0, y), r = dot(x, y * 0.5), s = dot(tanh(p), y);
  const Function f = compile({x, y, i},
                             {{"sum", p + q * r},
                              {"next", s},
                              {"counts", inc_at(counts, {i}, 1)},
                              {"others", inc_at(counts, {99 - i}, i)}},
                             {}, uncached());
  CHECK(count_text(f.module_text(), "side by side") >= 1);
  Samples samples(3);
  for (const std::int64_t n : {3, 350}) {
    const Array a = samples.small(DType::float64, {60, n}),
                b = samples.small(DType::float64, {n, n});
    Array at = samples.small(DType::int64, {n * 1000});
    for (std::int64_t k = 0; k < at.size(); ++k) at.data<std::int64_t>()[k] = samples.below(100);
    set_threads(1);
    const Results alone = f(a, b, at);
    for (const int threads : {2, 16})
      for (int round = 0; round < 5; ++round) {
        set_threads(threads);
        const Results found = f(a, b, at);
        for (const char* name : {"sum", "next", "counts", "others"})
          CHECK(difference(found[name], alone[name], 0) == "");
      }
  }
}

TEST_CASE("a step that needs another's result stays behind it") {
  const Expr x = matrix("x"), y = matrix("y");
  const Expr l = cholesky(x);
  const Function chain = compile({x, y}, {solve_triangular(l, dot(l, y))}, {}, uncached());
  CHECK(count_text(chain.module_text(), "side by side") == 0);
  // The second factorisation joins the first past what lies between.
  const Function two =
      compile({x, y}, {solve_triangular(l, exp(l)), cholesky(y), dot(y, y)}, {}, uncached());
  CHECK(count_text(two.module_text(), "side by side") == 1);
}

TEST_CASE("small steps of known extents run in order") {
  const Expr x = tensor("x", float64, {20, 20}), y = tensor("y", float64, {20, 20});
  const Function f = compile({x, y}, {cholesky(x), cholesky(y)}, {}, uncached());
  CHECK(count_text(f.module_text(), "side by side") == 0);
}

TEST_CASE("a variable keeps its value when a step beside its update fails") {
  const ThreadsRestored restored;
  set_threads(2);
  Samples samples(4);
  const std::int64_t n = 200;
  const Array good = definite(samples, n), old = samples.small(DType::float64, {n, n});
  const SharedVariable w = shared(old, "w");
  const Expr x = matrix("x");
  const Function step = compile({x}, {{"l", cholesky(x)}}, {{w, w - dot(x, x) * 0.1}});
  Array bad = good.copy();
  bad.data<double>()[n * n - 1] = -1.0;
  for (int round = 0; round < 5; ++round) {
    CHECK_THROWS_AS(step(bad), ValueError);
    CHECK(difference(w.get(), old, 0) == "");
  }
  step(good);
  CHECK(difference(w.get(), old, 0) != "");
}
