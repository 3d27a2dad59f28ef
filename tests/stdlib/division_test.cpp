// Kernels with many divisions make some of them of products: the bits must be those of division.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "frontend/gnomon.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

/// Pairs whose quotient is as near as can be to the middle between two doubles: the divisor is
/// B = 2^53 - j, and the dividend 1 or -1 modulo B when it is multiplied by 2^53 or 2^54.
void add_hard_pairs(std::vector<double>& dividends, std::vector<double>& divisors) {
  for (std::uint64_t j = 1; j < 1u << 12; j += 2) {
    const std::uint64_t b = (std::uint64_t{1} << 53) - j;
    std::uint64_t inverse = 1;  // of a power of 2, modulo b
    for (int power = 1; power <= 54; ++power) {
      inverse = inverse % 2 == 0 ? inverse / 2 : (inverse + b) / 2;
      if (power < 53) continue;
      for (const std::uint64_t a : {inverse, b - inverse}) {
        dividends.push_back(static_cast<double>(a));
        divisors.push_back(static_cast<double>(b));
      }
    }
  }
}

/// Whole vectors at the ends of the exponents for which products are exact.
void add_far_pairs(std::vector<double>& dividends, std::vector<double>& divisors) {
  Samples samples(4);
  for (const int divisor : {-1022, -403, -402, -401, -400, -399, 0, 621, 622, 623, 624, 625, 1020})
    for (const int quotient : {-1030, -514, -513, -512, -511, -510, 0, 511, 512, 513, 514, 1000})
      for (int lane = 0; lane < 16; ++lane) {
        divisors.push_back(std::ldexp(samples.uniform(1, 2), divisor));
        dividends.push_back(std::ldexp(samples.uniform(1, 2), divisor + quotient));
      }
}

}  // namespace

TEST_CASE("many divisions in one kernel have the bits of one") {
  std::vector<double> dividends, divisors;
  add_far_pairs(dividends, divisors);
  add_hard_pairs(dividends, divisors);
  Samples samples(3);
  const Array a = samples.any(DType::float64, {6000}), b = samples.any(DType::float64, {6000});
  for (int i = 0; i < 6000; ++i) {
    dividends.push_back(a.data<double>()[i]);
    divisors.push_back(b.data<double>()[i]);
  }
  for (int i = 0; i < 6000; ++i) {
    dividends.push_back(samples.uniform(-2, 2));
    divisors.push_back(samples.uniform(0.001, 3));
  }
  const Dim n = Dim::symbol("n");
  std::vector<Expr> inputs;
  std::vector<Output> outputs;
  std::vector<Array> values;
  const Expr y = tensor("y", float64, {n});
  for (int k = 0; k < 4; ++k) {
    inputs.push_back(tensor("x", float64, {n}));
    outputs.emplace_back("", inputs.back() / y);
    values.push_back(Array::from(dividends));
  }
  inputs.push_back(y);
  values.push_back(Array::from(divisors));
  const Function f = compile(inputs, outputs);
  CHECK(f.kernels() == 1);
  const Results results = f(values);
  std::vector<double> wanted;
  for (std::size_t i = 0; i < dividends.size(); ++i) wanted.push_back(dividends[i] / divisors[i]);
  for (std::size_t k = 0; k < 4; ++k) CHECK(difference(results[k], Array::from(wanted), 0) == "");
}

TEST_CASE_TEMPLATE("integers divide exactly next to every multiple", T, std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t) {
  using Wide = std::int64_t;
  const Wide least = std::numeric_limits<T>::min(), greatest = std::numeric_limits<T>::max();
  std::vector<T> dividends, divisors;
  Samples samples(7);
  const auto draw = [&](Wide from) {
    return static_cast<Wide>(samples.uniform(static_cast<double>(from), double(greatest)));
  };
  for (int i = 0; i < 20000; ++i) {
    const Wide b = i % 4 == 0 ? draw(least) : i % 128 + 1;
    if (b == 0 || b == -1) continue;
    for (const Wide a : {draw(least) / b * b, greatest / b * b, least / b * b})
      for (const Wide step : {-1, 0, 1}) {
        if (a + step < least || a + step > greatest) continue;
        dividends.push_back(static_cast<T>(a + step));
        divisors.push_back(static_cast<T>(b));
      }
  }
  const DType dtype = dtype_of<T>;
  const Dim n = Dim::symbol("n");
  const Expr x = tensor("x", dtype, {n}), y = tensor("y", dtype, {n}), one = tensor("z", dtype, {});
  const Function f = compile({x, y, one}, {floor_divide(x, y), floor_divide(x, one)});
  for (const T by : {divisors[0], T(7), T(100)}) {
    const Results results =
        f(std::vector{Array::from(dividends), Array::from(divisors), Array(by)});
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < dividends.size(); ++i) {
      const auto floored = [](Wide a, Wide b) {
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
      };
      const Wide a = dividends[i];
      wrong += results[0].data<T>()[i] != static_cast<T>(floored(a, divisors[i]));
      wrong += results[1].data<T>()[i] != static_cast<T>(floored(a, by));
    }
    CHECK(wrong == 0);
  }
}
