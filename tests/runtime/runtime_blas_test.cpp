// Products: exact on small integers, equal bits for every number of threads, BLAS's corner cases.
#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "runtime/arrays/array.h"
#include "runtime/linalg/blas.h"
#include "runtime/threads.h"
#include "tests/support/threads_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

struct Case {
  std::int64_t m, n, k, batch = 1;
  bool trans_a = false, trans_b = false;
  double alpha = 1, beta = 0;
};

// Integers of magnitude up to 8: every partial sum is exact in float32 for the sizes used here.
template <class T>
Array integers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  Array a = Array::empty(dtype_of<T>, {count});
  for (std::int64_t i = 0; i < count; ++i)
    a.data<T>()[i] = static_cast<T>(static_cast<int>(random() % 17) - 8);
  return a;
}

template <class T>
Array uniform(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> draw(-1, 1);
  Array a = Array::empty(dtype_of<T>, {count});
  for (std::int64_t i = 0; i < count; ++i) a.data<T>()[i] = draw(random);
  return a;
}

template <class T>
gnomon_gemm reference_product(const Case& c, const Array& a, const Array& b, Array& result) {
  gnomon_gemm g{};
  g.dtype = static_cast<int>(dtype_of<T>);
  g.trans_a = c.trans_a;
  g.trans_b = c.trans_b;
  g.m = c.m, g.n = c.n, g.k = c.k;
  g.lda = c.trans_a ? c.m : c.k;
  g.ldb = c.trans_b ? c.k : c.n;
  g.ldc = c.n;
  g.batch = c.batch;
  g.stride_a = c.m * c.k, g.stride_b = c.k * c.n, g.stride_c = c.m * c.n;
  g.alpha = c.alpha, g.beta = c.beta;
  g.a = a.data(), g.b = b.data(), g.c = result.data();
  return g;
}

template <class T>
void check_exact(const Case& c, GemmScratch scratch = GemmScratch::allocated) {
  CAPTURE(c.m);
  CAPTURE(c.n);
  CAPTURE(c.k);
  const Array a = integers<T>(c.batch * c.m * c.k, 1), b = integers<T>(c.batch * c.k * c.n, 2);
  Array result = integers<T>(c.batch * c.m * c.n, 3);
  const std::vector<T> before = result.to_vector<T>();
  const T *x = a.data<T>(), *y = b.data<T>();
  REQUIRE(blas().gemm(reference_product<T>(c, a, b, result), pool(), 256, scratch) ==
          Trouble::none);
  bool equal = true;
  for (std::int64_t p = 0; p < c.batch; ++p)
    for (std::int64_t i = 0; i < c.m; ++i)
      for (std::int64_t j = 0; j < c.n; ++j) {
        double sum = 0;
        for (std::int64_t l = 0; l < c.k; ++l) {
          const auto left = x[p * c.m * c.k + (c.trans_a ? l * c.m + i : i * c.k + l)];
          const auto right = y[p * c.k * c.n + (c.trans_b ? j * c.k + l : l * c.n + j)];
          sum += static_cast<double>(left) * static_cast<double>(right);
        }
        const std::int64_t at = p * c.m * c.n + i * c.n + j;
        const double wanted =
            c.alpha * sum + c.beta * static_cast<double>(before[static_cast<std::size_t>(at)]);
        equal = equal && static_cast<double>(result.data<T>()[at]) == wanted;
      }
  CHECK(equal);
}

}  // namespace

TEST_CASE("a BLAS library is found and describes itself") {
  REQUIRE(blas().available());
  CHECK(blas_description().find('/') != std::string::npos);
}

TEST_CASE("OpenBLAS uses the vectors that the processor has") {
#if defined(__x86_64__)
  const std::string& found = blas_description();
  if (found.find("OpenBLAS") == found.npos || !__builtin_cpu_supports("avx2")) return;
  for (const char* core : {"(Prescott)", "(Core2)", "(Nehalem)", "(Sandybridge)"})
    CHECK(found.find(core) == found.npos);
  if (__builtin_cpu_supports("avx512bw")) CHECK(found.find("(Haswell)") == found.npos);
#endif
}

TEST_CASE("products of integers are exact") {
  const ThreadsRestored restored;
  set_threads(3);
  for (bool ta : {false, true})
    for (bool tb : {false, true}) {
      const std::vector<Case> cases = {{1, 1, 1},      {3, 5, 7},       {17, 1, 33},
                                       {1, 40, 9},     {130, 257, 65},  {1100, 70, 60},
                                       {20, 4500, 40}, {10, 12, 20000}, {5, 4, 3, 6}};
      for (Case c : cases) {
        c.trans_a = ta, c.trans_b = tb;
        check_exact<double>(c);
        check_exact<float>(c);
        c.alpha = -2, c.beta = 0.5;
        check_exact<double>(c);
      }
    }
}

TEST_CASE("products by the own transpose are those of two operands, and symmetric") {
  for (const bool trans_a : {false, true})
    for (const std::int64_t m : {1, 2, 33, 300, 1100})
      for (const std::int64_t k : {1, 60, 9000}) {
        if (m * m * k > 400'000'000) continue;
        const Array a = integers<double>(2 * m * k, 1);
        Array result = Array::empty(float64, {2 * m * m}),
              wanted = Array::empty(float64, {2 * m * m});
        Case c{m, m, k, 2};
        c.trans_a = trans_a, c.trans_b = !trans_a;
        gnomon_gemm g = reference_product<double>(c, a, a, wanted);
        REQUIRE(blas().gemm(g, pool()) == Trouble::none);
        g.symmetric = 1, g.c = result.data();
        CAPTURE(m);
        CAPTURE(k);
        REQUIRE(blas().gemm(g, pool()) == Trouble::none);
        CHECK(result.to_vector<double>() == wanted.to_vector<double>());
        std::fill_n(result.data<double>(), 2 * m * m, std::nan(""));
        REQUIRE(blas().gemm(g, pool(), 256, GemmScratch::on_stack) == Trouble::none);
        CHECK(result.to_vector<double>() == wanted.to_vector<double>());
      }
}

TEST_CASE("products with a vector on either side, transposed or not, are exact") {
  for (const bool trans_a : {false, true})
    for (const bool trans_b : {false, true})
      for (const std::int64_t depth : {1, 2, 7, 300, 9000})
        for (const std::int64_t lines : {1, 2, 5, 129, 1500})
          for (const double beta : {0.0, 1.0, -2.0}) {
            const double alpha = beta == 0 ? 1 : 3;
            check_exact<double>({lines, 1, depth, 1, trans_a, trans_b, alpha, beta});
            check_exact<double>({1, lines, depth, 1, trans_a, trans_b, alpha, beta});
            check_exact<float>({lines, 1, depth, 2, trans_a, trans_b, alpha, beta});
            check_exact<float>({1, lines, depth, 2, trans_a, trans_b, alpha, beta});
          }
}

TEST_CASE("partial results are not needed where memory has run out") {
  for (bool transposed : {false, true}) {
    check_exact<double>({70, 33, 9000, 3, transposed, !transposed}, GemmScratch::on_stack);
    check_exact<float>({10, 12, 20000, 1, transposed, transposed, -2, 0.5}, GemmScratch::on_stack);
  }
}

TEST_CASE("a batch may be cut along the inner axis too") {
  check_exact<double>({6, 5, 9000, 3});
  check_exact<float>({64, 64, 64, 40});
}

TEST_CASE("the bits do not depend on the number of threads") {
  const ThreadsRestored restored;
  const std::vector<Case> cases = {
      {256, 256, 256},  {700, 300, 200},          {1300, 600, 90},
      {64, 2500, 300},  {784, 10, 9000},          {10, 30, 50000},
      {96, 96, 96, 30}, {500, 400, 300, 1, true}, {333, 444, 555, 1, false, true}};
  for (const Case& c : cases) {
    CAPTURE(c.m);
    const Array a = uniform<float>(c.batch * c.m * c.k, 4),
                b = uniform<float>(c.batch * c.k * c.n, 5);
    const Array x = uniform<double>(c.batch * c.m * c.k, 6),
                y = uniform<double>(c.batch * c.k * c.n, 7);
    Array first_single, first_double;
    for (int threads : {1, 2, 3, 7}) {
      set_threads(threads);
      Array single = zeros({c.batch * c.m * c.n}, float32), twice = zeros({c.batch * c.m * c.n});
      REQUIRE(blas().gemm(reference_product<float>(c, a, b, single), pool()) == Trouble::none);
      REQUIRE(blas().gemm(reference_product<double>(c, x, y, twice), pool()) == Trouble::none);
      if (threads == 1) first_single = single, first_double = twice;
      CHECK(same_bits(single, first_single));
      CHECK(same_bits(twice, first_double));
    }
  }
}

TEST_CASE("products from several threads at once are all right") {
  const Case c{96, 80, 120};
  const Array a = uniform<double>(c.m * c.k, 8), b = uniform<double>(c.k * c.n, 9);
  Array wanted = zeros({c.m * c.n});
  REQUIRE(blas().gemm(reference_product<double>(c, a, b, wanted), pool()) == Trouble::none);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        Array result = zeros({c.m * c.n});
        blas().gemm(reference_product<double>(c, a, b, result), pool());
        if (!same_bits(result, wanted)) wrong++;
      }
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a result that is not read may hold NaN") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Case& c : {Case{4, 5, 6}, Case{700, 300, 100}, Case{10, 12, 20000}, Case{3, 3, 0},
                        Case{9, 1, 40}, Case{1, 9, 40}, Case{1, 9, 20000}}) {
    const Array a = integers<double>(c.m * c.k, 1), b = integers<double>(c.k * c.n, 2);
    Array result = full({c.m * c.n}, nan);
    REQUIRE(blas().gemm(reference_product<double>(c, a, b, result), pool()) == Trouble::none);
    bool finite = true;
    for (double v : result.to_vector<double>()) finite = finite && std::isfinite(v);
    CHECK(finite);
  }
}

TEST_CASE("NaN and infinity in an operand reach the result") {
  Array a = ones({2, 3}), b = zeros({3, 2});
  a.data<double>()[0] = INFINITY;
  Array result = zeros({2, 2});
  REQUIRE(blas().gemm(reference_product<double>({2, 2, 3}, a, b, result), pool()) == Trouble::none);
  CHECK(std::isnan(result.data<double>()[0]));
  CHECK(result.data<double>()[2] == 0);
}

TEST_CASE("empty products") {
  const Array none = zeros({0});
  Array result = full({6}, 3);
  Case c{2, 3, 0};
  c.beta = 2;
  CHECK(blas().gemm(reference_product<double>(c, none, none, result), pool()) == Trouble::none);
  CHECK(result.to_vector<double>() == std::vector<double>(6, 6));
  c.beta = 0;
  CHECK(blas().gemm(reference_product<double>(c, none, none, result), pool()) == Trouble::none);
  CHECK(result.to_vector<double>() == std::vector<double>(6, 0));
  Array empty = zeros({0});
  CHECK(blas().gemm(reference_product<double>({0, 3, 2}, none, ones({6}), empty), pool()) ==
        Trouble::none);
  CHECK(blas().gemm(reference_product<double>({2, 3, 4, 0}, none, none, empty), pool()) ==
        Trouble::none);
}

TEST_CASE("wide rows, shared operands and parts of a larger matrix") {
  // C[2..4, 1..3] of a 5 x 4 matrix, B the same for each of the batch.
  const Array a = integers<double>(2 * 2 * 3, 1), b = integers<double>(3 * 7, 2);
  Array result = full({2 * 20}, 100);
  gnomon_gemm g = reference_product<double>({2, 2, 3, 2}, a, b, result);
  g.ldb = 7, g.stride_b = 0, g.ldc = 4, g.stride_c = 20;
  g.c = result.data<double>() + 2 * 4 + 1;
  REQUIRE(blas().gemm(g, pool()) == Trouble::none);
  for (int p = 0; p < 2; ++p)
    for (int i = 0; i < 5; ++i)
      for (int j = 0; j < 4; ++j) {
        double wanted = 100;
        if (i >= 2 && i < 4 && j >= 1 && j < 3) {
          wanted = 0;
          for (int l = 0; l < 3; ++l)
            wanted += a.data<double>()[p * 6 + (i - 2) * 3 + l] * b.data<double>()[l * 7 + j - 1];
        }
        CHECK(result.data<double>()[p * 20 + i * 4 + j] == wanted);
      }
}

TEST_CASE("arguments that a library cannot take are refused") {
  const Array a = zeros({4}), b = zeros({4});
  Array result = zeros({4});
  gnomon_gemm g = reference_product<double>({2, 2, 2}, a, b, result);
  g.lda = 1;
  CHECK(blas().gemm(g, pool()) == Trouble::unsuitable);
  g.lda = std::int64_t{1} << 31;
  CHECK(blas().gemm(g, pool()) == Trouble::unsuitable);
  g.m = 1;  // the stride of a single row means nothing
  CHECK(blas().gemm(g, pool()) == Trouble::none);
  g = reference_product<double>({2, 2, 2}, a, b, result);
  g.dtype = static_cast<int>(int32);
  CHECK(blas().gemm(g, pool()) == Trouble::unsuitable);
}

TEST_CASE("the grid covers every product") {
  for (std::int64_t m : {1, 63, 512, 5000, 1000000})
    for (std::int64_t n : {1, 10, 3000})
      for (std::int64_t k : {1, 784, 100000}) {
        const GemmGrid g = gemm_grid(m, n, k);
        const auto covers = [](std::int64_t side, std::int64_t extent, std::int64_t tiles) {
          return extent * tiles >= side && extent * (tiles - 1) < side;
        };
        CHECK(covers(m, g.rows, g.row_tiles));
        CHECK(covers(n, g.columns, g.column_tiles));
        CHECK(covers(k, g.depth, g.depth_chunks));
        const GemmGrid s = symmetric_grid(m, k);
        CHECK(covers(m, s.rows, s.row_tiles));
        CHECK(s.rows == s.columns);
        CHECK(s.tiles() == s.row_tiles * (s.row_tiles + 1) / 2);
      }
}
