// Linear index forms: arithmetic, quotients and remainders by the ranges of their variables.
#include "codegen/kernels/linear.h"

#include <algorithm>

namespace gnomon {

Dim Linear::coefficient(int v) const {
  for (const auto& [name, coefficient] : terms)
    if (name == v) return coefficient;
  return 0;
}

std::size_t Linear::hash() const {
  std::size_t h = constant.hash();
  for (const auto& [v, c] : terms) h = h * 1000003 + static_cast<std::size_t>(v) * 31 + c.hash();
  return h;
}

Linear operator+(const Linear& a, const Linear& b) {
  Linear sum;
  sum.constant = a.constant + b.constant;
  auto i = a.terms.begin(), j = b.terms.begin();
  while (i != a.terms.end() || j != b.terms.end()) {
    if (j == b.terms.end() || (i != a.terms.end() && i->first < j->first)) {
      sum.terms.push_back(*i++);
    } else if (i == a.terms.end() || j->first < i->first) {
      sum.terms.push_back(*j++);
    } else {
      const Dim c = i->second + j->second;
      if (!c.is(0)) sum.terms.emplace_back(i->first, c);
      ++i, ++j;
    }
  }
  return sum;
}

Linear operator*(const Linear& a, const Dim& c) {
  if (c.is(0)) return {};
  Linear product;
  product.constant = a.constant * c;
  for (const auto& [v, k] : a.terms) product.terms.emplace_back(v, k * c);
  return product;
}

Linear operator-(const Linear& a, const Linear& b) { return a + b * Dim(-1); }

Linear Linear::of(int v) {
  Linear l;
  l.terms.emplace_back(v, 1);
  return l;
}

int IndexSpace::axis(int id, const Dim& extent) {
  variables_.push_back({Variable::Kind::axis, id, extent, {}, 1});
  return count() - 1;
}

int IndexSpace::opaque(int id) {
  for (int v = 0; v < count(); ++v)
    if (variables_[v].kind == Variable::Kind::opaque && variables_[v].id == id) return v;
  variables_.push_back({Variable::Kind::opaque, id, std::nullopt, {}, 1});
  return count() - 1;
}

std::optional<Dim> IndexSpace::bound(const Linear& a) const {
  Dim top = a.constant + 1;
  for (const auto& [v, c] : a.terms) {
    if (!variables_[v].extent) return std::nullopt;
    if (c.is_constant() && c.constant() < 0) return std::nullopt;
    top = top + c * (*variables_[v].extent - 1);
  }
  return top;
}

std::optional<std::pair<Dim, Dim>> IndexSpace::range(const Linear& a) const {
  Dim least = a.constant, greatest = a.constant;
  for (const auto& [v, c] : a.terms) {
    if (!variables_[v].extent || !c.is_constant()) return std::nullopt;
    Dim& end = c.constant() < 0 ? least : greatest;
    end = end + c * (*variables_[v].extent - 1);
  }
  return std::pair(least, greatest);
}

namespace {

// Not hidden by the member of the same name.
Dim quotient_of(const Dim& a, const Dim& b) { return floor_div(a, b); }

/// c / d when d divides every term of c, as polynomials.
std::optional<Dim> exact_quotient(const Dim& c, const Dim& d) {
  if (c == d) return Dim(1);
  if (c.is(0)) return Dim(0);
  const Dim whole = floor_div(c, d);
  return whole * d == c ? std::optional(whole) : std::nullopt;
}

/// Whether a < b is certain for all extents: b - a is a positive constant.
bool surely_at_most(const Dim& a, const Dim& b) {
  const Dim gap = b - a;
  return gap.is_constant() && gap.constant() >= 0;
}

}  // namespace

Linear IndexSpace::floor_div(const Linear& a, const Dim& b) {
  if (b.is(1)) return a;
  if (b.is(0)) return {};  // of an axis without elements: never computed
  if (a.is_constant()) {
    Linear q;
    q.constant = quotient_of(a.constant, b);
    return q;
  }
  Linear quotient, rest;
  if (const auto k = exact_quotient(a.constant, b))
    quotient.constant = *k;
  else
    rest.constant = a.constant;
  for (const auto& [v, c] : a.terms) {
    if (const auto k = exact_quotient(c, b))
      quotient = quotient + Linear::of(v) * *k;
    else
      rest = rest + Linear::of(v) * c;
  }
  if (rest.terms.empty() && rest.constant.is(0)) return quotient;
  if (const auto top = bound(rest); top && surely_at_most(*top, b)) return quotient;
  for (int v = 0; v < count(); ++v) {
    const Variable& known = variables_[v];
    if (known.kind == Variable::Kind::quotient && known.dividend == rest && known.divisor == b)
      return quotient + Linear::of(v);
  }
  Variable fresh{Variable::Kind::quotient, -1, std::nullopt, rest, b};
  if (const auto top = bound(rest)) {
    const auto whole = exact_quotient(*top, b);
    fresh.extent = whole ? *whole : quotient_of(*top + b - 1, b);
  }
  variables_.push_back(std::move(fresh));
  return quotient + Linear::of(count() - 1);
}

Linear IndexSpace::mod(const Linear& a, const Dim& b) { return a - floor_div(a, b) * b; }

}  // namespace gnomon
