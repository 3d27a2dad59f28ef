// Activations as expressions of elementwise operations.
#include "stdlib/networks/activations.h"

#include <fmt/format.h>

#include <numbers>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/arrays/arrays.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/ops.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

Expr relu(const Arg& x) { return where(less_equal(x, 0), 0, x); }

Expr relu6(const Arg& x) {
  const CallScope call("relu6", x.origin());
  return where(less_equal(x, 0), 0, where(greater_equal(x, 6), 6, x));
}

Expr leaky_relu(const Arg& x, const Arg& negative_slope) {
  const CallScope call("leaky_relu", x.origin());
  return where(greater(x, 0), x, multiply(x, negative_slope));
}

Expr prelu(const Arg& x, const Arg& slopes, std::int64_t axis) {
  const CallScope call("prelu", x.origin());
  const auto [v, s] = promoted(x, slopes);
  if (s.rank() == 0) return leaky_relu(v, s);
  if (s.rank() != 1)
    throw ValueError(
        fmt::format("prelu: expected one slope or a vector, found {}", describe(s.value())));
  const std::int64_t at = normalize_axis(axis, v.rank(), "prelu");
  Shape shape(v.shape().size(), Dim(1));
  shape[static_cast<std::size_t>(at)] = s.dim(0);
  return leaky_relu(v, reshape(s, shape));
}

// `where` keeps the derivative of the exponential that overflows out of the other branch.
Expr elu(const Arg& x, const Arg& alpha) {
  const CallScope call("elu", x.origin());
  return where(greater(x, 0), x, multiply(alpha, expm1(x)));
}

Expr celu(const Arg& x, const Arg& alpha) {
  const CallScope call("celu", x.origin());
  return where(greater(x, 0), x, multiply(alpha, expm1(divide(x, alpha))));
}

Expr selu(const Arg& x) {
  const CallScope call("selu", x.origin());
  // The fixed point of mean and variance, from the paper's appendix.
  constexpr double alpha = 1.6732632423543772848170429916717;
  constexpr double scale = 1.0507009873554804934193349852946;
  return scale * where(greater(x, 0), x, alpha * expm1(x));
}

Expr gelu(const Arg& x, Gelu form) {
  const CallScope call("gelu", x.origin());
  const Expr v = as_floats(x);
  if (form == Gelu::exact) return 0.5 * v * erfc(v * (-1 / std::numbers::sqrt2));
  // (1 + tanh(z)) / 2 is sigmoid(2 z), which does not cancel. Beyond 30 that is 0 or 1, and the
  // cube may overflow.
  constexpr double twice_root = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi;
  const Expr w = clip(v, -30, 30);
  return v * sigmoid(twice_root * (w + 0.044715 * w * w * w));
}

Expr silu(const Arg& x) { return multiply(x, sigmoid(x)); }

Expr mish(const Arg& x) {
  const CallScope call("mish", x.origin());
  return multiply(x, tanh(softplus(x)));
}

Expr log_sigmoid(const Arg& x) { return -softplus(-as_floats(x)); }

Expr softsign(const Arg& x) {
  const CallScope call("softsign", x.origin());
  return divide(x, add(1, absolute(x)));
}

Expr hard_tanh(const Arg& x, const Arg& low, const Arg& high) { return clip(x, low, high); }

Expr hard_sigmoid(const Arg& x, const Arg& slope) {
  const CallScope call("hard_sigmoid", x.origin());
  return clip(multiply(as_floats(x), slope) + 0.5, 0, 1);
}

Expr hard_swish(const Arg& x) {
  const CallScope call("hard_swish", x.origin());
  const Expr v = as_floats(x);
  return v * clip(v + 3, 0, 6) / 6;
}

Expr hard_shrink(const Arg& x, const Arg& threshold) {
  const CallScope call("hard_shrink", x.origin());
  return where(less_equal(absolute(x), threshold), 0, x);
}

Expr soft_shrink(const Arg& x, const Arg& threshold) {
  const CallScope call("soft_shrink", x.origin());
  const auto [v, t] = promoted(as_floats(x), threshold);
  return v - clip(v, -t, t);
}

Expr glu(const Arg& x, std::int64_t axis) {
  const CallScope call("glu", x.origin());
  const std::vector<Expr> halves = split(as_floats(x), 2, axis);
  return halves[0] * sigmoid(halves[1]);
}

}  // namespace gnomon::nn
