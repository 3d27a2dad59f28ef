// Random numbers over expressions: pure functions of a state, which is a value like any other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "ir/graph/expr.h"
#include "stdlib/ops.h"

/// Random numbers: pure functions of a state, which is a value like any other.
///
/// A state is uint64[2]: a key and a counter. The numbers of a draw are those of Philox4x32-10 at
/// (key, counter, position of the element), so they do not depend on threads, lanes or on what else
/// a function computes. Draws from one state are made of the same bits: give each draw a state of
/// its own by `split`, `fold_in` or `advance`, or let a `RandomStream` do it.
///
/// Of distributions, `shape` is that of the result, to which parameters broadcast. `dtype` is
/// float32 or float64 for continuous ones, an integer dtype for discrete ones (TypeError).
/// Parameters outside their domain are a ValueError: at once if they are constants, else of the
/// call. Of distributions of vectors, `shape` is without the last axis of the result, which is that
/// of the parameter.
namespace gnomon::random {

/// The state of a seed, an integer scalar: {seed, 0}.
Expr state(const Arg& seed);
/// `count` states with independent keys: uint64[count, 2].
Expr split(const Arg& state, const Dim& count = 2);
/// The state with an independent key for each integer `data`, a scalar.
Expr fold_in(const Expr& state, const Arg& data);
/// The state `draws` draws later: its counter grows by so much.
Expr advance(const Expr& state, const Arg& draws = 1);

/// Uniform bits of uint32 or uint64 (TypeError): the words of Philox in their order.
Expr bits(const Arg& state, const Shape& shape, DType dtype = DType::uint64);
/// Integers in [low, high), in [low, high] if `closed`, without bias (Lemire 2019). ValueError
/// where there are none.
Expr integers(const Expr& state, const Shape& shape, const Arg& low, const Arg& high,
              DType dtype = DType::int64, bool closed = false);
/// Floats in [low, high): low + (high - low) u with u a multiple of 2^-53 (2^-24 in float32).
Expr uniform(const Expr& state, const Shape& shape, const Arg& low = 0.0, const Arg& high = 1.0,
             DType dtype = DType::float64);
/// Mean `loc`, standard deviation `scale`; by inversion of the distribution function.
Expr normal(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
            DType dtype = DType::float64);

/// exp of a normal variable.
Expr lognormal(const Expr& state, const Shape& shape, const Arg& mean = 0.0, const Arg& sigma = 1.0,
               DType dtype = DType::float64);
/// Normal and bounded by [low, high]: by inversion, for bounds within 37 deviations of loc.
Expr truncated_normal(const Expr& state, const Shape& shape, const Arg& loc, const Arg& scale,
                      const Arg& low, const Arg& high, DType dtype = DType::float64);
/// loc + scale |z| with a standard normal (Cauchy) variable z.
Expr halfnormal(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
                DType dtype = DType::float64);
Expr halfcauchy(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
                DType dtype = DType::float64);
/// loc + scale tan(pi (u - 1/2)) with u uniform in (0, 1).
Expr cauchy(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
            DType dtype = DType::float64);
/// Density exp(-|x - loc| / scale) / (2 scale).
Expr laplace(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
             DType dtype = DType::float64);
/// loc + scale log(u / (1 - u)) with u uniform in (0, 1).
Expr logistic(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
              DType dtype = DType::float64);
/// loc - scale log(-log(u)) with u uniform in (0, 1): extreme values.
Expr gumbel(const Expr& state, const Shape& shape, const Arg& loc = 0.0, const Arg& scale = 1.0,
            DType dtype = DType::float64);
/// Density exp(-x / scale) / scale for x >= 0.
Expr exponential(const Expr& state, const Shape& shape, const Arg& scale = 1.0,
                 DType dtype = DType::float64);
/// An exponential variable below b, stretched by `scale` and moved by `loc`.
Expr truncexpon(const Expr& state, const Shape& shape, const Arg& b, const Arg& loc = 0.0,
                const Arg& scale = 1.0, DType dtype = DType::float64);
/// Density x exp(-x^2 / (2 scale^2)) / scale^2 for x >= 0.
Expr rayleigh(const Expr& state, const Shape& shape, const Arg& scale = 1.0,
              DType dtype = DType::float64);
/// Density a x^(a - 1) exp(-x^a) for x >= 0; 0 for a = 0.
Expr weibull(const Expr& state, const Shape& shape, const Arg& a, DType dtype = DType::float64);
/// Lomax variables, Pareto's less 1: density a (1 + x)^(-a - 1) for x >= 0.
Expr pareto(const Expr& state, const Shape& shape, const Arg& a, DType dtype = DType::float64);
/// Density a x^(a - 1) on [0, 1]: NumPy's `power`.
Expr power_function(const Expr& state, const Shape& shape, const Arg& a,
                    DType dtype = DType::float64);
/// Density that rises from `left` up to `mode`, and falls from there to `right`.
Expr triangular(const Expr& state, const Shape& shape, const Arg& left, const Arg& mode,
                const Arg& right, DType dtype = DType::float64);
/// Density proportional to x^(a - 1) exp(-x / scale) for x >= 0 (Marsaglia, Tsang 2000).
Expr gamma(const Expr& state, const Shape& shape, const Arg& a, const Arg& scale = 1.0,
           DType dtype = DType::float64);
/// scale / gamma variable.
Expr invgamma(const Expr& state, const Shape& shape, const Arg& a, const Arg& scale = 1.0,
              DType dtype = DType::float64);
/// lambd times the p-th root of a gamma variable of shape alpha / p.
Expr gengamma(const Expr& state, const Shape& shape, const Arg& alpha, const Arg& p,
              const Arg& lambd, DType dtype = DType::float64);
/// Density proportional to x^(a - 1) (1 - x)^(b - 1) on [0, 1].
Expr beta(const Expr& state, const Shape& shape, const Arg& a, const Arg& b,
          DType dtype = DType::float64);
/// Sums of squares of df standard normal variables; df may be any number above 0.
Expr chisquare(const Expr& state, const Shape& shape, const Arg& df, DType dtype = DType::float64);
/// The same of normal variables whose means have squares with the sum nonc.
Expr noncentral_chisquare(const Expr& state, const Shape& shape, const Arg& df, const Arg& nonc,
                          DType dtype = DType::float64);
/// Ratios of two variables of `chisquare`, each divided by its degrees of freedom.
Expr f(const Expr& state, const Shape& shape, const Arg& dfnum, const Arg& dfden,
       DType dtype = DType::float64);
/// The same with the first one of `noncentral_chisquare`.
Expr noncentral_f(const Expr& state, const Shape& shape, const Arg& dfnum, const Arg& dfden,
                  const Arg& nonc, DType dtype = DType::float64);
/// Student's: loc + scale z / sqrt(c / df) with z standard normal and c of `chisquare`.
Expr t(const Expr& state, const Shape& shape, const Arg& df, const Arg& loc = 0.0,
       const Arg& scale = 1.0, DType dtype = DType::float64);
/// Inverse Gaussian variables of variance mean^3 / scale (Michael, Schucany, Haas 1976).
Expr wald(const Expr& state, const Shape& shape, const Arg& mean, const Arg& scale,
          DType dtype = DType::float64);
/// Angles in [-pi, pi), density proportional to exp(kappa cos(x - mu)) (Best, Fisher 1979).
Expr vonmises(const Expr& state, const Shape& shape, const Arg& mu, const Arg& kappa,
              DType dtype = DType::float64);

/// 1 with probability p, else 0.
Expr bernoulli(const Expr& state, const Shape& shape, const Arg& p, DType dtype = DType::int64);
/// How many of n trials succeed, each with probability p: by BTRS (Hoermann 1993).
Expr binomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& p,
              DType dtype = DType::int64);
/// The same with a probability of `beta`.
Expr betabinom(const Expr& state, const Shape& shape, const Arg& n, const Arg& a, const Arg& b,
               DType dtype = DType::int64);
/// Failures before n successes of probability p; n may be any number above 0.
Expr negative_binomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& p,
                       DType dtype = DType::int64);
/// Trials up to the first success: 1 or more.
Expr geometric(const Expr& state, const Shape& shape, const Arg& p, DType dtype = DType::int64);
/// Probabilities proportional to lam^k / k! of k = 0, 1, ...: by PTRS (Hoermann 1993).
Expr poisson(const Expr& state, const Shape& shape, const Arg& lam = 1.0,
             DType dtype = DType::int64);
/// Probabilities proportional to p^k / k of k = 1, 2, ... (Kemp 1981).
Expr logseries(const Expr& state, const Shape& shape, const Arg& p, DType dtype = DType::int64);
/// Probabilities proportional to k^-a of k = 1, 2, ..., for a above 1.
Expr zipf(const Expr& state, const Shape& shape, const Arg& a, DType dtype = DType::int64);
/// How many of `nsample` things drawn from `ngood` and `nbad` are good (HRUA, Stadlober 1989).
Expr hypergeometric(const Expr& state, const Shape& shape, const Arg& ngood, const Arg& nbad,
                    const Arg& nsample, DType dtype = DType::int64);

/// mean[n], cov[n, n], of which the lower triangle counts: mean + L z with the Cholesky factor L.
Expr multivariate_normal(const Expr& state, const Shape& shape, const Arg& mean, const Arg& cov,
                         DType dtype = DType::float64);
/// alpha[n]: numbers above 0 with the sum 1.
Expr dirichlet(const Expr& state, const Shape& shape, const Arg& alpha,
               DType dtype = DType::float64);
/// How often n trials give each of the categories of pvals[k]; the last one takes what is left.
Expr multinomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& pvals,
                 DType dtype = DType::int64);
/// Category i of p[k], which are weights of at least 0, with probability p[i] / sum: by inversion,
/// so that a category of weight 0 never comes.
Expr categorical(const Expr& state, const Shape& shape, const Arg& p, DType dtype = DType::int64);
/// How many of each color there are among `nsample` things of colors[k].
Expr multivariate_hypergeometric(const Expr& state, const Shape& shape, const Arg& colors,
                                 const Arg& nsample, DType dtype = DType::int64);

/// 0, ..., n - 1 (int64) in an order that is as likely as any other: that which sorts n words.
Expr permutation(const Arg& state, const Dim& n);
/// The slices of x along an axis in random order.
Expr shuffle(const Expr& state, const Arg& x, std::int64_t axis = 0);
/// x with each line along an axis in a random order of its own.
Expr permuted(const Expr& state, const Arg& x, std::int64_t axis = -1);
/// Whether a thing may be chosen again.
enum class Replace : bool { no, yes };
/// `count` of the places 0, ..., n - 1 (int64), each as likely as another, or by weights p[n] that
/// sum to 1. Those that are not replaced are drawn one after the other from those that are left;
/// ValueError where there are not so many (of weight above 0).
Expr choice(const Arg& state, const Dim& n, const Dim& count, Replace replace = Replace::yes,
            const std::optional<Arg>& p = {});

/// `normal`, `cauchy`, `exponential`, `gamma` and `t` with loc 0 and scale 1.
inline Expr standard_normal(const Expr& state, const Shape& shape, DType dtype = DType::float64,
                            Arg::Place at = Arg::Place::current()) {
  return normal(state, shape, Arg(0.0, at), Arg(1.0, at), dtype);
}
inline Expr standard_cauchy(const Expr& state, const Shape& shape, DType dtype = DType::float64,
                            Arg::Place at = Arg::Place::current()) {
  return cauchy(state, shape, Arg(0.0, at), Arg(1.0, at), dtype);
}
inline Expr standard_exponential(const Expr& state, const Shape& shape,
                                 DType dtype = DType::float64,
                                 Arg::Place at = Arg::Place::current()) {
  return exponential(state, shape, Arg(1.0, at), dtype);
}
inline Expr standard_gamma(const Expr& state, const Shape& shape, const Arg& a,
                           DType dtype = DType::float64) {
  return gamma(state, shape, a, Arg(Arg(1.0), a.origin()), dtype);
}
inline Expr standard_t(const Expr& state, const Shape& shape, const Arg& df,
                       DType dtype = DType::float64) {
  return t(state, shape, df, Arg(Arg(0.0), df.origin()), Arg(Arg(1.0), df.origin()), dtype);
}
/// Uniform in [0, 1).
inline Expr random(const Expr& state, const Shape& shape, DType dtype = DType::float64,
                   Arg::Place at = Arg::Place::current()) {
  return uniform(state, shape, Arg(0.0, at), Arg(1.0, at), dtype);
}

/// A distribution by name, as frontends look it up.
struct Distribution {
  std::string_view name;
  /// For each parameter, a digit: how many of its last axes belong to one draw. Those of a matrix
  /// do; the axes before them broadcast to the shape.
  std::string_view parameters;
  /// The dtype of the result unless another is asked for.
  DType dtype;
  Expr (*draw)(const Expr& state, const Shape& shape, std::span<const Arg> parameters, DType dtype);
};
std::span<const Distribution> distributions();
/// Null if unknown.
const Distribution* find_distribution(std::string_view name);

}  // namespace gnomon::random
