// Products of exported libraries by BLAS, for those that are asked to call it.
#pragma once

#include <stddef.h>

#include "runtime/freestanding.h"
#include "stdlib/prelude/export/services.h"

#define GN_GEMM(T, name)                                                                       \
  extern "C" void name(const char*, const char*, const int*, const int*, const int*, const T*, \
                       const T*, const int*, const T*, const int*, const T*, T*, const int*,   \
                       size_t, size_t);                                                        \
  namespace gn {                                                                               \
  template <>                                                                                  \
  inline constexpr auto gemm<T> = name;                                                        \
  }

namespace gn {
template <typename T>
inline constexpr auto gemm = nullptr;
}
GN_GEMM(float, sgemm_)
GN_GEMM(double, dgemm_)
#undef GN_GEMM

namespace gn {

/// A product, of which BLAS sees the transposed matrices: C^T = B^T A^T. Threads of the caller take
/// blocks of rows, which depend on the extents alone.
template <int, typename T>
struct Product {
  static gnomon::ServiceMemory memory(const gnomon_gemm&) { return {}; }
  static bool fits(const gnomon_gemm& g) {
    constexpr i64 most = 0x7fffffff;
    return g.n <= most && g.k <= most && g.lda <= most && g.ldb <= most && g.ldc <= most;
  }
  static bool run(const gnomon_gemm& g, const LentCrew& crew) {
    if (g.m <= 0 || g.n <= 0 || g.batch <= 0) return true;
    constexpr i64 work = 2'000'000;  // multiply-adds worth handing to another thread
    const i64 of_row = gnomon::greater<i64>(1, g.n) * gnomon::greater<i64>(1, g.k);
    const i64 rows = gnomon::clamped(work / of_row, 128, 1 << 20);
    const i64 blocks = gnomon::ceil_div(g.m, rows);
    crew(g.batch * blocks, gnomon::greater<i64>(1, work / (rows * of_row)),
         [&](i64 lo, i64 hi, i32) {
           for (; lo < hi; ++lo) {
             const i64 first = lo % blocks * rows;
             run_rows(g, lo / blocks, first, gnomon::lesser(rows, g.m - first));
           }
         });
    return true;
  }

 private:
  static void run_rows(const gnomon_gemm& g, i64 item, i64 first, i64 count) {
    const T* const a =
        static_cast<const T*>(g.a) + item * g.stride_a + first * (g.trans_a != 0 ? 1 : g.lda);
    const T* const b = static_cast<const T*>(g.b) + item * g.stride_b;
    T* const c = static_cast<T*>(g.c) + item * g.stride_c + first * g.ldc;
    const int rows = static_cast<int>(count), columns = static_cast<int>(g.n),
              depth = static_cast<int>(g.k);
    const T alpha = static_cast<T>(g.alpha), beta = static_cast<T>(g.beta);
    // The distance between lines of a matrix that has one line is no matter, but is looked at.
    const auto apart = [](i64 distance, int line) {
      return gnomon::greater(1, gnomon::greater(static_cast<int>(distance), line));
    };
    const int lda = apart(g.lda, g.trans_a != 0 ? rows : depth);
    const int ldb = apart(g.ldb, g.trans_b != 0 ? depth : columns);
    const int ldc = apart(g.ldc, columns);
    gemm<T>(g.trans_b != 0 ? "T" : "N", g.trans_a != 0 ? "T" : "N", &columns, &rows, &depth, &alpha,
            b, &ldb, a, &lda, &beta, c, &ldc, 1, 1);
  }
};

}  // namespace gn
