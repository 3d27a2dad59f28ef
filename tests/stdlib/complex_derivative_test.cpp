// Derivatives of every op that takes complex numbers, against differences of the real and imaginary
// parts, to second order, and both directions against each other.
#include <doctest/doctest.h>

#include <cmath>
#include <complex>
#include <functional>
#include <set>
#include <string>

#include "passes/derivatives/gradient.h"
#include "stdlib/linalg/linalg.h"
#include "tests/support/complex_support.h"

using namespace gnomon;
using namespace gnomon::test;
using C = std::complex<double>;

namespace {

struct ComplexCase {
  const char* name;  // the op's, then what is special
  std::function<Expr(const Expr&)> f;
};

Expr other(double seed) {
  return complex(Expr(Array::from({0.3 + seed, -0.7, 1.1, 0.4, -0.2, 0.9}, {2, 3})),
                 Expr(Array::from({-0.5, 0.2 - seed, 0.8, -1.2, 0.6, 0.1}, {2, 3})));
}

Expr first_rows(const Expr& x) {
  return Expr(Array::from({std::int64_t{1}, std::int64_t{0}})) + cast(0 * sum(real(x)), int64);
}

/// Regular matrices, and positive definite ones with different eigenvalues.
Expr square_matrix(const Expr& z) {
  return matmul(transpose(z), other(0.4)) + 1.5 * eye(3, complex128);
}
Expr hermitian_matrix(const Expr& z) {
  const Expr diagonal = Expr(Array::from({0.3, 0.9, 1.7}));
  return matmul(transpose(conj(z)), z) + cast(diagonal * eye(3, float64), complex128);
}
Expr beside(const Expr& a, const Expr& b) {
  return concatenate({reshape(a, {-1}), reshape(cast(b, complex128), {-1})}, 0);
}

const ComplexCase complex_cases[] = {
    {"negative", [](const Expr& z) { return -z * z; }},
    {"add", [](const Expr& z) { return (z + other(0)) * z; }},
    {"add stretched", [](const Expr& z) { return exp(z(0) + z); }},
    {"subtract", [](const Expr& z) { return (other(0) - z) * z; }},
    {"multiply", [](const Expr& z) { return z * other(0) * z; }},
    {"multiply by a real number", [](const Expr& z) { return real(z) * z; }},
    {"divide", [](const Expr& z) { return z / (z + 3.0) + other(0) / z; }},
    {"reciprocal", [](const Expr& z) { return reciprocal(z); }},
    {"square", [](const Expr& z) { return square(z); }},
    {"sqrt", [](const Expr& z) { return sqrt(z); }},
    {"rsqrt", [](const Expr& z) { return rsqrt(z); }},
    {"power", [](const Expr& z) { return power(z, other(0)) + power(other(0), z); }},
    {"power 3", [](const Expr& z) { return power(z, 3); }},
    {"exp", [](const Expr& z) { return exp(z); }},
    {"expm1", [](const Expr& z) { return expm1(z); }},
    {"log", [](const Expr& z) { return log(z); }},
    {"log2", [](const Expr& z) { return log2(z); }},
    {"log10", [](const Expr& z) { return log10(z); }},
    {"log1p", [](const Expr& z) { return log1p(z); }},
    {"sin", [](const Expr& z) { return sin(z); }},
    {"cos", [](const Expr& z) { return cos(z); }},
    {"tan", [](const Expr& z) { return tan(z); }},
    {"sinh", [](const Expr& z) { return sinh(z); }},
    {"cosh", [](const Expr& z) { return cosh(z); }},
    {"tanh", [](const Expr& z) { return tanh(z); }},
    {"arcsin", [](const Expr& z) { return arcsin(z); }},
    {"arccos", [](const Expr& z) { return arccos(z); }},
    {"arctan", [](const Expr& z) { return arctan(z); }},
    {"arcsinh", [](const Expr& z) { return arcsinh(z); }},
    {"arccosh", [](const Expr& z) { return arccosh(z); }},
    {"arctanh", [](const Expr& z) { return arctanh(z); }},
    {"absolute", [](const Expr& z) { return absolute(z) * absolute(z + 1.0); }},
    {"sign", [](const Expr& z) { return sign(z); }},
    {"angle", [](const Expr& z) { return angle(z); }},
    {"real", [](const Expr& z) { return square(real(z)); }},
    {"imag", [](const Expr& z) { return exp(imag(z)); }},
    {"conj", [](const Expr& z) { return z * conj(z) * z; }},
    {"complex", [](const Expr& z) { return exp(complex(imag(z), real(z) * imag(z))); }},
    {"complex stretched", [](const Expr& z) { return square(complex(real(z(0)), imag(z))); }},
    {"cast", [](const Expr& z) { return cast(real(z), complex128) * z; }},
    {"where", [](const Expr& z) { return where(real(z) > 0, exp(z), square(z)); }},
    {"sum", [](const Expr& z) { return square(sum(z, 1)); }},
    {"mean", [](const Expr& z) { return exp(mean(z, 0, keepdims)) * z; }},
    {"prod", [](const Expr& z) { return prod(z, 1); }},
    {"dot", [](const Expr& z) { return matmul(z, transpose(z * z)); }},
    {"reshape", [](const Expr& z) { return square(reshape(z, {3, 2})); }},
    {"transpose", [](const Expr& z) { return exp(transpose(z)); }},
    {"expand_dims", [](const Expr& z) { return square(expand_dims(z, 1)); }},
    {"squeeze", [](const Expr& z) { return exp(squeeze(z(range(1, 2)))); }},
    {"broadcast_to", [](const Expr& z) { return exp(broadcast_to(z(range(0, 1)), {4, 3})); }},
    {"concatenate", [](const Expr& z) { return exp(concatenate({z, z * z}, 1)); }},
    {"slice", [](const Expr& z) { return exp(z(all_of, range(0, 3, 2))); }},
    {"index", [](const Expr& z) { return exp(take(z, first_rows(z), 0)); }},
    {"set_slice", [](const Expr& z) { return square(set_at(z, {0}, exp(z(1)))); }},
    {"inc_slice", [](const Expr& z) { return square(inc_at(z, {0}, exp(z(1)))); }},
    {"set_index", [](const Expr& z) { return square(set_at(z, {first_rows(z)}, exp(z))); }},
    {"inc_index", [](const Expr& z) { return square(inc_at(z, {first_rows(z)}, exp(z))); }},
    {"interleave",
     [](const Expr& z) {
       const Expr parts[] = {z, z * z};
       return exp(interleave(parts, {2}));
     }},
    {"barrier", [](const Expr& z) { return square(barrier(z)); }},
    {"print", [](const Expr& z) { return square(z); }},
    {"transfer", [](const Expr& z) { return square(transfer(z, "sim")); }},
    {"breakpoint", [](const Expr& z) { return square(z); }},
    {"shaped", [](const Expr& z) { return square(shaped(z, z.shape(), "the same")); }},
    {"check", [](const Expr& z) { return square(check(z, isfinite(z), "finite")); }},
    {"fori",
     [](const Expr& z) {
       const Expr initial[] = {z, real(z)};
       return fori(constant(std::int64_t{3}, int64), initial, [&](Expr, std::span<const Expr> s) {
         return std::vector<Expr>{s[0] * z + s[1], s[1] + imag(s[0])};
       })[0];
     }},
    {"while_loop",
     [](const Expr& z) {
       const Expr initial[] = {z, constant(std::int64_t{0}, int64)};
       const auto below_three = [](std::span<const Expr> s) { return less(s[1], 3); };
       return while_loop(initial, below_three, [&](std::span<const Expr> s) {
         return std::vector<Expr>{s[0] * z + 1, s[1] + 1};
       })[0];
     }},
    {"cond",
     [](const Expr& z) {
       const auto one = [](const Expr& x) { return [=] { return std::vector<Expr>{x * x}; }; };
       const Expr holds = greater(sum(abs(z)), 0);
       return cond(holds, one(z), one(exp(z)))[0] + cond(!holds, one(z), one(exp(z)))[0];
     }},
    {"solve", [](const Expr& z) { return solve(square_matrix(z), transpose(z)); }},
    {"solve_triangular",
     [](const Expr& z) { return solve_triangular(square_matrix(z), transpose(z)); }},
    {"solve_triangular upper, transposed",
     [](const Expr& z) { return solve_triangular(square_matrix(z), transpose(z), false, true); }},
    {"solve_banded",
     [](const Expr& z) {
       const Expr diagonal = Expr(Array::from({2.5, 0.0}, {2, 1}));
       return solve_banded(1, 0, z + cast(diagonal, complex128), transpose(z));
     }},
    {"solve_discrete_are",
     [](const Expr& z) {
       const Expr b = transpose(z)(all_of, range(0, 1));
       const Expr r = 1.0 + square(absolute(z(range(0, 1), range(0, 1))));
       return solve_discrete_are(square_matrix(z) * 0.5, b, hermitian_matrix(z),
                                 cast(r, complex128));
     }},
    {"solve_sylvester",
     [](const Expr& z) {
       return solve_sylvester(square_matrix(z), square_matrix(conj(z) * 0.5), square_matrix(z * z));
     }},
    {"cholesky", [](const Expr& z) { return cholesky(hermitian_matrix(z)); }},
    {"lu_factor", [](const Expr& z) { return lu_factor(square_matrix(z)).lu; }},
    {"qr",
     [](const Expr& z) {
       const Qr f = qr(square_matrix(z));
       return beside(f.q, f.r);
     }},
    {"qr wide",
     [](const Expr& z) {
       const Qr f = qr(z);
       return beside(f.q, f.r);
     }},
    {"qr tall",
     [](const Expr& z) {
       const Qr f = qr(transpose(z));
       return beside(f.q, f.r);
     }},
    {"qr complete",
     [](const Expr& z) {
       // The last column is determined but for a phase.
       const Qr f = qr(transpose(z), Factors::complete);
       return beside(f.r, f.q(0) * conj(f.q(1)));
     }},
    {"eigh",
     [](const Expr& z) {
       const Eigh e = eigh(hermitian_matrix(z));
       return beside(e.vectors(0) * conj(e.vectors(2)), exp(e.values * 0.1));
     }},
    {"eigvalsh", [](const Expr& z) { return eigvalsh(hermitian_matrix(z)); }},
    {"eig",
     [](const Expr& z) {
       const Eig e = eig(square_matrix(z));
       return beside(e.vectors(0) * conj(e.vectors(2)), exp(e.values * 0.1));
     }},
    {"eig of floats",
     [](const Expr& z) {
       const Eig e = eig(real(square_matrix(z)));
       return beside(e.vectors(0) * conj(e.vectors(2)), exp(e.values * 0.1));
     }},
    {"eigvals", [](const Expr& z) { return eigvals(square_matrix(z)); }},
    {"eigvals of floats", [](const Expr& z) { return eigvals(imag(square_matrix(z))); }},
    {"svd",
     [](const Expr& z) {
       const Svd f = svd(square_matrix(z));
       return beside(f.u(0) * f.vh(all_of, 1), f.s);
     }},
    {"svd wide",
     [](const Expr& z) {
       const Svd f = svd(z);
       return beside(f.u(0) * f.vh(all_of, 1), conj(f.u(1)) * f.u(0) * f.s);
     }},
    {"svd complete",
     [](const Expr& z) {
       const Svd f = svd(transpose(z), Factors::complete);
       return beside(f.u(0) * conj(f.u(1)), f.s);
     }},
    {"svdvals", [](const Expr& z) { return svdvals(z); }},
    {"det", [](const Expr& z) { return det(square_matrix(z)); }},
    {"cofactors", [](const Expr& z) { return apply(op::cofactors, {square_matrix(z)}); }},
    {"slogdet",
     [](const Expr& z) {
       const SlogDet d = slogdet(square_matrix(z));
       return beside(d.sign, d.logabsdet);
     }},
    {"pinv", [](const Expr& z) { return pinv(z); }},
    {"pinv hermitian",
     [](const Expr& z) { return pinv(hermitian_matrix(z), {.rtol = {}, .hermitian = true}); }},
    {"expm", [](const Expr& z) { return expm(square_matrix(z)); }},
    {"call",
     [](const Expr& z) {
       const Expr p = tensor("p", z.dtype(), {2, 3});
       const Expr body = exp(p) * conj(p);
       return OpFromGraph(std::vector<Expr>{p}, std::vector<Expr>{body})(std::vector<Expr>{z})[0];
     }},
};

/// Numbers without a pattern, of the type of `like`.
Expr complex_weights(const Expr& like, double seed) {
  const Expr k = reshape(cast(arange(element_count(like.shape())), float64), like.shape());
  const Expr w = sin(k * 1.7 + seed) + 0.3;
  return is_complex(like.dtype()) ? complex(w, cos(k * 0.9 + seed)) : w;
}

/// The real part of the sum of conj(w) y: what the cotangent w of y stands for.
Expr paired(const Expr& y, double seed) { return sum(real(conj(complex_weights(y, seed)) * y)); }

struct ComplexPoint {
  Expr z = tensor("z", complex128, {2, 3});
  std::vector<C> at{{0.7, 0.4}, {1.9, -0.3}, {-0.4, 1.2}, {0.25, -0.9}, {-1.3, 0.5}, {1.1, 0.8}};

  std::vector<C> value(const Expr& e, const std::vector<C>& z_values) const {
    const Array values[] = {Array::from(z_values, {2, 3})};
    const Array y = evaluate_complex(std::span(&z, 1), std::span(&e, 1), values)[0];
    if (is_complex(e.dtype())) return y.to_vector<C>();
    const std::vector<double> parts = y.to_vector<double>();
    return {parts.begin(), parts.end()};
  }
  /// dC/dx + i dC/dy of a real cost, by differences of sixth order.
  std::vector<C> differences(const Expr& cost) const {
    std::vector<C> result;
    const double h = 1.0 / 256;
    for (std::size_t k = 0; k < at.size(); ++k) {
      const auto along = [&](C step) {
        const auto pair = [&](double m) {
          std::vector<C> up = at, down = at;
          up[k] += m * step;
          down[k] -= m * step;
          return (value(cost, up)[0] - value(cost, down)[0]).real();
        };
        return (45 * pair(1) - 9 * pair(2) + pair(3)) / (60 * h);
      };
      result.emplace_back(along(h), along(C(0, h)));
    }
    return result;
  }
  void check(const std::vector<C>& found, const std::vector<C>& expected, double tolerance) const {
    REQUIRE(found.size() == expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
      CAPTURE(k);
      CHECK(std::abs(found[k] - expected[k]) <= tolerance * std::max(1.0, std::abs(expected[k])));
    }
  }
};

}  // namespace

TEST_CASE("derivatives by complex numbers agree with differences, to second order") {
  const ComplexPoint point;
  for (const ComplexCase& c : complex_cases) {
    CAPTURE(c.name);
    const Expr y = c.f(point.z);
    const Expr cost = paired(y, 0.2);
    const Expr dz = grad(cost, point.z, {Disconnected::zero});
    CHECK(dz.dtype() == complex128);
    point.check(point.value(dz, point.at), point.differences(cost), 1e-8);
    const Expr second = paired(dz, 0.6);
    const Expr ddz = grad(second, point.z, {Disconnected::zero});
    point.check(point.value(ddz, point.at), point.differences(second), 1e-7);
  }
}

TEST_CASE("derivatives by complex64 agree with those by complex128") {
  ComplexPoint point;
  std::vector<std::complex<float>> singles;
  for (C& each : point.at) {
    singles.emplace_back(each);
    each = singles.back();
  }
  const Expr z = tensor("z", complex64, {2, 3});
  const Array at[] = {Array::from(singles, {2, 3})};
  for (const ComplexCase& c : complex_cases) {
    CAPTURE(c.name);
    const Expr dz = grad(paired(c.f(z), 0.2), z, {Disconnected::zero});
    CHECK(dz.dtype() == complex64);
    const Array found = evaluate_complex(std::span(&z, 1), std::span(&dz, 1), at)[0];
    const std::vector<std::complex<float>> narrow = found.to_vector<std::complex<float>>();
    const Expr wide = grad(paired(c.f(point.z), 0.2), point.z, {Disconnected::zero});
    point.check({narrow.begin(), narrow.end()}, point.value(wide, point.at), 2e-5);
  }
}

TEST_CASE("tangents of complex numbers are the transposes of cotangents") {
  const ComplexPoint point;
  for (const ComplexCase& c : complex_cases) {
    CAPTURE(c.name);
    const Expr y = c.f(point.z), dz = complex_weights(point.z, 1.1), dy = complex_weights(y, 2.3);
    const Expr tangent = jvp(std::span(&y, 1), std::span(&point.z, 1), std::span(&dz, 1))[0];
    const Expr cotangent =
        vjp(std::span(&y, 1), std::span(&point.z, 1), std::span(&dy, 1), {Disconnected::zero})[0];
    const C left = point.value(sum(real(conj(dy) * tangent)), point.at)[0];
    const C right = point.value(sum(real(conj(cotangent) * dz)), point.at)[0];
    CHECK(std::abs(left - right) <= 1e-12 * std::max(1.0, std::abs(left)));
  }
}

TEST_CASE("every op that takes complex numbers has a case") {
  std::set<std::string> covered;
  for (const ComplexCase& c : complex_cases) {
    const std::string name = c.name;
    covered.insert(name.substr(0, name.find(' ')));
  }
  const std::set<std::string> underivable = {
      "constant",      "equal", "not_equal", "isnan", "isinf", "isfinite",
      "stop_gradient", "round", "fft",       "rfft",  "irfft",  // fourier_test.cpp
      "matrix_rank",   "schur", "qz"};
  for (const Op* op : all_ops()) {
    if (!complex_rule(*op)) continue;
    const std::string name(op->name);
    CAPTURE(name);
    CHECK((covered.contains(name) || underivable.contains(name)));
  }
}
