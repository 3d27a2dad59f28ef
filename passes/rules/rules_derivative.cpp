// Rules of derivatives: forms whose derivatives keep digits that those of the plain forms lose.
#include "passes/algebra/common_factor.h"
#include "passes/algebra/series.h"
#include "passes/engine/facts.h"
#include "passes/engine/rule.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

// Whether a value is a number times another.
std::optional<double> ratio(const Value& u, const Value& v) {
  const std::optional<TermFactors> a = factors_of(u), b = factors_of(v);
  if (!a || !b || a->above != b->above || a->below != b->below) return std::nullopt;
  const double c = a->number / b->number;
  if (c * b->number != a->number || !is_normal(c, u.dtype())) return std::nullopt;
  return c;
}

// A factor that goes to 0 as x does: f(x), or x itself.
struct Vanishing {
  std::size_t place = 0;
  Value x;
  Expr slope;  // null for x itself
};

std::vector<Vanishing> vanishing_factors(const std::vector<Value>& factors) {
  std::vector<Vanishing> out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    const Expr slope = slope_to_origin(factors[i]);
    out.push_back({i, slope.defined() ? factors[i].input(0) : factors[i], slope});
  }
  return out;
}

Expr product_without(const std::vector<Value>& factors, std::size_t place, const Expr& instead) {
  Expr product = instead;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (i == place) continue;
    product = product.defined() ? product * Expr(factors[i]) : Expr(factors[i]);
  }
  return product;
}

// f(c x) / g(x) by the slopes of f and g: the quotient of two numbers near 1.
Expr quotient_of_slopes(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  const std::optional<TermFactors> all = factors_of(m.root);
  if (!all || all->below.empty()) return {};
  for (const Vanishing& p : vanishing_factors(all->above)) {
    for (const Vanishing& q : vanishing_factors(all->below)) {
      if (!p.slope.defined() && !q.slope.defined()) continue;
      const std::optional<double> c = ratio(p.x, q.x);
      if (!c) continue;
      const Expr number(number_value(*c * all->number, m.root.dtype()));
      Expr above = product_without(all->above, p.place, p.slope.defined() ? p.slope : Expr());
      const Expr below = product_without(all->below, q.place, q.slope.defined() ? q.slope : Expr());
      above = above.defined() ? above * number : number;
      const Expr result = below.defined() ? above / below : above;
      return result.value().shape() == m.root.shape() ? result : Expr();
    }
  }
  return {};
}

Expr at(DType t, const char* name) { return tensor(name, t, {Dim(8)}); }

RuleGroup make() {
  return {"derivative",
          "Forms for derivatives alone: they are applied when a derivative is taken, to what it is "
          "taken of.",
          {
              rule("quotient_of_slopes", Promise::finite, {&op::divide}, quotient_of_slopes,
                   "f(c * x) / x, x / f(x), f(c * x) / g(x) for f, g = sin, expm1, log1p, ...",
                   "c * (f(c * x) / (c * x)) with a series for small x",
                   [](DType t) {
                     const Expr a = at(t, "x");
                     return (exp(a) - 1) / a;
                   })
                  .except("x = 0"),
          }};
}

}  // namespace

const RuleGroup& derivative_rules() {
  static const RuleGroup group = make();
  return group;
}

}  // namespace gnomon
