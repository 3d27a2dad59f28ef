// Factors that terms of a sum share, taken out where a rule knows what is left.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph/expr.h"
#include "passes/engine/rule.h"

namespace gnomon {

/// A number times factors over divisors.
struct TermFactors {
  double number = 1;
  std::vector<Value> above, below;
  /// Quotients of quotients: no product of divisors is in the expression, and it might overflow.
  bool is_nested = false;
};

/// The factors of a value, as they stand in it; nothing where there are too many, or a divisor is a
/// number.
std::optional<TermFactors> factors_of(const Value& v);

/// p / q with the factors that both have gone; null if there are none but numbers.
Expr cancelled_quotient(const Value& p, const Value& q);

/// c * f(x) - c * g(x) as c * (f(x) - g(x)), c a number, a sign, factors or divisors, where a rule
/// of stability, functions or differences fires on f(x) - g(x). Null where none does.
Expr out_of_common_factor(const Match& m);

/// What the first of these rules makes of a sum in canonical form; null if none fires.
Expr better_form(const Match& m, const Value& sum);

}  // namespace gnomon
