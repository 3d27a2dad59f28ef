// Complex expressions: types, promotion, arithmetic and arrays against std::complex, loops, calls,
// shared variables, texts, errors.
#include <doctest/doctest.h>

#include <complex>
#include <string>

#include "frontend/variable.h"
#include "ir/text/text.h"
#include "passes/derivatives/gradient.h"
#include "stdlib/lines/fourier.h"
#include "tests/support/compiled_support.h"
#include "tests/support/complex_support.h"
#include "tests/support/op_texts.h"
#include "tests/support/passes_support.h"

using namespace gnomon;
using namespace gnomon::test;
using C = std::complex<double>;
using C32 = std::complex<float>;

namespace {

bool starts_with(const std::string& text, const std::string& start) {
  return text.substr(0, start.size()) == start;
}

std::vector<C> complex_numbers(int count, int seed) {
  std::vector<C> z;
  Samples random(static_cast<std::uint64_t>(seed));
  for (int k = 0; k < count; ++k) z.emplace_back(random.uniform(-2, 2), random.uniform(-2, 2));
  return z;
}

void check_complex_close(const Array& got, const std::vector<C>& wanted, double tolerance = 1e-14) {
  REQUIRE(got.dtype() == complex128);
  const std::vector<C> found = got.to_vector<C>();
  REQUIRE(found.size() == wanted.size());
  for (std::size_t k = 0; k < found.size(); ++k) {
    CAPTURE(k);
    CHECK(std::abs(found[k] - wanted[k]) <= tolerance * std::max(1.0, std::abs(wanted[k])));
  }
}

}  // namespace

TEST_CASE("types of complex expressions") {
  const Expr z = vector("z", complex64), w = vector("w", complex128), x = vector("x", float64);
  const Expr f = vector("f", float32), i = vector("i", int64);
  CHECK(type_of(z + z) == "c64[z.0]");
  CHECK(z.dtype() == complex64);
  CHECK((z * 2).dtype() == complex64);
  CHECK((z * 2.5).dtype() == complex64);
  CHECK((z * C(0, 1)).dtype() == complex64);
  CHECK((f * C(0, 1)).dtype() == complex64);
  CHECK((x * C(0, 1)).dtype() == complex128);
  CHECK((i * C(0, 1)).dtype() == complex128);
  CHECK((z + f).dtype() == complex64);
  CHECK((z + x).dtype() == complex128);
  CHECK((z + w).dtype() == complex128);
  CHECK((z + i).dtype() == complex64);
  CHECK(abs(z).dtype() == float32);
  CHECK(real(w).dtype() == float64);
  CHECK(angle(z).dtype() == float32);
  CHECK(isnan(z).dtype() == bool_);
  CHECK(equal(z, w).dtype() == bool_);
  CHECK(logical_and(z, w).dtype() == bool_);
  CHECK(sum(z).dtype() == complex64);
  CHECK(complex(f, f).dtype() == complex64);
  CHECK(complex(f, x).dtype() == complex128);
  CHECK(complex(i, 0).dtype() == complex128);
  CHECK(same(real(x), x));
  CHECK(same(conj(x), x));
}

TEST_CASE("what has no meaning for complex numbers is a TypeError") {
  const Expr z = vector("z", complex128);
  CHECK(
      starts_with(error_of([&] { (void)(z < z); }), "less: expected real numbers, found z: c128"));
  CHECK(starts_with(error_of([&] { (void)max(z); }), "max: expected real numbers, found z"));
  CHECK(starts_with(error_of([&] { (void)gamma(z); }), "gamma: expected real numbers, found z"));
  CHECK(starts_with(error_of([&] { (void)floor(z); }), "floor: expected real numbers, found z"));
  CHECK(
      starts_with(error_of([&] { (void)softmax(z); }), "softmax: expected real numbers, found z"));
  CHECK(starts_with(error_of([&] { (void)cast(z, float64); }),
                    "cast: expected a complex dtype or bool for z: c128[z.0], found float64"));
  CHECK(starts_with(error_of([&] { (void)complex(z, 1.0); }), "complex: expected floats, found z"));
  CHECK(error_of([&] { (void)constant(C(1, 2), float64); }) ==
        "constant: expected a value of float64, found (1+2j)");
}

TEST_CASE("complex arrays that have no place as pairs of floats are refused at their line") {
  const Shape most(max_rank - 1, 1), more(max_rank, 1);
  const Graph graph = after_pass("split_complex", fft::fft(tensor("z", complex128, most)));
  CHECK(graph.parameters.at(0).type.rank() == max_rank);
  const std::string of_input = error_of([&] { (void)tensor("z", complex128, more); });
  CHECK_THROWS_AS((void)tensor("z", complex128, more), ValueError);
  CHECK(
      starts_with(of_input, "input: expected at most 63 axes of complex numbers, found c128[1, "));
  const Expr x = tensor("x", float32, more);
  const std::string of_result = error_at_line_of([&] { (void)fft::rfft(x); });
  CHECK(starts_with(of_result, "rfft: expected at most 63 axes of complex numbers, found c64[1, "));
  CHECK(of_result.find("complex_test.cpp:") != std::string::npos);
  const Dim n = Dim::symbol("n"), many = std::int64_t{1} << 31;
  CHECK(
      starts_with(error_of([&] { (void)tensor("z", complex64, {many, n, 0, many}); }),
                  "input: expected fewer than 2^62 complex numbers, found c64[2147483648, n, 0, "));
  CHECK(error_of([&] { (void)tensor("z", complex64, {many, n, many - 1}); }) == "no error");
}

TEST_CASE("arithmetic, shapes and indices agree with std::complex") {
  const std::vector<C> a = complex_numbers(6, 1), b = complex_numbers(6, 2);
  const Expr x = tensor("x", complex128, {2, 3}),
             y = tensor("y", complex128, {Dim::symbol("m"), 3});
  const Array rows = Array::from({1.0, -1.0, 0.5});
  const Expr outputs[] = {x + y,
                          x - y,
                          x * y,
                          x / y,
                          -x,
                          x * y * x,
                          x * Expr(rows),
                          sum(x),
                          mean(x, 0),
                          prod(x, 1),
                          prod(x),
                          conj(x),
                          transpose(x),
                          reshape(x, {6})(range(1, 6, 2)),
                          x(1),
                          concatenate({x, y}, 0),
                          set_at(x, {0, 1}, C(7, -7)),
                          inc_at(x, {1}, y(0)),
                          where(real(x) > 0, x, y),
                          take(x, Expr(Array::from({std::int64_t{2}, std::int64_t{-3}})), 1),
                          matmul(x, transpose(y)),
                          matmul(x, y(0)),
                          expand_dims(x(0), 1) * y(1),
                          power(x, 2),
                          power(x, -3),
                          complex(real(x), imag(y)),
                          complex(1.0, real(x)),
                          x + complex(0, 1)};
  std::vector<C> r[std::size(outputs)];
  const auto each = [&](auto f) {
    std::vector<C> result;
    for (std::size_t k = 0; k < a.size(); ++k) result.push_back(f(a[k], b[k]));
    return result;
  };
  r[0] = each([](C p, C q) { return p + q; });
  r[1] = each([](C p, C q) { return p - q; });
  r[2] = each([](C p, C q) { return p * q; });
  r[3] = each([](C p, C q) { return p / q; });
  r[4] = each([](C p, C) { return -p; });
  r[5] = each([](C p, C q) { return p * q * p; });
  r[6] = {a[0], -a[1], 0.5 * a[2], a[3], -a[4], 0.5 * a[5]};
  r[7] = {a[0] + a[1] + a[2] + a[3] + a[4] + a[5]};
  for (int k = 0; k < 3; ++k) r[8].push_back((a[k] + a[k + 3]) / 2.0);
  r[9] = {a[0] * a[1] * a[2], a[3] * a[4] * a[5]};
  r[10] = {r[9][0] * r[9][1]};
  r[11] = each([](C p, C) { return std::conj(p); });
  r[12] = {a[0], a[3], a[1], a[4], a[2], a[5]};
  r[13] = {a[1], a[3], a[5]};
  r[14] = {a[3], a[4], a[5]};
  r[15] = a;
  r[15].insert(r[15].end(), b.begin(), b.end());
  r[16] = a;
  r[16][1] = C(7, -7);
  r[17] = a;
  for (int k = 0; k < 3; ++k) r[17][k + 3] += b[k];
  r[18] = each([](C p, C q) { return p.real() > 0 ? p : q; });
  r[19] = {a[2], a[0], a[5], a[3]};
  const auto row = [&](const C* p, const C* q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; };
  r[20] = {row(&a[0], &b[0]), row(&a[0], &b[3]), row(&a[3], &b[0]), row(&a[3], &b[3])};
  r[21] = {row(&a[0], &b[0]), row(&a[3], &b[0])};
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) r[22].push_back(a[k] * b[3 + l]);
  r[23] = each([](C p, C) { return p * p; });
  r[24] = each([](C p, C) { return 1.0 / (p * p * p); });
  r[25] = each([](C p, C q) { return C(p.real(), q.imag()); });
  r[26] = each([](C p, C) { return C(1, p.real()); });
  r[27] = each([](C p, C) { return p + C(0, 1); });

  const Array values[] = {Array::from(a, {2, 3}), Array::from(b, {2, 3})};
  const Expr inputs[] = {x, y};
  const std::vector<Array> reference = evaluate_complex(inputs, outputs, values);
  const Function f = compile({x, y}, outputs);
  const Results got = f(values);
  for (std::size_t k = 0; k < std::size(outputs); ++k) {
    CAPTURE(k);
    CHECK(got[k].describe() == reference[k].describe());
    CHECK(got[k].rank() == outputs[k].rank());
    check_complex_close(reference[k], r[k]);
    check_complex_close(got[k], r[k]);
  }
}

TEST_CASE("complex expressions fuse: one kernel for a chain of them") {
  const Expr z = vector("z", complex128), w = vector("w", complex128);
  const Function f = compile({z, w}, {exp(z * w) + conj(z) / w});
  CHECK(f.kernels() == 1);
  const std::vector<C> a = complex_numbers(300, 3), b = complex_numbers(300, 4);
  std::vector<C> wanted;
  for (std::size_t k = 0; k < a.size(); ++k)
    wanted.push_back(std::exp(a[k] * b[k]) + std::conj(a[k]) / b[k]);
  check_complex_close(f(Array::from(a), Array::from(b))[0], wanted, 1e-13);
}

TEST_CASE("arguments of any layout, empty and of rank 0") {
  const Expr z = matrix("z", complex64);
  const Function f = compile({z}, {2 * z, sum(z)});
  const Array a = Array::from({C32(1, 2), C32(3, 4), C32(5, 6), C32(7, 8)}, {2, 2});
  CHECK(f(a.transpose())[0].to_vector<C32>() ==
        std::vector<C32>{C32(2, 4), C32(10, 12), C32(6, 8), C32(14, 16)});
  CHECK(f(a.slice(1, 1, 2, 1))[0].to_vector<C32>() == std::vector<C32>{C32(6, 8), C32(14, 16)});
  const Results none = f(Array::empty(complex64, {0, 3}));
  CHECK(none[0].describe() == "c64[0, 3]");
  CHECK(none[1].item<C32>() == C32(0, 0));
  CHECK_THROWS_WITH_AS(
      (void)f(Array::empty(float32, {2, 2})),
      doctest::Contains("call: argument 0: expected z: c64[z.0, z.1], found f32[2, 2] ["),
      TypeError);
  const Expr s = scalar("s", complex128);
  CHECK(compile({s}, {s * s})(Array(C(0, 3)))[0].item<C>() == C(-9, 0));
}

TEST_CASE("loops, calls and shared variables hold complex numbers") {
  const Expr z = vector("z", complex128), n = scalar("n", int64);
  const Expr initial[] = {z, constant(1.0, float64)};
  const std::vector<Expr> after = fori(n, initial, [&](Expr i, std::span<const Expr> s) {
    return std::vector<Expr>{s[0] * z + s[1], s[1] + cast(i, float64)};
  });
  const Expr p = scalar("p", complex128), q = scalar("q", float64);
  const Expr body = p * q + conj(p);
  const OpFromGraph f(std::vector<Expr>{p, q}, std::vector<Expr>{body});
  const SharedVariable total = shared(Array::from({C(1, 1), C(2, 2)}), "total");
  const Expr called = f(std::vector<Expr>{z(0), constant(3.0, float64)})[0];
  const Function g = compile({z, n}, {after[0], called}, {{total, total + z}});
  const std::vector<C> a = complex_numbers(2, 8);
  const Results got = g(Array::from(a), Array(std::int64_t{3}));
  std::vector<C> wanted = a;
  double s = 1;
  for (int i = 0; i < 3; ++i) {
    for (std::size_t k = 0; k < 2; ++k) wanted[k] = wanted[k] * a[k] + s;
    s += i;
  }
  check_complex_close(got[0], wanted);
  check_complex_close(got[1], {3.0 * a[0] + std::conj(a[0])});
  check_complex_close(total.get(), {C(1, 1) + a[0], C(2, 2) + a[1]});
}

TEST_CASE("constants of complex numbers, small and large") {
  const std::vector<C> few = complex_numbers(3, 5), many = complex_numbers(300, 6);
  const Expr x = vector("x", float64);
  const Function f = compile(
      {x}, {x(range(0, 3)) * Expr(Array::from(few)), x * Expr(Array::from(many)), x * C(0, 2)});
  std::vector<double> values(300, 2.0);
  const Results got = f(Array::from(values));
  std::vector<C> a, b;
  for (const C z : few) a.push_back(2.0 * z);
  for (const C z : many) b.push_back(2.0 * z);
  check_complex_close(got[0], a);
  check_complex_close(got[1], b);
  check_complex_close(got[2], std::vector<C>(300, C(0, 4)));
}

TEST_CASE("texts of graphs with complex numbers are read back") {
  const Expr z = vector("z", complex64);
  const Expr e = z * Expr(Array::from({C32(1, -0.0f), C32(-2.5f, inf)})) +
                 constant(C(0.5, std::nan("")), complex64);
  const Expr inputs[] = {z}, outputs[] = {e};
  const Graph graph = capture(inputs, outputs).graph;
  const std::string text = print_graph(graph);
  CHECK(text.find("c64[2]{(1, -0), (-2.5, inf)}") != std::string::npos);
  const Graph again = parse_graph(text, {find_op});
  CHECK(again.key() == graph.key());
}

TEST_CASE("complex arrays are shown as NumPy shows them") {
  CHECK(Array(C(1, 2)).to_string() == "(1+2j)");
  CHECK(Array(C(0, -2.5)).to_string() == "-2.5j");
  CHECK(Array(C(-0.0, 1)).to_string() == "(-0+1j)");
  CHECK(Array(C(inf, std::nan(""))).to_string() == "(inf+nanj)");
  CHECK(Array::from({C(1, 2.5), C(3.25, 4)}).to_string() == "[1.  +2.5j 3.25+4.j ]");
  CHECK(Array::from({C(1, 20), C(-1, -2)}).to_string() == "[ 1.+20.j -1. -2.j]");
}

TEST_CASE("gradients by complex numbers point to steepest ascent") {
  const Expr z = scalar("z", complex128);
  const C at(0.7, -1.3);
  const auto gradient = [&](const Expr& cost) {
    return compile({z}, {grad(cost, z)})(Array(at))[0].item<C>();
  };
  const auto is_near = [](C a, C b) { return std::abs(a - b) < 1e-14; };
  CHECK(is_near(gradient(real(z)), C(1, 0)));
  CHECK(is_near(gradient(imag(z)), C(0, 1)));
  CHECK(is_near(gradient(abs(z)), at / std::abs(at)));
  CHECK(is_near(gradient(real(z * conj(z))), 2.0 * at));
  // Of the real part of a holomorphic f it is the conjugate of f'.
  CHECK(is_near(gradient(real(exp(z))), std::conj(std::exp(at))));
  CHECK(is_near(gradient(real(z * z * z)), std::conj(3.0 * at * at)));
  CHECK(is_near(gradient(imag(log(z))), C(0, 1) * std::conj(1.0 / at)));
  CHECK(is_near(gradient(angle(z)), C(0, 1) / std::conj(at)));
  CHECK(starts_with(error_of([&] { (void)grad(z * z, z); }),
                    "grad: the cost must be a float scalar, found multiply(z, z): c128"));
  // A branch that is not taken does not count, whatever its derivative is.
  const Expr safe = where(abs(z) > 10, real(sqrt(z - at)), real(z));
  CHECK(gradient(safe) == C(1, 0));
}
