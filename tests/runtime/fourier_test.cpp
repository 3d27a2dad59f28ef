// Fourier transforms against the definition in 240 bits, in compiled code and in the reference
// evaluator; derivatives against differences; lengths, norms, threads, errors.
#include <doctest/doctest.h>

#include <complex>
#include <functional>
#include <numbers>
#include <string>

#include "passes/derivatives/gradient.h"
#include "passes/derivatives/vectorize.h"
#include "stdlib/lines/fourier.h"
#include "tests/support/complex_compiled.h"

using namespace gnomon;
using namespace gnomon::test;
using C = std::complex<double>;

namespace {

std::vector<C> random_complexes(std::size_t count, std::uint64_t seed) {
  std::vector<C> z;
  Samples random(seed);
  for (std::size_t k = 0; k < count; ++k)
    z.emplace_back(random.uniform(-2, 2), random.uniform(-2, 2));
  return z;
}

/// The transform by its definition, one rounding an element.
std::vector<C> transform(const std::vector<C>& x, bool inverse) {
  const std::size_t n = x.size();
  Real turn;
  mpfr_const_pi(turn.get(), MPFR_RNDN);
  turn = wide::div(wide::mul(turn, Real(inverse ? 2.0 : -2.0)), Real(static_cast<double>(n)));
  std::vector<Wide> roots;
  for (std::size_t k = 0; k < n; ++k) {
    const Real angle = wide::mul(turn, Real(static_cast<double>(k)));
    roots.push_back({wide::cos(angle), wide::sin(angle)});
  }
  std::vector<C> y;
  for (std::size_t k = 0; k < n; ++k) {
    Wide sum{0.0, 0.0};
    for (std::size_t j = 0; j < n; ++j)
      sum = wide::add(sum, wide::mul(Wide{x[j].real(), x[j].imag()}, roots[j * k % n]));
    y.emplace_back(sum.re.to_double(), sum.im.to_double());
  }
  return y;
}

double size_of_all(const std::vector<C>& x) {
  double sum = 0;
  for (const C z : x) sum += std::norm(z);
  return std::sqrt(sum);
}

template <class T>
std::vector<C> wide_of(const Array& a) {
  std::vector<C> z;
  for (const auto& x : a.to_vector<T>()) z.emplace_back(x);
  return z;
}

double distance(std::vector<C> a, const std::vector<C>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
  return size_of_all(a);
}

const std::size_t lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 30, 37, 64, 97, 210};

}  // namespace

TEST_CASE("transforms agree with the definition in 240 bits, for any length") {
  const Expr z = vector("z", complex128), x = vector("x", float64);
  const Function f =
      compile({z, x}, {fft::fft(z), fft::ifft(z, {}, -1, fft::Norm::forward), fft::rfft(x)});
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const std::vector<C> a = random_complexes(n, n);
    std::vector<double> real_parts;
    std::vector<C> r;
    for (const C c : a) real_parts.push_back(c.real()), r.emplace_back(c.real());
    const Results got = f(Array::from(a), Array::from(real_parts));
    const double bound = 4e-16 * (2 + std::log2(static_cast<double>(n)));
    const std::vector<C> forward = transform(a, false), back = transform(a, true);
    CHECK(distance(wide_of<C>(got[0]), forward) <= bound * size_of_all(forward));
    CHECK(distance(wide_of<C>(got[1]), back) <= bound * size_of_all(back));
    std::vector<C> half = transform(r, false);
    half.resize(n / 2 + 1);
    CHECK(distance(wide_of<C>(got[2]), half) <= bound * size_of_all(transform(r, false)));
  }
}

TEST_CASE("long lines and large primes keep their digits") {
  const Expr z = vector("z", complex128), s = vector("s", complex64);
  const Function f = compile({z, s}, {fft::fft(z), fft::fft(s)});
  for (const std::size_t n : {10007, 99991, 65536, 90000, 131072}) {
    CAPTURE(n);
    const std::vector<C> a = random_complexes(n, n);
    const std::vector<std::complex<float>> single(a.begin(), a.end());
    const Results got = f(Array::from(a), Array::from(single));
    const std::vector<C> y = wide_of<C>(got[0]), rough = wide_of<std::complex<float>>(got[1]);
    const double size = size_of_all(a);
    CHECK(std::abs(size_of_all(y) / (size * std::sqrt(static_cast<double>(n))) - 1) <= 1e-14);
    for (const std::size_t k : {std::size_t{0}, std::size_t{1}, n / 3, n - 1}) {
      std::complex<long double> sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const auto turns = static_cast<long double>(j * k % n) / static_cast<long double>(n);
        sum += std::complex<long double>(a[j]) *
               std::polar(1.0L, -2 * std::numbers::pi_v<long double> * turns);
      }
      CHECK(std::abs(y[k] - C(sum)) <= 1e-15 * size);
      CHECK(std::abs(rough[k] - C(sum)) <= 6e-7 * size);
    }
  }
}

TEST_CASE("long lines of real numbers have the transforms of complex ones, and come back") {
  const Expr x = vector("x", float64), s = vector("s", float32);
  const Dim n = x.shape()[0];
  const Function f =
      compile({x, s}, {fft::rfft(x), fft::fft(x), fft::irfft(fft::rfft(x), n), fft::ihfft(x),
                       fft::irfft(fft::rfft(s), s.shape()[0]), fft::irfft(fft::fft(x), n)});
  for (const std::size_t count : {65536, 131072, 70002, 65537}) {
    CAPTURE(count);
    std::vector<double> a;
    for (const C c : random_complexes(count, count)) a.push_back(c.real());
    const std::vector<float> single(a.begin(), a.end());
    const Results got = f(Array::from(a), Array::from(single));
    std::vector<C> half = wide_of<C>(got[1]);
    half.resize(count / 2 + 1);
    const double size = size_of_all(half);
    CHECK(distance(wide_of<C>(got[0]), half) <= 2e-15 * size);
    for (C& c : half) c = std::conj(c) / static_cast<double>(count);
    CHECK(distance(wide_of<C>(got[3]), half) <= 2e-15 * size_of_all(half));
    const std::vector<C> line = wide_of<double>(Array::from(a));
    CHECK(distance(wide_of<double>(got[2]), line) <= 2e-15 * size_of_all(line));
    CHECK(distance(wide_of<double>(got[5]), line) <= 2e-15 * size_of_all(line));
    CHECK(distance(wide_of<float>(got[4]), line) <= 1e-6 * size_of_all(line));
    CHECK(got[0].to_vector<C>()[0].imag() == 0);
  }
}

TEST_CASE("irfft takes the first half of a transform back, of even and odd lengths") {
  for (const std::size_t n : lengths) {
    CAPTURE(n);
    const Expr y = vector("y", complex128);
    const Function f = compile({y}, {fft::irfft(y, Dim(static_cast<std::int64_t>(n)))});
    std::vector<double> x;
    std::vector<C> z;
    for (const C c : random_complexes(n, n + 100)) x.push_back(c.real()), z.emplace_back(c.real());
    std::vector<C> half = transform(z, false);
    half.resize(n / 2 + 1);
    CHECK(distance(wide_of<double>(f(Array::from(half))[0]), z) <= 2e-15 * size_of_all(z));
  }
}

TEST_CASE("single precision, batches, other axes, norms and lengths") {
  const Expr z = tensor("z", complex64, {Dim::symbol("a"), Dim::symbol("b"), 3});
  const Function f = compile({z}, {fft::fft(z, {}, 1), fft::fft(z, Dim(4), 0, fft::Norm::ortho),
                                   fft::ifft(fft::fft(z, {}, 1), {}, 1), fft::fft(z, Dim(2), 2)});
  std::vector<std::complex<float>> values;
  for (const C c : random_complexes(2 * 5 * 3, 3)) values.emplace_back(c);
  const auto at = [&](std::size_t i, std::size_t j, std::size_t k) {
    return C(values[(i * 5 + j) * 3 + k]);
  };
  const Results got = f(Array::from(values, {2, 5, 3}));
  CHECK(got[0].describe() == "c64[2, 5, 3]");
  CHECK(got[1].describe() == "c64[4, 5, 3]");
  CHECK(got[3].describe() == "c64[2, 5, 2]");
  const std::vector<C> first = wide_of<std::complex<float>>(got[0]);
  const std::vector<C> filled = wide_of<std::complex<float>>(got[1]);
  const std::vector<C> cut = wide_of<std::complex<float>>(got[3]);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      std::vector<C> line;
      for (std::size_t j = 0; j < 5; ++j) line.push_back(at(i, j, k));
      const std::vector<C> wanted = transform(line, false);
      for (std::size_t j = 0; j < 5; ++j)
        CHECK(std::abs(first[(i * 5 + j) * 3 + k] - wanted[j]) < 1e-5);
    }
  for (std::size_t j = 0; j < 5; ++j)
    for (std::size_t k = 0; k < 3; ++k) {
      const std::vector<C> wanted = transform({at(0, j, k), at(1, j, k), 0, 0}, false);
      for (std::size_t i = 0; i < 4; ++i)
        CHECK(std::abs(filled[(i * 5 + j) * 3 + k] - wanted[i] / 2.0) < 1e-5);
    }
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 5; ++j)
      CHECK(std::abs(cut[(i * 5 + j) * 2 + 1] - (at(i, j, 0) - at(i, j, 1))) < 1e-5);
  CHECK(distance(wide_of<std::complex<float>>(got[2]),
                 wide_of<std::complex<float>>(Array::from(values, {2, 5, 3}))) < 1e-5);
}

TEST_CASE("the reference evaluator has the same transforms") {
  const Expr z = matrix("z", complex128), x = matrix("x", float64);
  const Expr inputs[] = {z, x};
  const Expr outputs[] = {
      fft::fft(z),  fft::ifft(z, {}, 0), fft::rfft(x),  fft::irfft(z, Dim(7)),
      fft::fftn(z), fft::hfft(z),        fft::ihfft(x), fft::irfftn(fft::rfftn(x))};
  const Array values[] = {Array::from(random_complexes(12, 5), {3, 4}),
                          Array::from({1.0, -2.0, 0.5, 3.0, 1.5, -0.25}, {2, 3})};
  check_with_reference(inputs, outputs, values, 1e-14);
}

TEST_CASE("derivatives of transforms agree with differences and transpose, to second order") {
  const Expr x = tensor("x", float64, {2, 5}), y = tensor("y", float64, {2, 5});
  const Expr z = complex(x, y);
  const Expr outputs[] = {fft::fft(z),          fft::ifft(z, Dim(7)), fft::rfft(x),
                          fft::rfft(x, Dim(6)), fft::irfft(z),        fft::irfft(z, Dim(9)),
                          fft::hfft(z),         fft::ihfft(y),        fft::fftn(z),
                          fft::rfftn(x),        fft::irfftn(z),       fft::fft(x, {}, 0)};
  std::vector<double> at_x, at_y;
  for (const C c : random_complexes(10, 11)) at_x.push_back(c.real()), at_y.push_back(c.imag());
  const Expr inputs[] = {x, y};
  const auto value = [&](const Expr& e, const std::vector<double>& a) {
    const Array values[] = {Array::from(a, {2, 5}), Array::from(at_y, {2, 5})};
    return evaluate_complex(inputs, std::span(&e, 1), values)[0].to_vector<double>();
  };
  for (std::size_t k = 0; k < std::size(outputs); ++k) {
    CAPTURE(k);
    const Expr& out = outputs[k];
    const Expr w = reshape(cos(cast(arange(element_count(out.shape())), float64)), out.shape());
    // Not linear, so that there is a second derivative.
    const Expr cost = sum(w * square(real(out)) + imag(out) * exp(0.1 * real(out)));
    const Expr dx = grad(cost, x, {Disconnected::zero});
    const Expr second = sum(dx * sin(cast(reshape(arange(10), {2, 5}), float64)));
    const Expr ddx = grad(second, x, {Disconnected::zero});
    for (const auto& [scalar, derivative] : {std::pair(cost, dx), {second, ddx}}) {
      const std::vector<double> found = value(derivative, at_x);
      for (std::size_t i = 0; i < at_x.size(); ++i) {
        const double h = 1e-4;
        std::vector<double> up = at_x, down = at_x;
        up[i] += h, down[i] -= h;
        const double wanted = (value(scalar, up)[0] - value(scalar, down)[0]) / (2 * h);
        CHECK(std::abs(found[i] - wanted) <= 1e-6 * std::max(1.0, std::abs(wanted)));
      }
    }
    const Expr tangent = cos(x + 1.0);
    const Expr dy = jvp(std::span(&cost, 1), std::span(&x, 1), std::span(&tangent, 1))[0];
    const double left = value(dy, at_x)[0], right = value(sum(dx * tangent), at_x)[0];
    CHECK(std::abs(left - right) <= 1e-11 * std::max(1.0, std::abs(left)));
  }
}

TEST_CASE("a batch of examples has the transforms of each") {
  const Expr z = vector("z", complex128), x = vector("x", float64), w = vector("w", complex128);
  const Expr outputs[] = {fft::fft(z),          fft::ifft(z, Dim(7)), fft::rfft(x),
                          fft::irfft(z),        fft::hfft(z, Dim(5)), fft::fft(w) * z,
                          fft::ihfft(x, Dim(3))};
  const Expr zs = matrix("zs", complex128), xs = matrix("xs", float64);
  const Expr before[] = {z, x}, after[] = {zs, xs};
  const std::vector<Expr> batched = vectorize(outputs, before, after);
  const Function one = compile({z, x, w}, outputs);
  const Function all = compile({zs, xs, w}, batched);
  std::vector<double> reals;
  for (const C c : random_complexes(18, 21)) reals.push_back(c.real());
  const std::vector<C> pairs = random_complexes(18, 22);
  const Array third = Array::from(random_complexes(6, 23));
  const Results got = all(Array::from(pairs, {3, 6}), Array::from(reals, {3, 6}), third);
  for (std::int64_t i = 0; i < 3; ++i) {
    const auto line = [&](const auto& v) {
      return Array::from(std::vector(v.begin() + 6 * i, v.begin() + 6 * (i + 1)));
    };
    const Results wanted = one(line(pairs), line(reals), third);
    for (std::size_t k = 0; k < std::size(outputs); ++k) {
      CAPTURE(k);
      const bool is_pair = is_complex(outputs[k].dtype());
      const std::vector<C> found = is_pair ? got[k].to_vector<C>() : wide_of<double>(got[k]);
      const std::vector<C> expected =
          is_pair ? wanted[k].to_vector<C>() : wide_of<double>(wanted[k]);
      const auto first = found.begin() + i * static_cast<std::int64_t>(expected.size());
      CHECK(distance({first, first + static_cast<std::int64_t>(expected.size())}, expected) == 0);
    }
  }
}

TEST_CASE("batches without lines, and lines of one element") {
  const Expr z = matrix("z", complex128), x = matrix("x", float64);
  const Function f =
      compile({z, x}, {fft::fft(z), fft::rfft(x), fft::irfft(z, Dim(1)), fft::fft(z, Dim(3), 0)});
  const Results none = f(Array::empty(complex128, {0, 4}), Array::empty(float64, {0, 4}));
  CHECK(none[0].describe() == "c128[0, 4]");
  CHECK(none[1].describe() == "c128[0, 3]");
  CHECK(none[2].describe() == "f64[0, 1]");
  CHECK(none[3].to_vector<C>() == std::vector<C>(12, 0));
  const Results one = f(Array::from(std::vector<C>{{2, 3}}, {1, 1}), Array::from({4.0}, {1, 1}));
  CHECK(one[0].to_vector<C>() == std::vector<C>{{2, 3}});
  CHECK(one[1].to_vector<C>() == std::vector<C>{4});
  CHECK(one[2].to_vector<double>() == std::vector<double>{2});
}

TEST_CASE("frequencies and shifts") {
  const Expr n = scalar("n", int64), x = matrix("x", float64);
  const Dim length = Dim::value(n.value());
  const Function f = compile({n}, {fft::fftfreq(length, 0.5), fft::rfftfreq(length)});
  CHECK(f(Array(std::int64_t{5}))[0].to_vector<double>() ==
        std::vector<double>{0, 0.4, 0.8, -0.8, -0.4});
  CHECK(f(Array(std::int64_t{4}))[0].to_vector<double>() == std::vector<double>{0, 0.5, -1, -0.5});
  CHECK(f(Array(std::int64_t{4}))[1].to_vector<double>() == std::vector<double>{0, 0.25, 0.5});
  const Function g =
      compile({x}, {fft::fftshift(x), fft::ifftshift(fft::fftshift(x)), fft::fftshift(x, 1)});
  const Array a = Array::from({0.0, 1.0, 2.0, 3.0, 4.0, 5.0}, {2, 3});
  const Results got = g(a);
  CHECK(got[0].to_vector<double>() == std::vector<double>{5, 3, 4, 2, 0, 1});
  CHECK(got[1].to_vector<double>() == a.to_vector<double>());
  CHECK(got[2].to_vector<double>() == std::vector<double>{2, 0, 1, 5, 3, 4});
}

TEST_CASE("the bits do not depend on the number of threads") {
  const Expr z = matrix("z", complex128);
  const Array lines = Array::from(random_complexes(60 * 500, 7), {60, 500});
  const Array long_line = Array::from(random_complexes(65536, 8), {1, 65536});
  const Expr outputs[] = {fft::fft(z), fft::rfft(real(z)), fft::irfft(z), fft::fft(z, {}, 0)};
  const Array all[] = {lines, long_line};
  check_bits_of_threads(z, outputs, all);
}

TEST_CASE("transforms of nothing are errors") {
  const Expr z = vector("z", complex128), x = vector("x", float64);
  CHECK_THROWS_AS((void)fft::fft(tensor("e", complex128, {3, 0})), ValueError);
  CHECK_THROWS_AS((void)fft::irfft(tensor("e", complex128, {1})), ValueError);
  CHECK_THROWS_AS((void)fft::rfft(z), TypeError);
  CHECK_THROWS_AS((void)fft::fft(z, {}, 1), ValueError);
  CHECK_THROWS_AS((void)compile({z}, {fft::fft(z)})(Array::empty(complex128, {0})), ValueError);
  CHECK(fft::fft(x).dtype() == complex128);
  CHECK(fft::fft(vector("i", int32)).dtype() == complex128);
  CHECK(fft::rfft(vector("f", float32)).dtype() == complex64);
}
