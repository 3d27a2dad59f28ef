// Loops ask whether to end: interrupted calls stop at once and change nothing.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>

#include "frontend/gnomon.h"
#include "runtime/services.h"

using namespace gnomon;

namespace {

std::atomic<int> asked{0};
std::atomic<int> ends_at{0};  // the number of the question that ends the call; 0: none

bool ask() { return ++asked == ends_at; }

struct Checked {
  explicit Checked(int end) {
    asked = 0;
    ends_at = end;
    set_interrupt_check(ask);
  }
  ~Checked() { set_interrupt_check(nullptr); }
};

Expr counted(const Expr& n, const Expr& start) {
  const Expr initial[] = {start};
  return fori(n, initial, [](const Expr&, std::span<const Expr> s) {
    return std::vector<Expr>{sin(s[0]) + 1.0};
  })[0];
}

}  // namespace

TEST_CASE("an interrupted loop ends soon and changes no shared variable") {
  const auto v = shared(Array::from<double>({1, 2, 3}), "v");
  const Expr n = scalar("n", int64);
  const Function f = compile({n}, {sum(v)}, {{v, counted(n, v)}});
  const std::int64_t forever = std::int64_t{1} << 60;
  const Checked checked(2);
  const auto begin = std::chrono::steady_clock::now();
  CHECK_THROWS_AS(f(Array(forever)), Interrupted);
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
  CHECK(asked == 2);
  CHECK(v.get().to_vector<double>() == std::vector<double>{1, 2, 3});
  CHECK(f(Array(std::int64_t{0}))[0].item<double>() == 6);
}

TEST_CASE("an update written in place is not lost in a later loop") {
  const auto v = shared(Array::from<double>({1, 2, 3}), "v");
  const Expr n = scalar("n", int64), x = vector("x");
  const Function f = compile({n, x}, {counted(n, x)}, {{v, v * 2}});
  const Checked checked(1);
  CHECK_THROWS_AS(f(Array(std::int64_t{1} << 60), Array::from<double>({1, 2})), Interrupted);
  CHECK(v.get().to_vector<double>() == std::vector<double>{1, 2, 3});
}

TEST_CASE("a check that never ends a call is asked now and then only") {
  const Expr n = scalar("n", int64), x = vector("x");
  const Function f = compile({n, x}, {counted(n, x)});
  const Checked checked(0);
  const auto begin = std::chrono::steady_clock::now();
  f(Array(std::int64_t{1000000}), Array::from<double>({1, 2}));
  const auto passed = std::chrono::steady_clock::now() - begin;
  CHECK(asked <= 2 + passed / std::chrono::milliseconds(16));
}
