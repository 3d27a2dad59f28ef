// Complex functions against MPFR over all magnitudes, near branch cuts and near |z| = 1; their
// special values against the C library, which follows C99 Annex G; compiled code against the
// reference evaluator.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <string>

#include "tests/support/compiled_support.h"
#include "tests/support/complex_support.h"

using namespace gnomon;
using namespace gnomon::test;

namespace {

template <class T>
using Number = std::complex<T>;

const Wide one{1.0, 0.0};

Wide half(const Wide& z) { return wide::mul(z, Wide{0.5, 0.0}); }
// i z and -i z.
Wide turned(const Wide& z) { return {wide::neg(z.im), z.re}; }
Wide turned_back(const Wide& z) { return {z.im, wide::neg(z.re)}; }
Wide inverse_exp(const Wide& z) { return wide::exp({wide::neg(z.re), wide::neg(z.im)}); }
Wide wide_sinh(const Wide& z) { return half(wide::sub(wide::exp(z), inverse_exp(z))); }
Wide wide_cosh(const Wide& z) { return half(wide::add(wide::exp(z), inverse_exp(z))); }
Wide wide_tanh(const Wide& z) { return wide::div(wide_sinh(z), wide_cosh(z)); }
Wide plus_one(const Wide& z) { return {wide::add(Real(1.0), z.re), z.im}; }
Wide one_minus(const Wide& z) { return {wide::sub(Real(1.0), z.re), wide::neg(z.im)}; }
// Kahan 1987: arctanh, and arcsin by the roots of 1 - z and 1 + z.
Wide wide_arctanh(const Wide& z) {
  return half(wide::sub(wide::log(plus_one(z)), wide::log(one_minus(z))));
}
Wide wide_arcsin(const Wide& z) {
  const Wide a = wide::sqrt(one_minus(z)), b = wide::sqrt(plus_one(z));
  const Wide conjugate{a.re, wide::neg(a.im)};
  Real im = wide::mul(conjugate, b).im;
  mpfr_asinh(im.get(), im.get(), MPFR_RNDN);
  return {wide::atan2(z.re, wide::mul(a, b).re), im};
}
Wide wide_arccos(const Wide& z) {
  const Wide a = wide::sqrt(one_minus(z)), b = wide::sqrt(plus_one(z));
  Real im = wide::mul(Wide{b.re, wide::neg(b.im)}, a).im;
  mpfr_asinh(im.get(), im.get(), MPFR_RNDN);
  return {wide::mul(Real(2.0), wide::atan2(a.re, b.re)), im};
}
Wide wide_arccosh(const Wide& z) {
  const Wide c = wide_arccos(z);
  return mpfr_signbit(c.im.get()) ? turned(c) : turned_back(c);
}

struct ComplexRow {
  const char* name;
  Expr (*f)(const Expr&);
  Wide (*exact)(const Wide&);
  double ulp;          // of the larger part of the result
  double least, most;  // of |x| and |y|: beyond, 240 bits do not suffice for `exact`
  Number<double> (*c)(const Number<double>&);
};

#define GNOMON_F(f) [](const Expr& z) { return f(z); }
#define GNOMON_C(f) [](const Number<double>& z) { return std::f(z); }

const ComplexRow complex_rows[] = {
    {"exp", GNOMON_F(gnomon::exp), wide::exp, 4, 0, 700, GNOMON_C(exp)},
    {"expm1", GNOMON_F(gnomon::expm1), [](const Wide& z) { return wide::sub(wide::exp(z), one); },
     6, 1e-30, 700, nullptr},
    {"log", GNOMON_F(gnomon::log), wide::log, 4, 0, 0, GNOMON_C(log)},
    {"log2", GNOMON_F(gnomon::log2),
     [](const Wide& z) { return wide::div(wide::log(z), wide::log(Wide{2.0, 0.0})); }, 5, 0, 0,
     nullptr},
    {"log10", GNOMON_F(gnomon::log10),
     [](const Wide& z) { return wide::div(wide::log(z), wide::log(Wide{10.0, 0.0})); }, 5, 0, 0,
     GNOMON_C(log10)},
    {"log1p", GNOMON_F(gnomon::log1p), [](const Wide& z) { return wide::log(plus_one(z)); }, 5,
     1e-30, 0, nullptr},
    {"sqrt", GNOMON_F(gnomon::sqrt), wide::sqrt, 4, 0, 0, GNOMON_C(sqrt)},
    {"rsqrt", GNOMON_F(gnomon::rsqrt), [](const Wide& z) { return wide::div(one, wide::sqrt(z)); },
     9, 0, 0, nullptr},
    {"reciprocal", GNOMON_F(gnomon::reciprocal), [](const Wide& z) { return wide::div(one, z); }, 6,
     0, 0, nullptr},
    {"square", GNOMON_F(gnomon::square), [](const Wide& z) { return wide::mul(z, z); }, 4, 0, 0,
     nullptr},
    {"sinh", GNOMON_F(gnomon::sinh), wide_sinh, 5, 1e-30, 700, GNOMON_C(sinh)},
    {"cosh", GNOMON_F(gnomon::cosh), wide_cosh, 5, 0, 700, GNOMON_C(cosh)},
    {"tanh", GNOMON_F(gnomon::tanh), wide_tanh, 10, 1e-30, 80, GNOMON_C(tanh)},
    {"sin", GNOMON_F(gnomon::sin), [](const Wide& z) { return turned_back(wide_sinh(turned(z))); },
     5, 1e-30, 700, GNOMON_C(sin)},
    {"cos", GNOMON_F(gnomon::cos), [](const Wide& z) { return wide_cosh(turned(z)); }, 5, 0, 700,
     GNOMON_C(cos)},
    {"tan", GNOMON_F(gnomon::tan), [](const Wide& z) { return turned_back(wide_tanh(turned(z))); },
     10, 1e-30, 80, GNOMON_C(tan)},
    {"arcsin", GNOMON_F(gnomon::arcsin), wide_arcsin, 8, 1e-30, 1e30, GNOMON_C(asin)},
    {"arccos", GNOMON_F(gnomon::arccos), wide_arccos, 8, 1e-30, 1e30, GNOMON_C(acos)},
    {"arctan", GNOMON_F(gnomon::arctan),
     [](const Wide& z) { return turned_back(wide_arctanh(turned(z))); }, 8, 1e-30, 1e30,
     GNOMON_C(atan)},
    {"arcsinh", GNOMON_F(gnomon::arcsinh),
     [](const Wide& z) { return turned_back(wide_arcsin(turned(z))); }, 8, 1e-30, 1e30,
     GNOMON_C(asinh)},
    {"arccosh", GNOMON_F(gnomon::arccosh), wide_arccosh, 8, 1e-30, 1e30, GNOMON_C(acosh)},
    {"arctanh", GNOMON_F(gnomon::arctanh), wide_arctanh, 8, 1e-30, 1e30, GNOMON_C(atanh)},
};

// Parts of all magnitudes, both signs, near 0 and 1; points on circles about 0 and -1, where
// logarithms cancel; points next to the cuts.
template <class T>
std::vector<Number<T>> points() {
  std::vector<Number<T>> z;
  Samples random(5);
  const auto magnitude = [&] {
    const int most = std::numeric_limits<T>::max_exponent / 2;
    return static_cast<T>(
        std::ldexp(random.uniform(1, 2), static_cast<int>(random.below(2 * most)) - most));
  };
  const auto sign = [&](T x) { return random.below(2) ? x : -x; };
  const auto near_one = [&] {
    return static_cast<T>(1 +
                          std::ldexp(random.uniform(-1, 1), -static_cast<int>(random.below(50))));
  };
  for (int k = 0; k < 300; ++k) {
    const T t = static_cast<T>(random.uniform(-3.2, 3.2));
    z.emplace_back(sign(magnitude()), sign(magnitude()));
    z.emplace_back(static_cast<T>(random.uniform(-4, 4)), static_cast<T>(random.uniform(-4, 4)));
    z.emplace_back(std::cos(t), std::sin(t));
    z.emplace_back(std::cos(t) - 1, std::sin(t));
    z.emplace_back(sign(near_one()), sign(magnitude()));
    z.emplace_back(sign(magnitude()), sign(near_one()));
    z.emplace_back(static_cast<T>(random.uniform(-800, 800)),
                   static_cast<T>(random.uniform(-9, 9)));
    z.emplace_back(static_cast<T>(random.uniform(-9, 9)), sign(T(0)));
    z.emplace_back(sign(T(0)), static_cast<T>(random.uniform(-9, 9)));
  }
  return z;
}

template <class T>
Array complex_array(const std::vector<Number<T>>& z) {
  return Array::from(z);
}

// The distance of the parts to the exact ones, in units of the larger exact part.
template <class T>
double part_error(Number<T> got, const Wide& exact) {
  const bool real_is_larger = mpfr_cmpabs(exact.re.get(), exact.im.get()) > 0;
  const int unit = ulp_exponent<T>((real_is_larger ? exact.re : exact.im).get());
  double worst = 0;
  for (const auto& [part, wanted] : {std::pair(got.real(), exact.re), {got.imag(), exact.im}}) {
    Real gap = wide::sub(Real(static_cast<double>(part)), wanted);
    mpfr_mul_2si(gap.get(), gap.get(), -unit, MPFR_RNDN);
    worst = std::fmax(worst, std::abs(gap.to_double()));
  }
  return worst;
}

template <class T>
bool is_within(const ComplexRow& row, Number<T> z) {
  for (const T part : {z.real(), z.imag()}) {
    const double size = std::abs(static_cast<double>(part));
    if ((size != 0 && size < row.least) || (row.most != 0 && size > row.most)) return false;
  }
  // Single precision overflows earlier.
  return sizeof(T) == 8 || row.most != 700 || (std::abs(z.real()) < 80 && std::abs(z.imag()) < 80);
}

template <class T>
void test_accuracy() {
  const DType t = dtype_of<Number<T>>;
  const std::vector<Number<T>> z = points<T>();
  const Expr x = vector("x", t);
  std::vector<Expr> results;
  for (const ComplexRow& row : complex_rows) results.push_back(row.f(x));
  const Array value = complex_array(z);
  const std::vector<Array> got = evaluate_complex(std::span(&x, 1), results, std::span(&value, 1));
  for (std::size_t k = 0; k < std::size(complex_rows); ++k) {
    CAPTURE(std::string(complex_rows[k].name));
    const auto* found = got[k].template data<Number<T>>();
    double worst = 0;
    Number<T> where;
    for (std::size_t n = 0; n < z.size(); ++n) {
      if (!is_within(complex_rows[k], z[n])) continue;
      const double error =
          part_error(found[n], complex_rows[k].exact({double(z[n].real()), double(z[n].imag())}));
      if (!(error <= worst)) worst = error, where = z[n];
    }
    CAPTURE(where.real());
    CAPTURE(where.imag());
    CHECK(worst <= complex_rows[k].ulp);
  }
}

// NaN for NaN, the same infinities and zeros; signs too, but for those that C99 leaves open: those
// beside a NaN.
bool is_like(double got, double wanted, bool sign_is_open) {
  if (std::isnan(wanted)) return std::isnan(got);
  if (std::isinf(wanted)) return std::isinf(got) && (sign_is_open || got == wanted);
  if (std::abs(got - wanted) > 1e-14 * std::abs(wanted)) return false;
  return wanted != 0 || sign_is_open || std::signbit(got) == std::signbit(wanted);
}

}  // namespace

TEST_CASE("complex functions are accurate: float64") { test_accuracy<double>(); }
TEST_CASE("complex functions are accurate: float32") { test_accuracy<float>(); }

TEST_CASE("special values and signs of zeros are those of C99 Annex G") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<Number<double>> z;
  const double parts[] = {0.0, -0.0, inf, -inf, nan, 1, -1, 2, -2, 0.5, -0.5, 1e-300, -1e300};
  for (const double x : parts)
    for (const double y : parts) z.emplace_back(x, y);
  const Expr x = vector("x", complex128);
  std::vector<Expr> results;
  for (const ComplexRow& row : complex_rows) results.push_back(row.f(x));
  const Array value = complex_array(z);
  const std::vector<Array> got = evaluate_complex(std::span(&x, 1), results, std::span(&value, 1));
  for (std::size_t k = 0; k < std::size(complex_rows); ++k) {
    if (!complex_rows[k].c) continue;
    CAPTURE(std::string(complex_rows[k].name));
    for (std::size_t n = 0; n < z.size(); ++n) {
      const Number<double> found = got[k].data<Number<double>>()[n],
                           wanted = complex_rows[k].c(z[n]);
      const bool open = std::isnan(wanted.real()) || std::isnan(wanted.imag()) ||
                        std::isnan(z[n].real()) || std::isnan(z[n].imag()) ||
                        (std::isinf(z[n].real()) && std::isinf(z[n].imag()));
      CAPTURE(z[n].real());
      CAPTURE(z[n].imag());
      CAPTURE(found.real());
      CAPTURE(found.imag());
      CAPTURE(wanted.real());
      CAPTURE(wanted.imag());
      CHECK(is_like(found.real(), wanted.real(), open));
      CHECK(is_like(found.imag(), wanted.imag(), open));
    }
  }
}

TEST_CASE("quotients neither overflow nor underflow on the way") {
  struct Quotient {
    Number<double> z, w;
  };
  // Baudin and Smith 2012, table 1, and quotients at the ends of the range.
  const Quotient cases[] = {{{1, 1}, {1, 0x1p1023}},
                            {{1, 1}, {0x1p-1023, 0x1p-1023}},
                            {{0x1p1023, 0x1p-1023}, {0x1p677, 0x1p-677}},
                            {{0x1p1023, 0x1p1023}, {1, 1}},
                            {{0x1p1020, 0x1p-844}, {0x1p656, 0x1p-780}},
                            {{0x1p-71, 0x1p1021}, {0x1p1001, 0x1p-323}},
                            {{0x1p-347, 0x1p-54}, {0x1p-1037, 0x1p-1058}},
                            {{0x1p-1074, 0x1p-1074}, {0x1p-1073, 0x1p-1074}},
                            {{0x1p1015, 0x1p-989}, {0x1p1023, 0x1p1023}},
                            {{0x1p-622, 0x1p-1071}, {0x1p-343, 0x1p-798}},
                            {{3, -4}, {0.5, 0.25}}};
  const Expr z = vector("z", complex128), w = vector("w", complex128);
  const Expr inputs[] = {z, w}, quotient = z / w;
  std::vector<Number<double>> above, below;
  for (const Quotient& q : cases) above.push_back(q.z), below.push_back(q.w);
  const Array values[] = {complex_array(above), complex_array(below)};
  const Array got = evaluate_complex(inputs, std::span(&quotient, 1), values)[0];
  for (std::size_t n = 0; n < above.size(); ++n) {
    CAPTURE(n);
    const Wide exact =
        wide::div(Wide{above[n].real(), above[n].imag()}, Wide{below[n].real(), below[n].imag()});
    CHECK(part_error(got.data<Number<double>>()[n], exact) <= 4);
  }
}

TEST_CASE("powers: whole exponents by products, others by the logarithm") {
  const std::vector<Number<double>> base = {{1, 2}, {-3, 0.5}, {0.25, -0.125}, {-2, 0}, {0, 1.5}};
  const Expr z = vector("z", complex128), w = vector("w", complex128);
  const Array value = complex_array(base);
  for (const double exponent : {-3.0, -1.0, 0.5, 2.0, 3.0, 7.0, 10.0, 1.75}) {
    CAPTURE(exponent);
    const Expr y = power(z, exponent);
    const Array got = evaluate_complex(std::span(&z, 1), std::span(&y, 1), std::span(&value, 1))[0];
    for (std::size_t n = 0; n < base.size(); ++n) {
      const Wide exact = wide::exp(
          wide::mul(Wide{exponent, 0.0}, wide::log(Wide{base[n].real(), base[n].imag()})));
      CHECK(part_error(got.data<Number<double>>()[n], exact) <= 24);
    }
  }
  const std::vector<Number<double>> exponents = {{1, 1}, {0.5, -2}, {-1.5, 0.25}, {3, 0}, {0, -1}};
  const Expr inputs[] = {z, w}, y = power(z, w);
  const Array values[] = {value, complex_array(exponents)};
  const Array got = evaluate_complex(inputs, std::span(&y, 1), values)[0];
  for (std::size_t n = 0; n < base.size(); ++n) {
    const Wide exact = wide::exp(wide::mul(Wide{exponents[n].real(), exponents[n].imag()},
                                           wide::log(Wide{base[n].real(), base[n].imag()})));
    CHECK(part_error(got.data<Number<double>>()[n], exact) <= 16);
  }
}

TEST_CASE("compiled complex functions have the bits of the reference") {
  for (const DType t : {complex64, complex128}) {
    const Expr x = vector("x", t), y = vector("y", t);
    std::vector<Expr> results;
    for (const ComplexRow& row : complex_rows) results.push_back(row.f(x));
    for (const Expr& e : {x / y, power(x, y), sign(x), absolute(x)}) results.push_back(e);
    CompileOptions options;
    options.rewrites = RewriteLevel::none;
    options.name = "complex_functions";
    const Function f = compile({x, y}, results, {}, options);
    const Expr inputs[] = {x, y};
    Samples random(9);
    for (const std::int64_t size : {0, 1, 7, 33, 300}) {
      std::vector<Array> values;
      for (int k = 0; k < 2; ++k)
        values.push_back(from_pairs(random.any(part_of(t), {size, 2}), t));
      const std::vector<Array> wanted = evaluate_complex(inputs, results, values);
      const Results got = f(values);
      for (std::size_t k = 0; k < results.size(); ++k) {
        CAPTURE(k < std::size(complex_rows) ? complex_rows[k].name : "further");
        CHECK(difference(as_pairs(got[k]), as_pairs(wanted[k]), 0) == "");
      }
    }
  }
}
