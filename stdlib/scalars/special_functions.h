// Special functions under SciPy's names (`scipy.special`). Operands broadcast; integers become
// floats.
#pragma once

#include <cstdint>
#include <optional>

#include "stdlib/ops.h"
#include "stdlib/scalars/numbers.h"

/// Special functions under SciPy's names (`scipy.special`). Operands broadcast; integers become
/// floats. Those that are operations are in `gnomon` too, under the same names.
namespace gnomon::special {

// Operations, whose errors their records bound.
using gnomon::betainc, gnomon::betaincinv, gnomon::betaln, gnomon::cbrt, gnomon::digamma,
    gnomon::erf, gnomon::erfc, gnomon::erfcinv, gnomon::erfcx, gnomon::erfinv, gnomon::exp2,
    gnomon::expm1, gnomon::gamma, gnomon::gammainc, gnomon::gammaincc, gnomon::gammainccinv,
    gnomon::gammaincinv, gnomon::gammaln, gnomon::i0, gnomon::i0e, gnomon::i1, gnomon::i1e,
    gnomon::ive, gnomon::j0, gnomon::j1, gnomon::jv, gnomon::kve, gnomon::log1mexp, gnomon::log1p,
    gnomon::log_ndtr, gnomon::logsumexp, gnomon::ndtr, gnomon::ndtri, gnomon::ndtri_exp,
    gnomon::owens_t, gnomon::sinc, gnomon::softplus, gnomon::y0, gnomon::y1, gnomon::zeta;

/// exp(x) / sum(exp(x)), and its logarithm, along an axis, or over all elements.
Expr softmax(const Arg& x, std::optional<std::int64_t> axis = {});
Expr log_softmax(const Arg& x, std::optional<std::int64_t> axis = {});
/// 1 / (1 + exp(-x)), without overflow on the way: `sigmoid`; its logarithm; and its inverse
/// log(x / (1 - x)), NaN outside [0, 1].
Expr expit(const Arg& x);
Expr log_expit(const Arg& x);
Expr logit(const Arg& x);
/// The derivative of gammaln, `digamma`; and the derivative n of that. ValueError unless n is from
/// 0 to 170.
Expr psi(const Arg& x);
Expr polygamma(int n, const Arg& x);
/// n! as gamma(n + 1), for every n >= 0; 0 below.
Expr factorial(const Arg& n);
/// gamma(a) gamma(b) / gamma(a + b) for a, b >= 0, as exp(betaln(a, b)); NaN below.
Expr beta(const Arg& a, const Arg& b);
/// gamma(z + m) / gamma(z) for z, z + m > 0, by their logarithms; NaN elsewhere.
Expr poch(const Arg& z, const Arg& m);
/// The probability of a chi-square variable with v degrees of freedom below x, above x.
Expr chdtr(const Arg& v, const Arg& x);
Expr chdtrc(const Arg& v, const Arg& x);
/// Modified Bessel functions of order v: of the first kind, exp(|x|) ive(v, x), and of the second,
/// exp(-x) kve(v, x); kn is that of whole orders.
Expr iv(const Arg& v, const Arg& x);
Expr kv(const Arg& v, const Arg& x);
Expr kn(const Arg& n, const Arg& x);
/// 10^x.
Expr exp10(const Arg& x);
/// x log(y), and x log(1 + y), and 0 where x is 0 and y is not NaN; x log(x).
Expr xlogy(const Arg& x, const Arg& y);
Expr xlog1py(const Arg& x, const Arg& y);
Expr xlogx(const Arg& x);
/// -x log(x); 0 at 0, -inf below.
Expr entr(const Arg& x);
/// x log(x / y) for x, y > 0; 0 where x is 0 and y >= 0; inf elsewhere.
Expr rel_entr(const Arg& x, const Arg& y);
/// (exp(x) - 1) / x, and 1 at 0.
Expr exprel(const Arg& x);
/// r^2 / 2 up to |r| = delta, and delta (|r| - delta / 2) beyond.
Expr huber(const Arg& delta, const Arg& r);

}  // namespace gnomon::special
