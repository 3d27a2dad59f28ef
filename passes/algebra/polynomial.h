// Sums and products of values as polynomials in normal form, so that terms that cancel are gone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// Polynomials over values of one float dtype. Sums, negations, products and squares are opened,
/// all else is an indeterminate. Coefficients are such that all arithmetic on them is exact.
class PolynomialRing {
 public:
  /// Indeterminates by number, ascending, each as often as it is a factor.
  using Monomial = std::vector<std::uint32_t>;
  using Polynomial = std::map<Monomial, double>;

  explicit PolynomialRing(DType dtype) : dtype_(dtype) {}

  /// Nothing when there are more than a few terms, or other coefficients.
  std::optional<Polynomial> open(const Value& v);
  std::optional<Polynomial> sum(const Polynomial& a, const Polynomial& b, double sign = 1) const;
  std::optional<Polynomial> product(const Polynomial& a, const Polynomial& b) const;
  /// A number times at most two indeterminates times at most one sum of two such terms: what is
  /// computed in a few roundings, without cancellation but between those two terms. Null for other
  /// polynomials.
  Expr as_product(const Polynomial& p) const;

 private:
  std::optional<Polynomial> opened(const Value& v, int depth);
  Expr monomial(const Monomial& m, double coefficient) const;

  DType dtype_;
  std::vector<Value> names_;
};

/// a - b with what cancels gone, as a product; null if it is none.
Expr simple_difference(const Value& a, const Value& b);

}  // namespace gnomon
