// Continuous distributions, each by inversion or a transformation of normal, exponential and gamma
// variables, so that they have derivatives by their parameters where these only move or stretch.
#include <cmath>
#include <numbers>

#include "stdlib/random/random_draw.h"

namespace gnomon::random {

namespace {

constexpr double pi = std::numbers::pi;

// A draw of floats with parameters of their dtype.
struct Floats : ParametricDraw {
  Floats(std::string_view name, const Expr& state, const Shape& shape, DType dtype)
      : ParametricDraw(name, state, shape, dtype), t(float_dtype(dtype)) {}
  Expr number(double v) const { return constant(v, t); }
  Expr gamma(const Expr& a, int part = 0) { return cast(Draw::gamma(a, part), t); }

  DType t;
};

// Of a beta variable: the logarithm of its odds.
Expr log_odds(Floats& draw, const Expr& a, const Expr& b) {
  return draw.log_gamma(a, 0) - draw.log_gamma(b, 2);
}

}  // namespace

Expr exponential(const Expr& state, const Shape& shape, const Arg& scale, DType dtype) {
  const CallScope call("exponential", scale.origin());
  Floats draw("exponential", state, shape, dtype);
  const Expr s = draw.not_negative(scale, "scale");
  return draw.standard_exponential(draw.t) * s;
}

Expr lognormal(const Expr& state, const Shape& shape, const Arg& mean, const Arg& sigma,
               DType dtype) {
  const CallScope call("lognormal", mean.origin());
  Floats draw("lognormal", state, shape, dtype);
  const Expr m = draw.any(mean, "mean"), s = draw.not_negative(sigma, "sigma");
  return exp(located(draw.standard_normal(draw.t), m, s));
}

Expr laplace(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale, DType dtype) {
  const CallScope call("laplace", loc.origin());
  Floats draw("laplace", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  const Expr u = draw.open_unit(draw.t);
  const Expr x = where(less(u, 0.5), log(2 * u), -log(2 * (1 - u)));
  return located(barrier(x), m, s);
}

Expr logistic(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale,
              DType dtype) {
  const CallScope call("logistic", loc.origin());
  Floats draw("logistic", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  const Expr u = draw.open_unit(draw.t);
  return located(barrier(log(u) - log1p(-u)), m, s);
}

Expr gumbel(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale, DType dtype) {
  const CallScope call("gumbel", loc.origin());
  Floats draw("gumbel", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  return located(barrier(-log(-log(draw.open_unit(draw.t)))), m, s);
}

Expr cauchy(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale, DType dtype) {
  const CallScope call("cauchy", loc.origin());
  Floats draw("cauchy", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  return located(barrier(tan(pi * (draw.open_unit(draw.t) - 0.5))), m, s);
}

Expr halfnormal(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale,
                DType dtype) {
  const CallScope call("halfnormal", loc.origin());
  Floats draw("halfnormal", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  return located(absolute(draw.standard_normal(draw.t)), m, s);
}

Expr halfcauchy(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale,
                DType dtype) {
  const CallScope call("halfcauchy", loc.origin());
  Floats draw("halfcauchy", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.not_negative(scale, "scale");
  return located(barrier(tan((pi / 2) * draw.open_unit(draw.t))), m, s);
}

Expr rayleigh(const Expr& state, const Shape& shape, const Arg& scale, DType dtype) {
  const CallScope call("rayleigh", scale.origin());
  Floats draw("rayleigh", state, shape, dtype);
  const Expr s = draw.not_negative(scale, "scale");
  return s * sqrt(2 * draw.standard_exponential(draw.t));
}

Expr weibull(const Expr& state, const Shape& shape, const Arg& a, DType dtype) {
  const CallScope call("weibull", a.origin());
  Floats draw("weibull", state, shape, dtype);
  const Expr k = draw.not_negative(a, "a");
  const Expr is_zero = equal(k, 0);
  const Expr x = power(draw.standard_exponential(draw.t), 1 / where(is_zero, 1, k));
  return where(is_zero, 0, x);
}

Expr pareto(const Expr& state, const Shape& shape, const Arg& a, DType dtype) {
  const CallScope call("pareto", a.origin());
  Floats draw("pareto", state, shape, dtype);
  const Expr k = draw.above_zero(a, "a");
  return expm1(draw.standard_exponential(draw.t) / k);
}

Expr power_function(const Expr& state, const Shape& shape, const Arg& a, DType dtype) {
  const CallScope call("power_function", a.origin());
  Floats draw("power", state, shape, dtype);
  const Expr k = draw.above_zero(a, "a");
  return exp(-draw.standard_exponential(draw.t) / k);
}

Expr triangular(const Expr& state, const Shape& shape, const Arg& left, const Arg& mode,
                const Arg& right, DType dtype) {
  const CallScope call("triangular", left.origin());
  Floats draw("triangular", state, shape, dtype);
  const Expr a = draw.any(left, "left"), m = draw.any(mode, "mode"), b = draw.any(right, "right");
  draw.require(logical_and(logical_and(less_equal(a, m), less_equal(m, b)), less(a, b)),
               "expected left <= mode <= right and left < right");
  const Expr base = b - a, first = m - a, last = b - m;
  const Expr u = draw.unit(draw.t);
  const Expr is_left = less_equal(u * base, first);
  return where(is_left, a + sqrt(u * base * where(is_left, first, 1)),
               b - sqrt((1 - u) * base * where(is_left, 1, last)));
}

Expr truncated_normal(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale,
                      const Arg& low, const Arg& high, DType dtype) {
  const CallScope call("truncated_normal", loc.origin());
  Floats draw("truncated_normal", state, shape, dtype);
  const Expr m = draw.any(loc, "loc"), s = draw.above_zero(scale, "scale");
  const Expr from = draw.any(low, "low"), to = draw.any(high, "high");
  draw.require(less(from, to), "expected low < high");
  const Expr a = (from - m) / s, b = (to - m) / s;
  // In the left half of the density, where probabilities keep their digits.
  const Expr swapped = greater(a, 0);
  const Expr lower = ndtr(where(swapped, -b, a)), upper = ndtr(where(swapped, -a, b));
  const Expr z = ndtri(lower + draw.open_unit(draw.t) * (upper - lower));
  return clip(m + s * where(swapped, -z, z), from, to);
}

Expr truncexpon(const Expr& state, const Shape& shape, const Arg& b, const Arg& loc,
                const Arg& scale, DType dtype) {
  const CallScope call("truncexpon", b.origin());
  Floats draw("truncexpon", state, shape, dtype);
  const Expr end = draw.above_zero(b, "b"), m = draw.any(loc, "loc");
  const Expr s = draw.not_negative(scale, "scale");
  return located(-log1p(draw.unit(draw.t) * expm1(-end)), m, s);
}

Expr gamma(const Expr& state, const Shape& shape, const Arg& a, const Arg& scale, DType dtype) {
  const CallScope call("gamma", a.origin());
  Floats draw("gamma", state, shape, dtype);
  const Expr k = draw.not_negative(a, "shape"), s = draw.not_negative(scale, "scale");
  return draw.gamma(k) * s;
}

Expr invgamma(const Expr& state, const Shape& shape, const Arg& a, const Arg& scale, DType dtype) {
  const CallScope call("invgamma", a.origin());
  Floats draw("invgamma", state, shape, dtype);
  const Expr k = draw.above_zero(a, "shape"), s = draw.not_negative(scale, "scale");
  return s / draw.gamma(k);
}

Expr gengamma(const Expr& state, const Shape& shape, const Arg& alpha, const Arg& p,
              const Arg& lambd, DType dtype) {
  const CallScope call("gengamma", alpha.origin());
  Floats draw("gengamma", state, shape, dtype);
  const Expr a = draw.above_zero(alpha, "alpha"), k = draw.above_zero(p, "p");
  const Expr s = draw.not_negative(lambd, "lambd");
  return s * cast(exp(draw.log_gamma(a / k) / cast(k, DType::float64)), draw.t);
}

Expr beta(const Expr& state, const Shape& shape, const Arg& a, const Arg& b, DType dtype) {
  const CallScope call("beta", a.origin());
  Floats draw("beta", state, shape, dtype);
  const Expr first = draw.above_zero(a, "a"), second = draw.above_zero(b, "b");
  return cast(sigmoid(log_odds(draw, first, second)), draw.t);
}

Expr chisquare(const Expr& state, const Shape& shape, const Arg& df, DType dtype) {
  const CallScope call("chisquare", df.origin());
  Floats draw("chisquare", state, shape, dtype);
  return 2 * draw.gamma(draw.above_zero(df, "df") / 2);
}

// A mixture of central ones, whose degrees of freedom grow by twice a Poisson variable.
Expr noncentral_chisquare(const Expr& state, const Shape& shape, const Arg& df, const Arg& nonc,
                          DType dtype) {
  const CallScope call("noncentral_chisquare", df.origin());
  Floats draw("noncentral_chisquare", state, shape, dtype);
  const Expr k = draw.above_zero(df, "df"), mean = draw.not_negative(nonc, "nonc");
  const Expr more = draw.tried(op::random_poisson, {cast(mean, DType::float64) / 2}, 4);
  return 2 * draw.gamma(cast(k, DType::float64) / 2 + more);
}

Expr f(const Expr& state, const Shape& shape, const Arg& dfnum, const Arg& dfden, DType dtype) {
  const CallScope call("f", dfnum.origin());
  Floats draw("f", state, shape, dtype);
  const Expr m = draw.above_zero(dfnum, "dfnum"), n = draw.above_zero(dfden, "dfden");
  return (draw.gamma(m / 2) / m) / (draw.gamma(n / 2, 2) / n);
}

Expr noncentral_f(const Expr& state, const Shape& shape, const Arg& dfnum, const Arg& dfden,
                  const Arg& nonc, DType dtype) {
  const CallScope call("noncentral_f", dfnum.origin());
  Floats draw("noncentral_f", state, shape, dtype);
  const Expr m = draw.above_zero(dfnum, "dfnum"), n = draw.above_zero(dfden, "dfden");
  const Expr mean = draw.not_negative(nonc, "nonc");
  const Expr more = draw.tried(op::random_poisson, {cast(mean, DType::float64) / 2}, 4);
  return (draw.gamma(cast(m, DType::float64) / 2 + more) / m) / (draw.gamma(n / 2, 2) / n);
}

Expr t(const Expr& state, const Shape& shape, const Arg& df, const Arg& loc, const Arg& scale,
       DType dtype) {
  const CallScope call("t", df.origin());
  Floats draw("t", state, shape, dtype);
  const Expr n = draw.above_zero(df, "df"), m = draw.any(loc, "loc");
  const Expr s = draw.not_negative(scale, "scale");
  const Expr x = draw.standard_normal(draw.t, 2) * sqrt((n / 2) / draw.gamma(n / 2));
  return located(x, m, s);
}

// Michael, Schucany, Haas 1976, "Generating random variates using transformations with multiple
// roots"; the smaller root in the form that does not cancel.
Expr wald(const Expr& state, const Shape& shape, const Arg& mean, const Arg& scale, DType dtype) {
  const CallScope call("wald", mean.origin());
  Floats draw("wald", state, shape, dtype);
  const Expr m = draw.above_zero(mean, "mean"), s = draw.above_zero(scale, "scale");
  const Expr d = m * square(draw.standard_normal(draw.t)) / (2 * s);
  const Expr ratio = 1 / (1 + d + sqrt(d * (d + 2)));
  const Expr u = draw.unit(draw.t, 1);
  return m * where(less_equal(u * (1 + ratio), 1), ratio, 1 / ratio);
}

Expr vonmises(const Expr& state, const Shape& shape, const Arg& mu, const Arg& kappa, DType dtype) {
  const CallScope call("vonmises", mu.origin());
  Floats draw("vonmises", state, shape, dtype);
  const Expr m = draw.any(mu, "mu"), k = draw.not_negative(kappa, "kappa");
  const Expr x = cast(draw.tried(op::random_vonmises, {cast(k, DType::float64)}), draw.t) + m;
  return x - 2 * pi * floor((x + pi) / (2 * pi));
}

}  // namespace gnomon::random
