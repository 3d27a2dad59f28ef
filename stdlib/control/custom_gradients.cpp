// Values whose derivatives are not their own: clipped, scaled, zero.
#include "stdlib/control/custom_gradients.h"

#include <fmt/format.h>

#include <functional>

#include "ir/graph/origin.h"
#include "runtime/error.h"
#include "stdlib/control/body.h"
#include "stdlib/ops.h"

namespace gnomon {

namespace {

/// The identity whose derivative in both directions is `change` of what is passed through.
Expr identity_with(const Arg& x, const std::function<Expr(const Expr&)>& change) {
  const OriginScope place(x.origin());
  const Expr value(x.value());
  if (!is_inexact(value.dtype())) return value;
  Shape shape;
  for (const Dim& d : value.shape())
    shape.push_back(d.is_constant() ? d : Dim::symbol(fmt::format("n{}", shape.size())));
  const Expr leaf = tensor("x", value.dtype(), shape);
  const auto rule = [&](std::span<const Expr>, std::span<const Expr>, std::span<const Expr> d) {
    return std::vector<Expr>{change(d[0])};
  };
  const OpFromGraph same(std::span(&leaf, 1), std::span(&leaf, 1), {rule, rule});
  return same(std::span(&value, 1))[0];
}

}  // namespace

Expr grad_clip(const Arg& x, double low, double high) {
  const CallScope call("grad_clip", x.origin());
  if (!(low <= high))
    throw ValueError(fmt::format("grad_clip: expected low <= high, found {} and {}", low, high));
  return identity_with(x, [&](const Expr& d) { return clip(d, low, high); });
}

Expr grad_scale(const Arg& x, double factor) {
  const CallScope call("grad_scale", x.origin());
  return identity_with(x, [&](const Expr& d) { return d * factor; });
}

Expr zero_grad(const Arg& x) {
  const CallScope call("zero_grad", x.origin());
  return identity_with(x, [](const Expr&) { return Expr(); });
}

std::vector<Expr> checkpoint(const std::function<std::vector<Expr>(std::span<const Expr>)>& f,
                             const ExprList& arguments) {
  const CallPlace call("", arguments.origin());
  const std::vector<Expr> inputs = inputs_like(arguments);
  OpFromGraphOptions options;
  options.recompute = true, options.name = "checkpoint";
  const std::vector<Expr> results = [&] {
    const OriginPause pause;  // the user's lines count in f
    return f(inputs);
  }();
  return OpFromGraph(inputs, results, options)(arguments);
}

}  // namespace gnomon
