// Sums and products of values as polynomials in normal form.
#include "passes/algebra/polynomial.h"

#include <algorithm>
#include <cmath>

#include "passes/engine/facts.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

using Monomial = PolynomialRing::Monomial;
using Polynomial = PolynomialRing::Polynomial;

constexpr std::size_t most_monomials = 12;
constexpr int deepest_opening = 6;

// Multiples of 2^-20 below 2^20: sums and products of a few of them are exact.
bool is_exact(double c) {
  return std::abs(c) < 0x1p20 && std::ldexp(c, 20) == std::floor(std::ldexp(c, 20));
}

bool holds(DType t, double c) { return t == DType::float64 || static_cast<float>(c) == c; }

void add_term(Polynomial& p, const Monomial& m, double coefficient) {
  const auto [place, fresh] = p.emplace(m, coefficient);
  if (!fresh) place->second += coefficient;
  if (place->second == 0) p.erase(place);
}

std::optional<Polynomial> checked(Polynomial p) {
  const auto fits = [](const auto& term) { return is_exact(term.second); };
  if (p.size() > most_monomials || !std::all_of(p.begin(), p.end(), fits)) return std::nullopt;
  return p;
}

// The indeterminates two monomials share.
Monomial common(const Monomial& a, const Monomial& b) {
  Monomial out;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

Monomial without_factors(const Monomial& a, const Monomial& factors) {
  Monomial out;
  std::set_difference(a.begin(), a.end(), factors.begin(), factors.end(), std::back_inserter(out));
  return out;
}

}  // namespace

std::optional<Polynomial> PolynomialRing::open(const Value& v) { return opened(v, 0); }

std::optional<Polynomial> PolynomialRing::sum(const Polynomial& a, const Polynomial& b,
                                              double sign) const {
  Polynomial out = a;
  for (const auto& [m, c] : b) add_term(out, m, sign * c);
  return checked(std::move(out));
}

std::optional<Polynomial> PolynomialRing::product(const Polynomial& a, const Polynomial& b) const {
  Polynomial out;
  for (const auto& [m, c] : a) {
    for (const auto& [n, d] : b) {
      Monomial both;
      std::merge(m.begin(), m.end(), n.begin(), n.end(), std::back_inserter(both));
      add_term(out, both, c * d);
    }
  }
  return checked(std::move(out));
}

std::optional<Polynomial> PolynomialRing::opened(const Value& v, int depth) {
  if (v.dtype() != dtype_) return std::nullopt;
  if (const std::optional<double> c = number_of(v); c && v.is(op::constant))
    return *c == 0 ? Polynomial{} : checked(Polynomial{{{}, *c}});
  const bool is_sum = v.is(op::add) || v.is(op::subtract), is_product = v.is(op::multiply);
  if (depth < deepest_opening && (is_sum || is_product)) {
    std::optional<Polynomial> total;
    for (const Value& operand : v.node().operands()) {
      const std::optional<Polynomial> part = opened(operand, depth + 1);
      if (!part) return std::nullopt;
      if (!total)
        total = part;
      else
        total = is_product ? product(*total, *part) : sum(*total, *part, v.is(op::add) ? 1 : -1);
      if (!total) return std::nullopt;
    }
    return total;
  }
  if (depth < deepest_opening && (v.is(op::negative) || v.is(op::square))) {
    const std::optional<Polynomial> inner = opened(v.input(0), depth + 1);
    if (!inner) return std::nullopt;
    return v.is(op::square) ? product(*inner, *inner) : sum({}, *inner, -1);
  }
  auto place = std::find(names_.begin(), names_.end(), v);
  if (place == names_.end()) place = names_.insert(names_.end(), v);
  return Polynomial{{{static_cast<std::uint32_t>(place - names_.begin())}, 1.0}};
}

Expr PolynomialRing::monomial(const Monomial& m, double coefficient) const {
  // Three factors have a grouping, by which they leave the range or not, and it is lost here.
  if (!holds(dtype_, coefficient) || m.size() > 2) return {};
  Expr out;
  for (std::size_t i = 0; i < m.size(); ++i) {
    const Expr factor(names_[m[i]]);
    const bool twice = i + 1 < m.size() && m[i + 1] == m[i];
    const Expr next = twice ? square(factor) : factor;
    out = out.defined() ? out * next : next;
    i += twice ? 1 : 0;
  }
  if (!out.defined()) return Expr(number_value(coefficient, dtype_));
  if (coefficient == 1) return out;
  return coefficient == -1 ? -out : out * Expr(number_value(coefficient, dtype_));
}

Expr PolynomialRing::as_product(const Polynomial& p) const {
  if (p.empty()) return Expr(number_value(0, dtype_));
  if (p.size() > 2) return {};
  const auto& [m, c] = *p.begin();
  if (p.size() == 1) return monomial(m, c);
  const auto& [n, d] = *std::next(p.begin());
  const Monomial shared = common(m, n);
  // A number of one term alone, as in 2 x + y, or one of both.
  const double scale = std::abs(c) == std::abs(d) ? std::abs(c) : 1;
  const Expr first = monomial(without_factors(m, shared), c / scale);
  const Expr second = monomial(without_factors(n, shared), d / scale);
  const Expr factor = monomial(shared, scale);
  if (!first.defined() || !second.defined() || !factor.defined()) return {};
  if (shared.empty() && scale == 1) return first + second;
  return factor * (first + second);
}

Expr simple_difference(const Value& a, const Value& b) {
  if (!is_float(a.dtype()) || a.dtype() != b.dtype()) return {};
  PolynomialRing ring(a.dtype());
  const auto p = ring.open(a), q = ring.open(b);
  if (!p || !q) return {};
  const auto difference = ring.sum(*p, *q, -1);
  return difference ? ring.as_product(*difference) : Expr();
}

}  // namespace gnomon
