// Distances of numbers in bits, and the numbers that inputs are drawn from.
#include "frontend/accuracy/lost_bits.h"

#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <set>

#include "frontend/accuracy/draws.h"
#include "ir/op/numbers.h"
#include "runtime/error.h"
#include "tests/support/special_numbers.h"

using namespace gnomon;
using test::infinite;
using test::not_a_number;

namespace {

template <class T>
double bits_between(T a, T b) {
  return difference(Array::from<T>({a}), Array::from<T>({b})).value().worst;
}

}  // namespace

TEST_CASE("d units in the last place are log2(1 + d) bits") {
  CHECK(bits_between(1.0, 1.0) == 0);
  CHECK(bits_between(1.0, 1 + 0x1p-52) == 1);
  CHECK(bits_between(1.0f, 1 + 3 * 0x1p-23f) == 2);
  CHECK(bits_between(Float16(1.0), Float16(1 + 7 * 0x1p-10)) == 3);
  CHECK(bits_between(BFloat16(1.0), BFloat16(1 + 0x1p-7)) == 1);
  // Units are those of the larger number, and those of the smallest numbers below.
  CHECK(bits_between(2.0, 2 - 0x1p-52) == std::log2(1.5));
  CHECK(bits_between(0.0, 0x1p-1074) == 1);
  CHECK(bits_between(0x1p-149f, 3 * 0x1p-149f) == std::log2(3.0));
  CHECK(bits_between(0.0, 1.0) == doctest::Approx(52));
}

TEST_CASE("numbers that are nowhere near lose all bits, and NaN equals NaN") {
  CHECK(bits_between(not_a_number, -not_a_number) == 0);
  CHECK(bits_between(infinite, infinite) == 0);
  CHECK(bits_between(0.0, -0.0) == 0);
  CHECK(bits_between(not_a_number, 1.0) == all_bits);
  CHECK(bits_between(infinite, 1e308) == all_bits);
  CHECK(bits_between(infinite, -infinite) == all_bits);
  CHECK(bits_between(1e-300, -1e-300) == all_bits);
  CHECK(bits_between(std::int64_t{3}, std::int64_t{4}) == all_bits);
  CHECK(bits_between(true, false) == all_bits);
  CHECK(bits_between(std::uint8_t{200}, std::uint8_t{200}) == 0);
}

TEST_CASE("complex numbers are apart in units of their largest part") {
  using Number = std::complex<double>;
  CHECK(bits_between(Number(1, 1e-30), Number(1, -1e-30)) < 1e-10);
  CHECK(bits_between(Number(1, 2), Number(1 + 0x1p-51, 2)) == 1);
  CHECK(bits_between(Number(infinite, not_a_number), Number(infinite, not_a_number)) == 0);
  CHECK(bits_between(Number(infinite, 1), Number(infinite, 1 + 0x1p-52)) == 1);
  CHECK(bits_between(Number(not_a_number, 1), Number(1, 1)) == all_bits);
}

TEST_CASE("differences of arrays have their sum and the place of the worst") {
  const Array a = Array::from<double>({1, 1, 1, 1}, {2, 2});
  const Array b = Array::from<double>({1, 1 + 0x1p-52, 1 + 3 * 0x1p-52, 1}, {2, 2});
  const ArrayDifference found = difference(a, b).value();
  CHECK(found.elements == 4);
  CHECK(found.sum == 3);
  CHECK(found.worst == 2);
  CHECK(found.place == 2);
  CHECK_FALSE(difference(a, Array::from<double>({1, 1, 1, 1})));
  CHECK_FALSE(difference(a, Array::from<float>({1, 1, 1, 1}, {2, 2})));
  CHECK(difference(Array::empty(float64, {0}), Array::empty(float64, {0})).value().worst == 0);
}

TEST_CASE("draws are numbers of the dtype in the range, another each time") {
  for (int t = 0; t < dtype_count; ++t) {
    const DType dtype = static_cast<DType>(t);
    CAPTURE(name_of(dtype));
    InputDraws draws("test", "x", dtype, {4, 5}, default_range(dtype), 10, 1);
    InputDraws again("test", "x", dtype, {4, 5}, default_range(dtype), 10, 1);
    std::set<double> seen;
    for (int draw = 0; draw < 10; ++draw) {
      const Array x = draws.draw();
      CHECK(x.dtype() == dtype);
      CHECK(difference(x, again.draw()).value().worst == 0);
      const DType part = part_of(dtype);
      for (std::int64_t i = 0; i < x.size() * (is_complex(dtype) ? 2 : 1); ++i) {
        const Cell cell = cell_cast(cell_load(part, x.data(), i), computed_as(part), float64);
        const double v = cell_get<double>(cell);
        CHECK(std::isfinite(v));
        CHECK((is_inexact(dtype) ? v != 0 : std::abs(v) <= 9));
        seen.insert(v);
      }
    }
    CHECK(seen.size() >= (is_inexact(dtype) ? 150 : is_bool(dtype) ? 2 : 10));
  }
  CHECK_THROWS_WITH_AS(InputDraws("test", "x", int64, {3}, {0.2, 0.8}, 1, 1),
                       "test: expected a range of x, found 0.2 to 0.8", ValueError);
}
