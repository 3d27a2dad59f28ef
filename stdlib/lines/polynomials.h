// Polynomials in one variable, by vectors of coefficients with that of the highest power first.
//
// The degree is the extent less 1, which is known; leading zeros stay.
#pragma once

#include <optional>
#include <utility>

#include "ir/graph/expr.h"

namespace gnomon {

/// The polynomial at each x, by Horner's rule. Here and below, coefficients are vectors
/// (ValueError) of known extents (TypeError), that of the highest power first.
Expr polyval(const Arg& p, const Arg& x);
/// The coefficients of sums, differences and products.
Expr polyadd(const Arg& a, const Arg& b);
Expr polysub(const Arg& a, const Arg& b);
Expr polymul(const Arg& a, const Arg& b);
/// Quotient and remainder; the first coefficient of the divisor is not 0.
std::pair<Expr, Expr> polydiv(const Arg& dividend, const Arg& divisor);
/// The coefficients of the derivative of an order. ValueError: it is negative.
Expr polyder(const Arg& p, std::int64_t order = 1);
/// The coefficients of as many integrals, with the constants 0. ValueError: the order is negative.
Expr polyint(const Arg& p, std::int64_t order = 1);
/// The coefficients of the polynomial with the given zeros, the first of them 1.
Expr poly(const Arg& zeros);
/// The zeros (complex), as eigenvalues of the companion matrix; the first coefficient is not 0.
Expr roots(const Arg& p);
/// The coefficients [degree + 1] or [degree + 1, k] of the polynomial of least squares through
/// points x[n] and y[n] or y[n, k]; `weights`[n] of the points.
Expr polyfit(const Arg& x, const Arg& y, std::int64_t degree, std::optional<Expr> weights = {});

}  // namespace gnomon
