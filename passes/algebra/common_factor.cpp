// Factors that terms of a sum share, taken out where a rule knows what is left.
#include "passes/algebra/common_factor.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "passes/engine/facts.h"
#include "passes/engine/rewrite.h"
#include "passes/pipeline.h"
#include "stdlib/ops.h"

namespace gnomon {
namespace {

constexpr std::size_t most_terms = 8;    // of a sum that is looked at
constexpr std::size_t most_factors = 8;  // of a term

bool take_divisors(const Value& v, TermFactors& term) {
  if (is_constant(v)) return false;
  if (!v.is(op::multiply) || term.is_nested) {
    term.below.push_back(v);
    return true;
  }
  const std::span<const Value> factors = v.node().operands();
  term.below.insert(term.below.end(), factors.begin(), factors.end());
  return term.below.size() <= most_factors;
}

bool take_factors(const Value& v, TermFactors& term, int depth = 8) {
  if (const std::optional<double> c = number_of(v)) {
    // A product of numbers might be rounded.
    const bool is_first = std::abs(term.number) == 1 || std::abs(*c) == 1;
    term.number *= *c;
    return is_first && *c != 0 && std::isfinite(*c);
  }
  if (v.is(op::negative)) {
    term.number = -term.number;
    return take_factors(v.input(0), term, depth);
  }
  const auto take = [&](const Value& factor) { return take_factors(factor, term, depth - 1); };
  // Quotients among the factors of a product stay what they are, but for numbers beside them.
  const auto take_whole = [&](const Value& factor) {
    return take_factors(factor, term, factor.is(op::multiply) ? depth - 1 : 0);
  };
  if (depth > 0 && v.is(op::multiply)) {
    const std::span<const Value> factors = v.node().operands();
    const bool is_scaled = factors.size() == 2 && (number_of(factors[0]) || number_of(factors[1]));
    return is_scaled ? std::ranges::all_of(factors, take)
                     : std::ranges::all_of(factors, take_whole);
  }
  if (depth > 0 && v.is(op::divide)) {
    term.is_nested |= v.input(0).is(op::divide) || v.input(0).is(op::reciprocal);
    return take(v.input(0)) && take_divisors(v.input(1), term);
  }
  if (depth > 0 && v.is(op::reciprocal)) return take_divisors(v.input(0), term);
  term.above.push_back(v);
  return term.above.size() <= most_factors;
}

// What two lists have in common, each as often as in both; in the order of the first.
std::vector<Value> shared(const std::vector<Value>& a, std::vector<Value> b) {
  std::vector<Value> out;
  for (const Value& v : a) {
    const auto found = std::ranges::find(b, v);
    if (found == b.end()) continue;
    out.push_back(v);
    b.erase(found);
  }
  return out;
}

// `list` without `taken`; nothing if it does not have them all.
std::optional<std::vector<Value>> without(std::vector<Value> list,
                                          const std::vector<Value>& taken) {
  for (const Value& v : taken) {
    const auto found = std::ranges::find(list, v);
    if (found == list.end()) return std::nullopt;
    list.erase(found);
  }
  return list;
}

Value product_of(const std::vector<Value>& factors, const Value& like) {
  if (factors.empty()) return number_value(1, like.dtype());
  return factors.size() == 1 ? factors[0] : make_node(op::multiply, factors);
}

// A number times one value or its reciprocal, in canonical form.
Value scaled(double c, const TermFactors& core, DType t) {
  if (core.above.empty() && core.below.empty()) return number_value(c, t);
  Value v;
  if (core.below.empty())
    v = core.above.size() == 1 ? core.above[0] : make_node(op::multiply, core.above);
  else
    v = make_node(op::reciprocal, {product_of(core.below, core.below[0])});
  if (std::abs(c) != 1) return make_node(op::multiply, {v, number_value(c, t)});
  return c < 0 ? make_node(op::negative, {v}) : v;
}

// The term over a factor, if that leaves a number times one or two values, a reciprocal or nothing.
std::optional<Value> over(const TermFactors& term, const TermFactors& factor, DType t) {
  const double c = term.number / factor.number;
  const bool is_simple = std::abs(c) < 0x1p20 && std::ldexp(c, 10) == std::floor(std::ldexp(c, 10));
  if (!is_simple || c == 0 || c * factor.number != term.number) return std::nullopt;
  const auto above = without(term.above, factor.above), below = without(term.below, factor.below);
  if (!above || !below) return std::nullopt;
  const std::size_t most_below = term.is_nested ? 1 : 2;
  if (below->size() > most_below || above->size() > (below->empty() ? 2 : 0)) return std::nullopt;
  return scaled(c, {1, *above, *below, false}, t);
}

// Rules that find digits in a sum: those that only regroup it would take out any factor.
bool saves_digits(const Rule& rule) {
  constexpr std::array regrouping = {"common_factor", "common_divisor"};
  return std::ranges::find(regrouping, rule.name) == regrouping.end();
}

std::span<const IndexedRule> rules_that_save_digits() {
  static const RuleSet all({Purpose::formulas, Purpose::differences}, RewriteLevel::all, &op::add);
  static const std::vector<IndexedRule> rules = [] {
    std::vector<IndexedRule> saving;
    for (const IndexedRule& row : all.rules_of(op::add))
      if (saves_digits(*row.rule)) saving.push_back(row);
    return saving;
  }();
  return rules;
}

bool is_function_term(const Value& v) {
  return v.op().is_elementwise() && v.node().operands().size() <= 2 && !v.is(op::add) &&
         !v.is(op::subtract) && !v.is(op::cast) && !v.is(op::multiply);
}

// Sums that rules know have a function of one number, or a reciprocal, among their terms.
bool may_have_form(const std::vector<Value>& terms) {
  return std::ranges::any_of(terms, [](const Value& term) {
    const Value& bare = term.is(op::negative) ? term.input(0) : term;
    if (!bare.is(op::multiply)) return is_function_term(bare) || bare.is(op::mean);
    return std::ranges::any_of(bare.node().operands(), is_function_term);
  });
}

// Whether what is left of one of the terms over a factor may be such a term.
bool may_leave_form(const std::vector<std::optional<TermFactors>>& terms) {
  return std::ranges::any_of(terms, [](const std::optional<TermFactors>& term) {
    const auto is_it = [](const Value& v) { return is_function_term(v) || v.is(op::mean); };
    return term && (!term->below.empty() || std::ranges::any_of(term->above, is_it));
  });
}

// A factor, with the terms it divides over it, and the others.
struct Split {
  TermFactors factor;
  std::vector<Value> inner, rest;
};

// Whether the product with the factor stays in range on the way where the terms did: it is a number
// or one value, perhaps with a number of ordinary size, or one of the terms itself.
bool keeps_range(const Split& split) {
  const TermFactors& factor = split.factor;
  const double c = std::abs(factor.number);
  if (factor.above.size() <= 1 && factor.below.size() <= 1)
    return factor.above.empty() || (c >= 0x1p-20 && c <= 0x1p20);
  const auto is_one = [](const Value& v) { return std::abs(number_of(v).value_or(0)) == 1; };
  return factor.below.size() <= 1 && std::ranges::any_of(split.inner, is_one);
}

std::optional<Split> split_by(const TermFactors& factor, std::span<const Value> values,
                              const std::vector<std::optional<TermFactors>>& terms, DType t) {
  Split split{factor, {}, {}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::optional<Value> inner = terms[i] ? over(*terms[i], factor, t) : std::nullopt;
    if (inner)
      split.inner.push_back(*inner);
    else
      split.rest.push_back(values[i]);
  }
  if (split.inner.size() < 2 || !keeps_range(split) || !may_have_form(split.inner))
    return std::nullopt;
  return split;
}

// The factor times the sum, over its divisors. Of several values that are a term of their own the
// product comes first, as it stands there.
Expr times(const TermFactors& factor, const Expr& sum) {
  const DType t = sum.dtype();
  std::vector<Value> factors = factor.above;
  if (std::abs(factor.number) != 1) factors.push_back(number_value(factor.number, t));
  factors.insert(factor.above.size() > 1 ? factors.end() : factors.begin(), sum.value());
  Value value = product_of(factors, sum.value());
  if (!factor.below.empty())
    value = make_node(op::divide, {value, product_of(factor.below, sum.value())});
  return factor.number < 0 && std::abs(factor.number) == 1 ? -Expr(value) : Expr(value);
}

Expr taken_out(const Match& m, const Split& split) {
  const Expr known = better_form(m, make_node(op::add, split.inner));
  if (!known.defined()) return {};
  const Expr product = times(split.factor, known);
  if (split.rest.empty()) return product;
  std::vector<Value> terms = split.rest;
  terms.insert(terms.begin(), product.value());
  return Expr(make_node(op::add, std::move(terms)));
}

// The factors that are tried: of each pair of terms what they share and each one's number, of
// either sign.
std::vector<TermFactors> candidates(const std::vector<std::optional<TermFactors>>& terms) {
  std::vector<TermFactors> out;
  const auto add = [&](double number, const std::vector<Value>& above,
                       const std::vector<Value>& below) {
    for (const double c : {number, -number}) {
      if (c == 1 && above.empty() && below.empty()) continue;
      const auto is_it = [&](const TermFactors& known) {
        return known.number == c && known.above == above && known.below == below;
      };
      if (std::ranges::none_of(out, is_it)) out.push_back({c, above, below, false});
    }
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = i + 1; j < terms.size(); ++j) {
      if (!terms[i] || !terms[j]) continue;
      const std::vector<Value> above = shared(terms[i]->above, terms[j]->above);
      const std::vector<Value> below = shared(terms[i]->below, terms[j]->below);
      const double c = std::abs(terms[i]->number), d = std::abs(terms[j]->number);
      add(c, above, below);
      if (c != d) add(d, above, below);
    }
  }
  return out;
}

}  // namespace

std::optional<TermFactors> factors_of(const Value& v) {
  TermFactors factors;
  return take_factors(v, factors) ? std::optional(factors) : std::nullopt;
}

Expr cancelled_quotient(const Value& p, const Value& q) {
  const std::optional<TermFactors> a = factors_of(p), b = factors_of(q);
  if (!a || !b) return {};
  std::vector<Value> above = a->above, below = a->below;
  above.insert(above.end(), b->below.begin(), b->below.end());
  below.insert(below.end(), b->above.begin(), b->above.end());
  const std::vector<Value> both = shared(above, below);
  if (both.empty()) return {};
  above = *without(above, both);
  below = *without(below, both);
  const double number = a->number / b->number;
  const bool is_exact = is_power_of_two(a->number) || is_power_of_two(b->number);
  if (!is_exact || !is_normal(number, p.dtype())) return {};
  if (number != 1) above.push_back(number_value(number, p.dtype()));
  const Value product = product_of(above, p);
  return below.empty() ? Expr(product) : Expr(product) / Expr(product_of(below, p));
}

Expr better_form(const Match& m, const Value& sum) {
  for (const IndexedRule& row : rules_that_save_digits()) {
    if (m.disabled && m.disabled->contains(row.rule)) continue;
    Match match;
    match.root = sum;
    match.regroups = m.regroups;
    match.disabled = m.disabled;
    if (Value made = replacement(row, match)) return Expr(std::move(made));
  }
  return {};
}

Expr out_of_common_factor(const Match& m) {
  if (!is_float(m.root.dtype())) return {};
  const std::span<const Value> values = m.root.node().operands();
  if (values.size() > most_terms) return {};
  std::vector<std::optional<TermFactors>> terms;
  for (const Value& v : values) terms.push_back(factors_of(v));
  if (!may_leave_form(terms)) return {};
  for (const TermFactors& factor : candidates(terms)) {
    const std::optional<Split> split = split_by(factor, values, terms, m.root.dtype());
    if (!split) continue;
    const Expr out = taken_out(m, *split);
    if (out.defined() && out.value().shape() == m.root.shape()) return out;
  }
  return {};
}

}  // namespace gnomon
