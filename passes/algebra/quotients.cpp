// Differences of quotients and reciprocals.
#include <array>
#include <cmath>

#include "passes/algebra/common_factor.h"
#include "passes/algebra/differences.h"
#include "passes/algebra/polynomial.h"

namespace gnomon {
namespace {

// The numerator and denominator of a term, null if it is no quotient by a sum or a value.
struct Quotient {
  PolynomialRing::Polynomial above, below;
  Value divisor;
};

std::optional<Quotient> quotient_of(const Value& term, PolynomialRing& ring) {
  const bool negative = term.is(op::negative);
  const Value v = negative ? term.input(0) : term;
  if (!v.is(op::reciprocal) && !v.is(op::divide)) return std::nullopt;
  const Value over = v.is(op::divide) ? v.input(0) : number_value(1, v.dtype());
  const Value divisor = v.is(op::divide) ? v.input(1) : v.input(0);
  const auto above = ring.open(over), below = ring.open(divisor);
  if (!above || !below || above->size() != 1 || below->size() > 4) return std::nullopt;
  if (!above->begin()->first.empty()) return std::nullopt;  // numbers alone are above
  const auto sign = negative ? ring.sum({}, *above, -1) : above;
  if (!sign) return std::nullopt;
  return Quotient{*sign, *below, divisor};
}

double weight_of(const PolynomialRing::Polynomial& p) {
  double size = 0;
  for (const auto& [name, coefficient] : p) size += std::abs(coefficient);
  return size;
}

// Whether a value that is a divisor by itself is a factor of what stands above: that would be 0 / 0
// where it is 0.
bool has_divisor_above(const PolynomialRing::Polynomial& above, const Quotient& q) {
  if (q.below.size() != 1 || q.below.begin()->first.size() != 1) return false;
  const std::uint32_t name = q.below.begin()->first[0];
  return std::ranges::all_of(above, [&](const auto& term) {
    return std::ranges::find(term.first, name) != term.first.end();
  });
}

// Quotients whose common numerator is a number, a product, or one sum of two terms in a product
// that more terms cancelled to.
Expr over_common_denominator(std::span<const Value> terms) {
  PolynomialRing ring(terms[0].dtype());
  std::vector<Quotient> list;
  for (const Value& term : terms) {
    std::optional<Quotient> q = quotient_of(term, ring);
    if (!q) return {};
    list.push_back(std::move(*q));
  }
  std::optional<PolynomialRing::Polynomial> above = PolynomialRing::Polynomial{};
  double opened = 0;
  for (std::size_t i = 0; i < list.size() && above; ++i) {
    std::optional<PolynomialRing::Polynomial> part = list[i].above;
    for (std::size_t j = 0; j < list.size() && part; ++j)
      if (j != i) part = ring.product(*part, list[j].below);
    above = part ? ring.sum(*above, *part) : std::nullopt;
    opened += part ? weight_of(*part) : 0;
  }
  if (!above || above->empty() || above->size() > 2) return {};
  if (above->size() == 2 && weight_of(*above) >= opened) return {};
  for (const Quotient& q : list)
    if (has_divisor_above(*above, q)) return {};
  Expr value = ring.as_product(*above);
  if (!value.defined()) return {};
  // Sums first: they are not smaller than what stands above.
  for (const bool sums : {true, false})
    for (const Quotient& q : list)
      if ((q.below.size() > 1) == sums) value = value / Expr(q.divisor);
  // What takes more roundings is for quotients that cancel.
  constexpr double share = 0.125;
  const bool is_long = above->size() == 2 || std::ranges::any_of(list, [](const Quotient& q) {
                         return q.below.size() > 2;
                       });
  const std::optional<Difference> d =
      is_long && terms.size() == 2 ? difference_of(terms[0], terms[1]) : std::nullopt;
  return d ? if_far(d->positive, d->negative, value, share) : value;
}

Expr pair_over_common_denominator(const Value& a, const Value& b) {
  const std::array pair = {a, b};
  return over_common_denominator(pair);
}

bool is_quotient(const Value& v) {
  const Value& bare = v.is(op::negative) ? v.input(0) : v;
  return bare.is(op::reciprocal) || bare.is(op::divide);
}

}  // namespace

// A sum of three quotients, or the first two of a sum that go together.
Expr common_denominator(const Match& m) {
  const std::vector<Value> terms = terms_of_sum(m.root, 3);
  const auto count = std::ranges::count_if(terms, is_quotient);
  if (!is_float(m.root.dtype()) || count < 2) return {};
  if (count == 3 && terms.size() == 3)
    if (const Expr value = over_common_denominator(terms); value.defined())
      return value.value().shape() == m.root.shape() ? value : Expr();
  // Two of three quotients would hide what all of them come to.
  const bool is_part = m.users_of && m.users_of(m.engine, m.root.get()).op == &op::add;
  return is_part ? Expr() : pair_of_terms<pair_over_common_denominator>(m);
}

Expr difference_of_reciprocals(const Match& m) {
  const auto is_function = [](const Value& v) {
    return v.op().is_elementwise() && v.op().operands == 1 && !v.is(op::square);
  };
  return first_pair(m, [&](const Value& a, const Value& b) -> Expr {
    const std::optional<Difference> d = difference_of(a, b);
    if (!d || !d->positive.is(op::reciprocal) || !d->negative.is(op::reciprocal)) return {};
    const Value u = d->positive.input(0), v = d->negative.input(0);
    if (!is_function(u) || !is_function(v)) return {};
    const Expr known = better_form(m, make_node(op::add, {v, make_node(op::negative, {u})}));
    return known.defined() ? known / Expr(u) / Expr(v) : Expr();
  });
}

}  // namespace gnomon
