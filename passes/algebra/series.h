// Functions that are close to x for small x, as series.
#pragma once

#include <optional>

#include "ir/graph/expr.h"

namespace gnomon {

/// f(x) / x for f(x) as x goes to 0: sin, tan, sinh, tanh, expm1, log1p and inverse functions of
/// these. A series for small x, so that derivatives of any order have digits there; the quotient
/// for others. Null for other functions.
Expr slope_to_origin(const Value& f);

/// a - b, one f(x), the other x; null for others.
Expr less_linear_part(const Value& a, const Value& b);
/// a - b, one 1 / f(x), the other 1 / x; null for others.
Expr less_pole(const Value& a, const Value& b);

}  // namespace gnomon
