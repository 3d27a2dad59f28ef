// Losses of numbers, probabilities, margins and angles, element by element.
#include "stdlib/networks/losses.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/linalg/matrices.h"
#include "stdlib/networks/losses_reduction.h"
#include "stdlib/ops.h"
#include "stdlib/reductions/statistics.h"
#include "stdlib/type_rules.h"

namespace gnomon::nn {

Expr reduced(const Expr& losses, Reduction reduction) {
  switch (reduction) {
    case Reduction::mean: return mean(losses);
    case Reduction::sum: return sum(losses);
    case Reduction::batch_mean:
      return sum(losses) /
             count_of({{losses.rank() == 0 ? Dim(1) : losses.dim(0)}}, losses.dtype());
    default: return losses;
  }
}

namespace {

Expr difference(const Arg& x, const Arg& targets) {
  const auto [a, b] = promoted(x, targets);
  return as_floats(a) - as_floats(b);
}

// x * f(y), and 0 where x is 0 and y is a number.
template <class F>
Expr times_log(const Expr& x, const Expr& y, const F& f) {
  const Expr is_zero = logical_and(equal(x, 0), logical_not(isnan(y)));
  return where(is_zero, 0, x * f(where(is_zero, 1, y)));
}

// max(0, x), with derivative 0 at 0.
Expr positive_part(const Expr& x) { return where(less_equal(x, 0), 0, x); }

}  // namespace

// -------------------------------------------------------------------------------- of real numbers

Expr mse_loss(const Arg& x, const Arg& targets, Reduction reduction) {
  const CallScope call("mse_loss", x.origin());
  return reduced(square(difference(x, targets)), reduction);
}

Expr l1_loss(const Arg& x, const Arg& targets, Reduction reduction) {
  const CallScope call("l1_loss", x.origin());
  return reduced(absolute(difference(x, targets)), reduction);
}

Expr huber_loss(const Arg& x, const Arg& targets, const Arg& delta, Reduction reduction) {
  const CallScope call("huber_loss", x.origin());
  const auto [d, border] = promoted(difference(x, targets), delta);
  const Expr size = absolute(d);
  const Expr losses =
      where(less_equal(size, border), 0.5 * square(d), border * (size - 0.5 * border));
  return reduced(losses, reduction);
}

Expr smooth_l1_loss(const Arg& x, const Arg& targets, const Arg& beta, Reduction reduction) {
  const CallScope call("smooth_l1_loss", x.origin());
  const auto [d, border] = promoted(difference(x, targets), beta);
  const Expr size = absolute(d);
  const Expr losses = where(less(size, border), 0.5 * square(d) / border, size - 0.5 * border);
  return reduced(losses, reduction);
}

// cosh(d) = 1 + 2 sinh(d / 2)^2 near 0, e^d (1 + e^(-2 d)) / 2 beyond.
Expr log_cosh_loss(const Arg& x, const Arg& targets, Reduction reduction) {
  const CallScope call("log_cosh_loss", x.origin());
  const Expr size = absolute(difference(x, targets));
  const Expr near = log1p(2 * square(sinh(0.5 * size)));
  const Expr far = size - std::numbers::ln2 + log1p(exp(-2 * size));
  return reduced(where(less(size, 1), near, far), reduction);
}

Expr gaussian_nll_loss(const Arg& x, const Arg& targets, const Arg& var, bool full, double epsilon,
                       Reduction reduction) {
  const CallScope call("gaussian_nll_loss", x.origin());
  const auto [d, given] = promoted(difference(x, targets), var);
  const Expr v = maximum(given, epsilon);
  Expr losses = 0.5 * (log(v) + square(d) / v);
  if (full) losses = losses + 0.5 * std::log(2 * std::numbers::pi);
  return reduced(losses, reduction);
}

Expr poisson_nll_loss(const Arg& x, const Arg& targets, bool log_input, bool full,
                      Reduction reduction) {
  const CallScope call("poisson_nll_loss", x.origin());
  const auto [a, b] = promoted(x, targets);
  const Expr rate = as_floats(a), counts = as_floats(b);
  Expr losses = log_input ? exp(rate) - counts * rate
                          : rate - times_log(counts, rate, [](const Expr& y) { return log(y); });
  if (full) losses = losses + gammaln(counts + 1);
  return reduced(losses, reduction);
}

// -------------------------------------------------------------------------------- of probabilities

Expr binary_cross_entropy(const Arg& p, const Arg& t, Reduction reduction) {
  const CallScope call("binary_cross_entropy", p.origin());
  const auto [a, b] = promoted(p, t);
  const Expr chance = as_floats(a), target = as_floats(b);
  const Expr losses = -(times_log(target, chance, [](const Expr& y) { return log(y); }) +
                        times_log(1 - target, -chance, [](const Expr& y) { return log1p(y); }));
  return reduced(losses, reduction);
}

Expr binary_cross_entropy_with_logits(const Arg& logits, const Arg& t,
                                      const std::optional<Arg>& pos_weight, Reduction reduction) {
  const CallScope call("binary_cross_entropy_with_logits", logits.origin());
  const auto [a, b] = promoted(logits, t);
  const Expr x = as_floats(a), target = as_floats(b);
  if (!pos_weight) return reduced(softplus(x) - x * target, reduction);
  const Expr weight = 1 + (promoted(x, *pos_weight).second - 1) * target;
  return reduced((1 - target) * x + weight * softplus(-x), reduction);
}

Expr kl_div(const Arg& logs, const Arg& p, bool log_targets, Reduction reduction) {
  const CallScope call("kl_div", logs.origin());
  const auto [a, b] = promoted(logs, p);
  const Expr q = as_floats(a), t = as_floats(b);
  const Expr chance = log_targets ? exp(t) : t;
  const Expr losses = chance * ((log_targets ? t : log(t)) - q);
  return reduced(where(equal(chance, 0), 0, losses), reduction);
}

// --------------------------------------------------------------------------- of margins and angles

Expr hinge_loss(const Arg& x, const Arg& t, bool squared, Reduction reduction) {
  const CallScope call("hinge_loss", x.origin());
  const auto [a, b] = promoted(x, t);
  const Expr gap = positive_part(1 - as_floats(a) * as_floats(b));
  return reduced(squared ? square(gap) : gap, reduction);
}

Expr soft_margin_loss(const Arg& x, const Arg& t, Reduction reduction) {
  const CallScope call("soft_margin_loss", x.origin());
  const auto [a, b] = promoted(x, t);
  return reduced(softplus(-(as_floats(a) * as_floats(b))), reduction);
}

Expr margin_ranking_loss(const Arg& x1, const Arg& x2, const Arg& t, const Arg& margin,
                         Reduction reduction) {
  const CallScope call("margin_ranking_loss", x1.origin());
  return reduced(positive_part(margin - t * difference(x1, x2)), reduction);
}

Expr hinge_embedding_loss(const Arg& x, const Arg& t, const Arg& margin, Reduction reduction) {
  const CallScope call("hinge_embedding_loss", x.origin());
  const Expr distance = as_floats(x);
  return reduced(where(equal(t, 1), distance, positive_part(margin - distance)), reduction);
}

Expr cosine_similarity(const Arg& x1, const Arg& x2, std::int64_t axis, double epsilon) {
  const CallScope call("cosine_similarity", x1.origin());
  const auto [a, b] = promoted(x1, x2);
  const Expr x = as_floats(a), y = as_floats(b);
  return sum(x * y, axis) /
         (maximum(norm(x, 2, axis), epsilon) * maximum(norm(y, 2, axis), epsilon));
}

Expr cosine_embedding_loss(const Arg& x1, const Arg& x2, const Arg& t, const Arg& margin,
                           Reduction reduction) {
  const CallScope call("cosine_embedding_loss", x1.origin());
  const Expr cosine = cosine_similarity(x1, x2);
  return reduced(where(equal(t, 1), 1 - cosine, positive_part(cosine - margin)), reduction);
}

Expr triplet_margin_loss(const Arg& anchor, const Arg& positive, const Arg& negative,
                         const Arg& margin, double order, Reduction reduction) {
  const CallScope call("triplet_margin_loss", anchor.origin());
  const Expr near = norm(difference(anchor, positive), order, -1);
  const Expr far = norm(difference(anchor, negative), order, -1);
  return reduced(positive_part(near - far + margin), reduction);
}

}  // namespace gnomon::nn
