// The distributions by name.
#include <array>

#include "stdlib/random/random.h"

namespace gnomon::random {

namespace {

using Parameters = std::span<const Arg>;

#define GNOMON_DRAW(...)                                                                  \
  [](const Expr& state, const Shape& shape, [[maybe_unused]] Parameters p, DType dtype) { \
    return __VA_ARGS__;                                                                   \
  }

constexpr std::array table = {
    Distribution{"bits", "", DType::uint64, GNOMON_DRAW(bits(state, shape, dtype))},
    Distribution{"integers", "00", DType::int64,
                 GNOMON_DRAW(integers(state, shape, p[0], p[1], dtype))},
    Distribution{"closed_integers", "00", DType::int64,
                 GNOMON_DRAW(integers(state, shape, p[0], p[1], dtype, true))},
    Distribution{"uniform", "00", DType::float64,
                 GNOMON_DRAW(uniform(state, shape, p[0], p[1], dtype))},
    Distribution{"normal", "00", DType::float64,
                 GNOMON_DRAW(normal(state, shape, p[0], p[1], dtype))},
    Distribution{"exponential", "0", DType::float64,
                 GNOMON_DRAW(exponential(state, shape, p[0], dtype))},
    Distribution{"lognormal", "00", DType::float64,
                 GNOMON_DRAW(lognormal(state, shape, p[0], p[1], dtype))},
    Distribution{"laplace", "00", DType::float64,
                 GNOMON_DRAW(laplace(state, shape, p[0], p[1], dtype))},
    Distribution{"logistic", "00", DType::float64,
                 GNOMON_DRAW(logistic(state, shape, p[0], p[1], dtype))},
    Distribution{"gumbel", "00", DType::float64,
                 GNOMON_DRAW(gumbel(state, shape, p[0], p[1], dtype))},
    Distribution{"cauchy", "00", DType::float64,
                 GNOMON_DRAW(cauchy(state, shape, p[0], p[1], dtype))},
    Distribution{"halfnormal", "00", DType::float64,
                 GNOMON_DRAW(halfnormal(state, shape, p[0], p[1], dtype))},
    Distribution{"halfcauchy", "00", DType::float64,
                 GNOMON_DRAW(halfcauchy(state, shape, p[0], p[1], dtype))},
    Distribution{"rayleigh", "0", DType::float64, GNOMON_DRAW(rayleigh(state, shape, p[0], dtype))},
    Distribution{"weibull", "0", DType::float64, GNOMON_DRAW(weibull(state, shape, p[0], dtype))},
    Distribution{"pareto", "0", DType::float64, GNOMON_DRAW(pareto(state, shape, p[0], dtype))},
    Distribution{"triangular", "000", DType::float64,
                 GNOMON_DRAW(triangular(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"truncated_normal", "0000", DType::float64,
                 GNOMON_DRAW(truncated_normal(state, shape, p[0], p[1], p[2], p[3], dtype))},
    Distribution{"truncexpon", "000", DType::float64,
                 GNOMON_DRAW(truncexpon(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"gamma", "00", DType::float64,
                 GNOMON_DRAW(gamma(state, shape, p[0], p[1], dtype))},
    Distribution{"invgamma", "00", DType::float64,
                 GNOMON_DRAW(invgamma(state, shape, p[0], p[1], dtype))},
    Distribution{"gengamma", "000", DType::float64,
                 GNOMON_DRAW(gengamma(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"beta", "00", DType::float64, GNOMON_DRAW(beta(state, shape, p[0], p[1], dtype))},
    Distribution{"chisquare", "0", DType::float64,
                 GNOMON_DRAW(chisquare(state, shape, p[0], dtype))},
    Distribution{"noncentral_chisquare", "00", DType::float64,
                 GNOMON_DRAW(noncentral_chisquare(state, shape, p[0], p[1], dtype))},
    Distribution{"f", "00", DType::float64, GNOMON_DRAW(f(state, shape, p[0], p[1], dtype))},
    Distribution{"noncentral_f", "000", DType::float64,
                 GNOMON_DRAW(noncentral_f(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"t", "000", DType::float64,
                 GNOMON_DRAW(random::t(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"wald", "00", DType::float64, GNOMON_DRAW(wald(state, shape, p[0], p[1], dtype))},
    Distribution{"vonmises", "00", DType::float64,
                 GNOMON_DRAW(vonmises(state, shape, p[0], p[1], dtype))},
    Distribution{"multivariate_normal", "12", DType::float64,
                 GNOMON_DRAW(multivariate_normal(state, shape, p[0], p[1], dtype))},
    Distribution{"dirichlet", "1", DType::float64,
                 GNOMON_DRAW(dirichlet(state, shape, p[0], dtype))},
    Distribution{"power", "0", DType::float64,
                 GNOMON_DRAW(power_function(state, shape, p[0], dtype))},
    Distribution{"bernoulli", "0", DType::int64, GNOMON_DRAW(bernoulli(state, shape, p[0], dtype))},
    Distribution{"binomial", "00", DType::int64,
                 GNOMON_DRAW(binomial(state, shape, p[0], p[1], dtype))},
    Distribution{"betabinom", "000", DType::int64,
                 GNOMON_DRAW(betabinom(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"negative_binomial", "00", DType::int64,
                 GNOMON_DRAW(negative_binomial(state, shape, p[0], p[1], dtype))},
    Distribution{"geometric", "0", DType::int64, GNOMON_DRAW(geometric(state, shape, p[0], dtype))},
    Distribution{"poisson", "0", DType::int64, GNOMON_DRAW(poisson(state, shape, p[0], dtype))},
    Distribution{"logseries", "0", DType::int64, GNOMON_DRAW(logseries(state, shape, p[0], dtype))},
    Distribution{"zipf", "0", DType::int64, GNOMON_DRAW(zipf(state, shape, p[0], dtype))},
    Distribution{"hypergeometric", "000", DType::int64,
                 GNOMON_DRAW(hypergeometric(state, shape, p[0], p[1], p[2], dtype))},
    Distribution{"multinomial", "01", DType::int64,
                 GNOMON_DRAW(multinomial(state, shape, p[0], p[1], dtype))},
    Distribution{"categorical", "1", DType::int64,
                 GNOMON_DRAW(categorical(state, shape, p[0], dtype))},
    Distribution{"multivariate_hypergeometric", "10", DType::int64,
                 GNOMON_DRAW(multivariate_hypergeometric(state, shape, p[0], p[1], dtype))},
};

}  // namespace

std::span<const Distribution> distributions() { return table; }

const Distribution* find_distribution(std::string_view name) {
  for (const Distribution& d : table)
    if (d.name == name) return &d;
  return nullptr;
}

}  // namespace gnomon::random
