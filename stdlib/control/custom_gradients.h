// Values whose derivatives are not their own: clipped, scaled, zero.
#pragma once

#include "ir/graph/expr.h"

namespace gnomon {

/// x; what a derivative passes through it, backwards or forwards, is clipped to [low, high]. So the
/// forward rule is not linear: it is that of each tangent by itself.
Expr grad_clip(const Arg& x, double low, double high);
/// x; what a derivative passes through it is multiplied by `factor`: -1 reverses it.
Expr grad_scale(const Arg& x, double factor);
/// x, with derivative 0. Unlike that of stop_gradient, x counts as having influence.
Expr zero_grad(const Arg& x);

}  // namespace gnomon
