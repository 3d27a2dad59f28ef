// Sorts by vectors give the values and places of the sorts by elements, bit for bit.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "runtime/lines/lines.h"
#include "runtime/lines/vector_sorts.h"
#include "runtime/pool_crew.h"
#include "runtime/threads.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Lines that are hard in some way: with equal elements, with keys that differ in their lowest bits
// only, with one element far away, sorted ones, and for numbers NaNs, zeros and infinities.
template <class T>
std::vector<std::vector<T>> hard_lines(std::int64_t n, std::mt19937_64& random) {
  const auto size = static_cast<std::size_t>(n);
  const auto made = [&](auto f) {
    std::vector<T> line(size);
    for (T& x : line) x = static_cast<T>(f());
    return line;
  };
  const auto any = [&] {
    if constexpr (std::is_floating_point_v<T>)
      return std::ldexp(static_cast<T>(random()) - static_cast<T>(1ull << 63),
                        static_cast<int>(random() % 60) - 100);
    else
      return static_cast<T>(random());
  };
  std::vector<std::vector<T>> lines = {made(any), made([&] { return random() % 3; }),
                                       made([&] { return 1'000'000 + random() % 512; }),
                                       made([] { return 7; })};
  lines.push_back(lines[2]);
  lines.back()[size / 2] = std::numeric_limits<T>::lowest();
  if (n > 1) lines.back()[0] = std::numeric_limits<T>::max();
  lines.push_back(lines[0]);
  std::sort(lines.back().begin(), lines.back().end());
  if constexpr (std::is_floating_point_v<T>) {
    const T inf = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
    const T special[] = {nan, -nan, T(0), -T(0),
                         inf, -inf, T(1), std::numeric_limits<T>::denorm_min()};
    lines.push_back(made([&] { return special[random() % 8]; }));
    lines.push_back(made([&] { return random() % 9 == 0 ? special[random() % 8] : any(); }));
  }
  return lines;
}

template <class T>
gnomon_lines lines_of(const std::vector<T>& x, void* out, bool reverse, LineRoutine routine) {
  gnomon_lines w{};
  w.routine = static_cast<int>(routine);
  w.in[0] = x.data();
  w.out = out;
  w.outer = w.inner = 1;
  w.n = static_cast<std::int64_t>(x.size());
  w.reverse = reverse;
  return w;
}

template <class T>
void check_sorts(const VectorSorts& sorts, std::int64_t n) {
  std::mt19937_64 random(static_cast<std::uint64_t>(n));
  const PoolCrew crew(pool(), 1);
  for (const std::vector<T>& x : hard_lines<T>(n, random)) {
    for (const bool reverse : {false, true}) {
      std::vector<T> values(x.size()), wanted(x.size());
      REQUIRE(run_sort<LineRoutine::sort, T>(lines_of(x, wanted.data(), reverse, LineRoutine::sort),
                                             crew));
      sorts.of<T>().values(x.data(), values.data(), n, reverse);
      CHECK(std::memcmp(values.data(), wanted.data(), x.size() * sizeof(T)) == 0);

      std::vector<std::int64_t> places(x.size()), right(x.size());
      std::vector<T> memory(x.size());
      REQUIRE(run_sort<LineRoutine::argsort, T>(
          lines_of(x, right.data(), reverse, LineRoutine::argsort), crew));
      sorts.of<T>().places(x.data(), places.data(), n, reverse, memory.data());
      CHECK(places == right);

      // Lines side by side, and one on several threads, go by the elements' way with other keys.
      const sorts::ByVectors way(sorts);
      REQUIRE(run_sort<LineRoutine::argsort, T>(
          lines_of(x, places.data(), reverse, LineRoutine::argsort), crew, way));
      CHECK(places == right);
      REQUIRE(run_sort<LineRoutine::sort, T>(lines_of(x, values.data(), reverse, LineRoutine::sort),
                                             crew, way));
      CHECK(std::memcmp(values.data(), wanted.data(), x.size() * sizeof(T)) == 0);
    }
  }
}

}  // namespace

TEST_CASE("sorts by vectors are those by elements") {
  std::vector<const VectorSorts*> all;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back(&avx2_sorts);
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back(&avx512_sorts);
#endif
  CHECK((vector_sorts() == nullptr) == all.empty());
  for (const VectorSorts* const sorts : all) {
    for (const std::int64_t n : {1, 2, 3, 9, 31, 64, 100, 257, 1000, 4096, 70'001}) {
      check_sorts<float>(*sorts, n);
      check_sorts<double>(*sorts, n);
      check_sorts<std::int32_t>(*sorts, n);
      check_sorts<std::int64_t>(*sorts, n);
      check_sorts<std::uint32_t>(*sorts, n);
      check_sorts<std::uint64_t>(*sorts, n);
    }
  }
}
