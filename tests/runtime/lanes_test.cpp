// Lines and matrices side by side, as lanes of vectors, by the code for each kind of processor.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <memory>
#include <numbers>
#include <vector>

#include "runtime/linalg/small_systems.h"
#include "runtime/lines/line_plans.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// Of the kinds of processors that this one is.
template <class Table>
std::vector<const Table*> those_for_here(const Table& baseline, [[maybe_unused]] const Table& avx2,
                                         [[maybe_unused]] const Table& avx512) {
  std::vector<const Table*> all{&baseline};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("x86-64-v3")) all.push_back(&avx2);
  if (__builtin_cpu_supports("x86-64-v4")) all.push_back(&avx512);
#endif
  return all;
}

template <class T>
std::vector<T> random_numbers(Samples& samples, std::size_t count) {
  std::vector<T> x;
  for (std::size_t k = 0; k < count; ++k) x.push_back(static_cast<T>(samples.uniform(-1, 1)));
  return x;
}

struct alignas(64) CacheLine {
  char bytes[64];
};

/// What a plan works in.
template <class T>
std::vector<CacheLine> memory_for(const LinePlan<T>& plan, std::size_t batch) {
  return std::vector<CacheLine>(plan.work_bytes(batch) / 64 + 1);
}

/// The terms 0 to `terms` - 1 of a line's transform, by the definition.
template <class T>
std::vector<std::complex<double>> transform(const T* x, bool is_complex, std::size_t n,
                                            std::size_t terms, double sign) {
  std::vector<std::complex<double>> y(terms);
  for (std::size_t k = 0; k < terms; ++k)
    for (std::size_t j = 0; j < n; ++j) {
      const auto angle = static_cast<double>(j * k % n) / static_cast<double>(n);
      y[k] += std::complex<double>(x[is_complex ? 2 * j : j], is_complex ? x[2 * j + 1] : 0) *
              std::polar(1.0, sign * 2 * std::numbers::pi * angle);
    }
  return y;
}

template <class T>
void check_complex_lines(const ComplexLinePlan<T>& plan, std::size_t n, std::size_t batch) {
  Samples samples(n + batch);
  const std::size_t pitch = 2 * n + 6;  // lines need not follow one another
  const std::vector<T> x = random_numbers<T>(samples, batch * pitch);
  auto memory = memory_for(plan, batch);
  const double error = (sizeof(T) == 4 ? 1e-6 : 1e-15) * static_cast<double>(n) * 4;
  for (const bool forward : {true, false}) {
    std::vector<T> y(batch * pitch, T(7));
    plan.run({x.data(), y.data(), pitch, pitch, batch, batch}, forward, memory.data());
    for (std::size_t l = 0; l < batch; ++l) {
      const auto wanted = transform(x.data() + l * pitch, true, n, n, forward ? -1 : 1);
      for (std::size_t k = 0; k < n; ++k) {
        const std::complex<double> found(y[l * pitch + 2 * k], y[l * pitch + 2 * k + 1]);
        REQUIRE(std::abs(found - wanted[k]) <= error);
      }
      for (std::size_t k = 2 * n; k < pitch; ++k) REQUIRE(y[l * pitch + k] == T(7));
    }
    // Parts of a batch give the same bits, and so do lines in their own memory.
    std::vector<T> parts = x;
    for (std::size_t l = 0; l < batch; l += 3) {
      T* const from = parts.data() + l * pitch;
      plan.run({from, from, pitch, pitch, std::min<std::size_t>(3, batch - l), batch}, forward,
               memory.data());
    }
    for (std::size_t l = 0; l < batch; ++l)
      for (std::size_t k = 0; k < 2 * n; ++k) REQUIRE(parts[l * pitch + k] == y[l * pitch + k]);
  }
}

template <class T>
void check_real_lines(const RealLinePlan<T>& plan, std::size_t n, std::size_t batch) {
  Samples samples(n + batch);
  const std::size_t terms = n / 2 + 1;
  const std::vector<T> x = random_numbers<T>(samples, batch * n);
  std::vector<T> y(batch * 2 * terms), back(batch * n);
  auto memory = memory_for(plan, batch);
  plan.run({x.data(), y.data(), n, 2 * terms, batch, batch}, memory.data());
  plan.restore({y.data(), back.data(), 2 * terms, n, batch, batch}, memory.data());
  const double error = (sizeof(T) == 4 ? 1e-6 : 1e-15) * static_cast<double>(n) * 4;
  for (std::size_t l = 0; l < batch; ++l) {
    const auto wanted = transform(x.data() + l * n, false, n, terms, -1);
    for (std::size_t k = 0; k < terms; ++k) {
      const std::complex<double> found(y[2 * (l * terms + k)], y[2 * (l * terms + k) + 1]);
      REQUIRE(std::abs(found - wanted[k]) <= error);
    }
    for (std::size_t j = 0; j < n; ++j)
      REQUIRE(std::abs(back[l * n + j] / static_cast<T>(n) - x[l * n + j]) <= error);
  }
}

template <class T>
gnomon_routine systems(const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& x,
                       std::int64_t n, std::int64_t columns, std::int64_t batch) {
  gnomon_routine r{};
  r.rows = r.n = n, r.columns = columns, r.batch = batch;
  r.in[0] = a.data(), r.in[1] = b.data(), r.out[0] = x.data();
  return r;
}

template <class T>
void check_solutions(const SmallSystemsOf<T>& small, std::int64_t n, std::int64_t columns,
                     std::int64_t batch) {
  Samples samples(static_cast<std::uint64_t>(n + columns + batch));
  std::vector<T> a = random_numbers<T>(samples, static_cast<std::size_t>(batch * n * n));
  for (std::int64_t m = 0; m < batch; ++m)
    for (std::int64_t i = 0; i < n; ++i)  // far from singular, and rows have to change places
      a[static_cast<std::size_t>((m * n + i) * n + (i + m) % n)] += T(3 * n);
  const auto b = random_numbers<T>(samples, static_cast<std::size_t>(batch * n * columns));
  std::vector<T> x(b.size()), parts(b.size());
  gnomon_routine r = systems(a, b, x, n, columns, batch);
  gnomon_routine in_parts = systems(a, b, parts, n, columns, batch);
  const double error = sizeof(T) == 4 ? 1e-5 : 1e-14;
  for (const int transposed : {0, 1}) {
    r.transposed = in_parts.transposed = transposed;
    CHECK(small.solve(r, 0, batch).matrix == -1);
    for (std::int64_t m = 0; m < batch; m += 3)
      (void)small.solve(in_parts, m, std::min(m + 3, batch));
    CHECK(x == parts);
    for (std::int64_t m = 0; m < batch; ++m)
      for (std::int64_t i = 0; i < n; ++i)
        for (std::int64_t c = 0; c < columns; ++c) {
          double sum = 0;
          for (std::int64_t k = 0; k < n; ++k)
            sum += static_cast<double>(a[static_cast<std::size_t>(
                       transposed != 0 ? (m * n + k) * n + i : (m * n + i) * n + k)]) *
                   static_cast<double>(x[static_cast<std::size_t>((m * n + k) * columns + c)]);
          const auto wanted =
              static_cast<double>(b[static_cast<std::size_t>((m * n + i) * columns + c)]);
          REQUIRE(std::abs(sum - wanted) <= error * static_cast<double>(n));
        }
  }
}

template <class T>
void check_roots(const SmallSystemsOf<T>& small, std::int64_t n, std::int64_t batch) {
  Samples samples(static_cast<std::uint64_t>(n + batch));
  const auto size = static_cast<std::size_t>(batch * n * n);
  std::vector<T> a = random_numbers<T>(samples, size), l(size, T(7));
  for (std::int64_t m = 0; m < batch; ++m)
    for (std::int64_t i = 0; i < n; ++i)
      a[static_cast<std::size_t>((m * n + i) * n + i)] += T(n + 1);
  const gnomon_routine r = systems(a, a, l, n, 0, batch);
  CHECK(small.cholesky(r, 0, batch).matrix == -1);
  const auto at = [&](const std::vector<T>& x, std::int64_t m, std::int64_t i, std::int64_t j) {
    return static_cast<double>(x[static_cast<std::size_t>((m * n + i) * n + j)]);
  };
  for (std::int64_t m = 0; m < batch; ++m)
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j) {
        if (j > i) {
          REQUIRE(at(l, m, i, j) == 0);
          continue;
        }
        double sum = 0;
        for (std::int64_t k = 0; k <= j; ++k) sum += at(l, m, i, k) * at(l, m, j, k);
        REQUIRE(std::abs(sum - at(a, m, i, j)) <= (sizeof(T) == 4 ? 1e-5 : 1e-14) * double(n));
      }
}

template <class T>
void check_failures(const SmallSystemsOf<T>& small) {
  constexpr std::int64_t n = 3, batch = 20;
  std::vector<T> a(batch * n * n), x(batch * n);
  for (std::int64_t m = 0; m < batch; ++m)
    for (std::int64_t i = 0; i < n; ++i) a[static_cast<std::size_t>((m * n + i) * n + i)] = 2;
  const std::vector<T> b(batch * n, T(1));
  a[(11 * n + 1) * n + 1] = 0;
  a[(17 * n + 0) * n + 0] = -1;
  std::vector<T> l(a.size());
  const gnomon_routine solved = systems(a, b, x, n, 1, batch);
  const gnomon_routine roots = systems(a, b, l, n, 0, batch);
  const SmallFailure singular = small.solve(solved, 0, batch);
  CHECK(singular.matrix == 11);
  CHECK(singular.pivot == 2);
  CHECK(small.solve(solved, 12, batch).matrix == -1);
  const SmallFailure first = small.cholesky(roots, 0, batch),
                     second = small.cholesky(roots, 12, batch);
  CHECK(first.matrix == 11);
  CHECK(first.pivot == 2);
  CHECK(second.matrix == 17);
  CHECK(second.pivot == 1);
  a[(11 * n + 1) * n + 1] = std::nanf("");
  CHECK(small.solve(solved, 11, 12).matrix == -1);  // a NaN is no pivot of 0, and gives NaN
  CHECK(std::isnan(x[11 * n + 1]));
  CHECK(small.cholesky(roots, 11, 12).matrix == 11);
}

}  // namespace

TEST_CASE("Fourier transforms of lines side by side") {
  for (const LinePlans* const plans :
       those_for_here(baseline_line_plans, avx2_line_plans, avx512_line_plans))
    for (const std::size_t n : {1, 2, 3, 8, 15, 37, 64, 100})
      for (const std::size_t batch : {1, 2, 4, 5, 9, 16, 23}) {
        CAPTURE(n);
        CAPTURE(batch);
        const std::unique_ptr<ComplexLinePlan<float>> c32(plans->f32.complex(n));
        const std::unique_ptr<ComplexLinePlan<double>> c64(plans->f64.complex(n));
        const std::unique_ptr<RealLinePlan<float>> r32(plans->f32.real(n));
        const std::unique_ptr<RealLinePlan<double>> r64(plans->f64.real(n));
        check_complex_lines(*c32, n, batch);
        check_complex_lines(*c64, n, batch);
        check_real_lines(*r32, n, batch);
        check_real_lines(*r64, n, batch);
      }
}

TEST_CASE("small systems of equations side by side") {
  for (const SmallSystems* const small :
       those_for_here(baseline_small_systems, avx2_small_systems, avx512_small_systems)) {
    for (const std::int64_t n : {1, 2, 3, 4, 5, 8})
      for (const std::int64_t batch : {1, 3, 8, 16, 21}) {
        CAPTURE(n);
        CAPTURE(batch);
        for (const std::int64_t columns : {1, 3, 16}) {
          check_solutions(small->f32, n, columns, batch);
          check_solutions(small->f64, n, columns, batch);
        }
        check_roots(small->f32, n, batch);
        check_roots(small->f64, n, batch);
      }
    check_failures(small->f32);
    check_failures(small->f64);
  }
}

TEST_CASE("systems are small by their rows, columns and number") {
  gnomon_routine r{};
  r.n = 8, r.columns = 16, r.batch = 5;
  CHECK(are_small_systems(r, 8));
  CHECK_FALSE(are_small_systems(r, 16));
  r.batch = 9;
  CHECK(are_small_systems(r, 16));
  r.columns = 17;
  CHECK_FALSE(are_small_systems(r, 16));
  r.columns = 1, r.n = 9;
  CHECK_FALSE(are_small_systems(r, 16));
  r.n = 0;
  CHECK_FALSE(are_small_systems(r, 16));
}
