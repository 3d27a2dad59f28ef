// float16 and bfloat16: conversions, arrays, graphs that compute in float32, derivatives, texts.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "frontend/variable.h"
#include "ir/text/text.h"
#include "passes/derivatives/gradient.h"
#include "passes/pipeline.h"
#include "stdlib/prelude/lanes/half.h"
#include "tests/support/compiled_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

// Every number of a format of `significand` bits after the point, with `bias` and the bits' value
// by its definition.
double value_by_definition(std::uint16_t bits, int significand, int bias) {
  const int exponent_bits = 15 - significand;
  const int exponent = (bits & 0x7fff) >> significand;
  const int fraction = bits & ((1 << significand) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1)
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - significand);
  return sign * std::ldexp((1 << significand) + fraction, exponent - bias - significand);
}

template <class Half>
struct Format;
template <>
struct Format<Float16> {
  static constexpr DType dtype = float16;
  static constexpr int significand = 10, bias = 15;
  static gn::u16 bits(double v) { return gn::float16_bits(v); }
  static gn::u16 bits(float v) { return gn::float16_bits(v); }
  static float value(std::uint16_t b) { return gn::float16_value(static_cast<gn::u16>(b)); }
  static Expr bits(const Expr& x) { return float16_bits(x); }
  static Expr value(const Expr& b) { return float16_value(b); }
};
template <>
struct Format<BFloat16> {
  static constexpr DType dtype = bfloat16;
  static constexpr int significand = 7, bias = 127;
  static gn::u16 bits(double v) { return gn::bfloat16_bits(v); }
  static gn::u16 bits(float v) { return gn::bfloat16_bits(v); }
  static float value(std::uint16_t b) { return gn::bfloat16_value(static_cast<gn::u16>(b)); }
  static Expr bits(const Expr& x) { return bfloat16_bits(x); }
  static Expr value(const Expr& b) { return bfloat16_value(b); }
};

template <class Half>
double exact_value(std::uint16_t bits) {
  return value_by_definition(bits, Format<Half>::significand, Format<Half>::bias);
}

// Numbers at and beside those of the format and the middles between them, with the bits each is
// rounded to by the definition: the nearer neighbour, of two as near the even one.
template <class Half>
void roundings(std::vector<double>& numbers, std::vector<std::uint16_t>& bits) {
  const auto infinity =
      static_cast<std::uint16_t>(0x7fff >> Format<Half>::significand << Format<Half>::significand);
  const auto add = [&](double v, std::uint16_t b) {
    for (const bool negative : {false, true}) {
      numbers.push_back(negative ? -v : v);
      bits.push_back(static_cast<std::uint16_t>(b | (negative ? 0x8000 : 0)));
    }
  };
  for (std::uint16_t b = 0; b < infinity; ++b) {
    const auto next = static_cast<std::uint16_t>(b + 1);
    const double low = exact_value<Half>(b);
    const double high = next == infinity
                            ? 2 * low - exact_value<Half>(static_cast<std::uint16_t>(b - 1))
                            : exact_value<Half>(next);
    const double middle = low + (high - low) / 2;
    add(low, b);
    add(std::nextafter(middle, low), b);
    add(middle, b % 2 == 0 ? b : next);
    add(std::nextafter(middle, high), next);
  }
  add(std::numeric_limits<double>::infinity(), infinity);
  add(1e300, infinity);
  add(1e-300, 0);
}

std::vector<std::uint16_t> all_bits() {
  std::vector<std::uint16_t> bits(65536);
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint16_t>(i);
  return bits;
}

template <class Half>
Array halves(std::initializer_list<double> values) {
  std::vector<Half> list;
  for (const double v : values) list.push_back(Half(v));
  return Array::from(list);
}

template <class Half>
std::vector<float> floats(const Array& a) {
  std::vector<float> list;
  for (const Half h : a.to_vector<Half>()) list.push_back(h);
  return list;
}

}  // namespace

TEST_CASE_TEMPLATE("conversions follow the definition of the format", Half, Float16, BFloat16) {
  using F = Format<Half>;
  for (const std::uint16_t bits : all_bits()) {
    const double wanted = exact_value<Half>(bits);
    Half h;
    h.bits = bits;
    const bool same = std::isnan(wanted) ? std::isnan(float{h}) && std::isnan(F::value(bits))
                                         : std::bit_cast<std::uint64_t>(double{float{h}}) ==
                                                   std::bit_cast<std::uint64_t>(wanted) &&
                                               float{h} == F::value(bits);
    if (!same) FAIL("bits ", bits, ": ", float{h}, ", ", F::value(bits), ", wanted ", wanted);
  }
  std::vector<double> numbers;
  std::vector<std::uint16_t> wanted;
  roundings<Half>(numbers, wanted);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool same = Half(numbers[i]).bits == wanted[i] && F::bits(numbers[i]) == wanted[i];
    if (!same)
      FAIL(numbers[i], ": ", Half(numbers[i]).bits, ", ", F::bits(numbers[i]), ", wanted ",
           wanted[i]);
    // Of those that a float holds, the conversion from it.
    const auto single = static_cast<float>(numbers[i]);
    if (single == numbers[i]) CHECK(F::bits(single) == wanted[i]);
  }
  CHECK((Half(std::nan("")).bits & 0x7fff) > 0x7c00);
  CHECK(std::isnan(F::value(F::bits(std::nan("")))));
  CHECK(std::isnan(F::value(F::bits(std::nanf("")))));
}

TEST_CASE_TEMPLATE("compiled conversions have the same bits", Half, Float16, BFloat16) {
  using F = Format<Half>;
  std::vector<double> numbers;
  std::vector<std::uint16_t> wanted;
  roundings<Half>(numbers, wanted);
  std::vector<float> singles(numbers.begin(), numbers.end());
  const Expr x = vector("x", float64), s = vector("s", float32), b = vector("b", uint16);
  const Function f = compile({x, s, b}, {F::bits(x), F::bits(s), F::value(b), cast(x, F::dtype)});
  const Results got = f(Array::from(numbers), Array::from(singles), Array::from(all_bits()));
  CHECK(got[0].template to_vector<std::uint16_t>() == wanted);
  CHECK(got[3].view(uint16).template to_vector<std::uint16_t>() == wanted);
  const auto of_singles = got[1].template to_vector<std::uint16_t>();
  std::size_t differ = 0;
  for (std::size_t i = 0; i < singles.size(); ++i) differ += of_singles[i] != F::bits(singles[i]);
  CHECK(differ == 0);
  const auto values = got[2].template to_vector<float>();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const float host = F::value(static_cast<std::uint16_t>(i));
    differ += std::isnan(host) ? !std::isnan(values[i]) : values[i] != host;
  }
  CHECK(differ == 0);
}

TEST_CASE_TEMPLATE("results are computed in float32 and rounded once", Half, Float16, BFloat16) {
  constexpr DType t = Format<Half>::dtype;
  const Expr x = vector("x", t), y = vector("y", t);
  const std::vector<Output> outputs = {x * y + 1, sum(x), x / y, exp(x) - 1, maximum(x, y)};
  for (const Output& o : outputs) CHECK(o.value.dtype() == t);
  const Function f = compile({x, y}, outputs);
  const Array a = halves<Half>({1.0, -0.1, 3.25, 100, 0.0078125}),
              c = halves<Half>({0.3, 7, -2, 1.5, 11});
  const Results got = f(a, c);
  const std::vector<float> u = floats<Half>(a), v = floats<Half>(c);
  float total = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    CAPTURE(i);
    CHECK(got[0].template to_vector<Half>()[i].bits == Half(std::fma(u[i], v[i], 1.0f)).bits);
    CHECK(got[2].template to_vector<Half>()[i].bits == Half(u[i] / v[i]).bits);
    CHECK(got[3].template to_vector<Half>()[i].bits == Half(std::expm1(double{u[i]})).bits);
    CHECK(got[4].template to_vector<Half>()[i].bits == Half(std::max(u[i], v[i])).bits);
    total += u[i];
  }
  CHECK(got[1].template item<Half>().bits == Half(total).bits);
  // Sums grow beyond what steps of one could reach in the format.
  const Results many = f(full({20000}, 1, t), full({20000}, 2, t));
  CHECK(float{many[1].template item<Half>()} == float{Half(20000.0)});
}

TEST_CASE("a conversion that is asked for rounds, one that is implied does not") {
  const Expr x = vector("x", float32);
  const Expr rounded = cast(cast(x, float16), float32);
  const Expr h = cast(x, bfloat16);
  const Function f = compile({x}, {rounded, cast(h * h, float32), cast(cast(x, int64), bfloat16)});
  const float v = 1.2345678f, wide = BFloat16(double{v});
  const Results got = f(Array::from<float>({v, 16777217.0f}));
  CHECK(got[0].to_vector<float>()[0] == float{Float16(double{v})});
  CHECK(got[1].to_vector<float>()[0] == wide * wide);
  CHECK(got[2].to_vector<BFloat16>()[1].bits == BFloat16(16777216.0).bits);
}

TEST_CASE("elements that are only moved keep their bits") {
  std::vector<Float16> bits(64);
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i].bits = static_cast<std::uint16_t>(0x7c00 + i);  // NaNs that differ
  const Expr x = tensor("x", float16, {8, 8}), at = vector("at", int64);
  const std::vector<Output> outputs = {transpose(x)(range(1, 3)), x(at), reshape(x, {64}), x};
  const Function f = compile({x, at}, outputs);
  const Array a = Array::from(bits, {8, 8});
  const Results got = f(a, Array::from<std::int64_t>({7, 0}));
  const auto element = [](const Array& y, std::size_t i) { return y.to_vector<Float16>()[i].bits; };
  CHECK(element(got[0], 1) == bits[9].bits);
  CHECK(element(got[1], 3) == bits[59].bits);
  CHECK(element(got[2], 63) == bits[63].bits);
  CHECK(element(got[3], 17) == bits[17].bits);
}

TEST_CASE("types of halves") {
  const Expr h = vector("h", float16), b = vector("b", bfloat16), s = vector("s", float32);
  const Expr i = vector("i", int32), d = vector("d", float64), z = vector("z", complex64);
  CHECK((h + h).dtype() == float16);
  CHECK((h * 0.5).dtype() == float16);
  CHECK((h + 1).dtype() == float16);
  CHECK((h + b).dtype() == float32);
  CHECK((h + s).dtype() == float32);
  CHECK((b + d).dtype() == float64);
  CHECK((h + i).dtype() == float16);
  CHECK((h * z).dtype() == complex64);
  CHECK(mean(h).dtype() == float16);
  CHECK((h < b).dtype() == bool_);
  CHECK(h.type().text() == "f16[h.0]");
  CHECK_THROWS_AS(nextafter(h, h), TypeError);
  CHECK(constant(0.1, float16).dtype() == float16);
  CHECK(constant_value(constant(0.1, float16).value()) == double{float{Float16(0.1)}});
  CHECK(constant_value(constant(std::int64_t{3}, bfloat16).value()) == 3.0);
}

TEST_CASE("halves in loops, functions, masks and complex numbers") {
  const Expr x = vector("x", float16), n = scalar("n", int64);
  const auto step = [&](Expr k, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * 1.25 + cast(k, float16)};
  };
  const std::vector<Expr> initial = {x};
  const Expr looped = fori(n, initial, step)[0];
  const Expr p = vector("p", float16), q = vector("q", float16);
  const std::vector<Expr> inputs = {p, q}, outputs = {p * q, p + q};
  const OpFromGraph both(inputs, outputs);
  const std::vector<Expr> arguments = {x, x};
  const std::vector<Expr> called = both(arguments);
  const Function f = compile({x, n}, {looped, called[0] - called[1], where(x > 0, x, 0),
                                      abs(complex(cast(x, float32), 0.0) * cast(x, complex64))});
  const Results got = f(halves<Float16>({2, -3}), Array(std::int64_t{3}));
  // ((2 * 1.25) * 1.25 + 1) * 1.25 + 2
  CHECK(floats<Float16>(got[0]) ==
        std::vector<float>{float{Float16(7.15625)}, float{Float16(-2.609375)}});
  CHECK(floats<Float16>(got[1]) == std::vector<float>{0, 15});
  CHECK(floats<Float16>(got[2]) == std::vector<float>{2, 0});
  CHECK(got[3].to_vector<float>() == std::vector<float>{4, 9});
}

TEST_CASE("derivatives of halves are halves") {
  const Expr x = vector("x", float16), w = matrix("w", bfloat16);
  const Expr cost = sum(log(1 + exp(cast(w, float32) % 2 + cast(x, float32))));
  const Expr g = grad(sum(softplus(x * 3)), x);
  CHECK(g.dtype() == float16);
  CHECK(grad(cost, w).dtype() == bfloat16);
  const Function f = compile({x}, {g});
  const std::vector<float> got = floats<Float16>(f(halves<Float16>({0, 5, -400}))[0]);
  CHECK(got[0] == 1.5f);
  CHECK(got[1] == float{Float16(3 / (1 + std::exp(-15.0)))});
  CHECK(got[2] == 0);
}

TEST_CASE("shared variables of halves are updated") {
  const SharedVariable w = shared(halves<BFloat16>({1, 2}), "w");
  const Expr x = vector("x", float32);
  const Function f = compile({x}, {sum(w * x)}, {{w, cast(w - 0.25 * x, bfloat16)}});
  CHECK(f(Array::from<float>({4, 8}))[0].item<float>() == 20);
  CHECK(floats<BFloat16>(w.get()) == std::vector<float>{0, 0});
}

TEST_CASE("texts of halves") {
  CHECK(halves<Float16>({0.1, 65504, -2}).to_string() == "[ 1.00e-01  6.55e+04 -2.00e+00]");
  CHECK(Array(Float16(0.1)).to_string() == "0.1");
  CHECK(Array(BFloat16(3.14159)).to_string() == "3.14");
  CHECK(halves<BFloat16>({0.5, std::nan("")}).to_string() == "[0.5 nan]");
  const Expr x = vector("x", float16);
  const std::vector<Expr> inputs = {x}, outputs = {x * 0.1 + Expr(halves<Float16>({1.5, 1e-7}))};
  const Graph graph = capture(inputs, outputs).graph;
  const std::string text = print_graph(graph, {.origins = false});
  CHECK(print_graph(parse_graph(text, {find_op}), {.origins = false}) == text);
}
