// Statistics and norms as expressions of reductions.
#include "stdlib/reductions/statistics.h"

#include <fmt/format.h>

#include <cmath>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/type_rules.h"

namespace gnomon {

namespace {

// The number of elements that are reduced together, of x's dtype.
Expr reduced_count(const Expr& x, const Axes& axes) {
  if (axes.all) return count_of(x.shape(), x.dtype());
  Shape extents;
  for (const std::int64_t axis : normalize_axes(axes.list, x.rank(), "var"))
    extents.push_back(x.shape()[static_cast<std::size_t>(axis)]);
  return count_of(extents, x.dtype());
}

// |x|^2, real of complex numbers too.
Expr squared_size(const Expr& x) {
  return is_complex(x.dtype()) ? square(real(x)) + square(imag(x)) : square(x);
}

// A root of sums of powers, with the derivative 0 where the sum is 0 (its own would be inf * 0).
Expr root(const Expr& sums, double order) {
  return where(sums > 0, order == 2 ? sqrt(sums) : power(sums, 1 / order), sums);
}

}  // namespace

Expr var(const Arg& x, const Axes& axes, double correction, Keepdims keep) {
  const CallScope call("var", x.origin());
  const Expr v = as_floats(x);
  const Expr squares = squared_size(v - mean(v, axes, keepdims));
  if (correction == 0) return mean(squares, axes, keep);
  return sum(squares, axes, keep) / maximum(reduced_count(squares, axes) - correction, 0);
}

Expr stddev(const Arg& x, const Axes& axes, double correction, Keepdims keep) {
  const CallScope call("stddev", x.origin());
  return root(var(x, axes, correction, keep), 2);
}

Expr ptp(const Arg& x, const Axes& axes, Keepdims keep) {
  const CallScope call("ptp", x.origin());
  return max(x, axes, keep) - min(x, axes, keep);
}

Expr average(const Arg& x, const Arg& weights, const Axes& axes, Keepdims keep) {
  const CallScope call("average", x.origin());
  const auto [v, w] = promoted(x, weights);
  const Expr product = v * w;
  return sum(product, axes, keep) / sum(broadcast_to(w, product.shape()), axes, keep);
}

Expr norm(const Arg& x, double order, const Axes& axes, Keepdims keep) {
  const CallScope call("norm", x.origin());
  const Expr v = as_floats(x);
  if (order == 2) return root(sum(squared_size(v), axes, keep), 2);
  const Expr size = absolute(v);
  if (std::isinf(order)) return order > 0 ? max(size, axes, keep) : min(size, axes, keep);
  if (order == 0) return sum(indicator(not_equal(v, 0), size.dtype()), axes, keep);
  if (order == 1) return sum(size, axes, keep);
  const Expr sums = sum(power(size, order), axes, keep);
  return order > 0 ? root(sums, order) : power(sums, 1 / order);
}

Expr cov(const Arg& samples, double correction) {
  const CallScope call("cov", samples.origin());
  const Expr v = as_floats(samples);
  if (v.rank() != 2)
    throw ValueError(fmt::format("cov: expected a matrix of samples, found {}", describe(v)));
  const Expr distance = v - mean(v, 1, keepdims);
  return matmul(distance, conj(transpose(distance))) /
         (count_of({{v.dim(1)}}, real(v).dtype()) - correction);
}

}  // namespace gnomon
