// What rules of differences share: pairs of terms of a sum.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {

inline constexpr std::size_t most_pairs = 12;  // terms looked at, all pairs of them

/// The terms a and b of a sum as the difference of two values where one has a minus sign.
struct Difference {
  Value positive, negative;
};

inline std::optional<Difference> difference_of(const Value& a, const Value& b) {
  if (b.is(op::negative) && !a.is(op::negative)) return Difference{a, b.input(0)};
  if (a.is(op::negative) && !b.is(op::negative)) return Difference{b, a.input(0)};
  return std::nullopt;
}

/// `f` of two terms of a sum gives what they add up to, or null. The first pair it takes goes.
template <class F>
Expr first_pair(const Match& m, const F& f) {
  if (!is_float(m.root.dtype())) return {};
  const std::span<const Value> terms = m.root.node().operands();
  const std::size_t count = std::min(terms.size(), most_pairs);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t j = i + 1; j < count; ++j) {
      const Expr both = f(terms[i], terms[j]);
      if (!both.defined()) continue;
      std::vector<Value> all{both.value()};
      for (std::size_t k = 0; k < terms.size(); ++k)
        if (k != i && k != j) all.push_back(terms[k]);
      const Value sum = all.size() == 1 ? all[0] : make_node(op::add, std::move(all));
      return sum.shape() == m.root.shape() ? Expr(sum) : Expr();
    }
  }
  return {};
}

template <Expr (*f)(const Value&, const Value&)>
Expr pair_of_terms(const Match& m) {
  return first_pair(m, f);
}

/// The same for the two sides of a difference.
template <Expr (*f)(const Value&, const Value&)>
Expr of_difference(const Value& a, const Value& b) {
  const std::optional<Difference> d = difference_of(a, b);
  return d ? f(d->positive, d->negative) : Expr();
}

/// a - b where they are far apart and so lose no digits, else `close`, which takes more roundings.
/// The difference is spelled so that no rule takes it for one.
inline Expr if_far(const Value& a, const Value& b, const Expr& close, double share = 0.5) {
  const Expr plain = fma(Expr(b), -1, Expr(a));
  return where(absolute(plain) >= share * absolute(Expr(a)), plain, close);
}

/// 1 / f(x) - 1 / g(x) as (g(x) - f(x)) / f(x) / g(x), if a rule knows g(x) - f(x).
Expr difference_of_reciprocals(const Match& m);
/// Quotients of a sum over a common denominator, where that cancels what they have in common.
Expr common_denominator(const Match& m);

}  // namespace gnomon
