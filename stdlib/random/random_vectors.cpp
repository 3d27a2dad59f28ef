// Distributions of vectors: the last axis of the result is one draw.
#include <fmt/format.h>

#include "runtime/error.h"
#include "stdlib/linalg/linalg.h"
#include "stdlib/random/random_draw.h"

namespace gnomon::random {

namespace {

// The last extent of a parameter that has a vector for each draw.
Dim length_of(std::string_view name, const Expr& x) {
  if (x.rank() < 1)
    throw ValueError(fmt::format("{}: expected a vector, found {}", name, describe(x.value())));
  return x.shape().back();
}

Shape with_axis(Shape shape, const Dim& n) {
  shape.push_back(n);
  return shape;
}

// Category by category: `count(i, left, draw)` gives how many of the `left` fall into category i.
template <class Count>
Expr one_by_one(std::string_view name, const Expr& state, const Shape& shape, const Dim& categories,
                const Expr& total, DType dtype, const Count& count) {
  const Expr none = full(with_axis(shape, categories), constant(std::int64_t{0}, dtype));
  const Expr initial[] = {broadcast_to(total, shape), none};
  return fori(extent(categories), initial, [&](const Expr& i, std::span<const Expr> states) {
    Draw draw(name, fold_in(state, i), shape);
    const Expr found = count(i, states[0], draw);
    const Index at[] = {ellipsis, Index(i)};
    return std::vector<Expr>{states[0] - found, set_at(states[1], at, cast(found, dtype))};
  })[1];
}

Expr element(const Expr& x, const Expr& i) {
  const Index at[] = {ellipsis, Index(i)};
  return index(x, at);
}

// The elements from each on, added up from the end; as a loop over the last axis.
Expr sums_from(const Expr& x) {
  Shape shape = x.shape();
  const Dim n = shape.back();
  shape.pop_back();
  const Expr initial[] = {full(shape, constant(0.0, x.dtype())), x};
  return fori(extent(n), initial, [&](const Expr& i, std::span<const Expr> states) {
    const Expr at_end = extent(n) - 1 - i;
    const Expr sum = states[0] + element(x, at_end);
    const Index at[] = {ellipsis, Index(at_end)};
    return std::vector<Expr>{sum, set_at(states[1], at, sum)};
  })[1];
}

}  // namespace

Expr multivariate_normal(const Expr& state, const Shape& shape, const Arg& mean, const Arg& cov,
                         DType dtype) {
  const CallScope call("multivariate_normal", mean.origin());
  const Expr m = cast(mean, dtype), c = cast(cov, dtype);
  const Dim n = length_of("multivariate_normal", m);
  if (c.rank() < 2)
    throw ValueError("multivariate_normal: expected a matrix as cov, found " + describe(c.value()));
  const Expr z = normal(state, with_axis(shape, n), 0.0, 1.0, dtype);
  const Expr factor = cholesky(c);
  if (c.rank() == 2 && !shape.empty()) return m + matmul(z, transpose(factor));
  return m + sum(factor * expand_dims(z, -2), -1);
}

Expr dirichlet(const Expr& state, const Shape& shape, const Arg& alpha, DType dtype) {
  const CallScope call("dirichlet", alpha.origin());
  const Expr a = cast(alpha, computing_dtype);
  Draw draw("dirichlet", state, with_axis(shape, length_of("dirichlet", a)));
  draw.float_dtype(dtype);
  draw.positive(a, "alpha");
  return cast(softmax(draw.log_gamma(a)), dtype);
}

Expr multinomial(const Expr& state, const Shape& shape, const Arg& n, const Arg& pvals,
                 DType dtype) {
  const CallScope call("multinomial", n.origin());
  const Expr p = cast(pvals, computing_dtype);
  const Dim categories = length_of("multinomial", p);
  Draw draw("multinomial", state, shape);
  draw.integer_dtype(dtype);
  const Expr total = draw.parameter(n, "n", computing_dtype);
  draw.non_negative(total, "n");
  draw.require(logical_and(greater_equal(p, 0), less_equal(p, 1)),
               "expected pvals between 0 and 1");
  draw.require(less_equal(sum(p, -1), 1 + 1e-9), "expected pvals with a sum of at most 1");
  const Expr rest = sums_from(p);
  return one_by_one("multinomial", draw.checked(state), shape, categories, floor(total), dtype,
                    [&](const Expr& i, const Expr& left, Draw& step) {
                      const Expr at = element(p, i), below = element(rest, i);
                      // The last category takes what is left.
                      const Expr chance =
                          where(equal(i, extent(categories) - 1), 1,
                                where(greater(below, 0), minimum(at / below, 1), 0));
                      return step.tried(op::random_binomial, {left, chance});
                    });
}

Expr multivariate_hypergeometric(const Expr& state, const Shape& shape, const Arg& colors,
                                 const Arg& nsample, DType dtype) {
  const CallScope call("multivariate_hypergeometric", colors.origin());
  const Expr c = cast(colors, computing_dtype);
  const Dim categories = length_of("multivariate_hypergeometric", c);
  Draw draw("multivariate_hypergeometric", state, shape);
  draw.integer_dtype(dtype);
  const Expr total = draw.parameter(nsample, "nsample", computing_dtype);
  draw.non_negative(total, "nsample");
  draw.require(greater_equal(c, 0), "expected colors of at least 0");
  draw.require(less_equal(total, sum(c, -1)), "expected nsample of at most the sum of colors");
  const Expr rest = sums_from(c);
  return one_by_one("multivariate_hypergeometric", draw.checked(state), shape, categories,
                    floor(total), dtype, [&](const Expr& i, const Expr& left, Draw& step) {
                      const Expr good = element(c, i);
                      return step.tried(op::random_hypergeometric,
                                        {good, element(rest, i) - good, left});
                    });
}

}  // namespace gnomon::random
