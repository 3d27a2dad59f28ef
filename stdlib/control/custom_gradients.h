// Values whose derivatives are not their own: clipped, scaled, zero.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/graph/expr.h"

namespace gnomon {

/// x; what a derivative passes through it, backwards or forwards, is clipped to [low, high]. So the
/// forward rule is not linear: it is that of each tangent by itself.
Expr grad_clip(const Arg& x, double low, double high);
/// x; what a derivative passes through it is multiplied by `factor`: -1 reverses it.
Expr grad_scale(const Arg& x, double factor);
/// x, with derivative 0. Unlike that of stop_gradient, x counts as having influence.
Expr zero_grad(const Arg& x);

/// f of the arguments; the derivative computes anew what it needs between them and the results, and
/// keeps nothing of it. Calls f once, with expressions of the arguments' types.
std::vector<Expr> checkpoint(const std::function<std::vector<Expr>(std::span<const Expr>)>& f,
                             const ExprList& arguments);

}  // namespace gnomon
