// Discrete distributions.
#include "stdlib/random/random_draw.h"

namespace gnomon::random {

namespace {

struct Counts : ParametricDraw {
  Counts(std::string_view name, const Expr& state, const Shape& shape, DType dtype)
      : ParametricDraw(name, state, shape, computing_dtype) {
    integer_dtype(dtype);
  }
  /// A probability above 0.
  Expr likely(const Arg& x, std::string_view name) {
    const Expr p = in_unit(x, name);
    positive(p, name);
    return p;
  }
};

}  // namespace

Expr bernoulli(const Expr& state, const Shape& shape, const Arg& p, DType dtype) {
  const CallScope call("bernoulli", p.origin());
  Counts draw("bernoulli", state, shape, dtype);
  const Expr chance = draw.in_unit(p, "p");
  return cast(less(draw.unit(computing_dtype), chance), dtype);
}

Expr binomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& p, DType dtype) {
  const CallScope call("binomial", n.origin());
  Counts draw("binomial", state, shape, dtype);
  const Expr count = draw.not_negative(n, "n"), chance = draw.in_unit(p, "p");
  return cast(draw.tried(op::random_binomial, {floor(count), chance}), dtype);
}

Expr betabinom(const Expr& state, const Shape& shape, const Arg& n, const Arg& a, const Arg& b,
               DType dtype) {
  const CallScope call("betabinom", n.origin());
  Counts draw("betabinom", state, shape, dtype);
  const Expr count = draw.not_negative(n, "n");
  const Expr first = draw.above_zero(a, "a"), second = draw.above_zero(b, "b");
  const Expr chance = sigmoid(draw.log_gamma(first, 1) - draw.log_gamma(second, 3));
  return cast(draw.tried(op::random_binomial, {floor(count), chance}), dtype);
}

// A Poisson variable whose mean is a gamma variable.
Expr negative_binomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& p,
                       DType dtype) {
  const CallScope call("negative_binomial", n.origin());
  Counts draw("negative_binomial", state, shape, dtype);
  const Expr count = draw.above_zero(n, "n"), chance = draw.likely(p, "p");
  const Expr mean = exp(draw.log_gamma(count, 1)) * ((1 - chance) / chance);
  return cast(draw.tried(op::random_poisson, {mean}), dtype);
}

// By inversion: the whole number of exponential waiting times.
Expr geometric(const Expr& state, const Shape& shape, const Arg& p, DType dtype) {
  const CallScope call("geometric", p.origin());
  Counts draw("geometric", state, shape, dtype);
  const Expr chance = draw.likely(p, "p");
  return cast(maximum(ceil(draw.standard_exponential(computing_dtype) / -log1p(-chance)), 1),
              dtype);
}

Expr poisson(const Expr& state, const Shape& shape, const Arg& lam, DType dtype) {
  const CallScope call("poisson", lam.origin());
  Counts draw("poisson", state, shape, dtype);
  const Expr mean = draw.not_negative(lam, "lam");
  draw.require(less(mean, 0x1p63), "expected lam below 2**63");
  return cast(draw.tried(op::random_poisson, {mean}), dtype);
}

// Kemp 1981, "Efficient generation of logarithmically distributed pseudo-random variables", LK.
Expr logseries(const Expr& state, const Shape& shape, const Arg& p, DType dtype) {
  const CallScope call("logseries", p.origin());
  Counts draw("logseries", state, shape, dtype);
  const Expr chance = draw.in_unit(p, "p");
  draw.require(less(chance, 1), "expected p below 1");
  const Expr v = draw.open_unit(computing_dtype, 0);
  const Expr q = -expm1(log1p(-chance) * draw.open_unit(computing_dtype, 1));
  const Expr is_long = less_equal(v, square(q));
  const Expr far = floor(1 + log(v) / log(where(is_long, q, 0.5)));
  return cast(where(is_long, far, where(less(v, q), 2, 1)), dtype);
}

Expr zipf(const Expr& state, const Shape& shape, const Arg& a, DType dtype) {
  const CallScope call("zipf", a.origin());
  Counts draw("zipf", state, shape, dtype);
  const Expr exponent = draw.any(a, "a");
  draw.require(greater(exponent, 1), "expected a above 1");
  return cast(draw.tried(op::random_zipf, {exponent}), dtype);
}

Expr hypergeometric(const Expr& state, const Shape& shape, const Arg& ngood, const Arg& nbad,
                    const Arg& nsample, DType dtype) {
  const CallScope call("hypergeometric", ngood.origin());
  Counts draw("hypergeometric", state, shape, dtype);
  const Expr good = draw.not_negative(ngood, "ngood"), bad = draw.not_negative(nbad, "nbad");
  const Expr sample = draw.not_negative(nsample, "nsample");
  draw.require(less_equal(sample, good + bad), "expected nsample <= ngood + nbad");
  return cast(draw.tried(op::random_hypergeometric, {floor(good), floor(bad), floor(sample)}),
              dtype);
}

}  // namespace gnomon::random
