// Nanoseconds an element of each function of one float, beside the C library's.
//
//   bench_functions [FUNCTION...]
//
// Arrays of 4096 elements, which lie in the nearest cache, on one thread; the least of many turns,
// in which both take their place one after the other. The C library's functions are called in a
// loop the compiler of this program makes, as a C++ program would.
#include <fmt/format.h>
#include <gnomon/gnomon.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "runtime/threads.h"

namespace {

using namespace gnomon;
using Clock = std::chrono::steady_clock;

constexpr std::size_t count = 4096;
constexpr int turns = 400;

struct Entry {
  std::string name;
  double low, high;  // of the arguments
  Expr (*ours)(const Expr&);
  float (*single)(float);  // null where the C library has none
  double (*twice)(double);
};

#define GNOMON_BOTH(name, low, high, theirs)                                            \
  Entry {                                                                               \
    #name, low, high, [](const Expr& x) { return gnomon::name(x); },                    \
        [](float v) { return std::theirs(v); }, [](double v) { return std::theirs(v); } \
  }
#define GNOMON_OURS(name, low, high)                                                  \
  Entry {                                                                             \
    #name, low, high, [](const Expr& x) { return gnomon::name(x); }, nullptr, nullptr \
  }

std::vector<Entry> entries() {
  return {GNOMON_BOTH(sqrt, 0, 100, sqrt),
          GNOMON_BOTH(exp, -10, 10, exp),
          GNOMON_BOTH(exp2, -10, 10, exp2),
          GNOMON_BOTH(expm1, -5, 5, expm1),
          GNOMON_BOTH(log, 1e-3, 1e3, log),
          GNOMON_BOTH(log2, 1e-3, 1e3, log2),
          GNOMON_BOTH(log10, 1e-3, 1e3, log10),
          GNOMON_BOTH(log1p, -0.9, 10, log1p),
          GNOMON_BOTH(sin, -10, 10, sin),
          GNOMON_BOTH(cos, -10, 10, cos),
          GNOMON_BOTH(tan, -10, 10, tan),
          GNOMON_BOTH(arcsin, -1, 1, asin),
          GNOMON_BOTH(arccos, -1, 1, acos),
          GNOMON_BOTH(arctan, -10, 10, atan),
          GNOMON_BOTH(sinh, -5, 5, sinh),
          GNOMON_BOTH(cosh, -5, 5, cosh),
          GNOMON_BOTH(tanh, -5, 5, tanh),
          GNOMON_BOTH(arcsinh, -10, 10, asinh),
          GNOMON_BOTH(arccosh, 1, 10, acosh),
          GNOMON_BOTH(arctanh, -0.99, 0.99, atanh),
          GNOMON_BOTH(cbrt, -100, 100, cbrt),
          GNOMON_BOTH(erf, -4, 4, erf),
          GNOMON_BOTH(erfc, -4, 4, erfc),
          GNOMON_BOTH(gamma, 0.1, 20, tgamma),
          GNOMON_BOTH(gammaln, 0.1, 20, lgamma),
          GNOMON_OURS(sigmoid, -10, 10),
          GNOMON_OURS(softplus, -10, 10),
          GNOMON_OURS(log1mexp, -10, -0.01),
          GNOMON_OURS(erfcx, -4, 10),
          GNOMON_OURS(erfinv, -0.99, 0.99),
          GNOMON_OURS(ndtri, 0.01, 0.99),
          GNOMON_OURS(ndtri_exp, -10, -0.01),
          GNOMON_OURS(log_ndtr, -10, 10),
          GNOMON_OURS(digamma, 0.1, 20),
          GNOMON_OURS(trigamma, 0.1, 20),
          GNOMON_OURS(i0, -10, 10),
          GNOMON_OURS(i1, -10, 10),
          GNOMON_OURS(j0, -20, 20),
          GNOMON_OURS(j1, -20, 20),
          GNOMON_OURS(y0, 0.1, 20),
          GNOMON_OURS(y1, 0.1, 20)};
}

double seconds(const std::function<void()>& run) {
  const Clock::time_point start = Clock::now();
  run();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Nanoseconds an element of ours and of the C library's (0 where it has none).
template <class T>
std::pair<double, double> measured(const Entry& e, T (*theirs)(T)) {
  std::vector<T> values(count), results(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = static_cast<T>(e.low + (e.high - e.low) *
                                           static_cast<double>(i * 2654435761u % count) / count);
  const Expr x = vector("x", dtype_of<T>);
  const Function f = compile({x}, {e.ours(x)});
  const Array argument = Array::from(values);
  Array into = zeros({static_cast<std::int64_t>(count)}, dtype_of<T>);
  double ours = 1, other = theirs == nullptr ? 0 : 1;
  for (int turn = 0; turn < turns; ++turn) {
    ours = std::min(ours, seconds([&] { into = f(argument)[0]; }));
    if (theirs == nullptr) continue;
    other = std::min(other, seconds([&] {
                       for (std::size_t i = 0; i < count; ++i) results[i] = theirs(values[i]);
                       asm volatile("" : : "r"(results.data()) : "memory");
                     }));
  }
  return {ours / count * 1e9, other / count * 1e9};
}

std::string row(std::pair<double, double> ns) {
  if (ns.second == 0) return fmt::format("{:9.2f} {:>9} {:>7}", ns.first, "", "");
  return fmt::format("{:9.2f} {:9.2f} {:7.1f}", ns.first, ns.second, ns.second / ns.first);
}

}  // namespace

int main(int argc, char** argv) {
  const std::set<std::string> wanted(argv + 1, argv + argc);
  set_threads(1);
  fmt::print("nanoseconds an element; `times` is how many times longer the C library takes\n");
  fmt::print("{:10} {:>9} {:>9} {:>7} {:>9} {:>9} {:>7}\n", "function", "float32", "C", "times",
             "float64", "C", "times");
  for (const Entry& e : entries()) {
    if (!wanted.empty() && !wanted.contains(e.name)) continue;
    fmt::print("{:10} {} {}\n", e.name, row(measured<float>(e, e.single)),
               row(measured<double>(e, e.twice)));
  }
}
